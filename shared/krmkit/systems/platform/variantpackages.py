"""Rules between PackageVariants and the repositories and packages that are given."""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, mapping
from krmkit.systems.platform.facts import PlatformFacts, plain

Revisions = dict[tuple[str, str], set[str]]

_VARIANTS = "config.porch.kpt.dev/"
_REVISIONS = "porch.kpt.dev/"


def variant_packages(facts: PlatformFacts) -> Iterator[Finding]:
    """Check that a variant's upstream exists (variant-repository, variant-package).

    Known are the Repositories and PackageRevisions among the items and `packages` of the config. There is no
    finding if none of them is given.
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
    """Check the repositories that variants are made in by the Repositories among the items."""
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
