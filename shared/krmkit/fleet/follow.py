"""Update a package and its subpackages from their upstreams in git, as `kpt pkg update` does, in memory."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from krmkit.kpt.kptfile import API_VERSION
from krmkit.kpt.merge.match import source_or_none
from krmkit.kpt.merge.packages import MergedPackage, PackageMergeError
from krmkit.kpt.merge.policy import UNRESOLVED, unresolved_line
from krmkit.kpt.merge.threeway import UPSTREAM
from krmkit.kpt.merge.tree import PackageTree, is_kptfile
from krmkit.kpt.merge.unedited import is_unedited
from krmkit.kpt.source import SourceFile
from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.data import go_data, text_data
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Node
from krmkit.render.package import KPTFILE
from krmkit.render.packagemerge import merge_packages
from krmkit.render.status import drop_status
from krmkit.storage.disk import folders
from krmkit.storage.git.program import GitError
from krmkit.storage.git.treeupdate import File
from krmkit.storage.git.upstream import Fetched, Revision, Upstream

DEEPEST = 16  # nesting of subpackages: one whose upstream is its own package would recurse for ever
_EMPTY = b"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: nothing\n"
STRATEGIES = ("resource-merge", "fast-forward", "force-delete-replace", "copy-merge")


def updated(
    local: dict[str, File], revision: str, strategy: str | None, on_conflict: str = UPSTREAM
) -> tuple[MergedPackage, dict[str, File]]:
    """Return the package at its upstream's revision, and its subpackages at those of their own upstreams.

    Returns the upstreams' files too, by path. Raises Refused, GitError, PackageMergeError, YamlError.
    revision: "" for the one in the Kptfile; on_conflict: as in `merge_packages`.
    """
    merged, fresh = _follow(local, revision, strategy, on_conflict)
    follow_below(merged, fresh, on_conflict)
    return merged, fresh


def refuse_old_kptfiles(files: Mapping[str, bytes], where: str) -> None:
    """Raise Refused for a Kptfile of a version that kpt no longer reads: its content would be lost."""
    for path in sorted(filter(is_kptfile, files)):
        file = source_or_none(path, files[path])
        version = file.items[0].api_version if file is not None and file.items else ""
        if version.startswith("kpt.dev/") and version != API_VERSION:
            raise Refused(
                f"{where}: {path}: apiVersion must be {API_VERSION}, got {version}, which kpt and krmkit no longer read;"
                " migrate the package first (https://kpt.dev/installation/migration), or name a version that is migrated"
            )


def _check_resolved(local: dict[str, File], merged: MergedPackage, *upstream: dict[str, File]) -> None:
    """Raise PackageMergeError for a file of upstream with unresolved conflict markers here.

    Files that upstream itself had with markers are allowed; an update leaves other files alone.
    """
    for path, file in local.items():
        line = _unresolved_line(file.content)
        if not line or not _unresolved_line(merged.files.get(path, b"")):
            continue
        sides = [files[path].content for files in upstream if path in files]
        if sides and not any(map(_unresolved_line, sides)):
            raise PackageMergeError(f"{path}: line {line}: {UNRESOLVED}")


def _unresolved_line(content: bytes) -> int:
    return unresolved_line(content.decode("utf-8", "replace")) if b"<<<<<<< " in content else 0


def follow_below(
    merged: MergedPackage, fresh: dict[str, File], on_conflict: str = UPSTREAM, fetched_too: bool = True
) -> None:
    """Update the subpackages of a package to their own upstreams; `fresh` receives the upstreams' files.

    A subpackage without an upstreamLock is fetched; others are updated only with `fetched_too`.
    """
    pending: list[tuple[str, dict[str, bytes], tuple[Upstream, ...]]] = [("", merged.files, ())]
    merged.files = {}
    while pending:
        prefix, files, above = pending.pop()
        # A person decides about a Kptfile with both sides of a conflict before its subpackage is followed.
        told = {one.file for one in merged.conflicts}
        undecided = prefix + KPTFILE in told and _unresolved_line(files[KPTFILE])
        kptfile = _kptfile_below(prefix.rstrip("/"), files) if prefix and not undecided else {}
        if "upstream" in kptfile and (fetched_too or "upstreamLock" not in kptfile):
            folder = prefix.rstrip("/")
            above = (*above, _source_of(folder, kptfile, above))
            below, found = _followed_below(folder, files, on_conflict)
            files = below.files
            merged.conflicts += [replace(one, file=prefix + one.file) for one in below.conflicts]
            merged.executable.update({prefix + path: is_one for path, is_one in below.executable.items()})
            fresh.update({prefix + path: file for path, file in found.items()})
        own, subpackages = _split(files)
        merged.files.update({prefix + path: content for path, content in own.items()})
        pending += [
            (f"{prefix}{folder}/", subpackages[folder], above) for folder in sorted(subpackages, reverse=True)
        ]


def _kptfile_below(folder: str, files: dict[str, bytes]) -> dict[str, object]:
    try:
        return package_kptfile({KPTFILE: File(files[KPTFILE])})
    except (Refused, YamlError) as error:
        raise Refused(f"subpackage {folder}: {error}") from None


def _source_of(folder: str, kptfile: dict[str, object], above: tuple[Upstream, ...]) -> Upstream:
    """Return the upstream of a subpackage. Raises Refused if it would recurse for ever."""
    try:
        upstream = Upstream.of(kptfile, fetched="upstreamLock" in kptfile)
    except Refused as error:
        raise Refused(f"subpackage {folder}: {error}") from None
    if folder.count("/") >= DEEPEST:
        raise Refused(
            f"subpackage {folder}: subpackages with an upstream lie more than {DEEPEST} folders deep"
        )
    if not upstream.commit and upstream in above:
        raise Refused(f"subpackage {folder}: its upstream contains it, so the update would never end")
    return upstream


def _followed_below(
    folder: str, files: dict[str, bytes], on_conflict: str
) -> tuple[MergedPackage, dict[str, File]]:
    """Return a subpackage at its own upstream's revision. Raises Refused."""
    try:
        local = {path: File(content) for path, content in files.items()}
        return (
            _follow(local, "", None, on_conflict)
            if "upstreamLock" in package_kptfile(local)
            else _fetch_into(local, on_conflict)
        )
    except (GitError, Refused, PackageMergeError) as error:
        if isinstance(error, PackageMergeError) and error.conflicts:
            raise PackageMergeError.stopped(
                [replace(one, file=f"{folder}/{one.file}") for one in error.conflicts]
            ) from None
        raise Refused(f"subpackage {folder}: {error}") from None


def _split(files: dict[str, bytes]) -> tuple[dict[str, bytes], dict[str, dict[str, bytes]]]:
    """Split files into the package's own, and those of each direct subpackage, by relative path."""
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
    with Fetched(Upstream.of(package_kptfile(local))) as fetched:
        base = fetched.revision(fetched.upstream.commit)
        update = fetched.revision(revision or fetched.upstream.ref)
        strategy = strategy or _strategy(local)
        # The merge keeps the local upstream and lock. They are set before it, as markers make its result no
        # YAML.
        local = {**local, KPTFILE: File(_locked(local, fetched.upstream, update, strategy))}
        merged = _merge(strategy, base, update, local, on_conflict)
        _check_resolved(local, merged, base.files, update.files)
        merged.executable = {
            path: file.executable
            for path, file in update.files.items()
            if path in base.files and base.files[path].executable != file.executable
        }
    return merged, dict(update.files)


def _fetch_into(local: dict[str, File], on_conflict: str) -> tuple[MergedPackage, dict[str, File]]:
    """Fetch a subpackage of which only the Kptfile, and perhaps other files, are present."""
    with Fetched(Upstream.of(package_kptfile(local), fetched=False)) as fetched:
        update = fetched.revision(fetched.upstream.ref)
    file = _source(local[KPTFILE].content)
    root = file.items[0].root
    place = next(number for number, entry in enumerate(root.entries, 1) if entry.name == "upstream")
    root.insert(place, "upstreamLock", {"type": "git", "git": _lock_of(fetched.upstream, update)})
    file.items[0].changed = True
    local = {**local, KPTFILE: File(file.joined(file.items).encode())}
    merged = _merge(STRATEGIES[0], Revision("", "", {KPTFILE: File(_EMPTY)}), update, local, on_conflict)
    return merged, dict(update.files)


def _lock_of(upstream: Upstream, update: Revision) -> dict[str, str]:
    return {
        "repo": upstream.repo,
        "directory": f"/{upstream.directory}",
        "ref": update.name,
        "commit": update.commit,
    }


def local_files(folder: str) -> dict[str, File]:
    """Return every file of a package. Raises Refused for a folder that is not a package."""
    if not os.path.isfile(os.path.join(folder, KPTFILE)):
        raise Refused(f"{folder}: must be a package, a folder with a Kptfile")
    contents: dict[str, File] = {}
    for path in folders.files(folder):
        place = os.path.join(folder, path)
        content = folders.read_file(place, path, within=folder)
        assert content is not None
        contents[path] = File(content, bool(os.stat(place).st_mode & 0o100))
    return contents


def package_kptfile(files: Mapping[str, File]) -> dict[str, Any]:
    """Return a package's Kptfile; scalars are texts, as a commit may be digits alone. Raises Refused."""
    if KPTFILE not in files:
        raise Refused("the package has no Kptfile")
    return _data(files[KPTFILE].content, text_data)


def _source(content: bytes) -> SourceFile:
    if line := _unresolved_line(content):
        raise PackageMergeError(f"{KPTFILE}: line {line}: {UNRESOLVED}")
    try:
        file = SourceFile(KPTFILE, content.decode("utf-8"), "", KPTFILE)
    except (UnicodeDecodeError, Refused) as error:
        raise Refused(f"Kptfile cannot be read: {error}") from None
    if len(file.items) != 1:
        raise Refused(f"Kptfile must hold one document, got {len(file.items)}")
    return file


def _data(kptfile: bytes, read: Callable[[Node], object] = go_data) -> dict[str, object]:
    data = read(_source(kptfile).items[0].root)
    if not isinstance(data, dict):
        raise Refused("Kptfile must be a mapping")
    return data


def _strategy(files: dict[str, File]) -> str:
    upstream = package_kptfile(files).get("upstream")
    given = upstream.get("updateStrategy") if isinstance(upstream, dict) else None
    if given and given not in STRATEGIES:
        raise Refused(f"Kptfile: upstream.updateStrategy must be one of {', '.join(STRATEGIES)}, got {given}")
    return str(given or STRATEGIES[0])


def _merge(
    strategy: str, base: Revision, update: Revision, local: dict[str, File], on_conflict: str
) -> MergedPackage:
    before, after, here = (
        {path: file.content for path, file in files.items()} for files in (base.files, update.files, local)
    )
    if KPTFILE not in after:
        raise Refused(f"{update.ref} has no Kptfile, so it is not a package any more")
    refuse_old_kptfiles(here, "the package")
    refuse_old_kptfiles(after, update.ref)
    if strategy == "resource-merge":
        return merge_packages(before, after, here, on_conflict=on_conflict)
    if strategy == "fast-forward":
        apart = _with_own_upstream(before, after, here)
        edited = sorted(
            path
            for path in {*before, *here} - {KPTFILE} - apart
            if not is_unedited(path, before.get(path), here.get(path))
        )
        kptfiles = [_data(kptfile_of_people(side[KPTFILE])) for side in (before, here)]
        if kptfiles[0] != kptfiles[1]:
            edited.insert(0, KPTFILE)
        if edited:
            raise Refused(
                f"fast-forward needs a package without local edits; edited: {', '.join(edited[:5])}"
                f"{' and more' if len(edited) > 5 else ''}; use --strategy resource-merge"
            )
        sides = [{path: files[path] for path in files.keys() & apart} for files in (before, after, here)]
        merged = merge_packages(*sides, on_conflict=on_conflict)
        own = {path: content for path, content in after.items() if path not in apart}
        root = _merge_kptfile(before, after, here, on_conflict).files[KPTFILE]
        return replace(merged, files={**own, **merged.files, KPTFILE: _without_render_status(root)})
    if strategy == "copy-merge":
        # Upstream's files replace local ones, edited or not; dropped ones go; other local files stay.
        merged = _merge_kptfile(before, after, here, on_conflict)
        own = {path: content for path, content in here.items() if path not in before}
        return replace(merged, files={**own, **after, **merged.files})
    return MergedPackage({**after, KPTFILE: here[KPTFILE]})


def _merge_kptfile(
    before: dict[str, bytes], after: dict[str, bytes], here: dict[str, bytes], on_conflict: str
) -> MergedPackage:
    sides = [{KPTFILE: files[KPTFILE]} for files in (before, after, here)]
    return merge_packages(*sides, on_conflict=on_conflict)


def kptfile_of_people(content: bytes) -> bytes:
    """Return a Kptfile without the fields that a fetch, update or render writes.

    Raises Refused, YamlError.
    """
    file = _source(_without_render_status(content))
    for path in (("upstream",), ("upstreamLock",), ("metadata", "name")):
        file.items[0].remove(path)
    return file.joined(file.items).encode()


def _without_render_status(content: bytes) -> bytes:
    file = _source(content)
    return file.joined(file.items).encode() if drop_status(file.items[0]) else content


def _with_own_upstream(before: dict[str, bytes], after: dict[str, bytes], here: dict[str, bytes]) -> set[str]:
    """Return the paths in subpackages that come from a subpackage's own upstream."""
    folders_apart = []
    for path in here:
        folder, _, name = path.rpartition("/")
        if folder and name == KPTFILE:
            fetched, given = (
                _kptfile_below(folder, {KPTFILE: files[path]}).get("upstreamLock") if path in files else None
                for files in (here, before)
            )
            if fetched not in (None, given):
                folders_apart.append(folder)
    tree = PackageTree({**before, **after, **here})
    return {path for folder in folders_apart for path in tree.below(folder)}


def _locked(local: dict[str, File], upstream: Upstream, update: Revision, strategy: str) -> bytes:
    """Return the package's Kptfile with its new revision, as kpt writes it."""
    file = _source(local[KPTFILE].content)
    kptfile = file.items[0]
    lock = [(("upstreamLock", "git", key), value) for key, value in _lock_of(upstream, update).items()]
    for path, value in (
        (("upstream", "git", "ref"), update.ref),
        (("upstream", "updateStrategy"), strategy),
        *lock,
    ):
        if kptfile.get(*path) != value:
            kptfile.set(path, value)
    return file.joined(file.items).encode()
