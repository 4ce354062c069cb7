"""Decode API objects as Go does: data into the fields of a type, with a list of problems.

A type tree (krmkit.systems.clusterapi.api.gotypes) lists the fields. `decode` drops null and unknown fields,
empty texts and empty structs: Go's omitempty and omitzero fields cannot tell these from absent ones.

>>> fields = {"version": STRING, "replicas": INT32, "controlPlane": Struct("CP", {"name": STRING})}
>>> problems = []
>>> given = {"version": "v1.33.1", "replicas": 3, "controlPlane": {}, "classs": None}
>>> Struct("Topology", fields).decode(given, "spec", problems)
{'version': 'v1.33.1', 'replicas': 3}

Empty lists stay: in memory they differ from absent ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import with_sorted_keys

WRONG_TYPE = "wrong-type"
UNKNOWN_FIELD = "unknown-field"
UNKNOWN_VALUE = "unknown-value"
TEMPLATE_VARIABLE = "template-variable"
_INT32 = 1 << 31
_INT64 = 1 << 63


@dataclass(slots=True)
class DecodeProblem:
    """A part of an object that does not fit its type. `field` is its path, `rule` one of the above.

    The API server drops an unknown field, and the CRD refuses an unknown value; webhooks see neither. An
    object with a value of a wrong type, or with variables of a template, cannot be used.
    """

    field: str
    message: str
    rule: str = WRONG_TYPE

    @property
    def unknown(self) -> bool:
        """Return whether the object is usable in spite of the problem."""
        return self.rule in (UNKNOWN_FIELD, UNKNOWN_VALUE)


def go_kind(value: object) -> str:
    """Return encoding/json's name of a value in errors: `string`, `number 1.5`, `bool`, `array`, `object`."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (int, float)):
        return "number"
    return "array" if isinstance(value, list) else "object"


def mismatch(value: object, owner: str, path: str, go_type: str, with_value: bool = False) -> str:
    """Return Go's error about a JSON value of a wrong type; it omits list positions and map keys."""
    kind = go_kind(value)
    if with_value and kind == "number":
        kind = f"number {value!r}"
    if not path:
        return f"json: cannot unmarshal {kind} into Go value of type {go_type}"
    names = "".join(part.rpartition("]")[2] for part in path.split("["))
    return f"json: cannot unmarshal {kind} into Go struct field {owner}.{names} of type {go_type}"


class Type:
    """A Go type with its name, `go`. The base class accepts any value, as apiextensionsv1.JSON does."""

    def __init__(self, go: str = "v1.JSON") -> None:
        self.go = go

    def decode(self, value: object, path: str, problems: list[DecodeProblem], owner: str = "") -> Any:
        """Return the decoded value, None if it is absent or wrong. Add its problems to `problems`."""
        return value

    def _wrong(self, value: object, path: str, problems: list[DecodeProblem], owner: str) -> None:
        problems.append(DecodeProblem(path, mismatch(value, owner, path, self.go)))


class Text(Type):
    """A string. Go can tell an empty one from an absent one only with a pointer (`pointer`).

    `values`: the values that the CRD allows; any other value is reported and kept.
    """

    def __init__(self, go: str = "string", pointer: bool = False, values: tuple[str, ...] = ()) -> None:
        super().__init__(go)
        self.pointer = pointer
        self.values = values

    def decode(self, value: object, path: str, problems: list[DecodeProblem], owner: str = "") -> Any:
        if isinstance(value, str):
            if self.values and value and value not in self.values:
                allowed = ", ".join(self.values)
                message = f"must be one of {allowed}, got {quote(value)}; the CRD refuses it, the webhook does not look"
                problems.append(DecodeProblem(path, message, UNKNOWN_VALUE))
            return value if value or self.pointer else None
        return self._wrong(value, path, problems, owner)


class Number(Type):
    """A whole number of 32 or 64 bits. `zero`: the type tells 0 from absent."""

    def __init__(self, bits: int, zero: bool = True) -> None:
        super().__init__(f"int{bits}")
        self.limit = _INT32 if bits == 32 else _INT64
        self.zero = zero

    def decode(self, value: object, path: str, problems: list[DecodeProblem], owner: str = "") -> Any:
        if isinstance(value, int) and not isinstance(value, bool) and -self.limit <= value < self.limit:
            return value if value or self.zero else None
        problems.append(DecodeProblem(path, mismatch(value, owner, path, self.go, with_value=True)))
        return None


class Bool(Type):
    """A boolean. `false`: the type tells false from absent."""

    def __init__(self, false: bool = True) -> None:
        super().__init__("bool")
        self.false = false

    def decode(self, value: object, path: str, problems: list[DecodeProblem], owner: str = "") -> Any:
        if isinstance(value, bool):
            return value if value or self.false else None
        return self._wrong(value, path, problems, owner)


class IntOrString(Type):
    """intstr.IntOrString: a number of 32 bits or a text."""

    def __init__(self) -> None:
        super().__init__("intstr.IntOrString")

    def decode(self, value: object, path: str, problems: list[DecodeProblem], owner: str = "") -> Any:
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and -_INT32 <= value < _INT32:
            return value
        kind = f"number {value!r}" if isinstance(value, (int, float)) and not isinstance(value, bool) else ""
        problems.append(
            DecodeProblem(
                path, f"json: cannot unmarshal {kind or go_kind(value)} into Go value of type int32"
            )
        )
        return None


class ParsedText(Type):
    """A text with a format. `check` raises ValueError with Go's message; the text itself is kept."""

    def __init__(self, go: str, check: Callable[[str], object]) -> None:
        super().__init__(go)
        self.check = check

    def decode(self, value: object, path: str, problems: list[DecodeProblem], owner: str = "") -> Any:
        if not isinstance(value, str):
            problems.append(
                DecodeProblem(path, f"json: cannot unmarshal {go_kind(value)} into Go value of type string")
            )
            return None
        try:
            self.check(value)
        except ValueError as error:
            problems.append(DecodeProblem(path, str(error)))
            return None
        return value


class List(Type):
    """A list; null members become the type's empty value."""

    def __init__(self, of: Type) -> None:
        super().__init__("[]" + of.go)
        self.of = of
        self.empty = isinstance(of, (Struct, Text))

    def decode(self, value: object, path: str, problems: list[DecodeProblem], owner: str = "") -> Any:
        if not isinstance(value, list):
            return self._wrong(value, path, problems, owner)
        of = self.of
        found = []
        for position, member in enumerate(value):
            decoded = None if member is None else of.decode(member, f"{path}[{position}]", problems, owner)
            if decoded is None and self.empty:
                decoded = {} if isinstance(of, Struct) else ""
            found.append(decoded)
        return found


class Map(Type):
    """A mapping of names to values of one type."""

    def __init__(self, of: Type) -> None:
        super().__init__("map[string]" + of.go)
        self.of = of

    def decode(self, value: object, path: str, problems: list[DecodeProblem], owner: str = "") -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, path, problems, owner)
        of = self.of
        found = {}
        for name, member in value.items():
            decoded = None if member is None else of.decode(member, f"{path}[{name}]", problems, owner)
            if decoded is None:
                decoded = {} if isinstance(of, Struct) else ""
            found[str(name)] = decoded
        return found or None


class Struct(Type):
    """A struct with `name` and fields in Go's order. An empty one is absent, unless it is a `pointer`.

    `moved` maps fields of other versions or places to their names here. `open` keeps unknown fields.
    """

    def __init__(
        self,
        name: str,
        fields: Mapping[str, Type],
        pointer: bool = False,
        open: bool = False,
        moved: Mapping[str, str] | None = None,
        package: str = "v1beta2",
    ) -> None:
        super().__init__(f"{package}.{name}")
        self.name = name
        self.fields = dict(fields)
        self.pointer = pointer
        self.open = open
        self.moved = dict(moved or {})

    def decode(self, value: object, path: str, problems: list[DecodeProblem], owner: str = "") -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, path, problems, owner)
        fields = self.fields
        found: dict[str, Any] = {}
        for name, member in value.items():
            of = fields.get(name)
            if of is None:
                if self.open:
                    if member is not None:
                        found[str(name)] = member
                else:
                    problems.append(self._unknown(path, str(name)))
            elif member is not None:
                decoded = of.decode(member, f"{path}.{name}" if path else name, problems, self.name)
                if decoded is not None:
                    found[name] = decoded
        return found if found or self.pointer else None

    def _unknown(self, path: str, name: str) -> DecodeProblem:
        """Report a field that the type lacks, with its right place if that is known."""
        from krmkit.libraries.messages.nearest import proposal

        place = f"{path}.{name}" if path else name
        better = self.moved.get(name) or self._below(name)
        near = f'; did you mean "{better}"?' if better else proposal(name, self.fields)
        message = f'unknown field "{name}", which the API server drops'
        return DecodeProblem(
            place, message + (near or f"; {self.name} has {', '.join(self.fields)}"), UNKNOWN_FIELD
        )

    def _below(self, name: str) -> str | None:
        """Return the path of the field one level down, such as metadata.labels for labels."""
        for outer, of in self.fields.items():
            if isinstance(of, Struct) and name in of.fields:
                return f"{outer}.{name}"
        return None


STRING = Text()
INT32 = Number(32)
RAW = Type()
INT_OR_STRING = IntOrString()


def go_order(value: Any, of: Type) -> Any:
    """Put fields in Go's order, sort the keys of raw JSON, and leave out empty lists."""
    if isinstance(of, Struct) and isinstance(value, dict):
        ordered = {
            name: go_order(value[name], member)
            for name, member in of.fields.items()
            if name in value and not (isinstance(member, List) and not value[name])
        }
        ordered.update({name: value[name] for name in value if name not in of.fields})
        return ordered
    if isinstance(of, List) and isinstance(value, list):
        return [go_order(member, of.of) for member in value]
    if isinstance(of, Map) and isinstance(value, dict):
        return {name: go_order(value[name], of.of) for name in sorted(value)}
    return with_sorted_keys(value)
