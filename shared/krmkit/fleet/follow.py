"""A package that follows its upstream in git: the upstream's changes merged in, subpackages by their own upstreams.

Rules: those of `kpt pkg update`. Nothing is written here; the merged files are handed back.
"""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import replace

from krmkit.disk import folders
from krmkit.git.program import GitError
from krmkit.git.treeupdate import File
from krmkit.git.upstream import Fetched, Revision, Upstream, UpstreamError
from krmkit.porch.merge.threeway import UPSTREAM
from krmkit.render.merge.unedited import is_unedited
from krmkit.render.package import KPTFILE
from krmkit.render.packagemerge import MergedPackage, PackageMergeError, merge_packages
from krmkit.render.source import SourceFile

DEEPEST = 16  # subpackages in subpackages: one that names its own package as upstream would never end
STRATEGIES = ("resource-merge", "fast-forward", "force-delete-replace")


def updated(
    local: dict[str, File], revision: str, strategy: str | None, on_conflict: str = UPSTREAM
) -> tuple[MergedPackage, dict[str, File]]:
    """The package at a revision of its upstream, and its subpackages at the revisions that their own upstreams name.

    Returns the upstreams' files too, by path. Raises UpstreamError, GitError, PackageMergeError, ListError, YamlError.
    local: the package's own files; revision: "" for the one that the Kptfile names; on_conflict: as `merge_packages` has it.
    """
    merged, fresh = _follow(local, revision, strategy, on_conflict)
    pending = [("", merged.files)]
    merged.files = {}
    while pending:
        prefix, files = pending.pop()
        if prefix and "upstream" in _kptfile({KPTFILE: File(files[KPTFILE])}):
            below, found = _followed_below(prefix.rstrip("/"), files, on_conflict)
            files = below.files
            merged.conflicts += [replace(one, file=prefix + one.file) for one in below.conflicts]
            fresh.update({prefix + path: file for path, file in found.items()})
        own, subpackages = _split(files)
        merged.files.update({prefix + path: content for path, content in own.items()})
        pending += [
            (f"{prefix}{folder}/", subpackages[folder]) for folder in sorted(subpackages, reverse=True)
        ]
    return merged, fresh


def _followed_below(
    folder: str, files: dict[str, bytes], on_conflict: str
) -> tuple[MergedPackage, dict[str, File]]:
    """A subpackage at the revision that its own upstream names. Raises UpstreamError."""
    if folder.count("/") >= DEEPEST:
        raise UpstreamError(
            f"subpackage {folder}: subpackages with an upstream lie more than {DEEPEST} folders deep"
        )
    try:
        return _follow({path: File(content) for path, content in files.items()}, "", None, on_conflict)
    except (GitError, UpstreamError, PackageMergeError) as error:
        raise UpstreamError(f"subpackage {folder}: {error}") from None


def _split(files: dict[str, bytes]) -> tuple[dict[str, bytes], dict[str, dict[str, bytes]]]:
    """A package's own files, and those of each subpackage directly below it by their paths in there."""
    folders = {path.removesuffix(f"/{KPTFILE}") for path in files if path.endswith(f"/{KPTFILE}")}
    own: dict[str, bytes] = {}
    below: dict[str, dict[str, bytes]] = defaultdict(dict)
    for path, content in files.items():
        end = path.find("/")
        while end >= 0 and path[:end] not in folders:
            end = path.find("/", end + 1)
        if end < 0:
            own[path] = content
        else:
            below[path[:end]][path[end + 1 :]] = content
    return own, below


def _follow(
    local: dict[str, File], revision: str, strategy: str | None, on_conflict: str
) -> tuple[MergedPackage, dict[str, File]]:
    with Fetched(Upstream.of(_kptfile(local))) as fetched:
        base = fetched.revision(fetched.upstream.commit)
        update = fetched.revision(revision or fetched.upstream.ref)
        strategy = strategy or _strategy(local)
        merged = _merge(strategy, base, update, local, on_conflict)
        _lock(merged, fetched.upstream, update, strategy)
    return merged, dict(update.files)


def local_files(folder: str) -> dict[str, File]:
    """Every file of the package. Raises UpstreamError where the folder is not a package."""
    if not os.path.isfile(os.path.join(folder, KPTFILE)):
        raise UpstreamError(f"{folder}: must be a package, a folder with a Kptfile")
    found: dict[str, File] = {}
    for path in folders.files(folder):
        place = os.path.join(folder, path)
        content = folders.read_file(place, path, within=folder)
        assert content is not None
        found[path] = File(content, bool(os.stat(place).st_mode & 0o100))
    return found


def _kptfile(files: dict[str, File]) -> dict[str, object]:
    return _data(_source(files[KPTFILE].content))


def _source(content: bytes) -> SourceFile:
    file = SourceFile(KPTFILE, content.decode("utf-8"), "", KPTFILE)
    if len(file.items) != 1:
        raise UpstreamError(f"Kptfile must hold one document, got {len(file.items)}")
    return file


def _data(file: SourceFile) -> dict[str, object]:
    data = file.items[0].get()
    assert isinstance(data, dict)
    return data


def _strategy(files: dict[str, File]) -> str:
    upstream = _kptfile(files).get("upstream")
    given = upstream.get("updateStrategy") if isinstance(upstream, dict) else None
    if given and given not in STRATEGIES:
        raise UpstreamError(
            f"Kptfile: upstream.updateStrategy must be one of {', '.join(STRATEGIES)}, got {given}"
        )
    return str(given or STRATEGIES[0])


def _merge(
    strategy: str, base: Revision, update: Revision, local: dict[str, File], on_conflict: str
) -> MergedPackage:
    before, after, here = (
        {path: file.content for path, file in files.items()} for files in (base.files, update.files, local)
    )
    if KPTFILE not in after:
        raise UpstreamError(f"{update.ref} has no Kptfile, so it is not a package any more")
    if strategy == "resource-merge":
        return merge_packages(before, after, here, on_conflict=on_conflict)
    kptfile = {KPTFILE: here[KPTFILE]}
    if strategy == "fast-forward":
        edited = sorted(
            path
            for path in {*before, *here} - {KPTFILE}
            if not is_unedited(path, before.get(path), here.get(path))
        )
        if edited:
            raise UpstreamError(
                f"fast-forward needs a package without local edits; edited: {', '.join(edited[:5])}"
                f"{' and more' if len(edited) > 5 else ''}; use --strategy resource-merge"
            )
    return MergedPackage({**after, **kptfile})


def _lock(merged: MergedPackage, upstream: Upstream, update: Revision, strategy: str) -> None:
    """Write the revision that the package has now into its Kptfile, as kpt does."""
    file = _source(merged.files[KPTFILE])
    kptfile = file.items[0]
    for path, value in (
        (("upstream", "git", "ref"), update.ref),
        (("upstream", "updateStrategy"), strategy),
        (("upstreamLock", "git", "repo"), upstream.repo),
        (("upstreamLock", "git", "directory"), f"/{upstream.directory}"),
        (("upstreamLock", "git", "ref"), update.name),
        (("upstreamLock", "git", "commit"), update.commit),
    ):
        if kptfile.get(*path) != value:
            kptfile.set(path, value)
    merged.files[KPTFILE] = file.joined(file.items).encode()
