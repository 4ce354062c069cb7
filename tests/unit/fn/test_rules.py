"""The explanations of rules: complete, readable, and found by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.fn import loader
from krmkit.fn.rules import COMMANDS, COMMON, ExplainedRule, explained, own_rules, rules_of
from krmkit.libraries.yaml.document import parse_all

RULES: list[ExplainedRule] = [
    *(rule for name in loader.names() for rule in rules_of(loader.load(name).definition).values()),
    *own_rules(COMMON).values(),
    *own_rules(COMMANDS).values(),
]
NAMES = ("kpt", "krmkit ", "name ", "schema.yaml ", "v1beta")  # words that begin a sentence as they are
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.owner}/{rule.name}")


@each_rule
def test_it_is_explained(rule: ExplainedRule) -> None:
    """Each rule says why it is there and how to mend; an error or a warning has an example of both kinds."""
    assert {"error", "warning", "info"}.issuperset(rule.severities)
    assert rule.meaning and rule.why and rule.mend
    if rule.severities != ("info",):
        assert rule.wrong and rule.right
    for text in (rule.why, rule.mend):
        assert text[0].isupper() or text.startswith(NAMES)
        assert text.endswith(".")
        assert len(text) < 240


@each_rule
def test_the_right_example_is_yaml(rule: ExplainedRule) -> None:
    """It can be read, and differs from the wrong one, unless words above it make the difference."""
    assert list(parse_all(rule.right)) or rule.severities == ("info",)
    assert rule.wrong != rule.right or rule.name == "internal-error" or not rule.wrong


def test_no_explanation_is_left_over() -> None:
    """Each entry of a rules.yaml is a rule of its function."""
    for name in loader.names():
        definition = loader.load(name).definition
        with open(f"{definition.folder}/rules.yaml", encoding="utf-8") as file:
            found = {line.partition(":")[0] for line in file if line[:1].isalpha()}
        assert found == set(rules_of(definition)), name


def written(project: Path) -> Iterator[str]:
    """Yield the rules that commands give their results, as far as they are words in the code."""
    for path in sorted((project / "shared/krmkit").rglob("*.py")):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "Result(" in text else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Result" and len(node.args) > 1:
                rule = node.args[1]
                if isinstance(rule, ast.Constant) and rule.value:
                    yield str(rule.value)


def test_every_rule_of_a_command_is_explained(project: Path) -> None:
    """Results that no function gives have rules, too."""
    found = set(written(project))
    assert len(found) > 10
    assert (
        found
        - set(own_rules(COMMANDS))
        - {rule.name for rule in RULES if rule.owner not in (COMMON, COMMANDS)}
        == set()
    )


def said(capsys: pytest.CaptureFixture[str], name: str) -> str:
    assert main(["explain", name]) == 0
    return capsys.readouterr().out


@each_rule
def test_its_text(rule: ExplainedRule) -> None:
    """It names the functions, and is at most 80 columns wide but for examples."""
    out = explained([rule])
    assert out.startswith(f"{rule.name}  {rule.severity}")
    assert rule.wrong.split("\n")[0] in out
    words = " ".join(out.split())
    assert rule.why in words and rule.mend in words
    examples = {f"  {line}" for text in (rule.wrong, rule.right) for line in text.split("\n")}
    assert [line for line in out.split("\n") if len(line) > 80 and line not in examples] == []


def test_rules_that_say_the_same_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    """The functions are listed; FUNCTION/RULE is about one function."""
    out = said(capsys, "unknown-export")
    assert out.count("unknown-export  info") == 1
    assert out.startswith("unknown-export  ")
    assert "of render-installation, validate-installation\n" in out
    assert said(capsys, "schema").count("\nWrong:\n") == 3
    assert said(capsys, "kubeval/schema").count("\nWrong:\n") == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("unknown-pressed", 'there is no rule "unknown-pressed"; did you mean "unknown-preset"?'),
        ("kubeval/shema", 'there is no rule "shema"; did you mean "schema"?'),
        ("kubeva/schema", 'there is no function "kubeva"; did you mean "kubeval"?'),
    ],
)
def test_a_slip(name: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest name is proposed."""
    assert main(["explain", name]) == 1
    assert expected in capsys.readouterr().err
