"""Inject configs: copy objects of the cluster into the injection points of a package.

Source: ensureConfigInjection of the packagevariants controller. The caller passes the cluster's objects as
candidates.
"""

from __future__ import annotations

from krmkit.krm.annotations import INJECTED, INJECTED_NAME, INJECTION
from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.libraries.yaml.data import wide_data
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.edits.minimaledit import ordered, overwrite
from krmkit.systems.porch.variants.candidates import Candidate, candidates
from krmkit.systems.porch.variants.causes import VariantCauses
from krmkit.systems.porch.variants.decodevariants import recorder, variant_of
from krmkit.systems.porch.variants.findings import point_findings, violation_findings
from krmkit.systems.porch.variants.gates import set_conditions_and_gates
from krmkit.systems.porch.variants.injectionpoint import InjectionPoint
from krmkit.systems.porch.variants.packageview import KPTFILE, PackageView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from krmkit.krm.resource import Resource
    from krmkit.krm.resourcelist import ResourceList

REQUIRED, OPTIONAL = "required", "optional"


def inject_objects(items: ResourceList, spec: dict[str, Any], config: Resource | None) -> list[Finding]:
    """Apply the config's injectors to the package and its subpackages among the items."""
    variant = variant_of(config)
    if variant is not None:
        injectors = variant.spec.get("injectors") or []
        found = violation_findings(variant) or [
            Finding("bad-injector", "must not be empty", config, f"spec.injectors[{index}].name")
            for index, injector in enumerate(injectors)
            if not injector.get("name")
        ]
        if found:
            return found
        spec = {"injectors": injectors, "namespace": variant.namespace, "resources": []}
    package = PackageView(items)
    objects = candidates(spec["resources"], items, spec["namespace"], config)
    causes = recorder(items.causes, config)
    points = inject_config(package, spec["injectors"], objects, causes, optional=True)
    findings = list(point_findings(points))
    if points and not package.at(KPTFILE):
        message = "there is no Kptfile, as under kustomize: conditions and gates have no place"
        findings.append(Finding("no-kptfile", message))
    return findings


def inject_config(
    package: PackageView,
    injectors: Sequence[dict[str, Any]],
    objects: Sequence[Candidate],
    causes: VariantCauses | None = None,
    optional: bool = False,
) -> list[InjectionPoint]:
    """Find the package's injection points, fill them, and write their conditions and gates.

    A point that is not filled is not an error: its condition is False. Raises PorchError, before any change,
    if a resource cannot be read, an annotation has an unknown value, or two points share a condition type;
    also if the root has no Kptfile for conditions and gates, unless `optional`.
    """
    points = find_injection_points(package)
    validate_injection_points(points)
    kptfile = None if optional and not package.at(KPTFILE) else package.single(KPTFILE, "Kptfile")
    by_type: dict[tuple[str, str], dict[str, Candidate]] = {}
    # Most packages have no points, and a fleet may have many objects.
    for candidate in objects if points else ():
        if candidate.elsewhere:
            continue
        named = by_type.setdefault((candidate.api_version, candidate.kind), {})
        named.setdefault(candidate.name, candidate)
    for point in points:
        fill(point, injectors, by_type, causes)
        if not point.injected:
            point.hint = _hint(point, injectors, objects)
    if kptfile is not None:
        set_conditions_and_gates(kptfile, points, causes)
    return points


def find_injection_points(package: PackageView) -> list[InjectionPoint]:
    """Return all annotated resources, of subpackages too, by file and position."""
    points: list[InjectionPoint] = []
    for file, resource in package.by_file():
        try:
            kind = resource.kind
            value = None
            if resource.may_hold(INJECTION) and resource.node("metadata", "annotations", INJECTION):
                # A map or a list is an empty text for Porch.
                value = resource.annotations.get(INJECTION, "")
            name = resource.name if value is not None else ""
        except LimitError:
            raise
        except (Refused, YamlError) as error:
            raise PorchError(f"{file}: failed to extract objects: {error}", "bad-injection-point") from None
        if value is None:
            continue
        point = InjectionPoint(file, f"config.injection.{kind}.{name}", value == REQUIRED, resource)
        if value not in (REQUIRED, OPTIONAL):
            from json import dumps

            shown = dumps(value, ensure_ascii=False)
            point.errors.append(
                f'{file}: {kind}/{name} has invalid "{INJECTION}" annotation value of {shown}'
            )
        points.append(point)
    return points


def validate_injection_points(points: Sequence[InjectionPoint]) -> None:
    """Raise PorchError with all errors: bad annotations, and condition types that two points share."""
    errors: list[str] = []
    known: dict[str, InjectionPoint] = {}
    for point in points:
        errors += point.errors
        if point.condition_type in known:
            first = known[point.condition_type].file
            errors.append(
                f'duplicate injection conditionType "{point.condition_type}" ({first} and {point.file})'
            )
        known[point.condition_type] = point
    if errors:
        raise PorchError("errors in injection points: " + ", ".join(errors), "bad-injection-point")


def fill(
    point: InjectionPoint,
    injectors: Sequence[dict[str, Any]],
    objects: Mapping[tuple[str, str], Mapping[str, Candidate]],
    causes: VariantCauses | None = None,
) -> None:
    """Copy a candidate into a point. The first injector with a match counts, even if copying fails.

    objects: by (apiVersion, kind), then by name.
    """
    resource = point.resource
    assert resource is not None
    if not injectors:
        point.errors.append("no injectors defined")
        return
    version, kind = resource.api_version, resource.kind
    eligible = objects.get((version, kind))
    if not eligible:
        point.errors.append(f"no in-cluster resources of type {version}.{kind}")
        return
    for index, injector in enumerate(injectors):
        mismatch = _mismatch(injector, version, kind)
        name = injector.get("name") or ""
        chosen = None if mismatch else eligible.get(name)
        if chosen is not None:
            point.explained.append(f'injectors[{index}] selects {kind} "{name}"')
            copy(point, resource, chosen)
            if causes is not None and point.injected:
                causes.injected(resource, injected_field(chosen), index, chosen.source, chosen.field)
            return
        point.explained.append(
            f"injectors[{index}] " + (mismatch or f'finds no {version} {kind} named "{name}"')
        )


def _hint(point: InjectionPoint, injectors: Sequence[dict[str, Any]], objects: Sequence[Candidate]) -> str:
    """Return the probably wanted object if no injector matches: elsewhere, or of a similar name."""
    resource = point.resource
    assert resource is not None
    version, kind = resource.api_version, resource.kind
    alike = [one for one in objects if (one.api_version, one.kind) == (version, kind)]
    for injector in injectors:
        name = injector.get("name") or ""
        if _mismatch(injector, version, kind) or not name:
            continue
        away = next((one.elsewhere for one in alike if one.name == name and one.elsewhere), "")
        if away:
            return f" ({kind} {name} is in namespace {away})"
        from krmkit.libraries.messages.nearest import proposal

        near = proposal(name, [one.name for one in alike if not one.elsewhere])
        if near:
            return f" (there is no {kind} {name}{near})"
    return ""


def _mismatch(injector: dict[str, Any], api_version: str, kind: str) -> str:
    """Return why an injector does not match a point's type, or "".

    An absent field matches all, "" only "".
    """
    group, slash, version = api_version.rpartition("/")
    if not slash:
        group = ""
    for field, value in (("group", group), ("version", version), ("kind", kind)):
        wanted = injector.get(field)
        if wanted is not None and wanted != value:
            return f'wants {field} "{wanted}", the injection point has "{value}"'
    return ""


def injected_field(chosen: Candidate) -> str:
    """Return the copied field: `data` of a ConfigMap of the core group, else `spec`."""
    return "data" if "/" not in chosen.api_version and chosen.kind == "ConfigMap" else "spec"


def copy(point: InjectionPoint, resource: Resource, chosen: Candidate) -> None:
    """Replace the point's data (of a core ConfigMap) or spec, and name the source in an annotation."""
    field = injected_field(chosen)
    if field not in chosen.data:
        point.errors.append(f'field "{field}" not found in resource "{chosen.name}"')
        return
    value = chosen.data[field]
    if value is None:
        point.errors.append(
            f"unable to set <nil> at fields [{field}] with error: the passed-in object must not be nil"
        )
        return
    node = chosen.source.node(*chosen.field, field) if chosen.source is not None else None
    overwrite(resource, (field,), ordered(value if node is None else wide_data(node)))
    had = resource.annotations
    for annotation in (INJECTED, INJECTED_NAME) if INJECTED_NAME in had else (INJECTED,):
        if had.get(annotation) != chosen.name:
            resource.set(("metadata", "annotations", annotation), chosen.name)
    point.injected = True
    point.injected_name = chosen.name
