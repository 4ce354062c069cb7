"""Commands without PKG mean the package that the working directory is in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.unit.render.conversion.profiles import EXPORT

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "examples/edge-cluster-profile"
GREETER = ROOT / "functions/render-installation/examples/greeter"
QUICK_START = ROOT / "functions/render-cluster-topology/examples/quick-start"


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two packages; the working directory is a folder in the first."""
    shutil.copytree(PACKAGE, tmp_path / "profile")
    shutil.copytree(GREETER, tmp_path / "greeter")
    shutil.copytree(QUICK_START, tmp_path / "clusters", ignore=shutil.ignore_patterns(".expected"))
    monkeypatch.chdir(tmp_path / "profile/packs")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(list(words))
    told = capsys.readouterr()
    return code, told.out + told.err


def test_why_lists_what_can_be_asked(
    inside: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a resource, with and without PKG, the resources are listed with their files."""
    here = said(capsys, "why")
    assert here[0] == 0
    assert "ConfigMap/line-vision" in here[1] and "packs/line-vision.yaml" in here[1]
    assert "krmkit why .. RESOURCE [FIELD] shows where" in here[1]
    monkeypatch.chdir(inside)
    assert "krmkit why profile RESOURCE [FIELD]" in said(capsys, "why", "profile")[1]
    found = json.loads(said(capsys, "why", "profile", "-f", "json")[1])
    assert {"resource": "ConfigMap/line-vision", "file": "packs/line-vision.yaml"} in found["resources"]


@pytest.mark.usefixtures("inside")
def test_why_without_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    """A resource and a field are asked of the package around."""
    whole = said(capsys, "why", "..", "ConfigMap/line-vision")

    assert whole[0] == 0
    assert said(capsys, "why", "ConfigMap/line-vision") == whole
    assert said(capsys, "why", "--uses", "..", "nothing") == said(capsys, "why", "--uses", "nothing")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["why", "nowhere", "ConfigMap/a"], "nowhere: does not exist"),
        (["why", "nowhere"], "nowhere: does not exist"),
        (["landscaper", "explain", "nowhere", "a"], "nowhere: does not exist"),
        (["landscaper", "explain", "greeter"], "explain needs an INSTALLATION"),
    ],
)
def test_outside_of_packages(
    inside: Path,
    words: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where there is no package around, the first word is PKG."""
    monkeypatch.chdir(inside)

    code, told = said(capsys, *words)

    assert (code, message in told) == (1, True), told


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("greeter", ["landscaper", "graph"]),
        ("greeter", ["landscaper", "reconcile", "--now", "2026-05-01T08:00:00Z"]),
        ("greeter", ["landscaper", "explain", "greeter"]),
        ("greeter", ["landscaper", "explain", "greeter", "replicas"]),
        ("clusters", ["topology", "plan", "--against", str(QUICK_START)]),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[:3]),
)
def test_other_commands(
    inside: Path,
    folder: str,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """They say the same with PKG and without."""
    monkeypatch.chdir(inside / folder)
    named = [*words[:2], ".", *words[2:]]

    first = said(capsys, *named)

    assert first[0] in (0, 2), first
    assert said(capsys, *words) == first


@pytest.mark.parametrize(
    ("folder", "words"),
    [("greeter", ["greeter"]), ("greeter", ["greeter", "replicas"]), ("greeter/sub", ["greeter"])],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_explain_below_the_working_directory(
    inside: Path,
    folder: str,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With -r and without PKG it is the folder that counts, and not the package around."""
    (inside / "greeter/sub").mkdir()
    monkeypatch.chdir(inside / folder)

    first = said(capsys, "landscaper", "explain", "-r", ".", *words)

    assert said(capsys, "landscaper", "explain", "-r", *words) == first


def test_explain_in_a_folder_of_plain_files(
    inside: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The only word is the installation."""
    (inside / "greeter/Kptfile").unlink()
    shutil.rmtree(inside / "greeter/.expected")
    monkeypatch.chdir(inside / "greeter")

    code, told = said(capsys, "landscaper", "explain", "greeter")

    assert code == 0, told
    assert "greeter: import" in told


def test_pack_export(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Packs of the package around are written."""
    assert said(capsys, "pack", "export", "-o", str(inside / "out"))[0] == 0
    assert list((inside / "out").glob("*/pack.json"))


def test_profile_without_a_place_goes_to_stdout(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The text alone, whatever --format says; folders of packs need a place."""
    profile = inside / "plant.json"
    profile.write_text(EXPORT)
    assert said(capsys, "pack", "import", str(profile), "-o", str(inside / "plant"))[0] == 0

    for words in (), ("-o", "-"), ("-f", "json"):
        assert main(["pack", "export", str(inside / "plant"), "--profile", *words]) == 0
        assert capsys.readouterr().out == EXPORT
    assert main(["pack", "export", str(inside / "plant"), "--profile", "--form", "terraform"]) == 0
    assert capsys.readouterr().out.startswith('resource "spectrocloud_cluster_profile" "plant" {')

    assert main(["pack", "export", str(inside / "plant")]) == 1
    assert "-o DIR must name the folder" in capsys.readouterr().err


def test_doc_of_a_field(capsys: pytest.CaptureFixture[str]) -> None:
    """`doc` takes what `explain` takes."""
    assert said(capsys, "doc", "ApplyPresets.spec.selections") == said(
        capsys, "explain", "ApplyPresets.spec.selections"
    )
    assert said(capsys, "doc", "ApplyPresets") == said(capsys, "doc", "apply-presets")


def test_a_report_on_the_folder_above(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page says nothing about where the packages lie on this machine."""
    assert said(capsys, "report", "../..", "-o", str(inside / "page.html"))[0] == 0

    assert str(inside) not in (inside / "page.html").read_text()
