"""Severity is stated in function.yaml: what an engine gives a rule is what is stated there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from krmkit.fn import loader
from krmkit.fn.rules import COMMANDS, COMMON, own_rules, rules_of
from tests.meta.pages import ROOT

WORDS = {"ERROR": "error", "WARNING": "warning", "INFO": "info", "EXPLAIN": "info", "REFUSED": "error"}
# Calls whose name is the severity.
NAMED = {"error": "error", "warning": "warning", "info": "info", "refused": "error", "explained": "info"}


def stated() -> dict[str, set[str]]:
    """Return the severities of each rule, over all functions that have it and the commands."""
    found: dict[str, set[str]] = {}
    groups = [own_rules(COMMON), own_rules(COMMANDS)]
    for rules in (*groups, *(rules_of(loader.load(name).definition) for name in loader.names())):
        for name, rule in rules.items():
            found.setdefault(name, set()).update(rule.severities)
    return found


def _severity(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and node.value in WORDS.values():
        return str(node.value)
    return WORDS.get(node.id, "") if isinstance(node, ast.Name) else ""


def given(path: Path, rules: set[str]) -> Iterator[tuple[str, str, int]]:
    """Yield the rules that calls of a file name in so many words, each with its severity and line."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        arguments = [*node.args, *(one.value for one in node.keywords if one.arg in ("rule", "severity"))]
        named = [one.value for one in arguments if isinstance(one, ast.Constant) and one.value in rules]
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        severities = [word for one in arguments if (word := _severity(one))] or [NAMED.get(name, "")]
        if named and severities[0]:
            yield str(named[0]), severities[0], node.lineno


def test_engines_give_the_severity_that_is_stated() -> None:
    """A severity that is changed in an engine alone is found here."""
    rules = stated()
    wrong, count = [], 0
    for path in sorted((ROOT / "shared/krmkit").rglob("*.py")):
        for rule, severity, line in given(path, set(rules)):
            count += 1
            if severity not in rules[rule]:
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {rule} is {severity}, not {rules[rule]}")
    assert wrong == []
    assert count > 150


def test_a_change_in_an_engine_is_found(tmp_path: Path) -> None:
    """The search reads the ways in which engines name a severity."""
    file = tmp_path / "engine.py"
    file.write_text(
        'Finding("unknown-preset", "m", WARNING)\nresults.info("no-set", "m")\nResult("error", "order", "m")\n'
        'self.add("missing", 1, severity=INFO)\nrefused("unset", "m")\nother("unset")\n'
    )
    assert list(given(file, set(stated()))) == [
        ("unknown-preset", "warning", 1), ("no-set", "info", 2), ("order", "error", 3), ("missing", "info", 4), ("unset", "error", 5),
    ]  # fmt: skip
