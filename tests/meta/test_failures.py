"""One failure, one way: the root, the number of classes, and the one handler of the commands."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

import pytest

MOST = 35  # classes of exceptions in the library: one of its own only for what somebody catches apart
_BUILT_IN = {
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}


def _trees(folder: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def _bases(node: ast.ClassDef) -> list[str]:
    return [ast.unparse(base).rpartition(".")[2] for base in node.bases]


@pytest.fixture(scope="module")
def failures(project: Path) -> dict[str, tuple[Path, list[str]]]:
    """The exception classes of the library by name, each with its file and its bases."""
    library = project / "shared/krmkit"
    classes = {
        node.name: (path.relative_to(library), _bases(node))
        for path, tree in _trees(library)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found: dict[str, tuple[Path, list[str]]] = {}
    while more := {
        name: (path, bases)
        for name, (path, bases) in classes.items()
        if name not in found and any(base in _BUILT_IN or base in found for base in bases)
    }:
        found |= more
    return found


def test_few_classes(failures: dict[str, tuple[Path, list[str]]]) -> None:
    """A class of its own is for what somebody catches apart."""
    assert len(failures) <= MOST, sorted(failures)


def test_one_root(failures: dict[str, tuple[Path, list[str]]]) -> None:
    """Above the libraries every failure is a Refused, so that one handler reports it."""
    for name, (path, bases) in failures.items():
        if path.parts[0] != "libraries" and name != "Refused":
            assert any(base == "Refused" or base in failures for base in bases), f"{path}: {name}"


def test_commands_catch_once(project: Path) -> None:
    """No command catches a failure to report it and end: that is what krmkit.cli.refusing is for."""
    for path, tree in _trees(project / "shared/krmkit/cli"):
        for handler in (node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)):
            ends = [ast.unparse(line) for line in handler.body if isinstance(line, ast.Return)]
            assert path.name in ("refusing.py", "__init__.py") or "return 1" not in ends, (
                f"{path}:{handler.lineno}"
            )
