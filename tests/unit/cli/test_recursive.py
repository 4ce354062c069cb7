"""krmkit render -r: many packages, each for itself."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.unit.cli.packages import FAST, KPTFILE, PACK, contents


def make(folder: Path, preset: str = "fast", pack: str = "app") -> None:
    folder.mkdir(parents=True)
    (folder / "Kptfile").write_text(KPTFILE.replace("{preset}", preset).replace("app:", f"{pack}:"))
    text = PACK.replace("name: app", f"name: {pack}").replace('"name": "app"', f'"name": "{pack}"')
    (folder / "app.yaml").write_text(text)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three packages, one with a subpackage, and one whose preset is wrong."""
    make(tmp_path / "a")
    make(tmp_path / "b" / "deep")
    make(tmp_path / "b" / "deep" / "sub", pack="sub")
    make(tmp_path / "wrong", "fats")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_all_packages(tree: Path, jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One that fails does not stop the others, and the exit code says it; what is said does not depend on the jobs."""
    assert main(["render", "-r", ".", "--jobs", jobs, "-f", "text"]) == 1

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "a: 1 file changed"
    assert lines[1] == "b/deep: 2 files changed"
    assert lines[2] == "wrong: failed: ghcr.io/krmkit/apply-presets failed"
    assert lines[3].startswith("wrong/Kptfile:9:7: error: ")
    assert lines[4] == "wrong/app.yaml:13:5: note: the presets of the pack"
    assert lines[5] == "3 packages: 3 files changed in 2, 0 unchanged, 1 failed"
    assert (tree / "b/deep/app.yaml").read_text() == FAST
    assert "mode: fast" in (tree / "b/deep/sub/app.yaml").read_text()
    assert (tree / "wrong/app.yaml").read_text() == PACK


def test_check_of_all(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """2 where a package would change and none fails; 0 when all are rendered; nothing is written."""
    (tree / "wrong" / "Kptfile").write_text(KPTFILE.replace("{preset}", "fast"))
    before = contents(tree)

    assert main(["render", "-r", "--check"]) == 2
    assert contents(tree) == before
    main(["render", "-r"])
    capsys.readouterr()
    assert main(["render", "-r", "--check"]) == 0
    assert capsys.readouterr().out == "3 packages: 0 files changed in 0, 3 unchanged, 0 failed\n"


def test_json_of_all(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One report with all packages, results beside it, by package."""
    assert main(["render", "-r", "-f", "json", "--results-dir", "results"]) == 1

    packages = json.loads(capsys.readouterr().out)["packages"]
    assert [package["path"] for package in packages] == ["a", "b/deep", "wrong"]
    assert (tree / "results" / "b/deep" / "results.yaml").exists()


def test_since(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only packages with a changed or a new file, or with a link to a changed one, or by way of a changed link."""

    def git(*words: str) -> None:
        settings = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *settings, *words], cwd=tree, check=True, capture_output=True)

    make(tree / "linked")
    (tree / "shared.yaml").write_text(PACK.replace("name: app", "name: other"))
    (tree / "linked" / "other.yaml").symlink_to("../shared.yaml")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "x")

    assert main(["render", "-r", "--since", "HEAD", "--check"]) == 0
    assert capsys.readouterr().out == "0 packages: 0 files changed in 0, 0 unchanged, 0 failed\n"
    (tree / "b/deep/sub/new.yaml").write_text(PACK.replace("name: app", "name: new"))
    (tree / "shared.yaml").write_text(PACK.replace("name: app", "name: changed"))
    main(["render", "-r", "--since", "HEAD", "--check", "-f", "json"])
    packages = json.loads(capsys.readouterr().out)["packages"]
    assert [package["path"] for package in packages] == ["b/deep", "linked"]
    git("commit", "--quiet", "--all", "--message", "y")
    (tree / "v2.yaml").write_text(PACK.replace("name: app", "name: second"))
    (tree / "linked" / "other.yaml").unlink()
    (tree / "linked" / "other.yaml").symlink_to("../now.yaml")
    (tree / "now.yaml").symlink_to("shared.yaml")
    git("add", ".")
    git("commit", "--quiet", "--message", "z")
    (tree / "now.yaml").unlink()
    (tree / "now.yaml").symlink_to("v2.yaml")
    main(["render", "-r", "--since", "HEAD", "--check", "-f", "json"])
    assert [one["path"] for one in json.loads(capsys.readouterr().out)["packages"]] == ["linked"]
    for revision in ("nope", "-x"):
        assert main(["render", "-r", f"--since={revision}"]) == 1
        said = f"krmkit render: --since {revision}: there is no such commit; name a branch, a tag or a commit"
        assert capsys.readouterr().err.startswith(said)


@pytest.mark.parametrize(
    "words", [["render", "-r", "."], ["render", "a"], ["why", "a", "x/y"], ["init", "a/d"]]
)
def test_folders_without_end(tree: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """They are an error, in whatever reads them."""
    place = tree / "a"
    for _ in range(300):
        place = place / "d"
        place.mkdir()

    assert main(words) == 1

    captured = capsys.readouterr()
    said = captured.out + captured.err
    assert "lies more than 200 folders deep" in said and "Traceback" not in said


WRONG = [
    (["-r", "nowhere"], "nowhere: does not exist"),
    (["-r", "empty"], "empty: holds no package"),
    (["-r", "a", "-o", "stdout"], "--recursive renders packages in place"),
    (["a", "--since", "HEAD"], "--since is for --recursive; add -r"),
    (["-r", "a", "--since", "HEAD"], "--since HEAD: "),
]


@pytest.mark.parametrize(("words", "expected"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_calls(words: list[str], expected: str, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line that says what would be right, and exit code 1."""
    (tree / "empty").mkdir()

    assert main(["render", *words]) == 1
    assert expected in capsys.readouterr().err


MARKED = KPTFILE.replace("{preset}", "fast").replace(
    "metadata:\n", 'metadata:\n  annotations: {krmkit.dev/blueprint: "true"}\n', 1
)
UPSTREAM = "upstream:\n  type: git\n  git: {repo: r, directory: d, ref: v1}\n"


def test_a_blueprint_is_validated_only(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It stays as it is and passes --check; a clone of it, which has an upstream, is rendered; what is wrong in it is said."""
    (tree / "a/Kptfile").write_text(MARKED)
    (tree / "b/deep/Kptfile").write_text(MARKED + UPSTREAM)
    (tree / "wrong/Kptfile").write_text(MARKED.replace("fast", "fats"))

    assert main(["render", "-r", "-f", "text"]) == 1

    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "b/deep: 2 files changed",
        "wrong: failed: ghcr.io/krmkit/apply-presets failed",
    ]
    assert (tree / "a/app.yaml").read_text() == PACK
    assert (tree / "b/deep/app.yaml").read_text() == FAST
    assert main(["render", "-r", "--check", "--exclude", "wrong"]) == 0


def test_one_blueprint(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Alone it is validated as well, and -o renders a copy."""
    (tree / "a/Kptfile").write_text(MARKED)

    assert main(["render", "a", "--check"]) == 0
    assert main(["render", "a"]) == 0
    told = capsys.readouterr().err
    assert main(["render", "a", "-o", "copy"]) == 0

    assert "a is a blueprint (krmkit.dev/blueprint): it is validated and not changed" in told
    assert (tree / "a/app.yaml").read_text() == PACK
    assert (tree / "copy/app.yaml").read_text() == FAST


EXCLUDED = [
    (["wrong"], ["a", "b/deep"]),
    (["/a", "wrong"], ["b/deep"]),
    (["b/*"], ["a", "wrong"]),
    (["/deep"], ["a", "b/deep", "wrong"]),
    (["*", "!a"], ["a"]),
]


@pytest.mark.parametrize(("patterns", "kept"), EXCLUDED, ids=[" ".join(case[0]) for case in EXCLUDED])
def test_exclude(
    tree: Path, patterns: list[str], kept: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Patterns are those of .krmignore, for folders below the one that is named."""
    main(
        [
            "render",
            "-r",
            str(tree),
            "-f",
            "json",
            "--dry-run",
            *(f"--exclude={pattern}" for pattern in patterns),
        ]
    )

    packages = json.loads(capsys.readouterr().out)["packages"]
    assert [package["path"] for package in packages] == kept


def test_exclude_needs_recursive(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One package has nothing to leave out."""
    assert main(["render", "a", "--exclude", "x"]) == 1
    assert "--exclude is for --recursive; add -r" in capsys.readouterr().err
    assert main(["topology", "plan", "a", "--exclude", "x"]) == 1
    assert "--exclude is for --recursive; add -r" in capsys.readouterr().err
