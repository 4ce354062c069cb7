"""Check the definitions of variables, from a ClusterClass or discovered by a patch.

Source: cluster-api, internal/topology/variables/clusterclass_variable_validation.go, which repeats the
checks of k8s.io/apiextensions-apiserver for a CustomResourceDefinition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment
from krmkit.libraries.kube.fielderror import (
    FieldError,
    child,
    forbidden,
    index,
    invalid,
    key,
    not_supported,
    required,
)
from krmkit.libraries.kube.names import validate_annotations, validate_labels
from krmkit.libraries.schema.errors import SchemaError
from krmkit.libraries.schema.fields import mapping
from krmkit.libraries.schema.kubernetes.defaults import check_defaults
from krmkit.libraries.schema.kubernetes.rulepath import rule_path
from krmkit.libraries.schema.kubernetes.rules import RuleSet, has_rules
from krmkit.libraries.schema.kubernetes.structural import check_structural
from krmkit.libraries.schema.kubernetes.values import validate_value
from krmkit.libraries.schema.openapi import MAX_DEPTH, Schema, ValidationRule, wrapped
from krmkit.systems.clusterapi.variables.schema import convert_schema

BUILTIN = "builtin"
TYPES = ("array", "boolean", "integer", "number", "object", "string")
REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
LONGEST_MESSAGE = 2048


def validate_class_variables(
    variables: Sequence[Mapping[str, Any]],
    old_variables: Sequence[Mapping[str, Any]] | None,
    path: str,
    environment: KubeEnvironment | None = None,
) -> list[FieldError]:
    """Return every error of the definitions at `path`.

    environment: compiles the rules, by default with the newest libraries. A rule that the old definition of
    the same name has already is always compiled with the newest.
    """
    errors: list[FieldError] = []
    seen: set[str] = set()
    for variable in variables:
        name = str(variable.get("name", ""))
        if name in seen:
            detail = f'variable name must be unique. Variable with name "{name}" is defined more than once'
            errors.append(invalid(child(key(path, name), "name"), name, detail))
        seen.add(name)
    old = {str(variable.get("name", "")): variable for variable in old_variables or ()}
    environments = _Environments(environment)
    for variable in variables:
        name = str(variable.get("name", ""))
        place = key(path, name)
        errors += _name_errors(name, child(place, "name"))
        metadata = mapping(variable, "deprecatedV1Beta1Metadata")
        errors += _metadata_errors(metadata, child(place, "deprecatedV1Beta1Metadata"))
        place = child(place, "schema", "openAPIV3Schema")
        schema = openapi_of(variable)
        errors += _schema_metadata_errors(schema, place)
        known = _expressions(openapi_of(old[name])) if name in old else frozenset()
        errors += _root_errors(name, schema, place, environments, known)
    return errors


class _Environments:
    """The environment for new rules, and the newest environment, which is made on first use."""

    def __init__(self, new: KubeEnvironment | None) -> None:
        self._new = new
        self._newest: KubeEnvironment | None = None

    def choose(self, schema: Schema, known: frozenset[str]) -> KubeEnvironment | None:
        """Return the newest environment if all rules of a schema are known or no environment is given."""
        if not has_rules(schema):
            return None
        if self._new is not None and not _all_expressions(schema) <= known:
            return self._new
        if self._newest is None:
            from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment

            self._newest = KubeEnvironment()
        return self._newest


def openapi_of(definition: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(definition, "schema", "openAPIV3Schema")


def _name_errors(name: str, path: str) -> Iterator[FieldError]:
    if not name:
        yield required(path, "variable name must be defined")
    if name == BUILTIN:
        yield invalid(path, name, f'"{BUILTIN}" is a reserved variable name')
    if "." in name:
        yield invalid(path, name, 'variable name cannot contain "."')


def _metadata_errors(metadata: Mapping[str, Any], path: str) -> list[FieldError]:
    labels = mapping(metadata, "labels")
    annotations = mapping(metadata, "annotations")
    errors = validate_labels(labels, child(path, "labels"))
    return errors + validate_annotations(annotations, child(path, "annotations"))


def _schema_metadata_errors(schema: object, path: str, depth: int = 0) -> Iterator[FieldError]:
    """Check x-metadata at every level; it does not constrain values."""
    # read_schema reports the depth.
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return
    metadata = schema.get("x-metadata")
    if isinstance(metadata, dict):
        yield from _metadata_errors(metadata, child(path, "x-metadata"))
    for name in ("additionalProperties", "items"):
        yield from _schema_metadata_errors(schema.get(name), child(path, name), depth + 1)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        below = child(path, "properties")
        for name, inner in properties.items():
            yield from _schema_metadata_errors(inner, key(below, name), depth + 1)


def _expressions(schema: Mapping[str, Any]) -> frozenset[str]:
    converted, _ = convert_schema(schema, "")
    return _all_expressions(converted) if converted is not None else frozenset()


def _all_expressions(schema: Schema) -> frozenset[str]:
    """Return rules and message expressions of a schema and all schemas below it."""
    found: set[str] = set()
    pending = [schema]
    while pending:
        node = pending.pop()
        for rule in node.rules:
            found.update(text for text in (rule.rule, rule.message_expression) if text)
        pending += [inner for inner in (node.items, node.additional, *node.properties.values()) if inner]
    return frozenset(found)


def _root_errors(
    name: str, data: Mapping[str, Any], path: str, environments: _Environments, known: frozenset[str]
) -> list[FieldError]:
    """Run the reference's steps; each runs only if the one before found no error."""
    schema, errors = convert_schema(data, path)
    if schema is None:
        for error in errors:
            error.detail = (
                f'failed to convert schema definition for variable "{name}"; ClusterClass should be checked:'
                f" {error.detail}"
            )
        return errors
    errors = check_structural(wrapped("variableSchema", schema), path)
    if errors:
        for error in errors:
            # Users do not see the object that we wrap around the schema.
            error.field = error.field.replace(".properties[variableSchema]", "", 1)
        return errors
    rules = RuleSet(schema, environments.choose(schema, known))
    errors = check_defaults(schema, path, rules)
    if errors:
        return errors
    checker = _Checker(rules)
    checker.check(schema, path, "")
    return checker.schema_errors + checker.rule_errors


class _Checker:
    """Walk a structural schema. Errors of schemas and of rules are listed apart, as in the reference."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self.schema_errors: list[FieldError] = []
        self.rule_errors: list[FieldError] = []

    def check(self, schema: Schema, path: str, uncorrelatable: str) -> bool:
        """Return whether a schema is sound. uncorrelatable: the list whose elements have no old values."""
        if not schema.type and not schema.int_or_string:
            self.schema_errors.append(required(child(path, "type"), "type cannot be empty"))
            return False
        if schema.type and schema.type not in TYPES:
            self.schema_errors.append(not_supported(child(path, "type"), schema.type, TYPES))
            return False
        before = len(self.schema_errors)
        rules_before = len(self.rule_errors)
        for value, place in _samples(schema, path):
            self.schema_errors += validate_value(schema, value, place)
        if schema.additional is not None:
            if schema.properties:
                detail = "additionalProperties and properties are mutually exclusive"
                self.schema_errors.append(forbidden(path, detail))
            self.check(schema.additional, child(path, "additionalProperties"), uncorrelatable)
        for name, inner in schema.properties.items():
            self.check(inner, key(child(path, "properties"), name), uncorrelatable)
        if schema.items is not None:
            place = child(path, "items")
            self.check(schema.items, place, uncorrelatable or place)
        for position, rule in enumerate(schema.rules):
            place = index(child(path, "x-kubernetes-validations"), position)
            self.schema_errors += _rule_errors(rule, schema, place)
        valid = len(self.schema_errors) == before
        if schema.rules and valid:
            self._compile(schema, path, uncorrelatable)
            if len(self.rule_errors) == rules_before:
                for value, place in _samples(schema, path):
                    self.rule_errors += self._rules.evaluate(schema, value, None, place)
        return valid and len(self.rule_errors) == rules_before

    def _compile(self, schema: Schema, path: str, uncorrelatable: str) -> None:
        for position, compiled in enumerate(self._rules.compiled(schema)):
            place = index(child(path, "x-kubernetes-validations"), position)
            rule = compiled.rule
            if compiled.error:
                self.rule_errors.append(invalid(child(place, "rule"), rule.shown(), compiled.error))
            if compiled.message_error:
                error = invalid(child(place, "messageExpression"), rule.shown(), compiled.message_error)
                self.rule_errors.append(error)
            program = compiled.program
            if program is not None and program.uses_old_self and uncorrelatable:
                detail = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelatable}"
                self.rule_errors.append(invalid(child(place, "rule"), rule.rule, detail))


def _samples(schema: Schema, path: str) -> Iterator[tuple[object, str]]:
    """Yield the values in a schema: its example and its enum."""
    if schema.has_example and schema.example is not None:
        yield (schema.example, child(path, "example"))
    yield from [(value, index(child(path, "enum"), at)) for at, value in enumerate(schema.enum)]


def _rule_errors(rule: ValidationRule, schema: Schema, path: str) -> Iterator[FieldError]:
    """Yield a rule's errors that need no compilation."""
    message = rule.message.strip()
    place = child(path, "message")
    if not rule.rule.strip():
        yield required(child(path, "rule"), "rule is not specified")
    elif rule.message and not message:
        yield invalid(place, rule.message, "message must be non-empty if specified")
    elif len(rule.message.encode("utf-8", "replace")) > LONGEST_MESSAGE:
        detail = "message must have a maximum length of 2048 characters"
        yield invalid(place, rule.message[:10] + "...", detail)
    elif _breaks(message):
        yield invalid(place, rule.message, "message must not contain line breaks")
    elif _breaks(rule.rule.strip()) and not message:
        yield required(place, "message must be specified if rule contains line breaks")
    if rule.message_expression and not rule.message_expression.strip():
        detail = "messageExpression must be non-empty if specified"
        yield required(child(path, "messageExpression"), detail)
    if rule.reason is not None and rule.reason not in REASONS:
        yield not_supported(child(path, "reason"), rule.reason, REASONS)
    place = child(path, "fieldPath")
    if rule.field_path and not rule.field_path.strip():
        yield invalid(place, rule.field_path, "fieldPath must be non-empty if specified")
    if _breaks(rule.field_path):
        yield invalid(place, rule.field_path, "fieldPath must not contain line breaks")
    if rule.field_path:
        try:
            rule_path(rule.field_path, schema)
        except SchemaError as error:
            yield invalid(place, rule.field_path, f"fieldPath must be a valid path: {error}")


def _breaks(text: str) -> bool:
    return "\n" in text or "\r" in text
