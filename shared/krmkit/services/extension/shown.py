"""The result of checking a runtime extension, as a table and as JSON."""

from __future__ import annotations

from krmkit.services.extension.contract import CALLERS
from krmkit.services.extension.contractreport import VIOLATION, ContractReport
from krmkit.views.formats import json_of
from krmkit.views.terminal import RED, YELLOW, Table, Terminal


def table(report: ContractReport, terminal: Terminal) -> str:
    """Return the outcome as text: findings, times, and a last line with the counts."""
    findings = Table(["", "HANDLER", "RULE", "WHAT"])
    for finding in report.findings:
        findings.add([*finding], RED if finding[0] == VIOLATION else YELLOW)
    times = Table(["HANDLER", "CALLS", "P50 ms", "P99 ms", f"({CALLERS} callers at a time)"])
    for name, calls, middle, worst in report.times:
        times.add([name, str(calls), f"{middle * 1000:.1f}", f"{worst * 1000:.1f}", ""])
    warnings = len(report.findings) - report.violations
    counts = f"{report.handlers} handlers, {report.calls} calls: {report.violations} violations, {warnings} warnings\n"
    return "\n".join(part for part in (findings.text(terminal), times.text(terminal), counts) if part)


def as_json(report: ContractReport) -> str:
    """Return the outcome as JSON: violations, calls, findings, and the seconds of each handler."""
    keys = ("severity", "handler", "rule", "message")
    return json_of(
        "ExtensionCheck",
        violations=report.violations,
        calls=report.calls,
        findings=[dict(zip(keys, one, strict=True)) for one in report.findings],
        seconds=[
            {"handler": name, "calls": calls, "p50": p50, "p99": p99}
            for name, calls, p50, p99 in report.times
        ],
    )
