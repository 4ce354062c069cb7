"""Run git on one repository, without running a program that the repository names.

Disabled are replace refs, prompts, lazy fetches, transports that the caller does not name, the repository's
hooks, and the programs in its config (`foreign`).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from krmkit.krm.errors import Refused
from krmkit.libraries.process.program import run_bounded, start, words
from krmkit.storage.git import foreign

if TYPE_CHECKING:
    import subprocess

_SETTINGS = [word for setting in foreign.SETTINGS for word in ("-c", setting)]
SAFE = ("--no-replace-objects", "--no-pager", *_SETTINGS)
QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}


_LINES = 5  # lines of git's message in an error


class GitError(Refused):
    """A git command failed; the message has the command's name and the first lines of its stderr."""


class GitRepository:
    """A repository on this machine: a bare one, or a checkout whose refs are used.

    `name`: its name in messages: the address that it is a copy of, or the folder.
    """

    def __init__(self, folder: Path, name: str = "") -> None:
        self.folder = folder
        self.name = name or str(folder)

    @classmethod
    def open(cls, folder: Path) -> GitRepository:
        """Open a repository. Raises GitError if it is none, leads outside, or does not use SHA-1."""
        repository = cls(folder)
        if not folder.is_dir():
            raise GitError(f"{folder}: there is no such folder")
        repository.check_files()
        object_format = repository.run("rev-parse", "--show-object-format").strip()
        if object_format != b"sha1":
            raise GitError(f"{folder}: object format must be sha1, got {object_format.decode()}")
        repository.check_inside()
        return repository

    def check_files(self) -> None:
        """Raise GitError if one of git's own files is a pipe, on which git would wait for a writer."""
        special = foreign.special_file(self.folder)
        if special:
            raise GitError(f"{self.name}: {special} must be a regular file")

    def check_inside(self) -> None:
        """Raise GitError if links or alternates lead out of the repository."""
        outside = foreign.leads_outside(self.common)
        if outside:
            raise GitError(f"{self.name}: {outside}")

    @cached_property
    def common(self) -> Path:
        """Return the folder with the objects and refs; the work trees of a repository share it."""
        said = os.fsdecode(self.run("rev-parse", "--git-common-dir"))
        return self.folder / said.removesuffix("\n")

    def check_rules(self, top: str) -> None:
        """Raise GitError if git would wait for a .gitignore or .gitattributes of the checkout."""
        special = foreign.special_rules(top)
        if special:
            raise GitError(f"{self.name}: {special} must be a regular file")

    def work_tree(self) -> str:
        """Return the checkout's folder, links resolved. Raises GitError if core.worktree names another."""
        top = os.path.realpath(os.fsdecode(self.run("rev-parse", "--show-toplevel")).removesuffix("\n"))
        if not os.path.lexists(os.path.join(top, ".git")):
            raise GitError(f"{self.name}: core.worktree must lead to the folder of its .git, got {top}")
        return top

    @cached_property
    def _overrides(self) -> tuple[tuple[str, str], ...]:
        listed = self.command("config", "--null", "--show-scope", "--list")
        return foreign.overrides(run_bounded(listed, environment=environment())[0])

    def command(self, *arguments: str, config: tuple[str, ...] = ()) -> list[str]:
        settings = [word for setting in config for word in ("-c", setting)]
        return ["git", "-C", str(self.folder), *SAFE, *settings, *arguments]

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        config: tuple[str, ...] = (),
        inherit: tuple[int, ...] = (),
        protocols: tuple[str, ...] = (),
        operands: Iterable[str] = (),
    ) -> bytes:
        """Run a command and return its stdout.

        `operands`: words that may look like options; `config`: git settings for this call; `inherit`:
        descriptors that it keeps open; `protocols`: the transports that it may use. Raises GitError if it
        fails, or git is not installed.
        """
        try:
            output, errors, code = run_bounded(
                words(self.command(*arguments, config=config), operands),
                stdin,
                inherit=inherit,
                environment=environment(self._overrides, protocols),
                terminal=True,
            )
        except FileNotFoundError:
            raise GitError("git is not installed, or not on PATH") from None
        if code:
            if "not a git repository" in errors:
                raise GitError(f"{self.name}: is not in a git repository")
            raise GitError(f"{self.name}: git {arguments[0]}: {_said(errors)}")
        return output

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command with pipes for stdin and stdout; its stderr is discarded."""
        return start(self.command(*arguments), environment(self._overrides))

    def push(self, remote: str, leases: list[str], specs: list[str], protocols: tuple[str, ...]) -> None:
        """Push from a temporary bare repository that borrows this one's objects but not its config.

        `leases`: options of git push. `specs`: refspecs. Credentials and transport programs come from the
        user's own config.
        """
        with tempfile.TemporaryDirectory(prefix="krmkit-push-") as folder:
            clean = GitRepository(Path(folder))
            clean.run("init", "--quiet", "--bare")
            objects = os.path.realpath(self.common / "objects")
            (clean.folder / "objects" / "info" / "alternates").write_bytes(os.fsencode(objects) + b"\n")
            if (self.common / "shallow").is_file():
                shutil.copyfile(self.common / "shallow", clean.folder / "shallow")
            clean.run("push", "--atomic", "--quiet", *leases, operands=(remote, *specs), protocols=protocols)


def _said(stderr: str) -> str:
    """Return git's stderr as one line, without control characters, which a remote may have sent."""
    lines = [line.strip() for line in stderr.split("\n") if line.strip()]
    return "".join(sign for sign in "; ".join(lines[:_LINES]) if sign.isprintable())


def environment(
    settings: tuple[tuple[str, str], ...] = (), protocols: tuple[str, ...] = ()
) -> dict[str, str]:
    """Return the environment with settings and protocols, without variables that name another repository."""
    kept = {key: value for key, value in os.environ.items() if key not in _ELSEWHERE}
    given = foreign.settings_environment(settings, kept) if settings else {}
    return {**kept, **QUIET, **given, "GIT_ALLOW_PROTOCOL": foreign.allowed_protocols(protocols, kept)}


_ELSEWHERE = frozenset(
    "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE GIT_COMMON_DIR".split()
)
