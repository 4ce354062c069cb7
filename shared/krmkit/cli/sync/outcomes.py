"""What came of a sync, and what a status found, in all formats."""

from __future__ import annotations

from dataclasses import asdict

from krmkit.cli.report.model import PackageReport, Report, Result
from krmkit.cli.report.told import Told
from krmkit.cli.sync.syncvariant import SyncOutcome
from krmkit.cli.terminal import GREEN, RED, YELLOW, Table, Terminal


def told_sync(outcomes: list[SyncOutcome], terminal: Terminal, dry: bool, check: bool) -> Told:
    """What changed, failed or waits, a line each; the rest is a number."""
    table = Table(["VARIANT", "PACKAGE", "RESULT"])
    for outcome in outcomes:
        for text, colour in _lines(outcome):
            table.add([outcome.name, outcome.package, text], colour)
    failed = sum(bool(outcome.error) for outcome in outcomes)
    touched = sum(bool(outcome.actions) and not outcome.error for outcome in outcomes)
    stuck = sum(outcome.stuck for outcome in outcomes)
    rest = len(outcomes) - failed - touched - stuck
    done = " (nothing was written)" if dry else ""
    waiting = f", {stuck} left alone with conflicts" if stuck else ""
    closing = f"{touched} variants changed, {rest} unchanged{waiting}, {failed} failed{done}"
    report = _report("variants sync", outcomes, not dry, check)
    return Told(report, "Variants", _details(outcomes), table.text(terminal), closing)


def told_status(outcomes: list[SyncOutcome], terminal: Terminal) -> Told:
    """Every variant: its upstream, its draft, and what a sync would do."""
    table = Table(["VARIANT", "PACKAGE", "UPSTREAM", "NEWEST", "DRAFT", "A SYNC WOULD"])
    for one in outcomes:
        drift = one.error or "; ".join([*one.actions, *(f"conflict: {text}" for text in one.conflicts)])
        colour = RED if one.error else YELLOW if drift else GREEN
        cells = [one.name, one.package, one.upstream, one.newest, one.draft, drift or "change nothing"]
        table.add(cells, colour)
    report = _report("variants status", outcomes, False, False)
    return Told(report, "Variants", _details(outcomes), table.text(terminal))


def _lines(outcome: SyncOutcome) -> list[tuple[str, str]]:
    if outcome.error:
        return [(outcome.error, RED)]
    lines = [(action, GREEN) for action in outcome.actions]
    lines += [("left a draft with conflicts alone", YELLOW)] * outcome.stuck
    lines += [(f"conflict: {conflict}", YELLOW) for conflict in outcome.conflicts]
    lines += [(f"warning: {warning}", YELLOW) for warning in outcome.warnings if outcome.actions]
    return lines + [(f"waits for {gate}", YELLOW) for gate in outcome.gates if outcome.actions]


def _details(outcomes: list[SyncOutcome]) -> dict[str, object]:
    return {"variants": [asdict(outcome) for outcome in outcomes]}


def _report(command: str, outcomes: list[SyncOutcome], written: bool, check: bool) -> Report:
    """A package for each variant; with `check`, what a sync would do is an error."""
    report = Report(command, written=written)
    for outcome in outcomes:
        package = PackageReport(outcome.package or outcome.name)
        found = [("error", "failed", outcome.error)] if outcome.error else []
        found += [("error" if check else "info", "changed", text) for text in outcome.actions]
        found += [("warning", "conflict", text) for text in outcome.conflicts]
        found += [("warning", "warning", text) for text in outcome.warnings]
        found += [("info", "gate-open", f"waits for {text}") for text in outcome.gates]
        namespace, _, name = outcome.name.rpartition("/")
        variant = {"kind": "PackageVariant", "namespace": namespace, "name": name}
        package.results = [Result(level, rule, text, resource=variant) for level, rule, text in found]
        report.packages.append(package)
    return report
