"""Names of refs: those that krmkit owns, and git's rules for valid names."""

from __future__ import annotations

import re

from krmkit.storage.git.program import GitError

OWN = "refs/krmkit"
NOTHING = "0" * 40  # the object of a ref that does not exist
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{")


def check_ref(name: str) -> str:
    """Return `name` if it is valid as a part of a ref's name by git-check-ref-format; else raise GitError."""
    parts = name.split("/")
    if (
        _FORBIDDEN.search(name)
        or name.endswith(".")
        or any(not part or part.startswith(".") or part.endswith(".lock") for part in parts)
    ):
        raise GitError(f"{name!r} must be a valid name for a git ref")
    return name
