"""Messages that say what is wrong, where, and what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.krm.errors import Refused
from krmkit.storage.disk import journal
from krmkit.storage.disk.write import FileEdit, write

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            KPTFILE.replace("Kptfile", "Kptfiel"),
            "Kptfile: line 2, column 1: kind: must be a Kptfile (kpt.dev/v1), got Kptfiel (kpt.dev/v1)",
        ),
        (
            KPTFILE.replace("v1", "v9"),
            "Kptfile: line 1, column 1: apiVersion: must be a Kptfile (kpt.dev/v1), got",
        ),
    ],
)
def test_a_slip_in_the_kptfile(place: Path, capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    """The line of the wrong field is named."""
    (place / "Kptfile").write_text(text)

    assert main(["render", "."]) == 1
    assert said in capsys.readouterr().err


def test_a_template_without_a_name(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that is a flow mapping to YAML is a template's action to its author."""
    (place / "Kptfile").write_text(KPTFILE)
    (place / "s.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .x }}\n")

    assert main(["render", "."]) == 1
    assert "looks like a Helm template: list the file in .krmignore" in capsys.readouterr().err


def test_help_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`krmkit help render` is `krmkit render --help`."""
    for words in (["help", "render"], ["help", "topology", "plan"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: krmkit {' '.join(words[1:])} ")
    assert main(["help"]) == 0


def test_a_report_of_a_tree_says_why(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each failed package has its reason on stderr."""
    for name in ("good", "bad"):
        (place / name).mkdir()
        (place / name / "Kptfile").write_text(KPTFILE)
    (place / "bad/x.yaml").write_text("apiVersion: v1\nkind: X\n")

    assert main(["report", ".", "-o", "page.html"]) == 1
    said = capsys.readouterr()
    assert "1 failed" in said.out
    assert "krmkit report: bad/x.yaml: has no metadata.name" in said.err and "good" not in said.err


def test_a_folder_without_rights(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that may not be read is no journal of a killed run, and nobody is told to delete a folder."""

    def refused(path: str, *words: object) -> bytes:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(journal, "read_limited", refused)
    os.makedirs(place / ".krmkit-work")

    with pytest.raises(Refused, match="Permission denied; who runs krmkit must have the right") as said:
        journal.finish(str(place))
    assert "delete" not in str(said.value)


def test_all_functions_that_are_missing(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is named with its place, and the remedy once for all."""

    def none() -> str:
        raise Refused("none of docker, podman and nerdctl is there")

    monkeypatch.setattr("krmkit.render.resolve.runtime", none)
    steps = "".join(f"  - image: registry.example/{name}-fn:v1\n" for name in ("nad", "ipam"))
    (place / "Kptfile").write_text(f"{KPTFILE}pipeline:\n  mutators:\n{steps}")

    assert main(["render", "."]) == 1
    said = capsys.readouterr().err
    assert "Kptfile: line 6, column 5: pipeline.mutators[0]: registry.example/nad-fn:v1 is not" in said
    assert "pipeline.mutators[1]: registry.example/ipam-fn:v1 is not" in said
    assert said.count("--skip") == 2
    assert "install one, or --skip nad-fn --skip ipam-fn leave the functions out\n" in said


def test_a_file_that_may_not_be_written(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is named, not its folder, and nothing is written."""
    (place / "a.yaml").write_text("a: 1\n")
    (place / "b.yaml").write_text("b: 1\n")
    access = os.access
    monkeypatch.setattr(
        os, "access", lambda path, *more: not str(path).endswith("b.yaml") and access(path, *more)
    )

    with pytest.raises(Refused, match=r"cannot write b\.yaml: the file is read-only for who runs krmkit"):
        write(str(place), [FileEdit(f"{name}.yaml", f"{name}: 1\n", "c: 2\n") for name in "ab"])
    assert (place / "a.yaml").read_text() == "a: 1\n"
    assert sorted(os.listdir(place)) == ["a.yaml", "b.yaml"]
