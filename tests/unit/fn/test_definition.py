"""Tests of krmkit.fn.definition, its compiled form, and the loader."""

from __future__ import annotations

import marshal
from pathlib import Path

import pytest

from krmkit.fn import loader
from krmkit.fn.compile import compile_definition, compile_functions
from krmkit.fn.definition import Definition, compiled_path, parse

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
    definition = Definition.load(str(folder))

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
    assert Definition.load(str(folder)).config_schema()["required"] == ["apiVersion", "kind"]


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


def test_compiled_form_is_used(folder: Path) -> None:
    """The compiled form gives the same definition, and is what is read."""
    before = Definition.load(str(folder)).data
    compile_definition(folder)

    assert Definition.load(str(folder)).data == before
    Path(compiled_path(str(folder))).write_bytes(
        marshal.dumps((YAML, {**before, "kind": "FromTheCompiledForm"}))
    )
    assert Definition.load(str(folder)).kind == "FromTheCompiledForm"


def test_stale_compiled_form_is_ignored(folder: Path) -> None:
    """One changed letter in function.yaml, and the compiled form is none."""
    compile_definition(folder)
    (folder / "function.yaml").write_text(YAML.replace("Count things.", "Count Things."), "utf-8")

    assert Definition.load(str(folder)).summary == "Count Things."


@pytest.mark.parametrize("content", [b"", b"\x00", b"garbage", marshal.dumps(1), marshal.dumps((1, 2, 3))])
def test_broken_compiled_form_is_ignored(folder: Path, content: bytes) -> None:
    """A compiled form that cannot be read is none."""
    compile_definition(folder)
    Path(compiled_path(str(folder))).write_bytes(content)

    assert Definition.load(str(folder)).kind == "CountThings"


def test_compile_functions(folder: Path) -> None:
    """The compiler writes both forms for each function of a folder, and says when one does not compile."""
    assert compile_functions(folder.parent)
    assert Path(compiled_path(str(folder))).exists()
    assert list((folder / "__pycache__").glob("main.*.pyc"))

    (folder / "main.py").write_text("def broken(:\n", "utf-8")

    assert not compile_functions(folder.parent)


def test_at(folder: Path) -> None:
    """A function is loaded by its path, whatever its folder is called."""
    function = loader.at(str(folder))

    assert function.name == "count-things"
    assert function.definition.kind == "CountThings"
    assert function.process.__module__ == "krmkit._functions.count_things"
    assert function.process is function.process
    with pytest.raises(LookupError, match=r"no function\.yaml in"):
        loader.at(str(folder.parent))


def test_catalog() -> None:
    """Every name of the catalog is a function that loads."""
    for name in loader.names():
        function = loader.load(name)

        assert function.definition.name == name
        assert callable(function.process)
    with pytest.raises(
        LookupError, match=r'there is no function "aply-presets"; did you mean "apply-presets"\?'
    ):
        loader.load("aply-presets")


def test_script(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The installed command of a function is known by its name."""
    from krmkit.fn import script

    called = []

    def entry(file: str, process: object) -> int:
        called.append((file, process))
        return 0

    monkeypatch.setattr("sys.argv", ["/usr/bin/apply-presets.exe"])
    monkeypatch.setattr("krmkit.fn.main.main", entry)

    assert script.main() == 0
    ((file, process),) = called
    assert file == loader.load("apply-presets").main
    assert callable(process)
