"""Undo a pipeline in a branch: the branch, less what the pipeline made of its input.

    what went in    replicas: 2   title: "Shop {{ name }}"   size: small
    what came out   replicas: 4   title: "Shop north"        size: small
    the branch      replicas: 4   title: "Shop north"        size: large # ours
    undone          replicas: 2   title: "Shop {{ name }}"   size: large # ours

It is a merge whose base is what came out, and whose other side is what went in. The result is people's text. Where the
pipeline and a person changed the same value, the person's stays; what only the pipeline makes is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from krmkit.kpt.merge.item import merge_item
from krmkit.kpt.merge.match import Placed, matched, source_or_none
from krmkit.kpt.merge.text import merge_file
from krmkit.kpt.merge.threeway import LOCAL
from krmkit.kpt.source import FileResource, SourceFile, joined

Files = Mapping[str, bytes]


def undo(output: Files, edited: Files, given: Files) -> dict[str, bytes]:
    """Return `edited` without the changes from `given`, the input of a pipeline, to `output`, what came out of it.

    Raises Refused and YamlError if a resource cannot be edited.
    """
    if output == edited:
        return dict(given)
    made = {path for path in {*output, *given} if output.get(path) != given.get(path)}
    result = dict(edited)
    if not made:
        return result
    paths = sorted(made | {path for path in {*output, *edited} if output.get(path) != edited.get(path)})
    sources = [
        {path: source_or_none(path, side.get(path)) for path in paths} for side in (output, edited, given)
    ]
    texts = {path for path in paths if any(path in side and one[path] is None
             for side, one in zip((output, edited, given), sources, strict=True))}  # fmt: skip
    for path in sorted(texts & made):
        content = _text(path, output, edited, given)
        if content is None:
            result.pop(path, None)
        else:
            result[path] = content
    known = [
        {path: file for path, file in side.items() if file is not None and path not in texts}
        for side in sources
    ]
    for path, undone in _Undone(*known).files().items():
        if undone is None:
            result.pop(path, None)
        else:
            result[path] = undone
    return result


def _text(path: str, output: Files, edited: Files, given: Files) -> bytes | None:
    """A file that is not of resources alone."""
    old, here, new = output.get(path), edited.get(path), given.get(path)
    if here == old or old is None:
        return new if here == old else here
    if here is None or new is None:
        return None  # a person removed it, or the pipeline made it
    return merge_file(path, old, new, here, LOCAL)[0]


class _Undone:
    """The resources of a branch after the undoing, and the files that they lie in."""

    def __init__(
        self, output: dict[str, SourceFile], edited: dict[str, SourceFile], given: dict[str, SourceFile]
    ) -> None:
        self.output, self.edited, self.given = output, edited, given
        made, self.here, wanted = (_placed(side) for side in (output, edited, given))
        self.place = {id(item): path for path, item in (*made, *wanted)}
        self.before = matched(self.here, made)
        self.input = matched(made, wanted, generated=True)
        self.taken = {id(item) for item in self.input.values()}

    def files(self) -> dict[str, bytes | None]:
        """The contents of the files that change, None for those that go."""
        kept: dict[str, list[FileResource]] = {path: [] for path in self.edited}
        for path, item in self.here:
            before = self.before.get(id(item))
            given = self.input.get(id(before)) if before is not None else None
            if before is None:
                kept[path].append(item)
            elif given is not None:
                place = path if path != self.place[id(before)] else self.place[id(given)]
                if item.text == before.text:
                    item.revert(given.text, changed=item.text != given.text)
                elif before.text != given.text:
                    merge_item(path, before, given, item, LOCAL, whole=True)
                kept.setdefault(place, []).append(item)
        for path, item in _placed(self.given):
            if id(item) not in self.taken:
                kept.setdefault(path, []).append(item)  # the pipeline removed it
        return {path: self._content(path, items) for path, items in kept.items()}

    def _content(self, path: str, items: list[FileResource]) -> bytes | None:
        here, given, made = (side.get(path) for side in (self.edited, self.given, self.output))
        unedited = here is None or (made is not None and here.text == made.text)
        if (
            given is not None
            and unedited
            and [one.text for one in items] == [one.text for one in given.items]
        ):
            return given.text.encode()
        if here is None or not here.items:
            text = here.text if here is not None else ""
            return (text + joined(items)).encode() if items or here is not None else None
        return here.joined(items).encode() if items else None


def _placed(files: dict[str, SourceFile]) -> list[Placed]:
    return [(path, item) for path, file in sorted(files.items()) for item in file.items]
