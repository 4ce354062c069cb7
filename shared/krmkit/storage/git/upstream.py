"""Fetch the upstream of a package: its current revision, and the one to update to."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.storage.git.foreign import NETWORK
from krmkit.storage.git.objects import Objects
from krmkit.storage.git.program import GitError, GitRepository
from krmkit.storage.git.treeupdate import File, read_files


@dataclass(frozen=True, slots=True)
class Upstream:
    """`upstream.git` and `upstreamLock.git` of a Kptfile: a package's origin, and its current commit."""

    repo: str
    directory: str
    ref: str
    commit: str

    @classmethod
    def of(cls, kptfile: dict[str, object], fetched: bool = True) -> Upstream:
        """Read a Kptfile's upstream.

        Raises Refused if the Kptfile has no git upstream, or, with `fetched`, no commit.
        """
        fields: dict[str, str] = {"commit": ""}
        parts = (("upstream", ("repo", "directory", "ref")), ("upstreamLock", ("commit",)))
        for part, keys in parts if fetched else parts[:1]:
            given = kptfile.get(part)
            git = given.get("git") if isinstance(given, dict) else None
            if not isinstance(git, dict) or not git.get(keys[0]):
                raise Refused(
                    f"Kptfile: {part}.git must name a {keys[0]}; only a package that `kpt pkg get` fetched from git has it"
                )
            fields.update({key: str(git.get(key) or "") for key in keys})
        return cls(fields["repo"], fields["directory"].strip("/"), fields["ref"], fields["commit"])


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of an upstream package, and its files by path. `name`: the tag, branch or commit of `ref`."""

    ref: str
    commit: str
    files: dict[str, File]
    name: str = ""


def shown_address(address: str) -> str:
    """Return an address for messages: without the user name and password.

    Example: `shown_address("https://me:hush@example.com/r.git") == "https://example.com/r.git"`.
    """
    scheme, found, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}" if found else address


def sign_ins(text: str) -> set[str]:
    """Return the user names with passwords in the addresses of a text: `me:hush@`."""
    import re

    return set(re.findall(r"://([^\s:/@]*:[^\s/@]+@)", text))


class Fetched:
    """A copy of the upstream's repository in a temporary folder, for use in a `with` block."""

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream
        self._folder = tempfile.TemporaryDirectory(prefix="krmkit-upstream-")
        self.repository = GitRepository(Path(self._folder.name), shown_address(upstream.repo))

    def __enter__(self) -> Fetched:
        try:
            if self.upstream.repo.startswith("-"):
                raise Refused(f"Kptfile: upstream.git.repo must be an address, got {self.upstream.repo!r}")
            self.repository.run("init", "--quiet", "--bare")
            heads = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
            # Without --update-shallow git silently leaves out the commits of a shallow clone.
            quiet = ("--quiet", "--no-tags", "--update-shallow")
            self.repository.run("fetch", *quiet, operands=(self.upstream.repo, *heads), protocols=NETWORK)
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def revision(self, ref: str) -> Revision:
        """Return the package at a tag, branch or commit; a tag `<directory>/<ref>` comes first, as in kpt.

        Raises Refused if there is no such revision, or it does not hold the package.
        """
        directory = self.upstream.directory
        with Objects(self.repository) as objects:
            name, commit = self._commit(objects, ref)
            tree = objects.folder(objects.commit(commit)[1].tree, directory)
            if tree is None:
                raise Refused(f"{self.repository.name}: {ref} has no folder {directory}")
            return Revision(ref, commit, read_files(objects, tree), name)

    def _commit(self, objects: Objects, ref: str) -> tuple[str, str]:
        names = [f"{self.upstream.directory}/{ref}"] if self.upstream.directory else []
        for name in (*names, ref):
            try:
                return name, objects.commit(name)[0]
            except GitError:
                continue
        shallow = (self.repository.folder / "shallow").exists()
        hint = "; it is a shallow clone, so fetch its history there: git fetch --unshallow" if shallow else ""
        hint = hint or did_you_mean(ref, self._names())
        raise Refused(f"{self.repository.name}: there is no tag, branch or commit {ref}{hint}")

    def _names(self) -> list[str]:
        """Return tags and branches as `revision` accepts them; the package's own without its folder."""
        listed = self.repository.run(
            "for-each-ref", "--format=%(refname:lstrip=2)", "refs/tags", "refs/heads"
        )
        prefix = f"{self.upstream.directory}/" if self.upstream.directory else ""
        names = (name.removeprefix(prefix) for name in listed.decode("utf-8", "replace").splitlines())
        return sorted(dict.fromkeys(names))
