"""Show a report in GitLab's Code Quality format: a JSON list of issues, shown in the merge request.

(https://docs.gitlab.com/ci/testing/code_quality/: description, check_name, fingerprint, severity,
location.path, location.lines.begin)
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from krmkit.render.findings.model import Report, Result

_SEVERITIES = {"error": "major", "warning": "minor"}
_FAILED = "function-failed"


def text(report: Report) -> str:
    """Return the findings of all packages. A finding's fingerprint does not depend on the lines above it."""
    issues: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    for package in report.packages:
        nothing = package.path.rstrip("/") + "/Kptfile"
        for result in report.findings_of(package):
            issues.append(_issue(result, nothing, seen))
        if package.failure and not any(result.severity == "error" for result in package.results):
            from krmkit.render.findings.model import Result

            issues.append(_issue(Result("error", _FAILED, package.failure), nothing, seen))
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"


def fingerprint(path: str, result: Result, seen: dict[str, int]) -> str:
    """Return an identity of a finding that survives edits of the lines above; `seen` counts equal ones."""
    words = "\0".join((path, result.rule, result.subject, result.message))
    again = seen[words] = seen.get(words, 0) + 1
    return sha256(f"{words}\0{again}".encode()).hexdigest()


def _issue(result: Result, nothing: str, seen: dict[str, int]) -> dict[str, Any]:
    """Return one issue. GitLab requires a path, so a finding without a place gets the package's Kptfile."""
    subject = f"{result.subject}: " if result.subject else ""
    path = (result.path or nothing).removeprefix("./")
    return {
        "description": subject + result.message,
        "check_name": result.rule or "krmkit",
        "fingerprint": fingerprint(path, result, seen),
        "severity": _SEVERITIES.get(result.severity, "info"),
        "location": {"path": path, "lines": {"begin": result.line or 1}},
    }
