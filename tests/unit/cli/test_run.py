"""krmkit run --format: what a function found, in place of the list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.unit.cli.packages import PACK

LIST = """apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: c}
  data: {app: "Mode:PRESET"}
items:
- """


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    file = tmp_path / "list.yaml"
    file.write_text(LIST + PACK.rstrip().replace("\n", "\n  ") + "\n")
    return file


@pytest.mark.parametrize(("preset", "code"), [("fast", 0), ("fats", 1)])
def test_results_alone(listed: Path, preset: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The report in the format, and the function's exit code."""
    listed.write_text(listed.read_text().replace("PRESET", preset))

    assert main(["run", "apply-presets", str(listed), "--explain", "-f", "json"]) == code

    (package,) = json.loads(capsys.readouterr().out)["packages"]
    rules = [result["rule"] for result in package["results"]]
    assert rules == (["unknown-preset"] if code else ["applied"])
    assert package["functions"][0] == {
        "function": "apply-presets",
        "package": "",
        "exitCode": code,
        "seconds": 0.0,
    }


def test_without_a_format(listed: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The list comes out, as from the function's own command."""
    listed.write_text(listed.read_text().replace("PRESET", "fast"))

    assert main(["run", "apply-presets", str(listed)]) == 0
    assert b"kind: ResourceList" in capfdbinary.readouterr().out
