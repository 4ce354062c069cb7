"""The wheel: one top-level package, the functions inside it, and one command."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

from tools.definitions import definitions

HERE = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE")


@pytest.fixture(scope="module")
def wheel(project: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from a copy in which an earlier build left a module that is gone since."""
    copy, out = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("dist")
    left = copy / "build/lib/krmkit/gone.py"
    left.parent.mkdir(parents=True)
    left.touch()
    for name in HERE:
        shutil.copy(project / name, copy)
    for name in ("shared", "functions"):
        shutil.copytree(
            project / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
        )
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-index"]
    done = subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", str(out), str(copy)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (path,) = out.glob("*.whl")
    return zipfile.ZipFile(path)


def test_nothing_but_krmkit_is_top_level(wheel: zipfile.ZipFile) -> None:
    """No tests, no tools, no folder of functions beside the package."""
    tops = {name.split("/")[0] for name in wheel.namelist()}

    assert {top for top in tops if not top.endswith((".dist-info", ".data"))} == {"krmkit"}
    assert not [name for name in wheel.namelist() if "test_" in name or "/examples/" in name]


def test_functions_travel_inside(wheel: zipfile.ZipFile, project: Path) -> None:
    """Each function is there, with the same bytes as in the checkout."""
    for function in definitions(project):
        for file in ("main.py", "definition.py", "function.yaml", "rules.yaml"):
            assert (
                wheel.read(f"krmkit/_functions/{function.name}/{file}")
                == (function.folder / file).read_bytes()
            )


def test_pages_travel(wheel: zipfile.ZipFile, project: Path) -> None:
    """What `krmkit report` makes its page of, with the same bytes as in the checkout."""
    files = [
        path
        for path in (project / "shared/krmkit/views/page").iterdir()
        if path.suffix in (".html", ".css", ".js")
    ]

    assert len(files) > 3
    for path in files:
        assert wheel.read(f"krmkit/views/page/{path.name}") == path.read_bytes()


def test_every_module_travels(wheel: zipfile.ZipFile, project: Path) -> None:
    """A folder without __init__.py would be left behind. No module travels that is not there any more."""
    modules = {
        path.relative_to(project / "shared").as_posix() for path in (project / "shared/krmkit").rglob("*.py")
    }
    packed = {name for name in wheel.namelist() if name.endswith(".py") and "/_functions/" not in name}

    assert packed == modules
    assert "krmkit/py.typed" in wheel.namelist()


def test_commands(wheel: zipfile.ZipFile) -> None:
    """`krmkit` alone is put on PATH: a name such as `starlark` may be another program's."""
    (name,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    parser = ConfigParser()
    parser.read_string(wheel.read(name).decode("utf-8"))

    assert dict(parser["console_scripts"]) == {"krmkit": "krmkit.start:command"}
    assert dict(parser["pytest11"]) == {"krmkit": "krmkit.fn.contract.plugin"}
    assert not [name for name in wheel.namelist() if ".data/" in name]
