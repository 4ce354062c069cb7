"""Compute the values of a blueprint's imports: mapped, imported or defaulted, then checked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.json.paths import dotted, join, steps_of
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import find
from krmkit.systems.landscaper.blueprint import blueprints
from krmkit.systems.landscaper.components.schemarefs import SchemaScope, resolved
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.imports import Imports, template_target
from krmkit.systems.landscaper.jsonschema.schema import violations

_WRONG = "schema-validation-failed"
_SHAPES = {
    blueprints.TARGET: "target",
    blueprints.TARGET_LIST: "targets or targetListRef",
    blueprints.TARGET_MAP: "targetMap or targetMapRef",
}


@dataclass(slots=True)
class ImportValues:
    """The values of the blueprint's imports by name. `findings`: all violations, in order."""

    values: dict[str, object] = field(default_factory=dict)
    findings: list[InstallationError] = field(default_factory=list)


def construct(
    blueprint: blueprints.Blueprint,
    imports: Imports,
    mapped: dict[str, object],
    scope: SchemaScope,
    installation: str,
    failed: Collection[str] = (),
) -> ImportValues:
    """Return the value of every import of the blueprint; all errors are findings.

    failed: imports and mappings with an earlier error. An import of such a name gets no second finding.
    """
    found = ImportValues()
    checker = _Checker(imports, mapped, scope, found)
    for definition in blueprint.imports:
        if definition.name not in failed:
            checker.add(definition, f"{installation}.{definition.name}")
    return found


@dataclass(slots=True)
class _Checker:
    imports: Imports
    mapped: dict[str, object]
    scope: SchemaScope
    found: ImportValues

    def add(self, definition: blueprints.ImportOrExport, path: str) -> None:
        """Add one import, and the imports that are conditional on it."""
        try:
            given = self.one(definition, path)
        except InstallationError as error:
            self.found.findings.append(error)
            return
        if not given or not definition.imports:
            return
        if definition.required:
            self.found.findings.append(
                InstallationError(
                    "invalid", f"{path}: only an import with required: false may have conditional imports"
                )
            )
            return
        for inner in definition.imports:
            self.add(inner, f"{path}.{inner.name}")

    def one(self, definition: blueprints.ImportOrExport, path: str) -> bool:
        name = definition.name
        if definition.type == blueprints.DATA:
            return self.data(definition, path)
        element = f"{path}: type of the element at position {{}} of the imported {definition.type.lower()} is"
        if definition.type == blueprints.TARGET and name in self.imports.targets:
            target = self.imports.targets[name]
            _check_type(definition, target, f"{path}: imported target type is")
            self.found.values[name] = template_target(target)
        elif definition.type == blueprints.TARGET_LIST and name in self.imports.target_lists:
            listed = self.imports.target_lists[name]
            for index, target in enumerate(listed):
                _check_type(definition, target, element.format(index))
            self.found.values[name] = [template_target(one) for one in listed]
        elif definition.type == blueprints.TARGET_MAP and name in self.imports.target_maps:
            mapped = self.imports.target_maps[name]
            for key, target in sorted(mapped.items()):
                _check_type(definition, target, element.format(key))
            self.found.values[name] = {key: template_target(one) for key, one in mapped.items()}
        elif definition.type in _SHAPES:
            return self.absent(definition)
        else:
            message = f'unknown import type "{definition.type}"' + did_you_mean(
                definition.type, (blueprints.DATA, *_SHAPES)
            )
            raise InstallationError("invalid", f"{path}: {message}")
        return True

    def data(self, definition: blueprints.ImportOrExport, path: str) -> bool:
        name = definition.name
        if name in self.mapped:
            value = self.mapped[name]
        elif name in self.imports.data:
            value = self.imports.data[name]
        elif not definition.required and definition.default is not None:
            value = definition.default.get("value")
        else:
            return self.absent(definition)
        if definition.schema is None:
            raise InstallationError(_WRONG, f"{path}: no schema defined")
        for line in schema_violations(definition.schema, value, self.scope, f"{path}: "):
            message = f"{path}: imported datatype does not have the expected schema: {line}"
            self.found.findings.append(self.misfit(name, message, value, line.partition(": ")[0]))
        self.found.values[name] = value
        return True

    def misfit(self, name: str, message: str, value: object, place: str) -> InstallationError:
        """Return the error of a schema violation, with the mapping or object and path that gave the value."""
        if name in self.mapped:
            return InstallationError(_WRONG, message, join("spec.importDataMappings", name))
        error = InstallationError(_WRONG, message, self.imports.fields.get(name, ""))
        if name in self.imports.sources:
            kind, namespace, owner, at = self.imports.sources[name]
            steps = _steps(value, place.split(".")) if kind == "DataObject" else []
            error.source = kind, namespace, owner, dotted([*steps_of(at), *steps])
        return error

    def absent(self, definition: blueprints.ImportOrExport) -> bool:
        """Return False for an optional import. Raises import-not-found with a similar name."""
        if not definition.required:
            return False
        name = definition.name
        hint = ""
        if definition.type != blueprints.DATA and name in self.imports.data:
            hint = f'; "{name}" is imported as data, and must be one of the targets with {_SHAPES.get(definition.type)}'
        elif definition.type == blueprints.DATA:
            hint = did_you_mean(name, [*self.imports.data, *self.mapped])
            hint = "" if hint.startswith("; known") else hint
        raise InstallationError(
            "import-not-found",
            f'blueprint defines import "{name}" of type {definition.type}, which is not satisfied' + hint,
            "spec.imports",
        )


def schema_violations(schema: object, value: object, scope: SchemaScope, prefix: str = "") -> list[str]:
    """Return a value's violations of a schema without references. Raises InstallationError."""
    try:
        return violations(resolved(schema, scope), value)
    except GoInputError as error:
        message = f"{prefix}validator creation failed: error compiling jsonschema: {error}"
    except InstallationError as error:
        if error.rule != _WRONG:
            raise
        message = f"{prefix}validator creation failed: error compiling jsonschema: {error.message}"
    raise InstallationError(_WRONG, message)


def _steps(value: object, parts: list[str]) -> list[str | int]:
    """Return the keys and positions of a place in a value, as far as they exist."""
    steps: list[str | int] = []
    for part in parts:
        if isinstance(value, dict) and part in value:
            value = value[part]
            steps.append(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
            steps.append(int(part))
        else:
            break
    return steps


def _check_type(definition: blueprints.ImportOrExport, target: dict[str, object], what: str) -> None:
    """Raise an error that begins with `what` if the target's type is not the import's."""
    kind = find(target, ("spec", "type"))
    if kind != definition.target_type:
        message = f"{what} {kind or ''} but expected {definition.target_type}"
        raise InstallationError(_WRONG, message, word=definition.target_type)
