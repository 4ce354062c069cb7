"""Control structures: what they select, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.spiff import Options, SpiffError, merge

CASES: dict[str, tuple[str, Any]] = {
    "if": ("a: {<<if: (( 1 == 1 )), <<then: x, <<else: z}", "x"),
    "else": ("a: {<<if: ~, <<then: x, <<else: z}", "z"),
    "switch": ("a: {<<switch: k, k: 1, <<default: 2}", 1),
    "switch to the default": ("a: {<<switch: q, k: 1, <<default: 2}", 2),
    "cases": ("a:\n  <<switch: (( 5 ))\n  <<cases:\n  - {case: 4, value: x}\n  - {match: (( |v|->v > 4 )), value: z}\n", "z"),
    "type": ("a: {<<type: '(( [] ))', list: 1, <<default: 2}", 1),
    "for": ("a: {<<for: {x: [1, 2], i: [3, 4]}, <<do: (( i * 10 + x ))}", [31, 32, 41, 42]),
    "for over a map": ("a: {<<for: {'k,v': {p: 1, q: 2}}, <<mapkey: (( k )), <<do: (( v ))}", {"p": 1, "q": 2}),
    "for with variables in order": ("a: {<<for: [{name: x, values: [1]}, {name: i, values: [2, 3], index: j}], <<do: (( x i j ))}", ["120", "131"]),
    "merge": ("a: {<<merge: [{b: 2}, {c: 3}], b: 1, d: 4}", {"b": 2, "c": 3, "d": 4}),
    "in a list": ("a: [1, {<<if: true, <<then: [2, 3]}, {<<if: false, <<then: 9}]", [1, 2, 3]),
}  # fmt: skip
WRONG = {
    "unknown": ("a: {<<wenn: 1}", 'unknown control or control option "<<wenn"'),
    "two": ("a: {<<if: true, <<switch: x}", 'multiple controls "<<if" and "<<switch"'),
    "foreign option": ("a: {<<if: true, <<default: x}", 'invalid option "default" for control "if"'),
    "fields of an if": ("a: {<<if: true, b: 1}", "no regular fields allowed in if control"),
    "a condition that is no bool": ("a: {<<if: text}", "invalid condition value type: string"),
    "no case": ("a: {<<switch: q, k: 1}", 'invalid switch value: "q"'),
    "nothing to do": ("a: {<<for: {x: [1]}}", "do fields required in for control"),
    "a loop over a number": ("a: {<<for: {x: 1}, <<do: 1}", 'control variable "x" requires list or map value but got int'),
    "an error in the body": ("a: {<<for: {x: [1]}, <<do: (( x / 0 ))}", "error evaluationg for body"),
    "a merge of a number": ("a: {<<merge: 5}", "invalid value type: int"),
}  # fmt: skip


@pytest.mark.parametrize(("template", "value"), CASES.values(), ids=CASES.keys())
def test_selected(template: str, value: Any) -> None:
    """A structure stands for what it selects."""
    assert merge(template, [], Options(features=["control"])).documents == [{"a": value}]


@pytest.mark.parametrize(("template", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong(template: str, message: str) -> None:
    """A structure that is not well-formed is an error, once."""
    with pytest.raises(SpiffError) as error:
        merge(template, [], Options(features=["control"]))

    assert error.value.message.count(message) == 1


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ("a: {<<for: {x: [1]}, <<do: (( x / 0 ))}", "<map>"),
        ("a: {<<for: {x: [1]}}", "<for control>"),
        ("a: {<<wenn: 1}", "<control>"),
    ],
)
def test_shown(template: str, shown: str) -> None:
    """An error names the control, one in the body of a loop the map."""
    with pytest.raises(SpiffError) as error:
        merge(template, [], Options(features=["control"]))

    assert error.value.message.split("\n")[1].startswith(f"\t{shown}\tin template\ta\t")


def test_off_by_default() -> None:
    """Without the feature such keys are data."""
    assert merge("a: {<<if: true, b: 1}").documents == [{"a": {"<<if": True, "b": 1}}]


def test_only_the_selected_branch_counts() -> None:
    """An error in a branch that is not selected is none."""
    template = "a: {<<if: true, <<then: 1, <<else: (( 1 / 0 ))}"

    assert merge(template, [], Options(features=["control"])).documents == [{"a": 1}]
