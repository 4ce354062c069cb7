"""Resource constraints: whether the machine pools can hold what the packs ask for (pack.json).

Without components, `minLimit` (cpu in m, memory in Mi, diskSize in GB) is wanted of each worker pool. With
components it is ignored, and each component asks for request x replicas, read from the values, on the pools
of its scheduleType. A component with scheduleType `all` asks for it once on every pool, for any number of
nodes. What the packs ask of a pool adds up; its capacity is size x what a node has, nothing taken off for the
system.
"""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.systems.palette.constraints.demands import NAMES, Demand, PackDemands, ResourceReport, amount
from krmkit.systems.palette.constraints.pools import CPU, DISK, MEMORY, TYPES, MachinePool
from krmkit.systems.palette.packs.findings import pack_finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SUM, PER_PACK = "sum", "perPack"


def check(
    demands: Sequence[Demand], pools: Sequence[MachinePool], aggregate: str = SUM, use_min_size: bool = False
) -> ResourceReport:
    """Return findings of the packs in their order, then those of the pools in theirs."""
    report = ResourceReport()
    for demand in demands:
        PackDemands(demand, pools, report).run()
    for pool in pools:
        for resource, shares in report.required.get(pool.name, {}).items():
            _compare(pool, resource, shares, aggregate, use_min_size, report)
    return report


def totals(report: ResourceReport, pools: Sequence[MachinePool], use_min_size: bool = False) -> list[Finding]:
    """For each pool, what is required of it and what it has."""
    findings: list[Finding] = []
    for pool in pools:
        parts: list[str] = []
        for resource in TYPES:
            capacity = pool.capacity(resource, use_min_size)
            available = "unknown" if capacity is None else amount(capacity, resource)
            required = amount(report.total(pool.name, resource), resource, up=True)
            parts.append(f"{NAMES[resource]} {required} required, {available} available")
        findings.append(
            pack_finding("totals", f"the pool {pool.name}: {'; '.join(parts)}", (pool.name,), file="")
        )
    return findings


def _compare(
    pool: MachinePool,
    resource: str,
    shares: dict[str, int],
    aggregate: str,
    use_min_size: bool,
    report: ResourceReport,
) -> None:
    capacity = pool.capacity(resource, use_min_size)
    about = (pool.name, resource)
    if capacity is None:
        why = pool.without_size or "it has no size"
        if resource not in pool.node:
            why = pool.without_node
            if pool.instance_type:
                why = f"its instance type {pool.instance_type} is not among instanceTypes"
            elif pool.table:
                why = f"instanceTypes.{pool.table} has no {_FIELD[resource]}"
            elif not why:
                why = f"nothing says what one of its nodes has: give the pool {_FIELD[resource]}"
        needed = amount(sum(shares.values()), resource, up=True)
        report.findings.append(
            pack_finding(
                "capacity-unknown",
                f"the {NAMES[resource]} of the pool {pool.name} is not known, so the {needed} that the packs need there "
                f"are not checked: {why}",
                about,
                file="",
            )
        )
        return
    groups = [shares] if aggregate != PER_PACK else [{pack: share} for pack, share in shares.items()]
    for group in groups:
        needed_nano = sum(group.values())
        if capacity >= needed_nano:
            continue
        parts = ", ".join(f"{pack} {amount(share, resource, up=True)}" for pack, share in group.items())
        # Where one pack has to be named, it is the one that asks for most.
        largest = max(group, key=lambda pack: group[pack])
        report.findings.append(
            pack_finding(
                "insufficient",
                f"the pool {pool.name} has {amount(capacity, resource)} of {NAMES[resource]}, and the packs need "
                f"{amount(needed_nano, resource, up=True)} ({parts}): add nodes, take larger ones, or lower the requests",
                about,
                largest,
                "",
            )
        )


_FIELD = {CPU: "cpu", MEMORY: "memoryMiB", DISK: "diskGB"}
