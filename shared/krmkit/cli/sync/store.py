"""A git repository as Porch sees it: package revisions are tags and branches.

| lifecycle | ref |
|---|---|
| Draft | refs/heads/drafts/PACKAGE/WORKSPACE |
| Proposed | refs/heads/proposed/PACKAGE/WORKSPACE |
| Published | refs/tags/PACKAGE/vN |
| DeletionProposed | the tag, and refs/heads/deletionProposed/PACKAGE/vN |
| main | the folder PACKAGE of refs/heads/main |

Drafts and tags that krmkit makes hold their package only, so that ten thousand of them do not copy the repository's tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from krmkit.cli.git.objects import Commit, Objects
from krmkit.cli.git.packfile import PackFile
from krmkit.cli.git.program import GitError, GitRepository
from krmkit.cli.git.refs import RefChanges, list_refs
from krmkit.porch import lifecycle

HEADS, TAGS = "refs/heads/", "refs/tags/"
MAIN = "refs/heads/main"
STATES = {
    "drafts": lifecycle.DRAFT,
    "proposed": lifecycle.PROPOSED,
    "deletionProposed": lifecycle.DELETION_PROPOSED,
}
WORKSPACE = "Package-Workspace: "
_NUMBERED = re.compile(r"v([1-9][0-9]{0,17})")


class Store:
    """The repository NAME: what it holds, and what is to be written to it.

    `deployment` repositories get a package context and readiness gates. `directory` is the folder of all its packages.
    """

    def __init__(self, name: str, folder: Path, deployment: bool = True, directory: str = "") -> None:
        self.name = name
        self.repository = GitRepository.open(folder)
        self.deployment = deployment
        self.directory = directory.strip("/")
        self.objects = Objects(self.repository)
        self.pack = PackFile()
        self.seen = list_refs(self.repository)
        self.refs = RefChanges(self.repository, self.seen)

    def close(self) -> None:
        self.objects.close()

    def folder(self, package: str) -> str:
        """The folder of a package in the repository's trees."""
        return f"{self.directory}/{package}" if self.directory else package

    @cached_property
    def _packages(self) -> dict[str, list[tuple[str, str, str]]]:
        """(ref, lifecycle, last name) of the revisions of each package."""
        found: dict[str, list[tuple[str, str, str]]] = {}
        for ref in self.seen:
            if ref.startswith(TAGS):
                state, path = lifecycle.PUBLISHED, ref.removeprefix(TAGS)
            else:
                kind, _, path = ref.removeprefix(HEADS).partition("/")
                if not ref.startswith(HEADS) or kind not in STATES:
                    continue
                state = STATES[kind]
            package, _, last = path.rpartition("/")
            if self.directory:
                package = package.removeprefix(f"{self.directory}/")
            if package:
                found.setdefault(package, []).append((ref, state, last))
        return found

    def commit_of(self, ref: str) -> tuple[str, Commit]:
        """The commit that a ref of the repository names, and its oid. Raises GitError where it names something else."""
        try:
            return self.objects.commit(self.seen[ref])
        except GitError as error:
            raise GitError(f"{self.name}: {ref} must name a commit: {error}") from None

    def revision_refs(self, package: str) -> dict[str, str]:
        """Every ref of a package's revisions, with its oid."""
        return {ref: self.seen[ref] for ref, _, _ in self._packages.get(package, ())}

    def revisions(self, package: str) -> list[dict[str, Any]]:
        """The package's revisions as Porch's PackageRevision objects; `metadata.ref` says where each one is."""
        listed = self._packages.get(package, [])
        proposed = {last for _, state, last in listed if state == lifecycle.DELETION_PROPOSED}
        found = []
        for ref, state, last in listed:
            if state == lifecycle.DELETION_PROPOSED:
                continue
            number = _NUMBERED.fullmatch(last)
            if state == lifecycle.PUBLISHED:
                if number is None:
                    continue  # a floating tag names another revision
                if last in proposed:
                    state = lifecycle.DELETION_PROPOSED
            found.append(self._revision(package, ref, state, last, int(number[1]) if number else 0))
        return found

    def _revision(self, package: str, ref: str, state: str, last: str, number: int) -> dict[str, Any]:
        workspace = last
        if number and state in (lifecycle.PUBLISHED, lifecycle.DELETION_PROPOSED):
            message = self.commit_of(ref)[1].message
            named = [
                line.removeprefix(WORKSPACE) for line in message.splitlines() if line.startswith(WORKSPACE)
            ]
            workspace = named[-1] if named else last
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

    def find(self, package: str, version: str) -> tuple[str, str] | None:
        """(ref, commit) of an upstream: a tag or branch PACKAGE/VERSION, floating ones too; `main` is the main branch."""
        path = self.folder(package)
        for ref in (f"{TAGS}{path}/{version}", f"{HEADS}{path}/{version}", f"{HEADS}drafts/{path}/{version}"):
            if ref in self.seen:
                return ref, self.seen[ref]
        if version == lifecycle.MAIN_WORKSPACE and MAIN in self.seen:
            return MAIN, self.seen[MAIN]
        return None

    def versions(self, package: str) -> list[int]:
        """The numbers of the published revisions, rising."""
        numbers = (
            _NUMBERED.fullmatch(last)
            for _, state, last in self._packages.get(package, ())
            if state == lifecycle.PUBLISHED
        )
        return sorted(int(number[1]) for number in numbers if number)

    def packages(self) -> Iterator[str]:
        """Every package that has a revision."""
        return iter(self._packages)

    def ref(self, state: str, package: str, last: str) -> str:
        """Where a revision of this lifecycle stands."""
        path = f"{self.folder(package)}/{last}"
        if state == lifecycle.PUBLISHED:
            return TAGS + path
        kind = next(kind for kind, value in STATES.items() if value == state)
        return f"{HEADS}{kind}/{path}"
