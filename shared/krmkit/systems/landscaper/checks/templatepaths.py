"""Find undefined names in a blueprint's templates: deploy items, imports, undeclared exports.

While the exports of a deploy item are unknown, an installation waits and its export executions do not run. A
wrong name there would stay unnoticed until the cluster runs them; in `if` and `default` even longer, as Go
reads a missing key as nil.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.gotemplate import FieldNames, TemplateError, UnknownField, unknown_fields
from krmkit.libraries.json import Object
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, leaves, mapping, text
from krmkit.systems.landscaper.blueprint.blueprints import GO_TEMPLATE, Blueprint, Executor
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.outcome import SUCCEEDED, RenderedInstallation
from krmkit.systems.landscaper.templates.executors import executor_name
from krmkit.systems.landscaper.yaml import load

UNKNOWN_NAME, UNDECLARED_EXPORT = "unknown-name", "undeclared-export"
_EXPORT = "exportExecutions"
_PHASES = ("subinstallationExecutions", "deployExecutions", _EXPORT)
_ALWAYS = ("imports", "cd", "components", "blueprint", "blueprintDef", "componentDescriptorDef", "state")
_EXPORTED = ("deployitems", "dataobjects", "targets")
_KINDS = {
    "deployitems": "deploy item",
    "imports": "import",
    "dataobjects": "data object",
    "targets": "target",
}
_SPIFF_PATH = re.compile(r"\b(deployitems)\.([A-Za-z0-9_-]+)")
_ACTION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_PLACEHOLDER = "krmkit-action"  # an action of a template, where only the form of the YAML around it counts


def template_problems(one: RenderedInstallation) -> Iterator[InstallationError]:
    """Yield the undefined names in an installation's templates; none if other errors may cause them."""
    if one.errors or one.prerequisites is None:
        return
    blueprint = one.prerequisites.blueprint
    for phase in _PHASES:
        known = _known(one, blueprint, phase)
        for executor in blueprint.executors(phase):
            place = f"blueprint {phase}.{executor_name(executor)}"
            for found in _unknown(executor, blueprint, known):
                what = _KINDS.get(found.above.rpartition(".")[2], "value")
                message = (
                    f"{place}: the template reads {found.path}, and there is no {what} {found.name}"
                    + did_you_mean(found.name, found.known)
                )
                yield InstallationError(UNKNOWN_NAME, message, word=found.path)
            if phase == _EXPORT:
                yield from _undeclared(executor, blueprint, place)
    yield from _without_value(one, blueprint)


def _known(one: RenderedInstallation, blueprint: Blueprint, phase: str) -> FieldNames:
    """Return the names of a phase's values; None where they are not known yet."""
    imports = [each.name for each, _ in blueprint.all_imports()] + list(one.values)
    # Import executions may add more, and they run when all imports are there.
    may_grow = not one.values and bool(blueprint.executors("importExecutions"))
    found: dict[str, FieldNames | None] = dict.fromkeys(_ALWAYS)
    found["imports"] = None if may_grow else dict.fromkeys(imports)
    if phase != _EXPORT:
        return found
    values: dict[str, FieldNames | None] = dict.fromkeys(_EXPORTED)
    if one.phase == SUCCEEDED or one.deploy_items or one.children:  # it does not wait for its own imports
        values["deployitems"] = dict.fromkeys(item.name for item in one.deploy_items)
        children = [mapping(child.spec.get("exports")) for child in one.children]
        for kind, field, key in (("dataobjects", "data", "dataRef"), ("targets", "targets", "target")):
            exported = [text(entry.get(key)) for child in children for entry in entries(child.get(field))]
            values[kind] = None if may_grow else dict.fromkeys([*imports, *exported])
    return {**found, **values, "values": values}


def _unknown(executor: Executor, blueprint: Blueprint, known: FieldNames) -> Iterator[UnknownField]:
    """Yield the undefined names that a template reads; in spiff expressions only deploy items."""
    try:
        if executor.type == GO_TEMPLATE:
            yield from unknown_fields(executor.text(blueprint.files), known)
            return
        items = known.get("deployitems")
        for path, name in sorted(_spiff_paths(executor, blueprint)):
            if items is not None and name not in items:
                yield UnknownField(f"{path}.{name}", name, path, list(items))
    except (GoInputError, InstallationError, TemplateError):
        return  # the blueprint's check reports it


def _without_value(one: RenderedInstallation, blueprint: Blueprint) -> Iterator[InstallationError]:
    """Yield the Installation's exports to which neither blueprint nor mapping gives a value."""
    spec = one.spec
    declared = [each.name for each in blueprint.exports] + list(mapping(spec.get("exportDataMappings")))
    for kind in ("data", "targets"):
        for index, entry in enumerate(entries(mapping(spec.get("exports")).get(kind))):
            name = text(entry.get("name"))
            if name not in declared:
                message = (
                    f"the blueprint declares no export {name}, so there is no value to export"
                    + did_you_mean(name, declared)
                )
                nested = "/" in one.path
                field = "" if nested else f"spec.exports.{kind}[{index}].name"
                yield InstallationError(UNDECLARED_EXPORT, message, field, f"name: {name}" if nested else "")


def _spiff_paths(executor: Executor, blueprint: Blueprint) -> set[tuple[str, str]]:
    expressions = (
        one for one in leaves(_document(executor, blueprint)) if isinstance(one, str) and "((" in one
    )
    return {(found[1], found[2]) for one in expressions for found in _SPIFF_PATH.finditer(one)}


def _document(executor: Executor, blueprint: Blueprint) -> object:
    given = executor.template
    if given is None or isinstance(given, str):
        source = executor.text(blueprint.files)
        return load(_ACTION.sub(_PLACEHOLDER, source) if executor.type == GO_TEMPLATE else source)
    return given


def _undeclared(executor: Executor, blueprint: Blueprint, place: str) -> Iterator[InstallationError]:
    """Yield a template's undeclared exports, which Landscaper drops. Its actions are skipped."""
    declared = [each.name for each in blueprint.exports]
    try:
        document: Object = mapping(_document(executor, blueprint))
    except (GoInputError, InstallationError):
        return
    for name in mapping(document.get("exports")):
        if name not in declared and _PLACEHOLDER not in str(name):
            message = (
                f"{place}: the blueprint declares no export {name}, so Landscaper drops it"
                + did_you_mean(name, declared)
            )
            yield InstallationError(UNDECLARED_EXPORT, message, word=f"{name}:")
