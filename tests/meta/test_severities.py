"""Severity is stated in function.yaml and read from there: engines name one only for a rule that has several."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from krmkit.fn import loader
from krmkit.fn.definition import FunctionDefinition
from krmkit.fn.rules import COMMANDS, COMMON, own_rules, rules_of
from krmkit.fn.run import RunOptions, run
from krmkit.fn.testing import examples
from krmkit.krm.severities import SEVERITIES
from tests.meta.pages import ROOT
from tools import severities
from tools.definitions import Definition, definitions

WORDS = {"ERROR": "error", "WARNING": "warning", "INFO": "info", "EXPLAIN": "info"}
# Results of commands, and lines about an extension: no findings of engines. What they name is compared.
REPORTS = ("Result", "placed", "add")
BOTH = ("generated",)  # an info, and with --explain more of them


def stated() -> dict[str, set[str]]:
    """Return the severities of each rule, over all functions that have it and the commands."""
    found: dict[str, set[str]] = {}
    groups = [own_rules(COMMON), own_rules(COMMANDS)]
    for rules in (*groups, *(rules_of(loader.load(name).definition) for name in loader.names())):
        for name, rule in rules.items():
            found.setdefault(name, set()).update((rule.level,) if rule.when else rule.severities)
    return found


def _severity(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and node.value in WORDS.values():
        return str(node.value)
    return WORDS.get(node.id, "") if isinstance(node, ast.Name) else ""


def given(path: Path, rules: set[str]) -> Iterator[tuple[str, str, str, int]]:
    """Yield the calls of a file that name a rule and a severity in so many words: name, rule, severity, line."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        arguments = [*node.args, *(one.value for one in node.keywords if one.arg in ("rule", "severity"))]
        named = [one.value for one in arguments if isinstance(one, ast.Constant) and one.value in rules]
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        for severity in filter(None, map(_severity, arguments if named else ())):
            if severity not in named[:1]:
                yield name, str(named[0]), severity, node.lineno


def test_engines_name_no_severity() -> None:
    """Only for a rule that has several: the unusual one, or an explanation."""
    rules = stated()
    wrong, reports = [], 0
    for path in sorted((ROOT / "shared/krmkit").rglob("*.py")):
        for name, rule, severity, line in given(path, set(rules)):
            is_report = name in REPORTS
            reports += is_report
            words = {word for level in rules[rule] for word in level.split(",")[:1]}
            if severity not in words or (len(rules[rule]) == 1 and not is_report and rule not in BOTH):
                wrong.append(
                    f"{path.relative_to(ROOT)}:{line}: {rule} is {severity}, and {rules[rule]} is stated"
                )
    assert wrong == []
    assert reports > 10


MADE_BY = ("Finding", "finding", "pack_finding", "preset_finding", "refused", "MacroError")


def test_every_rule_is_stated() -> None:
    """A rule that an engine names has a severity and an explanation in function.yaml or rules.yaml."""
    rules, unknown, count = stated(), [], 0
    for path in sorted((ROOT / "shared/krmkit").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            if getattr(node.func, "attr", getattr(node.func, "id", "")) in MADE_BY:
                count += 1
                if node.args[0].value not in rules:
                    unknown.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.args[0].value!r}")
    assert unknown == []
    assert count > 250


@pytest.mark.parametrize("severity", ["error", "warning", "info"])
def test_a_change_of_function_yaml_changes_the_output(severity: str) -> None:
    """What is stated for a rule is what its results say, and decides whether the run fails."""
    function = loader.load("apply-setters")
    [example] = [one for one in examples(Path(function.folder)) if one.folder.name == "values"]
    data = FunctionDefinition.read(function.folder)
    data["rules"]["setters"] = f"{severity}: another meaning"

    outcome = run(
        FunctionDefinition(data, function.folder), function.process, example.render_list(), RunOptions()
    )

    assert {one.severity for one in outcome.results if one.rule == "setters"} == {severity}
    assert outcome.exit_code == (severity == "error")


def test_engines_read_what_is_generated() -> None:
    """A finding that no function makes has what function.yaml states, or the most severe of several."""
    functions = definitions(ROOT)
    assert severities.stated(functions).items() >= SEVERITIES.items()
    for function in functions:
        function.rules["unknown-field"] = ("info", "x")
    assert severities.stated([_with(functions[0], "unread-field", "info")])["unread-field"] == "info"


def _with(function: Definition, rule: str, level: str) -> Definition:
    function.rules = {rule: (level, "x")}
    return function
