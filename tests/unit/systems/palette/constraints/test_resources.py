"""krmkit.systems.palette.constraints.resources and pools: what packs ask of machine pools, and what those have."""

from __future__ import annotations

import pytest

from krmkit.systems.palette.constraints.demands import Demand, ResourceReport, amount
from krmkit.systems.palette.constraints.pools import MachinePool, read_pools
from krmkit.systems.palette.constraints.resources import PER_PACK, check, totals
from krmkit.systems.palette.errors import PackError
from krmkit.systems.palette.packs.values import PackValues

WORKERS: dict[str, object] = {"name": "w", "size": 2, "cpu": 2, "memoryMiB": 2048, "diskGB": 50}
CONTROL: dict[str, object] = {
    "name": "cp",
    "controlPlane": True,
    "size": 1,
    "cpu": 4,
    "memoryMiB": 4096,
    "diskGB": 50,
}


def run(
    resources: object,
    values: str = "",
    *pools: dict[str, object],
    aggregate: str = "sum",
    lowest: bool = False,
) -> ResourceReport:
    demand = Demand("app", resources, PackValues.parse(values))
    return check([demand], [MachinePool.of(pool) for pool in pools], aggregate, lowest)


def codes(report: ResourceReport) -> list[tuple[str, ...]]:
    return [(finding.rule, *finding.about) for finding in report.findings]


def component(
    request: object = "r", replicas: object = None, schedule: object = "worker"
) -> dict[str, object]:
    entry = {"resourceRequestParamRef": request, "replicaCountParamRef": replicas, "scheduleType": schedule}
    return {key: value for key, value in entry.items() if value is not None}


def cpu(*components: object) -> list[object]:
    return [{"type": "cpu", "minLimit": 1, "components": list(components)}]


@pytest.mark.parametrize(
    ("values", "replicas", "millicores"),
    [
        pytest.param("r: 500m", None, 500, id="milli"),
        pytest.param("r: 2", None, 2000, id="whole-cores"),
        pytest.param("r: '0.25'\nn: 3", "n", 750, id="fraction-times-replicas"),
        pytest.param("r: 100m\nn: 3.0", "n", 300, id="whole-float"),
        pytest.param("r: 100m\nn: '3'", "n", 300, id="quoted-number"),
        pytest.param("r: 100m\nn: 0", "n", 0, id="no-replicas"),
        pytest.param("x: {a.b: 100m}", None, 0, id="nothing-there"),
    ],
)
def test_components(values: str, replicas: str | None, millicores: int) -> None:
    """A component asks for request x replicas."""
    report = run(cpu(component(replicas=replicas)), values, WORKERS)

    assert report.total("w", "cpu") == millicores * 10**6


def test_keys_with_dots_in_references() -> None:
    """A reference is a key path with all its rights."""
    report = run(cpu(component("x.a.b")), "x: {a.b: 100m}", WORKERS)

    assert report.total("w", "cpu") == 100 * 10**6


@pytest.mark.parametrize(
    ("values", "component", "expected"),
    [
        pytest.param("x: 1", component(), ["param-missing"], id="request-absent"),
        pytest.param("r: ''", component(), ["param-missing"], id="request-empty"),
        pytest.param("r: lots", component(), ["bad-quantity"], id="request-is-no-quantity"),
        pytest.param("r: -1", component(), ["bad-quantity"], id="request-is-negative"),
        pytest.param("r: [1]", component(), ["bad-quantity"], id="request-is-a-list"),
        pytest.param("r: '{{ .spectro.var.r }}'", component(), ["deferred"], id="request-is-a-macro"),
        pytest.param("r: [1, 2]", component("r.$[]"), ["schema"], id="reference-to-several-values"),
        pytest.param("r: 1", component("'r"), ["param-missing"], id="reference-with-a-sign"),
        pytest.param("r: 1", component('"r'), ["schema"], id="reference-with-an-open-quote"),
        pytest.param("r: 1", component(replicas="n"), ["replicas-missing"], id="replicas-absent"),
        pytest.param("r: 1", component(replicas=" "), ["replicas-missing"], id="replicas-reference-empty"),
        pytest.param("r: 1\nn: 1.5", component(replicas="n"), ["bad-replicas"], id="half-a-replica"),
        pytest.param("r: 1\nn: -1", component(replicas="n"), ["bad-replicas"], id="negative-replicas"),
        pytest.param("r: 1\nn: 2k", component(replicas="n"), ["bad-replicas"], id="replicas-with-a-suffix"),
        pytest.param("r: 1\nn: true", component(replicas="n"), ["bad-replicas"], id="replicas-true"),
        pytest.param(
            "r: 1\nn: 1e999999999", component(replicas="n"), ["bad-replicas"], id="replicas-without-end"
        ),
        pytest.param(
            "r: 1\nn: x{{.spectro.var.n}}", component(replicas="n"), ["deferred"], id="replicas-macro"
        ),
        pytest.param(
            "x: 1", component(replicas="n"), ["param-missing", "replicas-missing"], id="both-missing"
        ),
        pytest.param("r: 1", component(schedule="nodes"), ["schema"], id="unknown-schedule"),
        pytest.param("r: 1", component(schedule=None), ["schema"], id="no-schedule"),
        pytest.param("r: 1", component(request=None), [], id="no-request"),
        pytest.param("r: 1", component(replicas=3), ["schema"], id="replicas-reference-is-a-number"),
        pytest.param("r: 1", "x", ["schema"], id="component-is-no-object"),
    ],
)
def test_component_findings(values: str, component: object, expected: list[str]) -> None:
    """What is wrong with a component is said, about the pack and the type."""
    assert codes(run(cpu(component), values, WORKERS)) == [(code, "app", "cpu") for code in expected]


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        pytest.param("x", [("schema", "app", "")], id="no-list"),
        pytest.param(["x"], [("schema", "app", "")], id="entry-is-no-object"),
        pytest.param([{"type": "CPU", "minLimit": 1}], [("schema", "app", "CPU")], id="type-in-capitals"),
        pytest.param([{"minLimit": 1}], [("schema", "app", "")], id="no-type"),
        pytest.param(
            [{"type": "cpu", "minLimit": "100m"}], [("schema", "app", "cpu")], id="limit-with-a-unit"
        ),
        pytest.param([{"type": "cpu", "minLimit": True}], [("schema", "app", "cpu")], id="limit-true"),
        pytest.param([{"type": "cpu", "minLimit": -1}], [("schema", "app", "cpu")], id="negative-limit"),
        pytest.param(
            [{"type": "cpu", "components": {}}], [("schema", "app", "cpu")], id="components-are-no-list"
        ),
        pytest.param([{"type": "cpu"}], [], id="no-limit"),
        pytest.param([{"type": "cpu", "minLimit": 4000, "components": []}], [], id="limit-that-fits"),
        pytest.param(
            [{"type": "cpu", "minLimit": 4000.5}], [("insufficient", "w", "cpu")], id="limit-with-a-fraction"
        ),
        pytest.param([{"type": "memory", "minLimit": 4097}], [("insufficient", "w", "memory")], id="memory"),
        pytest.param(
            [{"type": "diskSize", "minLimit": 101, "components": [component()]}],
            [("components-ignored", "app", "diskSize"), ("insufficient", "w", "diskSize")],
            id="disk-has-no-components",
        ),
    ],
)
def test_limits(resources: object, expected: list[tuple[str, ...]]) -> None:
    """minLimit is wanted of each worker pool, in the unit of its type."""
    assert codes(run(resources, "r: 1", WORKERS)) == expected


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [("worker", {"w"}), ("control-plane", {"cp"}), ("master", {"cp"}), ("all", {"w", "cp"})],
)
def test_schedules(schedule: str, expected: set[str]) -> None:
    """A component counts on the pools of its schedule."""
    assert set(run(cpu(component(schedule=schedule)), "r: 1m", WORKERS, CONTROL).required) == expected


def test_a_pool_with_both_roles_counts_all_once() -> None:
    """`all` asks a control plane that works as worker once, the two roles each for their own."""
    both = {**CONTROL, "useControlPlaneAsWorker": True}
    parts = [component(schedule=name) for name in ("all", "worker", "control-plane")]

    assert run(cpu(*parts), "r: 100m", both).total("cp", "cpu") == 300 * 10**6


@pytest.mark.parametrize(
    ("schedule", "pools", "expected"),
    [
        ("worker", [CONTROL], ["no-worker-pool"]),
        ("master", [WORKERS], ["no-control-plane-pool"]),
        ("all", [], ["no-worker-pool"]),
        ("all", [CONTROL], []),
    ],
)
def test_no_pool_to_run_on(schedule: str, pools: list[dict[str, object]], expected: list[str]) -> None:
    """A demand that no pool can take is an error, said once for each type."""
    report = run(cpu(component(schedule=schedule), component(schedule=schedule)), "r: 1m", *pools)

    assert codes(report) == [(code, "app", "cpu") for code in expected]


def test_a_word_that_palette_does_not_have() -> None:
    """An older page of Palette had control-plane for master; it counts, with a warning."""
    (finding,) = run(cpu(component(schedule="control-plane")), "r: 1m", CONTROL).findings

    assert (finding.rule, finding.severity) == ("unknown-schedule", "warning")


def test_packs_add_up_unless_each_is_asked_alone() -> None:
    """All packs together must fit; with perPack, each one alone."""
    demands = [Demand(name, [{"type": "cpu", "minLimit": 3000}], None) for name in ("a", "b")]
    pools = [MachinePool.of(WORKERS)]

    (finding,) = check(demands, pools).findings
    assert finding.message.startswith(
        "the pool w has 4000m of cpu, and the packs need 6000m (a 3000m, b 3000m)"
    )
    assert check(demands, pools, PER_PACK).findings == []


def test_minimum_size() -> None:
    """With autoscaling, the smallest size may be what counts."""
    pool = {**WORKERS, "minSize": 1}
    resources = [{"type": "cpu", "minLimit": 3000}]

    assert codes(run(resources, "", pool)) == []
    assert codes(run(resources, "", pool, lowest=True)) == [("insufficient", "w", "cpu")]


def test_instance_types() -> None:
    """A node's capacity comes from the table, what the pool says itself goes before."""
    table: dict[str, object] = {"m1": {"cpu": 8, "memoryMiB": 1024}}
    pool = MachinePool.of({"name": "w", "size": 1, "instanceType": "m1", "cpu": 2}, table)

    assert (pool.capacity("cpu"), pool.capacity("memory")) == (2 * 10**9, 2**30 * 10**9)


@pytest.mark.parametrize(
    "pool",
    [{"name": "w", "size": 1, "instanceType": "m9"}, {"name": "w", "size": 1}, {"name": "w", "cpu": 4}],
)
def test_unknown_capacity_is_no_pass(pool: dict[str, object]) -> None:
    """What a pool has must be known before something is said to fit."""
    assert codes(run([{"type": "cpu", "minLimit": 1}], "", pool)) == [("capacity-unknown", "w", "cpu")]


def test_gibibytes_of_disk() -> None:
    """diskGiB is converted exactly; both fields at once are an error."""
    pool = MachinePool.of({"name": "w", "size": 1, "diskGiB": 50})

    assert amount(pool.capacity("diskSize") or 0, "diskSize") == "53.687GB"
    with pytest.raises(PackError, match="both"):
        MachinePool.of({"name": "w", "size": 1, "diskGiB": 50, "diskGB": 50})


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([WORKERS, WORKERS], "two pools have the name w"),
        ([{**WORKERS, "cpu": "4"}], "must be a number"),
        ([{**WORKERS, "cpu": -1}], "at least 0"),
        ([{**WORKERS, "cpu": float("nan")}], "at least 0"),
        ([{**WORKERS, "size": 1.5}], "whole number"),
    ],
)
def test_pools_that_cannot_be_read(entries: list[dict[str, object]], message: str) -> None:
    """A wrong pool is an error that names the field."""
    with pytest.raises(PackError, match=message):
        read_pools(entries)


def test_secret_values_are_not_told() -> None:
    """A reference to a password's value does not bring it into a message."""
    values = PackValues.parse("r: hunter2\nn: hunter3")
    root = values.finder.root
    assert root is not None
    values.secret.update(id(node) for node in (entry.value for entry in root.entries))  # type: ignore[attr-defined]
    report = check([Demand("app", cpu(component(replicas="n")), values)], [MachinePool.of(WORKERS)])

    assert len(report.findings) == 2
    assert not any("hunter" in f"{finding.message}{finding.current}" for finding in report.findings)


def test_totals() -> None:
    """Each pool says what is required of it and what it has."""
    pools = [MachinePool.of(WORKERS), MachinePool.of({"name": "x", "size": 1})]
    report = check([Demand("app", [{"type": "memory", "minLimit": 100}], None)], pools)

    assert [finding.message for finding in totals(report, pools)] == [
        "the pool w: cpu 0m required, 4000m available; memory 100Mi required, 4096Mi available; "
        "disk 0GB required, 100GB available",
        "the pool x: cpu 0m required, unknown available; memory 100Mi required, unknown available; "
        "disk 0GB required, unknown available",
    ]
