"""Reads a checked CEL expression (cel.expr.CheckedExpr, protocol buffers): its names, its literals, and the types of their elements.

Source: cel-spec, proto/cel/expr/{checked,syntax}.proto; the rule about mixed literals is cel-go's checker (joinTypes) with
HomogeneousAggregateLiterals.
"""

from __future__ import annotations

from collections.abc import Iterator

Field = tuple[int, "int | bytes"]

# A type as a tuple: ("int",), ("list", element), ("map", key, value), ("type", of), ("message", name) ...
Type = tuple[object, ...]
DYN: Type = ("dyn",)
# How the names of the functions begin that stand in for conversions; no message shows it.
PREFIX, REFUSED = "krmkit_", "refused_"
_PRIMITIVES = {1: "bool", 2: "int", 3: "uint", 4: "double", 5: "string", 6: "bytes"}
_WELL_KNOWN = {1: "any", 2: "google.protobuf.Timestamp", 3: "google.protobuf.Duration"}
# The types whose place null may take.
_NULLABLE = (
    "null",
    "message",
    "wrapper",
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
    "abstract",
)


class CheckedTree:
    """One expression, from the bytes that the library gives for it (a google.protobuf.Any around the CheckedExpr or ParsedExpr)."""

    def __init__(self, serialized: bytes, text: str) -> None:
        self.text = text
        self._types: dict[int, Type] = {}
        self._positions: dict[int, int] = {}
        root = b""
        self.checked = b"ParsedExpr" not in read_message(serialized, 1)
        # A ParsedExpr has no types, and its fields two numbers lower.
        ahead = 0 if self.checked else 2
        for number, value in read_fields(read_message(serialized, 2)):
            if number == 3 and self.checked:
                key, data = _map_entry(read_bytes(value))
                self._types[key] = _type(read_bytes(data))
            elif number + ahead == 4:
                root = read_bytes(value)
            elif number + ahead == 5:
                for inner, position in read_fields(read_bytes(value)):
                    if inner == 4:
                        key, offset = _map_entry(read_bytes(position))
                        self._positions[key] = offset if isinstance(offset, int) else 0
        self.root = root
        self.expressions = list(_walk(root))

    def names(self) -> set[str]:
        """Every identifier that occurs, those bound by macros included."""
        found = set()
        for expression in self.expressions:
            identifier = read_message(expression, 4)
            if identifier:
                found.add(read_text(read_message(identifier, 1)).lstrip("."))
        return found

    def loops(self) -> int:
        """The number of comprehensions: all, exists, map and the like."""
        return sum(1 for expression in self.expressions if read_message(expression, 9))

    def calls(self) -> tuple[int, set[str]]:
        """How many nodes there are, and the functions and operators that are called."""
        called = [call for expression in self.expressions if (call := read_message(expression, 6))]
        return len(self.expressions), {read_text(read_message(call, 2)) for call in called}

    def type_of(self, expression: bytes) -> Type:
        """The type that the library's checker gave an expression."""
        return self._types.get(_number(expression, 2), DYN)

    def position(self, expression: bytes) -> int:
        """The offset of an expression in the text; of a call's bracket."""
        return self._positions.get(_number(expression, 2), 0)

    def aggregates(self) -> Iterator[list[bytes]]:
        """The elements of each list literal, and the keys and the values of each map literal."""
        for expression in self.expressions:
            listed = read_message(expression, 7)
            if listed:
                yield [read_bytes(value) for number, value in read_fields(listed) if number == 1]
            struct = read_message(expression, 8)
            entries = [read_bytes(value) for number, value in read_fields(struct) if number == 2]
            if entries and not read_message(struct, 1):
                yield [read_message(entry, 3) for entry in entries]
                yield [read_message(entry, 4) for entry in entries]

    def mixed_literals(self) -> list[str]:
        """One message for each element whose type does not join those before it, with its place, as cel-go reports it."""
        found: list[str] = []
        for elements in self.aggregates():
            joined: Type | None = None
            for element in elements:
                current = self.type_of(element)
                if joined is None:
                    joined = current
                elif _assignable(joined, current):
                    joined = joined if _as_general(joined, current) else current
                else:
                    found.append(self.mismatch(element, joined, current))
        return found

    def mismatch(self, element: bytes, joined: Type, current: Type) -> str:
        """The message about an element of another type than those before it."""
        message = f"expected type '{_words(joined)}' but found '{_words(current)}'"
        return placed(self.text, self.position(element), message)


def placed(text: str, offset: int, message: str) -> str:
    """A message with its place and a caret, as cel-go prints it."""
    line = text.count("\n", 0, offset)
    start = text.rfind("\n", 0, offset) + 1
    source = text[start:].split("\n", 1)[0]
    column = offset - start
    return f"ERROR: <input>:{line + 1}:{column + 1}: {message}\n | {source}\n | {'.' * column}^"


def _walk(root: bytes) -> Iterator[bytes]:
    """Every expression of the tree, outer ones first."""
    pending = [root]
    while pending:
        expression = pending.pop()
        yield expression
        children: list[bytes] = []
        for number, value in read_fields(expression):
            body = value if isinstance(value, bytes) else b""
            if number == 5:
                children.append(read_message(body, 1))
            elif number == 6:
                children += [read_bytes(item) for inner, item in read_fields(body) if inner in (1, 3)]
            elif number == 7:
                children += [read_bytes(item) for inner, item in read_fields(body) if inner == 1]
            elif number == 8:
                for inner, entry in read_fields(body):
                    if inner == 2:
                        children += [read_message(read_bytes(entry), part) for part in (3, 4)]
            elif number == 9:
                children += [
                    read_bytes(item) for inner, item in read_fields(body) if inner in (2, 4, 5, 6, 7)
                ]
        pending += [child for child in reversed(children) if child]


def _assignable(left: Type, right: Type) -> bool:
    if "dyn" in (left[0], right[0]):
        return True
    if left[0] == "null" or right[0] == "null":
        return (right if left[0] == "null" else left)[0] in _NULLABLE
    if left[0] == right[0] == "type":
        return True
    if left[0] == "wrapper" or right[0] == "wrapper":
        return _unwrapped(left) == _unwrapped(right)
    if left[0] != right[0] or len(left) != len(right):
        return False
    return all(_part_assignable(a, b) for a, b in zip(left[1:], right[1:], strict=True))


def _part_assignable(left: object, right: object) -> bool:
    if isinstance(left, tuple) and isinstance(right, tuple):
        return _assignable(left, right)
    return left == right


def _unwrapped(kind: Type) -> object:
    return kind[1] if kind[0] == "wrapper" else kind


def _as_general(left: Type, right: Type) -> bool:
    """Whether `left` is equal to `right` or less specific."""
    if left == right or left[0] == "dyn":
        return True
    if left[0] != right[0] or len(left) != len(right):
        return False
    return all(
        _as_general(a, b) if isinstance(a, tuple) and isinstance(b, tuple) else a == b
        for a, b in zip(left[1:], right[1:], strict=True)
    )


def _words(kind: Type) -> str:
    name = str(kind[0])
    inner = ", ".join(_words(part) if isinstance(part, tuple) else str(part) for part in kind[1:])
    if name in ("message", "abstract"):
        return inner
    return f"{name}({inner})" if inner else name


def _type(data: bytes) -> Type:
    for number, value in read_fields(data):
        body = value if isinstance(value, bytes) else b""
        if number == 2:
            return ("null",)
        if number == 3 and isinstance(value, int):
            return (_PRIMITIVES.get(value, "dyn"),)
        if number == 4 and isinstance(value, int):
            return ("wrapper", (_PRIMITIVES.get(value, "dyn"),))
        if number == 5 and isinstance(value, int):
            name = _WELL_KNOWN.get(value, "any")
            return DYN if name == "any" else (name,)
        if number == 6:
            return ("list", _type(read_message(body, 1)))
        if number == 7:
            return ("map", _type(read_message(body, 1)), _type(read_message(body, 2)))
        if number == 9:
            return ("message", read_text(body))
        if number == 11:
            return ("type", _type(body))
        if number == 14:
            return ("abstract", read_text(read_message(body, 1)))
    return DYN


def _map_entry(data: bytes) -> tuple[int, int | bytes]:
    key = 0
    content: int | bytes = 0
    for number, value in read_fields(data):
        if number == 1 and isinstance(value, int):
            key = value
        elif number == 2:
            content = value
    return key, content


def read_message(data: bytes, wanted: int) -> bytes:
    """The first field of a number, as bytes; b"" where there is none."""
    for number, value in read_fields(data):
        if number == wanted:
            return read_bytes(value)
    return b""


def _number(data: bytes, wanted: int) -> int:
    for number, value in read_fields(data):
        if number == wanted and isinstance(value, int):
            return value
    return 0


def read_bytes(value: int | bytes) -> bytes:
    """The value of a field that must be bytes."""
    return value if isinstance(value, bytes) else b""


def read_text(data: bytes) -> str:
    """A text field."""
    return data.decode("utf-8", "replace")


def read_fields(data: bytes) -> Iterator[Field]:
    """(field number, value) of a message: an int for a varint or a fixed number, else the bytes."""
    position = 0
    size = len(data)
    while position < size:
        tag, position = _varint(data, position)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, position = _varint(data, position)
            yield number, value
        elif wire == 2:
            length, position = _varint(data, position)
            yield number, data[position : position + length]
            position += length
        else:
            length = 8 if wire == 1 else 4
            yield number, int.from_bytes(data[position : position + length], "little")
            position += length


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
