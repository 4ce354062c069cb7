"""Find people's edits of a package that a merge or a pipeline lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from krmkit.kpt.merge.conflict import ResourceConflict, said_value
from krmkit.kpt.merge.item import merged_data
from krmkit.kpt.merge.kptfile import WHOLE, merge_kptfiles, named_functions, without_render
from krmkit.kpt.merge.listkeys import MergeSchema, schema_of
from krmkit.kpt.merge.match import Placed, matched, source_or_none
from krmkit.kpt.merge.stamp import who
from krmkit.kpt.merge.threeway import UPSTREAM, elements_by_step, merge
from krmkit.kpt.merge.tree import is_kptfile
from krmkit.kpt.merge.unedited import SUFFIXES, comments_in, data_of
from krmkit.kpt.source import FileResource
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import MISSING
from krmkit.libraries.yaml.data import same_data
from krmkit.libraries.yaml.errors import YamlError

Files = Mapping[str, bytes]


def lost_edits(before: Files, edited: Files, result: Files, merged: Files) -> Iterator[ResourceConflict]:
    """Yield the edits from `before` to `edited` that `result`, rendered from `merged`, lacks.

    A function may have changed an edited value, or created a removed resource again. Comments are not
    compared.
    """
    paths = sorted(path for path in {*before, *edited} if before.get(path) != edited.get(path))
    sides = [{path: source_or_none(path, side.get(path)) for path in paths} for side in (before, edited)]
    texts = {
        path for path in paths for side, one in zip((before, edited), sides, strict=True)
        if path in side and one[path] is None
    }  # fmt: skip
    for path in sorted(texts):
        if result.get(path) != merged.get(path):
            yield from _lost_text(path, before.get(path), edited.get(path), result.get(path))
    if len(texts) == len(paths):
        return
    olds, ones = (_placed({path: one for path, one in side.items() if path not in texts}) for side in sides)
    after = _placed({path: source_or_none(path, content) for path, content in result.items()})
    was, now = matched(ones, olds), matched(ones, after, generated=True)
    for path, item in ones:
        old, new = was.get(id(item)), now.get(id(item))
        if old is not None and old.text == item.text:
            continue
        if new is None:
            name = who(item)
            yield ResourceConflict(path, name, (), f"{name}: edited by hand, and removed by the pipeline")
        else:
            yield from _lost_fields(path, old, item, new)
    kept, found = ({id(one) for one in side.values()} for side in (was, now))
    gone = [(path, item) for path, item in olds if id(item) not in kept]
    again = matched(gone, [(path, item) for path, item in after if id(item) not in found])
    for path, item in gone:
        if id(item) in again:
            name = who(item)
            yield ResourceConflict(path, name, (), f"{name}: removed by hand, and made again by the pipeline")


def lost_comments(
    edits: Iterable[tuple[Files, Files]], result: Files, files: Files, *sides: Files
) -> list[ResourceConflict]:
    """Return people's comments that `result` lacks, each with its line in the package `files`.

    `edits`: (before, after) of what people changed. `sides`: two versions of the upstream; a comment that
    only the first has was removed there, so it is not lost.
    """
    lost: Counter[str] = Counter()
    for before, after in edits:
        if any(
            b"#" in after[path] for path in after if after[path] not in (before.get(path), result.get(path))
        ):
            changed = [path for path in {*before, *after} if before.get(path) != after.get(path)]
            wrote = _comments(after, changed) - _comments(before, changed)
            if wrote:
                both = after, result
                around = {path for side in both for path in side if after.get(path) != result.get(path)}
                # A comment that moved stands in another file; in quotes it may be written in another way.
                told = [one.encode() for one in wrote if '"' not in one and "\\" not in one]
                if len(told) == len(wrote):
                    texts = {path: b"".join(side.get(path, b"") for side in both) for path in around}
                    around = {path for path in around if any(one in texts[path] for one in told)}
                lost |= (_comments(after, around) - _comments(result, around)) & wrote
    if lost:
        old, new = (_comments(side, [*side]) for side in sides)
        lost -= old - new
    conflicts = []
    for path in sorted(files) if lost else ():
        for number, line in enumerate(files[path].decode("utf-8", "replace").split("\n"), 1):
            one = next((one for one in lost if lost[one] and line.rstrip("\r ").endswith(one)), "")
            if one:
                lost[one] -= 1
                message = f"the comment {said_value(one)} is lost: its line was removed, or made anew"
                conflicts.append(ResourceConflict(path, "", (), message, line=number, column=1))
    return conflicts


def _comments(files: Files, paths: Iterable[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for path in paths:
        content = files.get(path, b"")
        if b"#" in content and (path.endswith(SUFFIXES) or is_kptfile(path)):
            found.update(comments_in(content.decode("utf-8", "replace")))
    return found


def _placed(files: Mapping[str, Any]) -> list[Placed]:
    return [(path, item) for path, file in sorted(files.items()) if file is not None for item in file.items]


def _lost_text(
    path: str, old: bytes | None, here: bytes | None, now: bytes | None
) -> Iterator[ResourceConflict]:
    if here is None or now is None:
        if here is not now:
            done = "removed by hand, and made again" if here is None else "edited by hand, and removed"
            yield ResourceConflict(path, "", (), f"{done} by the pipeline")
        return
    trees = [_tree(text) if path.endswith((*SUFFIXES, ".json")) else None for text in (old or b"", here, now)]
    if trees[1] is not None and trees[2] is not None:
        wanted = merge(trees[0] or MISSING, trees[1], trees[2], infer=True, prefer=UPSTREAM).value
        for place, value, other in _differences((), wanted, trees[2], None, True):
            if place != ("metadata", "name") or str(value) not in str(other):
                yield _changed(path, "", place, value, other)
        return
    before, after, made = (Counter(text.split(b"\n")) for text in (old or b"", here, now))
    if (after - before) - (made - before) or (before - after) & (made - after):
        yield ResourceConflict(path, "", (), "changed by hand, and changed again by the pipeline")


def _changed(path: str, name: str, place: tuple[str, ...], value: Any, other: Any) -> ResourceConflict:
    wrote, makes = said_value(value) or "nothing", said_value(other) or "nothing"
    message = f"changed by hand to {wrote}, and the pipeline makes it {makes}"
    return ResourceConflict(path, name, place, message, value, other)


def _lost_fields(
    path: str, old: FileResource | None, item: FileResource, new: FileResource
) -> Iterator[ResourceConflict]:
    before = data_of(old) if old is not None else {}
    here, now = data_of(item), data_of(new)
    infer = is_kptfile(path)
    if infer:
        before, here, now = map(without_render, (before, here, now))
        wanted = merge_kptfiles(before, here, now, parts=WHOLE).value
        wanted, now = named_functions(wanted, now)
    else:
        wanted = merged_data(item.kind, item.api_version, before, here, now, UPSTREAM).value
    schema = schema_of(item.api_version, item.kind)
    for place, value, other in _differences((), wanted, now, schema, infer):
        # The pipeline may put something before or behind a name that a person gave.
        if place != ("metadata", "name") or infer or str(value) not in str(other):
            yield _changed(path, who(item), place, value, other)


def _differences(
    path: tuple[str, ...], wanted: Any, now: Any, schema: MergeSchema | None, infer: bool
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield (path, wanted value, actual value) of each differing field, as deep in lists as merges go."""
    if isinstance(wanted, dict) and isinstance(now, dict):
        for key in (*wanted, *(key for key in now if key not in wanted)):
            below = schema.field(str(key)) if schema is not None else None
            values = wanted.get(key, MISSING), now.get(key, MISSING)
            yield from _differences((*path, str(key)), *values, below, infer)
        return
    if isinstance(wanted, list) and isinstance(now, list):
        elements = elements_by_step((wanted, now), schema, infer)
        if elements is not None:
            below = schema.element if schema is not None else None
            for step in {**elements[0], **elements[1]}:
                values = elements[0].get(step, MISSING), elements[1].get(step, MISSING)
                yield from _differences((*path, step), *values, below, infer)
            return
    wanted_tree, now_tree = (
        _tree(one) if isinstance(one, str) and "\n" in one else None for one in (wanted, now)
    )
    if wanted_tree is not None and now_tree is not None:
        yield from _differences(path, wanted_tree, now_tree, None, True)
    elif not (wanted is now or (wanted is not MISSING and now is not MISSING and same_data(wanted, now))):
        yield path, wanted, now


def _tree(text: str | bytes) -> dict[str, Any] | None:
    try:
        data = Resource(text if isinstance(text, str) else text.decode("utf-8")).get()
    except (YamlError, Refused, RecursionError, UnicodeDecodeError):
        return None
    return data if isinstance(data, dict) else None
