"""The one walk over a schema and a value, in kube-openapi's order. Subclasses word the findings.

- `schema.kubernetes.values`: kube-openapi's texts, as FieldError. Adds formats, multipleOf, uniqueItems,
  sizes of maps, and allOf, anyOf, oneOf, not.
- `schema.violations`: texts for function configs, as Violation. Adds int-or-string and unknown fields, and
  reports one finding at each place.

Source: k8s.io/kube-openapi, pkg/validation/validate.
"""

from __future__ import annotations

from krmkit.libraries.yaml.data import same_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.libraries.schema.openapi import Schema


class SchemaWalk:
    """Check a value node by node, and call `report` or `wrong_type` for each finding.

    `matches` counts the checks made: of several failing alternatives, the one with the most is reported. With
    `closed`, a field that is not in a schema's `properties` is an error.
    """

    __slots__ = ("matches",)

    closed = False

    def __init__(self) -> None:
        self.matches = 0

    def check(self, schema: Schema, value: object, path: str) -> None:
        """Check one node, named `path` (`spec.cpu`), and everything below it."""
        if value is None:
            if schema.type and not schema.nullable:
                self.wrong_type(schema, "", None, path)
            else:
                self.matches += 1
            self._check_enum(schema, None, path)
            return
        kind, wanted = kind_of(value), schema.type
        format_ = self.format(schema.format) if schema.format else ""
        if wanted or format_:
            if (
                wanted == kind
                or (kind == "integer" and wanted == "number")
                or (
                    kind == "number"
                    and wanted == "integer"
                    and isinstance(value, float)
                    and value.is_integer()
                )
                or not self.wrong_type(schema, format_, value, path)
            ):
                self.matches += 1
            self.matches += 1
        if schema.any_of or schema.one_of or schema.all_of or schema.not_ is not None:
            self.check_junctors(schema, value, path)
        self.matches += 2
        if isinstance(value, str):
            self.check_text(schema, format_, value, path)
            self.matches += 1
        elif isinstance(value, list):
            self.check_list(schema, value, path)
            self.matches += 2
        elif isinstance(value, (int, float)) and kind != "boolean":
            self.check_number(schema, format_, value, path)
            self.matches += 2
        self._check_enum(schema, value, path)
        self.matches += 1
        if isinstance(value, dict):
            self.check_object(schema, value, path)
            self.matches += 1
        self.matches += 1

    def check_text(self, schema: Schema, format_: str, value: str, path: str) -> None:
        """Report the first broken rule of maxLength, minLength and pattern."""
        if schema.max_length is not None and len(value) > schema.max_length:
            self.report("size", schema, value, path, schema.max_length, -1)
        elif schema.min_length is not None and len(value) < schema.min_length:
            self.report("size", schema, value, path, schema.min_length, 1)
        elif schema.pattern:
            from krmkit.libraries.go.regexp import pattern

            try:
                problem = "" if pattern.compile(schema.pattern).search(value) is not None else schema.pattern
            except pattern.PatternError as error:
                problem = f"{schema.pattern}, but pattern is invalid: {error}"
            if problem:
                self.report("pattern", schema, value, path, problem)

    def check_number(self, schema: Schema, format_: str, value: float, path: str) -> None:
        """Check the bounds; `side` is 1 for the lower one and -1 for the upper one."""
        for limit, exclusive, side in (
            (schema.minimum, schema.exclusive_minimum, 1),
            (schema.maximum, schema.exclusive_maximum, -1),
        ):
            if limit is not None:
                bound = self.bound(schema, format_, limit, side, value, path)
                distance = (value - bound) * side
                if distance < 0 or (exclusive and distance == 0):
                    self.report("bound", schema, value, path, bound, exclusive, side)

    def check_list(self, schema: Schema, value: list[object], path: str) -> None:
        """Check the number of items and each item."""
        if schema.items is not None:
            for position, item in enumerate(value):
                self.check(schema.items, item, f"{path}[{position}]")
        if schema.min_items is not None and len(value) < schema.min_items:
            self.report("size", schema, value, path, schema.min_items, 1)
        if schema.max_items is not None and len(value) > schema.max_items:
            self.report("size", schema, value, path, schema.max_items, -1)

    def check_object(self, schema: Schema, value: dict[str, object], path: str) -> None:
        """Check the fields in the order of the data, then report missing ones."""
        properties = schema.properties
        closed = not schema.additional_allowed or (
            self.closed
            and bool(properties)
            and not schema.has_additional
            and not schema.preserve_unknown_fields
        )
        for name, inner in value.items():
            known = properties.get(name)
            if known is not None:
                self.check(known, inner, self.place(path, name))
            elif schema.additional is not None:
                self.check(schema.additional, inner, self.place(path, name, named=False))
            elif closed:
                self.report("unknown", schema, name, path)
        for name in schema.required:
            if name not in value:
                self.report("required", schema, name, path)

    def _check_enum(self, schema: Schema, value: object, path: str) -> None:
        enum = schema.enum
        # Only a text can be compared with all at once: among numbers, Python takes True for 1.
        if enum and not (
            value in enum if isinstance(value, str) else any(self.same(value, item) for item in enum)
        ):
            self.report("enum", schema, value, path)

    def same(self, value: object, allowed: object) -> bool:
        """Return True if a value other than text equals an enum's: 1 equals neither 1.0 nor true."""
        return same_data(value, allowed)

    def format(self, name: str) -> str:
        """Return the format to check, "" for none."""
        return ""

    def bound(self, schema: Schema, format_: str, limit: float, side: int, value: float, path: str) -> float:
        """Return the limit converted to the type in which the value is compared."""
        return int(limit) if limit.is_integer() else limit

    def check_junctors(self, schema: Schema, value: object, path: str) -> None:
        """Check anyOf, oneOf, allOf and not."""

    def place(self, path: str, name: str, named: bool = True) -> str:
        """Return the name of a field of `path`; `named`: it is among the schema's properties."""
        return f"{path}.{name}"

    def wrong_type(self, schema: Schema, format_: str, value: object, path: str) -> bool:
        """Report a value of another type, or null; return False if it is acceptable after all."""
        return True

    def report(self, rule: str, schema: Schema, value: Any, path: str, *facts: Any) -> None:
        """Report a finding. The rule decides what `value` and `facts` are:

        size      a text or a list; the limit, and 1 where it is too short for it, -1 where it is too long
        pattern   a text; the pattern, and what is wrong with the pattern itself
        bound     a number; the bound, whether it is exclusive, and 1 for the lower, -1 for the upper one
        enum      any value
        unknown   the name of a field that may not be in the map at `path`
        required  the name of a field that is missing there
        """


def kind_of(value: object) -> str:
    """Return the type that the value has in a schema: kind_of(1.5) is "number", kind_of(None) is "null"."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "object" if value is not None else "null"
