"""Evaluate x-kubernetes-validations: CEL rules at every level of a schema.

Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/cel/{compilation,validation}.go. Costs are those
of krmkit.libraries.cel.cost; a rule that takes too many steps fails with the text of a rule whose cost
exceeds the limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.libraries.cel.expressions import Bindings, CelError
from krmkit.libraries.cel.kubernetes.environment import OUT_OF_STEPS, KubeEnvironment, KubeProgram
from krmkit.libraries.kube import fielderror
from krmkit.libraries.kube.fielderror import FieldError, child, invalid, key
from krmkit.libraries.schema.errors import SchemaError
from krmkit.libraries.schema.kubernetes.rulepath import rule_path
from krmkit.libraries.schema.kubernetes.ruletypes import RuleTypes, cel_value
from krmkit.libraries.schema.openapi import Schema, ValidationRule

LONGEST_MESSAGE = 5 * 1024
"""Bytes of the text that a messageExpression may give."""


@dataclass(slots=True)
class CompiledRule:
    """One rule with its program, or with the reason why it does not compile.

    `error` and `message_error` are the details that Kubernetes reports; `path` is the place of a failure,
    relative to the value.
    """

    rule: ValidationRule
    program: KubeProgram | None = field(init=False, default=None)
    error: str = field(init=False, default="")
    message: KubeProgram | None = field(init=False, default=None)
    message_error: str = field(init=False, default="")
    path: str = field(init=False, default="")

    def text(self) -> str:
        """Return the rule's text for errors: its message, else the rule."""
        return (self.rule.message or self.rule.rule).strip()


class RuleSet:
    """The rules of one schema, each compiled once, on first use.

    >>> from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment
    >>> from krmkit.libraries.schema.openapi import read_schema
    >>> schema = read_schema({"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]})
    >>> [str(error) for error in RuleSet(schema, KubeEnvironment()).evaluate(schema, 1, None, "spec.cpu")]
    ['spec.cpu: Invalid value: 1: failed rule: self > 1']
    """

    def __init__(self, schema: Schema, environment: KubeEnvironment | None) -> None:
        """`environment` may be None only for a schema without rules (`has_rules`)."""
        self._schema = schema
        self._environment = environment
        self._types: RuleTypes | None = None
        self._compiled: dict[int, list[CompiledRule]] = {}
        # Which nodes have rules, at their level or below.
        self._has: dict[int, bool] = {}
        _mark(schema, self._has)

    def compiled(self, schema: Schema) -> list[CompiledRule]:
        """Return the rules of one node of the schema."""
        found = self._compiled.get(id(schema))
        if found is None:
            found = self._compiled[id(schema)] = self._compile(schema)
        return found

    def evaluate(self, schema: Schema, value: object, old: object, path: str) -> list[FieldError]:
        """Return the errors of a value by all rules at and below a node; `old` is the earlier value.

        Rules with oldSelf apply only if there is an old value, which list items never have.
        """
        errors: list[FieldError] = []
        self._evaluate(schema, value, old, path, errors)
        return errors

    def _compile(self, schema: Schema) -> list[CompiledRule]:
        environment = self._environment
        compiled = [CompiledRule(rule) for rule in schema.rules]
        if not compiled or environment is None:
            return []
        if self._types is None:
            self._types = RuleTypes(self._schema)
        kind = self._types.type_of(schema)
        if kind is None:
            detail = (
                f"rule declared on schema that does not support validation rules type: '{schema.type}'"
                f" x-kubernetes-preserve-unknown-fields: '{str(schema.preserve_unknown_fields).lower()}'"
            )
            for rule in compiled:
                rule.error = detail
            return compiled
        scope = environment.scope({"self": kind, "oldSelf": kind}, self._types.pool)
        for rule in compiled:
            _compile_rule(rule, environment, scope, schema)
        return compiled

    def _evaluate(
        self, schema: Schema, value: object, old: object, path: str, errors: list[FieldError]
    ) -> bool:
        """Add the errors; return False, to stop, if a rule took too many steps."""
        if value is None or not self._has[id(schema)]:
            return True
        if schema.rules and not self._evaluate_rules(schema, value, old, path, errors):
            return False
        if isinstance(value, list) and schema.items is not None:
            for position, item in enumerate(value):
                if not self._evaluate(schema.items, item, None, fielderror.index(path, position), errors):
                    return False
        elif isinstance(value, dict):
            before = old if isinstance(old, dict) else {}
            for name, inner in value.items():
                known = schema.properties.get(name)
                place = child(path, name)
                if known is None and schema.additional is not None:
                    known, place = schema.additional, key(path, name)
                if known is not None and not self._evaluate(known, inner, before.get(name), place, errors):
                    return False
        return True

    def _evaluate_rules(
        self, schema: Schema, value: object, old: object, path: str, errors: list[FieldError]
    ) -> bool:
        environment = self._environment
        if environment is None:
            return True
        activation: Bindings | None = None
        for rule in self.compiled(schema):
            if rule.error:
                errors.append(invalid(path, value, f"rule compile error: {rule.error}"))
                continue
            if rule.program is None or (rule.program.uses_old_self and old is None):
                continue
            try:
                if activation is None:
                    values = {"self": cel_value(schema, value)}
                    if old is not None:
                        values["oldSelf"] = cel_value(schema, old)
                    activation = environment.bind(values)
                if rule.program.evaluate(activation) is True:
                    continue
            except CelError as error:
                errors.append(invalid(path, value, _failure(str(error), rule.text())))
                if str(error) == OUT_OF_STEPS:
                    return False
                continue
            errors.append(_failed(rule, activation, value, path))
        return True


def has_rules(schema: Schema) -> bool:
    """Return True if the schema has rules at any level."""
    return _mark(schema, {})


def _mark(schema: Schema, found: dict[int, bool]) -> bool:
    inner = [item for item in (schema.items, schema.additional, *schema.properties.values()) if item]
    below = [_mark(item, found) for item in inner]
    has = found[id(schema)] = bool(schema.rules) or any(below)
    return has


def _compile_rule(
    compiled: CompiledRule, environment: KubeEnvironment, scope: object, schema: Schema
) -> None:
    rule = compiled.rule
    if not rule.rule.strip():
        return
    try:
        compiled.program = environment.compile(rule.rule, scope, "BOOL")
    except CelError as error:
        compiled.error = f"cel expression {error}" if str(error).startswith("must evaluate") else str(error)
        return
    if rule.message_expression:
        try:
            compiled.message = environment.compile(rule.message_expression, scope, "STRING")
        except CelError as error:
            compiled.message_error = f"messageExpression {error}"
    if rule.field_path:
        try:
            compiled.path = rule_path(rule.field_path, schema)
        except SchemaError:
            compiled.path = ""


def _failure(text: str, rule: str) -> str:
    if text.startswith("no such overload"):
        return (
            f"'{text}': call arguments did not match a supported operator, function or macro signature"
            f" for rule: {rule}"
        )
    if text == OUT_OF_STEPS:
        return f"'{text}': no further validation rules will be run due to call cost exceeds limit for rule: {rule}"
    return f"{text} evaluating rule: {rule}"


def _failed(compiled: CompiledRule, activation: Bindings | None, value: object, path: str) -> FieldError:
    """Return the error of a rule that returned false, with its path, message and reason."""
    if compiled.path:
        path = path + compiled.path if compiled.path.startswith("[") else child(path, compiled.path)
    detail = _message(compiled, activation)
    reason = compiled.rule.reason
    if reason == fielderror.FORBIDDEN:
        return fielderror.forbidden(path, detail)
    if reason == fielderror.REQUIRED:
        return fielderror.required(path, detail)
    if reason == fielderror.DUPLICATE:
        return fielderror.duplicate(path, value)
    return invalid(path, value, detail)


def _message(compiled: CompiledRule, activation: Bindings | None) -> str:
    """Return the one-line result of messageExpression, else message, else the rule."""
    if compiled.message is not None and activation is not None:
        try:
            text = compiled.message.evaluate(activation)
        except CelError:
            text = ""
        if isinstance(text, str):
            text = text.strip()
            if text and "\n" not in text and len(text.encode("utf-8", "replace")) <= LONGEST_MESSAGE:
                return text
    return compiled.text() if compiled.rule.message else f"failed rule: {compiled.text()}"
