"""`render --containers NAME`: a function of this catalog runs in the image that the Kptfile names, the others in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.cli import main
from tests.unit.render.rendering import KPTFILE, put, resource

PIPELINE = """\
pipeline:
  mutators:
  - image: ghcr.io/kptdev/krm-functions-catalog/set-labels:v0.2.4
    configMap: {team: blue}
  - image: ghcr.io/kptdev/krm-functions-catalog/set-annotations:v0.1
    configMap: {owner: shop}
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with two everyday functions, on a machine without any container runtime."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("KPT_FN_RUNTIME", raising=False)
    return put(tmp_path / "p", {"Kptfile": KPTFILE + PIPELINE, "a.yaml": resource("a")})


def test_only_the_named_function_runs_in_its_container(package: Path) -> None:
    runtime = package.parent / "bin" / "podman"
    runtime.write_text(
        f'#!/bin/sh\n[ "$1" = version ] && exit 0\necho "$@" >> {package.parent}/called\nexec /bin/cat\n'
    )
    runtime.chmod(0o755)

    assert main(["render", str(package), "--containers", "set-labels"]) == 0

    called = (package.parent / "called").read_text().splitlines()
    assert [line.split()[-1] for line in called] == ["ghcr.io/kptdev/krm-functions-catalog/set-labels:v0.2.4"]
    text = (package / "a.yaml").read_text()
    assert "owner: shop" in text  # by this process
    assert "team: blue" not in text  # the stand-in of the container changes nothing


def test_a_container_that_fails_is_not_taken_for_a_slip(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The catalog's function of that name is no proposal where the container was asked for."""
    runtime = package.parent / "bin" / "podman"
    runtime.write_text('#!/bin/sh\n[ "$1" = version ] && exit 0\necho gone >&2; exit 3\n')
    runtime.chmod(0o755)

    assert main(["render", str(package), "--containers", "set-labels"]) == 1

    said = "".join(capsys.readouterr())
    assert "gone" in said and "did you mean" not in said


def test_without_a_runtime_the_flag_is_named(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (package / "a.yaml").read_text()

    assert main(["render", str(package), "--containers", "set-labels"]) == 1

    said = "".join(capsys.readouterr())
    assert "must run as a container (--containers set-labels), and no container runtime works here" in said
    assert (package / "a.yaml").read_text() == before


def test_a_name_that_is_no_function_is_refused(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", str(package), "--containers", "set-label"]) == 1

    assert "set-labels" in "".join(capsys.readouterr())
