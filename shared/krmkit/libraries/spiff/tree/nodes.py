"""The nodes of a tree: values (data, expressions, lambdas, templates) with annotations.

    Node({"a": Node(1, "file.yml")}, "file.yml")

Data: None, bool, int (64 bit), float, str, list[Node], dict[str, Node].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from krmkit.libraries.spiff.tree.errors import NOTHING, Failure, Info, Issue, Path

TEMPORARY = 0x001
LOCAL = 0x002
INJECT = 0x004
STATE = 0x008
DEFAULT = 0x010
DYNAMIC = 0x020
INJECTED = 0x040
IMPLIED = 0x080
SPLICED = 0x100
"""On a list: stub entries were inserted, so that its own entries are not merged with stubs by their index."""


class Note(NamedTuple):
    """The annotations of a node; most nodes share EMPTY."""

    flags: int = 0
    redirect: Path | None = None
    replace: bool = False
    preferred: bool = False
    merged: bool = False
    key_name: str = ""
    error: bool = False
    failed: bool = False
    undefined: bool = False
    issue: Issue | None = None
    tag: str = ""
    resolver: Any = None
    original: Path | None = None
    """The path at which an expression was evaluated."""


EMPTY = Note()


@dataclass(frozen=True, slots=True)
class Node:
    """One node. `state` belongs to the flow: STATIC, or the flow's data for the node (FlowPlace, Cell)."""

    value: Any
    source: str
    note: Note = EMPTY
    state: Any = None

    def noted(self, **changes: Any) -> Node:
        """Return the node with other annotations."""
        return Node(self.value, self.source, self.note._replace(**changes), self.state)

    def with_value(self, value: Any) -> Node:
        """Return a node with this annotation and another value."""
        return Node(value, self.source, self.note)

    def with_flags(self, flags: int) -> Node:
        """Return the node with these flags too."""
        note = self.note
        if note.flags | flags == note.flags:
            return self
        return Node(self.value, self.source, note._replace(flags=note.flags | flags), self.state)

    def __repr__(self) -> str:
        return f"Node({self.value!r})"


class Static:
    """The state of a subtree without expressions, merge keys and key fields, which only stubs can change."""

    __slots__ = ()
    settled = True


STATIC = Static()


class Expression:
    """The content of `(( ... ))`: evaluate(env, locally) returns (value, Info) or raises Failure.

    A value that is an Expression waits for another value.
    """

    __slots__ = ()

    @property
    def core(self) -> Expression:
        """Return the expression without its parentheses."""
        return self

    def evaluate(self, env: Any, locally: bool) -> tuple[Any, Info]:
        raise TypeError(f"{type(self).__name__} has no value of its own")


def evaluate_last(part: Expression, env: Any, start: int | None = None) -> tuple[Any, Info]:
    """Evaluate the part that gives an expression's value; return it if it fails after a demand.

    In spiff, a part that needs a node without a value first waits for one pass, then alone, so that error
    messages show only this part. `start` is the count of demands before the earlier parts: if these had to
    wait, the whole expression did.
    """
    before = env.run.demands
    if start is not None and start != before:
        return part.evaluate(env, False)
    try:
        return part.evaluate(env, False)
    except Failure:
        if env.run.demands == before:
            raise
        return part.core, NOTHING


def type_name(value: Any) -> str:
    """Return the name of a value's type, as dynaml's type() does."""
    return _NAMES.get(type(value)) or str(getattr(value, "type_name", "expression"))


def go_type(value: Any) -> str:
    """Return the Go type of a value, as spiff's messages show it: `[]yaml.Node` for a list."""
    return _GO_NAMES.get(type(value)) or f"dynaml.{type(value).__name__}"


_GO_NAMES = {
    str: "string", bool: "bool", int: "int64", float: "float64", list: "[]yaml.Node", dict: "map[string]yaml.Node",
    type(None): "<nil>",
}  # fmt: skip
_NAMES = {
    str: "string", bool: "bool", int: "int", float: "float", list: "list", dict: "map", type(None): "nil",
}  # fmt: skip


def step_into(node: Node, step: str, raw: bool, control: bool) -> Node | None:
    """Return a node's child: by key, `[2]`, `[-1]`, an entry's name, or its `field:name`."""
    value = node.value
    if type(value) is dict:
        if not raw and not is_map_complete(value, control):
            return None
        return value.get(step)
    if type(value) is list:
        if not raw and not is_list_complete(value):
            return None
        return _list_entry(node, value, step, raw, control)
    return None


def _list_entry(node: Node, entries: list[Node], step: str, raw: bool, control: bool) -> Node | None:
    index = list_index(step)
    if index is not None:
        if index < 0:
            index += len(entries)
        return entries[index] if 0 <= index < len(entries) else None
    key = node.note.key_name or "name"
    split = step.find(":")
    if split > 0:
        key, step = step[:split], step[split + 1 :]
    for entry in entries:
        if type(entry.value) is dict:
            name = step_into(entry, key, raw, control)
            if name is not None and type(name.value) is str and name.value == step:
                return entry
    return None


def list_index(step: str) -> int | None:
    """Return 2 for `[2]`, -1 for `[-1]`, None for a name."""
    if step[:1] != "[" or step[-1:] != "]":
        return None
    digits = step[2:-1] if step[1:2] == "-" else step[1:-1]
    if not digits.isdigit() or not digits.isascii() or len(digits) > 18:
        return None
    return int(step[1:-1])


def find(node: Node, path: Path, raw: bool = False, control: bool = False) -> Node | None:
    """Return the node at a path below `node`; `raw` also enters maps with a pending merge."""
    here: Node | None = node
    for step in path:
        if here is None:
            return None
        here = step_into(here, step, raw, control)
    return here


def find_text(node: Node, key: str, raw: bool = False, control: bool = False) -> str | None:
    """Return the text in the field `key` of a map, None if it is not a text."""
    found = step_into(node, key, raw, control)
    return found.value if found is not None and type(found.value) is str else None


def is_map_complete(value: dict[str, Node], control: bool) -> bool:
    """Return True if a map has no merge key left (with `control`, no key that starts with `<<`)."""
    if "<<" in value or "<<<" in value:
        return False
    return not control or not any(key.startswith("<<") and key[2:3] != "!" for key in value)


def is_list_complete(value: list[Node]) -> bool:
    """Return True if no entry of a list inserts others."""
    return not any(list_merge(entry) for entry in value)


def list_merge(entry: Node) -> str:
    """Return the merge key of a list entry that inserts others (`- <<: ...`), "" for other entries."""
    value = entry.value
    if type(value) is dict and len(value) == 1:
        if "<<" in value:
            return "<<"
        if "<<<" in value:
            return "<<<"
    return ""


def copy_tree(node: Node) -> Node:
    """Copy maps and lists deeply, without the flow's state."""
    value = node.value
    if type(value) is dict:
        return Node({key: copy_tree(entry) for key, entry in value.items()}, node.source, node.note)
    if type(value) is list:
        return Node([copy_tree(entry) for entry in value], node.source, node.note)
    return Node(value, node.source, node.note)
