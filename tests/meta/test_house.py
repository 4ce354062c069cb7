"""What every part of the house has: complete functions, small files, locks with hashes, texts that fit anywhere."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tools.definitions import function_folders

LONGEST_FILE = 350
LONGEST_TEST = 500  # tables of cases
LONGEST_FUNCTION = 80  # ruff counts the branches (PLR0912)
LONGEST_MAIN = 65
LARGEST_FOLDER = 20  # Python files beside each other
ONE_FILE_EACH = {"shared/krmkit/cli": "a command"}
LONGEST_COMMAND_LINE = 5_000
ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = [folder.name for folder in function_folders(ROOT)]

# Where the project was made, and where its dependencies come from, is nobody's business.
PLACES = re.compile(
    r"(?<![\w.])/(?:work|root|home/(?!argocd/)\w+|Users/\w+|tmp/\w+)/"  # paths of one machine; Argo CD's is everybody's
    r"|py[p]i\.org|python[h]osted|(?:index|find)-(?:url|links)[ =]\S*//"  # package indexes
)


def tracked() -> list[Path]:
    """The files that git knows, or all of an exported tree."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        return [
            path
            for path in ROOT.rglob("*")
            if path.is_file() and not path.relative_to(ROOT).parts[0].startswith(".")
        ]
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_there_are_functions() -> None:
    """The tests below run for something."""
    assert FUNCTIONS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_folder_is_complete(name: str) -> None:
    """A function has its program, definition, page and at least one example with what is expected of it."""
    folder = ROOT / "functions" / name

    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name)
    for file in ("main.py", "definition.py", "function.yaml", "rules.yaml", "README.md", "metadata.yaml"):
        assert (folder / file).is_file(), f"functions/{name}/{file} is missing"
    examples = sorted(folder.glob("examples/*"))
    assert examples, f"functions/{name}/examples has no example package"
    for example in examples:
        assert (example / "Kptfile").is_file(), example.name
        assert ".expected" in (example / ".krmignore").read_text("utf-8").split(), example.name
        for file in ("diff.patch", "results.yaml", "config.yaml"):
            assert (example / ".expected" / file).is_file(), (
                f"{example.name}: run `make golden FUNCTION={name}`"
            )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_main_is_small_and_executable(name: str) -> None:
    """main.py holds no logic, and can be named in `exec:`."""
    path = ROOT / "functions" / name / "main.py"
    text = path.read_text("utf-8")

    assert text.startswith("#!/usr/bin/env python3\n")
    assert os.access(path, os.X_OK)
    assert len(text.splitlines()) <= LONGEST_MAIN
    assert "    main(__file__, process)\n" in text
    # The first module of krmkit is loaded by a line that the way to the library precedes.
    assert text.index("    sys.path.insert(0, ") < text.index("from krmkit.")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_readme_of_a_function(name: str) -> None:
    """A function's page begins with its name, and has the chapters that catalogs and mdtogo look for."""
    text = (ROOT / "functions" / name / "README.md").read_text("utf-8")

    assert text.startswith(f"# {name}\n")
    for chapter in ("## Overview", "## Usage", "### FunctionConfig", "## Examples"):
        assert f"\n{chapter}\n" in text, chapter


def test_the_list_names_every_function() -> None:
    """The page of all functions links each."""
    text = (ROOT / "docs/functions.md").read_text("utf-8")

    assert not [name for name in FUNCTIONS if f"(../functions/{name}/README.md)" not in text]


def sources() -> list[Path]:
    return [path for path in tracked() if path.suffix == ".py" and not path.name.endswith("_pb2.py")]


def test_no_file_is_too_long() -> None:
    """A source file above the limit holds a second noun that wants a file of its own."""
    long = {}
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        lines = len(path.read_text("utf-8").splitlines())
        if lines > (LONGEST_TEST if name.startswith("tests/") else LONGEST_FILE):
            long[name] = lines

    assert long == {}


def test_no_folder_is_too_full() -> None:
    """A folder of the library with more files than the limit holds a second noun that wants a folder of its own."""
    folders = Counter(
        path.parent.relative_to(ROOT).as_posix() for path in sources() if path.name != "__init__.py"
    )
    full = {
        name: files
        for name, files in folders.items()
        if name.startswith("shared/") and files > LARGEST_FOLDER and name not in ONE_FILE_EACH
    }

    assert full == {}


def test_the_command_line_is_small() -> None:
    """Commands parse, call and print; what they do is below them."""
    lines = sum(
        len(path.read_text("utf-8").splitlines()) for path in sources() if "/krmkit/cli/" in str(path)
    )

    assert lines <= LONGEST_COMMAND_LINE


def test_no_function_is_too_long() -> None:
    """A function above the limit does two things."""
    long = {}
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    long[f"{path.relative_to(ROOT).as_posix()}:{node.lineno} {node.name}"] = lines

    assert long == {}


def test_no_places_in_the_texts() -> None:
    """No tracked file holds a path of one machine or the address of a package index."""
    found = []
    for path in tracked():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT).as_posix()}: {match[0]}" for match in PLACES.finditer(text)]

    assert not found


def test_no_text_names_a_release() -> None:
    """There is none: whoever asked an index for krmkit would get what somebody else put there."""
    named = re.compile(
        r"(?:pipx?|uvx?|uv pip) install (?:-\S+ )*[\"'`]*krmkit\b(?!-)|(?<![.\w/])krmkit\[[a-z]"
    )
    found = []
    for path in tracked():
        if path.suffix in {".py", ".md", ".yaml", ".yml", ".toml", ".txt", ".in"} and path != Path(__file__):
            text = path.read_text("utf-8")
            found += [f"{path.relative_to(ROOT).as_posix()}: {match[0]}" for match in named.finditer(text)]

    assert not found


@pytest.mark.parametrize("path", sorted(ROOT.glob("requirements/*.txt")), ids=lambda path: path.name)
def test_lock_pins_and_hashes(path: Path) -> None:
    """Every line of a lock is a pinned version with hashes, and no address."""
    text = path.read_text("utf-8")
    entries = text.replace("\\\n", "").splitlines()

    assert entries
    assert "//" not in text
    for entry in entries:
        assert re.match(r"[a-z0-9-]+==[0-9][^ ]*( ; [^-]+)?( +--hash=sha256:[0-9a-f]{64})+$", entry), entry


def test_every_lock_has_its_source() -> None:
    """A lock is resolved from a file of the same name."""
    names = {path.stem for path in ROOT.glob("requirements/*.txt")}

    assert {"run", "dev"} <= names
    assert names == {path.stem for path in ROOT.glob("requirements/*.in")}


def test_dependencies_agree() -> None:
    """pyproject.toml and the sources of the locks name the same run-time dependencies."""
    import tomllib

    with (ROOT / "pyproject.toml").open("rb") as stream:
        project = tomllib.load(stream)["project"]
    extras = project["optional-dependencies"]
    wanted = {"run": project["dependencies"], **extras}
    every = {
        entry.partition(">=")[0]
        for extra, names in extras.items()
        if extra not in {"all", "testing"}
        for entry in names
    }
    assert {entry.partition(">=")[0] for entry in wanted.pop("all")} == every

    for name, dependencies in wanted.items():
        lines = (ROOT / "requirements" / f"{name}.in").read_text("utf-8").splitlines()
        assert [line for line in lines if line and not line.startswith("#")] == dependencies, name


@pytest.mark.parametrize(
    "text",
    ["see /ro" + "ot/x", "in /wo" + "rk/main/a", "/tm" + "p/abc/d", "https://py" + "pi.org/simple"],
)
def test_places_are_found(text: str) -> None:
    """The search for places finds each kind."""
    assert PLACES.search(text)


@pytest.mark.parametrize(
    "text", ["machines/work/x", "/workspace/a", "a/root/b", "/tmp is a folder", "/home/argocd/x"]
)
def test_other_texts_are_no_places(text: str) -> None:
    """The search for places leaves other texts alone."""
    assert not PLACES.search(text)
