"""The scenarios of live tests as data: objects before a change, the change, and the expected plan."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from krmkit.libraries.json import Object

Edit = list[Any]
HERE = Path(__file__).resolve().parent
NAMESPACE = "live"
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


@dataclass(slots=True)
class Scenario:
    """One change. before: edits of the base objects that come first. edits: the change. expect: the plan in short.

    An edit is [Kind/name, path, value]; a value of null takes the field or the item of a list away. [Kind/name, copy, NAME] makes
    a copy of an object.
    """

    name: str
    edits: list[Edit] = field(default_factory=list)
    before: list[Edit] = field(default_factory=list)
    expect: Object = field(default_factory=dict)

    def objects(self, namespace: str) -> tuple[list[Object], list[Object]]:
        """Return the objects before and after the change, in a namespace."""
        old = edited(_base(), self.before)
        new = edited(old, self.edits)
        return _within(old, namespace), _within(new, namespace)


def scenarios() -> list[Scenario]:
    """Return all scenarios."""
    data = yaml.safe_load((HERE / "scenarios.yaml").read_text("utf-8"))
    return [Scenario(**one) for one in data]


def _base() -> list[Object]:
    return list(yaml.safe_load_all((HERE / "base.yaml").read_text("utf-8")))


def _within(objects: list[Object], namespace: str) -> list[Object]:
    return [{**one, "metadata": {**one["metadata"], "namespace": namespace}} for one in objects]


def edited(objects: list[Object], edits: list[Edit]) -> list[Object]:
    """Return copies of the objects after edits. Raises KeyError for an object or a field on the way that is not there."""
    found = {f"{one['kind']}/{one['metadata']['name']}": one for one in deepcopy(objects)}
    for target, path, value in edits:
        if path == "copy":
            made = deepcopy(found[target])
            made["metadata"]["name"] = value
            found[f"{made['kind']}/{value}"] = made
        else:
            _set(found[target], path, value)
    return list(found.values())


def _set(item: Any, path: str, value: Any) -> None:
    steps: list[str | int] = [name or int(index) for name, index in _STEP.findall(path)]
    *way, last = steps
    for step in way:
        item = item[step] if isinstance(step, int) else item.setdefault(step, {})
    if value is None:
        del item[last]
    elif isinstance(last, int) and last == len(item):
        item.append(value)
    else:
        item[last] = value


def in_short(plan: Object) -> Object:
    """Return the action, the changed roles and the groups that roll of one Cluster's plan, over all its steps."""
    steps = [plan, *plan.get("steps", ())]
    changes = {change["role"]: change["action"] for step in reversed(steps) for change in step["changes"]}
    return {
        "action": plan["action"],
        "changes": dict(sorted(changes.items())),
        "rolls": sorted(
            roll["group"] for roll in plan["rolls"] if not roll.get("only", "").startswith("created")
        ),
    }
