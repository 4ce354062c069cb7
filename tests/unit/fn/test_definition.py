"""Tests of krmkit.fn.definition and krmkit.fn.loader."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.fn import loader
from krmkit.fn.definition import parse, run_time
from krmkit.krm.errors import Refused

YAML = """\
name: count-things
kind: CountThings
summary: Count things.
tags: [validator]
accepts: [{apiVersion: a.dev/v1, kind: Pile, schema: {type: object}}, {apiVersion: b.dev/v1, kind: Heap}]
configMap: {others: {into: names}}
schema: {type: object, properties: {most: {type: integer, default: 010}}}
"""
MAIN = "def process(resources, config, results):\n    results.info('x', __name__)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a function."""
    place = tmp_path / "count-things"
    place.mkdir()
    (place / "function.yaml").write_text(YAML, "utf-8")
    (place / "main.py").write_text(MAIN, "utf-8")
    return place


def test_load(folder: Path) -> None:
    """The fields of function.yaml, scalars as Go reads them."""
    definition = loader.definition(str(folder))

    assert (definition.name, definition.kind, definition.summary) == (
        "count-things",
        "CountThings",
        "Count things.",
    )
    assert definition.tags == ["validator"]
    assert definition.accepts == [("a.dev/v1", "Pile", {"type": "object"}), ("b.dev/v1", "Heap", None)]
    assert definition.config_map == {"others": {"into": "names"}}
    assert definition.schema["properties"]["most"]["default"] == 8


def test_config_schema_without_required_fields(folder: Path) -> None:
    """Where the spec requires nothing, it may be left out."""
    assert loader.definition(str(folder)).config_schema()["required"] == ["apiVersion", "kind"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "function.yaml is not a map"),
        ("[]", "function.yaml is not a map"),
        ("kind: A\nname: 1\n", "function.yaml has no usable name"),
        (YAML.replace("tags: [validator]", ""), "function.yaml has no usable tags"),
        ("a: [", "line 2, column 1"),
    ],
)
def test_unusable(text: str, message: str) -> None:
    """What is missing is named."""
    with pytest.raises(ValueError, match=message):
        parse(text)


def test_generated_definition_is_used(folder: Path) -> None:
    """A run takes definition.py where it stands; what only people read comes from function.yaml."""
    data = {**run_time(parse(YAML)), "kind": "FromPython"}
    (folder / "definition.py").write_text(f"DEFINITION = {data!r}\n", "utf-8")

    definition = loader.definition(str(folder))

    assert definition.kind == "FromPython"
    assert definition.summary == "Count things."


def test_run_time_part() -> None:
    """It holds what a run needs, without descriptions; a field called description stays."""
    schema = {
        "type": "object",
        "description": "Of the whole.",
        "properties": {"description": {"type": "string", "description": "Of the field."}},
        "items": [{"description": "Of an item.", "type": "integer"}],
    }
    data = {"name": "a", "kind": "A", "summary": "b", "tags": [], "schema": schema, "rules": {"c": "info: d"}}

    assert run_time(data) == {
        "name": "a",
        "kind": "A",
        "schema": {
            "type": "object",
            "properties": {"description": {"type": "string"}},
            "items": [{"type": "integer"}],
        },
        "rules": {"c": "info"},
    }


def test_at(folder: Path) -> None:
    """A function is loaded by its path, whatever its folder is called."""
    function = loader.at(str(folder))

    assert function.name == "count-things"
    assert function.definition.kind == "CountThings"
    assert function.process.__module__ == "krmkit._functions.count_things.main"
    assert function.process is function.process
    with pytest.raises(Refused, match=r"no function\.yaml in"):
        loader.at(str(folder.parent))


def test_catalog() -> None:
    """Every name of the catalog is a function that loads."""
    for name in loader.names():
        function = loader.load(name)

        assert function.definition.name == name
        assert callable(function.process)
    with pytest.raises(Refused, match=r'there is no function "aply-presets"; did you mean "apply-presets"\?'):
        loader.load("aply-presets")


def test_main_may_hold_dataclasses(folder: Path) -> None:
    """A main.py is a module like others: what looks a class's module up finds it."""
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n"
        "@dataclass\nclass Pile:\n    size: int\n\n"
    )
    (folder / "main.py").write_text(text + MAIN, "utf-8")

    assert callable(loader.at(str(folder)).process)


def test_broken_main(folder: Path) -> None:
    """A main.py that cannot be loaded raises what is wrong with it, each time."""
    (folder / "main.py").write_text("def broken(:\n", "utf-8")
    function = loader.at(str(folder))

    for _ in range(2):
        with pytest.raises(SyntaxError):
            _ = function.process
