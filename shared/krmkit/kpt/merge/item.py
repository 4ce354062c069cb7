"""Three-way merge of one resource, written into its local text."""

from __future__ import annotations

from typing import Any

from krmkit.kpt.merge.edits import written
from krmkit.kpt.merge.kptfile import MERGED, WHOLE, merge_kptfiles
from krmkit.kpt.merge.listkeys import schema_of
from krmkit.kpt.merge.text import merge_inside
from krmkit.kpt.merge.threeway import Conflict, MergedValue, merge
from krmkit.kpt.merge.tree import is_kptfile
from krmkit.kpt.merge.unedited import data_of, marks_of
from krmkit.kpt.source import FileResource
from krmkit.libraries.schema.fields import MISSING


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
    """Apply the change from `base` to `theirs` to `item`; return the fields that both sides changed.

    `prefer`: the side that wins a conflict. A Kptfile is merged in the parts that kpt merges, with `follows`
    also its upstream, with `whole` everything.
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
    text = written(item, base.original if base is not None else "", theirs.original, value)
    if text != item.text:
        item.revert(text, changed=True)
    return outcome.conflicts


def merged_data(kind: str, api_version: str, base: Any, theirs: Any, local: Any, prefer: str) -> MergedValue:
    """Merge the data of a resource, and the texts in its fields."""

    def inside(path: tuple[str, ...], old: str, new: str, here: str) -> MergedValue | None:
        return merge_inside(kind, path, old, new, here, prefer)

    outcome = merge(base, theirs, local, schema_of(api_version, kind), prefer=prefer, texts=inside)
    return outcome if outcome.value is not MISSING else MergedValue({}, outcome.conflicts)
