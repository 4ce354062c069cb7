"""Check the patches of a ClusterClass as the webhook does.

Source: core/webhooks/admission/patch_validation.go.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.numbers import atoi
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.gotemplate import TemplateError, parse
from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import (
    FieldError,
    Verbatim,
    child,
    forbidden,
    index,
    invalid,
    not_supported,
    required,
)
from krmkit.libraries.kube.names import is_qualified_name
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api.decode import go_order
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.api.gotypes import part_of
from krmkit.systems.clusterapi.patches.request import matches_class
from krmkit.systems.clusterapi.webhooks.compatibility import (
    MACHINE_DEPLOYMENTS,
    MACHINE_POOLS,
    WORKER_KINDS,
    spec_of,
    template_ref,
    workers_of,
)

INLINE = "inline"
_JSON_PATCH = ("definitions", "jsonPatches")
OPERATIONS = ("add", "remove", "replace")
_WITH_VALUE = ("add", "replace")
_SELECTORS = {"machineDeploymentClass": MACHINE_DEPLOYMENTS, "machinePoolClass": MACHINE_POOLS}
_NO_ARRAY = 'arrays can only be accessed using "0" (prepend) or "-" (append)'
_OF_ALL = ("metadata.labels", "metadata.annotations", "name", "replicas", "version")
_OF_WORKERS = ("class", "topologyName", "bootstrap.configRef.name", "infrastructureRef.name")
_CLUSTER = (
    "name",
    "namespace",
    "uid",
    "metadata.labels",
    "metadata.annotations",
    "topology",
    "topology.classRef.name",
    "topology.classRef.namespace",
    "topology.class",
    "topology.classNamespace",
    "topology.version",
    "network",
    "network.serviceDomain",
    "network.services",
    "network.pods",
)
_CONTROL_PLANE = (*_OF_ALL, "machineTemplate.infrastructureRef.name")
_WORKER = (*_OF_ALL, *_OF_WORKERS)
BUILTINS = frozenset(
    ["builtin"]
    + [
        ".".join(("builtin", owner, *([name] if name else [])))
        for owner, names in (
            ("cluster", _CLUSTER),
            ("controlPlane", _CONTROL_PLANE),
            ("machineDeployment", _WORKER),
            ("machinePool", _WORKER),
        )
        for name in ("", *names)
    ]
)
"""What `valueFrom.variable` may name below `builtin`: whole objects or single values, but no labels."""


def validate_patches(cluster_class: Object, features: FeatureGates) -> list[FieldError]:
    """Return the errors of spec.patches: names, templates, selectors without a match, JSON patches."""
    spec = spec_of(cluster_class)
    variables = {variable.get("name", "") for variable in spec.get("variables") or ()}
    targets = Targets(spec)
    found: list[FieldError] = []
    names: set[str] = set()
    for position, patch in enumerate(spec.get("patches") or ()):
        path = index("spec.patches", position)
        found += _validate_name(patch.get("name", ""), names, path)
        found += _validate_definitions(patch, targets, variables, path, features)
        names.add(patch.get("name", ""))
    return found


def _validate_name(name: str, names: Collection[str], path: str) -> Iterator[FieldError]:
    path = child(path, "name")
    if not name:
        yield required(path, "patch name must be defined")
    if name == INLINE:
        yield required(path, f'"{INLINE}" can not be used as the name of a patch')
    if name in names:
        detail = f"patch names must be unique. Patch with name {quote(name)} is defined more than once"
        yield invalid(path, name, detail)


def _validate_definitions(
    patch: Object, targets: Targets, variables: Collection[str], path: str, features: FeatureGates
) -> list[FieldError]:
    errors = _validate_template(patch.get("enabledIf", ""), "enabledIf", child(path, "enabledIf"))
    definitions, external = patch.get("definitions"), patch.get("external")
    if definitions is None and external is None:
        errors.append(required(path, "one of definitions or external must be defined"))
    if definitions is not None and external is not None:
        detail = "only one of definitions or external can be defined"
        errors.append(invalid(path, Verbatim(go_json(patch)), detail))
    for position, definition in enumerate(definitions or ()):
        place = index(child(path, "definitions"), position)
        for number, json_patch in enumerate(definition.get("jsonPatches") or ()):
            errors += _validate_json_patch(json_patch, variables, index(child(place, "jsonPatches"), number))
        errors += targets.validate(mapping(definition, "selector"), child(place, "selector"))
    if external is not None:
        path = child(path, "external")
        if not features.runtime_sdk:
            detail = "patch.external can be used only if the RuntimeSDK feature flag is enabled"
            errors.append(forbidden(path, detail))
        if not external.get("validateTopologyExtension") and not external.get("generatePatchesExtension"):
            detail = "one of validateTopologyExtension and generatePatchesExtension must be defined"
            errors.append(invalid(path, Verbatim(go_json(external, "external")), detail))
    return errors


def _validate_template(text: str, name: str, path: str) -> list[FieldError]:
    """Check that a template parses with sprig's functions."""
    if text:
        try:
            parse(text, name=name, functions="hermetic")
        except TemplateError as error:
            return [invalid(path, text, f"template can not be parsed: {error.message}")]
    return []


class Targets:
    """The templates of a class by apiVersion and kind, for the selectors of all its patches."""

    def __init__(self, spec: Object) -> None:
        control_plane = mapping(spec, "controlPlane")
        self._infrastructure = {_type(spec.get("infrastructure"))}
        self._control_plane = {_type(control_plane)}
        if template_ref(control_plane.get("machineInfrastructure")):
            self._control_plane.add(_type(control_plane["machineInfrastructure"]))
        self._workers: dict[str, dict[tuple[str, str], dict[str, None]]] = {}
        for kind in WORKER_KINDS:
            found = self._workers[kind] = {}
            for worker in workers_of(spec, kind):
                for part in ("infrastructure", "bootstrap"):
                    found.setdefault(_type(worker.get(part)), {})[worker.get("class", "")] = None

    def validate(self, selector: Object, path: str) -> list[FieldError]:
        """Check that a selector names a place, and that each place has a template of its type."""
        match = mapping(selector, "matchResources")
        names = {of: find(match, (of, "names")) or [] for of in _SELECTORS}
        if not (match.get("infrastructureCluster") or match.get("controlPlane") or any(names.values())):
            return [
                invalid(
                    path, go_json(selector, "definitions", "selector", pretty=True), "no selector enabled"
                )
            ]
        path = child(path, "matchResources")
        wanted = (selector.get("apiVersion", ""), selector.get("kind", ""))
        found = []
        if match.get("infrastructureCluster") and wanted not in self._infrastructure:
            detail = "selector is enabled but does not match the infrastructure ref"
            found.append(invalid(child(path, "infrastructureCluster"), True, detail))
        if match.get("controlPlane") and wanted not in self._control_plane:
            detail = (
                "selector is enabled but matches neither the controlPlane ref nor the controlPlane"
                " machineInfrastructure ref"
            )
            found.append(invalid(child(path, "controlPlane"), True, detail))
        for of, kind in _SELECTORS.items():
            # A name matches only classes with a fitting template.
            fitting = self._workers[kind].get(wanted, {})
            found += _validate_class_names(names[of], fitting, WORKER_KINDS[kind], child(path, of, "names"))
        return found


def _type(holder: Object | None) -> tuple[str, str]:
    """Return apiVersion and kind of the template in a part of the class."""
    reference = template_ref(holder)
    return reference.get("apiVersion", ""), reference.get("kind", "")


def _validate_class_names(
    names: list[str], classes: Collection[str], what: str, path: str
) -> Iterator[FieldError]:
    for position, name in enumerate(names):
        place = index(path, position)
        problem = _name_problem(name)
        if problem:
            # The reference stops at the first bad name.
            yield invalid(place, name, problem)
            return
        if name not in classes and not ("*" in name and any(matches_class(name, one) for one in classes)):
            detail = (
                "selector is enabled but matches neither the bootstrap ref nor the infrastructure ref of a"
                f" {what} class"
            )
            yield invalid(place, name, detail)


def _name_problem(name: str) -> str:
    if "*" not in name:
        return ""
    if name.count("*") > 1:
        return 'selector can at most contain a single "*" rune'
    if not name.startswith("*") and not name.endswith("*"):
        return '"*" rune can only appear at the beginning, or ending of the selector'
    if is_qualified_name(name.replace("*", "a")):
        return "selector does not comply with the Kubernetes naming standards"
    return ""


def _validate_json_patch(patch: Object, variables: Collection[str], path: str) -> Iterator[FieldError]:
    operation, pointer = patch.get("op", ""), patch.get("path", "")
    if operation not in OPERATIONS:
        shown = go_json(patch, *_JSON_PATCH, pretty=True)
        yield not_supported(child(path, "op"), shown, OPERATIONS)
    if not pointer.startswith("/spec"):
        shown = go_json(patch, *_JSON_PATCH, pretty=True)
        yield invalid(child(path, "path"), shown, 'jsonPatch path must start with "/spec"')
    yield from _validate_index_access(operation, pointer, child(path, "path"))
    if operation in _WITH_VALUE:
        yield from _validate_value(patch, variables, path)


def _validate_index_access(operation: str, pointer: str, path: str) -> Iterator[FieldError]:
    """Check numbers in a path: `add` may only prepend, `replace` and `remove` may have none."""
    for part in pointer.split("/"):
        try:
            position = atoi(part)
        except GoInputError:
            continue
        if operation == "add" and position != 0:
            yield invalid(path, pointer, _NO_ARRAY)
        if operation in ("replace", "remove"):
            detail = f"elements in arrays can not be accessed in a {operation} operation"
            yield invalid(path, pointer, detail)


def _validate_value(patch: Object, variables: Collection[str], path: str) -> Iterator[FieldError]:
    """Check for exactly one of value and valueFrom, and exactly one of variable and template."""
    source = patch.get("valueFrom")
    has_value = patch.get("value") is not None
    if not has_value and source is None:
        shown = go_json(patch, *_JSON_PATCH, pretty=True)
        yield invalid(path, shown, "jsonPatch must define one of value or valueFrom")
    if has_value and source is not None:
        shown = go_json(patch, *_JSON_PATCH, pretty=True)
        yield invalid(path, shown, "jsonPatch can not define both value and valueFrom")
    if source is None:
        return
    path = child(path, "valueFrom")
    template, variable = source.get("template", ""), source.get("variable", "")
    shown = go_json(source, *_JSON_PATCH, "valueFrom", pretty=True)
    if not template and not variable:
        yield invalid(path, shown, "valueFrom must set either template or variable")
    if template and variable:
        yield invalid(path, shown, "valueFrom can not set both template and variable")
    yield from _validate_template(template, "valueFrom.template", child(path, "template"))
    if variable:
        place = child(path, "variable")
        if variable.startswith("builtin."):
            if variable not in BUILTINS:
                yield invalid(place, variable, "not a defined builtin variable")
        elif variable_name(variable) not in variables:
            yield invalid(place, variable, f"variable with name {variable} cannot be found")


def variable_name(path: str) -> str:
    """Return the variable that a path begins with, up to `.` or `[`: "a" of "a.b[0]"."""
    return path.lstrip(".[").replace("[", ".").partition(".")[0]


def go_json(value: Object, *path: str, pretty: bool = False) -> str:
    """Return JSON as Go writes a patch or the struct at a path of it; `pretty` indents by two spaces.

    Fields are in Go's order, HTML characters are escaped.
    """
    text = json.dumps(
        go_order(value, part_of("ClusterClass", "spec", "patches", *path)),
        ensure_ascii=False,
        indent=2 if pretty else None,
        separators=(",", ": ") if pretty else (",", ":"),
    )
    for sign in "<>&\u2028\u2029":
        if sign in text:
            text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
