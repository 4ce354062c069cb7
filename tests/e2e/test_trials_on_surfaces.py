"""One cause, one answer: exit code, severity, rule, file and line of what stopped newcomers, on every surface."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from krmkit.cli import main
from tests.e2e.liveclusters import EXAMPLE, change

PROJECT = EXAMPLE.parents[3]
VARIANT = """apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: north}
spec:
  upstream: {repo: bp, package: site, revision: 1}
  downstream: {repo: out, package: north}
"""
TEXTS = {  # surfaces that name a severity, a file, a line and a rule
    "render": "render bp/site --check -f text",
    "render -r": "render -r bp --check -f text",
    "check": "check bp/site -f text",
    "report": "report bp/site --against old -f json",
    "plan text": "topology plan bp/site --against old -f text",
    "plan json": "topology plan bp/site --against old -f json",
    "plan sarif": "topology plan bp/site --against old -f sarif",
    "plan -r": "topology plan -r bp --against oldbp -f text",
}
WORDS = {  # surfaces that name the cause
    "plan table": "topology plan bp/site --against old",
    "plan markdown": "topology plan bp/site --against old -f markdown",
    "why": "why bp/site {subject}",
    "variants": "variants render pv.yaml --packages . -o fleet --check -f text",
}
SURFACES = {**TEXTS, **WORDS}
LINE = re.compile(r"^(\S+?):(\d+):\d+: (error|warning): .*?\[([a-z-]+)\]$", re.MULTILINE)
Found = set[tuple[str, str, str]]  # severity, file:line, rule


class Trial(NamedTuple):
    """A mistake in an example, and the answers.

    rendered: what functions find, planned: what the plan finds; said: the cause in words. planned is None for a
    package without Clusters. code: of all surfaces; `check` and `report` find what both find.
    """

    example: str
    edit: Callable[[Path], None]
    subject: str
    code: int
    rendered: list[str]
    planned: list[str] | None
    said: str
    flags: str = ""


def container(package: Path) -> None:
    file = package / "Kptfile"
    file.write_text(file.read_text("utf-8") + "  - image: example.dev/kubeval-x:v0.3.0\n", "utf-8")


LABELS = """  patches:
  - name: labels
    definitions:
    - selector:
        apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
        kind: DevClusterTemplate
        matchResources: {infrastructureCluster: true}
      jsonPatches:
      - op: add
        path: /metadata/labels
        value: {x: y}
"""


def bad_class(package: Path) -> None:
    change(package / "class.yaml", "  patches:\n", LABELS)


def bad_name(package: Path) -> None:
    file = package / "clusters.yaml"
    file.write_text(file.read_text("utf-8").replace("name: md-0", "name: North", 1), "utf-8")


def no_answers(package: Path) -> None:
    (package / "responses.yaml").unlink()


def bad_value(package: Path) -> None:
    change(package / "installation.yaml", "minimum: 1", "minimum: 10")


QUICK = "functions/render-cluster-topology/examples/quick-start"
SKIPPED = "this function did not run (--skip kubeval-x)"
TRIALS = {
    "fleet-skip": Trial("examples/without-docker", container, "Deployment/shop", 1, ["error Kptfile:24 unreadable"], None, "--skip kubeval-x leaves the function out"),
    "fleet-skip, skipped": Trial("examples/without-docker", container, "Deployment/shop", 0, ["warning Kptfile:24 skipped"], None, "", "--skip kubeval-x"),
    "class-refused-table": Trial(QUICK, bad_class, "Cluster/dev", 1, ["error class.yaml:74 invalid-class"], ["error class.yaml:74 invalid-class", "error clusters.yaml:1 refused", "error clusters.yaml:22 refused"], 'jsonPatch path must start with "/spec"'),
    "crd-schema-not-in-plan": Trial(QUICK, bad_name, "Cluster/dev", 1, ["error clusters.yaml:16 refused-object"], ["error clusters.yaml:16 refused-object"], "in body should match"),
    "init-external": Trial("functions/render-cluster-topology/examples/extension", no_answers, "Cluster/harbour", 1, ["error resources.yaml:22 class-error", "error resources.yaml:56 class-error"], ["error resources.yaml:56 class-error"], "no answer to"),
    "schema-place": Trial("functions/render-installation/examples/greeter", bad_value, "Installation/greeter", 1, ["error installation.yaml:15 schema-validation-failed"], None, "Must be greater than or equal to 10"),
}  # fmt: skip


def told(surface: str, output: str) -> Found:
    """Return what a surface of TEXTS finds, without infos."""
    if surface in ("report", "plan json"):
        data = json.loads(output)
        results = data["packages"][0]["results"] if surface == "report" else data["results"]
        return {
            (one["severity"], f"{one['path']}:{one['line']}", one["rule"])
            for one in results
            if one["severity"] != "info"
        }
    if surface == "plan sarif":
        found = set()
        for one in json.loads(output)["runs"][0]["results"]:
            place = one["locations"][0]["physicalLocation"]
            where = f"{place['artifactLocation']['uri']}:{place['region']['startLine']}"
            found |= {(one["level"], where, one["ruleId"])} if one["level"] != "note" else set()
        return found
    return {(severity, f"{path}:{line}", rule) for path, line, severity, rule in LINE.findall(output)}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Trial:
    """A rendered package with the mistake of a trial, the same as it was, and a variant of it; no containers."""
    trial = TRIALS[request.param]
    site = tmp_path / "bp/site"
    shutil.copytree(PROJECT / trial.example, site, ignore=shutil.ignore_patterns(".expected"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    assert main(["render", "bp/site", "-q"]) == 0
    shutil.copytree(site, tmp_path / "old")
    shutil.copytree(site, tmp_path / "oldbp/site")
    trial.edit(site)
    (tmp_path / "pv.yaml").write_text(VARIANT, "utf-8")
    return trial


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("tree", TRIALS, indirect=True)
def test_answers(tree: Trial, surface: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code, and the severity, place and rule of each finding; elsewhere the cause in words."""
    planned, words = tree.planned, SURFACES[surface].format(subject=tree.subject)
    plan = surface.startswith("plan")
    capsys.readouterr()

    code = main([*words.split(), *("" if plan else tree.flags).split()])

    said = capsys.readouterr()
    if plan and planned is None:
        assert (code, said.out) == (1, "")
        assert "Cluster" in said.err
        return
    changes = surface == "variants" and tree.code == 0
    assert code == (2 if changes else tree.code), said.err
    if surface in WORDS:
        assert tree.said in said.out + said.err
        return
    wanted = [] if plan else tree.rendered
    wanted = [*wanted, *((planned or []) if plan or surface in ("check", "report") else [])]
    places = [one.split() for one in wanted]
    assert told(surface, said.out) == {(one[0], f"bp/site/{one[1]}", one[2]) for one in places}


TOLD = "  deployItemExports:\n    database: {address: db.example.com}\n"


@pytest.mark.parametrize("is_told", [False, True])
@pytest.mark.parametrize(
    ("words", "waits"),
    [
        ("landscaper graph site", "Waiting"),
        ("landscaper graph -r .", "Waiting"),
        ("landscaper explain site shop", "which is not known"),
        ("render site --check -f text", "[unknown-export]"),
        ("check site -f text --severity info", "[unknown-export]"),
        ("report site -f json", "waits for exports"),
    ],
)
def test_told_exports(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    waits: str,
    is_told: bool,
) -> None:
    """What the package's RenderInstallation says of an export, every command knows."""
    example = PROJECT / "functions/render-installation/examples/unknown-export"
    shutil.copytree(example, tmp_path / "site", ignore=shutil.ignore_patterns(".expected"))
    config = tmp_path / "site/config.yaml"
    config.write_text(config.read_text("utf-8") + TOLD * is_told, "utf-8")
    monkeypatch.chdir(tmp_path)

    main(words.split())

    assert (waits in capsys.readouterr().out) != is_told
