"""Show a report as JUnit XML: a suite for each package, a case for each function of its pipeline."""

from __future__ import annotations

import re

from krmkit.render.findings.model import PackageReport, Report, Result
from krmkit.views.formats import line
from krmkit.views.terminal import Terminal

# Characters that XML 1.0 cannot represent.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(report: Report) -> str:
    """Return the report as one <testsuites>."""
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="krmkit ',
        _text(report.command),
        '">\n',
    ]
    for package in report.packages:
        parts += _suite(package, report.findings_of(package))
    return "".join([*parts, "</testsuites>\n"])


def _suite(package: PackageReport, results: list[Result]) -> list[str]:
    by_function: dict[str, list[Result]] = {}
    times: dict[str, float] = {}
    for step in package.steps:
        times[step.name] = times.get(step.name, 0.0) + step.seconds
    for result in results:
        by_function.setdefault(result.function if result.function in times else "krmkit", []).append(result)
    cases = []
    failures = 0
    for name in dict.fromkeys([*times, *by_function]):
        own = by_function.get(name, [])
        failures += any(result.severity == "error" for result in own)
        cases += _case(package.path, name, times.get(name, 0.0), own)
    if package.failure and not failures:
        failures = 1
        said = _text(package.failure)
        cases.append(
            f'    <testcase classname="{_text(package.path)}" name="render" time="0.000">\n'
            f'      <failure message="{said}"/>\n    </testcase>\n'
        )
    tests = sum(case.startswith("    <testcase") for case in cases)
    head = f'  <testsuite name="{_text(package.path)}" tests="{tests}" failures="{failures}" errors="0"'
    return [f'{head} time="{sum(times.values()):.3f}">\n', *cases, "  </testsuite>\n"]


def _case(suite: str, name: str, seconds: float, results: list[Result]) -> list[str]:
    from io import StringIO

    plain = Terminal(StringIO(), "never")
    parts = [f'    <testcase classname="{_text(suite)}" name="{_text(name)}" time="{seconds:.3f}">\n']
    errors = [result for result in results if result.severity == "error"]
    if errors:
        lines = "\n".join(line(result, plain) for result in errors)
        parts.append(
            f'      <failure message="{_text(errors[0].message)}" type="{_text(errors[0].rule)}">{_text(lines)}</failure>\n'
        )
    others = [line(result, plain) for result in results if result.severity != "error"]
    if others:
        parts.append(f"      <system-out>{_text(chr(10).join(others))}</system-out>\n")
    return [*parts, "    </testcase>\n"]


def _text(value: str) -> str:
    from xml.sax.saxutils import escape

    return escape(_UNWRITABLE.sub("\ufffd", value), {'"': "&quot;", "\n": "&#10;"})
