"""`krmkit variants render`: the packages of a fleet."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.cli import fleetwork as fleet_module
from krmkit.cli import main
from krmkit.fn.journal import JOURNAL, recover
from krmkit.fn.variantfolder import RECORD
from krmkit.fn.write import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SET = """\
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
  namespace: default
spec:
  upstream: {repo: bp, package: shop, revision: 1}
  targets:
  - repositorySelector:
      matchExpressions: [{key: site, operator: Exists}]
    template:
      packageContext:
        dataExprs: [{key: site, valueExpr: "repository.labels.site"}]
"""
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"
CHECK = "pipeline:\n  validators:\n  - image: example.dev/set-package-context\n    configMap: {SITE: x}\n"
NAMES = ["Kptfile", "README.md", "package-context.yaml"]


def repository(name: str, site: str) -> str:
    return (
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata:\n"
        f"  name: {name}\n  namespace: default\n  labels: {{site: {site}}}\n"
    )


@pytest.fixture(name="place")
def folders(tmp_path: Path) -> Path:
    """A set, a blueprint, and the repositories of two sites."""
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "packages/bp/shop").mkdir(parents=True)
    (tmp_path / "packages/bp/shop/Kptfile").write_text(KPTFILE)
    (tmp_path / "packages/bp/shop/README.md").write_text("# Shop\n")
    (tmp_path / "objects/deep").mkdir(parents=True)
    (tmp_path / "objects/north.yaml").write_text(repository("north", "n"))
    (tmp_path / "objects/deep/south.yaml").write_text(repository("south", "s"))
    return tmp_path


def render(place: Path, *words: str) -> int:
    given = ["variants", "render", str(place / "set.yaml"), "--packages", str(place / "packages")]
    return main([*given, "--objects", str(place / "objects"), "--out", str(place / "out"), *words])


def written(place: Path) -> list[str]:
    out = place / "out"
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_fleet(place: Path, capsys: pytest.CaptureFixture[str], jobs: str) -> None:
    """Each variant has its package and its row; a second run changes nothing."""
    assert render(place, "--jobs", jobs) == 0
    table = capsys.readouterr().out
    assert render(place, "--jobs", jobs) == 0
    again = capsys.readouterr().out

    assert [line.split()[:3] for line in table.splitlines()[1:3]] == [
        ["fleet-north-shop", "3", "0"],
        ["fleet-south-shop", "3", "0"],
    ]
    assert table.endswith("2 variants, 6 files changed\n")
    assert again.endswith("2 variants, 0 files changed\n")
    assert written(place) == [
        RECORD,
        *(
            f"{repo}/shop/{file}"
            for repo in ("north", "south")
            for file in ("Kptfile", "README.md", "package-context.yaml")
        ),
    ]
    assert "site: s\n" in (place / "out/south/shop/package-context.yaml").read_text()


def test_open_gates_are_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last line says which packages are not ready; ten names are enough."""
    (place / "packages/bp/shop/Kptfile").write_text(
        KPTFILE + "info:\n  readinessGates:\n  - conditionType: asked\n"
    )

    assert render(place) == 0
    few = capsys.readouterr().out
    for number in range(10):
        (place / f"objects/r{number}.yaml").write_text(repository(f"r{number}", "r"))
    assert render(place) == 0
    many = capsys.readouterr().out

    assert few.endswith("\nnot ready, gates open: fleet-north-shop, fleet-south-shop\n")
    assert many.endswith("fleet-r7-shop, fleet-r8-shop and 2 more\n")


def test_inside_a_package(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The package around the variants can still be rendered, and so can they."""
    (place / "out").mkdir()
    (place / "out/Kptfile").write_text(KPTFILE)
    render(place)
    capsys.readouterr()

    assert main(["render", str(place / "out")]) == 0
    assert "in 3 packages" in capsys.readouterr().out


def test_target_that_is_gone(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its package goes too."""
    render(place)
    (place / "objects/north.yaml").unlink()
    capsys.readouterr()
    assert render(place) == 0

    assert "1 package removed" in capsys.readouterr().out
    assert not (place / "out/north").exists()


def test_one_failure_stops_no_other(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that was not written is refused; the others are made, and the exit code is 1."""
    (place / "out/north/shop").mkdir(parents=True)
    (place / "out/north/shop/mine").write_text("x")

    assert render(place, "--jobs", "2") == 1
    output = capsys.readouterr().out
    assert "did not write (north/shop/mine)" in output
    assert output.endswith("2 variants, 3 files changed, 1 failed\n")
    assert (place / "out/north/shop/mine").read_text() == "x"
    assert not (place / "out/north/shop/Kptfile").exists()


def test_failed_variant_keeps_its_package(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What an earlier run made stays as it was when the next one fails."""
    render(place)
    before = {path: (place / "out" / path).read_bytes() for path in written(place)}
    reserved = KPTFILE + CHECK.replace("SITE", "name")
    (place / "packages/bp/shop/Kptfile").write_text(reserved)

    assert render(place) == 1
    assert "set-package-context" in capsys.readouterr().out
    assert {path: (place / "out" / path).read_bytes() for path in written(place)} == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: b: c\n", "set.yaml"),
        (KPTFILE, "holds no PackageVariantSet"),
        (SET.replace("targets", "target"), 'unknown field "target"; did you mean "targets"?'),
        (
            SET.replace("package: shop", "package: ''"),
            "ValidationError: spec.upstream.package is a required field",
        ),
        (SET.replace("labels.site", "labels.zone"), "no such key: zone"),
    ],
)
def test_bad_set(place: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    """A set that cannot be generated is one line, and nothing is written."""
    (place / "set.yaml").write_text(text)

    assert render(place) == 1
    assert message in capsys.readouterr().err
    assert not (place / "out").exists()


@pytest.mark.parametrize(("given", "hinted"), [(False, True), (True, False)], ids=["without", "with"])
def test_hint_at_objects(place: Path, capsys: pytest.CaptureFixture[str], given: bool, hinted: bool) -> None:
    """A set that needs a Repository says where it would come from, where no objects were given."""
    (place / "set.yaml").write_text(
        SET.partition("  targets:")[0] + "  targets:\n  - {repositories: [{name: east}], template: {}}\n"
    )
    words = ["variants", "render", str(place / "set.yaml"), "--packages", str(place / "packages")]
    objects = ["--objects", str(place / "objects")] if given else []

    assert main([*words, "--out", str(place / "out"), *objects]) == 1
    error = capsys.readouterr().err
    assert 'repository "east" could not be loaded' in error
    assert ("--objects" in error) is hinted


@pytest.mark.parametrize(
    ("setfile", "message"),
    [
        ("nowhere.yaml", "nowhere.yaml: does not exist; name a file with PackageVariantSets\n"),
        ("objects", "objects: is a folder; name a file with PackageVariantSets\n"),
    ],
)
def test_no_file(place: Path, capsys: pytest.CaptureFixture[str], setfile: str, message: str) -> None:
    """What stands where the set should be is said in our words."""
    words = ["--packages", str(place / "packages"), "--out", str(place / "out")]

    assert main(["variants", "render", str(place / setfile), *words]) == 1
    assert capsys.readouterr().err == f"krmkit variants render: {place}/{message}"


def test_unwritable_out(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A place where nothing can be made is named, with the reason."""
    words = ["--packages", str(place / "packages"), "--objects", str(place / "objects")]

    assert main(["variants", "render", str(place / "set.yaml"), *words, "--out", "/dev/null/out"]) == 1
    assert (
        capsys.readouterr().err
        == "krmkit variants render: /dev/null is a file, where a folder is to be made; nothing was written\n"
    )


def test_missing_blueprint(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every variant says where was looked for its blueprint."""
    (place / "packages/bp/shop/Kptfile").unlink()

    assert render(place) == 1
    assert capsys.readouterr().out.count("no Kptfile in") == 2


def test_single_variants(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """PackageVariants may stand in the file too; two for one folder are told."""
    one = (
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: NAME}\n"
        "spec: {upstream: {repo: bp, package: shop}, downstream: {repo: r, package: p}}\n"
    )
    (place / "set.yaml").write_text(one.replace("NAME", "a") + "---\n" + one.replace("NAME", "b"))

    assert render(place) == 1
    assert "r/p is already the package of a" in capsys.readouterr().out
    assert (place / "out/r/p/Kptfile").exists()


def test_work_can_be_sent_to_other_processes(place: Path) -> None:
    """Where processes are not forked, everything they need is pickled."""
    import pickle

    from krmkit.cli.fleet import read_fleet
    from krmkit.cli.fleetwork import Worker

    fleet = read_fleet(
        str(place / "set.yaml"), str(place / "packages"), str(place / "objects"), str(place / "out")
    )
    with Writer(str(place / "out")):
        sent = pickle.loads(pickle.dumps(fleet))
        row = pickle.loads(pickle.dumps(Worker(sent).work(0)))

    assert (row.error, row.changed) == ("", 3)


def test_a_process_that_dies_costs_one_variant(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are made, by another process where it has to be."""
    work = fleet_module.Worker.work

    from krmkit.cli.fleet import Row

    def die(worker: fleet_module.Worker, number: int) -> Row:
        if worker.fleet.tasks[number].target == "north/shop":
            os.kill(os.getpid(), signal.SIGKILL)
        return work(worker, number)

    monkeypatch.setattr(fleet_module.Worker, "work", die)
    assert render(place, "--jobs", "2") == 1

    output = capsys.readouterr().out
    assert "the process that made it was killed (SIGKILL)" in output
    assert output.endswith("2 variants, 3 files changed, 1 failed\n")
    assert written(place) == [RECORD, *(f"south/shop/{name}" for name in NAMES)]


def test_out_inside_a_blueprint(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is written there would be read by the next run."""
    assert render(place, "--out", str(place / "packages/bp/shop/out")) == 1
    assert capsys.readouterr().out.count("would lie inside the blueprint") == 2
    assert not (place / "packages/bp/shop/out/north").exists()


def test_package_among_the_files_of_another(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two variants never write the same file; a folder of its own inside another package is fine."""
    (place / "packages/bp/shop/sub").mkdir()
    (place / "packages/bp/shop/sub/notes.txt").write_text("x")
    repositories = "- repositories: [{name: north, packageNames: [a, a/sub, a/other]}]\n"
    (place / "set.yaml").write_text(SET[: SET.index("- repositorySelector")] + repositories)

    assert render(place) == 1
    assert (
        "north/a, the package of fleet-north-a, has files in a folder sub already" in capsys.readouterr().out
    )
    assert not (place / "out/north/a/sub/Kptfile").exists()
    assert (place / "out/north/a/other/Kptfile").exists()


def test_packages_of_a_set_that_left_the_file(place: Path) -> None:
    """A set that is renamed, or deleted from its file, takes its packages along; other set files' packages stay."""
    render(place)
    other = place / "other.yaml"
    other.write_text(SET[: SET.index("- rep")].replace("fleet", "other") + "- repositories: [{name: x}]\n")
    given = [
        "variants",
        "render",
        str(other),
        "--packages",
        str(place / "packages"),
        "--out",
        str(place / "out"),
    ]
    assert main(given) == 0
    (place / "set.yaml").write_text(
        SET.replace("name: fleet", "name: renamed").replace("Exists", "In, values: [n]")
    )
    assert render(place) == 0

    assert [path for path in written(place) if path.endswith("Kptfile")] == [
        "north/shop/Kptfile",
        "x/shop/Kptfile",
    ]


def test_links_are_not_followed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither to write nor to remove: what is behind a link is somebody else's."""
    render(place)
    (place / "out/south").rename(place / "kept")
    (place / "out/south").symlink_to(place / "kept")
    (place / "set.yaml").write_text(SET.replace("Exists", "In, values: [n]"))

    assert render(place) == 0
    assert "south/shop is no longer targeted, and was left alone" in capsys.readouterr().err
    assert (place / "kept/shop/Kptfile").exists()


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

    assert render(place, "--force") == 0
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
    assert dry.endswith("2 variants, 6 files changed (dry run: nothing was written)\n")

    assert render(place, "--diff") == 0
    assert capsys.readouterr().out == dry.replace(" (dry run: nothing was written)", "")
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

    assert [each.wait(60) for each in running] == [0, 0]
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
    assert said.out.endswith("2 variants, 0 files changed\n")
    assert not (place / "out/.krmkit-work").exists()
    assert recover(str(place / "out")) == []


def test_why_a_foreign_function_failed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it said on stderr is the variant's error, as a render shows it."""
    program = place / "fails.py"
    program.write_text("import sys\nsys.exit('no such thing as a shop')\n")
    pipeline = f"pipeline:\n  mutators:\n  - exec: {sys.executable} {program}\n"
    (place / "packages/bp/shop/Kptfile").write_text(KPTFILE + pipeline)

    assert render(place, "--allow-exec") == 1
    assert capsys.readouterr().out.count("no such thing as a shop") == 2
