r"""Copy new upstream comments into a merged resource, unless people changed the local ones.

As in `kpt pkg update`, the comment above a field and the comment after it are decided separately. A new field
gets upstream's comment. A field with upstream's value gets it if the local comment equals the base's. All
other comments stay: people's own, those of fields that differ from upstream, and those between list elements.

    merge_comments("a: 1\n", "a: 2 # two\n", "a: 1\n", "a: 2\n")  ->  "a: 2 # two\n"
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from krmkit.kpt.merge.listkeys import IDENTITIES
from krmkit.kpt.merge.unedited import comments_of
from krmkit.libraries.yaml.data import go_data, same_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.places import Places, Spot, Unit, Units
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Alias, Map, Node, Scalar, Seq

Path = tuple[str, ...]


class _Note:
    """The comments above a field and after it, with their places in the text.

    `value` is the field's data, None for a block mapping or list, whose fields have their own notes. A place
    of -1 cannot hold a comment.
    """

    def __init__(self, places: Places, units: Units, index: int, first: bool) -> None:
        unit = units[index]
        view, line = places.view, places.line(unit.start)
        self.column = unit.column
        self.head = self.behind = ""
        self.head_at = self.behind_at = (-1, -1)
        if places.begins_line(unit.start):
            start = _document_head(places) if first else places.head_start(units, index, is_root=False)
            self.head_at = (start, line)
            self.head = view[start:line]
        at = _end_of_line_value(unit)
        rest = view[at : places.line_end(at)] if at >= 0 else "x"
        if not rest.strip(" ") or (rest.startswith(" ") and rest.lstrip(" ").startswith("#")):
            self.behind_at = (at, at + len(rest))
            self.behind = rest.rstrip(" ")
        self.value: Any = None if _is_block(unit.value.node) else (go_data(unit.value.node),)

    @property
    def above(self) -> list[str]:
        """Return the lines above, without their indent."""
        return [line.strip(" ") for line in self.head.splitlines()]


def merge_comments(base: str, upstream: str, local: str, merged: str, every_head: bool = False) -> str:
    """Return `merged` with upstream's comments. All texts are versions of one resource.

    `local` is the text before the merge. With `every_head`, comments above a field are also copied if its
    value differs from upstream's. `merged` is returned unchanged if a text cannot be parsed, or if an edit
    would change its meaning.
    """
    if _with_signs(base) == _with_signs(upstream):
        return merged
    if "\r" in merged:
        texts = tuple(text.replace("\r\n", "\n") for text in (base, upstream, local, merged))
        if "\r" in "".join(texts) or with_ends(merged, texts[3]) != merged:
            return merged
        return with_ends(merged, merge_comments(texts[0], texts[1], texts[2], texts[3], every_head))
    try:
        new, here, now = (_notes(text) for text in (upstream, local, merged))
        old = _notes(base) if base else {}
        edits = sorted(_edits(old, new, here, now, every_head))
        pieces: list[str] = []
        position = 0
        for start, end, comment in edits:
            pieces += [merged[position:start], comment]
            position = end
        text = "".join([*pieces, merged[position:]])
        if edits and _same(text, merged):
            return text
    except (YamlError, RecursionError):
        return merged
    return merged


def put_back(text: str, local: str, added: Counter[str]) -> str:
    """Return `text` with the `added` comments of `local` that it lacks, where their line is unchanged.

    A comment on a line of its own belongs to the line below. `text` is returned unchanged if an edit would
    change its meaning.
    """
    lost, plain = added - Counter(comments_of(text)), text.replace("\r\n", "\n")
    if not lost or with_ends(text, plain) != text:
        return text
    lines, bodies = plain.split("\n"), Counter[str]()
    above: list[str] = []
    before: dict[tuple[str, int], list[str]] = {}
    after: dict[tuple[str, int], str] = {}
    for line in [*local.replace("\r\n", "\n").split("\n"), "\0"]:
        found = next((one for one in lost if lost[one] and line.endswith(one)), "")
        body = line.removesuffix(found).strip() if found else line.strip()
        if found and not body:
            above.append(found)
            lost[found] -= 1
        elif body and not body.startswith("#"):
            place = body, bodies[body]
            bodies[body] += 1
            if above:
                before[place] = above
                above = []
            if found:
                after[place] = found
                lost[found] -= 1
    written: list[str] = []
    bodies = Counter()
    for line in lines:
        place = line.strip(), bodies[line.strip()]
        bodies[line.strip()] += 1
        indent = line[: len(line) - len(line.lstrip(" "))]
        written += [indent + one for one in before.get(place, ())]
        written.append(f"{line} {after[place]}" if place in after else line)
    end = before.get(("\0", 0), [])
    if end:
        written[-1:] = [*end, ""] if not written[-1] else [written[-1], *end]
    made = "\n".join(written)
    try:
        return with_ends(text, made) if _same(made, text) else text
    except (YamlError, RecursionError):
        return text


def with_ends(text: str, other: str) -> str:
    """Return `other` with the line ends of `text`."""
    return other.replace("\n", "\r\n") if "\r\n" in text else other


def _edits(
    old: dict[Path, _Note],
    new: dict[Path, _Note],
    here: dict[Path, _Note],
    now: dict[Path, _Note],
    every_head: bool,
) -> Iterator[tuple[int, int, str]]:
    for path, note in new.items():
        target, before = now.get(path), here.get(path)
        if target is None or (target.value != note.value and not every_head):
            continue
        base = old.get(path)
        if before is not None and base is None:
            continue  # added on both sides: the local one stays
        if target.head_at[0] >= 0 <= note.head_at[0] and target.above != note.above:
            if before is None or (base is not None and before.above == base.above):
                indent = " " * target.column
                lines = [indent + line if line else "" for line in note.above]
                yield (*target.head_at, "".join(f"{line}\n" for line in lines))
        if target.value != note.value:
            continue
        if target.behind_at[0] >= 0 <= note.behind_at[0] and target.behind.strip() != note.behind.strip():
            if before is None or (base is not None and before.behind.strip() == base.behind.strip()):
                yield (*target.behind_at, note.behind)


def _notes(text: str) -> dict[Path, _Note]:
    """Return the notes of all fields in block mappings, by path; merge keys name list elements."""
    document = parse(text)
    if not isinstance(document.root, Map) or document.text != text:
        return {}
    places = Places(document)
    notes: dict[Path, _Note] = {}
    _collect(places, places.root, (), notes)
    return notes


def _collect(places: Places, spot: Spot, path: Path, found: dict[Path, _Note]) -> None:
    node = spot.node
    if isinstance(node, Map) and _is_block(node):
        units = places.units(spot)
        for index, entry in enumerate(node.entries):
            name = entry.name
            unit = units[index]
            if name is None or unit.colon < 0:
                continue
            found[(*path, name)] = _Note(places, units, index, first=not path and not index)
            _collect(places, unit.value, (*path, name), found)
    elif isinstance(node, Seq) and _is_block(node):
        keys = _keys(node)
        if len(set(keys)) == len(node.items):
            for unit, key in zip(places.units(spot), keys, strict=True):
                _collect(places, unit.value, (*path, key), found)


def _keys(node: Seq) -> list[str]:
    """Return the merge keys of a list's elements; () unless all are mappings with these keys."""
    maps = [item for item in node.items if isinstance(item, Map)]
    if len(maps) < len(node.items):
        return []
    names = next(
        (names for names in IDENTITIES if all(item.get(names[0]) is not None for item in maps)), None
    )
    if names is None:
        return []
    return [step_of(item, names) for item in maps]


def step_of(element: Map, keys: tuple[str, ...]) -> str:
    """Return the path step of a list element, the values of its keys: `[80,TCP]`."""
    values = (element.get(key) for key in keys)
    return "[" + ",".join(one.text if isinstance(one, Scalar) else "" for one in values) + "]"


def _is_block(node: Node) -> bool:
    return isinstance(node, Map | Seq) and not node.flow


def _end_of_line_value(unit: Unit) -> int:
    """Return where a comment after the field's value or colon can begin.

    -1 for block scalars and aliases.
    """
    node = unit.value.node
    if (
        isinstance(node, Alias)
        or unit.value.properties
        or (isinstance(node, Scalar) and node.style in ("|", ">"))
    ):
        return -1
    return unit.colon if _is_block(node) else max(unit.end, unit.colon)


def _document_head(places: Places) -> int:
    """Return where the comments above the whole resource begin; blank lines may separate them."""
    return 0 if places.comment_column(0) >= 0 or not places.view.strip() else places.line(places.root.start)


def _with_signs(text: str) -> list[str]:
    return [line for line in text.splitlines() if "#" in line]


def _same(one: str, other: str) -> bool:
    left, right = (parse(text).root for text in (one, other))
    return same_data(go_data(left), go_data(right))
