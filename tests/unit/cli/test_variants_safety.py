"""`krmkit variants render` loses nothing: what it may overwrite and remove, and what it asks for first."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.fleet.folder import RECORD
from krmkit.storage.disk.journal import JOURNAL, recover
from krmkit.storage.disk.spool import Spool
from tests.programs import exec_entry
from tests.unit.cli.fleets import KPTFILE, SET, folders, render, repository, written
from tests.waiting import MOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(name="place")
def fleet_folders(tmp_path: Path) -> Path:
    return folders(tmp_path)


def contents(place: Path) -> dict[str, bytes]:
    return {path: (place / "out" / path).read_bytes() for path in written(place)}


@pytest.mark.parametrize(
    "selector",
    ["objectSelector: {apiVersion: v1, kind: Site}", "repositorySelector: {}"],
    ids=["objects", "repositories"],
)
@pytest.mark.parametrize("given", ["no folder", "an empty folder", "another namespace"])
def test_a_fleet_is_not_removed_by_accident(
    place: Path, capsys: pytest.CaptureFixture[str], selector: str, given: str
) -> None:
    """A selector without any object of its kind is an error; --prune says that it is meant, and what goes is named."""
    (place / "objects/site.yaml").write_text(
        "apiVersion: v1\nkind: Site\nmetadata: {name: north, namespace: default}\n"
    )
    (place / "set.yaml").write_text(SET[: SET.index("- rep")] + f"- {selector}\n")
    assert render(place) == 0
    before = contents(place)
    capsys.readouterr()
    (place / "empty").mkdir()
    if given == "another namespace":
        (place / "empty/x.yaml").write_text(
            repository("north", "n").replace("default", "other")
            + "---\napiVersion: v1\nkind: Site\nmetadata: {name: north, namespace: other}\n"
        )
    words = ["variants", "render", str(place / "set.yaml"), "--packages", str(place / "packages")]
    words += ["--out", str(place / "out")] + (
        [] if given == "no folder" else ["--objects", str(place / "empty")]
    )

    assert main(words) == 1
    error = capsys.readouterr().err
    assert f"spec.targets[0].{selector.partition(':')[0]}: no " in error
    assert "--prune" in error
    assert contents(place) == before

    assert main([*words, "--prune", "--dry-run"]) == 0
    assert contents(place) == before
    assert main([*words, "--prune"]) == 0
    output = capsys.readouterr().out
    gone = sorted({path.rpartition("/")[0] for path in before if "/" in path})
    assert len(gone) >= 1
    assert [line for line in output.splitlines() if line.startswith("removed")] == [
        f"removed: {package}" for package in gone
    ] * 2
    assert written(place) == [RECORD]


def test_two_sets_of_one_name(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each would take the packages of the other for its own, so neither is rendered; in another namespace it is another set."""
    other = SET[: SET.index("- rep")] + "- repositories: [{name: x}]\n"
    (place / "set.yaml").write_text(SET + "---\n" + other)

    assert render(place) == 1
    assert "set.yaml: holds two sets named fleet; give one of them another name" in capsys.readouterr().err
    assert written(place) == []

    (place / "set.yaml").write_text(SET + "---\n" + other.replace("namespace: default", "namespace: second"))
    assert render(place) == 0


def test_orphans_stay(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A package whose variant goes stays where deletionPolicy says so, and is no longer ours."""
    (place / "set.yaml").write_text(SET.replace("template:", "template:\n      deletionPolicy: orphan"))
    render(place)
    before = contents(place)
    (place / "objects/north.yaml").unlink()
    capsys.readouterr()

    assert render(place) == 0
    output = capsys.readouterr().out
    assert "kept: north/shop is no longer targeted (deletionPolicy: orphan)\n" in output
    assert output.endswith("1 package kept\n")
    assert {path: text for path, text in contents(place).items() if path != RECORD} == {
        path: text for path, text in before.items() if path != RECORD
    }
    assert render(place) == 0
    assert "kept" not in capsys.readouterr().out


def test_changes_by_hand_stay(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are an error with the files' names, whether the package is to be written or to go; --force overwrites them."""
    render(place)
    (place / "packages/bp/shop/new.txt").write_text("new")
    (place / "out/north/shop/README.md").write_text("mine")
    (place / "out/north/shop/new.txt").write_text("mine")
    (place / "out/south/shop/Kptfile").write_text("mine")
    (place / "objects/deep/south.yaml").unlink()
    before = contents(place)
    capsys.readouterr()

    assert render(place) == 1
    said = capsys.readouterr()
    assert "changes by hand in README.md, new.txt would be lost; --force overwrites them" in said.out
    assert "south/shop is no longer targeted, and stays because of changes by hand in Kptfile" in said.err
    assert said.out.endswith("1 variant, 0 files changed, 2 failed\n")
    assert contents(place) == before

    assert render(place, "--force", "--prune") == 0
    assert (place / "out/north/shop/README.md").read_text() == "# Shop\n"
    assert (place / "out/north/shop/new.txt").read_text() == "new"
    assert not (place / "out/south").exists()


def test_what_is_generated_again_is_no_change_by_hand(place: Path) -> None:
    """A file that was deleted, or already has the new content, is in nobody's way."""
    render(place)
    (place / "packages/bp/shop/README.md").write_text("# New\n")
    (place / "out/north/shop/README.md").write_text("# New\n")
    (place / "out/south/shop/README.md").unlink()

    assert render(place) == 0
    assert (place / "out/south/shop/README.md").read_text() == "# New\n"


def test_a_dry_run_and_a_diff(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They say what would change, and write nothing; the diff of a real run is the same."""
    assert render(place, "--dry-run", "--diff") == 0
    dry = capsys.readouterr().out
    assert not (place / "out").exists()
    assert "--- /dev/null\n+++ b/north/shop/README.md\n@@ -0,0 +1 @@\n+# Shop\n" in dry
    assert dry.endswith("2 variants, 6 files changed (nothing was written)\n")

    assert render(place, "--diff", "--write") == 0
    assert capsys.readouterr().out == dry.replace(" (nothing was written)", "")
    (place / "packages/bp/shop/README.md").write_text("# Store\n")
    before = contents(place)
    assert render(place, "--dry-run", "--diff") == 0
    assert (
        "--- a/south/shop/README.md\n+++ b/south/shop/README.md\n@@ -1 +1 @@\n-# Shop\n+# Store\n"
        in capsys.readouterr().out
    )
    assert contents(place) == before


def test_rights_of_files(place: Path) -> None:
    """A variant's files have those of the blueprint's, resources and others alike."""
    shop = place / "packages/bp/shop"
    (shop / "run.sh").write_text("#!/bin/sh\n")
    (shop / "run.sh").chmod(0o755)
    (shop / "secret.yaml").write_text("apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n")
    (shop / "secret.yaml").chmod(0o600)

    assert render(place) == 0
    for repo in ("north", "south"):
        assert (place / f"out/{repo}/shop/run.sh").stat().st_mode & 0o777 == 0o755
        assert (place / f"out/{repo}/shop/secret.yaml").stat().st_mode & 0o777 == 0o600


SPECIAL = {
    "a pipe": (os.mkfifo, "must be a regular file"),
    "a link out of the blueprint": (lambda path: path.symlink_to("/etc/hostname"), "outside of"),
    "a link to a folder": (lambda path: path.symlink_to("."), "outside of|must be a regular file"),
}


@pytest.mark.parametrize("name", ["x.txt", "x.yaml"])
@pytest.mark.parametrize(("make", "message"), SPECIAL.values(), ids=SPECIAL.keys())
def test_what_a_blueprint_may_not_hold(
    place: Path, capsys: pytest.CaptureFixture[str], make: Callable[[Path], None], message: str, name: str
) -> None:
    """It is refused by its name, and never read."""
    make(place / "packages/bp/shop" / name)

    assert render(place) == 1
    output = capsys.readouterr().out
    assert re.search(rf"{re.escape(name)}: .*({message})", output)
    assert output.endswith("2 failed\n")


def test_a_pipe_among_the_objects(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody waits for it."""
    os.mkfifo(place / "objects/x.yaml")
    assert render(place) == 1
    assert "x.yaml: must be a regular file" in capsys.readouterr().err


def test_two_runs_at_once(place: Path) -> None:
    """Both end well, and the record lists what both have written."""
    other = place / "other.yaml"
    other.write_text(SET[: SET.index("- rep")].replace("fleet", "other") + "- repositories: [{name: x}]\n")
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "krmkit", "variants", "render", str(setfile)]
            + ["--packages", str(place / "packages"), "--objects", str(place / "objects")]
            + ["--out", str(place / "out")],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3] / "shared")},
            stdout=subprocess.DEVNULL,
        )
        for setfile in (place / "set.yaml", other)
    ]

    assert [each.wait(MOST) for each in running] == [0, 0]
    assert list(json.loads((place / "out" / RECORD).read_text())["packages"]) == [
        "north/shop",
        "south/shop",
        "x/shop",
    ]


def test_a_killed_run_is_completed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The next one says so; the folder then is what it would be without the kill."""
    render(place)
    (place / "packages/bp/shop/README.md").write_text("# Store\n")
    code = (
        "import os, sys\nfrom krmkit.cli import main\nreal, left = os.replace, [2]\n"
        "def replace(source, target):\n"
        "    left[0] -= '.krmkit-work' not in target\n"
        "    real(source, target) if left[0] else os.kill(os.getpid(), 9)\n"
        "os.replace = replace\nmain(sys.argv[1:])"
    )
    words = ["variants", "render", str(place / "set.yaml"), "--packages", str(place / "packages")]
    words += ["--objects", str(place / "objects"), "--out", str(place / "out")]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3] / "shared")}
    done = subprocess.run([sys.executable, "-c", code, *words], env=environment, check=False)
    assert done.returncode == -9
    assert (place / "out" / JOURNAL).exists()
    capsys.readouterr()

    assert render(place) == 0
    said = capsys.readouterr()
    assert "a run was killed while it put 3 files into place; completed it" in said.err
    assert said.out.endswith("2 variants, 2 unchanged, 0 files changed\n")
    assert not (place / "out/.krmkit-work").exists()
    assert recover(str(place / "out")) == []


def test_why_a_foreign_function_failed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it said on stderr is the variant's error, as a render shows it."""
    program = place / "fails.py"
    program.write_text("import sys\nsys.exit('no such thing as a shop')\n")
    pipeline = f"pipeline:\n  mutators:\n{exec_entry(sys.executable, program)}"
    (place / "packages/bp/shop/Kptfile").write_text(KPTFILE + pipeline)

    assert render(place, "--allow-exec") == 1
    assert capsys.readouterr().out.count("no such thing as a shop") == 2


@pytest.mark.parametrize("flag", ["", "--show-secrets"])
def test_secrets_in_a_diff(place: Path, capsys: pytest.CaptureFixture[str], flag: str) -> None:
    """What a config marks as secret, and what became of it, stands in the files, and in a diff only with --show-secrets."""
    blueprint = place / "packages/bp/shop"
    (blueprint / "Kptfile").write_text(
        KPTFILE
        + "pipeline:\n  mutators:\n  - {image: ghcr.io/krmkit/resolve-macros, configPath: macros.yaml}\n"
    )
    (blueprint / "macros.yaml").write_text(
        "apiVersion: krmkit.dev/v1alpha1\nkind: ResolveMacros\nmetadata: {name: m}\n"
        "spec: {variables: [{name: pw, value: hush123, secret: true}]}\n"
    )
    (blueprint / "a.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: '{{ b64enc .spectro.var.pw }}', y: '{{ .spectro.var.pw }}'}\n"
    )

    assert render(place, "--diff", "--write", *flag.split()) == 0
    shown = capsys.readouterr().out

    assert ("hush123" in shown) is ("aHVzaDEyMw==" in shown) is bool(flag)
    assert ("x: '(secret)', y: '(secret)'" in shown) is not bool(flag)
    assert "hush123" in (place / "out/north/shop/a.yaml").read_text()


def test_secrets_of_secrets_in_a_diff(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The data of a Secret, new or old, stands in no diff."""
    secret = place / "packages/bp/shop/secret.yaml"
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: hush123}\n"
    secret.write_text(text)

    assert render(place, "--diff", "--write") == 0
    secret.write_text(text.replace("hush123", "other456"))
    assert render(place, "--diff") == 0

    shown = capsys.readouterr().out
    assert "stringData: {a: (secret)}" in shown
    assert "hush123" not in shown
    assert "other456" not in shown


def test_a_full_temporary_folder(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of a fleet go there; where they do not fit, the folder stays as it was."""
    assert render(place) == 0
    before = contents(place)
    (place / "packages/bp/shop/README.md").write_text("new")
    capsys.readouterr()
    append = Spool.append

    def full(spool: Spool[object], value: object) -> None:
        if getattr(value, "number", 0) == 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        append(spool, value)

    monkeypatch.setattr(Spool, "append", full)
    assert render(place, "--jobs", "1") == 1

    assert capsys.readouterr().err.endswith("No space left on device\n")
    assert contents(place) == before
    monkeypatch.undo()
    assert render(place) == 0
    assert contents(place) != before
