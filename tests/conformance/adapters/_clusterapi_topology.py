"""Common parts of the adapters of desired state and patches: comparison of values with unknown suffixes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.json.equal import json_equal
from krmkit.systems.clusterapi.api.errors import PatchValueError, TopologyError
from krmkit.systems.clusterapi.model.state import ClusterState

Record = dict[str, Any]
Judge = Callable[[Record, Path], tuple[bool, str]]

GLOB = "?????"


def same(expected: Any, found: Any, path: str = "") -> str:
    """The path at which two values differ, "" if they are equal; `?????` in an expected text matches a suffix."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted({*expected, *found}):
            if key not in expected or key not in found:
                where = "unexpected" if key in found else "missing"
                return f"{path}/{key} {where}: {json.dumps(found.get(key, expected.get(key)))[:150]}"
            difference = same(expected[key], found[key], f"{path}/{key}")
            if difference:
                return difference
        return ""
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            difference = same(one, other, f"{path}/{index}")
            if difference:
                return difference
        return ""
    if isinstance(expected, str) and isinstance(found, str) and GLOB in expected:
        pattern = re.escape(expected).replace(re.escape(GLOB), "[bcdfghjklmnpqrstvwxz2456789]{5}")
        return "" if re.fullmatch(pattern, found) else f"{path}: {found!r}, wanted {expected!r}"
    if json_equal(expected, found):
        return ""
    return f"{path}: {json.dumps(found)[:150]}, wanted {json.dumps(expected)[:150]}"


def verdict(record: Record, work: Callable[[], Any]) -> tuple[bool, str]:
    """Compares a result with `expect`, or an error with `expect_error`."""
    try:
        found = work()
    except (TopologyError, PatchValueError) as error:
        wanted = record.get("expect_error")
        if wanted is True:
            return True, ""
        return wanted is not None and wanted in str(error), f"fails: {error}; wanted {wanted}"
    if "expect_error" in record:
        return False, f"gives {found!r}, wanted an error"
    difference = same(record["expect"], found)
    return not difference, difference


def by_role(state: ClusterState) -> Object:
    """The desired objects in the form of the records."""
    found: Object = {"machineDeployments": {}, "machinePools": {}}
    for role, item in state.objects():
        target = found
        *parts, last = role.split("/")
        for part in parts:
            target = target.setdefault(part, {})
        target[last] = item
    return found
