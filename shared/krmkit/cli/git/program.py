"""Runs git's own program on one repository, with nothing of the repository's own making executed.

Hooks, replace refs, prompts and the `ext` transport are off: a foreign repository must not run programs here.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

SAFE = (
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.ext.allow=never",
    "-c",
    "gc.auto=0",
    "--no-replace-objects",
)
QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


class GitError(RuntimeError):
    """A git command failed; the message holds the command's name and the first lines of what it said."""


class GitRepository:
    """A repository on this machine: `folder` is a bare repository, or a checkout (its refs are used, not its files)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def open(cls, folder: Path) -> GitRepository:
        """Raises GitError where the folder is no repository, or one whose objects are not named by SHA-1."""
        repository = cls(folder)
        if not folder.is_dir():
            raise GitError(f"{folder}: there is no such folder")
        object_format = repository.run("rev-parse", "--show-object-format").strip()
        if object_format != b"sha1":
            raise GitError(f"{folder}: object format must be sha1, got {object_format.decode()}")
        return repository

    def command(self, *arguments: str, config: tuple[str, ...] = ()) -> list[str]:
        settings = [word for setting in config for word in ("-c", setting)]
        return ["git", "-C", str(self.folder), *SAFE, *settings, *arguments]

    def run(
        self, *arguments: str, stdin: bytes = b"", config: tuple[str, ...] = (), inherit: tuple[int, ...] = ()
    ) -> bytes:
        """Return what the command prints; `config` holds git settings for this one call, `inherit` descriptors it keeps open.

        Raises GitError where it fails, or git is not installed.
        """
        try:
            done = subprocess.run(
                self.command(*arguments, config=config),
                input=stdin,
                capture_output=True,
                pass_fds=inherit,
                env=environment(),
                check=False,
            )
        except FileNotFoundError:
            raise GitError("git is not installed, or not on PATH") from None
        if done.returncode:
            said = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
            raise GitError(f"{self.folder}: git {arguments[0]}: " + "; ".join(said[:5]))
        return done.stdout

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command that is talked to over pipes; what it says on stderr is discarded."""
        return subprocess.Popen(
            self.command(*arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )


def environment() -> dict[str, str]:
    """The caller's environment without variables that would lead git to another repository."""
    kept = {key: value for key, value in os.environ.items() if key not in _ELSEWHERE}
    return {**kept, **QUIET}


_ELSEWHERE = {
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
    "GIT_COMMON_DIR",
}
