"""Compare a package with its upstream in git, as `kpt pkg diff` does."""

from __future__ import annotations

from collections.abc import Mapping

from krmkit.fleet.follow import kptfile_of_people, package_kptfile
from krmkit.kpt.merge.match import source_or_none
from krmkit.kpt.merge.tree import is_kptfile
from krmkit.kpt.merge.unedited import is_unedited, marks_of
from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.errors import YamlError
from krmkit.storage.disk.write import FileEdit
from krmkit.storage.git.treeupdate import File
from krmkit.storage.git.upstream import Fetched, Upstream

DIFF_TYPES = ("local", "remote", "combined", "3way")
_ANNOTATIONS = ("metadata", "annotations")


def compared(local: Mapping[str, File], revision: str, form: str) -> list[tuple[str, list[FileEdit]]]:
    """Return (title, differences by path) of each comparison in `form`, one of DIFF_TYPES.

    `local`: edits here since the fetch; `remote`: upstream's changes since then, up to `revision`;
    `combined`: from that revision to the files here; `3way`: the first two. A Kptfile counts without its
    name, upstream and status, and resources without kpt's marks. Raises Refused, GitError, YamlError.
    """
    with Fetched(Upstream.of(package_kptfile(local))) as fetched:
        lock = fetched.upstream.commit
        base = fetched.revision(lock).files
        # A revision that is named must exist, also where nothing is compared with it.
        update = (
            fetched.revision(revision or fetched.upstream.ref).files if revision or form != "local" else base
        )
        revision = revision or fetched.upstream.ref
    sides = {
        "local": (f"edited here since upstream's commit {lock[:7]}", base, local),
        "remote": (f"changed upstream from commit {lock[:7]} to {revision}", base, update),
        "combined": (f"from upstream's {revision} to the files here", update, local),
    }
    chosen = ("local", "remote") if form == "3way" else (form,)
    return [(title, _edits(before, after)) for title, before, after in (sides[one] for one in chosen)]


def _edits(before: Mapping[str, File], after: Mapping[str, File]) -> list[FileEdit]:
    edits = []
    for path in sorted({*before, *after}):
        old, new = (side[path].content if path in side else None for side in (before, after))
        if is_unedited(path, old, new):
            continue
        old, new = (None if one is None else _bare(path, one) for one in (old, new))
        if old != new:
            edits.append(FileEdit(path, _text(old), _text(new)))
    return edits


def _text(content: bytes | None) -> str | None:
    """Return the text of a file, "" of a binary one."""
    try:
        return None if content is None else content.decode("utf-8")
    except UnicodeDecodeError:
        return ""


def _bare(path: str, content: bytes) -> bytes:
    """Return a file without the marks of an update or a render."""
    try:
        if is_kptfile(path):
            content = kptfile_of_people(content)
        file = source_or_none(path, content)
        for item in file.items if file is not None else ():
            for mark in marks_of(item.get()):
                item.remove((*_ANNOTATIONS, mark))
                if item.get(*_ANNOTATIONS) == {}:
                    item.remove(_ANNOTATIONS)
        return content if file is None else file.joined(file.items).encode()
    except (Refused, YamlError):
        return content
