"""Unroll the targets of a PackageVariantSet: from selectors to one entry for each future variant.

Source: unrollDownstreamTargets and getUpstreamPR of the packagevariantsets controller. One addition:
objectSelector.name, which the reference declares and ignores, selects by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from krmkit.krm.resource import Resource
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.kube.selectors import parse_selector
from krmkit.systems.porch.api.apinames import REPOSITORY_KIND, REPOSITORY_VERSION, PorchError, revision_number

# Everything of one apiVersion and kind in the set's namespace, in a stable order.
Listing = Callable[[str, str], Iterable["TargetObject"]]


@dataclass
class TargetObject:
    """The part of an object that a set uses: its name, namespace, labels and annotations."""

    name: str
    namespace: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, resource: Resource) -> TargetObject:
        """Read an item. Raises YamlError or Refused if it is unreadable."""
        resource.refuse_unreadable()
        return cls(resource.name, resource.namespace, resource.labels, resource.annotations)

    @cached_property
    def variable(self) -> dict[str, object]:
        """Return the value of the object's CEL variable."""
        return {name: getattr(self, name) for name in ("name", "namespace", "labels", "annotations")}


@dataclass(frozen=True, slots=True)
class DownstreamTarget:
    """One future variant: its downstream's defaults, and the selected object and the template, if any."""

    target: int
    repo: str
    package: str
    template: dict[str, Any] | None
    object: TargetObject | None = None


def unroll(spec: dict[str, Any], listing: Listing) -> list[DownstreamTarget]:
    """Return the entries of all targets of a valid set, in order; duplicates stay.

    A selector without a match gives no entries. Raises PorchError for bad selectors.
    """
    package = spec["upstream"].get("package") or ""
    targets: list[DownstreamTarget] = []
    for index, target in enumerate(spec.get("targets") or ()):
        template = target.get("template")
        repositories = target.get("repositories")
        if repositories:
            for repository in repositories:
                for name in repository.get("packageNames") or (package,):
                    targets.append(DownstreamTarget(index, repository["name"], name, template))
            continue
        for item in _selected(index, target, listing):
            for name in target.get("packageNames") or (package,):
                targets.append(DownstreamTarget(index, item.name, name, template, item))
    return targets


def _selected(index: int, target: dict[str, Any], listing: Listing) -> Iterable[TargetObject]:
    selector = target.get("repositorySelector")
    kind = "repositorySelector"
    version, name = REPOSITORY_VERSION, ""
    if selector is None:
        kind = "objectSelector"
        selector = target["objectSelector"]
        version, name = selector["apiVersion"], selector.get("name") or ""
    try:
        labels = parse_selector(selector)
    except GoInputError as error:
        raise PorchError(f"spec.targets[{index}].{kind}: {error}") from None
    for item in listing(version, selector["kind"] if kind == "objectSelector" else REPOSITORY_KIND):
        if (not name or item.name == name) and labels.matches(item.labels):
            yield item


def find_upstream(upstream: dict[str, Any], revisions: Sequence[dict[str, Any]]) -> int:
    """Return the position of the first PackageRevision that is the set's upstream. Raises PorchError.

    As in the reference, an equal revision or an equal workspace is enough, and two absent ones are equal.
    """
    repo, package = upstream.get("repo") or "", upstream.get("package") or ""
    number, workspace = revision_number(upstream.get("revision")), upstream.get("workspaceName") or ""
    for position, spec in enumerate(revisions):
        if (spec.get("repository") or "") != repo or (spec.get("packageName") or "") != package:
            continue
        if revision_number(spec.get("revision")) == number or (spec.get("workspaceName") or "") == workspace:
            return position
    raise PorchError(f"could not find upstream package revision '{package}/{number}' in repo '{repo}'")
