"""Resource constraints: whether the machine pools can hold what the packs ask for (pack.json).

Without components, `minLimit` (cpu in m, memory in Mi, diskSize in GB) is wanted of each worker pool. With components
it is ignored, and each component asks for request x replicas, read from the values, on the pools of its scheduleType.
A component with scheduleType `all` asks for it once on every pool, whatever the number of its nodes. What the packs
ask of a pool adds up; its capacity is size x what a node has, nothing taken off for the system.
"""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.lang import quantity
from krmkit.lang.quantity import NANO, QuantityError
from krmkit.palette.decimals import Decimal
from krmkit.palette.keypath import FOUND, KeyPath, KeyPathError
from krmkit.palette.packfinding import METADATA, VALUES, pack_finding, suggestion
from krmkit.palette.packvalues import holds_macro, is_empty
from krmkit.palette.pools import CPU, DISK, MEMORY, TYPES, UNIT_NAMES, UNITS
from krmkit.yaml.tree import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from krmkit.palette.keypath import KeyPathMatch
    from krmkit.palette.packvalues import PackValues
    from krmkit.palette.pools import MachinePool

SUM, PER_PACK = "sum", "perPack"
SCHEDULES = ("control-plane", "master", "worker", "all")


class Demand:
    """One pack's `constraints.resources`, and the values that its components refer to (None: they cannot be read)."""

    __slots__ = ("label", "resources", "values")

    def __init__(self, label: str, resources: object, values: PackValues | None) -> None:
        self.label = label
        self.resources = resources
        self.values = values


class ResourceReport:
    """The outcome. required: {pool: {resource type: {pack: nano units}}}, in the order of the pools."""

    __slots__ = ("findings", "required")

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.required: dict[str, dict[str, dict[str, int]]] = {}

    def total(self, pool: str, resource: str) -> int:
        """What all packs together ask of a pool, in nano units."""
        return sum(self.required.get(pool, {}).get(resource, {}).values())


def check(
    demands: Sequence[Demand], pools: Sequence[MachinePool], aggregate: str = SUM, use_min_size: bool = False
) -> ResourceReport:
    """Findings of the packs in their order, then those of the pools in theirs."""
    report = ResourceReport()
    for demand in demands:
        _Pack(demand, pools, report).run()
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
            parts.append(f"{_NAME[resource]} {required} required, {available} available")
        findings.append(
            pack_finding("totals", f"the pool {pool.name}: {'; '.join(parts)}", (pool.name,), file="")
        )
    return findings


def amount(nano: int, resource: str, up: bool = False) -> str:
    """`1500m`, `3072Mi`, `10GB`."""
    return quantity.in_unit(nano, UNITS[resource], up) + UNIT_NAMES[resource]


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
        why = "it has no size"
        if resource not in pool.node:
            why = f"nothing says what one of its nodes has: give the pool {_FIELD[resource]}"
            if pool.instance_type:
                why = f"its instance type {pool.instance_type} is not among instanceTypes"
        needed = amount(sum(shares.values()), resource, up=True)
        report.findings.append(
            pack_finding(
                "capacity-unknown",
                f"the {_NAME[resource]} of the pool {pool.name} is not known, so the {needed} that the packs need there "
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
                f"the pool {pool.name} has {amount(capacity, resource)} of {_NAME[resource]}, and the packs need "
                f"{amount(needed_nano, resource, up=True)} ({parts}): add nodes, take larger ones, or lower the requests",
                about,
                largest,
                "",
            )
        )


_NAME = {CPU: "cpu", MEMORY: "memory", DISK: "disk"}
_FIELD = {CPU: "cpu", MEMORY: "memoryMiB", DISK: "diskGB"}
_LIMIT_UNIT = {CPU: "millicores", MEMORY: "Mi", DISK: "GB"}


class _Pack:
    """One pack's constraints."""

    __slots__ = ("demand", "poolless", "pools", "report")

    def __init__(self, demand: Demand, pools: Sequence[MachinePool], report: ResourceReport) -> None:
        self.poolless: set[tuple[str, str]] = set()  # (code, resource) of what was said already
        self.demand = demand
        self.pools = pools
        self.report = report

    def add(
        self, code: str, resource: str, path: str, message: str, file: str = METADATA, current: object = None
    ) -> None:
        label = self.demand.label
        self.report.findings.append(
            pack_finding(code, message, (label, resource), label, file, path, current)
        )

    def run(self) -> None:
        resources = self.demand.resources
        if resources is None:
            return
        path = "constraints.resources"
        if not isinstance(resources, list):
            self.add("schema", "", path, "resources must be a list")
            return
        for index, entry in enumerate(resources):
            self.entry(entry, f"{path}[{index}]")

    def entry(self, entry: object, path: str) -> None:
        if not isinstance(entry, dict):
            self.add("schema", "", path, "a resource must be an object with type, minLimit, components")
            return
        resource = entry.get("type")
        if not isinstance(resource, str) or resource not in TYPES:
            name = resource if isinstance(resource, str) else ""
            shown = f' "{name}"' if name else ""
            self.add(
                "schema",
                name,
                f"{path}.type",
                f"unknown resource type{shown}; must be {', '.join(TYPES[:-1])} or {TYPES[-1]}",
                current=resource,
            )
            return
        components = entry.get("components")
        if components is not None and not isinstance(components, list):
            self.add("schema", resource, f"{path}.components", "components must be a list")
            return
        if components and resource == DISK:
            self.add(
                "components-ignored",
                resource,
                f"{path}.components",
                "components count for cpu and memory only; for diskSize, minLimit is used",
            )
            components = None
        if components:
            for index, component in enumerate(components):
                self.component(resource, component, f"{path}.components[{index}]")
            return
        limit = entry.get("minLimit")
        if limit is None:
            return
        if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit >= 0:
            message = f"minLimit of {resource} must be a number of {_LIMIT_UNIT[resource]}, without a unit"
            self.add("schema", resource, f"{path}.minLimit", message, current=limit)
            return
        try:
            needed = quantity.from_number(limit) * UNITS[resource] // NANO
        except QuantityError as error:
            self.add("schema", resource, f"{path}.minLimit", f"minLimit of {resource}: {error}")
            return
        self.ask(resource, needed, "worker", path)

    def component(self, resource: str, component: object, path: str) -> None:
        if not isinstance(component, dict):
            self.add(
                "schema",
                resource,
                path,
                "a component must be an object with resourceRequestParamRef, scheduleType",
            )
            return
        schedule = component.get("scheduleType")
        if not isinstance(schedule, str) or schedule not in SCHEDULES:
            hint = suggestion(schedule, SCHEDULES)
            message = f"the scheduleType of a component does not exist{hint}"
            self.add("schema", resource, f"{path}.scheduleType", message, current=schedule)
            return
        reference = component.get("resourceRequestParamRef")
        if not isinstance(reference, str) or not reference.strip():
            self.add(
                "schema",
                resource,
                f"{path}.resourceRequestParamRef",
                f"a component names the value that holds its {resource} request in resourceRequestParamRef",
            )
            return
        request = self.request(resource, reference, path)
        replicas = self.replicas(resource, component.get("replicaCountParamRef"), path)
        if request is not None and replicas is not None:
            self.ask(resource, request * replicas, schedule, path)

    def request(self, resource: str, reference: str, path: str) -> int | None:
        """What one replica asks for; None, with a finding, where the component counts nothing."""
        field = f"{path}.resourceRequestParamRef"
        match = self.resolve(resource, reference, field)
        if match is None:
            return None
        if match.state != FOUND or is_empty(match.node):
            self.add(
                "param-missing",
                resource,
                field,
                f"{self.label()} reads its {resource} request from {reference}, which is absent or empty in the values: "
                "the component counts nothing; correct the reference or set the value",
                current=reference,
            )
            return None
        values, where = self.demand.values, str(match)
        if holds_macro(match.node):
            self.deferred(resource, where)
            return None
        if not isinstance(match.node, Scalar):
            self.add(
                "bad-quantity",
                resource,
                where,
                f"{where} must be one quantity, as in {_EXAMPLE[resource]}",
                VALUES,
            )
            return None
        try:
            nano = quantity.parse(match.node.text)
            if nano >= 0:
                return nano
            problem = "a request cannot be negative"
        except QuantityError as error:
            problem = str(error)
        shown = values.shown(match.node) if values is not None else None
        if shown is None:
            problem = f"the value is no quantity of at least 0, as in {_EXAMPLE[resource]}"
        self.add(
            "bad-quantity", resource, where, f"the {resource} request at {where}: {problem}", VALUES, shown
        )
        return None

    def replicas(self, resource: str, reference: object, path: str) -> int | None:
        """The number of replicas: 1 without a reference; None, with a finding, where it is not known."""
        if reference is None:
            return 1
        field = f"{path}.replicaCountParamRef"
        if not isinstance(reference, str):
            self.add("schema", resource, field, "replicaCountParamRef must be a key path", current=reference)
            return None
        match = self.resolve(resource, reference, field) if reference.strip() else None
        if reference.strip() and match is None:
            return None
        if match is None or match.state != FOUND or is_empty(match.node):
            shown = reference if reference.strip() else "an empty reference"
            self.add(
                "replicas-missing",
                resource,
                field,
                f"{self.label()} reads the number of replicas from {shown}, which is absent or empty in the values: "
                "1 is taken; correct the reference or set the value",
                current=reference,
            )
            return 1
        values, where = self.demand.values, str(match)
        if holds_macro(match.node):
            self.deferred(resource, where)
            return None
        count = _whole(match.node.text) if isinstance(match.node, Scalar) else None
        if count is None:
            shown_value = values.shown(match.node) if values is not None else None
            message = f"the number of replicas at {where} must be a whole number of at least 0"
            self.add("bad-replicas", resource, where, message, VALUES, shown_value)
        return count

    def resolve(self, resource: str, reference: str, field: str) -> KeyPathMatch | None:
        """The one place a reference leads to; None, with a finding, where it cannot be used."""
        values = self.demand.values
        if values is None:
            return None  # the values cannot be read, which is a finding of its own
        try:
            matches = values.find(KeyPath.parse(reference))
        except KeyPathError as error:
            self.add("schema", resource, field, str(error), current=reference)
            return None
        if len(matches) > 1:
            message = f"the reference {reference} leads to {len(matches)} values, where one is expected"
            self.add("schema", resource, field, message, current=reference)
            return None
        return matches[0]

    def deferred(self, resource: str, where: str) -> None:
        self.add(
            "deferred",
            resource,
            where,
            f"{where} holds a macro: the component is counted when resolve-macros has put a value in its place",
            VALUES,
        )

    def ask(self, resource: str, needed: int, schedule: str, path: str) -> None:
        """Put a demand on every pool that it targets."""
        if not needed:
            return
        control_plane = schedule in ("control-plane", "master")
        if schedule == "all":
            targets = list(self.pools)
        elif control_plane:
            targets = [pool for pool in self.pools if pool.control_plane]
        else:
            targets = [pool for pool in self.pools if pool.worker]
        label = self.demand.label
        for pool in targets:
            shares = self.report.required.setdefault(pool.name, {}).setdefault(resource, {})
            shares[label] = shares.get(label, 0) + needed
        if targets:
            return
        code = "no-control-plane-pool" if control_plane else "no-worker-pool"
        what = "control plane pool" if control_plane else "worker pool"
        if (code, resource) not in self.poolless:
            self.poolless.add((code, resource))
            self.add(
                code,
                resource,
                path,
                f"{self.label()} needs {amount(needed, resource, up=True)} of {_NAME[resource]} on a {what}, "
                "and there is none among machinePools",
            )

    def label(self) -> str:
        return self.demand.label or "the pack"


_EXAMPLE = {CPU: "500m", MEMORY: "1Gi", DISK: "10G"}


def _whole(text: str) -> int | None:
    """A whole number of at least 0 in decimal form (`3`, `3.0`), within what Kubernetes can hold."""
    number = Decimal.parse(text)
    if number is None:
        return None
    try:
        nano = quantity.parse(text)
    except QuantityError:
        return None
    count, rest = divmod(nano, NANO)
    return count if not rest and count >= 0 else None
