"""Apply a PackageVariant to a package: validate, then set context, pipeline and injections in turn.

Source: calculateDraftResources of the packagevariants controller. After a PorchError the resources may be
half changed, and the caller must discard them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from krmkit.libraries.schema.fields import mapping
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.variants.candidates import Candidate
from krmkit.systems.porch.variants.causes import VariantCauses
from krmkit.systems.porch.variants.context import set_package_context
from krmkit.systems.porch.variants.injection import inject_config
from krmkit.systems.porch.variants.injectionpoint import InjectionPoint
from krmkit.systems.porch.variants.packageview import PackageView
from krmkit.systems.porch.variants.pipeline import check_names, prepend_pipeline
from krmkit.systems.porch.variants.validation import validate_variant


@dataclass(frozen=True, slots=True)
class AppliedVariant:
    """The injection points, and whether the pipeline was changed, which takes effect with the next render."""

    points: list[InjectionPoint]
    pipeline_changed: bool


def apply_variant(
    package: PackageView,
    name: str,
    spec: dict[str, Any],
    candidates: Sequence[Candidate],
    causes: VariantCauses | None = None,
) -> AppliedVariant:
    """Apply the variant `name` to the package. Raises PorchError, for an invalid variant before any change.

    Pipeline and injection always run, even if the spec has neither: entries that the variant made before are
    removed.
    """
    errors = validate_variant(spec)
    if errors:
        raise PorchError("; ".join(errors))
    check_names(name, mapping(spec, "pipeline"))
    set_package_context(package, spec.get("packageContext"), causes)
    pipeline_changed = prepend_pipeline(package, name, spec.get("pipeline"), causes)
    points = inject_config(package, spec.get("injectors") or [], candidates, causes)
    return AppliedVariant(points, pipeline_changed)
