"""Read and write a git repository as Porch does: package revisions are tags and branches.

| lifecycle | ref |
|---|---|
| Draft | refs/heads/drafts/PACKAGE/WORKSPACE |
| Proposed | refs/heads/proposed/PACKAGE/WORKSPACE |
| Published | refs/tags/PACKAGE/vN |
| DeletionProposed | the tag, and refs/heads/deletionProposed/PACKAGE/vN |
| main | the folder PACKAGE of refs/heads/main |

Drafts and tags that krmkit makes hold only their package, not a copy of the repository's tree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from krmkit.libraries.schema.fields import mapping
from krmkit.storage.git.objects import Commit, Objects
from krmkit.storage.git.packfile import PackFile
from krmkit.storage.git.program import GitError, GitRepository
from krmkit.storage.git.refnames import OWN
from krmkit.storage.git.refs import RefChanges, list_refs
from krmkit.systems.porch.variants import lifecycle

HEADS, TAGS = "refs/heads/", "refs/tags/"
MAIN = "refs/heads/main"
MAIN_STATE = f"{OWN}/main"
STATES = {
    "drafts": lifecycle.DRAFT,
    "proposed": lifecycle.PROPOSED,
    "deletionProposed": lifecycle.DELETION_PROPOSED,
}
WORKSPACE = "Package-Workspace: "
HISTORY = 1000  # the most commits of a revision to read
_NUMBERED = re.compile(r"v([1-9][0-9]{0,17})")
_PORCH = "kpt:{"  # begins the line in which Porch's commits say what they are about


class Store:
    """The repository `name`: its content, and the pending writes.

    A `deployment` repository's packages get a package context and readiness gates. `directory` is the folder
    of all packages.
    """

    def __init__(self, name: str, folder: Path, deployment: bool = True, directory: str = "") -> None:
        self.name = name
        self.repository = GitRepository.open(folder)
        self.deployment = deployment
        self.directory = directory.strip("/")
        self._named: dict[str, str] = {}  # workspaces that trailers name, by the commits that were read
        self.adopt: dict[str, str] = {}  # versions that people said to take over, as `PACKAGE/vN` by ref
        self.pack = PackFile()
        self.seen = list_refs(self.repository)
        self.objects = Objects(self.repository, self.pack.unsaved)
        self.refs = RefChanges(self.repository, self.seen)

    def close(self) -> None:
        self.objects.close()

    def folder(self, package: str) -> str:
        """Return the folder of a package in the repository's trees."""
        return f"{self.directory}/{package}" if self.directory else package

    @cached_property
    def _packages(self) -> dict[str, list[tuple[str, str, str]]]:
        """Return (ref, lifecycle, last name) of the revisions of each package."""
        packages: dict[str, list[tuple[str, str, str]]] = {}
        for ref in self.seen:
            package = self.package_of(ref)
            if package:
                kind = ref.removeprefix(HEADS).partition("/")[0]
                state = lifecycle.PUBLISHED if ref.startswith(TAGS) else STATES[kind]
                packages.setdefault(package, []).append((ref, state, ref.rpartition("/")[2]))
        return packages

    @cached_property
    def main_state(self) -> tuple[dict[str, str], str]:
        """Return the versions in main and its tree then; if unreadable, both are empty, to merge all."""
        oid = self.seen.get(MAIN_STATE)
        if oid is None:
            return {}, ""
        try:
            data = mapping(json.loads(self.objects.blob(oid)))
        except (GitError, ValueError, RecursionError):
            return {}, ""
        packages = mapping(data, "packages")
        return {str(key): str(value) for key, value in packages.items()}, str(data.get("tree") or "")

    def commit_of(self, ref: str) -> tuple[str, Commit]:
        """Return the oid and the commit of a ref. Raises GitError for another object."""
        try:
            return self.objects.commit(self.seen[ref])
        except GitError as error:
            raise GitError(f"{self.name}: {ref} must name a commit: {error}") from None

    def revision_refs(self, package: str) -> dict[str, str]:
        """Return every ref of a package's revisions, with its oid."""
        return {ref: self.seen[ref] for ref, _, _ in self._packages.get(package, ())}

    def revisions(self, package: str) -> list[dict[str, Any]]:
        """Return the package's revisions as Porch's PackageRevision objects, each with `metadata.ref`."""
        listed = self._packages.get(package, [])
        proposed = {last for _, state, last in listed if state == lifecycle.DELETION_PROPOSED}
        revisions = []
        for ref, state, last in listed:
            if state == lifecycle.DELETION_PROPOSED:
                continue
            number = _NUMBERED.fullmatch(last)
            if state == lifecycle.PUBLISHED:
                if number is None:
                    continue  # a floating tag names another revision
                if last in proposed:
                    state = lifecycle.DELETION_PROPOSED
            revisions.append(self._revision(package, ref, state, last, int(number[1]) if number else 0))
        return revisions

    def _revision(self, package: str, ref: str, state: str, last: str, number: int) -> dict[str, Any]:
        published = number and state in (lifecycle.PUBLISHED, lifecycle.DELETION_PROPOSED)
        workspace = self.workspace_of(ref) if published else last
        spec = {
            "repository": self.name,
            "packageName": package,
            "workspaceName": workspace,
            "lifecycle": state,
        }
        if number:
            spec["revision"] = str(number)
        metadata = {"name": f"{self.name}.{package}.{workspace}", "ref": ref, "commit": self.seen[ref]}
        return {"metadata": metadata, "spec": {**spec, **({"revision": number} if number else {})}}

    def workspace_of(self, ref: str) -> str:
        """Return the workspace of a published revision; the last word of its tag if no commit names it.

        Porch names it in the commit of the tag, a sync in a trailer. A person's commits on top of a sync's
        name none, so the history is searched, up to a commit in which Porch names another workspace.
        """
        oid, commit = self.commit_of(ref)
        named = _porch_workspace(commit.message, self.folder(self.package_of(ref)))
        passed: list[str] = []
        while not named and len(passed) < HISTORY:
            if (known := self._named.get(oid)) is not None:
                named = known
                break
            passed.append(oid)
            lines = commit.message.split("\n")
            named = next(
                (one.removeprefix(WORKSPACE) for one in lines[::-1] if one.startswith(WORKSPACE)), ""
            )
            if not commit.parents or named:
                break
            oid, commit = self.objects.commit(commit.parents[0])
            if _PORCH in commit.message:
                break
        self._named.update(dict.fromkeys(passed, named))
        return named or ref.rpartition("/")[2]

    def package_of(self, ref: str) -> str:
        """Return the package of a revision's ref, "" for other refs."""
        if ref.startswith(TAGS):
            path = ref.removeprefix(TAGS)
        else:
            kind, _, path = ref.removeprefix(HEADS).partition("/")
            if not ref.startswith(HEADS) or kind not in STATES:
                return ""
        package = path.rpartition("/")[0]
        if not self.directory:
            return package
        below = f"{self.directory}/"
        return (
            package.removeprefix(below) if package.startswith(below) else ""
        )  # other folders are not packages of this Repository

    def find(self, package: str, version: str, workspace: bool = False) -> str:
        """Return the ref of an upstream, or "": a tag or branch PACKAGE/VERSION, floating too.

        workspace: the version is a workspace; a published revision is then found only by the workspace in
        which it was made. `main` is the main branch.
        """
        path = self.folder(package)
        tag = f"{TAGS}{path}/{version}"
        if tag in self.seen and (not workspace or _NUMBERED.fullmatch(version) is None):
            return tag
        for number in reversed(self.versions(package)) if workspace else ():
            published = self.ref(lifecycle.PUBLISHED, package, f"v{number}")
            if self.workspace_of(published) == version:
                return published
        for kind in ("", "drafts/", "proposed/"):
            if (ref := f"{HEADS}{kind}{path}/{version}") in self.seen:
                return ref
        return MAIN if version == lifecycle.MAIN_WORKSPACE and MAIN in self.seen else ""

    def names(self, package: str, workspace: bool) -> list[str]:
        """Return the versions that `find` finds: newest versions, floating tags, drafts, and main."""
        tags = [self.ref(lifecycle.PUBLISHED, package, f"v{one}") for one in self.versions(package)[-5:]]
        found = [self.workspace_of(tag) if workspace else tag.rpartition("/")[2] for tag in tags]
        found += [
            last
            for _, state, last in self._packages.get(package, ())
            if state != lifecycle.DELETION_PROPOSED and not _NUMBERED.fullmatch(last)
        ][-5:]
        if MAIN in self.seen and self.objects.folder(self.commit_of(MAIN)[1].tree, self.folder(package)):
            found.append(lifecycle.MAIN_WORKSPACE)
        return found

    def versions(self, package: str) -> list[int]:
        """Return the numbers of the published revisions, ascending."""
        numbers = (
            _NUMBERED.fullmatch(last)
            for _, state, last in self._packages.get(package, ())
            if state == lifecycle.PUBLISHED
        )
        return sorted(int(number[1]) for number in numbers if number)

    def packages(self) -> Iterator[str]:
        """Return every package that has a revision."""
        return iter(self._packages)

    def ref(self, state: str, package: str, last: str) -> str:
        """Return the ref of a revision with this lifecycle."""
        path = f"{self.folder(package)}/{last}"
        if state == lifecycle.PUBLISHED:
            return TAGS + path
        kind = next(kind for kind, value in STATES.items() if value == state)
        return f"{HEADS}{kind}/{path}"


def short_ref(ref: str) -> str:
    """Return `drafts/web/packagevariant-1` for `refs/heads/drafts/web/packagevariant-1`."""
    return ref.removeprefix(HEADS).removeprefix(TAGS)


def _porch_workspace(message: str, folder: str) -> str:
    """Return the workspace in a package's line `kpt:{"package": ..., "workspaceName": ...}`, or ""."""
    for line in map(str.strip, message.split("\n")):
        if line.startswith(_PORCH):
            try:
                note: Any = json.loads(line.removeprefix("kpt:"))
            except (ValueError, RecursionError):
                continue
            if (
                note.get("package") == folder
                and isinstance(named := note.get("workspaceName"), str)
                and named
            ):
                return named
    return ""
