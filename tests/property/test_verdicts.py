"""The same input has the same verdict on every surface, for random changes of random packages."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from krmkit.cli import main
from tests.unit.analysis.plans.test_verdicts import EXAMPLE
from tests.unit.analysis.plans.test_workspace import commit

# What a change replaces in which file: right and wrong values, known and unknown fields, of Clusters, classes and templates.
CHANGES = (
    ("clusters.yaml", "v1.33.1", ("v1.34.0", "v1.32.0", "1.33", "latest")),
    ("clusters.yaml", "replicas: 2", ("replicas: 3", "replicas: -1", "replicas: two", "replica: 2")),
    ("clusters.yaml", "name: md-0", ("name: North", "name: md-9", "name: md-0\n        nodeDrainTimeout: 5s")),
    ("clusters.yaml", "class: default-worker", ("class: other", "class: default-worker\n        metadata: {labels: {a: b}}")),
    ("clusters.yaml", "name: imageRepository", ("name: unknown", "name: podSecurityStandard")),
    ("class.yaml", "name: node-labels", ("name: eviction-hard", "name: other")),
    ("class.yaml", "path: /spec/template/spec", ("path: /metadata/labels", "path: /spec/template/spec/none")),
    ("class.yaml", "kind: DevMachineTemplate", ("kind: BigMachineTemplate",)),
    ("templates.yaml", "kind: KubeadmConfigTemplate", ("kind: KubeadmConfigTemplates",)),
)  # fmt: skip


def changed(folder: Path, dice: random.Random) -> None:
    for file, before, choices in dice.sample(CHANGES, dice.randint(0, 3)):
        path = folder / file
        parts = path.read_text("utf-8").split(before)
        where = dice.randrange(1, len(parts)) if len(parts) > 1 else 0
        if where:
            text = before.join(parts[:where]) + dice.choice(choices) + before.join(parts[where:])
            path.write_text(text, "utf-8")


def severities(results: list[dict[str, Any]]) -> Counter[str]:
    return Counter(one["severity"] for one in results)


def on_sarif(text: str) -> Counter[str]:
    return Counter(one["level"] for one in json.loads(text)["runs"][0]["results"])


@pytest.mark.parametrize("seed", range(8))
def test_one_verdict(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    seed: int,
) -> None:
    """Exit codes, counts by severity, and the errors themselves agree between table, formats, tree, report and page."""
    dice = random.Random(seed)
    for name in ("a", "b")[: dice.randint(1, 2)]:
        shutil.copytree(project / EXAMPLE, tmp_path / name, ignore=shutil.ignore_patterns(".expected"))
        kptfile = tmp_path / name / "Kptfile"
        kptfile.write_text(kptfile.read_text().partition("pipeline:")[0])
    commit(tmp_path)
    for folder in sorted(tmp_path.glob("*/")):
        if folder.name in ("a", "b"):
            changed(folder, dice)
    monkeypatch.chdir(tmp_path)

    def told(*words: str) -> tuple[int, str]:
        code = main([*words])
        return code, capsys.readouterr().out

    plan_code, text = told("topology", "plan", "-r", ".", "-f", "json")
    plan = json.loads(text)
    report_code, text = told("report", ".", "-f", "json")
    packages = json.loads(text)["packages"]
    results = [one for package in packages for one in package["results"]]
    assert severities(results) == severities(plan["results"])
    assert [one for one in results if one["severity"] == "error"] == [
        one for one in plan["results"] if one["severity"] == "error"
    ]
    check_code, text = told("check", ".", "-f", "json", "--severity", "info")
    assert [one for package in json.loads(text)["packages"] for one in package["results"]] == results
    assert check_code == report_code
    errors = severities(results)["error"]
    assert (plan_code == 1) == (report_code == 1) == (errors > 0)

    assert told("report", ".", "-o", "page.html")[0] == report_code
    data = re.search(
        r'<script[^>]*type="application/json"[^>]*>(\{.*?\})</script>',
        Path("page.html").read_text("utf-8"),
        re.DOTALL,
    )
    assert data is not None
    assert json.loads(data[1])["packages"] == packages
    codes = {}
    for form, count in (("sarif", lambda text: on_sarif(text)["error"]), ("github", lambda text: text.count("::error")), ("text", lambda text: text.count(": error: ")), ("markdown", lambda text: text.count("| :x: |") or text.count("| refused |"))):  # fmt: skip
        check_code, text = told("check", ".", "-f", form)
        assert (check_code, count(text)) == (report_code, errors), form
        codes[form], text = told("topology", "plan", "-r", ".", "-f", form)
        if form != "markdown":  # a row for each Cluster and class, with all that is refused of it
            assert count(text) == errors, form
            continue
        assert (count(text) > 0) == (errors > 0)
        warnings = [one for package in plan["packages"] for one in package["warnings"]]
        assert text.count("- :warning: ") == len(warnings)
    codes["junit"], text = told("topology", "plan", "-r", ".", "-f", "junit")  # one failure for each package
    assert ("<failure" in text) == (errors > 0)
    assert set(codes.values()) == {plan_code}
    code, table = told("topology", "plan", "-r", ".")
    refused = sum(one["action"] == "refused" for package in plan["packages"] for one in package["clusters"])
    assert code == plan_code
    assert f"{refused} refused" in table if refused else " refused\n" not in table
