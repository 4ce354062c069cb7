"""A checked CEL expression (cel.expr.CheckedExpr): its nodes, their types, and literals of mixed types.

Source: cel-spec, proto/cel/expr/{checked,syntax}.proto; the rule about mixed literals is cel-go's checker
(joinTypes) with HomogeneousAggregateLiterals.
"""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.libraries.cel import nodes
from krmkit.libraries.cel.nodes import Node, read_bytes, read_fields, read_message, read_text

# A type as a tuple: ("int",), ("list", element), ("map", key, value), ("type", of), ("message", name) ...
Type = tuple[object, ...]
DYN: Type = ("dyn",)
# Prefixes of the functions that stand in for conversions; no message shows them.
PREFIX, REFUSED = "krmkit_", "refused_"
_PRIMITIVES = {1: "bool", 2: "int", 3: "uint", 4: "double", 5: "string", 6: "bytes"}
_WELL_KNOWN = {1: "any", 2: "google.protobuf.Timestamp", 3: "google.protobuf.Duration"}
# The types whose place null may take.
_NULLABLE = ("null", "message", "wrapper", "abstract", _WELL_KNOWN[2], _WELL_KNOWN[3])


class CheckedTree:
    """One expression, decoded from a google.protobuf.Any with a CheckedExpr or a ParsedExpr.

    `expressions` are its nodes, parents first; `checked` is False for a ParsedExpr, which has no types.
    """

    def __init__(self, serialized: bytes, text: str) -> None:
        self.text = text
        self._types: dict[int, Type] = {}
        self._positions: dict[int, int] = {}
        root = b""
        self.checked = b"ParsedExpr" not in read_message(serialized, 1)
        # The fields of a ParsedExpr are two numbers lower.
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
        self.root = nodes.read_node(root)
        self.expressions = list(nodes.walk(self.root))

    def names(self) -> set[str]:
        """Return every identifier, including those that macros bind."""
        return {node.name for node in self.expressions if isinstance(node, nodes.NameNode)}

    def has_loops(self) -> bool:
        """Return True if there is a comprehension: all, exists, map and the like."""
        return any(isinstance(node, nodes.LoopNode) for node in self.expressions)

    def calls(self) -> list[nodes.CallNode]:
        """Return the calls of functions and operators."""
        return [node for node in self.expressions if isinstance(node, nodes.CallNode)]

    def type_of(self, node: Node) -> Type:
        """Return the type that the library's checker gave an expression."""
        return self._types.get(node.number, DYN)

    def position(self, node: Node) -> int:
        """Return the offset of an expression in the text; a call's is that of its bracket."""
        return self._positions.get(node.number, 0)

    def aggregates(self) -> Iterator[list[Node]]:
        """Yield the elements of each list literal, and keys and values of each map literal."""
        for node in self.expressions:
            if isinstance(node, nodes.CollectionNode) and not node.is_message:
                if node.keys:
                    yield node.keys
                yield node.items

    def mixed_literals(self) -> list[str]:
        """Return a message on each element whose type does not join the earlier ones', as cel-go."""
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

    def mismatch(self, element: Node, joined: Type, current: Type) -> str:
        """Return the message about an element whose type differs from the earlier ones'."""
        message = f"expected type '{_words(joined)}' but found '{_words(current)}'"
        return placed(self.text, self.position(element), message)


def placed(text: str, offset: int, message: str) -> str:
    """Return a message with its place and a caret, as cel-go prints it."""
    line = text.count("\n", 0, offset)
    start = text.rfind("\n", 0, offset) + 1
    source = text[start:].split("\n", 1)[0]
    column = offset - start
    return f"ERROR: <input>:{line + 1}:{column + 1}: {message}\n | {source}\n | {'.' * column}^"


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
