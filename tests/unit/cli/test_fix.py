"""`krmkit check --fix`: slips are mended, one finding less each, and nothing else changes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from krmkit.analysis import mending
from krmkit.analysis.package import judge
from krmkit.cli import main
from krmkit.render.findings.fixes import add_fixes, edited, overlaps
from krmkit.render.findings.model import Edit, Result
from tests.unit.cli.packages import KPTFILE, contents
from tests.unit.views.sarifschema import problems

EXAMPLE = Path(__file__).resolve().parents[3] / "functions/render-cluster-topology/examples/quick-start"
CLASS = """apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: plant, namespace: sites}
spec:
  infrastructure:
    templateRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DevClusterTemplate, name: plant}
  controlPlane:
    templateRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlaneTemplate, name: plant}
  variables:
  - name: region
    schema: {openAPIV3Schema: {type: string}}
"""
CLUSTER = """apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {{name: c{number:02d}, namespace: sites}}
spec:
  topology:
    classRef: {{name: plant}}
    version: v1.33.1
    controlPlane:
      replcas: 3   # of three
"""
CLUSTERS = """apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: sites}
pipeline:
  validators:
  - image: ghcr.io/krmkit/validate-cluster-topology:v0.1.0
"""


@pytest.fixture
def sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package with 20 Clusters that share one slip, in the working directory."""
    place = tmp_path / "sites"
    place.mkdir()
    (place / "Kptfile").write_text(CLUSTERS)
    (place / "class.yaml").write_text(CLASS)
    (place / "clusters.yaml").write_text("---\n".join(CLUSTER.format(number=number) for number in range(20)))
    monkeypatch.chdir(tmp_path)
    return place


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["check", *words])
    return code, capsys.readouterr().out


def test_a_class_of_machines_that_the_class_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The classes of a ClusterClass are a closed set, so the nearest one is a safe fix."""
    place = tmp_path / "clusters"
    shutil.copytree(EXAMPLE, place)
    monkeypatch.chdir(tmp_path)
    clusters = place / "clusters.yaml"
    right = clusters.read_text("utf-8")
    clusters.write_text(right.replace("class: default-worker", "class: defualt-worker"), "utf-8")

    assert main(["check", "clusters", "--fix", "--write"]) == 0
    assert clusters.read_text("utf-8") == right
    assert "3 findings mended" in capsys.readouterr().err


def test_twenty_clusters_share_a_slip(sites: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is one row and one annotation, each place has its fix, and all are mended at once."""
    _, table = said(capsys, "sites")
    assert table.count('unknown field "replcas"') == 1
    assert "20 times: Cluster sites/c00" in table
    _, annotations = said(capsys, "sites", "-f", "github")
    assert annotations.count('unknown field "replcas"') == 1
    _, text = said(capsys, "sites", "-f", "sarif")
    assert problems(json.loads(text)) == []
    slips = [one for one in json.loads(text)["runs"][0]["results"] if "replcas" in one["message"]["text"]]
    assert len(slips) == 20
    for one in slips:
        [fix] = one["fixes"]
        [replacement] = fix["artifactChanges"][0]["replacements"]
        region = one["locations"][0]["physicalLocation"]["region"]
        assert replacement["deletedRegion"]["startLine"] == region["startLine"]
        assert (region["startColumn"], region["endColumn"]) == (7, 14)
        assert replacement["insertedContent"] == {"text": "replicas"}

    before = contents(sites)
    _, shown = said(capsys, "sites", "--fix")
    assert contents(sites) == before
    assert shown.count("+      replicas: 3   # of three\n") == 20
    said(capsys, "sites", "--fix", "--write")
    assert contents(sites) == {
        **before,
        "clusters.yaml": before["clusters.yaml"].replace("replcas", "replicas"),
    }
    assert "replcas" not in said(capsys, "sites")[1]
    after = contents(sites)
    said(capsys, "sites", "--fix", "--write")
    assert contents(sites) == after


def test_an_error_that_stops_the_render(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The render goes on by the fix, and the exit code is that of what is left."""
    (package / "Kptfile").write_text(KPTFILE.replace("{preset}", "fats"))

    assert said(capsys, str(package), "--fix")[0] == 1
    assert said(capsys, str(package), "--fix", "--write")[0] == 0
    assert contents(package)["Kptfile"] == KPTFILE.replace("{preset}", "fast")


def test_write_is_for_fix(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By itself it means nothing."""
    assert main(["check", str(package), "--write"]) == 1
    assert "--write is for --fix; add --fix" in capsys.readouterr().err


def test_no_secret_is_in_the_diff(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines around a fix are masked as in every diff."""
    (package / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n  validators:\n"
        "  - image: ghcr.io/kptdev/krm-functions-catalog/kubeconform\n"
        "  mutators:\n  - image: ghcr.io/krmkit/apply-presets\n    configPath: presets.yaml\n"
    )
    (package / "presets.yaml").write_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2hunter2}\n---\n"
    )
    (package / "presets.yaml").write_text(
        "apiVersion: krmkit.dev/v1alpha1\nkind: ApplyPresets\nmetadata: {name: p}\nspec:\n"
        "  selektions:\n  - {pack: app, presets: ['Mode:fast']}\n  # hunter2hunter2\n"
    )
    (package / "secret.yaml").write_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2hunter2}\n"
    )

    _, out = said(capsys, str(package), "--fix")
    assert "+  selections:\n" in out
    assert "hunter2hunter2" not in out


LINES = [
    pytest.param("replcas", "replicas", "  replcas: 3", 3, "  replicas: 3", id="a name"),
    pytest.param("north", "North", "r: north", 1, "r: North", id="a value"),
    pytest.param("smal", "Small", "size: 'smal' # x", 1, "size: 'Small' # x", id="in quotes"),
    pytest.param(8, "8", "port: 8", 1, 'port: "8"', id="quotes"),
    pytest.param(True, "true", "- on: true", 3, '- on: "true"', id="quotes for true"),
    pytest.param("8", 8, 'port: "8" # eight', 1, "port: 8 # eight", id="no quotes"),
    pytest.param("a", "", "- a", 3, "", id="twice"),
    pytest.param("x", "y", "x: x", 1, None, id="two places"),
    pytest.param("onn", "on", "onn: 1", 1, None, id="no text"),
    pytest.param("a", "", "l: [a, a]", 1, None, id="on one line"),
    pytest.param(None, "a", "b: a", 1, None, id="nothing is wrong"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "right", "line", "column", "expected"), LINES)
def test_a_line(wrong: object, right: object, line: str, column: int, expected: str | None) -> None:
    """What a finding proposes is written for what is wrong, or there is no fix."""
    one = Result(
        "error", "invalid-config", "m", "a.yaml", 1, column, function="starlark", instead=(wrong, right)
    )
    text = f"{line}\nlast\n"
    add_fixes([one], {"a.yaml": text})

    if expected is None:
        assert one.fix is None
    else:
        assert one.fix is not None and one.fix.safe
        assert edited(text, one.fix.edits) == (f"{expected}\nlast\n" if expected else "last\n")


def test_references_to_objects_are_proposed_only() -> None:
    """A name that is nearly that of another object may be meant; the fix is there and not safe."""
    meant = "blueprint", "blueprints"
    image = "ghcr.io/krmkit/validate-platform"
    one = Result("error", "variant-repository", "m", "a.yaml", 1, 1, function=image, instead=meant)
    add_fixes([one], {"a.yaml": "repo: blueprint\n"})

    assert one.fix is not None and not one.fix.safe


def test_overlaps() -> None:
    """Edits of one text overlap; those beside each other, or of another file, do not."""
    first = Edit("a", 1, 1, 1, 4, "x")
    assert overlaps(first, Edit("a", 1, 3, 1, 5, "y"))
    assert overlaps(first, first)
    assert not overlaps(first, Edit("a", 1, 4, 1, 5, "y"))
    assert not overlaps(first, Edit("b", 1, 1, 1, 4, "x"))


def git(place: Path) -> None:
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a"],
    ):
        subprocess.run(["git", *words], cwd=place, check=True)


def test_what_the_plan_refuses_is_mended(sites: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A package without a pipeline has fixes, too: those of the plan's findings."""
    (sites / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: sites}\n")
    git(sites)
    said(capsys, "sites", "--fix", "--write")
    assert "replcas" not in (sites / "clusters.yaml").read_text()


def test_a_slip_in_a_config_of_clusters(sites: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be planned for it is an error beside the others, and no failure of the command."""
    config = "apiVersion: krmkit.dev/v1alpha1\nkind: ValidateClusterTopology\nmetadata: {name: v}\n"
    (sites / "config.yaml").write_text(f"{config}sepc: {{}}\n")
    with (sites / "Kptfile").open("a") as file:
        file.write("    configPath: config.yaml\n")

    code, text = said(capsys, "sites", "-f", "text")
    assert code == 1
    assert 'sites/config.yaml:4:1: error: unknown field "sepc"; did you mean "spec"?' in text
    assert "the Clusters are not compared with HEAD: " in text


def test_two_functions_say_the_same(sites: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What each of them finds in one place is one finding."""
    with (sites / "Kptfile").open("a") as file:
        file.write("  mutators:\n  - image: ghcr.io/krmkit/default-cluster-topology:v0.1.0\n")

    _, text = said(capsys, "sites", "-f", "json")
    slips = [one for one in json.loads(text)["packages"][0]["results"] if "replcas" in one["message"]]
    assert len(slips) == 20
    assert {one["function"] for one in slips} == {"ghcr.io/krmkit/default-cluster-topology:v0.1.0"}


def test_fixes_that_bring_other_errors(
    sites: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One wrong fix among many is found by halves; a package is rendered a bounded number of times for its fixes."""
    text = (sites / "clusters.yaml").read_text()
    first, rest = text.split("---\n", 1)
    (sites / "clusters.yaml").write_text("---\n".join([first.replace("replcas: 3", "replcas: x"), rest]))
    renders = []

    def counted(*given: Any, **more: Any) -> Any:
        renders.append(given)
        return judge(*given, **more)

    monkeypatch.setattr(mending, "judge", counted)
    main(["check", "sites", "--fix", "--write"])
    fixed = (sites / "clusters.yaml").read_text()
    assert fixed.count("replicas: 3 ") == 19 and "replcas: x" in fixed
    assert len(renders) <= 8

    (sites / "clusters.yaml").write_text(text.replace("replcas: 3", "replcas: x"))
    renders.clear()
    main(["check", "sites", "--fix"])
    assert len(renders) <= mending.MOST_RENDERS + 1


def test_a_fix_on_a_very_long_line() -> None:
    """Each finding on a line looks through all of it: there is none on a line that nobody reads."""
    for length, has_fix in ((3_000, True), (5_000, False)):
        line = f"kind: Clster # {'x' * length}"
        one = Result(
            "error", "unknown-kind", "must be one of Cluster", "a.yaml", 1, 7, instead=("Clster", "Cluster")
        )
        add_fixes([one], {"a.yaml": line})
        assert (one.fix is not None) is has_fix
