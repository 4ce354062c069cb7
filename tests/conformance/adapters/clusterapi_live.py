"""What live controllers of Cluster API did with a change, against the plan of the change.

A record has `old`, the files of the package (or of an export) before, and `new`: for each file that differs its text, null where it is gone, or
edits `[first line, last line, text]`. `package` is rendered instead. `expect` has what is known of the live answer: the plan's exit code
`rc`, the Cluster's `action`, `changes` (role: action), the groups in `rolls` and in `thenRolls`, and a text that an error (`contains`) or a
warning (`warns`) holds.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from krmkit.analysis.plans.plandata import as_data
from krmkit.analysis.plans.results import exit_code
from krmkit.analysis.plans.sources import read_both
from krmkit.render.resourcefiles import items_of
from krmkit.systems.clusterapi.api.collection import collect
from krmkit.systems.clusterapi.desired.topologies import Topologies, TopologyOptions
from krmkit.systems.clusterapi.plan.changes import make_plan

Record = dict[str, Any]
NOW = "2026-08-01T00:00:00Z"


def _write(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    return str(folder)


def _changed(old: dict[str, str], new: dict[str, Any]) -> dict[str, str]:
    found = dict(old)
    for name, change in new.items():
        if change is None:
            del found[name]
        elif isinstance(change, str):
            found[name] = change
        else:
            lines = old[name].splitlines(keepends=True)
            for first, last, text in reversed(change):
                lines[first:last] = [text]
            found[name] = "".join(lines)
    return found


def planned(record: Record) -> dict[str, Any]:
    """The plan of a record as data, and its exit code as `rc`."""
    with TemporaryDirectory() as place:
        before = _write(Path(place, "old"), record["old"])
        after = _write(Path(place, "new"), _changed(record["old"], record["new"]))
        old, new, options = read_both(after, before)
        keys = sorted({item.key for item in (*old.clusters, *new.clusters)})
        plan = make_plan(old, new, options, keys, NOW)
    return {**as_data(plan), "rc": exit_code([plan])}


def plan(record: Record, folder: Path) -> tuple[bool, str]:
    """Compares a plan with what the controllers did."""
    if "package" in record:
        return _rendered(record)
    data, wanted = planned(record), record["expect"]
    [cluster] = data["clusters"]
    found = {
        "rc": data["rc"],
        "action": cluster["action"],
        "changes": {one["role"]: one["action"] for one in cluster["changes"]},
        "rolls": sorted(roll["group"] for roll in cluster["rolls"]),
        "thenRolls": sorted(roll["group"] for roll in cluster.get("then", {}).get("rolls", ())),
    }
    texts = {"contains": [*data["errors"], *cluster["errors"]], "warns": data["warnings"]}
    for name, value in wanted.items():
        if name in texts:
            if not any(value in text for text in texts[name]):
                return False, f"{name}: no {value!r} in {texts[name]}"
        elif found[name] != value:
            return False, f"{name} is {found[name]}, wanted {value}; {data['errors']} {cluster['errors']}"
    return True, ""


def _rendered(record: Record) -> tuple[bool, str]:
    """Renders the package; `expect` has one value of an object: kind, path, value."""
    with TemporaryDirectory() as place:
        items, _ = items_of(_write(Path(place), record["package"]))
        topologies = Topologies(collect(items), TopologyOptions())
        [one] = [topologies.render(decoded) for decoded in topologies.managed()]
    wanted = record["expect"]
    for _, data in one.state.objects() if one is not None else ():
        if data.get("kind") == wanted["kind"]:
            found: Any = data
            for part in wanted["path"]:
                found = found.get(part) if isinstance(found, dict) else None
            return found == wanted["value"], f"{wanted['kind']} has {found}"
    return False, f"no {wanted['kind']} is made: {[str(one) for one in topologies.findings]}"


FILES = {"live.jsonl": plan}
