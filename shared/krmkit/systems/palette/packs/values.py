"""A pack's values text by YAML 1.2 core rules on the source: emptiness, macros, equality."""

from __future__ import annotations

from krmkit.libraries.yaml.data import core_value, is_core_null
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.libraries.yaml.scalars import core_resolve
from krmkit.libraries.yaml.tree import UNSET, Entry, Map, Node, Scalar, Seq, deref
from krmkit.systems.palette.packs.keypath import Finder, KeyPath, KeyPathMatch, Step, merged
from krmkit.systems.palette.packs.lines import LineIndex

_LONGEST_SHOWN = 200


class PackValues:
    """The tree of a values text. `secret` holds the ids of nodes whose content no message may show.

    text_root: the tree of the text alone, where `root` is merged with defaults; it has the lines.
    """

    __slots__ = ("_lines", "_text_root", "finder", "limits", "secret")

    def __init__(
        self, root: Node | None, limits: Limits = DEFAULT_LIMITS, text_root: Node | None = None
    ) -> None:
        self.finder = Finder(root)
        self.limits = limits
        self._text_root = text_root or root
        self._lines: LineIndex | None = None
        self.secret: set[int] = set()

    @classmethod
    def parse(cls, text: str, limits: Limits = DEFAULT_LIMITS) -> PackValues:
        """Parse a values text, a mapping or nothing at its top. Raises YamlError."""
        root = parse(text, limits).root
        if root is not None and not isinstance(root, Map) and not is_core_null(root):
            raise YamlError("values.yaml must contain a mapping at the top level", 1, 1)
        return cls(root, limits)

    def find(self, path: KeyPath) -> list[KeyPathMatch]:
        """Return the places that a key path leads to."""
        return self.finder.find(path)

    def over(self, defaults: PackValues) -> PackValues:
        """Return these values merged onto defaults: mappings key by key, everything else replaced."""
        merger = _Overlay(defaults.finder, self.finder, self.limits.depth)
        merged_root = merger.merge(defaults.finder.root, self.finder.root)
        return PackValues(merged_root, self.limits, self.finder.root)

    def place(self, steps: tuple[Step, ...]) -> tuple[int, int]:
        """Return line and column of the key that `steps` lead to, or of the last one on the way, or (0, 0).

        Example: in "a:\\n  b: 1\\n" the steps ("a", "b") and ("a", "b", "c") are at (2, 3).
        """
        node = self._text_root
        if node is None or node.source is None:
            return 0, 0
        text, start = node.source.text, -1
        for step in steps:
            node = deref(node)
            if isinstance(node, Map) and isinstance(step, str):
                entry = node.entry(step)
                if entry is None:
                    break
                start, node = entry.key.start, entry.value
            elif isinstance(node, Seq) and isinstance(step, int) and step < len(node.items):
                node = node.items[step]
                start = node.start
            else:
                break
        if start < 0:
            return 0, 0
        if self._lines is None:
            self._lines = LineIndex(text)
        return self._lines.at(start)

    def shown(self, node: Node | None) -> object:
        """Return a scalar for a result's currentValue, shortened if long; None if it must not be shown."""
        if not isinstance(node, Scalar) or id(node) in self.secret:
            return None
        if len(node.text) > _LONGEST_SHOWN:
            return node.text[:_LONGEST_SHOWN] + "..."
        if kind(node) == "str":
            return node.text
        value = core_value(node)
        # Infinity and not-a-number have no form in JSON.
        return node.text if isinstance(value, float) and not -1e308 < value < 1e308 else value

    def said(self, node: Node | None) -> str:
        """Return the value inside a message: ` "abc"`, or "" if it must not be shown."""
        value = self.shown(node)
        if value is None or not isinstance(node, Scalar):
            return ""
        if kind(node) == "str":
            return f' "{value}"'
        return f" {node.text if len(node.text) <= _LONGEST_SHOWN else value}"


def kind(node: Scalar) -> str:
    """Return the type of a scalar in the YAML 1.2 core schema: null, bool, int, float or str."""
    tag = node.tag
    if node.value is not UNSET:
        value = node.value
        if value is None:
            return "null"
        names = {bool: "bool", int: "int", float: "float"}
        return names.get(type(value), "str")
    if tag is None:
        return "str" if node.style else core_resolve(node.text)[0]
    if tag in ("!!int", "!!float", "!!bool", "!!null"):
        found = core_resolve(node.text)[0]
        if found == tag[2:] or (tag == "!!float" and found == "int"):
            return tag[2:]
    return "str"


def is_empty(node: Node | None) -> bool:
    """Return whether `required` counts a value as empty: absent, null, "", only white space, {} and []."""
    if isinstance(node, Scalar):
        return not node.text.strip() or is_core_null(node)
    if isinstance(node, Map):
        return not node.entries
    if isinstance(node, Seq):
        return not node.items
    return True


def holds_macro(node: Node | None) -> bool:
    """Return whether a value is written with a macro that is not resolved yet: `{{ ... .spectro. ... }}`.

    An unquoted one is a flow mapping until it is resolved.
    """
    if isinstance(node, Scalar):
        return has_macro(node.text)
    if isinstance(node, Map) and node.flow and node.source is not None:
        text = node.source.text
        end = text.find("}}", node.start)
        return text.startswith("{{", node.start) and end >= 0 and has_macro(text[node.start : end + 2])
    return False


def has_macro(text: str) -> bool:
    """Return whether a text holds an action with a `.spectro.` field."""
    at = text.find(".spectro.")
    while at >= 0:
        start = text.rfind("{{", 0, at)
        if start >= 0 and text.rfind("}}", start, at) < 0 and text.find("}}", at) >= 0:
            return True
        at = text.find(".spectro.", at + 1)
    return False


def is_unclosed(text: str) -> bool:
    """Return whether a text begins a macro and does not end it: `{{.spectro.var.KEY}`."""
    if ".spectro." not in text:
        return False
    from krmkit.systems.palette.packs.macrotext import unclosed

    return any(True for _ in unclosed(text))


def equal(mine: Node | None, theirs: Node | None, limits: Limits = DEFAULT_LIMITS) -> bool:
    """Return whether two values are equal; "1" differs from 1, and quoting, comments and order do not count.

    Raises LimitError where aliases make a value too large to compare.
    """
    budget = [limits.aliases * 10]
    return _same(mine, theirs, budget, limits.depth)


def _same(mine: Node | None, theirs: Node | None, budget: list[int], depth: int) -> bool:
    budget[0] -= 1
    if budget[0] < 0 or depth < 0:
        raise LimitError("two values are too large, or nested too deeply, to be compared")
    mine, theirs = (None if node is None else deref(node) for node in (mine, theirs))
    if isinstance(mine, Scalar) and isinstance(theirs, Scalar):
        mine_kind = kind(mine)
        if mine_kind != kind(theirs):
            return False
        if mine_kind == "null" or mine.text == theirs.text:
            return True
        return mine_kind != "str" and core_value(mine) == core_value(theirs)
    if isinstance(mine, Seq) and isinstance(theirs, Seq):
        return len(mine.items) == len(theirs.items) and all(
            _same(a, b, budget, depth - 1) for a, b in zip(mine.items, theirs.items, strict=True)
        )
    if isinstance(mine, Map) and isinstance(theirs, Map):
        first, second = merged(mine), merged(theirs)
        return first.keys() == second.keys() and all(
            _same(value, second[key], budget, depth - 1) for key, value in first.items()
        )
    return mine is None and theirs is None


class _Overlay:
    """Merges two trees; every pair of nodes once, however many aliases lead to it."""

    __slots__ = ("base", "depth", "done", "top")

    def __init__(self, base: Finder, top: Finder, depth: int) -> None:
        self.base = base
        self.top = top
        self.depth = depth
        self.done: dict[tuple[int, int], Map] = {}

    def merge(self, base: Node | None, top: Node | None, level: int = 0) -> Node | None:
        base = None if base is None else deref(base)
        top = None if top is None else deref(top)
        if top is None or (level == 0 and is_core_null(top)):
            return base
        if not isinstance(base, Map) or not isinstance(top, Map):
            return top
        known = self.done.get((id(base), id(top)))
        if known is not None:
            return known
        if level > self.depth:
            raise LimitError.of("depth", self.depth, "the nesting of the values")
        result = self.done[id(base), id(top)] = Map()
        under, over = self.base.keys(base), self.top.keys(top)
        for key in [*under, *(key for key in over if key not in under)]:
            value = self.merge(under.get(key), over.get(key), level + 1)
            if value is not None:
                result.entries.append(Entry(Scalar(key, '"'), value))
        return result
