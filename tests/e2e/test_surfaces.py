"""One mistake, one verdict: what `render`, `check`, `report` and every format of `topology plan` say of it, and where."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from krmkit.cli import main
from krmkit.libraries.json import Object
from tests.e2e.liveclusters import change, copied
from tests.e2e.test_topology_plan import git

Found = Counter[tuple[str, str]]  # severity and file:line
READ = {
    "render --check": ("render", "{new}", "--check"),
    "check": ("check", "{new}"),
    "report": ("report", "{new}", "--against", "{old}", "-f", "json"),
}
PLAN = {
    name: ("topology", "plan", "{new}", "--against", "{old}", "--format", name)
    for name in ("table", "json", "sarif", "markdown")
}
SURFACES = {**READ, **PLAN}
TABLE_LINE = re.compile(r"^(error|warning) +\S+ +(\S+?):(\d+):\d+ ", re.MULTILINE)
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"


class Row(NamedTuple):
    """A mistake: how it gets into the package, the exit code of all surfaces, and what they find.

    rendered: findings of the functions; planned: findings of the plan; refused: rows of the plan's tables.
    """

    edit: Callable[[Path], None]
    code: int
    rendered: list[str]
    planned: list[str]
    refused: int


def refuse(package: Path) -> None:
    change(package / "templates.yaml", "kind: DevMachineTemplate", "kind: BigMachineTemplate")
    file = package / "class.yaml"
    text = file.read_text("utf-8")
    file.write_text(text.replace("kind: DevMachineTemplate", "kind: BigMachineTemplate", 1), "utf-8")


def double(package: Path) -> None:
    change(package / "class.yaml", "name: node-labels", "name: eviction-hard")


def unknown(package: Path) -> None:
    workers = "        name: md-0\n"
    change(package / "clusters.yaml", workers, workers + "        nodeDrainTimeout: 30s\n")


ROWS = {
    "report-refused": Row(
        refuse,
        1,
        ["error class.yaml:46", "error clusters.yaml:9", "error clusters.yaml:30"],
        [
            "error class.yaml:26",
            "error class.yaml:88",
            *["error clusters.yaml:1", "error clusters.yaml:22"],
            *["error clusters.yaml:9", "error clusters.yaml:30"],
        ],
        4,
    ),
    "plan-duplicate-arg": Row(double, 1, ["error clusters.yaml:22"] * 2, ["error clusters.yaml:22"] * 2, 1),
    "plan-unknown": Row(
        unknown,
        0,
        ["warning clusters.yaml:17", "warning clusters.yaml:41"],
        ["warning clusters.yaml:17", "warning clusters.yaml:41"],
        0,
    ),
}


def wanted(lines: list[str], place: str) -> Found:
    """Return the findings with their files as the working directory sees them."""
    return Counter((severity, place + where) for severity, where in (line.split() for line in lines))


def told(results: list[Object]) -> Found:
    kept = [one for one in results if one["severity"] != "info"]
    return Counter((str(one["severity"]), f"{one['path']}:{one['line']}") for one in kept)


def told_by_sarif(output: str) -> Found:
    found: Found = Counter()
    for one in json.loads(output)["runs"][0]["results"]:
        if one["level"] != "note":
            [place] = [where["physicalLocation"] for where in one["locations"]]
            found[one["level"], f"{place['artifactLocation']['uri']}:{place['region']['startLine']}"] += 1
    return found


@pytest.fixture(params=["", "site/"], ids=["inside", "above"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Go into a package, or into the folder above it; return what paths of the package begin with there."""
    copied(tmp_path / "site")
    copied(tmp_path / "old")
    monkeypatch.chdir(tmp_path if request.param else tmp_path / "site")
    return str(request.param)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("row", ROWS)
def test_verdict(
    row: str, surface: str, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code, how many findings, and file and line of each, from the working directory."""
    edit, code, rendered, planned, refused = ROWS[row]
    edit(tmp_path / "site")
    main(["render", place or ".", "-q"])
    capsys.readouterr()

    words = [word.format(new=place or ".", old=tmp_path / "old") for word in SURFACES[surface]]
    assert main(words) == code
    output = capsys.readouterr().out

    if surface in ("render --check", "check"):
        lines = TABLE_LINE.findall(output)
        found = Counter((severity, f"{path}:{line}") for severity, path, line in lines)
        # Here, check has nothing to compare with: what a change to the class breaks is not known.
        most = wanted(rendered, place) | (wanted(planned, place) if surface == "check" else Counter())
        assert wanted(rendered, place) <= found <= most
    elif surface == "report":  # the functions' findings and the plan's, of which those of both stand once
        [package] = json.loads(output)["packages"]
        assert told(package["results"]) == wanted(rendered, place) | wanted(planned, place)
    elif surface == "json":
        assert told(json.loads(output)["results"]) == wanted(planned, place)
    elif surface == "sarif":
        assert told_by_sarif(output) == wanted(planned, place)
    else:
        rows = re.findall(r"^(?:\| )?(?:ClusterClass )?default/\S+ +(?:\| )?refused ", output, re.MULTILINE)
        assert len(rows) == refused


@pytest.mark.parametrize("words", [["check"], ["report", "-f", "json"]], ids=["check", "report"])
def test_refused_without_a_repository(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the API server refuses is an error where there is nothing to compare with, too."""
    package = copied(tmp_path / "site")
    topology = "spec:\n  topology:\n"
    change(package / "clusters.yaml", topology, 'spec:\n  clusterNetwork: {serviceDomain: ""}\n  topology:\n')
    monkeypatch.chdir(package)

    assert main([*words, "."]) == 1

    assert "spec.clusterNetwork.serviceDomain" in capsys.readouterr().out


@pytest.mark.parametrize("surface", PLAN)
def test_plan_of_a_wrong_folder(
    surface: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A package without Clusters is an error in every format, and nothing is printed that looks like a plan."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/Kptfile").write_text(KPTFILE, "utf-8")
    monkeypatch.chdir(tmp_path)

    assert main([word.format(new="shop", old="shop") for word in PLAN[surface]]) == 1

    said = capsys.readouterr()
    assert said.out == ""
    assert "shop: holds no Cluster, and held none" in said.err


@pytest.mark.parametrize("surface", SURFACES)
def test_first_pull_request(
    surface: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Workflows and a pre-commit config are no resources, also on a main branch without .krmignore."""
    package = copied(tmp_path / "site")
    (package / ".github/workflows").mkdir(parents=True)
    (package / ".github/workflows/ci.yaml").write_text("name: ci\non: push\n", "utf-8")
    (package / ".pre-commit-config.yaml").write_text("repos: []\n", "utf-8")
    monkeypatch.chdir(package)
    assert main(["render", ".", "-q"]) == 0
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "clusters"]):
        git(package, *words)
    (package / ".krmignore").write_text("/.github\n", "utf-8")
    capsys.readouterr()

    assert main([word.format(new=".", old="main") for word in SURFACES[surface]]) == 0

    said = capsys.readouterr()
    assert "error" not in said.err
    if surface == "json":
        assert [one["action"] for one in json.loads(said.out)["clusters"]] == ["same", "same"]
