"""Three-way merge of packages as texts: upstream's changes become edits of lines in the local files.

Rules and order are those of `kpt pkg update --strategy resource-merge`: packages and subpackages one by one, Kptfiles by their
own rules, resources by identity. Beyond kpt, texts in resources and other files are merged as trees or by lines, and
kpt's silent decisions are reported as conflicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from krmkit.kpt.merge.conflict import ResourceConflict, without_outcome
from krmkit.kpt.merge.conflictplaces import placed
from krmkit.kpt.merge.edits import write_merged
from krmkit.kpt.merge.kptfile import merge_kptfiles
from krmkit.kpt.merge.lines import LineMergeError
from krmkit.kpt.merge.policy import MARKERS, STOP, marked_files
from krmkit.kpt.merge.resources import FileMerge
from krmkit.kpt.merge.stamp import stamped_file
from krmkit.kpt.merge.threeway import LOCAL, UPSTREAM
from krmkit.kpt.merge.tree import PackageTree
from krmkit.kpt.merge.unedited import SUFFIXES, data_of, is_unedited, source
from krmkit.kpt.merge.units import IdentityError
from krmkit.kpt.source import SourceFile
from krmkit.render.secrets.files import masked_conflicts

KPTFILE = "Kptfile"


class PackageMergeError(ValueError):
    """The packages cannot be merged; nothing was changed. `conflicts`: those that nobody was to decide, else none."""

    conflicts: list[ResourceConflict]

    def __init__(self, message: str, conflicts: Sequence[ResourceConflict] = ()) -> None:
        super().__init__(message)
        self.conflicts = list(conflicts)

    @classmethod
    def stopped(cls, conflicts: Sequence[ResourceConflict]) -> PackageMergeError:
        """The error of a merge that was to stop at conflicts, which takes no side of them."""
        undecided = [replace(one, message=without_outcome(one.message)) for one in conflicts]
        listed = "\n".join(f"  {one.place}: {one.message}" for one in undecided)
        return cls(f"{len(undecided)} in conflict, and nothing was changed:\n{listed}", undecided)


@dataclass(slots=True)
class MergedPackage:
    """The files of the merged package by path, and the conflicts.

    `executable`: the files whose executable bit upstream changed, with the new value.
    """

    files: dict[str, bytes]
    conflicts: list[ResourceConflict] = field(default_factory=list)
    executable: dict[str, bool] = field(default_factory=dict)


def merge_packages(
    base: Mapping[str, bytes],
    upstream: Mapping[str, bytes],
    local: Mapping[str, bytes],
    *,
    on_conflict: str = UPSTREAM,
) -> MergedPackage:
    """Merge the changes from `base` to `upstream` into `local`; each maps the paths of a package to contents.

    `on_conflict` decides about a value that both sides changed: "upstream" and "local" take that side's, "stop" raises
    PackageMergeError with all conflicts, "markers" writes both into the file as git does (a Kptfile takes upstream's).
    Raises PackageMergeError if a subpackage was added on both sides, if two local resources claim to be one of
    upstream, and if files cannot be read or merged. Example: upstream changed the tag in app.yaml, local its replicas:
    the merged app.yaml has both, and all its comments.
    """
    trees = [PackageTree(files) for files in (base, upstream, local)]
    merged = _merged(trees, LOCAL if on_conflict == LOCAL else UPSTREAM)
    merged.conflicts = masked_conflicts(placed(merged.conflicts, merged.files), (base, upstream, local))
    if merged.conflicts and on_conflict == STOP:
        raise PackageMergeError.stopped(merged.conflicts)
    if merged.conflicts and on_conflict == MARKERS:
        kept = _merged(trees, LOCAL).files
        kept.update({path: content for path, content in merged.files.items() if _is_kptfile(path)})
        merged.conflicts = [
            one
            if _is_kptfile(one.file) or merged.files.get(one.file) == kept.get(one.file)
            else replace(one, message=without_outcome(one.message))
            for one in merged.conflicts
        ]
        merged.files = marked_files(merged.files, kept)
    return merged


def _merged(trees: list[PackageTree], prefer: str) -> MergedPackage:
    merged = MergedPackage(dict(trees[2].files))
    for folder in sorted({folder for tree in trees for folder in tree.folders}, key=_parents_first):
        old, new, here = (tree if folder in tree.folders else None for tree in trees)
        if old is not None and new is not None and here is not None:
            try:
                _merge_folder(folder, old, new, here, merged, prefer)
            except (IdentityError, LineMergeError) as error:
                raise PackageMergeError(str(error)) from None
        elif old is None and new is not None and here is not None:
            raise PackageMergeError(f'the subpackage "{folder}" was added both upstream and locally')
        elif old is None and new is not None and here is None:
            merged.files.update({path: _marked(path, content) for path, content in new.below(folder).items()})
        elif old is not None and new is None and here is not None:
            _remove_folder(folder, old, here, merged)
    return merged


def _marked(path: str, content: bytes) -> bytes:
    """A new file of upstream with kpt's mark on its resources, as in the files fetched first."""
    if not path.endswith(SUFFIXES):
        return content
    try:
        return stamped_file(path, content.decode("utf-8")).encode()
    except UnicodeDecodeError:
        return content


def _is_kptfile(path: str) -> bool:
    return path.rpartition("/")[2] == KPTFILE


def _parents_first(folder: str) -> tuple[int, str]:
    return (folder.count("/") + bool(folder), folder)


def _remove_folder(folder: str, old: PackageTree, here: PackageTree, merged: MergedPackage) -> None:
    """Remove a subpackage that upstream deleted; one with local edits stays, with a conflict."""
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
    files = FileMerge(base, upstream, local, prefer)
    for path, content in files.merge():
        if content is None:
            merged.files.pop(path, None)
        else:
            merged.files[path] = content
    merged.conflicts += files.conflicts


def _merge_kptfile(path: str, parts: list[dict[str, bytes]], merged: MergedPackage, prefer: str) -> None:
    try:
        texts = [part.pop(path).decode("utf-8") for part in parts]
    except UnicodeDecodeError:
        raise PackageMergeError(f"{path} must be UTF-8 text") from None
    if texts[0] == texts[1]:
        return
    files = [SourceFile(path, text, "", path) for text in texts]
    for file in files:
        if len(file.items) != 1:
            raise PackageMergeError(f"{path} must hold one document, got {len(file.items)}")
    file = files[2]
    local = file.items[0]
    base, upstream, before = (data_of(each.items[0]) for each in files)
    # A subpackage with its own upstream follows upstream's change of that, unless it was changed locally.
    follows = "/" in path and base.get("upstream") == before.get("upstream")
    outcome = merge_kptfiles(base, upstream, before, with_upstream=follows, prefer=prefer)
    write_merged(local, outcome.value)
    merged.files[path] = file.joined(file.items).encode()
    merged.conflicts += [ResourceConflict.of(path, f"Kptfile {local.name}", one) for one in outcome.conflicts]
