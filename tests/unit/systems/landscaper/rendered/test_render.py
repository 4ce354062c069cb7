"""krmkit.systems.landscaper.rendered.render: what rendering does to the items of a list."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from krmkit.fn.run import Outcome, RunOptions
from krmkit.fn.testing import resource_list, run_function
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from krmkit.systems.landscaper.rendered.render import render_items
from tests.unit.systems.landscaper.flow.test_landscape import NESTED
from tests.unit.systems.landscaper.test_bad_input import FUNCTIONS
from tests.unit.systems.landscaper.worlds import INLINE, data_object, installation, obj

ITEM = (
    "imports:\n- {name: a, schema: {type: string}}\ndeployExecutions:\n- name: d\n  type: GoTemplate\n"
    "  template: 'deployItems: [{name: {{ .imports.a }}, type: t, config: {apiVersion: x/v1, kind: C, a: {{ .imports.a }}}}]'\n"
)
IMPORTS = {"data": [{"name": "a", "dataRef": "a"}]}


def render(*objects: Object | str, function: str = "render", **spec: Any) -> Outcome:
    """The function (render or validate) on objects, or on the text of an earlier output."""
    config = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": f"{function.title()}Installation",
        "metadata": {"name": "c"},
        "spec": spec,
    }
    texts = [one if isinstance(one, str) else emit.document(one) for one in objects]
    return run_function(FUNCTIONS / f"{function}-installation", resource_list(texts, emit.document(config)))


def items(outcome: Outcome) -> dict[tuple[str, str], Object]:
    """The items of an output by kind and name."""
    assert outcome.exit_code == 0, outcome.stderr
    found = yaml.load(outcome.stdout, Loader=yaml.CSafeLoader)["items"]
    return {(item["kind"], item["metadata"]["name"]): item for item in found}


def again(outcome: Outcome, *changed: Object, **spec: Any) -> Outcome:
    """The function on the items of an output, some of them changed."""
    there = items(outcome)
    for one in changed:
        there[one["kind"], one["metadata"]["name"]] = one
    return render(*there.values(), **spec)


def test_where_objects_go() -> None:
    """Generated objects go to files of their own, say who made them, and are marked as local."""
    found = items(render(installation("shop", ITEM, imports=IMPORTS), data_object("a", "web")))

    annotations = found["DeployItem", "shop-web"]["metadata"]["annotations"]
    assert annotations["config.kubernetes.io/path"] == "landscape/default/shop/deployitem-shop-web.yaml"
    assert annotations["krmkit.dev/generated-by"] == "Installation/default/shop"
    assert annotations["config.kubernetes.io/local-config"] == "true"


def test_apply() -> None:
    """With apply the mark is left out, apart from the state of executors, which no cluster has."""
    found = items(render(installation("shop", ITEM, imports=IMPORTS), data_object("a", "web"), apply=True))

    assert (
        "config.kubernetes.io/local-config" not in found["DeployItem", "shop-web"]["metadata"]["annotations"]
    )


def test_what_is_no_longer_made_goes() -> None:
    """A changed value gives another deploy item; the old one is removed, and what stays keeps its text."""
    first = render(
        installation("shop", ITEM, imports=IMPORTS), installation("other", ""), data_object("a", "web")
    )

    second = again(first, data_object("a", "store"))

    assert {key[1] for key in items(second) if key[0] == "DeployItem"} == {"shop-store"}
    assert "one item that no installation makes any more" in second.results[-1].message


def test_an_installation_that_is_gone() -> None:
    """Everything that it had made goes with it; when only some are rendered, others are left alone."""
    first = items(
        render(
            installation("shop", ITEM, imports=IMPORTS), installation("other", ""), data_object("a", "web")
        )
    )
    del first["Installation", "shop"]

    some = items(render(*first.values(), installations=["other"]))
    every = items(render(*first.values()))

    assert ("DeployItem", "shop-web") in some
    assert ("DeployItem", "shop-web") not in every


def test_generated_installations_are_no_roots() -> None:
    """Rendered twice, nested installations are still nested, under the same names."""
    first = render(installation("shop", NESTED, componentDescriptor=INLINE))
    second = again(first)

    assert items(first) == items(second)
    assert sorted(key[1] for key in items(second) if key[0] == "Installation") == [
        "shop",
        "shop-database",
        "shop-web",
    ]


def test_names() -> None:
    """A name that the config gives, or one that a cluster has given, is taken."""
    owner = {"kind": "Installation", "name": "shop"}
    there = installation("web-x7k2p", "")
    there["metadata"]["ownerReferences"] = [owner]
    there["metadata"]["annotations"] = {"landscaper.gardener.cloud/subinstallation-name": "web"}

    outcome = render(
        installation("shop", NESTED, componentDescriptor=INLINE), there, names={"shop/database": "db"}
    )

    assert {key[1] for key in items(outcome) if key[0] == "Installation"} == {"shop", "db", "web-x7k2p"}
    assert [one.rule for one in outcome.results] == ["left-alone"]


def test_owners_only_with_a_uid() -> None:
    """Owner references need the owner's uid, which only an object from a cluster has."""
    shop = installation("shop", ITEM, imports=IMPORTS)
    without = items(render(shop, data_object("a", "web")))
    shop["metadata"]["uid"] = "1-2-3"
    with_uid = items(render(shop, data_object("a", "web")))

    def owners(found: dict[tuple[str, str], Object]) -> list[Any]:
        return [item["metadata"].get("ownerReferences") for key, item in found.items() if len(key[1]) == 32]

    assert owners(without) == [None]
    assert [one[0]["uid"] for one in owners(with_uid)] == ["1-2-3"]


def test_status() -> None:
    """Executions and phases are written when they are asked for."""
    plain = items(render(installation("shop", ITEM, imports=IMPORTS), data_object("a", "web")))
    found = items(
        render(installation("shop", ITEM, imports=IMPORTS), data_object("a", "web"), writeStatus=True)
    )

    assert ("Execution", "shop") not in plain
    assert found["Installation", "shop"]["status"]["phase"] == "Succeeded"
    assert found["Execution", "shop"]["spec"]["deployItems"][0]["name"] == "web"


STATEFUL = (
    'deployExecutions:\n- name: d\n  type: GoTemplate\n  template: |\n    {{- $n := add1 (dig "runs" 0 .state) }}\n'
    "    state: {runs: {{ min $n 2 }}}\n    deployItems: [{name: item, type: t, config: {apiVersion: t/v1, kind: T, runs: {{ min $n 2 }}}}]\n"
)


def test_state() -> None:
    """The state of an executor is there in the next run."""
    first = render(installation("shop", STATEFUL))
    second = again(first)
    third = again(second)

    found = [
        items(one)["DeployItem", "shop-item"]["spec"]["config"]["runs"] for one in (first, second, third)
    ]
    assert found == [1, 2, 2]


GIVER = (
    "exports: [{name: a, type: data, schema: {type: string}}]\ndeployExecutions:\n"
    "- {name: d, type: GoTemplate, template: 'deployItems: [{name: item, type: t}]'}\nexportExecutions:\n"
    "- {name: e, type: GoTemplate, template: 'exports: {a: {{ .values.deployitems.item.a }}}'}\n"
)
EXPORTS = {"data": [{"name": "a", "dataRef": "a"}]}


def simulated(selector: str, template: str, blueprint: str = GIVER, **more: str) -> Outcome:
    """The giver, rendered with one export template."""
    given = {"name": "x", "selector": selector, "template": template, **more}
    return render(installation("giver", blueprint, exports=EXPORTS), exportTemplates=[given])


def test_export_templates() -> None:
    """A template gives the exports of the deploy items whose path its selector fits."""
    found = items(simulated("^giver/", "exports: {a: '{{ .deployItem.metadata.name }}-1'}"))

    assert found["DataObject", "a"]["data"] == "item-1"


def test_export_templates_for_installations() -> None:
    """A template for whole installations takes the place of what is inside of them."""
    found = items(simulated("giver", "dataExports: {a: told}", **{"for": "installations"}))

    assert found["DataObject", "a"]["data"] == "told"
    assert ("DeployItem", "giver-item") not in found


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"installations": ["shob"]}, 'there is no Installation shob; did you mean "shop"?'),
        (
            {"exportTemplates": [{"name": "x", "selector": "(", "template": ""}]},
            "exportTemplates x: the pattern '(' is not RE2: missing )",
        ),
    ],
    ids=["a name", "a selector"],
)
def test_wrong_configs(spec: Object, message: str) -> None:
    """What the config names wrongly is an error, and nothing is rendered."""
    outcome = render(installation("shop", ""), **spec)

    assert outcome.exit_code == 1
    assert message in outcome.results[0].message


def test_errors_leave_the_items() -> None:
    """With one installation in error, nothing of the others is written either."""
    outcome = render(
        installation("good", ITEM, imports=IMPORTS), installation("bad", ITEM), data_object("a", "web")
    )

    assert outcome.exit_code == 1
    assert "landscape/" not in outcome.stdout
    assert outcome.stdout.count("metadata:") == 4  # the items and the config are as they came


def test_errors_as_warnings() -> None:
    """With failOn: never the errors are warnings, and still nothing is written."""
    outcome = render(
        installation("good", ITEM, imports=IMPORTS),
        installation("bad", ITEM),
        data_object("a", "web"),
        failOn="never",
    )

    assert (outcome.exit_code, outcome.results[0].severity) == (0, "warning")
    assert "landscape/" not in outcome.stdout


def results(outcome: Outcome) -> list[tuple[str, str, str]]:
    """(rule, severity, message) of everything that is said."""
    return [(one.rule, one.severity, one.message) for one in outcome.results]


def test_no_installation() -> None:
    """A list without Installations is said to be that; once they have made something, it goes."""
    assert results(render(data_object("a", 1))) == [
        ("no-installation", "info", "there is no Installation among the items")
    ]

    first = render(installation("shop", ITEM, imports=IMPORTS), data_object("a", "web"))
    left = {key: item for key, item in items(first).items() if key[0] != "Installation"}
    gone = render(*left.values())

    assert [rule for rule, _, _ in results(gone)] == ["removed"]
    assert list(items(gone)) == [("DataObject", "a")]


def test_several_that_are_gone() -> None:
    """How many items went is said."""
    two = ITEM.replace("type: t,", "type: t}, {name: more, type: t,")
    first = render(installation("shop", two, imports=IMPORTS), data_object("a", "web"))

    second = again(first, installation("shop", ""))

    assert results(second) == [
        ("removed", "info", "3 items that no installation makes any more were removed")
    ]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Installation\nmetadata: {name: shop}\nspec: *absent\n", "invalid-yaml"),
        (emit.document(data_object("a", 2)), "duplicate-object"),
    ],
    ids=["an item that cannot be read", "an object twice"],
)  # fmt: skip
def test_wrong_items(text: str, rule: str) -> None:
    """What cannot be read, or occurs twice, is an error, and nothing is written."""
    outcome = render(installation("shop", ITEM, imports=IMPORTS), data_object("a", "web"), text)

    said = "DataObject a occurs twice in namespace default"
    assert rule in [one for one, _, _ in results(outcome)]
    assert rule != "duplicate-object" or (rule, "error", said) in results(outcome)
    assert outcome.exit_code == 1
    assert "landscape/" not in outcome.stdout


def test_kinds_of_others() -> None:
    """Objects of other groups or versions are no business of this function."""
    other = {**installation("shop", ITEM), "apiVersion": "example.com/v1"}
    secret = {**obj("Secret", "s", "v2", data={"a": "%%%"})}
    stranger = obj("Deployment", "d", "apps/v1", spec={})

    outcome = render(other, secret, stranger)

    assert [rule for rule, _, _ in results(outcome)] == ["no-installation"]


def test_bad_components() -> None:
    """A ConfigMap that says it holds a component, and does not, is an error with its place."""
    item = obj("ConfigMap", "c", "v1", data={"x": ""})
    item["metadata"]["annotations"] = {"krmkit.dev/component": "a:1"}

    outcome = render(item)

    assert [(one.rule, one.field) for one in outcome.results] == [("bad-component", "data"), ("no-installation", "")]  # fmt: skip


def test_verification_is_said() -> None:
    """A signature is not verified here, which is said."""
    outcome = render(installation("shop", "", verification={"signatureName": "s"}))

    assert results(outcome) == [
        ("not-verified", "info", "spec.verification: signatures are not verified here")
    ]


def test_explain() -> None:
    """With --explain each installation says what it made."""
    config = "apiVersion: krmkit.dev/v1alpha1\nkind: RenderInstallation\nmetadata: {name: c}\nspec: {}\n"
    text = resource_list([emit.document(installation("shop", NESTED, componentDescriptor=INLINE))], config)

    outcome = run_function(FUNCTIONS / "render-installation", text, RunOptions(explain=True))

    assert [one.message for one in outcome.results if one.rule == "rendered"] == [
        "shop: 0 deploy items, 2 nested installations",
        "shop/database: 0 deploy items, 0 nested installations, exports url",
        "shop/web: 0 deploy items, 0 nested installations",
    ]


FULL = (
    "deployExecutions:\n- name: d\n  type: GoTemplate\n  template: |\n    deployItems:\n    - {name: first, type: t}\n"
    "    - {name: a, type: t, timeout: 10m, target: {name: edge}, labels: {team: north}, dependsOn: [first], config: {apiVersion: x/v1, kind: C, x: 1}}\n"
)


def test_executions() -> None:
    """An Execution holds the deploy items as templates; the status of the Installation names it and the nested ones."""
    found = items(
        render(installation("shop", FULL + NESTED, componentDescriptor=INLINE), writeStatus=True),
    )

    metadata = found["Execution", "shop"]["metadata"]
    assert (metadata["name"], metadata["namespace"]) == ("shop", "default")
    assert found["Execution", "shop"]["spec"] == {
        "context": "default",
        "deployItems": [
            {"name": "first", "type": "t"},
            {
                "name": "a",
                "type": "t",
                "timeout": "10m0s",
                "target": {"name": "edge", "namespace": "default"},
                "labels": {"team": "north"},
                "config": {"apiVersion": "x/v1", "kind": "C", "x": 1},
                "dependsOn": ["first"],
            },
        ],
    }
    assert found["Installation", "shop"]["status"] == {
        "phase": "Succeeded",
        "installationRefs": [
            {"name": "database", "ref": {"name": "shop-database", "namespace": "default"}},
            {"name": "web", "ref": {"name": "shop-web", "namespace": "default"}},
        ],
        "subInstCache": {
            "activeSubs": [
                {"specName": "database", "objectName": "shop-database"},
                {"specName": "web", "objectName": "shop-web"},
            ]
        },
        "executionRef": {"name": "shop", "namespace": "default"},
    }


def test_a_value_that_changes() -> None:
    """An item whose value changes keeps its place in the list and its file; its text is that of a fresh one."""
    template = ITEM.replace("name: {{ .imports.a }}, type", "name: item, type")
    first = render(installation("shop", template, imports=IMPORTS), data_object("a", "web"))
    second = again(first, data_object("a", "store"))
    fresh = render(installation("shop", template, imports=IMPORTS), data_object("a", "store"))

    assert list(items(first)) == list(items(second))
    assert items(second) == items(fresh)
    assert items(second)["DeployItem", "shop-item"]["spec"]["config"] == {
        "apiVersion": "x/v1",
        "kind": "C",
        "a": "store",
    }
    assert results(second) == []


def test_apply_can_be_taken_back() -> None:
    """Rendered with and without apply in turn, the mark is there and not, and nothing is made twice."""
    shop, data = installation("shop", ITEM, imports=IMPORTS), data_object("a", "web")
    local = render(shop, data)
    applied = again(local, apply=True)

    assert list(items(applied)) == list(items(local))
    mark = "config.kubernetes.io/local-config"
    assert mark not in items(applied)["DeployItem", "shop-web"]["metadata"]["annotations"]
    assert items(again(applied)) == items(local)


def test_state_is_never_applied() -> None:
    """The state of executors is for this computer, also with apply."""
    found = items(render(installation("shop", STATEFUL), apply=True))
    (state,) = [item for key, item in found.items() if key[0] == "ConfigMap"]

    assert state["metadata"]["annotations"]["config.kubernetes.io/local-config"] == "true"


def test_export_templates_for_others() -> None:
    """A template whose selector does not fit gives nothing; one that fails is an error that names it."""
    waiting = simulated("^taker/", "exports: {a: b}")
    broken = simulated(".*", "{{ fail `no luck` }}")
    wrong = simulated(".*", "a: [", name="y")

    assert [rule for rule, _, _ in results(waiting)] == ["unused-entry", "unknown-export"]
    assert broken.results[0].message.startswith("export template x: ")
    assert wrong.results[0].message.startswith("export template y: error converting YAML")


def test_what_export_templates_see() -> None:
    """Imports, the path, the names of template and item, its object, the component and the state."""
    seen = ".installationPath .templateName .deployItem.spec.type .imports .cd .components .state"
    blueprint = GIVER.replace("{type: string}", "{}").replace(".item.a }}", ".item.a | toJson }}")

    found = items(simulated(".", f"exports: {{a: {{{{ list {seen} | toJson }}}}}}", blueprint))

    assert found["DataObject", "a"]["data"] == ["giver", "x", "t", {}, None, None, {}]


def test_what_installation_templates_see() -> None:
    """Imports, the path, the name of the template and the Installation."""
    seen = "{{ .installationPath }} {{ .templateName }} {{ .installation.metadata.name }} {{ .imports }}"

    found = items(simulated(".", f"dataExports: {{a: '{seen}'}}", **{"for": "installations"}))

    assert found["DataObject", "a"]["data"] == "giver x giver map[]"


def test_comments_stay() -> None:
    """What is still the same keeps its text, with the comments that people have put into it."""
    first = render(installation("shop", ITEM, imports=IMPORTS), data_object("a", "web"))
    text = first.stdout.replace("kind: DeployItem", "kind: DeployItem # ours, see the wiki", 1)
    assert text != first.stdout

    second = run_function(FUNCTIONS / "render-installation", text)

    assert second.stdout.partition("results:")[0] == text.partition("results:")[0]


def test_lists_that_are_not_indented() -> None:
    """In a list of items that came from files, an item that changes is that of a fresh run, too."""
    template = ITEM.replace("name: {{ .imports.a }}, type", "name: item, type")
    spec: Object = {
        "installations": [], "exportTemplates": [], "deployItemExports": {}, "names": {}, "redact": False, "apply": False, "writeStatus": False,
    }  # fmt: skip
    resources = ResourceList.of(
        [Resource.from_data(one) for one in (installation("shop", template, imports=IMPORTS), data_object("a", "web"))]
    )  # fmt: skip
    render_items(resources, spec)
    for item in resources:
        if (item.kind, item.name) == ("DataObject", "a"):
            item.set(("data",), "store")

    render_items(resources, spec)

    (made,) = [item for item in resources if item.kind == "DeployItem"]
    assert made.get("spec", "config") == {"apiVersion": "x/v1", "kind": "C", "a": "store"}


def test_a_state_is_seen_by_validation() -> None:
    """validate-installation knows the states that an earlier rendering has left."""
    first = items(render(installation("shop", STATEFUL)))
    needy = STATEFUL.replace("state: {", '{{ if lt $n 2 }}{{ fail "no state" }}{{ end }}\n    state: {')
    there = [*[one for key, one in first.items() if key[0] != "Installation"], installation("shop", needy)]
    config = "apiVersion: krmkit.dev/v1alpha1\nkind: ValidateInstallation\nmetadata: {name: c}\nspec: {}\n"

    def said(objects: list[Object]) -> list[str]:
        text = resource_list([emit.document(one) for one in objects], config)
        return [one.message for one in run_function(FUNCTIONS / "validate-installation", text).results]

    assert said(there) == []
    assert "no state" in said(there[-1:])[0]
