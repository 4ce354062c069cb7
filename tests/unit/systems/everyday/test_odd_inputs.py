"""Inputs that somebody got wrong: null where a map belongs, maps where a text belongs, configs without a value."""

from __future__ import annotations

import pytest

from krmkit.fn import loader
from krmkit.fn.run import Outcome, run
from krmkit.fn.testing import resource_list

POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n"
DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\n"
SERVED = "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata:\n  name: s\n"
POLICY = "apiVersion: constraints.gatekeeper.sh/v1beta1\nkind: Repos\nmetadata:\n  name: p\n"
BINDING = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: b\n"


def _run(name: str, item: str, data: str) -> Outcome:
    function = loader.load(name)
    config = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {data}\n"
    return run(function.definition, function.process, resource_list([item], config))


@pytest.mark.parametrize(
    ("name", "item", "data", "lines"),
    [
        (
            "set-annotations",
            POD + "  annotations: ~ # none\n",
            "{team: blue}",
            ["    annotations: # none", "      team: blue"],
        ),
        ("set-annotations", DEPLOYMENT + "spec: null\n", "{team: blue}", ["          team: blue"]),
        (
            "set-enforcement-action",
            POLICY + "spec: ~\n",
            "{enforcementAction: warn}",
            ["  spec:", "    enforcementAction: warn"],
        ),
        ("set-namespace", POD + "  namespace: ~\n", "{namespace: shop}", ["    namespace: shop"]),
        ("search-replace", POD, "{by-value: a, by-path: ~, put-value: b}", ["    name: b"]),
    ],
)
def test_null_counts_as_nothing(name: str, item: str, data: str, lines: list[str]) -> None:
    outcome = _run(name, item, data)

    assert outcome.exit_code == 0, outcome.stderr
    written = outcome.stdout.split("\n")
    assert [line for line in lines if line not in written] == []


@pytest.mark.parametrize(
    ("name", "item", "data", "field", "message"),
    [
        ("set-namespace", POD + "  namespace: {a: b}\n", "{namespace: shop}", "metadata.namespace", "must be a text, got a map"),
        ("set-namespace", SERVED + "spec:\n  service: web\n", "{namespace: shop}", "spec.service", "must be a map, got a single value"),
        ("set-labels", POD + "  labels: ~\n", "{a: b}", "metadata.labels", 'unmatched field type "string" in fieldpath .metadata.labels.a'),
        ("set-labels", DEPLOYMENT + "spec: ~\n", "{a: b}", "spec", 'in fieldpath .spec.selector.matchLabels.a'),
        (
            "set-labels", DEPLOYMENT + "spec: {template: {spec: {topologySpreadConstraints: x}}}\n", "{a: b}",
            "spec.template.spec.topologySpreadConstraints", "in fieldpath .spec.template.spec.topologySpreadConstraints",
        ),
        ("create-setters", POD, "{name: ~}", "data.name", "parsing error"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_an_error(name: str, item: str, data: str, field: str, message: str) -> None:
    outcome = _run(name, item, data)

    errors = [one for one in outcome.results if one.severity == "error"]
    assert [one.field for one in errors] == [field]
    assert errors[0].message.endswith(message)
    assert outcome.stdout.partition("functionConfig:")[0] == resource_list([item]).partition("results:")[0]


def test_a_subject_whose_namespace_is_null_is_counted_as_the_default_one() -> None:
    subjects = "subjects: [{kind: ServiceAccount, name: s, namespace: ~}]\n"

    outcome = _run("set-namespace", BINDING + subjects, "{namespace: shop}")

    assert outcome.results[0].message == 'namespace [default] updated to "shop", 1 value(s) changed'


def test_a_list_without_items_has_nothing_to_prune() -> None:
    function = loader.load("remove-local-config-resources")
    envelope = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

    without = run(function.definition, function.process, envelope)
    empty = run(function.definition, function.process, envelope + "items: []\n")

    assert [one.rule for one in without.results] == []
    assert [one.rule for one in empty.results] == ["pruned"]


def test_what_takes_the_place_of_an_alias_is_shown_without_an_anchor() -> None:
    outcome = _run("search-replace", POD + "a: &x old\nb: *x\n", "{by-path: b, put-value: new}")

    assert [one.message for one in outcome.results] == ['Mutated field value to "new"']
    assert "  a: &x old\n  b: new\n" in outcome.stdout


@pytest.mark.parametrize(
    ("data", "messages"),
    [
        ("{by-value: old, put-comment: why}", []),
        ("{by-value: old, put-value: new, put-comment: why}", ['Mutated field value to "new"']),
    ],
)
def test_a_comment_that_finds_no_place_is_not_said_to_be_there(data: str, messages: list[str]) -> None:
    outcome = _run("search-replace", POD + "spec: {a: old, b: c}\n", data)

    assert [one.message for one in outcome.results if one.severity == "info"] == messages
    assert [one.field for one in outcome.results if one.rule == "no-place"] == ["spec.a"]


def test_null_on_a_line_of_its_own() -> None:
    """`template:` with null below it has no labels to set, as `template: null` has none."""
    below, behind = (
        _run("set-labels", f"{DEPLOYMENT}spec:\n  template:{space}null\n", "{a: b}")
        for space in ("\n    ", " ")
    )

    assert (below.exit_code, behind.exit_code) == (0, 0)
    assert [one.message for one in below.results] == [one.message for one in behind.results]
    assert "\n    template:\n      null\n" in below.stdout


@pytest.mark.parametrize("copied", ["data", "data.text"])
def test_copies_of_copies(copied: str) -> None:
    """Replacements that copy a field into itself grow without end: what is written draws on the budget."""
    function = loader.load("apply-replacements")
    source = f"{{kind: ConfigMap, name: a, fieldPath: {copied}}}"
    path, options = (
        ("data.k{}", "{create: true}") if copied == "data" else (copied, "{delimiter: '|', index: 9999999}")
    )
    entries = "".join(
        f"- {{source: {source}, targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [{path.format(number)}], options: {options}}}]}}\n"
        for number in range(60)
    )
    config = f"apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyReplacements\nmetadata: {{name: r}}\nreplacements:\n{entries}"
    item = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  text: " + "x" * 3_000 + "\n"

    outcome = run(function.definition, function.process, resource_list([item], config))

    assert (outcome.exit_code, "steps of effort" in outcome.stderr) == (1, True)


def test_a_target_that_is_null() -> None:
    """It selects nothing, as a target without `select`."""
    function = loader.load("apply-replacements")
    config = (
        "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyReplacements\nmetadata: {name: r}\nreplacements:\n"
        "- {source: {kind: Pod, name: a}, targets: [null]}\n"
    )

    outcome = run(function.definition, function.process, resource_list([POD], config))

    assert "replacements[0].targets[0]: target must specify resources to select" in outcome.stderr
