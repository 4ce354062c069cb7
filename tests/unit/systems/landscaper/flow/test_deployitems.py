"""krmkit.systems.landscaper.flow.deployitems: what the deploy executors give is checked, and becomes DeployItem objects."""

from __future__ import annotations

import pytest

from krmkit.libraries.json import Object
from tests.unit.systems.landscaper.worlds import installation, made, messages, one, target

IMPORTS = (
    "imports:\n- {name: single, targetType: kubernetes-cluster}\n"
    "- {name: all, type: targetList, targetType: kubernetes-cluster}\n"
    "- {name: by, type: targetMap, targetType: landscaper.gardener.cloud/kubernetes-cluster}\n"
)
TARGETS: Object = {
    "targets": [
        {"name": "single", "target": "east"},
        {"name": "all", "targets": ["east", "west"]},
        {"name": "by", "targetMap": {"blue": "west"}},
    ]
}


def body(*items: str) -> str:
    """A blueprint that makes these deploy items."""
    listed = "".join(f"    - {item}\n" for item in items)
    return f"{IMPORTS}deployExecutions:\n- name: d\n  type: GoTemplate\n  template: |\n    deployItems:\n{listed}"


def rendered(*items: str) -> tuple[list[Object], list[str]]:
    """The DeployItem objects of an installation, and the messages of its errors."""
    found = one(installation("root", body(*items), imports=TARGETS), target("east"), target("west"))
    return [item for item in made(found) if item["kind"] == "DeployItem"], messages(found)


PLACE = "error validating deploy items: deployExecutions"


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (["{type: t}"], f"{PLACE}[0].name: Required value: name must not be empty"),
        (["{name: a}"], f"{PLACE}[0](a).type: Required value: type must not be empty"),
        (["{name: a, type: t}", "{name: a, type: t}"], f'{PLACE}[1](a): Duplicate value: "a"'),
        (
            ["{name: a, type: t, labels: {team: 'no such value'}}"],
            f"{PLACE}[0](a).labels: Invalid value: the value of label team is not a label value",
        ),
        (
            ["{name: a, type: t, labels: {team: 5}}"],
            f"{PLACE}[0](a).labels: Invalid value: the value of label team is not a label value",
        ),
        (
            ["{name: store, type: t}", "{name: web, type: t, dependsOn: [stor]}"],
            f'{PLACE}[1].dependsOn: no deploy item has the name "stor"; did you mean "store"?',
        ),
        (
            ["{name: a, type: t, dependsOn: [b]}", "{name: b, type: t, dependsOn: [a]}"],
            "the deploy items have a cycle: a -{depends_on}-> b -{depends_on}-> a",
        ),
        (
            ["{name: a, type: t, timeout: soon}"],
            'invalid deployitem specification "a": time: invalid duration "soon"',
        ),
    ],
    ids=["no name", "no type", "a name twice", "a label", "a number as label", "no such item", "a cycle", "a timeout"],
)  # fmt: skip
def test_what_is_wrong_with_a_list(items: list[str], message: str) -> None:
    """A wrong list of deploy items is an error in the words of the controller, and makes no object."""
    assert rendered(*items) == ([], [message])


def test_everything_that_is_wrong_is_said_at_once() -> None:
    """Several faults are one error with all of them."""
    _, (message,) = rendered("{name: a}", "{name: b}")

    assert message.count("type must not be empty") == 2
    assert message.startswith("error validating deploy items: [deployExecutions[0]")


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("{import: single}", "east"),
        ("{import: all, index: 0}", "east"),
        ("{import: all, index: 1}", "west"),
        ("{import: by, key: blue}", "west"),
        ("{import: all, index: 1, key: blue}", "west"),
        ("{name: elsewhere, namespace: other}", "elsewhere"),
    ],
    ids=["an import", "by index 0", "by index", "by key", "the index is taken before the key", "a literal name"],
)  # fmt: skip
def test_targets(reference: str, name: str) -> None:
    """A deploy item runs on an imported target, or on one of the installation's namespace by its literal name."""
    (item,), errors = rendered(f"{{name: a, type: t, target: {reference}}}")

    assert errors == []
    assert item["spec"]["target"] == {"name": name, "namespace": "default"}
    assert item["metadata"]["annotations"]["landscaper.gardener.cloud/deployer-target-name"] == name


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("{}", "empty target reference"),
        ("{import: sngle}", 'target import "sngle" not found; did you mean "single"?'),
        ("{import: al, index: 0}", 'targetlist import "al" not found; did you mean "all"?'),
        ("{import: all, index: 2}", "index 2 out of bounds"),
        ("{import: all, index: -1}", "index -1 out of bounds"),
        ("{import: all, index: true}", "index True out of bounds"),
        ("{import: bye, key: blue}", 'targetmap import "bye" not found; did you mean "by"?'),
        ("{import: by, key: blu}", 'key "blu" not found in targetmap import "by"; did you mean "blue"?'),
    ],
)
def test_targets_that_are_not_there(reference: str, problem: str) -> None:
    """A reference that leads nowhere names what is there."""
    _, found = rendered(f"{{name: a, type: t, target: {reference}}}")

    assert [message.partition("; known")[0] for message in found] == [
        f'invalid deployitem specification "a": {problem}'
    ]


@pytest.mark.parametrize(
    ("reference", "word"), [("{import: sngle}", "sngle"), ("{import: al, index: 0}", ""), ("{}", "")]
)
def test_the_word_of_a_target_that_is_not_there(reference: str, word: str) -> None:
    """By it the line of the template is found; a list may have its name in many places."""
    item = f"{{name: a, type: t, target: {reference}}}"
    found = one(installation("root", body(item), imports=TARGETS), target("east"), target("west"))

    assert [error.word for error in found.errors] == [word]


def test_the_object() -> None:
    """All that an executor gives stands in the object; durations as Go writes them, and the names of what it waits for."""
    options = "timeout: 10m, updateOnChangeOnly: true, onDelete: {skipUninstallIfClusterRemoved: true}"
    (_, item), errors = rendered(
        "{name: first, type: t}",
        f"{{name: a, type: t, {options}, labels: {{team: north}}, dependsOn: [first], config: {{x: 1}}}}",
    )

    prefix = "execution.landscaper.gardener.cloud"
    assert errors == []
    assert item["spec"] == {
        "type": "t",
        "timeout": "10m0s",
        "updateOnChangeOnly": True,
        "onDelete": {"skipUninstallIfClusterRemoved": True},
        "config": {"x": 1},
        "context": "default",
    }
    assert item["metadata"]["labels"] == {
        "team": "north",
        f"{prefix}/managed-by": "root",
        f"{prefix}/name": "a",
    }
    assert item["metadata"]["annotations"][f"{prefix}/dependsOn"] == "first"


def test_a_timeout_of_none() -> None:
    """The word none is no duration, and stays."""
    (item,), _ = rendered("{name: a, type: t, timeout: none}")

    assert item["spec"]["timeout"] == "none"


def test_optional_fields_are_left_out() -> None:
    """A deploy item without options has none; its list of dependencies is empty, and its target is said to be none."""
    (item,), _ = rendered("{name: a, type: t}")

    assert item["spec"] == {"type": "t", "context": "default"}
    assert item["metadata"]["annotations"] == {
        "execution.landscaper.gardener.cloud/dependsOn": "",
        "landscaper.gardener.cloud/deployer-target-name": ".noTargetName",
        "landscaper.gardener.cloud/deployer-type": "t",
    }
