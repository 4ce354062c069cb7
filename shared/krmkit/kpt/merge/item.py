"""Three-way merge of one resource, onto its local text.

The merge of the data says what the result is. A merge of the lines that has this data, and all comments that were added
locally, is taken as it is: it has everything else that either side wrote. Else the data is written into the local text
as edits, and comments that a rewritten list lost are put back where their lines are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from krmkit.kpt.merge.comments import merge_comments, put_back
from krmkit.kpt.merge.edits import write_merged
from krmkit.kpt.merge.kptfile import MERGED, WHOLE, merge_kptfiles
from krmkit.kpt.merge.listkeys import schema_of
from krmkit.kpt.merge.match import is_kptfile
from krmkit.kpt.merge.text import merge_inside
from krmkit.kpt.merge.threeway import Conflict, MergedValue, merge
from krmkit.kpt.merge.unedited import comments_of, data_of, marks_of
from krmkit.kpt.source import FileResource
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import MISSING
from krmkit.libraries.yaml.data import same_data
from krmkit.libraries.yaml.errors import YamlError

_LONGEST = 4000  # lines that are compared; a merge by lines takes up to the square of their number
_Change = tuple[int, int, list[str]]


def merge_item(
    path: str,
    base: FileResource | None,
    theirs: FileResource,
    item: FileResource,
    prefer: str,
    *,
    follows: bool = False,
    whole: bool = False,
) -> list[Conflict]:
    """Apply the change from `base` to `theirs` to the local `item`; return the fields that both sides changed.

    `prefer`: the side that wins these. Of a Kptfile, the parts that kpt merges, also the upstream with `follows`, or
    everything with `whole`.
    """
    before = data_of(base) if base is not None else {}
    if is_kptfile(path):
        parts = WHOLE if whole else MERGED
        outcome = merge_kptfiles(before, data_of(theirs), data_of(item), follows, prefer, parts)
    else:
        outcome = merged_data(item.kind, item.api_version, before, data_of(theirs), data_of(item), prefer)
    value = outcome.value
    if marks := marks_of(item.get()):
        value.setdefault("metadata", {}).setdefault("annotations", {}).update(marks)
    old, new, here = base.original if base is not None else "", theirs.original, item.original
    added = Counter(comments_of(here)) - Counter(comments_of(old))
    for text in merged_lines(old, new, here) if base is not None else ():
        if says(text, value) and not added - Counter(comments_of(text)):
            if text != here:
                item.revert(text, changed=True)
            return outcome.conflicts
    write_merged(item, value)
    text = item.text
    if "#" in new or "#" in old:
        text = merge_comments(old, new, here, text)
    if added:
        text = put_back(text, here, added)
    if text != item.text:
        item.revert(text, changed=True)
    return outcome.conflicts


def merged_data(kind: str, api_version: str, base: Any, theirs: Any, local: Any, prefer: str) -> MergedValue:
    """Merge the data of a resource, and the texts in its fields."""

    def inside(path: tuple[str, ...], old: str, new: str, here: str) -> MergedValue | None:
        return merge_inside(kind, path, old, new, here, prefer)

    outcome = merge(base, theirs, local, schema_of(api_version, kind), prefer=prefer, texts=inside)
    return outcome if outcome.value is not MISSING else MergedValue({}, outcome.conflicts)


def says(text: str, data: Any) -> bool:
    """Whether a text is YAML or JSON with this data."""
    try:
        return same_data(Resource(text).get(), data)
    except (YamlError, Refused, RecursionError):
        return False


def merged_lines(base: str, theirs: str, local: str) -> Iterator[str]:
    """The merges of three texts by lines: none where both sides changed the same line.

    Changes may touch each other; where both sides insert lines at one place there are two, one for each order. Line
    ends are the local ones.
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
    """The lines with the changes of both sides; None if two of them are about one line."""

    def order(entry: tuple[int, _Change]) -> tuple[int, bool, bool]:
        side, (start, end, _) = entry
        return start, end > start, side != first

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
    """(first line, line behind the last, new lines) of each difference."""
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
