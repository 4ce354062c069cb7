"""Fetch a package from git into a new folder, as `kpt pkg get` does.

The package gets its name, its upstream, and kpt's mark on each resource.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from krmkit.fleet.follow import STRATEGIES, follow_below, refuse_old_kptfiles
from krmkit.kpt.merge.conflict import ResourceConflict
from krmkit.kpt.merge.packages import MergedPackage
from krmkit.kpt.merge.stamp import stamped_file
from krmkit.kpt.merge.unedited import SUFFIXES
from krmkit.kpt.source import first_document
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.render.package import KPTFILE
from krmkit.storage.disk.write import FileEdit, write, write_folder
from krmkit.storage.git.foreign import NETWORK
from krmkit.storage.git.program import GitError, GitRepository
from krmkit.storage.git.treeupdate import File
from krmkit.storage.git.upstream import Fetched, Revision, Upstream, shown_address, sign_ins
from krmkit.systems.porch.variants.context import context_text

_NEW = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {name}\n"
_ADDRESS = re.compile(
    r"^(?:[a-z][a-z0-9+.-]*://[^/]*/|[^/]+@[^/:]+:)", re.IGNORECASE
)  # a URL's host, or user@host:
_SHORTEST = 2  # segments of a repository's path on a host: owner and name


@dataclass(frozen=True, slots=True)
class GotPackage:
    """The package's folder, its number of files, and their origin.

    `conflicts`: files of a subpackage that both the package and the subpackage's upstream have.
    """

    folder: str
    files: int
    directory: str
    ref: str
    conflicts: list[ResourceConflict]


def get_package(
    source: str, folder: str, strategy: str = STRATEGIES[0], for_deployment: bool = False
) -> GotPackage:
    """Fetch `REPO[/PATH][@REF]` into a new folder; if `folder` exists, into a new one below it.

    Without REF it is the repository's default branch; "." is the working directory, which must be empty.
    strategy: how the package is updated; for_deployment: each package gets a package context. Unfetched
    subpackages with an upstream are fetched too, as in kpt. Raises Refused, GitError. Git's credential
    helpers are used, without prompts. Example: `get_package("https://example.com/blueprints.git/web@v3",
    "web")`.
    """
    address, at, ref = source.rpartition("@")
    if not at:
        address, ref = source, _default_branch(source)
    if not ref or not address or address.rpartition("/")[0].endswith(":/"):
        plain = shown_address(source)
        lacks = "names no version" if (address if at else source).strip("/") else "names no repository"
        example = (
            "https://example.com/r.git/web@v1" if not source.strip("@") else f"{plain.partition('@')[0]}@v1"
        )
        raise Refused(
            f'"{plain}" {lacks}: must be REPO[/PATH]@REF, where REF is a tag, branch or commit, as in {example}'
        )
    if sign_ins(address):
        raise Refused(
            f"{shown_address(address)}: the address must not hold a password, which the Kptfile would keep; let a credential"
            " helper of git sign in"
        )
    repo, directory = split_address(address)
    name = directory.rpartition("/")[2] or re.sub(r"\.git$", "", repo.rstrip("/").rpartition("/")[2])
    here = os.path.normpath(folder) == os.curdir
    if here and os.listdir(folder):
        raise Refused("the working directory must be empty, or name a folder that does not exist yet")
    if os.path.isdir(folder) and not here:
        folder = os.path.join(folder, name)
    if os.path.lexists(folder) and not here:
        raise Refused(f"{folder} is there already; name a folder that does not exist yet")
    name = os.path.basename(os.path.abspath(folder))
    upstream = Upstream(repo, directory, ref, "")
    with Fetched(upstream) as fetched:
        revision = fetched.revision(ref)
    fresh = dict(revision.files)
    merged = MergedPackage({path: file.content for path, file in fresh.items()})
    refuse_old_kptfiles(merged.files, revision.name)
    merged.files[KPTFILE] = _kptfile(fresh.get(KPTFILE), name, upstream, revision, strategy).encode()
    follow_below(merged, fresh, fetched_too=False)
    if for_deployment:
        _add_contexts(merged, name)
    files = {
        path: File(content, path in fresh and fresh[path].executable)
        for path, content in merged.files.items()
    }
    with tempfile.TemporaryDirectory(prefix="krmkit-get-") as place:
        edits = [_edit(place, number, *one) for number, one in enumerate(sorted(files.items()))]
        (write if here else write_folder)(folder, edits)
    return GotPackage(
        folder, len(files), directory, f"{revision.name} ({revision.commit[:12]})", merged.conflicts
    )


def split_address(address: str) -> tuple[str, str]:
    """Split an address into repository and folder. Raises Refused without a repository.

    The repository ends at `.git`; else it is the first part of the path that is a repository on disk or that
    git finds on the host.
    """
    head, git, rest = address.partition(".git/")
    host = _ADDRESS.match(address)
    if git and (not head.endswith("/") or (host and not address.startswith("file://"))):
        bare = head if head.startswith("file://") and not os.path.exists(head[7:] + ".git") else head + ".git"
        return bare, rest.strip("/")  # as kpt, a folder without .git is found too
    if git:  # the .git of a checkout
        return _local(head.rstrip("/") or "/"), rest.strip("/")
    if address.endswith(".git"):
        return address if host else _local(address), ""
    if host is None or address.startswith("file://"):
        return _in_folders(address.removeprefix("file://"))
    segments = address[host.end() :].strip("/").split("/")
    for number in range(min(_SHORTEST, len(segments)), len(segments) + 1):
        repo = host[0] + "/".join(segments[:number])
        if _head_of(repo) is not None:
            return repo, "/".join(segments[number:])
    raise Refused(
        f"{shown_address(address)}: git finds no repository there; write REPO.git/PATH, or sign in to the host as git does"
    )


def _in_folders(path: str) -> tuple[str, str]:
    parts = Path(os.path.abspath(path))
    for folder in (*reversed(parts.parents), parts):
        if (folder / ".git").exists() or ((folder / "HEAD").is_file() and (folder / "objects").is_dir()):
            return str(folder), str(parts.relative_to(folder)).replace(os.sep, "/").removeprefix(".")
    raise Refused(f"{path}: must lead into a git repository, and there is none at or above it")


def _local(path: str) -> str:
    return path if path.startswith("file://") else os.path.abspath(path)


def _head_of(repo: str) -> str | None:
    """Return git's answer about the HEAD of an address, None if there is no repository."""
    with tempfile.TemporaryDirectory(prefix="krmkit-get-") as folder:
        words = ("ls-remote", "--quiet", "--symref")
        try:
            answer = GitRepository(Path(folder)).run(*words, operands=(repo, "HEAD"), protocols=NETWORK)
        except GitError:
            return None
    return answer.decode("utf-8", "replace")


def _default_branch(address: str) -> str:
    """Return the default branch of an address's repository, "" if git finds none."""
    try:
        answer = _head_of(split_address(address)[0]) or ""
    except (GitError, Refused):
        return ""
    found = re.match(r"ref: refs/heads/(\S+)\tHEAD", answer)
    return found[1] if found else ""


def _add_contexts(merged: MergedPackage, name: str) -> None:
    """Give the package and its subpackages a package context, as kpt does for deployment."""
    for path in [path for path in merged.files if path.rpartition("/")[2] == KPTFILE]:
        folder = path.removesuffix(KPTFILE)
        context = context_text(folder.rstrip("/").rpartition("/")[2] or name)
        merged.files.setdefault(f"{folder}package-context.yaml", context.encode())


def _kptfile(given: File | None, name: str, upstream: Upstream, revision: Revision, strategy: str) -> str:
    """Return the Kptfile with the package's new name, its upstream and lock, in kpt's order."""
    text = _NEW.format(name=name) if given is None else given.content.decode("utf-8")
    first = first_document(text, KPTFILE)
    if first != text:
        raise Refused(f"{KPTFILE} must hold one document")
    kptfile = Resource(text, label=KPTFILE)
    kptfile.set(("metadata", "name"), name)
    git: dict[str, Any] = {"repo": upstream.repo, "directory": f"/{upstream.directory}", "ref": upstream.ref}
    lock = {**git, "ref": revision.name, "commit": revision.commit}
    for key in ("upstreamLock", "upstream"):
        kptfile.remove((key,))
    root = kptfile.root
    place = next((number for number, entry in enumerate(root.entries, 1) if entry.name == "metadata"), 0)
    root.insert(place, "upstream", {"type": "git", "git": git, "updateStrategy": strategy})
    root.insert(place + 1, "upstreamLock", {"type": "git", "git": lock})
    kptfile.changed = True
    return kptfile.text


def _edit(place: str, number: int, path: str, file: File) -> FileEdit:
    """Return a new file; resources get kpt's mark, an executable or binary file is copied from `place`."""
    content = file.content
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if text and path.endswith(SUFFIXES):
        text = stamped_file(path, text)
        content = text.encode()
    if text and not file.executable:
        return FileEdit(path, None, text)
    source = os.path.join(place, str(number))
    with open(source, "wb") as stream:
        stream.write(content)
    os.chmod(source, 0o755 if file.executable else 0o644)
    return FileEdit(path, None, text, source)
