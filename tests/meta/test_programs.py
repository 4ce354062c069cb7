"""One module starts other programs, so that a name in a package never reaches one as an option."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "shared/krmkit"

# Every module that may start a process, and what it starts.
STARTERS = {
    "libraries/process/program.py": "programs of others",
    "libraries/process/child.py": "a copy of this process, by fork",
    "services/evaluator/pool.py": "this Python, as a worker",
    "fleet/engine/processes.py": "this Python, as a worker",
    "cli/arguments.py": "the browser, for an address that krmkit makes",
    "fn/contract/process.py": "the function under test",
    "fn/contract/expected.py": "krmkit under test, and git on a copy of its example",
}
MODULES = {"subprocess", "multiprocessing", "pty", "webbrowser", "_posixsubprocess"}
CALLS = {"create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"}
OS_CALLS = {"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "startfile"}

_WORDS = re.compile("|".join(sorted({*MODULES, *CALLS, *OS_CALLS, "exec", "spawn"})))


def _is_start(node: ast.AST) -> bool:
    """Whether a node imports what starts processes, or names such a function."""
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] in MODULES for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        names = {alias.name for alias in node.names}
        return (node.module or "").partition(".")[0] in MODULES or bool(names & (CALLS | OS_CALLS))
    if isinstance(node, ast.Attribute):
        name = node.attr
        of_os = isinstance(node.value, ast.Name) and node.value.id in {"os", "posix"}
        return name in CALLS or (of_os and (name in OS_CALLS or name.startswith(("exec", "spawn"))))
    return False


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree without the blocks that only a type checker reads."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from _nodes(child)


def starters(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if _WORDS.search(text := path.read_text("utf-8"))
        and any(_is_start(node) for node in _nodes(ast.parse(text)))
    }


def test_one_module_starts_programs() -> None:
    """`libraries/process/program.py` takes options and operands apart; nothing else starts a program of others."""
    assert starters(LIBRARY) == set(STARTERS)
    assert starters(ROOT / "functions") == set()


def test_ways_to_start(tmp_path: Path) -> None:
    """Each way to start a process is seen."""
    ways = [
        "import subprocess as s",
        "def f():\n    from subprocess import run",
        "import os\nos.system('ls')",
        "import os\nos.execv('a', [])",
        "from os import popen",
        "from multiprocessing.context import ForkProcess",
        "import asyncio\nasyncio.create_subprocess_exec('a')",
        "import webbrowser",
    ]
    for number, text in enumerate(ways):
        (tmp_path / f"{number}.py").write_text(text)

    assert len(starters(tmp_path)) == len(ways)
