"""A name of a file or a public class stands once in the library, so that it tells a newcomer what it is about."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

LANGUAGE = "each template language has one, and calls it so"
FAMILY = "sprig and spiff have a family of functions for it"
COMMAND = "the command of that name, and what it shows"
GO_TYPES = "Go's name, for a node of a template and for the type of an API's field"

FILES = {
    "__init__": "Python's name",
    "__main__": "Python's name",
    "apinames": "groups, kinds, labels and conditions of one system's API",
    "blueprint": "Cluster API and Landscaper both call it so",
    "calls": LANGUAGE,
    "command": "the command line of a command that is a folder",
    "errors": "the errors of one floor or system",
    "findings": "what one system's engines found",
    "limits": "what one evaluator may use",
    "lists": FAMILY,
    "literals": LANGUAGE,
    "nodes": LANGUAGE,
    "numbers": FAMILY,
    "pack": COMMAND,
    "parser": LANGUAGE,
    "paths": FAMILY,
    "refused": FAMILY,
    "run": COMMAND,
    "schema": COMMAND,
    "semvers": FAMILY,
    "server": "the server of one service",
    "strings": FAMILY,
    "topology": COMMAND,
    "worker": "the process of one service",
}
CLASSES = {
    "Bool": GO_TYPES,
    "Editor": "flowedit names the part of the editor that it calls",
    "Map": "a YAML mapping, and Go's name for the type of an API's field",
    "Node": LANGUAGE,
    "Number": GO_TYPES,
    "Template": "what a template language parses, and what an author of an extension changes",
    "Text": GO_TYPES,
}


def repeated(found: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    """The names that stand in more than one place, with the places."""
    places = defaultdict(list)
    for name, place in found:
        places[name].append(place)
    return {name: sorted(where) for name, where in sorted(places.items()) if len(where) > 1}


def files(library: Path) -> Iterator[tuple[str, str]]:
    for path in library.rglob("*.py"):
        yield path.stem, path.relative_to(library).as_posix()


def classes(library: Path) -> Iterator[tuple[str, str]]:
    """Public classes; a name with an underscore is its module's own affair."""
    for path in library.rglob("*.py"):
        if path.name.endswith("_pb2.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, path.relative_to(library).as_posix()


@pytest.mark.parametrize(("find", "allowed"), [(files, FILES), (classes, CLASSES)], ids=["files", "classes"])
def test_names_stand_once(project: Path, find: object, allowed: dict[str, str]) -> None:
    """A new file or class has a name of its own; an allowed name that stands once leaves the list."""
    assert callable(find)
    found = repeated(find(project / "shared/krmkit"))

    assert {name: where for name, where in found.items() if name not in allowed} == {}
    assert [name for name in allowed if name not in found] == []


def test_rule_of_the_names(tmp_path: Path) -> None:
    """The rule finds files and classes of the same name, and leaves private classes alone."""
    for folder, text in (
        ("a", "class Rule: ..."),
        ("b", "class Rule: ...\nclass _Reader: ..."),
        ("c", "class _Reader: ..."),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / ("schema.py" if folder < "c" else "other.py")).write_text(text)

    assert repeated(files(tmp_path)) == {"schema": ["a/schema.py", "b/schema.py"]}
    assert repeated(classes(tmp_path)) == {"Rule": ["a/schema.py", "b/schema.py"]}
