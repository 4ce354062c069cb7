"""Check names, versions, relations and the provider of a descriptor by OCM's schema.

Source: open-component-model/ocm, resources/component-descriptor-v2-schema.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.libraries.go.regexp.pattern import compile as compile_pattern
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import entries, mapping

_COMPONENT = r"^[a-z][-a-z0-9]*([.][a-z][-a-z0-9]*)*[.][a-z]{2,}(/[a-z][-a-z0-9_]*([.][a-z][-a-z0-9_]*)*)+$"
_NAME = r"^[a-z0-9]([-_+a-z0-9]*[a-z0-9])?$"
_NUMBER = r"(0|[1-9]\d*)"
_LABEL = r"(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_VERSION = (
    rf"^[v]?{_NUMBER}(?:\.{_NUMBER})?(?:\.{_NUMBER})?(?:-({_LABEL}(?:\.{_LABEL})*))?"
    r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$"
)
_RULES = {
    "componentName": (_COMPONENT, "must be a domain with a path in small letters, such as example.com/shop"),
    "name": (
        _NAME,
        "must have at least 2 small letters, digits, dashes, underscores and pluses, with a letter or digit at both ends",
    ),
    "version": (_VERSION, "must be a version such as 1.2.3 or v1.2.3"),
}
_MEMBERS: dict[str, tuple[str, ...]] = {
    "sources": (),
    "resources": ("relation",),
    "componentReferences": ("componentName",),
}
_RELATIONS = ("local", "external")


def problems(body: Object, provider: object) -> Iterator[str]:
    """Yield everything that OCM refuses in a component in the form of schema v2. provider: the given one."""
    yield from _word(body, "name", "component.name", "componentName")
    yield from _word(body, "version", "component.version")
    if not isinstance(provider, str):
        got = "nothing" if provider is None else type(provider).__name__
        yield f"component.provider: must be a text, got {got}"
    for kind, more in _MEMBERS.items():
        names = [f"component.{kind}.{index}" for index in range(len(entries(body.get(kind))))]
        for here, one in zip(names, entries(body.get(kind)), strict=True):
            yield from _word(one, "name", f"{here}.name")
            yield from _word(one, "version", f"{here}.version")
            for key in mapping(one.get("extraIdentity")):
                yield from _word({key: key}, key, f"{here}.extraIdentity", "name")
            if "componentName" in more:
                yield from _word(one, "componentName", f"{here}.componentName")
            if "relation" in more and one.get("relation") not in _RELATIONS:
                yield f"{here}.relation: must be one of {', '.join(_RELATIONS)}, got {one.get('relation') or 'nothing'}"


def _word(data: Object, key: str, place: str, rule: str = "") -> Iterator[str]:
    """Yield the error of a name or version, in the words of the reference and then in ours."""
    pattern, meaning = _RULES[rule or key]
    value = data.get(key)
    if not isinstance(value, str):
        yield f"{place}: {meaning}, got {'nothing' if value is None else value}"
    elif not compile_pattern(pattern).search(value) or ((rule or key) == "name" and len(value) < 2):
        yield f"{place}: Does not match pattern '{pattern}'; {meaning}, got {value}"
