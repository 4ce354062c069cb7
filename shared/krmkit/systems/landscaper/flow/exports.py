"""Check and map the exports of an installation, and write them into the parent's scope."""

from __future__ import annotations

from collections.abc import Collection

from krmkit.libraries.messages.nearest import did_you_mean, nearest
from krmkit.libraries.schema.fields import entries, mapping, text, texts
from krmkit.systems.landscaper.apinames import KEY_LABEL, installation_source
from krmkit.systems.landscaper.blueprint.blueprints import DATA, EXPORT_TYPES, Blueprint, ImportOrExport
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.components.schemarefs import SchemaScope
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.imports import template_target
from krmkit.systems.landscaper.flow.importvalues import schema_violations
from krmkit.systems.landscaper.items.objects import World
from krmkit.systems.landscaper.templates.spiff import map_data


def internal_values(world: World, namespace: str, name: str, deploy_items: Data) -> Data:
    """Return the values for export executors: deployitems, dataobjects, targets, below `values` too."""
    scope = installation_source(name)
    data = {_key(one): one.get("data") for one in world.in_scope("DataObject", namespace, scope)}
    targets = {_key(one): template_target(one) for one in world.in_scope("Target", namespace, scope)}
    return {"deployitems": deploy_items, "dataobjects": data, "targets": targets}


def _key(item: Data) -> str:
    return texts(mapping(item.get("metadata")).get("labels")).get(KEY_LABEL, "")


def construct(exports: Data, blueprint: Blueprint, spec: Data, name: str, scope: SchemaScope) -> Data:
    """Check and map the templates' exports, by name. Raises InstallationError."""
    place = f"(inst: {name}).internalExports"
    given = [one for one in blueprint.exports if one.name in exports]
    for definition in given:
        problem = _misfit(definition, exports[definition.name], scope, place)
        if problem:
            word = "" if definition.type in EXPORT_TYPES else f"type: {definition.type}"
            raise InstallationError("export-schema", f"{place}{problem}", word=word)
    declared: Data = {one.name: exports[one.name] for one in given}
    mappings = mapping(spec.get("exportDataMappings"))
    if mappings:
        bindings = {**declared, "exports": declared}
        mapped, errors = map_data(
            mappings, lambda: bindings, "export-mapping", "export mapping ", "spec.exportDataMappings"
        )
        if errors:
            raise errors[0]
        declared.update(mapped)
    return declared


def _misfit(definition: ImportOrExport, value: object, scope: SchemaScope, place: str) -> str:
    """Return why a value does not match the blueprint's declaration, or ""."""
    name, kind = definition.name, definition.type
    if kind not in EXPORT_TYPES:
        return f".{name}: unknown export type '{kind}'" + did_you_mean(kind, EXPORT_TYPES)
    if kind != DATA:
        given = mapping(value).get("type")
        said = f": exported target type is {given or '(none)'} but expected {definition.target_type} (export {name})"
        return "" if given == definition.target_type else said
    if definition.schema is None:
        return f".{name}: no schema defined"
    lines = schema_violations(definition.schema, value, scope, f"{place}: ")
    if not lines:
        return ""
    listed = lines[0] if len(lines) == 1 else f"[{', '.join(lines)}]"
    return f": exported data does not satisfy the configured schema: {listed} (export {name})"


def check_defined(exports: Data, spec: Data, name: str, dropped: Collection[str] = ()) -> None:
    """Raise export-not-defined for the first export of the installation without a value.

    dropped: undeclared exports of the templates; the message suggests a similar one.
    """
    wanted = mapping(spec.get("exports"))
    for kind, title in (("data", "data"), ("targets", "target")):
        for index, one in enumerate(entries(wanted.get(kind))):
            key = text(one.get("name"))
            if key not in exports:
                near = nearest(key, dropped)
                hint = f"; a template gives {near}, which the blueprint does not declare" if near else ""
                raise InstallationError(
                    "export-not-defined",
                    f"(inst: {name}).internalExports.exports.{kind}.{key}: {title} export is not defined"
                    + (hint or did_you_mean(key, exports)),
                    "" if near else f"spec.exports.{kind}[{index}].name",
                    f"{near}:" if near else "",
                )
