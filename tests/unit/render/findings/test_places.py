"""Results point at the line of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.kpt.resultlist import FunctionRun
from krmkit.libraries.json.paths import steps_of
from krmkit.render.findings.places import PackageFiles, result_of, shown_path
from krmkit.render.package import read

KPTFILE = """apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: p
pipeline:
  validators:
  - image: example.dev/check:v1
    configMap:
      least: "0"
"""
APP = """# about it
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  ports:
  - port: 80
  - port: 81
---
# second
apiVersion: v1
kind: ConfigMap
metadata:
  name: app
data:
  app.conf: x
  values.yaml: |
    # Doors
    vision:
      contact: ""
"""
SERVICE = {"apiVersion": "v1", "kind": "Service", "name": "web"}
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "name": "app"}
INPUT = {"apiVersion": "v1", "kind": "ConfigMap", "name": "function-input"}
FILE = "app.yaml"

CASES = [
    pytest.param(FILE, 0, SERVICE, "spec.ports[1].port", "", ("app.yaml", 9, 5), id="a field in a list"),
    pytest.param(FILE, 0, SERVICE, "spec.type", "", ("app.yaml", 6, 1), id="absent, so what would hold it"),
    pytest.param(FILE, 0, SERVICE, "", "", ("app.yaml", 2, 1), id="the resource"),
    pytest.param(FILE, 1, CONFIG, "data.app.conf", "", ("app.yaml", 17, 3), id="a key with a dot"),
    pytest.param(FILE, 1, CONFIG, 'data."app.conf"', "", ("app.yaml", 17, 3), id="a quoted key"),
    pytest.param(FILE, 1, CONFIG, "vision.contact", "", ("app.yaml", 21, 7), id="a field of a text inside"),
    pytest.param(FILE, 7, CONFIG, "", "", ("app.yaml", 12, 1), id="another index, found by its name"),
    pytest.param("", 0, CONFIG, "data", "", ("app.yaml", 16, 1), id="no file, found by its name"),
    pytest.param(FILE, 1, CONFIG, "", "line 20, column 5: ", ("app.yaml", 20, 5), id="the message says it"),
    pytest.param("new.yaml", 0, {}, "", "", ("new.yaml", 0, 0), id="a file that is not there yet"),
    pytest.param("", 0, INPUT, "data.least", "", ("Kptfile", 9, 7), id="a field of an inline config"),
    pytest.param("", 0, INPUT, "", "", ("Kptfile", 7, 5), id="an inline config"),
    pytest.param("", 0, {}, "", "", ("", 0, 0), id="nothing known"),
]


@pytest.mark.parametrize(("file", "index", "resource", "field", "prefix", "expected"), CASES)
def test_places(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    index: int,
    resource: dict[str, str],
    field: str,
    prefix: str,
    expected: tuple[str, int, int],
) -> None:
    """The nearest line that the file has."""
    (tmp_path / "Kptfile").write_text(KPTFILE)
    (tmp_path / "app.yaml").write_text(APP)
    monkeypatch.chdir(tmp_path)
    result: dict[str, object] = {"message": f"{prefix}is wrong", "resourceRef": resource}
    result |= {"field": {"path": field}, "file": {"path": file, "index": index}}
    run = FunctionRun("image", "example.dev/check:v1", "", "pipeline.validators[0]")

    found = result_of(result, run, PackageFiles(read(".")))

    assert (found.path, found.line, found.column) == expected


@pytest.mark.parametrize(
    ("said", "current", "expected"),
    [
        pytest.param("line 19, column 7: ", "# Doors", (19, 7), id="where it is said"),
        pytest.param("line 25, column 5: ", "contact", (21, 7), id="lines above it are new"),
        pytest.param("line 25, column 5: ", "nowhere", (18, 3), id="all of it is new, so the field"),
        pytest.param("line 25, column 5: ", 7, (18, 3), id="no text, and no such line, so the field"),
        pytest.param("line 20, column 5: ", "nowhere", (20, 5), id="a text that is quoted in the file"),
    ],
)
def test_lines_as_they_are_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, current: object, expected: tuple[int, int]
) -> None:
    """A function says a line of what it gets, which others before it changed."""
    (tmp_path / "Kptfile").write_text(KPTFILE)
    (tmp_path / "app.yaml").write_text(APP)
    monkeypatch.chdir(tmp_path)
    result: dict[str, object] = {"message": f"{said}is wrong", "resourceRef": CONFIG}
    result |= {
        "field": {"path": 'data."values.yaml"', "currentValue": current},
        "file": {"path": FILE, "index": 1},
    }
    run = FunctionRun("image", "example.dev/check:v1", "", "pipeline.validators[0]")

    found = result_of(result, run, PackageFiles(read(".")))

    assert (found.path, found.line, found.column, found.message) == ("app.yaml", *expected, "is wrong")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("line 20, column 5: is wrong", "is wrong"),
        (
            "line 20, column 5 (line 2 of app/values.yaml): no",
            "line 20, column 5 (line 2 of app/values.yaml): no",
        ),
    ],
)
def test_a_place_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, shown: str) -> None:
    """A message loses the line that the place has; one that knows more stays."""
    (tmp_path / "Kptfile").write_text(KPTFILE)
    (tmp_path / "app.yaml").write_text(APP)
    monkeypatch.chdir(tmp_path)
    result: dict[str, object] = {"message": said, "resourceRef": CONFIG, "file": {"path": FILE, "index": 1}}
    run = FunctionRun("image", "example.dev/check:v1", "", "pipeline.validators[0]")

    assert result_of(result, run, PackageFiles(read("."))).message == shown


def test_paths_are_those_of_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative to the working directory, whole where the two have nothing in common."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    assert shown_path("p/../q") == "q"
    assert shown_path("../p") == "../p"
    assert shown_path("..") == ".."
    assert shown_path("/") == "/"
    monkeypatch.chdir("/")
    assert shown_path(str(tmp_path)) == str(tmp_path)[1:]


def test_steps() -> None:
    """Keys, positions, and keys in quotes or brackets."""
    assert steps_of("a.b[0].\"x.y\"['c']") == ["a", "b", 0, "x.y", "c"]
