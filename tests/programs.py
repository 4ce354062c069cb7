"""Calls of programs as a shell, a Kptfile and a script take them, wherever checkout, environment and temporary folder lie.

Paths have spaces and letters of any language: a path that stands in a text for a shell, or in an `exec:`, is quoted here.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

Word = str | Path


def shell(*words: Word) -> str:
    """The words as a shell, or `exec:`, splits them again."""
    return shlex.join(map(str, words))


def python(*words: Word) -> str:
    """The interpreter of the tests with these arguments, for a shell."""
    return shell(sys.executable, *words)


def exec_entry(*words: Word) -> str:
    """An entry of a pipeline's list in a Kptfile that runs these words."""
    return f"  - exec: {json.dumps(shell(*words), ensure_ascii=False)}\n"


def write_script(path: Path, body: str) -> Path:
    """Write an executable script of sh, with the folders that it needs; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}", "utf-8")
    path.chmod(0o755)
    return path
