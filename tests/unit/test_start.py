"""Tests of krmkit.start: the installed commands as processes."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

LIST = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
# The modules of the standard library that a run or `krmkit render` may load.
SHADOWED = ("json", "_json", "re", "typing", "types", "dataclasses", "tempfile", "shlex")


@pytest.fixture
def environment(project: Path, tmp_path: Path) -> dict[str, str]:
    """An environment whose PYTHONPATH holds modules with the names of others, all of them broken."""
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    for name in SHADOWED:
        (hostile / f"{name}.py").write_text("raise ValueError('not the module that was meant')\n", "utf-8")
    places = [str(hostile), str(project / "shared"), sysconfig.get_path("purelib")]
    return {"PYTHONPATH": ":".join(places)}


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("function('apply-presets')", ["--explain"]),
        ("command()", ["run", "resolve-macros"]),
    ],
)
def test_isolated(environment: dict[str, str], tmp_path: Path, call: str, arguments: list[str]) -> None:
    """Modules in PYTHONPATH and beside the script are not taken for Python's own; krmkit itself may stand there."""
    script = tmp_path / "script"
    script.write_text(f"from krmkit.start import *\n{call}\n", "utf-8")
    (tmp_path / "json.py").write_text("raise ValueError('beside the script')\n", "utf-8")

    done = subprocess.run(
        [sys.executable, "-S", str(script), *arguments],
        input=LIST,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )

    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.startswith(LIST)
