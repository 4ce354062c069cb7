"""The rule about namespaces: a package that makes the namespaces of its objects makes all of them."""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.messages.nearest import did_you_mean, nearest
from krmkit.systems.platform.facts import DEFAULT_NAMESPACE, PlatformFacts, plain


def unknown_namespaces(facts: PlatformFacts) -> Iterator[Finding]:
    """Report namespaces of objects that the package does not make (unknown-namespace), each once.

    Namespaces are often made elsewhere. So the rule holds only in a package that makes namespaces for objects
    of its own, and for a name that is nearly one of these. System namespaces and `namespaces` of the config
    pass.
    """
    made = [item.name for item in facts.of_kind("v1", "Namespace")]
    objects: dict[str, list[Resource]] = {}
    for item in facts.items if made else ():
        namespace = plain(item.namespace)
        if namespace and not item.is_local_config:
            objects.setdefault(namespace, []).append(item)
    makes_its_own = any(namespace in made for namespace in objects)
    for namespace, items in objects.items():
        if namespace in made or namespace in facts.spec["namespaces"] or _is_of_the_system(namespace):
            continue
        if makes_its_own or nearest(namespace, made):
            others = f" and {len(items) - 1} more" if len(items) > 1 else ""
            message = (
                f"{items[0].kind} {items[0].name}{others} must have a namespace that is there: the package makes no Namespace {namespace}"
                f"{did_you_mean(namespace, made)} (made elsewhere: list it in namespaces of the ValidatePlatform)"
            )
            yield Finding("unknown-namespace", message, items[0], "metadata.namespace", namespace)


def _is_of_the_system(namespace: str) -> bool:
    return namespace == DEFAULT_NAMESPACE or namespace.startswith("kube-") or namespace.endswith("-system")
