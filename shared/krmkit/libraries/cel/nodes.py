"""The nodes of a checked CEL expression, for what goes through one again and again: cel.expr.Expr as small Python objects.

Source: cel-spec, proto/cel/expr/syntax.proto. Macros are expanded there: `all`, `map` and the like are `LoopNode`s.
"""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.libraries.cel.tree import CheckedTree, read_bytes, read_fields, read_message, read_text

Value = str | bytes | None


@dataclass(frozen=True, slots=True)
class LiteralNode:
    """A literal; `value` is its text or its bytes, None for numbers, booleans and null."""

    value: Value


@dataclass(frozen=True, slots=True)
class NameNode:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class SelectNode:
    """`operand.field`; `test` for has(operand.field)."""

    operand: Node
    field: str
    test: bool


@dataclass(frozen=True, slots=True)
class CallNode:
    """A function or operator; the receiver is the first argument."""

    function: str
    arguments: list[Node]


@dataclass(frozen=True, slots=True)
class CollectionNode:
    """A list literal, or a map literal with its keys."""

    items: list[Node]
    keys: list[Node]


class LoopNode:
    """A comprehension: `accumulator` starts as `start` and becomes `step` for each element of `range`, while `condition` holds."""

    def __init__(self, accumulator: str, variables: list[str], parts: dict[int, Node]) -> None:
        self.accumulator = accumulator
        self.variables = variables
        self.range = parts[2]
        self.start = parts[4]
        self.condition = parts[5]
        self.step = parts[6]
        self.result = parts[7]


Node = LiteralNode | NameNode | SelectNode | CallNode | CollectionNode | LoopNode


def nodes(tree: CheckedTree) -> Node:
    """The root of an expression. The library admits 32 levels, so this may call itself."""
    return _node(tree.root)


def _node(expression: bytes) -> Node:
    for number, value in read_fields(expression):
        body = read_bytes(value)
        if number == 4:
            return NameNode(read_text(read_message(body, 1)).lstrip("."))
        if number == 5:
            parts = dict(read_fields(body))
            test = bool(parts.get(3, 0))
            return SelectNode(_node(read_bytes(parts[1])), read_text(read_bytes(parts.get(2, b""))), test)
        if number == 6:
            found = list(read_fields(body))
            # The receiver is field 1, the arguments are field 3; cel-cpp writes them in this order.
            arguments = [_node(read_bytes(item)) for key, item in found if key in (1, 3)]
            return CallNode(read_text(read_message(body, 2)), arguments)
        if number == 7:
            return CollectionNode(
                [_node(read_bytes(item)) for key, item in read_fields(body) if key == 1], []
            )
        if number == 8:
            entries = [read_bytes(item) for key, item in read_fields(body) if key == 2]
            keys = [message for entry in entries if (message := read_message(entry, 3))]
            return CollectionNode([_node(read_message(entry, 4)) for entry in entries], [*map(_node, keys)])
        if number == 9:
            parts = dict(read_fields(body))
            variables = [read_text(read_bytes(parts[key])) for key in (1, 8) if key in parts]
            inner = {key: _node(read_bytes(parts.get(key, b""))) for key in (2, 4, 5, 6, 7)}
            return LoopNode(read_text(read_bytes(parts.get(3, b""))), variables, inner)
        if number == 3:
            return _constant(body)
    return LiteralNode(None)


def _constant(body: bytes) -> LiteralNode:
    for number, value in read_fields(body):
        if number == 6:
            return LiteralNode(read_text(read_bytes(value)))
        if number == 7:
            return LiteralNode(read_bytes(value))
    return LiteralNode(None)
