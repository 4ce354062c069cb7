"""`krmkit variants render`: the packages of a fleet."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.fleet import packages as fleet_module
from krmkit.fleet.folder import RECORD
from krmkit.storage.disk.write import Writer
from tests.unit.cli.fleets import CHECK, KPTFILE, NAMES, SET, folders, render, repository, written


@pytest.fixture(name="place")
def fleet_folders(tmp_path: Path) -> Path:
    return folders(tmp_path)


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
    assert again.endswith("2 variants, 2 unchanged, 0 files changed\n")
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
    """The last lines say which packages are not ready, and for which gate; ten names are enough."""
    (place / "packages/bp/shop/Kptfile").write_text(
        KPTFILE + "info:\n  readinessGates:\n  - conditionType: asked\n"
    )

    assert render(place) == 0
    few = capsys.readouterr().out
    for number in range(10):
        (place / f"objects/r{number}.yaml").write_text(repository(f"r{number}", "r"))
    assert render(place) == 0
    many = capsys.readouterr().out

    few_names = "fleet-north-shop, fleet-south-shop\n"
    assert few.endswith(f"\nnot ready, gates open: {few_names}  asked: {few_names}")
    assert many.count("fleet-r7-shop, fleet-r8-shop and 2 more\n") == 2


def test_a_file_in_the_way(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named as a user sees it, not by its path on this machine."""
    (place / "out").write_text("")
    monkeypatch.chdir(place)

    assert (
        main(
            ["variants", "render", "set.yaml", "--packages", "packages", "--objects", "objects", "-o", "out"]
        )
        == 1
    )

    said = "out is a file, where a folder is to be made; nothing was written"
    assert capsys.readouterr().err == f"krmkit variants render: {said}\n"


def test_inside_a_package(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The package around the variants can still be rendered, and so can they."""
    (place / "out").mkdir()
    (place / "out/Kptfile").write_text(KPTFILE)
    render(place)
    capsys.readouterr()

    assert main(["render", str(place / "out")]) == 0
    assert "in 3 packages" in capsys.readouterr().out


def test_target_that_is_gone(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its package is named, and goes with --prune."""
    render(place)
    (place / "objects/north.yaml").unlink()
    before = written(place)
    capsys.readouterr()
    assert render(place) == 0
    assert "north/shop is no longer targeted; --prune removes it" in capsys.readouterr().out
    assert written(place) == before

    assert render(place, "--prune") == 0

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

    from krmkit.fleet.packages import PackageMaker
    from krmkit.fleet.tasks import read_fleet

    fleet = read_fleet(
        str(place / "set.yaml"), str(place / "packages"), str(place / "objects"), str(place / "out")
    )
    with Writer(str(place / "out")):
        sent = pickle.loads(pickle.dumps(fleet))
        row = pickle.loads(pickle.dumps(PackageMaker(sent)(0)))

    assert (row.error, len(row.changed)) == ("", 3)


def test_a_process_that_dies_costs_one_variant(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are made, by another process where it has to be."""
    work = fleet_module.PackageMaker.__call__

    from krmkit.fleet.tasks import Row

    def die(worker: fleet_module.PackageMaker, number: int) -> Row:
        if worker.fleet.tasks[number].target == "north/shop":
            os.kill(os.getpid(), signal.SIGKILL)
        return work(worker, number)

    monkeypatch.setattr(fleet_module.PackageMaker, "__call__", die)
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
    """A set that is renamed, or deleted from its file, takes its packages along with --prune; other set files' packages stay."""
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
    assert render(place, "--prune") == 0

    assert [path for path in written(place) if path.endswith("Kptfile")] == [
        "north/shop/Kptfile",
        "x/shop/Kptfile",
    ]


def test_package_of_two_set_files(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A package that another set file had made is taken over with a warning."""
    render(place)
    other = place / "other.yaml"
    other.write_text(SET.replace("name: fleet", "name: second"))
    capsys.readouterr()
    given = ["variants", "render", str(other), "--packages", str(place / "packages")]

    assert main([*given, "--objects", str(place / "objects"), "--out", str(place / "out")]) == 0

    said = capsys.readouterr()
    assert "takes over north/shop from PackageVariantSet/" in said.out + said.err
    assert "of ../set.yaml; give each set file an --output of its own" in said.out + said.err


def test_links_are_not_followed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither to write nor to remove: what is behind a link is somebody else's."""
    render(place)
    (place / "out/south").rename(place / "kept")
    (place / "out/south").symlink_to(place / "kept")
    (place / "set.yaml").write_text(SET.replace("Exists", "In, values: [n]"))

    assert render(place) == 0
    assert "south/shop is no longer targeted, and was left alone" in capsys.readouterr().err
    assert (place / "kept/shop/Kptfile").exists()


def test_a_repository_that_deploys_nothing(place: Path) -> None:
    """Where spec.deployment is false, a package gets no context, as in a sync."""
    (place / "set.yaml").write_text(SET[: SET.index("    template:")])
    north = (place / "objects/north.yaml").read_text()
    (place / "objects/north.yaml").write_text(north + "spec: {deployment: false}\n")

    assert render(place) == 0

    assert not (place / "out/north/shop/package-context.yaml").exists()
    assert (place / "out/south/shop/package-context.yaml").exists()


def test_an_object_without_a_kind(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is an error with its line; else a selector would find nothing, and say nothing."""
    (place / "objects/odd.yaml").write_text(
        "# odd\napiVersion: v1\nkind: Site\nmetadata: {name: a}\n---\na: b\n"
    )

    assert render(place) == 1

    assert "odd.yaml: line 6: an object must have apiVersion and kind" in capsys.readouterr().err


SITE = "apiVersion: example.com/v1\nkind: Site\nmetadata:\n  name: north\n  namespace: default\n"
OF_SITES = SET.partition("  - repo")[0] + "  - objectSelector: {apiVersion: example.com/v1, kind: Site}\n"


@pytest.mark.parametrize(
    ("expression", "place_of", "other"),
    [
        ("target.labels['zone']", "; the Site north is at ", "Repository"),
        ("repository.labels.zone", "; the Repository north is at ", "Site"),
        ("target.name + repository.labels.zone", "; the Repository north is at ", "nothing"),
        ("upstream.labels.zone", "no such key: zone (target 0", " is at "),
    ],
)
def test_what_lacks_a_label(
    place: Path, capsys: pytest.CaptureFixture[str], expression: str, place_of: str, other: str
) -> None:
    """The error names the objects that the expression reads, with their files and lines."""
    (place / "objects/deep/site.yaml").write_text(f"# sites\n---\n{SITE}")
    template = f'    template: {{labelExprs: [{{key: a, valueExpr: "{expression}"}}]}}\n'
    (place / "set.yaml").write_text(OF_SITES + template)

    assert render(place) == 1
    error = capsys.readouterr().err
    assert place_of in error and other not in error
    assert "Site" not in place_of or error.rstrip().endswith("objects/deep/site.yaml:6:3")


def test_an_error_of_cel_is_one_line(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The set's line is named, so the expression and a caret are not printed below it."""
    (place / "set.yaml").write_text(SET.replace("repository.labels.site", "'a' + 1"))

    assert render(place) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "ERROR: <input>:1:5: found no matching overload" in error


def test_a_variant_without_a_package(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told with the words of Porch, as by a sync."""
    (place / "set.yaml").write_text(
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: x, namespace: default}\n"
        "spec: {upstream: {repo: bp, package: shop, revision: 1}, downstream: {repo: north}}\n"
    )

    assert render(place) == 1
    assert "missing required field spec.downstream.package" in capsys.readouterr().out


def test_a_document_that_porch_refuses(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A `---` without anything behind it is a warning, with its line."""
    (place / "packages/bp/shop/cm.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\n"
    )

    assert render(place) == 0
    assert "cm.yaml:5: Porch refuses a --- without a document behind it" in "".join(capsys.readouterr())
