"""`folder.name` of a file, and the name of a public class, occur once in the library, so that they tell a newcomer what they are about."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

LANGUAGE = "each template language has one, and calls it so"
GO_TYPES = "Go's name, for a node of a template and for the type of an API's field"

FILES: dict[str, str] = {}
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
    """Files by `folder.name`: a folder is a namespace."""
    for path in library.rglob("*.py"):
        if not path.name.startswith("__"):
            yield f"{path.parent.name}.{path.stem}", path.relative_to(library).as_posix()


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
    """The rule finds classes of the same name, and files of the same name in folders of the same name."""
    for folder, text in (
        ("a/api", "class Rule: ..."),
        ("b/api", "class Rule: ...\nclass _Reader: ..."),
        ("c", "class _Reader: ..."),
    ):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "schema.py").write_text(text)

    assert repeated(files(tmp_path)) == {"api.schema": ["a/api/schema.py", "b/api/schema.py"]}
    assert repeated(classes(tmp_path)) == {"Rule": ["a/api/schema.py", "b/api/schema.py"]}
