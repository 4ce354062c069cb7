"""Plain Python data from a span tree, by the rules of Go's yaml.v3 or of the YAML 1.2 core schema.

Shapes: None, bool, int, float, str, list, dict with string keys (as after a round trip through JSON). Merge
keys are applied under Go's rules: the mapping's own keys win, then the merged mappings in order. Nodes that
are reached through an alias count against `Limits.aliases`, so that a few hundred bytes cannot grow into
gigabytes.
"""

from __future__ import annotations

from krmkit.libraries.yaml.effort import charge
from krmkit.libraries.yaml.errors import HOLDS_ITSELF, LimitError, YamlError, line_column
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.libraries.yaml.scalars import NULLS, core_resolve, go2_resolve, go_resolve
from krmkit.libraries.yaml.tree import UNSET, Alias, Map, Node, Scalar, Seq, deref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TypeVar

    from krmkit.libraries.yaml.limits import Limits

    K = TypeVar("K")
    Resolve = Callable[[str], tuple[str, object]]


def same_data(left: object, right: object, ordered: bool = False) -> bool:
    """Return True for equal data: 1, 1.0 and true differ, NaN equals itself.

    The order of keys matters only with `ordered`.
    """
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        assert isinstance(right, dict)
        if (list(left) != list(right)) if ordered else (left.keys() != right.keys()):
            return False
        return all(same_data(item, right[key], ordered) for key, item in left.items())
    if isinstance(left, list):
        assert isinstance(right, list)
        return len(left) == len(right) and all(
            same_data(mine, theirs, ordered) for mine, theirs in zip(left, right, strict=True)
        )
    return left == right or (left != left and right != right)


def changed_keys(before: Mapping[K, object], after: Mapping[K, object]) -> set[K]:
    """Return the keys that only one of two mappings has, or whose values differ by `same_data`."""
    changed = {key for key in before.keys() & after.keys() if not same_data(before[key], after[key])}
    return changed | (before.keys() ^ after.keys())


def go_data(node: Node | None, limits: Limits = DEFAULT_LIMITS) -> object:
    """Decode a node as Go's yaml.v3 does; timestamps stay text. None for an absent node."""
    return _Reader(go_value, limits).data(node)


class Wide(float):
    """A number that 64 bits cannot hold exactly; it is compared and written by its source text."""

    __slots__ = ("text",)
    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wide) and self.text == other.text

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __str__(self) -> str:
        return self.text

    __hash__ = float.__hash__


def wide_data(node: Node | None, limits: Limits = DEFAULT_LIMITS) -> object:
    """Decode a node as `go_data` does, with a Wide for each number that 64 bits cannot hold exactly."""
    return _Reader(_wide, limits).data(node)


def go2_data(node: Node | None, limits: Limits = DEFAULT_LIMITS) -> object:
    """Decode a node by Go's yaml.v2 (sigs.k8s.io/yaml): `yes` and `on` are booleans, dates stay text.

    Keys follow these rules before they become texts: `n: 1` has the key "false".
    """
    return _Reader(_go2_value, limits, key=_go2_key).data(node)


def _go2_key(text: str, style: str, tag: str | None) -> str:
    """Return a key as JSON has it: booleans and numbers by value."""
    if style or tag is not None:
        return text
    found, value = go2_resolve(text)
    if found == "bool":
        return "true" if value else "false"
    return str(value) if found == "int" else text


def comparable_data(node: Node | None, limits: Limits = DEFAULT_LIMITS) -> object:
    """Decode by Go's rules to compare two texts; a collection as a key becomes its content.

    A scalar that contradicts its tag, such as `!!int ten`, becomes tag and text: an edit elsewhere keeps it.
    """
    return _Reader(_comparable, limits, any_key=True).data(node)


def core_data(node: Node | None, limits: Limits = DEFAULT_LIMITS) -> object:
    """Decode by the YAML 1.2 core schema (`yes`, `010`, dates stay text); merge keys are applied.

    A collection as a key becomes the text of its content: an unquoted `{{ macro }}` is a mapping to YAML.
    """
    return _Reader(core_value, limits, any_key=True).data(node)


def text_data(node: Node | None, limits: Limits = DEFAULT_LIMITS) -> object:
    """Decode as Go does into string fields: each scalar becomes its text, or None for null.

    Example: `a: 010` is {"a": "010"}.
    """
    return _Reader(_text, limits).data(node)


def is_null(node: Node | None) -> bool:
    """Return True for an absent value, and for null by Go's rules."""
    return node is None or (isinstance(node, Scalar) and go_value(node) is None)


def is_core_null(node: Node | None) -> bool:
    """Return True for an absent value, and for null by the YAML 1.2 core schema."""
    if node is None:
        return True
    if not isinstance(node, Scalar):
        return False
    if node.value is not UNSET:
        return node.value is None
    if node.tag is not None:
        return node.tag == "!!null"
    return not node.style and node.text in NULLS


def _values(resolve: Resolve) -> Callable[[Scalar], object]:
    """Return a reader of scalars: style and explicit tag take precedence over the text."""

    def value_of(node: Scalar) -> object:
        if node.value is not UNSET:
            return float(node.value) if type(node.value) is Wide else node.value
        tag = node.tag
        if tag is None or tag == "!":
            return node.text if node.style else resolve(node.text)[1]
        if tag == "!!str":
            return node.text
        found, value = resolve(node.text)
        if tag == "!!float" and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if tag == "!!null" and found == "null":
            return None
        if tag in ("!!int", "!!float", "!!bool") and found == tag[2:]:
            return value
        if tag in ("!!binary", "!!timestamp", "!!merge") or not tag.startswith("!!"):
            return node.text
        raise YamlError(f"cannot read {node.text!r} as {tag}", *line_of(node))

    return value_of


go_value = _values(go_resolve)
"""The value of one scalar under Go's rules."""
core_value = _values(core_resolve)
"""The value of one scalar under the YAML 1.2 core schema."""
_go2_value = _values(go2_resolve)


def _wide(node: Scalar) -> object:
    value = go_value(node)
    if type(value) is float and node.text != str(value):
        from decimal import Decimal, InvalidOperation

        try:
            if Decimal(node.text) != Decimal(str(value)):
                value = Wide(value)
                value.text = node.text
        except InvalidOperation:
            pass  # .inf, and other forms of YAML
    return value


def _comparable(node: Scalar) -> object:
    try:
        return go_value(node)
    except YamlError:
        return node.tag, node.text


def _text(node: Scalar) -> str | None:
    return None if is_core_null(node) else node.text


def line_of(node: Node) -> tuple[int, int] | tuple[None, None]:
    """Return line and column (from 1) of a node in its text; (None, None) for one made by an edit."""
    if node.source is None:
        return None, None
    return line_column(node.source.text, node.start)


_VISIT = 4  # steps of effort that a node costs that is reached through an alias
_COUNTED = 64  # so many of them are charged at once


class _Reader:
    """Read nodes as data: `value` reads scalars, `key` scalar keys; `any_key` admits collections as keys."""

    __slots__ = ("any_key", "key", "limits", "open", "through_alias", "value", "visited")

    def __init__(
        self,
        value: Callable[[Scalar], object],
        limits: Limits,
        any_key: bool = False,
        key: Callable[[str, str, str | None], str] | None = None,
    ) -> None:
        self.value = value
        self.limits = limits
        self.any_key = any_key
        self.key = key
        self.visited = 0
        self.through_alias = 0
        self.open: set[int] = set()  # the targets of the aliases whose values are being read

    def data(self, node: Node | None) -> object:
        if isinstance(node, Alias):
            return self.target(node)
        if node is not None and self.through_alias:
            self.count(node)
        if isinstance(node, Scalar):
            return self.value(node)
        if isinstance(node, Map):
            return self.mapping(node)
        return [self.data(item) for item in node.items] if isinstance(node, Seq) else None

    def target(self, node: Alias) -> object:
        """Read the target of an alias."""
        self.through_alias += 1
        if self.through_alias > self.limits.depth:
            raise LimitError.of("depth", self.limits.depth, "the nesting of aliases", *line_of(node))
        target = id(node.target)
        if target in self.open:
            raise YamlError(HOLDS_ITSELF, *line_of(node))
        self.open.add(target)
        data = self.data(node.target)
        self.open.discard(target)
        self.through_alias -= 1
        return data

    def count(self, node: Node) -> None:
        self.visited += 1
        if not self.visited % _COUNTED:
            charge(_COUNTED * _VISIT)
        if self.visited > self.limits.aliases:
            raise LimitError.of("aliases", self.limits.aliases, "the expansion of aliases", *line_of(node))

    def mapping(self, node: Map) -> dict[str, object]:
        result: dict[str, object] = {}
        merged: list[Node] = []
        for entry in node.entries:
            key = entry.key
            if not isinstance(key, Scalar):
                key = deref(key)
                if not isinstance(key, Scalar):
                    if not self.any_key:
                        raise YamlError("a key must be a scalar, not a collection", *line_of(entry.key))
                    result[repr(self.data(key))] = self.data(entry.value)
                    continue
            if key.text == "<<" and _is_merge(key):
                merged.append(entry.value)
                continue
            name = key.text if self.key is None else self.key(key.text, key.style, key.tag)
            result[name] = self.data(entry.value)
        for value in merged:
            self.merge(result, value)
        return result

    def merge(self, result: dict[str, object], value: Node) -> None:
        target = deref(value)
        sources = target.items if isinstance(target, Seq) else [value]
        for source in sources:
            if not isinstance(deref(source), Map):
                raise YamlError(
                    "map merge requires a mapping or a list of mappings as the value", *line_of(value)
                )
            data = self.data(source)
            assert isinstance(data, dict)
            charge(len(data))  # a step a key
            for name, item in data.items():
                result.setdefault(name, item)


def _is_merge(key: Node) -> bool:
    """Return True for the merge key `<<` of a text; the key "<<" of an edit is a quoted text."""
    if not isinstance(key, Scalar) or key.style or key.value is not UNSET:
        return False
    return key.text == "<<" and key.tag in (None, "!!merge")


def lookup(node: Map, name: str) -> Node | None:
    """Return the value under `name`: the mapping's own, else the first one of a merged mapping."""
    own = node.get(name)
    if own is not None or node.entry("<<") is None:
        return own
    seen: set[int] = set()
    waiting = [node]
    while waiting:
        mapping = waiting.pop()
        own = mapping.get(name)
        if own is not None:
            return own
        if id(mapping) in seen:
            # Its merged mappings have not got it either.
            continue
        seen.add(id(mapping))
        merged: list[Map] = []
        for entry in mapping.entries:
            if _is_merge(entry.key):
                value = deref(entry.value)
                sources = [deref(item) for item in value.items] if isinstance(value, Seq) else [value]
                merged += [source for source in sources if isinstance(source, Map)]
        waiting += reversed(merged)
    return None


def walk(node: Node | None) -> Iterator[Node]:
    """Yield a node and all below it, with edits, in the text's order; aliases are not followed."""
    waiting = [node] if node is not None else []
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Map):
            waiting += [part for entry in reversed(node.entries) for part in (entry.value, entry.key)]
        elif isinstance(node, Seq):
            waiting += reversed(node.items)
