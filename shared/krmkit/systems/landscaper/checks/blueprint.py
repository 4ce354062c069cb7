"""Check a blueprint without values: executors parse, schemas compile, files and references exist."""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.landscaper.blueprint import blueprints
from krmkit.systems.landscaper.components.descriptors import Component, ComponentRepository
from krmkit.systems.landscaper.components.schemarefs import SchemaScope, resolve_uri
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.importvalues import schema_violations
from krmkit.systems.landscaper.templates.executors import executor_name
from krmkit.systems.landscaper.templates.gotemplate import check as check_template
from krmkit.systems.landscaper.templates.spiff import check as check_spiff


def blueprint_errors(
    blueprint: blueprints.Blueprint, component: Component | None, repository: ComponentRepository
) -> list[InstallationError]:
    """Return all errors of a blueprint that do not depend on the values of its imports."""
    scope = SchemaScope(blueprint.local_types, blueprint.files, component, repository)
    found = [*_definitions(blueprint.imports, blueprints.IMPORT_TYPES, "imports", scope)]
    found += _definitions(blueprint.exports, blueprints.EXPORT_TYPES, "exports", scope)
    for phase in blueprints.EXECUTIONS:
        found += _executors(blueprint, phase)
    found += _subinstallations(blueprint, component, repository)
    return found


def _error(place: str, message: str) -> InstallationError:
    return InstallationError("bad-blueprint", f"blueprint {place}: {message}", "spec.blueprint")


def _definitions(
    definitions: list[blueprints.ImportOrExport], known: tuple[str, ...], place: str, scope: SchemaScope
) -> Iterator[InstallationError]:
    names: set[str] = set()
    for definition in definitions:
        here = f"{place}.{definition.name}"
        if definition.name in names:
            yield _error(here, "the name is used twice")
        names.add(definition.name)
        if definition.type not in known:
            yield _error(here, f'unknown type "{definition.type}"' + did_you_mean(definition.type, known))
        elif definition.type == blueprints.DATA and definition.schema is None:
            yield _error(here, "no schema defined")
        elif definition.type != blueprints.DATA and not definition.target_type:
            yield _error(here, "no targetType defined")
        elif definition.type == blueprints.DATA:
            try:
                schema_violations(definition.schema, None, scope)
            except InstallationError as error:
                yield _error(here, error.message)
        if definition.imports and definition.required:
            yield _error(here, "only an import with required: false may have conditional imports")
        yield from _definitions(definition.imports, known, here, scope)


def _executors(blueprint: blueprints.Blueprint, phase: str) -> Iterator[InstallationError]:
    try:
        executors = blueprint.executors(phase)
    except InstallationError as error:
        yield _error(phase, error.message)
        return
    names: set[str] = set()
    for executor in executors:
        here = f"{phase}.{executor_name(executor)}"
        if executor.name in names:
            yield _error(here, "the name is used twice")
        names.add(executor.name)
        try:
            if executor.type == blueprints.SPIFF:
                check_spiff(executor, blueprint)
            else:
                check_template(executor.text(blueprint.files))
        except InstallationError as error:
            yield _error(here, error.message)


def _subinstallations(
    blueprint: blueprints.Blueprint, component: Component | None, repository: ComponentRepository
) -> Iterator[InstallationError]:
    for index, entry in enumerate(entries(blueprint.info.get("subinstallations"))):
        here = f"subinstallations[{index}]"
        try:
            (template,) = blueprints.Blueprint(
                {"subinstallations": [entry]}, blueprint.files, [], []
            ).subinstallations()
            uri = text(mapping(template.get("blueprint")).get("ref"))
            if uri and component is None:
                raise InstallationError(
                    "invalid", "no component descriptor defined to resolve the blueprint ref"
                )
            if uri and component is not None:
                resolve_uri(repository, component, uri)
        except InstallationError as error:
            yield _error(here, error.message)
