"""The faces of the libraries: what others import of them, their READMEs, and that each stands alone."""

from __future__ import annotations

import ast
import doctest
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.meta.imports import Source, Sources

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = "krmkit.libraries."
FACES = ("yaml", "go", "gotemplate", "sprig", "envsubst", "versions", "spiff")
# Modules past a face that others import, with the reason.
PAST = {
    "yaml._libyaml": "krm and fn load the extension of libyaml once, at the start of a run",
    "yaml.chunks": "krm splits a list into items without reading them, which is most of a small run",
    "yaml.copies": "krm copies nodes between items with their comments",
    "yaml.effort": "the budget of a run, which fn begins and every language charges",
    "yaml.fields": "krm reads a few fields of an item from libyaml's events, without a tree",
    "yaml.lines": "kpt and palette tell line ends and marks of a text as the reader does",
    "yaml.quotes": "krm keeps the quotes of a scalar that it writes without a tree",
    "yaml.split": "krm splits a list into items without reading them, which is most of a small run",
    "yaml.surrogates": "krm reads JSON's escapes in a list of items",
}
# Libraries that are passed on together, with what each group imports of the others.
GROUPS = {
    ("yaml",): (),
    ("go", "gotemplate", "sprig", "envsubst", "versions"): ("yaml", "messages"),
    ("spiff",): ("go", "versions", "yaml", "messages"),
}


@pytest.fixture(scope="module")
def sources() -> Sources:
    return Sources(ROOT)


def public(library: str) -> list[str]:
    """Return the names of `__all__` of a library."""
    tree = ast.parse((ROOT / f"shared/krmkit/libraries/{library}/__init__.py").read_text("utf-8"))
    found = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    return [str(name) for name in ast.literal_eval(found[0])] if found else []


def library_of(name: str) -> str:
    return name.removeprefix(LIBRARIES).partition(".")[0] if name.startswith(LIBRARIES) else ""


def past(source: Source) -> set[str]:
    """Return what a source imports past the faces, as `library.module` or `library.name`."""
    found = set()
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        for name in node.names:
            library, _, rest = f"{node.module}.{name.name}".removeprefix(LIBRARIES).partition(".")
            if not node.module.startswith(LIBRARIES.rstrip(".")) or library not in FACES:
                continue
            if library != library_of(source.name) and rest and rest.partition(".")[0] not in public(library):
                found.add(f"{library}.{rest.partition('.')[0]}")
    return found


def test_nobody_imports_past_a_face(sources: Sources) -> None:
    """Others import the names of `__all__`, and of public modules; the exceptions have a reason, and are used."""
    assert {one for source in sources for one in past(source)} == set(PAST)


def test_a_face_is_small() -> None:
    """A newcomer reads the names of a library at once."""
    assert {name: len(public(name)) for name in FACES if not 1 < len(public(name)) <= 10} == {}


@pytest.mark.parametrize("library", FACES)
def test_the_readme_is_true(library: str) -> None:
    """The README of a library fits on a screen, names its face, and its example runs."""
    path = ROOT / f"shared/krmkit/libraries/{library}/README.md"
    text = path.read_text("utf-8")

    assert len(text.splitlines()) <= 45
    assert [name for name in public(library) if f"`{name}`" not in text] == []
    done = doctest.testfile(str(path), module_relative=False)
    assert done.attempted
    assert not done.failed


def alone(folder: Path, group: tuple[str, ...], others: tuple[str, ...]) -> dict[str, str]:
    """Copy a group of libraries and what it imports into a krmkit without anything else; return the environment to run it."""
    place = folder / "shared/krmkit"
    for part in ("libraries/__init__.py", "__init__.py"):
        (place / part).parent.mkdir(parents=True, exist_ok=True)
        (place / part).write_text("", "utf-8")
    for library in (*group, *others):
        shutil.copytree(ROOT / f"shared/krmkit/libraries/{library}", place / f"libraries/{library}")
    return {**os.environ, "PYTHONPATH": f"{place.parent}{os.pathsep}{folder}"}


@pytest.mark.parametrize(("group", "others"), GROUPS.items(), ids=["+".join(group) for group in GROUPS])
def test_it_loads_alone(tmp_path: Path, group: tuple[str, ...], others: tuple[str, ...]) -> None:
    """Every module of a library loads with the rest of krmkit absent."""
    environment = alone(tmp_path, group, others)
    place = tmp_path / "shared"
    names = [
        path.relative_to(place).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
        for library in group
        for path in sorted((place / "krmkit/libraries" / library).rglob("*.py"))
    ]
    program = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    done = subprocess.run(
        [sys.executable, "-c", program, *names],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
