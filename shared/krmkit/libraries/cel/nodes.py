"""The nodes of a CEL expression, decoded from protocol buffers (cel.expr.Expr).

Source: cel-spec, proto/cel/expr/syntax.proto. Macros arrive expanded: `all`, `map` and the like are
`LoopNode`s.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Field = tuple[int, "int | bytes"]


@dataclass(frozen=True, slots=True)
class Node:
    """One expression; `number` identifies it in the tables of types and positions."""

    number: int

    def children(self) -> list[Node]:
        """Return the inner expressions, in the order of the message."""
        return []


@dataclass(frozen=True, slots=True)
class LiteralNode(Node):
    """A literal; `value` is its text or its bytes, None for numbers, booleans and null."""

    value: str | bytes | None


@dataclass(frozen=True, slots=True)
class NameNode(Node):
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class SelectNode(Node):
    """`operand.field`; `test` for has(operand.field)."""

    operand: Node
    field: str
    test: bool

    def children(self) -> list[Node]:
        return [self.operand]


@dataclass(frozen=True, slots=True)
class CallNode(Node):
    """A function or operator; the first argument is the receiver if `is_member`."""

    function: str
    arguments: list[Node]
    is_member: bool

    def children(self) -> list[Node]:
        return self.arguments


@dataclass(frozen=True, slots=True)
class CollectionNode(Node):
    """A list literal, a map literal with its keys, or the fields of a message."""

    items: list[Node]
    keys: list[Node]
    is_message: bool = False

    def children(self) -> list[Node]:
        if len(self.keys) != len(self.items):
            return [*self.keys, *self.items]
        return [part for pair in zip(self.keys, self.items, strict=True) for part in pair]


@dataclass(frozen=True, slots=True)
class LoopNode(Node):
    """A comprehension: `accumulator` is `start`, then `step` for each element while `condition` holds."""

    accumulator: str
    variables: list[str]
    range: Node
    start: Node
    condition: Node
    step: Node
    result: Node

    def children(self) -> list[Node]:
        return [self.range, self.start, self.condition, self.step, self.result]


def walk(root: Node) -> Iterator[Node]:
    """Yield a node and all below it, parents first."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(node.children())


def read_node(expression: bytes) -> Node:
    """Decode an expression. The library admits 32 levels, so recursion is safe."""
    number = 0
    for field, value in read_fields(expression):
        body = read_bytes(value)
        if field == 2 and isinstance(value, int):
            number = value
        elif field == 3:
            return LiteralNode(number, _constant(body))
        elif field == 4:
            return NameNode(number, read_text(read_message(body, 1)).lstrip("."))
        elif field == 5:
            parts = dict(read_fields(body))
            name = read_text(read_bytes(parts.get(2, b"")))
            return SelectNode(number, read_node(read_bytes(parts[1])), name, bool(parts.get(3, 0)))
        elif field == 6:
            found = list(read_fields(body))
            # The receiver is field 1, the arguments are field 3; cel-cpp writes them in this order.
            arguments = [read_node(read_bytes(item)) for key, item in found if key in (1, 3)]
            return CallNode(number, read_text(read_message(body, 2)), arguments, bool(read_message(body, 1)))
        elif field == 7:
            items = [read_node(read_bytes(item)) for key, item in read_fields(body) if key == 1]
            return CollectionNode(number, items, [])
        elif field == 8:
            entries = [read_bytes(item) for key, item in read_fields(body) if key == 2]
            keys = [read_node(message) for entry in entries if (message := read_message(entry, 3))]
            items = [read_node(read_message(entry, 4)) for entry in entries]
            return CollectionNode(number, items, keys, bool(read_message(body, 1)))
        elif field == 9:
            parts = dict(read_fields(body))
            variables = [read_text(read_bytes(parts[key])) for key in (1, 8) if key in parts]
            inner = [read_node(read_bytes(parts.get(key, b""))) for key in (2, 4, 5, 6, 7)]
            return LoopNode(number, read_text(read_bytes(parts.get(3, b""))), variables, *inner)
    return LiteralNode(number, None)


def _constant(body: bytes) -> str | bytes | None:
    for field, value in read_fields(body):
        if field == 6:
            return read_text(read_bytes(value))
        if field == 7:
            return read_bytes(value)
    return None


def read_message(data: bytes, wanted: int) -> bytes:
    """Return the first field with this number as bytes, or b""."""
    return next((read_bytes(value) for number, value in read_fields(data) if number == wanted), b"")


def read_bytes(value: int | bytes) -> bytes:
    """Return the value of a field that must be bytes."""
    return value if isinstance(value, bytes) else b""


def read_text(data: bytes) -> str:
    """Decode a text field."""
    return data.decode("utf-8", "replace")


def read_fields(data: bytes) -> Iterator[Field]:
    """Yield (field number, value) of a message: an int for a varint or fixed number, else bytes."""
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
