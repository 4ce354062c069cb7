"""Find fields that Landscaper drops from blueprints and templates: misspelt ones, unused defaults."""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import entries, text
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.outcome import RenderedInstallation
from krmkit.systems.landscaper.form.fieldtypes import SPEC
from krmkit.systems.landscaper.templates.outputs import unknown_fields_of

_EXPORT: Object = dict.fromkeys(("name", "type", "schema", "targetType"))
_IMPORT: Object = {**_EXPORT, "required": None, "default": {"value": None}}
_IMPORT["imports"] = [_IMPORT]
_EXECUTIONS = [dict.fromkeys(("name", "type", "file", "template"))]
_SHARED = ("imports", "importDataMappings", "exports", "exportDataMappings", "optimization")
_TEMPLATE: Object = {
    **dict.fromkeys(("apiVersion", "kind", "name")),
    "blueprint": dict.fromkeys(("ref", "filesystem")),
    **{name: SPEC[name] for name in _SHARED},
}
_BLUEPRINT: Object = {
    **dict.fromkeys(("apiVersion", "kind", "annotations", "jsonSchemaVersion", "localTypes")),
    "imports": [_IMPORT],
    "exports": [_EXPORT],
    "subinstallations": [{"file": None, **_TEMPLATE}],
    "importExecutions": _EXECUTIONS,
    "subinstallationExecutions": _EXECUTIONS,
    "deployExecutions": _EXECUTIONS,
    "exportExecutions": _EXECUTIONS,
}


def unread_fields(one: RenderedInstallation, seen: set[int]) -> Iterator[InstallationError]:
    """Yield a warning for each. seen: the blueprints that were looked at, by id(); this one is added."""
    yield from one.unknown_fields
    if one.prerequisites is None:
        return
    blueprint = one.prerequisites.blueprint
    inline = [text(entry.get("name")) for entry in entries(blueprint.info.get("subinstallations"))]
    for template in one.templates:
        if text(template.get("name")) in inline:
            continue
        name = f"subinstallation {text(template.get('name'))}"
        yield from unknown_fields_of(template, _TEMPLATE, name)
    if id(blueprint.files) in seen:
        return
    seen.add(id(blueprint.files))
    yield from unknown_fields_of(blueprint.info, _BLUEPRINT, "")
    pending = list(blueprint.imports)
    for each in pending:
        pending += each.imports
        if each.default is not None and each.required:
            message = f"blueprint imports.{each.name}: the default is never taken, as the import is required; set required: false"
            yield InstallationError("unused-default", message, word=each.name)
