"""Show a report as SARIF 2.1.0 (OASIS), for code scanning services and editors."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from krmkit import __version__
from krmkit.render.findings.model import Fix, Report, Result
from krmkit.views.gitlab import fingerprint
from krmkit.views.ruletexts import RuleText

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning"}


def text(report: Report) -> str:
    """Return the report as one SARIF log with one run."""
    rules: dict[str, int] = {}
    findings = report.findings
    seen: dict[str, int] = {}
    results = [
        {**_result(one, rules), "partialFingerprints": {"finding/v1": fingerprint(one.path, one, seen)}}
        for one in findings
    ]
    functions: dict[str, str] = {}  # the first function of each rule
    for result in findings:
        functions.setdefault(result.rule, result.function)
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "krmkit",
                "version": __version__,
                "rules": [_rule(rule, functions[rule]) for rule in rules],
            }
        },
        "invocations": [
            {
                "executionSuccessful": report.exit_code() != 1,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": f"{package.path}: {package.failure}"}}
                    for package in report.packages
                    if package.failure
                ],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: str, function: str) -> dict[str, Any]:
    """Return the description of a rule, which services show beside its results."""
    said = RuleText(rule, function)
    data: dict[str, Any] = {
        "id": rule,
        "shortDescription": {"text": said.short},
        "fullDescription": {"text": said.full},
        "help": {"text": said.help},
    }
    if said.level:
        data["defaultConfiguration"] = {"level": _LEVELS.get(said.level, "note")}
    return data


def _result(result: Result, rules: dict[str, int]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "level": _LEVELS.get(result.severity, "note"),
        "message": {"text": result.message},
    }
    if result.rule:
        data["ruleId"] = result.rule
        data["ruleIndex"] = rules.setdefault(result.rule, len(rules))
    location: dict[str, Any] = {}
    if result.path:
        physical = _physical(result.path, result.line, result.column)
        if result.line and result.end_column > result.column:
            physical["region"]["endColumn"] = result.end_column
        location["physicalLocation"] = physical
    if result.subject:
        location["logicalLocations"] = [{"fullyQualifiedName": result.subject}]
    if location:
        data["locations"] = [location]
    if result.related:
        data["relatedLocations"] = [
            {"physicalLocation": _physical(one.path, one.line, one.column), "message": {"text": one.message}}
            for one in result.related
        ]
    if result.fix is not None:
        data["fixes"] = [_fix(result.fix)]
    return data


def _physical(path: str, line: int, column: int) -> dict[str, Any]:
    region = {"region": {"startLine": line, "startColumn": column or 1}} if line else {}
    return {"artifactLocation": {"uri": _uri(path)}, **region}


def _fix(fix: Fix) -> dict[str, Any]:
    said = "Write the nearest name." if fix.safe else "Write the nearest name, if it is meant."
    changes = [
        {
            "artifactLocation": {"uri": _uri(edit.path)},
            "replacements": [
                {
                    "deletedRegion": {
                        "startLine": edit.line,
                        "startColumn": edit.column,
                        "endLine": edit.end_line,
                        "endColumn": edit.end_column,
                    },
                    "insertedContent": {"text": edit.text},
                }
            ],
        }
        for edit in fix.edits
    ]
    return {"description": {"text": said}, "artifactChanges": changes}


def _uri(path: str) -> str:
    return ("file://" if path.startswith("/") else "") + quote(path)
