"""Landscaper's records: names, references, schedules, executors, scenarios, and whole installations."""

from __future__ import annotations

from pathlib import Path

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.time import cron as cron_module
from krmkit.libraries.kube.timestamps import format_time, unix_seconds
from krmkit.systems.landscaper.apinames import object_name
from krmkit.systems.landscaper.blueprint.blueprints import Blueprint
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components.images import parse_oci_ref
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow import dependencies as flow
from krmkit.systems.landscaper.flow.subinstallations import validate
from krmkit.systems.landscaper.reconcile import decision as schedule
from tests.conformance.adapters.landscaper_real import installations, scenarios
from tests.conformance.adapters.landscaper_simulated import executors, rendered, simulated

Record = dict[str, object]
Verdict = tuple[bool, str]


def naming(record: Record, folder: Path) -> Verdict:
    """A context and a key, to an object's name."""
    got = object_name(str(record["context"]), str(record["name"]))
    return got == record["expect"], f"got {got}"


def ociref(record: Record, folder: Path) -> Verdict:
    """A reference, to repository and version."""
    try:
        got: object = list(parse_oci_ref(str(record["ref"])))
    except GoInputError as error:
        return str(record.get("expect_error", "")).endswith(str(error)), str(error)
    return got == record.get("expect"), f"got {got}"


def dependencies(record: Record, folder: Path) -> Verdict:
    """Templates, to who depends on whom, and an order."""
    templates = record["templates"]
    assert isinstance(templates, list)
    named = {template["name"]: template for template in templates}
    wanted = record.get("expect_error")
    try:
        if isinstance(wanted, dict) and wanted["class"] == "DuplicateExport":
            validate(
                [{**template, "blueprint": {"ref": "cd://"}} for template in templates],
                Blueprint({}, Files({}), [], []),
            )
        edges = flow.edges(named)
        order = flow.order(edges)
    except InstallationError as error:
        if not isinstance(wanted, dict):
            return False, error.message
        named_there = all(node in error.message for node in wanted.get("nodes", []))
        same = rule_of(wanted["class"]) == error.rule and wanted["message_contains"] in error.message
        return same and named_there, f"{error.rule}: {error.message}"
    if {name: set(others) for name, others in edges.items()} != {
        name: set(others)
        for name, others in dict(record["expect_edges"]).items()  # type: ignore[call-overload]
    }:
        return False, f"edges {edges}"
    if "expect_order" in record:
        return order == record["expect_order"], f"order {order}"
    pairs = record["order_constraints"]
    assert isinstance(pairs, list)
    return all(order.index(first) < order.index(second) for first, second in pairs), f"order {order}"


def reconcile(record: Record, folder: Path) -> Verdict:
    """An installation and a time, to a decision."""
    now = unix_seconds(str(record["now"]))
    installation = record["installation"]
    assert now is not None and isinstance(installation, dict)
    decision = schedule.plan(installation, now)
    got: Record = {"action": decision.action, "reason": decision.reason}
    if decision.annotations:
        got["setAnnotations"] = decision.annotations
    if decision.status:
        got["automaticReconcileStatus"] = decision.status.data()
    if decision.next_time is not None:
        got["nextReconcileTime"] = format_time(decision.next_time)
        got["requeueAfterSeconds"] = decision.next_time - now
    return got == record["expect"], f"got {got}"


def cron(record: Record, folder: Path) -> Verdict:
    """A cron expression and a time, to the next time."""
    start = unix_seconds(str(record["from"]))
    assert start is not None
    try:
        due = cron_module.parse(str(record["cron"])).next(start)
    except GoInputError as error:
        return str(error) == record.get("expect_error"), str(error)
    got = None if due is None else format_time(due)
    return got == record.get("expect_next"), f"got {got}"


def rule_of(name: str) -> str:
    """DataObjectNotFound -> data-object-not-found."""
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")


FILES = {
    "landscaper_naming.jsonl": naming,
    "landscaper_ociref.jsonl": ociref,
    "landscaper_dependencies.jsonl": dependencies,
    "landscaper_reconcile.jsonl": reconcile,
    "cron.jsonl": cron,
    "landscaper_exec.jsonl": executors,
    "landscaper_fixture_scenarios.jsonl": scenarios,
    "blueprint_real.jsonl": installations,
    "blueprint_real_simulator.jsonl": simulated,
    "landscaper_simulator.jsonl": simulated,
    "landscapercli_render.jsonl": rendered,
}
