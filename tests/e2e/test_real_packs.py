"""Real packs, imported, rendered by the real kpt, and exported again.

The packs lie beside this checkout where it is built (no licence lets them be part of it), or where KRMKIT_PACKS says.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from krmkit.libraries.yaml.data import core_data
from krmkit.libraries.yaml.document import parse
from krmkit.render.conversion.packexport import exported
from krmkit.render.conversion.packfolder import imported, item_name
from krmkit.render.conversion.packmerge import RECORDS
from krmkit.render.package import read
from tests.e2e.orchestrate import ROOT, Files, files_of, run_kpt, run_krmkit

PLACE = Path(os.environ.get("KRMKIT_PACKS") or ROOT.parent / "shared" / "conformance" / "palette" / "corpus")
PACKS = sorted(path.parent for path in PLACE.glob("*/pack.json"))
CONFIG = 'apiVersion: krmkit.dev/v1alpha1\nkind: {kind}\nmetadata:\n  name: config\n  annotations:\n    config.kubernetes.io/local-config: "true"\nspec:\n{spec}'

MARKER = "# spectrocloud.com/enabled-presets"

pytestmark = [
    pytest.mark.kpt,
    pytest.mark.skipif(not PACKS, reason=f"no packs in {PLACE}; KRMKIT_PACKS names another folder"),
]


def package_with(root: Path, stage: str, function: str, kind: str, spec: str) -> Path:
    """A package with all packs, whose one function has this config."""
    imported([str(pack) for pack in PACKS], str(root))
    (root / "config.yaml").write_text(CONFIG.format(kind=kind, spec=spec))
    with (root / "Kptfile").open("a") as kptfile:
        kptfile.write(
            f"pipeline:\n  {stage}:\n  - exec: {ROOT}/functions/{function}/main.py\n    configPath: config.yaml\n"
        )
    return root


def exported_from(root: Path, out: Path) -> Files:
    """The files of the exported folders; beside them lies one record for each folder, and nothing else."""
    folders = exported(read(str(root)), str(out))
    files = files_of(out)
    records = {f"{RECORDS}/{Path(folder).name}" for folder in folders}
    inside = {path: content for path, content in files.items() if path not in records}
    assert files.keys() - inside.keys() == records
    assert {path.partition("/")[0] for path in inside} == {Path(folder).name for folder in folders}
    return inside


def originals() -> Files:
    return {f"{pack.name}/{path}": content for pack in PACKS for path, content in files_of(pack).items()}


def presets_of(pack: Path) -> list[dict[str, object]]:
    """The presets of a pack, read independently of the engine."""
    file = pack / "presets.yaml"
    document = parse(file.read_text()) if file.exists() else None
    data = core_data(document.root) if document is not None else None
    found = data.get("presets") if isinstance(data, dict) else None
    return [preset for preset in found if isinstance(preset, dict)] if isinstance(found, list) else []


def choices(last: bool) -> dict[str, list[dict[str, object]]]:
    """For each pack with presets, the first (or last) one of each group."""
    chosen: dict[str, list[dict[str, object]]] = {}
    for pack in PACKS:
        groups: dict[str, dict[str, object]] = {}
        for preset in presets_of(pack):
            group = str(preset.get("group"))
            if last or group not in groups:
                groups[group] = preset
        if groups:
            chosen[pack.name] = list(groups.values())
    return chosen


def applied(values: object, preset: dict[str, object]) -> object:
    """What the preset makes of values, by the rule: remove all paths, then merge what is added."""
    removed = preset.get("remove") or []
    assert isinstance(values, dict)
    assert isinstance(removed, list)
    for path in removed:
        *parents, last = str(path).split(".")
        node: object = values
        for step in parents:
            node = node.get(step) if isinstance(node, dict) else None
        if isinstance(node, dict):
            node.pop(last, None)
    add = preset.get("add")
    merge(values, core_data(parse(str(add)).root))
    return values


def merge(values: dict[str, object], more: object) -> None:
    for key, value in more.items() if isinstance(more, dict) else ():
        old = values.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            merge(old, value)
        else:
            values[key] = value


def words(text: str) -> set[str]:
    return {line.strip() for line in text.split("\n")}


@pytest.mark.parametrize("last", [False, True], ids=["first of each group", "last of each group"])
def test_presets(kpt: str, tmp_path: Path, last: bool) -> None:
    """Values differ in what the presets name and in nothing else; packs without presets come back byte for byte."""
    chosen = choices(last)
    spec = "  selections:\n"
    for name, presets in chosen.items():
        listed = ", ".join(f'"{preset["group"]}:{preset["name"]}"' for preset in presets)
        spec += f"  - {{pack: {name}, presets: [{listed}]}}\n"
    root = package_with(tmp_path / "p", "mutators", "apply-presets", "ApplyPresets", spec)
    shutil.copytree(root, tmp_path / "krmkit")

    done = run_kpt(kpt, root)
    assert done.returncode == 0, done.stderr
    assert run_krmkit(tmp_path / "krmkit").returncode == 0
    after = exported_from(root, tmp_path / "out")
    before = originals()

    assert after == exported_from(tmp_path / "krmkit", tmp_path / "out-of-krmkit")
    assert after.keys() == before.keys()
    assert len(chosen) >= 3
    for path, content in before.items():
        pack, _, file = path.partition("/")
        if file != "values.yaml" or pack not in chosen:
            assert after[path] == content, path
            continue
        old, new = content.decode(), after[path].decode()
        expected = core_data(parse(old).root)
        for preset in chosen[pack]:
            expected = applied(expected, preset)
        assert core_data(parse(new).root) == expected, path
        check_lines(old, new, chosen[pack], path)


def check_lines(old: str, new: str, presets: list[dict[str, object]], path: str) -> None:
    """A line that is gone lies in what the presets remove or replace; one that is new comes from what they add."""
    added = set().union(*(words(str(preset.get("add"))) for preset in presets))
    keys = {line.partition(":")[0].removeprefix("- ") for line in added}
    keys |= {str(name).rpartition(".")[2] for preset in presets for name in _paths(preset)}
    gone_keys = keys | {
        step for preset in presets for name in _paths(preset) for step in str(name).split(".")
    }
    before, after = old.split("\n"), new.split("\n")
    blocks = [
        (start, stop, before[start:stop], after[from_line:to_line])
        for tag, start, stop, from_line, to_line in SequenceMatcher(
            None, before, after, autojunk=False
        ).get_opcodes()
        if tag != "equal"
    ]
    for start, stop, gone, fresh in blocks:
        if not "".join(gone + fresh).strip():
            # A blank line may come to stand behind what was put next to it, and nowhere else.
            beside = [other for other in blocks if "".join(other[2] + other[3]).strip()]
            near = any(abs(other[0] - stop) <= 3 or abs(start - other[1]) <= 3 for other in beside)
            assert near, f"{path}: blank lines changed at line {start + 1}"
        for line in fresh:
            text = line.strip()
            known = text in added or text.partition(":")[0] in keys or text.startswith(MARKER)
            assert known, f"{path}: nobody asked for {line!r}"
        first = next((line.strip() for line in gone if line.strip()), "")
        asked = first.partition(":")[0].strip("\"'- ") in gone_keys or first.startswith("#")
        assert asked or not gone, f"{path}: nobody asked to remove {first!r}"


def _paths(preset: dict[str, object]) -> list[object]:
    removed = preset.get("remove")
    return removed if isinstance(removed, list) else []


def reported(results: Path) -> list[tuple[str, str, str]]:
    """Rule, pack and field of every result."""
    data = core_data(parse(results.read_text()).root)
    assert isinstance(data, dict)
    return [
        (
            str(result["tags"]["rule"]),
            str(result.get("resourceRef", {}).get("name")),
            str(result.get("field", {}).get("path")),
        )
        for run in data["items"]
        for result in run.get("results", ())
    ]


def findings(results: Path, rule: str) -> dict[str, int]:
    """How many results of a rule are about which pack."""
    return Counter(name for said, name, _ in reported(results) if said == rule)


def on_record() -> set[tuple[str, str, str]]:
    """What the vectors beside the packs say of the packs' own defaults: rule, pack and field."""
    found = set()
    for line in (PLACE.parent / "schema_constraints.jsonl").read_text().splitlines():
        record = json.loads(line)
        if record["id"].startswith("corpus-defaults-"):
            name = item_name(record["valuesFile"].split("/")[1])
            found |= {(code, name, path) for code, path in record["expect"]}
    return found


def check_findings(results: Path) -> None:
    """The packs' own defaults: three required values are empty, in two packs; two packs miss packs that they require.

    The newer of two versions of one pack has no name of its own.
    """
    if (PLACE.parent / "schema_constraints.jsonl").exists():
        said = {found for found in reported(results) if found[0] in ("required", "deferred")}
        assert said == on_record()
    assert sorted(findings(results, "required").values()) == [1, 2]
    assert sorted(findings(results, "missing").values()) == [1, 2]
    assert sorted(findings(results, "twin").values()) == [1]
    for rule in (
        "format",
        "type",
        "readonly",
        "schema",
        "wrong-layer",
        "version",
        "insufficient",
        "bad-pack",
    ):
        assert findings(results, rule) == {}, rule


def errors(results: Path) -> int:
    return results.read_text().count("severity: error")


def test_findings_are_named_and_nothing_is_written(kpt: str, tmp_path: Path) -> None:
    """Every finding is an error: kpt fails, and no file changes."""
    root = package_with(
        tmp_path / "p",
        "validators",
        "validate-pack-constraints",
        "ValidatePackConstraints",
        "  scope: cluster\n",
    )
    before = files_of(root)

    done = run_kpt(kpt, root, "--results-dir", str(tmp_path / "results"))

    assert done.returncode == 1
    assert files_of(root) == before
    check_findings(tmp_path / "results" / "results.yaml")
    assert errors(tmp_path / "results" / "results.yaml") == 7


def without_file_lines(results: Path) -> str:
    """Results without the lines of packages' files: kpt quotes some block scalars anew, which hides the lines in them."""
    return re.sub(
        r"line \d+, column \d+ \((line [^)]*)\): |(line [^:\n]* of [^:\n]*): ", r"\1\2: ", results.read_text()
    )


def test_findings_do_not_fail_when_told_so(kpt: str, tmp_path: Path) -> None:
    """With `failOn: never` the same findings are warnings, the render succeeds, and the packs are what they were."""
    spec = "  scope: cluster\n  failOn: never\n"
    root = package_with(
        tmp_path / "p", "validators", "validate-pack-constraints", "ValidatePackConstraints", spec
    )
    other = shutil.copytree(root, tmp_path / "krmkit")

    done = run_kpt(kpt, root, "--results-dir", str(tmp_path / "results"))
    found = run_krmkit(other, "--results-dir", str(tmp_path / "results-of-krmkit"))

    assert (done.returncode, found.returncode) == (0, 0), (done.stderr, found.stderr)
    results = tmp_path / "results" / "results.yaml"
    assert without_file_lines(tmp_path / "results-of-krmkit" / "results.yaml") == without_file_lines(results)
    check_findings(results)
    assert errors(results) == 0
    assert exported_from(root, tmp_path / "out") == originals()
