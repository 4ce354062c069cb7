"""`krmkit check`: what is wrong in packages, in every format, with nothing written."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.views.formats import FORMATS
from tests.unit.cli.packages import KPTFILE, contents

REFUSED = """apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: plant, namespace: sites}
spec:
  topology:
    classRef: {name: small}
    version: nonsense
"""


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["check", *words])
    return code, capsys.readouterr().out


@pytest.fixture
def clusters(tmp_path: Path) -> Path:
    """Return a package without a pipeline, whose Cluster no API server takes."""
    place = tmp_path / "clusters"
    place.mkdir()
    (place / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: clusters}\n")
    (place / "cluster.yaml").write_text(REFUSED)
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a"],
    ):
        subprocess.run(["git", *words], cwd=place, check=True)
    return place


def test_a_right_package(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told in a line, and only --rendered asks whether a render would change a file."""
    before = contents(package)

    assert said(capsys, str(package)) == (0, "1 package: nothing is wrong\n")
    code, out = said(capsys, str(package), "--rendered")
    assert code == 2
    assert "krmkit render would leave this file changed" in out
    assert out.endswith("1 package: 1 file would change\n")
    assert contents(package) == before


def test_errors_count_more_than_changes(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An error is 1, with its place, and with and without --rendered."""
    (package / "Kptfile").write_text(KPTFILE.replace("{preset}", "fats"))
    for flags in ([], ["--rendered"]):
        code, out = said(capsys, str(package), *flags, "-f", "text")
        assert code == 1
        assert "Kptfile:9:7: error: " in out and "[unknown-preset]" in out
        assert "1 package: 1 error\n" in out


def test_what_no_function_of_the_pipeline_finds(clusters: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A Cluster that the API refuses is an error, though the package has no pipeline."""
    code, out = said(capsys, str(clusters), "-f", "json")

    assert code == 1
    [found] = json.loads(out)["packages"]
    assert {one["rule"] for one in found["results"] if one["severity"] == "error"} == {
        "invalid-cluster",
        "missing-class",
    }
    assert all(one["path"].endswith("cluster.yaml") for one in found["results"] if one["severity"] == "error")


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_error(clusters: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    """Programs and people see the same mistake, and the same exit code."""
    code, out = said(capsys, str(clusters), "-f", form)

    assert code == 1
    assert "cluster.yaml" in out and "nonsense" in out


def test_paths(package: Path, clusters: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A path is a package, a folder of packages, or a file of a package; each package counts once."""
    file, above = str(package / "app.yaml"), str(package.parent)

    assert said(capsys, file) == (0, "1 package: nothing is wrong\n")
    code, out = said(capsys, file, str(package), above)
    assert code == 1
    assert "\n2 packages: " in out
    assert main(["check", str(package / "absent")]) == 1
    assert "absent: does not exist" in capsys.readouterr().err


def test_a_failure_that_no_finding_tells_of(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program that may not run is an error, said once."""
    kptfile = package / "Kptfile"
    kptfile.write_text(kptfile.read_text() + "  validators:\n  - exec: ./foreign\n")

    code, out = said(capsys, str(package), "-f", "text")
    assert code == 1
    assert out.count("--allow-exec") == 1
    assert out.endswith("1 package: 1 error\n")
