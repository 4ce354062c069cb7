"""Key paths of schema.yaml, presets.yaml, pack.json and macros: `charts.thanos.hosts.$[].name`.

Segments are split on `.`; `$[]` means every element of a list, anywhere and repeatedly. Keys may hold dots:
at each mapping the shortest key is tried first, then the segments that follow are joined to it; a reading
that leads to something there wins over one that does not. A segment in double quotes is one whole key (an
extension). Aliases and merge keys are followed.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.libraries.json.paths import dotted, join
from krmkit.libraries.yaml.data import is_core_null
from krmkit.libraries.yaml.errors import LimitError
from krmkit.libraries.yaml.tree import Alias, Map, Node, Scalar, Seq, deref

EACH = "$[]"
MAX_SEGMENTS = 256
"""Segments that one key path may have."""
MAX_MATCHES = 100_000
"""Places that one key path may lead to in one document."""

MAX_VISITS = 5_000_000
"""Elements that all key paths together may look at in one document."""

FOUND = "found"
MISSING = "missing"
EMPTY_LIST = "empty-list"
NOT_LIST = "not-list"

Step = str | int


class Segment:
    """One part of a key path: a key's text (`quoted`: never joined), or every element (`each`)."""

    __slots__ = ("each", "quoted", "text")

    def __init__(self, text: str, quoted: bool = False) -> None:
        self.text = text
        self.quoted = quoted
        self.each = text == EACH and not quoted


class KeyPath:
    """A parsed key path; `text` is how it was written."""

    __slots__ = ("segments", "text")

    def __init__(self, text: str, segments: tuple[Segment, ...]) -> None:
        self.text = text
        self.segments = segments

    @classmethod
    def parse(cls, text: str) -> KeyPath:
        """Parse a key path. Raises Refused on an empty path, an open quote, or too many segments."""
        if not text.strip():
            raise Refused("the key path is empty")
        if text.count(".") >= MAX_SEGMENTS:
            raise Refused(f"the key path has more than {MAX_SEGMENTS} segments")
        if '"' not in text:
            return cls(text, tuple([Segment(part) for part in text.split(".")]))
        segments: list[Segment] = []
        at = 0
        while True:
            if text[at : at + 1] == '"':
                end = text.find('"', at + 1)
                if end < 0 or text[end + 1 : end + 2] not in ("", "."):
                    raise Refused(
                        f'the key path {text} has a quote that does not end before a "." or its end'
                    )
                segments.append(Segment(text[at + 1 : end], quoted=True))
                end += 1
            else:
                end = text.find(".", at)
                end = len(text) if end < 0 else end
                segments.append(Segment(text[at:end]))
            if end == len(text):
                return cls(text, tuple(segments))
            at = end + 1

    def __str__(self) -> str:
        return self.text


class KeyPathMatch:
    """One place that a key path leads to.

    state: FOUND (`node` is what is there), MISSING (a key or list on the way is absent, or a scalar is in the
    way), EMPTY_LIST (`$[]` met a list without elements), NOT_LIST (`$[]` met `node`, which is not a list).
    steps: keys and indexes from the root, as far as the path could be followed. rest: the segments left over.
    """

    __slots__ = ("node", "rest", "state", "steps")

    def __init__(
        self, state: str, node: Node | None, steps: tuple[Step, ...], rest: tuple[Segment, ...]
    ) -> None:
        self.state = state
        self.node = node
        self.steps = steps
        self.rest = rest

    def __str__(self) -> str:
        """Return the place as findings name it: `a."x.y".b[0]`, or `a.list[]` for an absent or empty list."""
        if self.state == NOT_LIST:
            return dotted(self.steps)
        text = dotted(self.steps)
        for segment in self.rest:
            if segment.each:
                text += "[]"
            else:
                name = join("", segment.text) if segment.quoted else segment.text
                text += f".{name}" if text else name
        return text


class Finder:
    """Follows key paths through one tree; what it learns about a mapping's keys serves all paths."""

    __slots__ = ("_keys", "root", "visits")

    def __init__(self, root: Node | None) -> None:
        self.root = root
        self.visits = 0
        self._keys: dict[int, dict[str, Node]] = {}

    def find(self, path: KeyPath) -> list[KeyPathMatch]:
        """All matches, in the order of the text; at least one. Raises LimitError."""
        _, found = _Search(self, path.segments).at(self.root, 0)
        return [KeyPathMatch(state, node, steps, path.segments[left:]) for state, node, steps, left in found]

    def keys(self, node: Map) -> dict[str, Node]:
        """Return the mapping's values by key, merged ones included, aliases followed. Do not change it."""
        known = self._keys.get(id(node))
        if known is None:
            known = self._keys[id(node)] = merged(node)
        return known


def find(root: Node | None, path: KeyPath) -> list[KeyPathMatch]:
    """All places in a tree that a key path leads to; at least one match, which may be a missing place."""
    return Finder(root).find(path)


def merged(node: Map) -> dict[str, Node]:
    """Return a mapping's values by key: its own first, then those of its merge keys, in their order."""
    result: dict[str, Node] = {}
    merges: list[Node] | None = None
    for entry in node.entries:
        key = entry.key
        if key.__class__ is not Scalar:
            key = deref(key)
            if not isinstance(key, Scalar):
                continue
        assert isinstance(key, Scalar)
        value = entry.value
        if key.text == "<<" and is_merge(key):
            merges = merges or []
            merges.append(value)
        else:
            result[key.text] = deref(value) if value.__class__ is Alias else value
    if merges is not None:
        _merge(result, merges, {id(node)})
    return result


def is_merge(key: Scalar) -> bool:
    """Return whether a key with the text `<<` is the merge key."""
    return not key.style and key.tag in (None, "!!merge")


def _merge(result: dict[str, Node], merges: list[Node], above: set[int]) -> None:
    for merge in merges:
        target = deref(merge)
        for source in target.items if isinstance(target, Seq) else [target]:
            source = deref(source)
            # A mapping that merges itself (`&a {<<: *a}`) adds nothing.
            if not isinstance(source, Map) or id(source) in above:
                continue
            inner: list[Node] = []
            for entry in source.entries:
                key = deref(entry.key)
                if not isinstance(key, Scalar):
                    continue
                if key.text == "<<" and is_merge(key):
                    inner.append(entry.value)
                else:
                    result.setdefault(key.text, deref(entry.value))
            if inner:
                above.add(id(source))
                _merge(result, inner, above)


# The result of a search below a node: (state, node, steps from there, index of the first unmatched segment).
_Reached = tuple[str, Node | None, tuple[Step, ...], int]

# How good a reading of the path is.
_ABSENT, _PARTLY, _THERE = 0, 1, 2


class _Search:
    """One path through one tree. Every (node, segment) is looked at once, however many ways lead there."""

    __slots__ = ("finder", "known", "segments")

    def __init__(self, finder: Finder, segments: tuple[Segment, ...]) -> None:
        self.finder = finder
        self.segments = segments
        self.known: dict[tuple[int, int], tuple[int, list[_Reached]]] = {}

    def at(self, node: Node | None, index: int) -> tuple[int, list[_Reached]]:
        if node is not None and node.__class__ is Alias:
            node = deref(node)
        if index == len(self.segments):
            return _THERE, [(FOUND, node, (), index)]
        key = (id(node), index)
        result = self.known.get(key)
        if result is None:
            if self.segments[index].each:
                result = self.each(node, index)
            elif isinstance(node, Map):
                result = self.mapping(node, index)
            else:
                result = _ABSENT, [(MISSING, None, (), index)]
            self.known[key] = result
        return result

    def each(self, node: Node | None, index: int) -> tuple[int, list[_Reached]]:
        if node is None or is_core_null(node):
            return _ABSENT, [(MISSING, None, (), index)]
        if not isinstance(node, Seq):
            return _PARTLY, [(NOT_LIST, node, (), index)]
        if not node.items:
            return _PARTLY, [(EMPTY_LIST, node, (), index)]
        self.finder.visits += len(node.items)
        if self.finder.visits > MAX_VISITS:
            raise LimitError(
                f"the key paths look at more than {MAX_VISITS} elements (krmkit.systems.palette.packs.keypath.MAX_VISITS)"
            )
        best = _PARTLY
        found: list[_Reached] = []
        for position, item in enumerate(node.items):
            rank, below = self.at(item, index + 1)
            best = max(best, rank)
            if len(found) + len(below) > MAX_MATCHES:
                raise LimitError(
                    f"a key path leads to more than {MAX_MATCHES} places (krmkit.systems.palette.packs.keypath.MAX_MATCHES)"
                )
            found += [(state, at, (position, *steps), left) for state, at, steps, left in below]
        return best, found

    def mapping(self, node: Map, index: int) -> tuple[int, list[_Reached]]:
        keys = self.finder.keys(node)
        segments = self.segments
        best = -1
        chosen: list[_Reached] = [(MISSING, None, (), index)]
        name = ""
        for end in range(index, len(segments)):
            segment = segments[end]
            if end > index and (segment.each or segment.quoted):
                break
            name = name + "." + segment.text if end > index else segment.text
            value = keys.get(name)
            if value is not None:
                rank, below = self.at(value, end + 1)
                if rank > best:
                    best = rank
                    chosen = [(state, at, (name, *steps), left) for state, at, steps, left in below]
                if rank == _THERE:
                    break
            if segment.quoted:
                break
        return max(best, _ABSENT), chosen
