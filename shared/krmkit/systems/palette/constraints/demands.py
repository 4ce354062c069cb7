"""The resource constraints of pack.json: what packs demand of machine pools."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.kube import quantity
from krmkit.libraries.kube.quantity import NANO
from krmkit.libraries.yaml.tree import Scalar
from krmkit.systems.palette.constraints.decimals import is_decimal
from krmkit.systems.palette.constraints.pools import CPU, DISK, MEMORY, TYPES, UNIT_NAMES, UNITS
from krmkit.systems.palette.packs.findings import METADATA, VALUES, pack_finding, suggestion
from krmkit.systems.palette.packs.keypath import FOUND, KeyPath, KeyPathMatch
from krmkit.systems.palette.packs.packfileschemas import SCHEDULES
from krmkit.systems.palette.packs.values import holds_macro, is_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from krmkit.systems.palette.constraints.pools import MachinePool
    from krmkit.systems.palette.packs.keypath import KeyPathMatch
    from krmkit.systems.palette.packs.values import PackValues


class Demand:
    """One pack's `constraints.resources`, and the values that its components refer to (None: unreadable)."""

    def __init__(self, label: str, resources: object, values: PackValues | None) -> None:
        self.label = label
        self.resources = resources
        self.values = values


class ResourceReport:
    """The outcome. required: {pool: {resource type: {pack: nano units}}}, in the order of the pools."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.required: dict[str, dict[str, dict[str, int]]] = {}

    def total(self, pool: str, resource: str) -> int:
        """Return the sum of what all packs ask of a pool, in nano units."""
        return sum(self.required.get(pool, {}).get(resource, {}).values())


def amount(nano: int, resource: str, up: bool = False) -> str:
    """`1500m`, `3072Mi`, `10GB`."""
    return quantity.in_unit(nano, UNITS[resource], up) + UNIT_NAMES[resource]


NAMES = {CPU: "cpu", MEMORY: "memory", DISK: "disk"}
_LIMIT_UNIT = {CPU: "millicores", MEMORY: "Mi", DISK: "GB"}


class PackDemands:
    """Reads one pack's resource constraints, and adds what it asks for to the report's pools."""

    def __init__(self, demand: Demand, pools: Sequence[MachinePool], report: ResourceReport) -> None:
        self.poolless: set[tuple[str, str]] = set()  # (code, resource) of the findings so far
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
        except GoInputError as error:
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
            message = "the scheduleType of a component does not exist" + hint
            self.add("schema", resource, f"{path}.scheduleType", message, current=schedule)
            return
        if schedule == "control-plane":
            message = "the scheduleType control-plane is taken as master, the word that Palette has for it"
            self.add("unknown-schedule", resource, f"{path}.scheduleType", message, current=schedule)
        reference = component.get("resourceRequestParamRef")
        if reference is None:
            return  # it counts nothing
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
        """Return the request of one replica in nano units; None, with a finding, if it counts nothing."""
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
        except GoInputError as error:
            problem = str(error)
        shown = values.shown(match.node) if values is not None else None
        if shown is None:
            problem = f"the value is not a quantity of at least 0, as in {_EXAMPLE[resource]}"
        self.add(
            "bad-quantity", resource, where, f"the {resource} request at {where}: {problem}", VALUES, shown
        )
        return None

    def replicas(self, resource: str, reference: object, path: str) -> int | None:
        """Return the number of replicas: 1 without a reference; None, with a finding, if it is unknown."""
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
        """Return the one place a reference leads to; None, with a finding, where it cannot be used."""
        values = self.demand.values
        if values is None:
            return None  # the values cannot be read, which is a finding of its own
        try:
            matches = values.find(KeyPath.parse(reference))
        except Refused as error:
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
            from krmkit.libraries.messages.listed import listed

            self.poolless.add((code, resource))
            self.add(
                code,
                resource,
                path,
                f"{self.label()} needs {amount(needed, resource, up=True)} of {NAMES[resource]} on a {what}, "
                f"and there is none among the pools: {listed([pool.name for pool in self.pools]) or 'no pool'}",
            )

    def label(self) -> str:
        return self.demand.label or "the pack"


_EXAMPLE = {CPU: "500m", MEMORY: "1Gi", DISK: "10G"}


def _whole(text: str) -> int | None:
    """Return a whole number of at least 0 in decimal form (`3`, `3.0`) that Kubernetes can hold."""
    if not is_decimal(text):
        return None
    try:
        nano = quantity.parse(text)
    except GoInputError:
        return None
    count, rest = divmod(nano, NANO)
    return count if not rest and count >= 0 else None
