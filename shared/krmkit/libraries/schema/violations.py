"""Validate a config, or a strictly decoded kind, by its schema; messages tell what would be right.

`validate(schema, data, path)` takes plain JSON data and returns it with defaults, and all violations with
their paths. Unlike in Kubernetes, an unknown field is a violation, not pruned (unless the schema has
`x-kubernetes-preserve-unknown-fields: true`), and so is a null for a field that is neither nullable nor has a
default. `format: password` keeps the value out of violations.

The texts are in `krmkit.libraries.schema.violationtexts`, loaded for the first violation.
"""

from __future__ import annotations

from krmkit.libraries.json.paths import join
from krmkit.libraries.schema.openapi import fill_defaults
from krmkit.libraries.schema.walk import SchemaWalk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.libraries.schema.openapi import Schema


class Violation:
    """A place where data breaks the schema: `path`, such as `spec.selections[0].pack`, and what is right.

    `current` is the value there if it is a scalar that may be shown, else None.
    """

    __slots__ = ("current", "message", "path")

    def __init__(self, path: str, message: str, current: object = None) -> None:
        self.path = path
        self.message = message
        self.current = current

    def __str__(self) -> str:
        return self.path + ": " + self.message if self.path else self.message

    def __repr__(self) -> str:
        return f"Violation({self.path!r}, {self.message!r}, {self.current!r})"


def validate(schema: Schema, data: object, path: str = "") -> tuple[object, list[Violation]]:
    """Return `data`, located at `path`, with defaults, and the violations in the order of the data.

    Parts without new defaults are shared with `data`, which is not changed.

    >>> from krmkit.libraries.schema.openapi import read_schema
    >>> [str(found) for found in validate(read_schema({"type": "string"}), 12, "spec.name")[1]]
    ['spec.name: must be a string, not an integer; put it in quotes']
    """
    filled = fill_defaults(schema, data)
    walk = _Violations()
    walk.check(schema, filled, path)
    return filled, walk.violations


class _Violations(SchemaWalk):
    """The walk for configs, which reports the first violation of each place."""

    __slots__ = ("places", "violations")

    closed = True

    def __init__(self) -> None:
        super().__init__()
        self.violations: list[Violation] = []
        self.places: set[str] = set()

    def check(self, schema: Schema, value: object, path: str) -> None:
        if schema.int_or_string and not (
            type(value) is int or type(value) is str or (value is None and schema.nullable)
        ):
            self.wrong_type(schema, "", value, path)
        elif value is not None or schema.type:
            super().check(schema, value, path)

    def check_number(self, schema: Schema, format_: str, value: float, path: str) -> None:
        if schema.type and value - value != 0.0:
            self.wrong_type(schema, format_, value, path)
        else:
            super().check_number(schema, format_, value, path)

    def place(self, path: str, name: str, named: bool = True) -> str:
        return join(path, name)

    def wrong_type(self, schema: Schema, format_: str, value: object, path: str) -> bool:
        self.report("type", schema, value, path)
        return True

    def report(self, rule: str, schema: Schema, value: Any, path: str, *facts: Any) -> None:
        from krmkit.libraries.schema.violationtexts import text

        if rule == "unknown" or rule == "required":
            path = join(path, value)
        if path not in self.places:
            self.places.add(path)
            message, current = text(rule, schema, value, *facts)
            self.violations.append(Violation(path, message, current))
