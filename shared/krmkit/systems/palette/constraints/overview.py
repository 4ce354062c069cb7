"""A profile at a glance: its packs, what they want of each other, and what they ask of the machine pools.

The rules are those of krmkit.systems.palette.constraints.dependencies and
krmkit.systems.palette.constraints.resources; here they become data to look at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Scalar
from krmkit.systems.palette.constraints import dependencies as dependency
from krmkit.systems.palette.constraints import resources
from krmkit.systems.palette.constraints.demands import Demand, ResourceReport, amount
from krmkit.systems.palette.constraints.pools import TYPES, UNITS, MachinePool
from krmkit.systems.palette.constraints.schema import PackSchema
from krmkit.systems.palette.constraints.validate import ValidationOptions
from krmkit.systems.palette.packs.pack import Pack
from krmkit.systems.palette.packs.values import PackValues, holds_macro

SATISFIED = "satisfied"


def overview(packs: Sequence[Pack], options: ValidationOptions | None = None) -> dict[str, Any]:
    """Return the packs in order, each with its dependencies, and the pools if `options` has them.

    A dependency's `state` is "satisfied", or the rule that it breaks, such as "missing" or "version". Amounts
    are texts in the unit of the resource type (`1500m`, `3072Mi`, `10GB`); `share` is required / available,
    absent where nothing is available.
    """
    scope = options.scope if options is not None else dependency.PROFILE
    profile = dependency.Profile(packs)
    data: dict[str, Any] = {
        "packs": [
            {
                "name": pack.label,
                "version": pack.effective_version,
                "layer": pack.layer,
                "dependencies": list(_dependencies(pack, profile, scope)),
            }
            for pack in packs
        ]
    }
    if options is not None and options.pools is not None:
        demands = [
            Demand(pack.label, pack.constraint("resources"), _values(pack, options))
            for pack in packs
            if pack.constraint("resources")
        ]
        report = resources.check(demands, options.pools, options.aggregate, options.use_min_size)
        data["pools"] = [_pool(pool, report, options) for pool in options.pools]
    return data


def _dependencies(pack: Pack, profile: dependency.Profile, scope: str) -> Iterator[dict[str, Any]]:
    entries = pack.constraint("dependencies")
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, dict):
            continue
        findings = dependency.check(pack, [entry], profile, scope)
        name = str(entry.get("packName") or "")
        found: dict[str, Any] = {
            "name": name,
            "layer": str(entry.get("layer") or ""),
            "type": str(entry.get("type") or "optional"),
            "minVersion": str(entry.get("minVersion") or ""),
            "maxVersion": str(entry.get("maxVersion") or ""),
            "state": findings[0].rule if findings else SATISFIED,
            "packs": [member.label for member in profile.members(name)],
        }
        if findings:
            found["message"] = findings[0].message
        yield found


def _pool(pool: MachinePool, report: ResourceReport, options: ValidationOptions) -> dict[str, Any]:
    rows = []
    for kind in TYPES:
        required = report.total(pool.name, kind)
        capacity = pool.capacity(kind, options.use_min_size)
        row: dict[str, Any] = {"type": kind, "required": amount(required, kind, up=True)}
        if capacity is not None:
            row["available"] = amount(capacity, kind)
            if capacity:
                row["share"] = round(required / capacity, 4)
        shares = report.required.get(pool.name, {}).get(kind, {})
        row["packs"] = [
            {"name": name, "required": amount(share, kind, up=True), "units": share / UNITS[kind]}
            for name, share in shares.items()
        ]
        rows.append(row)
    return {
        "name": pool.name,
        "controlPlane": pool.control_plane,
        "worker": pool.worker,
        "size": pool.size,
        "resources": rows,
    }


def _values(pack: Pack, options: ValidationOptions) -> PackValues | None:
    try:
        values = PackValues.parse(pack.values or "", options.limits)
        if options.merge_defaults and pack.defaults is not None:
            values = values.over(PackValues.parse(pack.defaults, options.limits))
        return values
    except YamlError:
        return None


def passwords(pack: Pack) -> set[str]:
    """Return the values that a pack's schema calls passwords; macros are none."""
    if not pack.schema or "password" not in pack.schema.lower():
        return set()
    found: set[str] = set()
    paths = [
        rule.path for rule in PackSchema.parse(pack.schema).rules if rule.secret and rule.path is not None
    ]
    for text in (pack.values, pack.defaults) if paths else ():
        try:
            values = PackValues.parse(text or "")
        except YamlError:
            continue
        for path in paths:
            nodes = [match.node for match in values.find(path)]
            found |= {node.text for node in nodes if isinstance(node, Scalar) and not holds_macro(node)}
    return found
