"""Generate the variants of a PackageVariantSet, and the changes of existing ones.

Source: ensurePackageVariants of the packagevariantsets controller. Go's order of maps is random; here the
order of the targets counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.kube.names import is_dns1123_label
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.sets.specs import VariantRenderer
from krmkit.systems.porch.sets.targets import DownstreamTarget, TargetObject
from krmkit.systems.porch.variants.naming import variant_identifier, variant_name


@dataclass(frozen=True, slots=True)
class Variant:
    """A PackageVariant to make: its identifier in the set, its name, its spec, and its target's position."""

    identifier: str
    name: str
    spec: dict[str, Any]
    target: int = 0


@dataclass(frozen=True, slots=True)
class GeneratedVariants:
    """The variants in the order of the targets. `repeated`: identifiers of several targets; the last wins."""

    variants: list[Variant]
    repeated: list[str]

    @property
    def odd_names(self) -> list[str]:
        """Return names that the API server refuses, or that labels cannot hold."""
        return [variant.name for variant in self.variants if is_dns1123_label(variant.name)]


def generate(
    set_name: str,
    spec: dict[str, Any],
    downstreams: Sequence[DownstreamTarget],
    upstream: TargetObject,
    repositories: Mapping[str, TargetObject],
) -> GeneratedVariants:
    """Render and name every entry of a valid set. The first error raises PorchError."""
    renderer = VariantRenderer(spec["upstream"], upstream, repositories)
    variants: dict[str, Variant] = {}
    repeated: dict[str, None] = {}
    for downstream in downstreams:
        try:
            rendered = renderer.render(downstream)
        except PorchError as error:
            where = (
                f'target {downstream.target}, repository "{downstream.repo}", package "{downstream.package}"'
            )
            failed = PorchError(f"{error} ({where})")
            failed.field = f"spec.targets[{downstream.target}].{_path(str(error))}".rstrip(".")
            failed.repository = downstream.repo
            raise failed from None
        place = rendered["downstream"]
        identifier = variant_identifier(set_name, place["repo"], place["package"])
        if identifier in variants:
            repeated[identifier] = None
        variants[identifier] = Variant(identifier, variant_name(identifier), rendered, downstream.target)
    return GeneratedVariants(list(variants.values()), list(repeated))


def _path(message: str) -> str:
    """Return the path in front of a message, or "": `template.labelExprs[0].valueExpr: no such key`."""
    path = message.partition(": ")[0]
    return path if path.startswith("template") and " " not in path else ""


@dataclass(slots=True)
class Changes:
    """The changes of items. `updated`: (position of an existing variant, its new form)."""

    deleted: list[int] = field(init=False, default_factory=list)
    updated: list[tuple[int, Variant]] = field(init=False, default_factory=list)
    created: list[Variant] = field(init=False, default_factory=list)


def reconcile(variants: Sequence[Variant], existing: Sequence[str]) -> Changes:
    """Match a set's variants with existing ones by identifier, so that these keep their names.

    Of two existing variants with the same identifier the last stays, as in the reference; the other is
    deleted.
    """
    changes = Changes()
    known: dict[str, int] = {}
    for position, identifier in enumerate(existing):
        if identifier in known:
            changes.deleted.append(known[identifier])
        known[identifier] = position
    for variant in variants:
        if variant.identifier in known:
            changes.updated.append((known.pop(variant.identifier), variant))
        else:
            changes.created.append(variant)
    changes.deleted = sorted([*changes.deleted, *known.values()])
    return changes
