"""Write merged data into a resource's local text; lines with equal values stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from krmkit.kpt.merge.comments import merge_comments, put_back
from krmkit.kpt.merge.listkeys import IDENTITIES
from krmkit.kpt.merge.unedited import comments_of
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.data import same_data
from krmkit.libraries.yaml.errors import YamlError

Path = tuple[str | int, ...]
_LONGEST = 4000  # lines that are compared; a merge by lines takes up to the square of their number
_Change = tuple[int, int, list[str]]


def written(local: Resource, base: str, theirs: str, merged: dict[str, Any], every_head: bool = False) -> str:
    """Return the text of `local` with the `merged` data of its versions. `every_head`: see merge_comments.

    If a merge by lines has this data and all local comments, it is the result: it keeps everything else that
    either side wrote. Otherwise the data is written into the local text as edits, and comments that a
    rewritten list lost are put back where their lines are unchanged.
    """
    here = local.text
    added = Counter(comments_of(here)) - Counter(comments_of(base))
    for text in merged_lines(base, theirs, here) if base else ():
        if says(text, merged) and not added - Counter(comments_of(text)):
            return text
    write_merged(local, merged)
    text = local.text
    if "#" in theirs or "#" in base:
        text = merge_comments(base, theirs, here, text, every_head)
    return put_back(text, here, added) if added else text


def says(text: str, data: Any) -> bool:
    """Return True if a text is YAML or JSON whose data is `data`."""
    try:
        return same_data(Resource(text).get(), data)
    except (YamlError, Refused, RecursionError):
        return False


def merged_lines(base: str, theirs: str, local: str) -> Iterator[str]:
    """Yield the merges of three texts by lines; nothing if both sides changed one line.

    Adjacent changes are fine. If both sides insert lines at one place, there are two merges, one for each
    order. Line ends are the local ones.
    """
    if "\r\n" in local and "\n" not in local.replace("\r\n", ""):
        plain = (text.replace("\r\n", "\n") for text in (base, theirs, local))
        for text in merged_lines(*plain):
            yield text.replace("\n", "\r\n")
        return
    old, new, here = (text.split("\n") for text in (base, theirs, local))
    if max(map(len, (old, new, here))) > _LONGEST:
        return
    sides = _changes(old, new), _changes(old, here)
    found: list[str] = []
    for first in (0, 1):
        lines = _joined(old, sides, first)
        if lines is not None and (text := "\n".join(lines)) not in found:
            found.append(text)
            yield text


def _joined(base: list[str], sides: tuple[list[_Change], list[_Change]], first: int) -> list[str] | None:
    """Return the lines with both sides' changes; None if two changes touch the same line."""

    def order(entry: tuple[int, _Change]) -> tuple[int, bool, bool, bool]:
        side, (start, end, lines) = entry
        # Of two insertions at one place, a comment stays above the line that it is about.
        about_next = bool(lines) and lines[-1].lstrip().startswith("#")
        return start, end > start, about_next, side != first

    merged: list[str] = []
    position = 0
    last: _Change | None = None
    for _, change in sorted(((side, one) for side in (0, 1) for one in sides[side]), key=order):
        start, end, lines = change
        if change == last:
            continue  # both sides made it
        if start < position:
            return None
        merged += base[position:start]
        merged += lines
        position, last = end, change
    return merged + base[position:]


def _changes(old: list[str], new: list[str]) -> list[_Change]:
    """Return (first line, line after the last, new lines) of each difference."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    inner = old[head : len(old) - tail], new[head : len(new) - tail]
    steps = SequenceMatcher(None, *inner, autojunk=False).get_opcodes()
    return [
        (head + start, head + end, new[head + first : head + last])
        for what, start, end, first, last in steps
        if what != "equal"
    ]


def write_merged(resource: Resource, merged: dict[str, Any]) -> None:
    """Edit `resource` until its data is `merged`, a mapping.

    Absent fields are removed, others set one by one. List elements are removed, edited in place and appended
    if the order of the kept ones allows it; otherwise the list is rewritten.
    """
    _write_fields(resource, (), _mapping(resource.get()), merged)


def _write_fields(resource: Resource, path: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    for key in [key for key in old if key not in new]:
        resource.remove((*path, key))
    for key, value in new.items():
        if key not in old:
            resource.set((*path, key), value)
        elif not same_data(old[key], value):
            _write(resource, (*path, key), old[key], value)


def _write(resource: Resource, path: Path, old: Any, new: Any) -> None:
    # An empty mapping or list is written as {} or [].
    if isinstance(old, dict) and isinstance(new, dict) and old and new:
        _write_fields(resource, path, old, new)
    elif isinstance(old, list) and isinstance(new, list) and old and new:
        _write_elements(resource, path, old, new)
    else:
        resource.set(path, new)


def _write_elements(resource: Resource, path: Path, old: list[Any], new: list[Any]) -> None:
    places = _kept_places(old, new)
    if not places:
        resource.set(path, new)
        return
    for place in sorted(set(range(len(old))) - set(places), reverse=True):
        resource.remove((*path, place))
    for number, place in enumerate(places):
        if not same_data(old[place], new[number]):
            _write(resource, (*path, number), old[place], new[number])
    for number in range(len(places), len(new)):
        resource.set((*path, number), new[number])


def _kept_places(old: list[Any], new: list[Any]) -> list[int]:
    """Return the rising positions in `old` of the first elements of `new`; the others are appended.

    [] if the elements are not mappings with a common key, or if the new order would move one.
    """
    identity = _identity(old, new)
    if identity is None:
        return []
    known = {_key(element, identity): place for place, element in enumerate(old)}
    places: list[int] = []
    for element in new:
        place = known.get(_key(element, identity))
        if place is None:
            break
        places.append(place)
    rest = [element for element in new[len(places) :] if _key(element, identity) in known]
    rising = all(before < after for before, after in zip(places, places[1:], strict=False))
    return places if rising and not rest and len(known) == len(old) else []


def _identity(old: list[Any], new: list[Any]) -> tuple[str, ...] | None:
    """Return the common key of the elements that matches most of them."""
    elements = old + new
    if not all(isinstance(element, dict) for element in elements):
        return None
    found = [keys for keys in IDENTITIES if all(keys[0] in element for element in elements)]

    def common(keys: tuple[str, ...]) -> int:
        return len({_key(element, keys) for element in old} & {_key(element, keys) for element in new})

    return max(found, key=common) if found else None


def _key(element: dict[str, Any], identity: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(element.get(key, "")) for key in identity)


def _mapping(value: object) -> dict[str, Any]:
    assert isinstance(value, dict)
    return value
