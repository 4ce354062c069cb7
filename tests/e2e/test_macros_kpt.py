"""Presets, macros and validation in one pipeline, on real packs, through the real kpt.

After the presets alone and after presets and macros, the exported texts differ in the lines with macros and in no other.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from krmkit.render.conversion.packfolder import imported
from tests.e2e.orchestrate import ROOT, Files, files_of, put, run_kpt, run_krmkit
from tests.e2e.test_real_packs import CONFIG, PACKS, PLACE, choices, exported_from, originals

FOREIGN = {
    "pack.json": '{"name": "dashboards", "displayName": "Dashboards", "version": "1.0.0", "layer": "addon"}',
    "values.yaml": """\
# {{ .Release.Name }} of {{ .spectro.system.cluster.name }}
title: "{{ .spectro.system.cluster.name }} {{ .Values.title | default \\"none\\" }}"
alert: "{{`{{$labels.name}}`}} on {{ .spectro.system.cluster.name }}" # {{ include "name" . }}
query: up{job=~"{{ template "fullname" . }}-.*"}
range: '{{- range .Values.hosts }}{{ . }}{{ end -}}'
peers: "{{ ipaddresses.ip_lo.ip.split(\\".\\")[0] }}" # {{ .spectro.system.cluster.name }}
script: |
  {{- if .Values.debug }}
  echo "{{ $labels.instance }}"
  {{- end }}
flow: {a: {b: {c: 1}}, d: "{{ .Input }}"}
""",
}
"""A pack that is full of other template systems' actions, beside macros and within them."""

pytestmark = [
    pytest.mark.kpt,
    pytest.mark.skipif(not PACKS, reason=f"no packs in {PLACE}; KRMKIT_PACKS names another folder"),
]

SECRET = "hush-0xC0FFEE"
ACTION = re.compile(r"\{\{.*?\}\}")
GIVEN = {
    ".spectro.system.cluster.name": "harbour-7",
    ".spectro.system.kubernetes.version | substr 0 4": "1.31",
    ".spectro.var.clusterProvider": 'self \\"managed\\"',
    ".spectro.var.NGC_API_KEY": SECRET,
}
"""What stands for a macro in a double-quoted scalar, which all of the packs' are in; all others stay."""
MACROS = f"""\
  system:
    cluster.name: harbour-7
    kubernetes.version: 1.31.4
  variables:
  - name: clusterProvider
    value: self "managed"
  - name: NGC_API_KEY
    value: {SECRET}
    secret: true
"""


def presets() -> str:
    lines = ["  selections:"]
    for name, chosen in choices(last=True).items():
        listed = ", ".join(f'"{preset["group"]}:{preset["name"]}"' for preset in chosen)
        lines.append(f"  - {{pack: {name}, presets: [{listed}]}}")
    return "\n".join(lines) + "\n"


STAGES = {
    "apply-presets": ("mutators", "ApplyPresets", presets),
    "resolve-macros": ("mutators", "ResolveMacros", lambda: MACROS),
    "validate-pack-constraints": (
        "validators",
        "ValidatePackConstraints",
        lambda: "  scope: cluster\n  failOn: never\n",
    ),
}


def package(root: Path, *functions: str) -> Path:
    """A package with all packs, and FOREIGN, and a pipeline of these functions."""
    own = put(root.parent / "dashboards", FOREIGN)
    imported([*(str(pack) for pack in PACKS), str(own)], str(root))
    pipeline: dict[str, list[str]] = {}
    for function in functions:
        stage, kind, spec = STAGES[function]
        (root / f"{function}.yaml").write_text(
            CONFIG.format(kind=kind, spec=spec()).replace("name: config", f"name: {function}")
        )
        pipeline.setdefault(stage, []).append(
            f"  - exec: {ROOT}/functions/{function}/main.py\n    configPath: {function}.yaml\n"
        )
    with (root / "Kptfile").open("a") as kptfile:
        kptfile.write("pipeline:\n")
        for stage, entries in pipeline.items():
            kptfile.write(f"  {stage}:\n" + "".join(entries))
    return root


def resolved(line: str) -> str:
    """The line as it should be, by the text alone: whatever is in front of a comment is not in one."""
    code, sign, comment = line.partition(" #")
    if line.lstrip().startswith("#"):
        return line
    return ACTION.sub(lambda found: GIVEN.get(found[0][2:-2].strip(), found[0]), code) + sign + comment


def actions(files: Files) -> list[str]:
    """All actions of other template systems, in their order."""
    found = [
        action
        for path, content in sorted(files.items())
        if path.endswith("/values.yaml")
        for action in ACTION.findall(content.decode())
    ]
    return [action for action in found if ".spectro." not in action]


def account(files: Files) -> str:
    """The number that karpenter's values refer to in themselves."""
    (number,) = {
        found[1]
        for path, content in files.items()
        if path.startswith("karpenter")
        for found in re.finditer(r'^ *awsAccountNumber: *"?([^"\s]*)"?', content.decode(), re.MULTILINE)
    }
    return number


def in_packs(results: str) -> str:
    """Results that name lines of the packs' own texts only: those of files are lost where kpt writes an item anew."""
    return re.sub(r"line \d+, column \d+ \((line \d+, column \d+ of [^)]*)\)", r"\1", results)


def test_exactly_the_lines_with_macros(kpt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """kpt and krmkit write the same; the lines are as a replacement by hand makes them; once more changes nothing."""
    before_macros = package(tmp_path / "presets", "apply-presets")
    all_three = package(tmp_path / "all", *STAGES)
    by_krmkit = shutil.copytree(all_three, tmp_path / "krmkit")

    for root in (before_macros, all_three):
        done = run_kpt(kpt, root, "--results-dir", str(tmp_path / f"results-{root.name}"))
        assert done.returncode == 0, done.stderr
        assert SECRET not in done.stdout + done.stderr
    assert run_krmkit(by_krmkit, "--results-dir", str(tmp_path / "results-krmkit")).returncode == 0
    before = exported_from(before_macros, tmp_path / "out-presets")
    after = exported_from(all_three, tmp_path / "out-all")

    assert exported_from(by_krmkit, tmp_path / "out-krmkit") == after
    real = {path: content for path, content in before.items() if not path.startswith("dashboards/")}
    assert after.keys() == before.keys()
    assert real.keys() == originals().keys()
    monkeypatch.setitem(GIVEN, ".spectro.pack.karpenter.awsAccountNumber", account(before))
    changed = 0
    for path, content in before.items():
        if not path.endswith("/values.yaml"):
            assert after[path] == content == originals().get(path, content), path
            continue
        old, new = content.decode().split("\n"), after[path].decode().split("\n")
        assert new == [resolved(line) for line in old], path
        changed += sum(one != other for one, other in zip(old, new, strict=True))
    assert changed >= 6
    assert actions(after) == actions(before)
    assert len(actions(real)) >= 15
    assert len(actions(after)) == len(actions(real)) + 13

    results = (tmp_path / "results-all" / "results.yaml").read_text()
    assert in_packs((tmp_path / "results-krmkit" / "results.yaml").read_text()) == in_packs(results)
    assert SECRET not in results
    assert results.count("rule: kept") == b"".join(after.values()).count(b"{{ .spectro.var.")

    once = files_of(all_three)
    assert run_kpt(kpt, all_three).returncode == 0
    assert files_of(all_three) == once
