"""The command line of the contract test: what it compares with, and calls that are wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.cli import main

EXTENSION = """
apiVersion: krmkit.dev/v1alpha1
kind: TopologyExtension
metadata: {name: x}
spec:
  handlers:
  - name: a
    variables: [{name: v, schema: {openAPIV3Schema: {type: string}}}]
"""
RECORDED = """
apiVersion: krmkit.dev/v1alpha1
kind: TopologyResponses
metadata: {name: recorded}
spec:
  responses:
  - hook: DiscoverVariables
    response: {variables: [{name: v, schema: {openAPIV3Schema: {type: TYPE}}}]}
"""


def check(folder: Path, *words: str) -> int:
    (folder / "extension.yaml").write_text(EXTENSION, "utf-8")
    return main(["topology", "check-extension", str(folder / "extension.yaml"), "--max-ms", "10000", *words])


def test_recorded_is_that_file_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another recording in the folder says nothing about this one."""
    (tmp_path / "old.yaml").write_text(RECORDED.replace("TYPE", "integer"), "utf-8")
    (tmp_path / "new.yaml").write_text(RECORDED.replace("TYPE", "string"), "utf-8")

    assert check(tmp_path, "--recorded", str(tmp_path / "new.yaml")) == 0
    assert "0 warnings" in capsys.readouterr().out
    assert check(tmp_path, "--recorded", str(tmp_path / "old.yaml")) == 1
    assert "1 violations, 0 warnings" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file"),
        ("a: [", "recorded.yaml"),
        ("", "holds no recorded answer to DiscoverVariables"),
        (
            RECORDED.partition("  responses:")[0] + "  responses: [1, {hook: Other}]\n",
            "holds no recorded answer",
        ),
        (RECORDED.replace("[{name: v", "[1, {name: v"), "variables must be a list of definitions"),
    ],
)
def test_recorded_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, message: str
) -> None:
    """One line and exit code 1, not a check that compares with nothing."""
    if text is not None:
        (tmp_path / "recorded.yaml").write_text(text, "utf-8")

    assert check(tmp_path, "--recorded", str(tmp_path / "recorded.yaml")) == 1
    assert message in capsys.readouterr().err


def test_a_package_without_clusters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong folder must not pass for one whose requests were all answered."""
    assert check(tmp_path, "--package", str(tmp_path)) == 1
    assert "has no Cluster with a topology" in capsys.readouterr().out


@pytest.mark.parametrize("value", ["nan", "0", "-1", "inf", "x"])
def test_times_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], value: str) -> None:
    """A limit that nothing exceeds would make the check pass."""
    with pytest.raises(SystemExit) as ended:
        check(tmp_path, f"--max-ms={value}")

    assert ended.value.code == 1
    assert "must be a number of milliseconds above 0" in capsys.readouterr().err


def test_nobody_reads_the_table(tmp_path: Path) -> None:
    """`| head` may go away; the exit code says what was found all the same."""
    (tmp_path / "extension.yaml").write_text(EXTENSION, "utf-8")
    reader, writer = os.pipe()
    os.close(reader)

    done = subprocess.run(
        [sys.executable, "-m", "krmkit.cli", "topology", "check-extension", str(tmp_path / "extension.yaml")],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)

    assert (done.returncode, done.stderr) == (0, b"")
