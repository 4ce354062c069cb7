"""Run all rules across systems: the rule of the function validate-platform."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json import Object
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.messages.nearest import did_you_mean, nearest
from krmkit.libraries.schema.fields import entries, mapping
from krmkit.systems.platform.clusterrules import (
    class_versions,
    cluster_name,
    kubernetes_version,
    pack_variable,
    pools,
    targets,
)
from krmkit.systems.platform.facts import DEFAULT_NAMESPACE, PlatformFacts, plain

Revisions = dict[tuple[str, str], set[str]]

_VARIANTS = "config.porch.kpt.dev/"
_REVISIONS = "porch.kpt.dev/"


def variant_packages(facts: PlatformFacts) -> Iterator[Finding]:
    """Check that a variant's upstream exists (variant-repository, variant-package).

    Known are the Repositories and PackageRevisions among the items and `packages` of the config. Without any,
    nothing is reported.
    """
    repositories = {item.name for item in facts.of_kind(_VARIANTS, "Repository")}
    revisions = _revisions(facts)
    known = repositories | {repository for repository, _ in revisions}
    for kind in ("PackageVariant", "PackageVariantSet"):
        for item in facts.of_kind(_VARIANTS, kind):
            upstream = mapping(item.get("spec", "upstream"))
            repository = plain(upstream.get("repo"))
            if known and repository and repository not in known:
                message = f"there is no repository {repository}" + did_you_mean(repository, sorted(known))
                yield Finding("variant-repository", message, item, "spec.upstream.repo", repository)
            else:
                yield from _package(item, upstream, revisions)
            yield from _targets(item, repositories)


def _package(item: Resource, upstream: Object, revisions: Revisions) -> Iterator[Finding]:
    repository, package = plain(upstream.get("repo")), plain(upstream.get("package"))
    there = sorted(name for other, name in revisions if other == repository)
    if not there or not package:
        return
    if package not in there:
        message = f"the repository {repository} has no package {package}" + did_you_mean(package, there)
        yield Finding("variant-package", message, item, "spec.upstream.package", package)
        return
    have = revisions[repository, package]
    revision = plain(upstream.get("revision"))
    if have and revision and revision not in have:
        message = (
            f"the package {repository}/{package} has no revision {revision}: it has {listed(sorted(have))}"
        )
        yield Finding("variant-package", message, item, "spec.upstream.revision", revision)


def _targets(item: Resource, repositories: set[str]) -> Iterator[Finding]:
    """Check the repositories of variants' downstreams against the Repositories among the items."""
    downstream = plain(mapping(item.get("spec", "downstream")).get("repo"))
    places = [("spec.downstream.repo", downstream)] if downstream else []
    for position, target in enumerate(entries(item.get("spec", "targets"))):
        for number, entry in enumerate(entries(target.get("repositories"))):
            places.append((f"spec.targets[{position}].repositories[{number}].name", plain(entry.get("name"))))
    for field, name in places:
        if repositories and name and name not in repositories:
            message = f"there is no repository {name}" + did_you_mean(name, sorted(repositories))
            yield Finding("variant-repository", message, item, field, name)


def _revisions(facts: PlatformFacts) -> Revisions:
    """Return revisions by repository and package; an empty set means any."""
    found: Revisions = {}
    for item in facts.of_kind(_REVISIONS, "PackageRevision"):
        key = item.string("spec", "repository"), item.string("spec", "packageName")
        found.setdefault(key, set()).add(item.string("spec", "revision"))
    for entry in facts.spec["packages"]:
        found.setdefault((entry["repo"], entry["package"]), set()).update(entry.get("revisions") or ())
    return found


def unknown_namespaces(facts: PlatformFacts) -> Iterator[Finding]:
    """Report namespaces of objects that the package does not create (unknown-namespace), each once.

    Namespaces are often created elsewhere. So the rule applies only to a package that creates namespaces for
    its own objects, and to names similar to one of these. System namespaces and `namespaces` of the config
    are allowed.
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


_GROUP = "fn.kpt.dev/"
_KIND = "ApplyReplacements"
_SHORTEST, _LONGEST = 5, 64  # letters of a kind that is compared: of shorter ones too many are alike


def binding_targets(facts: PlatformFacts) -> Iterator[Finding]:
    """Report a replacement target whose kind is a typing error of a kind of the package.

    The function itself does not report a target without resources, as tables may serve several packages.
    """
    kinds = {item.kind for item in facts.items if item.kind}
    known = {form: kind for kind in sorted(kinds, reverse=True) for form in _forms(kind)}
    for config in facts.of_kind(_GROUP, _KIND):
        for number, replacement in enumerate(entries(config.get("replacements"))):
            for position, target in enumerate(entries(replacement.get("targets"))):
                kind = plain(mapping(target.get("select")).get("kind"))
                meant = "" if kind in kinds else _meant(kind, known)
                if meant:
                    field = f"replacements[{number}].targets[{position}].select.kind"
                    message = f'the package has no {kind}, so nothing is bound here; did you mean "{meant}"?'
                    yield Finding("binding-target", message, config, field, kind, meant)


def _forms(kind: str) -> Iterator[str]:
    """Yield a kind in lower case, whole and without each letter: similar kinds share such a form.

    Forms are looked up, so the cost does not grow with kinds times targets.
    """
    word = kind.lower()
    yield word
    if _SHORTEST <= len(word) <= _LONGEST:
        for place in range(len(word)):
            yield word[:place] + word[place + 1 :]


def _meant(kind: str, known: Mapping[str, str]) -> str:
    """Return the package's kind of which `kind` is a typing error, or "".

    Clutser is a typing error of Cluster. AKSCluster is none of EKSCluster, as abbreviations are names.
    """
    for form in _forms(kind):
        other = known.get(form, "")
        if other and (other.lower() == kind.lower() or _abbreviations(other) == _abbreviations(kind)):
            return other
    return ""


def _abbreviations(kind: str) -> list[str]:
    from re import findall

    return findall("[A-Z]{2,}(?![a-z])", kind)


RULES = (
    *(kubernetes_version, class_versions, pack_variable, cluster_name, pools, targets),
    *(binding_targets, unknown_namespaces, variant_packages),
)


def validate_platform(resources: ResourceList, spec: dict[str, Any]) -> list[Finding]:
    """Return the findings of a ValidatePlatform, except for the rules in `skip`."""
    facts = PlatformFacts(resources, spec)
    skipped = set(spec["skip"])
    return [finding for rule in RULES for finding in rule(facts) if finding.rule not in skipped]
