"""Put a variant's functions at the front of the Kptfile's pipeline.

Source: ensureKRMFunctions of the packagevariants controller. Four deviations avoid traps of the reference:
dots in names are an error instead of another copy on every run, `pipeline: null` counts as absent, unknown
keys of the pipeline stay, mutators are written before validators if both are new.
"""

from __future__ import annotations

from krmkit.libraries.yaml.data import go_data, go_value, is_null, lookup, same_data
from krmkit.libraries.yaml.tree import Map, Scalar, Seq, deref
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.edits.minimaledit import arrange, ordered, own
from krmkit.systems.porch.variants.decodevariants import recorder, variant_of
from krmkit.systems.porch.variants.findings import pipeline_finding, violation_findings
from krmkit.systems.porch.variants.naming import function_name, is_function_of
from krmkit.systems.porch.variants.packageview import KPTFILE, PackageView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.krm.finding import Finding
    from krmkit.krm.resource import Resource
    from krmkit.krm.resourcelist import ResourceList
    from krmkit.libraries.yaml.tree import Node
    from krmkit.systems.porch.variants.causes import VariantCauses

# In the order of the API; the Kptfile's order is that of krmkit.systems.porch.edits.minimaledit.
FIELDS = (
    "image",
    "exec",
    "configPath",
    "configMap",
    "configRef",
    "when",
    "name",
    "tag",
    "selectors",
    "exclude",
)
LISTS = ("mutators", "validators")


def prepend_functions(items: ResourceList, spec: dict[str, Any], config: Resource | None) -> list[Finding]:
    """Apply a pipeline, or the pipeline of a PackageVariant config, to the root package.

    Raises PorchError if there is no Kptfile, or it cannot be edited.
    """
    variant = variant_of(config)
    if variant is not None and variant.violations:
        return violation_findings(variant)
    owner, pipeline = (variant.name, variant.spec) if variant is not None else (spec["owner"], spec)
    package = PackageView(items)
    if not package.at(KPTFILE):
        raise PorchError(
            "there is no Kptfile among the items, whose pipeline this function edits; kustomize hands none on"
        )
    try:
        changed = prepend_pipeline(package, owner, pipeline.get("pipeline"), recorder(items.causes, config))
    except PorchError as error:
        if error.rule == "dotted-name":
            error.finding.at(config)
        raise
    return [pipeline_finding(package.single(KPTFILE))] if changed else []


def prepend_pipeline(
    package: PackageView, variant: str, pipeline: dict[str, Any] | None, causes: VariantCauses | None = None
) -> bool:
    """Put the functions of `variant` at the front of the root Kptfile's pipeline, in their order.

    A function belongs to the variant by its name, at any position. Lists that become empty are removed, then
    an empty pipeline. Return whether anything changed. Raises PorchError for a missing or malformed Kptfile,
    and for dots in names.
    """
    wanted = pipeline or {}
    check_names(variant, wanted)
    kptfile = package.single(KPTFILE)
    node = own(kptfile, "pipeline")
    if is_null(node):
        fresh = {step: named for step in LISTS if (named := _named(variant, wanted.get(step) or []))}
        if fresh:
            kptfile.set(("pipeline",), fresh)
        elif node is not None:
            kptfile.remove(("pipeline",))
        if causes is not None:
            for step, functions in fresh.items():
                causes.pipeline(kptfile, step, len(functions), True)
        return bool(fresh) or node is not None
    if not isinstance(node, Map):
        raise PorchError("the pipeline of the Kptfile is not a map of mutators and validators")
    changed = False
    for step in LISTS:
        own_functions = _named(variant, wanted.get(step) or [])
        edited = _edit_list(kptfile, step, variant, own_functions)
        changed = edited or changed
        if causes is not None:
            causes.pipeline(kptfile, step, len(own_functions), edited)
    if not node.entries:
        changed = kptfile.remove(("pipeline",))
    return changed


def check_names(variant: str, pipeline: dict[str, Any]) -> None:
    """Raise PorchError for a dot in a name: the next run would not recognise the function."""
    why = "so its functions could not be found again and every run would add another copy"
    functions = [
        (step, index, function) for step in LISTS for index, function in enumerate(pipeline.get(step) or ())
    ]
    if functions and "." in variant:
        raise PorchError(f'the name "{variant}" of the PackageVariant has a dot, {why}', "dotted-name")
    for step, index, function in functions:
        if "." in (function.get("name") or ""):
            raise PorchError(
                f'the name "{function["name"]}" of spec.pipeline.{step}[{index}] has a dot, {why}',
                "dotted-name",
            )


def _named(variant: str, functions: list[dict[str, Any]]) -> list[Any]:
    """Return the functions in their written form: typed, with new names, in kyaml's field order."""
    return [
        ordered(
            typed_function({**function, "name": function_name(variant, function.get("name") or "", position)})
        )
        for position, function in enumerate(functions)
    ]


def _edit_list(kptfile: Resource, step: str, variant: str, wanted: list[Any]) -> bool:
    """Set the variant's functions in one list, and remove an empty list. Return whether it changed."""
    node = own(kptfile, "pipeline", step)
    if node is not None and not isinstance(node, Seq):
        raise PorchError(f"pipeline.{step} of the Kptfile is not a list of functions")
    if node is None or not node.items:
        if wanted:
            kptfile.set(("pipeline", step), wanted)
            return True
        return kptfile.remove(("pipeline", step))
    mine: dict[object, list[tuple[int, object]]] = {}  # by name
    others: list[int | object] = []
    for position, item in enumerate(node.items):
        if is_own_function(item, variant, f"pipeline.{step}[{position}]"):
            data = go_data(item, kptfile.limits)
            name = data.get("name") if isinstance(data, dict) else None
            mine.setdefault(name, []).append((position, data))
        else:
            others.append(position)
    front: list[int | object] = []
    for function in wanted:
        known = mine.get(function.get("name"), [])
        number = next(
            (at for at, (_, data) in enumerate(known) if same_data(data, function, ordered=True)), None
        )
        front.append(function if number is None else known.pop(number)[0])
    if front or others:
        return arrange(kptfile, node, front + others)
    return kptfile.remove(("pipeline", step))


def is_own_function(item: Node, variant: str, where: str) -> bool:
    """Return whether a Kptfile's function belongs to the variant. Raises PorchError if it is malformed."""
    function = deref(item)
    if not isinstance(function, Map):
        raise PorchError(f"{where} of the Kptfile is not a function (a map)")
    name = lookup(function, "name")
    if name is None:
        return False
    value = go_value(name) if isinstance(name, Scalar) else None
    if not isinstance(value, str):
        raise PorchError(f"could not retrieve field name: {where}.name of the Kptfile is not a string")
    return is_function_of(variant, value)


def typed_function(function: dict[str, Any]) -> dict[str, Any]:
    """Return a copy with the API's non-empty fields only."""
    typed = {field: function[field] for field in FIELDS if function.get(field)}
    if "configRef" in typed:
        typed["configRef"] = {field: value for field, value in typed["configRef"].items() if value}
    return typed
