"""Variables and their schemas, judged by the engines that the functions call."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment
from krmkit.libraries.kube.fielderror import FieldError, aggregate
from krmkit.libraries.schema.openapi import Schema
from krmkit.systems.clusterapi.api.errors import DefinitionsError
from krmkit.systems.clusterapi.api.objects import decode_cluster, decode_cluster_class
from krmkit.systems.clusterapi.variables.cluster import (
    default_and_validate,
    default_variable,
    default_variables,
)
from krmkit.systems.clusterapi.variables.definitions import Definitions, status_variables
from krmkit.systems.clusterapi.variables.definitionvalidation import validate_class_variables
from krmkit.systems.clusterapi.variables.schema import convert_schema
from krmkit.systems.clusterapi.variables.values import VariableValue, go_number, read_variables
from krmkit.systems.clusterapi.variables.valuevalidation import validate_variable, validate_variables
from tests.conformance.adapters._clusterapi import same_errors

Record = dict[str, Any]
Judge = Callable[[Record, Path], tuple[bool, str]]


def plain(value: Any) -> Any:
    """A value of a record: {"$invalidJSON": text} represents bytes that are not JSON."""
    if isinstance(value, dict):
        if set(value) == {"$invalidJSON"}:
            return str(value["$invalidJSON"]).encode()
        return {name: plain(inner) for name, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


def values_of(items: list[Any] | None) -> list[VariableValue]:
    """The values of a record, some of which give the exact text of their JSON."""
    return [
        VariableValue(variable.name, variable.value, item["$rawValue"]) if "$rawValue" in item else variable
        for item, variable in zip(items or [], read_variables(items), strict=True)
    ]


def definition_of(data: Record) -> Definitions:
    """One definition as the only one of a status, whether it comes from there or from a class."""
    if "definitions" in data:
        return Definitions([data])
    entry = {name: data[name] for name in ("required", "schema") if name in data}
    return Definitions([{"name": data["name"], "definitions": [{"from": "inline", **entry}]}])


def judge_errors(record: Record, errors: list[FieldError]) -> tuple[bool, str]:
    return same_errors(record["expect_errors"], errors)


def variable_defaulting(record: Record, _: Path) -> tuple[bool, str]:
    given = record["input"]
    path = given["fieldPath"]
    create = given.get("createVariables", given.get("createVariable"))
    if given["function"] == "default_variables":
        definitions = Definitions(given["definitions"] or [])
        found, errors = default_variables(values_of(given["values"]), definitions, path, create=create)
        result: object = [{"name": item.name, "value": item.value} for item in found]
    else:
        definitions = definition_of(given["definition"])
        (definition,) = definitions.by_name.values()
        values = values_of([given["value"]]) if given["value"] is not None else [None]
        one, errors = default_variable(values[0], definition, path, create=create)
        result = {"name": one.name, "value": one.value} if one is not None else None
    if "expect_errors" in record:
        return judge_errors(record, errors)
    return result == go_number(record["expect"]) and not errors, f"got {result}, errors {errors}"


def variable_validation(record: Record, _: Path) -> tuple[bool, str]:
    given = record["input"]
    path = given["fieldPath"]
    if given["function"] == "validate_variables":
        definitions = Definitions(given["definitions"] or [])
        errors = validate_variables(
            values_of(given["values"]),
            values_of(given["oldValues"]),
            definitions,
            path,
            require=given["validateRequired"],
        )
        return judge_errors(record, errors)
    definitions = definition_of(given["definition"])
    (definition,) = definitions.by_name.values()
    (value,) = values_of([given["value"]])
    old = values_of([given["oldValue"]])[0] if given.get("oldValue") else None
    return judge_errors(record, validate_variable(value, old, definition, path))


def variable_schema_validation(record: Record, _: Path) -> tuple[bool, str]:
    given = record["input"]
    major, minor = (int(part) for part in record.get("celCompatVersion", "1.99").split("."))
    errors = validate_class_variables(
        plain(given["variables"]) or [],
        plain(given["oldVariables"]),
        given["fieldPath"],
        KubeEnvironment((major, minor)),
    )
    return judge_errors(record, errors)


def status(record: Record, _: Path) -> tuple[bool, str]:
    given = record["input"]
    response = given["discoverVariablesResponse"]
    discovered = {"patch1": response["variables"]} if response else {}
    try:
        result = status_variables(given["clusterClass"], discovered, KubeEnvironment((1, 29)))
    except DefinitionsError as error:
        return str(error) == record.get("expect_error"), str(error)
    return result == record.get("expect"), f"got {result}"


def webhook(record: Record, _: Path) -> tuple[bool, str]:
    given = record["input"]
    definitions = Definitions(given["statusVariables"] or [])
    result, errors = default_and_validate(given["topology"], given["oldTopology"], definitions)
    if "expect_error" not in record:
        return result == record["expect"] and not errors, f"got {result}, errors {errors}"
    text = f'Cluster.cluster.x-k8s.io "cluster1" is invalid: {aggregate(errors)}'
    return bool(errors) and record["expect_error"] in (True, text), text


@cache
def class_of(folder: Path, name: str) -> tuple[Definitions, str]:
    """The definitions of a published class, put together from the class itself, and how they differ from those recorded."""
    file = folder / "render_real_classes" / f"{name}.json"
    published = json.loads(file.read_text("utf-8"))
    calls = file.with_suffix(".discover.json")
    decoded, problems = decode_cluster_class(published["clusterClass"])
    assert all(problem.unknown for problem in problems), problems
    discovered = {}
    if calls.is_file():
        for call in json.loads(calls.read_text("utf-8")):
            for patch in decoded["spec"]["patches"]:
                extension = (patch.get("external") or {}).get("discoverVariablesExtension")
                if extension == call["extension"]:
                    discovered[patch["name"]] = call["response"]["variables"]
    found = status_variables(decoded, discovered)
    same = go_number(found) == go_number(published["expect"]["statusVariables"])
    return Definitions(found), "" if same else f"status.variables of {name} differ: {found}"


def variables_real(record: Record, folder: Path) -> tuple[bool, str]:
    definitions, problem = class_of(folder, record["class"])
    if problem:
        return False, problem
    cluster, problems = decode_cluster(record["input"]["cluster"])
    assert all(problem.unknown for problem in problems), problems
    topology, errors = default_and_validate(cluster["spec"]["topology"], None, definitions)
    passed, detail = same_errors(record["expect_errors"], errors, exact=True)
    if not passed or "expect_defaulted" not in record:
        return passed, detail
    result = {**cluster, "spec": {**cluster["spec"], "topology": topology}}
    return result == record["expect_defaulted"], f"got {result}, expected {record['expect_defaulted']}"


# Attributes of a schema, and Go's names of them.
GO_NAMES = {
    "type": "Type",
    "format": "Format",
    "title": "Title",
    "description": "Description",
    "default": "Default",
    "example": "Example",
    "enum": "Enum",
    "required": "Required",
    "pattern": "Pattern",
    "nullable": "Nullable",
    "maximum": "Maximum",
    "minimum": "Minimum",
    "multiple_of": "MultipleOf",
    "unique_items": "UniqueItems",
    "exclusive_maximum": "ExclusiveMaximum",
    "exclusive_minimum": "ExclusiveMinimum",
    "max_length": "MaxLength",
    "min_length": "MinLength",
    "max_items": "MaxItems",
    "min_items": "MinItems",
    "max_properties": "MaxProperties",
    "min_properties": "MinProperties",
    "int_or_string": "XIntOrString",
    "preserve_unknown_fields": "XPreserveUnknownFields",
}


def go_schema(schema: Schema) -> dict[str, Any]:
    """A schema with Go's names, as a record shows it: rules are only there or not."""
    found: dict[str, Any] = {
        go: getattr(schema, name)
        for name, go in GO_NAMES.items()
        if getattr(schema, name) not in ("", None, [], False)
    }
    for name, schemas in (("AllOf", schema.all_of), ("AnyOf", schema.any_of), ("OneOf", schema.one_of)):
        if schemas:
            found[name] = [go_schema(inner) for inner in schemas]
    if schema.properties:
        found["Properties"] = {name: go_schema(inner) for name, inner in schema.properties.items()}
    if schema.not_ is not None:
        found["Not"] = go_schema(schema.not_)
    if schema.items is not None:
        found["Items"] = {"Schema": go_schema(schema.items)}
    if schema.additional is not None:
        found["AdditionalProperties"] = {"Allows": True, "Schema": go_schema(schema.additional)}
    if schema.rules:
        found["XValidations"] = {}
    return found


def schema_conversion(record: Record, _: Path) -> tuple[bool, str]:
    schema, errors = convert_schema(plain(record["input"]), "schema")
    if schema is None or record.get("expect_error"):
        return bool(errors) and record.get("expect_error") is True, f"errors {errors}"
    result = go_schema(schema)
    # A record shows an explicit false as the pointer that Go has for it.
    expected = {name: value for name, value in record["expect"].items() if value is not False}
    return result == expected, f"got {result}"


FILES: dict[str, Judge] = {
    "variable_defaulting.jsonl": variable_defaulting,
    "variable_validation.jsonl": variable_validation,
    "variable_schema_validation.jsonl": variable_schema_validation,
    "status_variables.jsonl": status,
    "cluster_variables_webhook.jsonl": webhook,
    "schema_conversion.jsonl": schema_conversion,
    "variables_real.jsonl": variables_real,
}
