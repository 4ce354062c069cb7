"""Common slips: each message says what, where, and what would be right."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from krmkit.cli import main

ROOT = Path(__file__).resolve().parents[3]


def test_spiff_reads_files_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names --files; with it, what fails is another thing."""
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text('a: (( read("x.yaml") ))\n')

    assert main(["spiff", "merge", "t.yaml"]) == 1
    assert "files are read only with --files DIR" in capsys.readouterr().err
    assert main(["spiff", "merge", "--files", ".", "t.yaml"]) == 1
    assert "--files DIR" not in capsys.readouterr().err


def test_a_plan_outside_git(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No words of git itself, and the other way."""
    (tmp_path / "cluster.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")

    assert main(["topology", "plan", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"krmkit topology plan: {tmp_path}: is not in a git repository; --against DIR compares with a folder\n"
    )


def test_a_tree_outside_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each package is named once."""
    shutil.copytree(ROOT / "examples" / "edge-topology", tmp_path / "edge")
    monkeypatch.chdir(tmp_path)

    assert main(["topology", "plan", "-r", ".", "--jobs", "1"]) == 1
    assert capsys.readouterr().err == (
        "krmkit topology plan: edge: is not in a git repository; --against DIR compares with a folder\n"
    )


def test_resources_of_a_subpackage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """why lists their files with the folder of the subpackage."""
    for folder in (tmp_path, tmp_path / "inner"):
        folder.mkdir(exist_ok=True)
        (folder / "Kptfile").write_text(
            f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {{name: {folder.name}}}\n"
        )

    assert main(["why", str(tmp_path)]) == 0
    listed = [line.split() for line in capsys.readouterr().out.splitlines()[1:3]]
    assert sorted(listed) == sorted(
        [["Kptfile/" + tmp_path.name, "Kptfile"], ["Kptfile/inner", "inner/Kptfile"]]
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", '"" names no repository: '),
        ("@v1", '"@v1" names no repository: '),
        ("https://example.com/r.git/web", '"https://example.com/r.git/web" names no version: '),
        ("r.git/web@", '"r.git/web@" names no version: '),
    ],
)
def test_a_source_without_all_its_parts(source: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The error says which part is missing, and what would be right."""
    assert main(["pkg", "get", source, "there"]) == 1

    form = "must be REPO[/PATH]@REF, where REF is a tag, branch or commit, as in "
    assert capsys.readouterr().err.startswith(f"krmkit pkg get: {said}{form}")


@pytest.fixture
def topology(tmp_path: Path) -> Path:
    """A package with a class `edge`, whose worker class is `worker`, and a Cluster of it."""
    for name in ("class.yaml", "cluster.yaml"):
        shutil.copy(ROOT / "examples" / "edge-topology" / name, tmp_path)
    assert main(["init", "--render", str(tmp_path)]) == 0
    return tmp_path


def rendered(
    folder: Path, old: str, new: str, stages: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> str:
    """The output of a render whose Cluster has a slip, with only these functions in the pipeline."""
    cluster = folder / "cluster.yaml"
    text = cluster.read_text()
    assert old in text
    cluster.write_text(text.replace(old, new))
    kptfile = folder / "Kptfile"
    lines = kptfile.read_text().splitlines(keepends=True)
    dropped = {
        number + more
        for number, line in enumerate(lines)
        if "image:" in line and line.rpartition("/")[2].partition(":")[0] not in stages
        for more in (0, 1)
    }
    kptfile.write_text("".join(line for number, line in enumerate(lines) if number not in dropped))
    capsys.readouterr()
    main(["render", str(folder), "--check", "-f", "text"])
    return capsys.readouterr().out


@pytest.mark.parametrize("stage", ["default-cluster-topology", "validate-cluster-topology"])
def test_a_wrong_class_name(topology: Path, stage: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest class among the items is named, in the warning that the webhook has too."""
    name = (topology / "class.yaml").read_text().partition("name: ")[2].partition("\n")[0]
    out = rendered(topology, f"name: {name}\n", f"name: {name[:-1]}\n", (stage,), capsys)
    assert f'did you mean "{name}"?' in out


@pytest.mark.parametrize("stage", ["render-cluster-topology", "validate-cluster-topology"])
def test_a_wrong_worker_class(topology: Path, stage: str, capsys: pytest.CaptureFixture[str]) -> None:
    """So is the machine deployment's."""
    out = rendered(topology, "class: worker\n", "class: wroker\n", (stage,), capsys)
    assert 'did you mean "worker"?' in out


@pytest.mark.parametrize("stage", ["default-cluster-topology", "validate-cluster-topology"])
def test_a_wrong_variable(topology: Path, stage: str, capsys: pytest.CaptureFixture[str]) -> None:
    """And a variable's."""
    text = (topology / "cluster.yaml").read_text()
    name = text.partition("variables:\n")[2].partition("name: ")[2].partition("\n")[0]
    out = rendered(topology, f"name: {name}\n", f"name: {name}x\n", (stage,), capsys)
    assert f'did you mean "{name}"?' in out


def test_local_config_without_quotes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A boolean where an annotation is expected is a warning at its line; one in quotes is none."""
    (tmp_path / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n")
    (tmp_path / "a.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    config.kubernetes.io/local-config: true\n"
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n  annotations:\n"
        '    config.kubernetes.io/local-config: "true"\n'
    )

    assert main(["render", str(tmp_path), "-f", "text"]) == 0

    told = [line for line in capsys.readouterr().out.splitlines() if "[annotation]" in line]
    assert len(told) == 1
    assert "a.yaml:6:5: warning: " in told[0] and 'must be a text, "true" in quotes' in told[0]


def test_a_folder_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is named, and what it would have to be; not a file of krmkit's own."""
    shutil.copytree(ROOT / "examples/without-docker", tmp_path / "p")
    make = os.mkdir

    def refused(path: str, *more: int) -> None:
        if ".krmkit-work" in str(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        make(path, *more)

    monkeypatch.setattr(os, "mkdir", refused)

    assert main(["render", str(tmp_path / "p")]) == 1

    told = capsys.readouterr().err
    assert (
        f"cannot write into {tmp_path / 'p'}: Permission denied; the folder must be writable for who runs krmkit"
        in told
    )
    assert ".krmkit-work" not in told


@pytest.mark.parametrize(
    "words", [["report", "{}", "-o", "page.html"], ["topology", "plan", "-r", "{}", "--against", "{}"]]
)
def test_a_repeated_key_deep_in_a_cluster(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a command finds while it works on one package of several is that package's error, with its line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p").mkdir()
    (tmp_path / "p/Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n")
    (tmp_path / "p/cluster.yaml").write_text(
        "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: c}\n"
        "spec:\n  topology:\n    version: v1.33.1\n    version: v1.33.1\n"
    )

    assert main([word.format("p") for word in words]) == 1

    told = "".join(capsys.readouterr())
    assert "line 7, column 5: " in told or "p/cluster.yaml:7:5: " in told
    assert 'the key "version" occurs twice' in told and "krmkit itself" not in told
