"""Three-way merge of packages as texts: upstream's changes become edits of lines in the local files.

Rules and order are those of `kpt pkg update --strategy resource-merge`: packages and subpackages one by one,
Kptfiles by their own rules, resources by identity. Beyond kpt, texts in resources and other files are merged
as trees or by lines, and kpt's silent decisions are reported as conflicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from krmkit.kpt.merge.conflict import ResourceConflict, without_outcome
from krmkit.kpt.merge.conflictplaces import placed
from krmkit.kpt.merge.item import merge_item
from krmkit.kpt.merge.lost import lost_comments
from krmkit.kpt.merge.match import source_or_none
from krmkit.kpt.merge.resources import FileMerge
from krmkit.kpt.merge.stamp import stamped_file
from krmkit.kpt.merge.threeway import LOCAL, UPSTREAM
from krmkit.kpt.merge.tree import KPTFILE, PackageTree
from krmkit.kpt.merge.unedited import SUFFIXES, is_unedited, source
from krmkit.kpt.source import SourceFile
from krmkit.krm.errors import Refused

Files = Mapping[str, bytes]


class PackageMergeError(Refused):
    """The packages cannot be merged; nothing was changed. `conflicts` need a person's decision."""

    conflicts: list[ResourceConflict]

    def __init__(self, message: str, conflicts: Sequence[ResourceConflict] = ()) -> None:
        super().__init__(message)
        self.conflicts = list(conflicts)

    @classmethod
    def stopped(cls, conflicts: Sequence[ResourceConflict]) -> PackageMergeError:
        """Return the error for a merge whose policy is to stop at conflicts."""
        undecided = [replace(one, message=without_outcome(one.message)) for one in conflicts]
        listed = "\n".join(f"  {one.place}: {one.message}" for one in undecided)
        return cls(f"{len(undecided)} in conflict, and nothing was changed:\n{listed}", undecided)


@dataclass(slots=True)
class MergedPackage:
    """The files of the merged package by path, and the conflicts.

    `executable`: files whose executable bit upstream changed, with its new value. `secrets`: of all versions.
    """

    files: dict[str, bytes]
    conflicts: list[ResourceConflict] = field(default_factory=list)
    executable: dict[str, bool] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)


def merge(base: Files, theirs: Files, ours: Files, prefer: str = UPSTREAM) -> MergedPackage:
    """Merge the changes from `base` to `theirs` into `ours`; each maps paths of a package to contents.

    `prefer`: the side that wins a conflict. Raises Refused if both sides added one subpackage, if two local
    resources match one of upstream's, and if files cannot be read or merged. Example: theirs changed the tag
    in app.yaml, ours its replicas: the merged app.yaml has both changes, and all comments of ours.
    """
    moved = _moved_folders(*(PackageTree(files) for files in (base, theirs, ours)))
    if moved:
        back = {old: new for new, old in moved.items()}
        merged = merge(base, theirs, {_placed_in(path, moved): text for path, text in ours.items()}, prefer)
        merged.files = {_placed_in(path, back): text for path, text in merged.files.items()}
        merged.conflicts = [replace(one, file=_placed_in(one.file, back)) for one in merged.conflicts]
        return merged
    trees = [PackageTree(files) for files in (base, theirs, ours)]
    merged = MergedPackage(dict(ours))
    left: list[str] = []  # the folders of subpackages that stay as they are
    folders = {folder for tree in trees for folder in tree.folders}
    for folder in sorted(folders, key=lambda one: (one.count("/") + bool(one), one)):  # parents first
        if any(_is_in(folder, one) for one in left):
            continue
        if not _merge_package(folder, trees, merged, prefer):
            left.append(folder)
    merged.conflicts += lost_comments([(base, ours)], merged.files, ours, base, theirs)
    merged.conflicts = list(placed(merged.conflicts, merged.files))
    return merged


def undo(output: Files, edited: Files, given: Files) -> dict[str, bytes]:
    """Return `edited` without the changes that a pipeline made from `given` to `output`.

        given     replicas: 2   title: "Shop {{ name }}"   size: small
        output    replicas: 4   title: "Shop north"        size: small
        edited    replicas: 4   title: "Shop north"        size: large # ours
        result    replicas: 2   title: "Shop {{ name }}"   size: large # ours

    This is a three-way merge of `edited` with the base `output` and upstream `given`. If the pipeline and a
    person changed one value, the person's stays; what only the pipeline makes is left out. Raises Refused and
    YamlError.
    """
    if output == edited:
        return dict(given)
    result = dict(edited)
    _merge_files(MergedPackage(result), FileMerge(output, given, edited, LOCAL, undoing=True))
    return result


def _merge_files(merged: MergedPackage, files: FileMerge) -> None:
    for path, content in files.merge():
        if content is None:
            merged.files.pop(path, None)
        else:
            merged.files[path] = content
    merged.conflicts += files.conflicts


def _merge_package(folder: str, trees: Sequence[PackageTree], merged: MergedPackage, prefer: str) -> bool:
    """Merge one package without its subpackages; return False if it and they stay unchanged."""
    old, new, here = (tree if folder in tree.folders else None for tree in trees)
    path = f"{folder}/{KPTFILE}"
    if old is None:
        if new is not None and here is not None:
            raise Refused(f'the subpackage "{folder}" was added both upstream and locally')
        if new is not None:
            merged.files.update({path: _marked(path, content) for path, content in new.below(folder).items()})
    elif new is not None and here is not None:
        locks = [_lock(folder, tree) for tree in (old, new, here)]
        if locks[0] is not None and locks[0] not in locks[1:]:
            # Both sides moved the subpackage along its own upstream: its files are of the version of its
            # lock.
            if locks[1] != locks[2]:
                said = "another version upstream and locally: the local one stays, with its files"
                merged.conflicts.append(ResourceConflict(path, "", ("upstreamLock",), said))
            return False
        _merge_folder(folder, old, new, here, merged, prefer)
    elif here is not None:
        _remove_folder(folder, old, here, merged)
    elif new is not None and old.below(folder) != new.below(folder):
        said = "changed upstream, deleted locally: stays deleted"
        merged.conflicts.append(ResourceConflict(path, "", (), said))
        return False
    return True


def _moved_folders(old: PackageTree, new: PackageTree, here: PackageTree) -> dict[str, str]:
    """Return the subpackages that were renamed locally: {folder here: folder in the base}.

    A new subpackage is a renamed one if it, and no other new one, has most files of a missing one.
    """
    gone = (old.folders & new.folders) - here.folders
    fresh = here.folders - old.folders - new.folders
    moved: dict[str, str] = {}
    for folder in sorted(gone):
        names = {path.removeprefix(folder) for path in old.below(folder)}
        common = {one: names & {path.removeprefix(one) for path in here.below(one)} for one in fresh}
        like = [one for one in fresh if 2 * len(common[one]) > len(names)]
        if len(like) == 1 and like[0] not in moved and not any(_is_in(folder, one) for one in moved.values()):
            moved[like[0]] = folder
    return moved


def _placed_in(path: str, folders: Mapping[str, str]) -> str:
    for before, after in folders.items():
        if _is_in(path, before):
            return after + path.removeprefix(before)
    return path


def _is_in(folder: str, other: str) -> bool:
    return folder == other or folder.startswith(other + "/")


def _lock(folder: str, tree: PackageTree) -> Any:
    path = f"{folder}/{KPTFILE}"
    if not folder or b"upstreamLock" not in tree.files[path]:
        return None
    file = source_or_none(path, tree.files[path])
    return file.items[0].get("upstreamLock") if file is not None and len(file.items) == 1 else None


def _marked(path: str, content: bytes) -> bytes:
    """Return a new upstream file with kpt's mark on its resources, as a first fetch writes it."""
    if not path.endswith(SUFFIXES):
        return content
    try:
        return stamped_file(path, content.decode("utf-8")).encode()
    except UnicodeDecodeError:
        return content


def _remove_folder(folder: str, old: PackageTree, here: PackageTree, merged: MergedPackage) -> None:
    """Remove a subpackage that upstream deleted; with local edits it stays, as a conflict."""
    before, after = old.below(folder), here.below(folder)
    if all(is_unedited(path, before.get(path), after.get(path)) for path in {*before, *after}):
        for path in here.below(folder):
            merged.files.pop(path, None)
        return
    path = f"{folder}/{KPTFILE}"
    versions = (source(path, content).items[0].get("upstreamLock") for content in (before[path], after[path]))
    own = len({*map(repr, versions)}) > 1
    why = "with files from an upstream of its own" if own else "edited locally"
    merged.conflicts.append(ResourceConflict(path, "", (), f"deleted upstream, {why}: kept"))


def _merge_folder(
    folder: str, old: PackageTree, new: PackageTree, here: PackageTree, merged: MergedPackage, prefer: str
) -> None:
    prefix = f"{folder}/" if folder else ""
    # A local subpackage's folder is not part of this package, even if it is upstream.
    base, upstream, local = (tree.own(folder, here) for tree in (old, new, here))
    _merge_kptfile(prefix + KPTFILE, [base, upstream, local], merged, prefer)
    _merge_files(merged, FileMerge(base, upstream, local, prefer))


def _merge_kptfile(path: str, parts: list[dict[str, bytes]], merged: MergedPackage, prefer: str) -> None:
    try:
        texts = [part.pop(path).decode("utf-8") for part in parts]
    except UnicodeDecodeError:
        raise Refused(f"{path} must be UTF-8 text") from None
    if texts[0] == texts[1]:
        return
    files = [SourceFile(path, text, "", path) for text in texts]
    for file in files:
        if len(file.items) != 1:
            raise Refused(f"{path} must hold one document, got {len(file.items)}")
    base, upstream, local = (file.items[0] for file in files)
    # A subpackage with its own upstream follows upstream's change of that, unless it was changed locally.
    follows = "/" in path and base.get("upstream") == local.get("upstream")
    conflicts = merge_item(path, base, upstream, local, prefer, follows=follows)
    merged.files[path] = files[2].joined(files[2].items).encode()
    merged.conflicts += [ResourceConflict.of(path, f"Kptfile {local.name}", one) for one in conflicts]
