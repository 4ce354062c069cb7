"""Read YAML texts and plain data as nodes. No other module of spiff reads YAML.

Scalars follow YAML 1.1 as in spiff's reader: `yes` and `off` are booleans (as keys they are errors), dates
are text; `<<` is an ordinary key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.spiff.tree.errors import SpiffError
from krmkit.libraries.spiff.tree.limits import exceeded
from krmkit.libraries.spiff.tree.nodes import STATIC, Node
from krmkit.libraries.yaml.document import parse_all
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Alias, Map, Scalar, Seq

_BOOLS = {
    **dict.fromkeys(("y", "yes", "on", "true"), True),
    **dict.fromkeys(("n", "no", "off", "false"), False),
}
_FLOATS = {".inf": float("inf"), "+.inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan")}
_NULLS = ("", "~", "null", "Null", "NULL")
_WORDS = frozenset("yYnNoOtTfF")
_NUMBERS = frozenset("+-.0123456789")
_DIGITS = frozenset("0123456789")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
MOST_ALIASED = 100_000
"""The nodes that a text may repeat through aliases."""


def read_all(text: str, source: str, interpolation: bool = False) -> list[Node]:
    """Read the documents of a YAML text, at least one. Raises SpiffError for invalid YAML."""
    try:
        documents = parse_all(text, duplicates="keep")
    except YamlError as error:
        raise SpiffError(f"error parsing template [{source}]: {error}", "syntax") from None
    reader = _Reader(source, interpolation)
    return [reader.node(document.root) for document in documents] or [Node(None, source)]


def read_stream(text: str, source: str, interpolation: bool) -> list[Node]:
    """Read documents as `read_all` does, without empty ones at the end, except the first."""
    nodes = read_all(text, source, interpolation)
    while len(nodes) > 1 and nodes[-1].value is None:
        nodes.pop()
    return nodes


def plain_documents(text: str, source: str) -> list[Any]:
    """Read a YAML text as plain data, as templates are read: [{"a": True}] for "a: yes"."""
    return [_plain(node) for node in read_all(text, source)]


def _plain(node: Node) -> Any:
    value = node.value
    if type(value) is dict:
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if type(value) is list else value


def from_data(value: Any, source: str, floats: bool = False, interpolation: bool = False) -> Node:
    """Make nodes of plain data (dict, list, scalars); with `floats`, ints become floats, as Go reads JSON."""
    kind = type(value)
    if kind is dict:
        names = {str(key): from_data(entry, source, floats, interpolation) for key, entry in value.items()}
        return Node(names, source, state=STATIC if _is_static(names.values(), names, interpolation) else None)
    if kind is list or kind is tuple:
        entries = [from_data(entry, source, floats, interpolation) for entry in value]
        return Node(entries, source, state=STATIC if _is_static(entries, (), interpolation) else None)
    if floats and kind is int:
        return Node(float(value), source)
    return Node(value, source)


def _is_static(nodes: Any, keys: Any, interpolation: bool) -> bool:
    for key in keys:
        if key[:2] == "<<" or key[:4] == "key:":
            return False
    for node in nodes:
        value = node.value
        kind = type(value)
        if kind is str:
            if "((" in value and (interpolation or value.startswith("((")):
                return False
        elif (kind is dict or kind is list) and node.state is None:
            return False
    return True


@dataclass(slots=True)
class _Reader:
    """The conversion of one parsed text to nodes, which counts the nodes that aliases repeat."""

    source: str
    interpolation: bool
    aliased: int = field(init=False, default=0)
    within: set[int] = field(init=False, default_factory=set)

    def node(self, node: Any) -> Node:
        if isinstance(node, Scalar):
            self._count()
            return Node(self._scalar(node), self.source)
        if isinstance(node, Map):
            self._count()
            names: dict[str, Node] = {}
            for entry in node.entries:
                names[self._key(entry.key)] = self.node(entry.value)
            static = _is_static(names.values(), names, self.interpolation)
            return Node(names, self.source, state=STATIC if static else None)
        if isinstance(node, Seq):
            self._count()
            entries = [self.node(entry) for entry in node.items]
            static = _is_static(entries, (), self.interpolation)
            return Node(entries, self.source, state=STATIC if static else None)
        if isinstance(node, Alias):
            return self._alias(node)
        return Node(None, self.source)

    def _count(self) -> None:
        if self.within:
            self.aliased += 1
            if self.aliased > MOST_ALIASED:
                raise exceeded("nodes through aliases", MOST_ALIASED)

    def _alias(self, alias: Alias) -> Node:
        target = alias.target
        if id(target) in self.within:
            raise SpiffError(f"error parsing template [{self.source}]: an alias holds itself", "syntax")
        self.within.add(id(target))
        try:
            return self.node(target)
        finally:
            self.within.discard(id(target))

    def _key(self, node: Any) -> str:
        while isinstance(node, Alias):
            node = node.target
        if not isinstance(node, Scalar):
            raise SpiffError(f"error parsing template [{self.source}]: map key must be a string", "syntax")
        if node.style:
            return node.text
        value = self._scalar(node)
        if type(value) is not str:
            shown = "<nil>" if value is None else str(value).lower() if type(value) is bool else node.text
            raise SpiffError(
                f"error parsing template [{self.source}]: map key must be a string: {shown}", "syntax"
            )
        return value

    def _scalar(self, node: Scalar) -> Any:
        text = node.text
        tag = node.tag
        if tag is not None:
            return _tagged(tag, text)
        if node.style or (text and text[0] not in _NUMBERS and len(text) > 5):
            return text
        return resolve(text)


def _tagged(tag: str, text: str) -> Any:
    if tag in ("!!int", "!!float", "!!bool", "!!null"):
        value = resolve(text)
        return float(value) if tag == "!!float" and type(value) is int else value
    return text


def resolve(text: str) -> Any:
    """Return the value of a plain scalar: True for "yes", 15 for "017", 1000.0 for "1e3"."""
    if text in _NULLS:
        return None
    first = text[0]
    if first in _WORDS:
        return _BOOLS.get(text.lower(), text) if len(text) <= 5 else text
    if first not in _NUMBERS:
        return text
    number = _integer(text.replace("_", ""))
    if number is not None:
        return number
    if text.lower() in _FLOATS:
        return _FLOATS[text.lower()]
    plain = text.replace("_", "")
    if _FLOAT.fullmatch(plain) and not _DIGITS.issuperset(plain.lstrip("+-")):
        return float(plain)
    return text


def _integer(text: str) -> int | None:
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits or digits[0] not in _DIGITS or len(digits) > 66:
        return None
    base = 10
    if digits[0] == "0" and len(digits) > 1:
        mark = digits[1]
        base, digits = {"x": (16, digits[2:]), "o": (8, digits[2:]), "b": (2, digits[2:])}.get(
            mark, (8, digits[1:])
        )
    try:
        value = int(digits, base)
    except ValueError:
        return None
    if text[0] == "-":
        value = -value
    return value if -(1 << 63) <= value < 1 << 63 and not digits.startswith(("+", "-")) else None
