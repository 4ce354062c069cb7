"""Landscaper as its live controllers and webhooks answer: order, keys, admission, and what is taken over."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.landscaper.flow.explain import explain
from krmkit.systems.landscaper.flow.outcome import LandscapeOptions
from krmkit.systems.landscaper.form.admission import Admission
from krmkit.systems.landscaper.items.installations import Items
from krmkit.systems.landscaper.items.objects import World
from krmkit.systems.landscaper.templates.outputs import OUTPUTS, folded, unknown_keys
from tests.unit.systems.landscaper.rendered.test_render import items, render
from tests.unit.systems.landscaper.worlds import (
    HEADER,
    INLINE,
    blueprint,
    data_object,
    descriptor,
    installation,
    made,
    messages,
    obj,
    one,
    resource,
    run,
    target,
)

ITEM = "deployExecutions:\n- name: d\n  type: GoTemplate\n  template: |\n    "


def executor(template: str) -> str:
    """The deploy execution of a blueprint, with this template."""
    return ITEM + template.replace("\n", "\n    ") + "\n"


def template(name: str, body: str, optimization: str = "") -> str:
    """An InstallationTemplate as an entry of a list, with the text of its blueprint and more lines."""
    text = (HEADER + body).replace("\n", "\n        ").rstrip()
    return f"- name: {name}\n  blueprint:\n    filesystem:\n      blueprint.yaml: |\n        {text}\n{optimization}"


GIVES = template(
    "gives",
    "exports: [{name: url, type: data, schema: {}}]\n"
    "exportExecutions:\n- {name: e, type: GoTemplate, template: 'exports: {url: new}'}\n",
    "  exports: {data: [{name: url, dataRef: url}]}\n",
)
TAKES = template(
    "takes",
    "imports: [{name: url, type: data, schema: {}}]\n",
    "  imports: {data: [{name: url, dataRef: url}]}\n",
)
ALONE = "  optimization: {hasNoSiblingImports: true}\n"
UNSEEN = "  optimization: {hasNoSiblingExports: true}\n"


@pytest.mark.parametrize(
    ("templates", "phases"),
    [
        ([GIVES, TAKES], ["Succeeded", "Succeeded"]),
        ([TAKES, GIVES], ["Succeeded", "Succeeded"]),
        ([GIVES, TAKES + ALONE], ["Succeeded", "Failed"]),
        ([TAKES + ALONE, GIVES], ["Failed", "Succeeded"]),
        ([GIVES + UNSEEN, TAKES], ["Succeeded", "Failed"]),
        ([GIVES + UNSEEN, TAKES + ALONE], ["Succeeded", "Failed"]),
    ],
)
def test_siblings_that_do_not_wait(templates: list[str], phases: list[str]) -> None:
    """Without the order of siblings, an export of one comes too late for the other; the parent fails then."""
    found = one(installation("root", "subinstallations:\n" + "".join(templates)))

    assert [child.phase for child in found.children] == phases
    assert found.phase == ("Failed" if "Failed" in phases else "Succeeded")
    if "Failed" in phases:
        (message,) = messages(found)
        assert message.startswith("unable to fetch data object ") and message.endswith(" not found")


def test_roots_that_do_not_wait() -> None:
    """A root sees what was there before, and not what another root that it does not wait for writes anew."""
    gives = installation(
        "gives",
        "exports: [{name: url, type: data, schema: {}}]\n"
        "exportExecutions:\n- {name: e, type: GoTemplate, template: 'exports: {url: new}'}\n",
        exports={"data": [{"name": "url", "dataRef": "url"}]},
    )
    spec: Object = {"imports": {"data": [{"name": "url", "dataRef": "url"}]}}
    body = "imports: [{name: url, type: data, schema: {}}]\n"
    alone = installation("alone", body, **spec, optimization={"hasNoSiblingImports": True})

    found = run(gives, installation("waits", body, **spec), alone, data_object("url", "old"))

    assert [each.values.get("url") for each in found] == [None, "new", "old"]


def test_nested_installations_need_a_descriptor() -> None:
    """The webhook refuses a nested Installation with an empty componentDescriptor, so the parent fails."""
    body = "subinstallations:\n" + GIVES

    wrong = render(installation("root", body))
    right = render(installation("root", body, componentDescriptor=INLINE))

    assert wrong.exit_code == 1
    (found,) = [one for one in wrong.results if one.severity == "error"]
    assert found.rule == "refused-object"
    assert found.message == (
        "the API refuses Installation default/root-gives, made by root,"
        " spec.componentDescriptor: one of ref and inline must be given"
    )
    assert right.exit_code == 0


CONFIG = "config: {apiVersion: x/v1, kind: C, Big: 1}"


def test_keys_of_deploy_items_in_any_case() -> None:
    """Go reads the keys of output in any case; those of config and labels are data."""
    body = executor(
        f"DeployItems:\n- NAME: b\n  Type: t\n  DependsOn: [a]\n  Labels: {{Q: r}}\n  {CONFIG}\n"
        f"- name: a\n  type: t\n  Timeout: 3m\n  UPDATEONCHANGEONLY: true\n  Target: {{Import: c}}\n  Config: {{Z: 1}}"
    )
    head = "imports: [{name: c, type: target, targetType: landscaper.gardener.cloud/kubernetes-cluster}]\n"
    found = one(
        installation("w", head + body, imports={"targets": [{"name": "c", "target": "t"}]}), target("t")
    )

    assert messages(found) == []
    second, first = found.deploy_items
    assert (second.name, second.depends_on, second.labels) == ("b", ["a"], {"Q": "r"})
    assert second.config == {"apiVersion": "x/v1", "kind": "C", "Big": 1}
    assert first.options == {"timeout": "3m0s", "updateOnChangeOnly": True}
    assert (first.target, first.config) == ({"name": "t", "namespace": "default"}, {"Z": 1})


def test_keys_of_other_phases_in_any_case() -> None:
    """Exports, bindings, errors and nested installations are found, too; the templates themselves stay as they are."""
    exporting = installation(
        "w",
        "importExecutions:\n- {name: i, type: GoTemplate, template: 'Bindings: {b: 1}'}\n"
        "exports: [{name: o, type: data, schema: {}}]\n"
        "exportExecutions:\n- {name: e, type: Spiff, template: {EXPORTS: {o: 2}}}\n",
        exports={"data": [{"name": "o", "dataRef": "o"}]},
    )
    failing = installation(
        "v", "importExecutions:\n- {name: i, type: GoTemplate, template: 'ERRORS: [bad]'}\n"
    )
    nested = installation(
        "u",
        "subinstallationExecutions:\n- {name: s, type: GoTemplate, template: 'SubInstallations: [{Name: a}]'}\n",
    )

    first, second, third = run(exporting, failing, nested)

    assert (first.values["b"], first.exports) == (1, {"o": 2})
    assert messages(second) == ["import validation failed: bad"]
    assert 'subinstallations[0].name: Invalid value: ""' in messages(third)[0]


@pytest.mark.parametrize(
    ("output", "wanted"),
    [
        ({"deployItems": [{"name": "a"}]}, {"deployItems": [{"name": "a"}]}),
        ({"DEPLOYITEMS": [{"ſtate": 1}]}, {"deployItems": [{"ſtate": 1}]}),
        ({"name": "low", "NAME": "high"}, {"name": "low"}),
        ({"deployItemſ": 5}, {"deployItems": 5}),
    ],
)
def test_folded(output: Object, wanted: Object) -> None:
    """Of two spellings the one in small letters wins, as Go reads the keys in order; other data stay."""
    shape: object = {**OUTPUTS["deploy"], "name": None}

    assert folded(output, shape) == wanted


@pytest.mark.parametrize(
    ("phase", "output", "said"),
    [
        ("deployExecutions", "deployItems: {a: b}", "deployItems must be a list, got object"),
        ("deployExecutions", "deployItems: [a]", "deployItems[0] must be a mapping, got string"),
        ("deployExecutions", "deployItems: [{name: a, type: t, dependsOn: b}]", "deployItems[0].dependsOn must be a list, got string"),
        ("deployExecutions", "deployItems: [{name: 5, type: t}]", "deployItems[0].name must be a text, got integer"),
        ("deployExecutions", "deployItems: [{name: a, type: t, target: b}]", "deployItems[0].target must be a mapping, got string"),
        ("importExecutions", "errors: bad", "errors must be a list, got string"),
        ("importExecutions", "bindings: [1]", "bindings must be a mapping, got array"),
        ("subinstallationExecutions", "subinstallations: {name: a}", "subinstallations must be a list, got object"),
        ("exportExecutions", "exports: [1]", "exports must be a mapping, got array"),
    ],
)  # fmt: skip
def test_output_of_another_type(phase: str, output: str, said: str) -> None:
    """What Go cannot decode fails the installation, and is not taken for nothing."""
    found = one(installation("w", f"{phase}:\n- {{name: e, type: GoTemplate, template: '{output}'}}\n"))

    assert found.phase == "Failed"
    assert messages(found) == [f'error while decoding templated execution: executor "e": {said}']


def test_a_blueprint_of_no_component() -> None:
    """A blueprint of a component needs the component."""
    found = one(obj("Installation", "w", spec={"blueprint": {"ref": {"resourceName": "b"}}}))

    assert messages(found) == ["no component descriptor reference defined, which a blueprint reference needs"]


def test_unknown_keys() -> None:
    """A misspelt key is named with its place."""
    data = {"deployItems": [{"name": "a", "dependOn": [], "target": {"imprt": "x"}, "config": {"any": 1}}]}

    found = [(place, name) for place, name, _ in unknown_keys(data, OUTPUTS["deploy"])]

    assert found == [("deployItems[0]", "dependOn"), ("deployItems[0].target", "imprt")]


def broken(change: Any) -> Object:
    """A descriptor with a change to its component."""
    found = descriptor("root", resource("image"), resource("chart"))
    found["component"].update(change)
    return found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "root"}, "component.name: Does not match pattern '^[a-z][-a-z0-9]*"),
        ({"version": "latest"}, "component.version: Does not match pattern '^[v]?"),
        ({"provider": {"name": "me"}}, "component.provider: must be a text, got dict"),
        ({"provider": None}, "component.provider: must be a text, got nothing"),
        (
            {"resources": [resource("My_Res")]},
            "component.resources.0.name: Does not match pattern '^[a-z0-9]",
        ),
        (
            {"resources": [resource("image", extraIdentity={"OS": "linux"})]},
            "component.resources.0.extraIdentity: Does not match pattern '^[a-z0-9]",
        ),
        (
            {"resources": [resource("image", relation="near")]},
            "component.resources.0.relation: must be one of local, external, got near",
        ),
        (
            {"componentReferences": [{"name": "ref", "componentName": "x", "version": "1.0.0"}]},
            "component.componentReferences.0.componentName: Does not match pattern",
        ),
    ],
)
def test_inline_descriptors(change: Object, message: str) -> None:
    """An inline descriptor is checked as one in a ConfigMap is."""
    found = one(installation("w", "", componentDescriptor={"inline": broken(change)}))

    (error,) = [error for each in found.tree() for error in each.errors]
    assert error.field == "spec.componentDescriptor.inline"
    assert error.message.startswith(f"component descriptor: {message}")


def refused(*objects: Object, **spec: Any) -> list[tuple[str, str, str]]:
    """Rule, object and message of each error of a rendering."""
    outcome = render(*objects, **spec)
    errors = [one for one in outcome.results if one.severity == "error"]
    assert outcome.exit_code == bool(errors)
    return [(one.rule, str((one.resource_ref or {}).get("name")), one.message) for one in errors]


NULL = "data: Required value: a DataObject must have a value other than null"
ANY = "imports: [{name: a, type: data, schema: {}}]\n"


@pytest.mark.parametrize(
    ("spec", "objects"),
    [
        (
            {"imports": {"data": [{"name": "a", "configMapRef": {"name": "c", "key": "k"}}]}},
            [obj("ConfigMap", "c", "v1", data={"k": ""})],
        ),
        ({"importDataMappings": {"a": None}}, []),
        ({"importDataMappings": {"a": "(( ~ ))"}}, []),
    ],
)
def test_null_imports(spec: Object, objects: list[Object]) -> None:
    """A DataObject must have data, so an import that is null fails."""
    ((rule, name, message),) = refused(installation("w", ANY, **spec), *objects)

    assert (rule, name) == ("refused-object", "w")
    assert message.startswith("the API refuses DataObject default/") and message.endswith(NULL)


def test_null_exports() -> None:
    """The same for an export."""
    body = (
        "exports: [{name: o, type: data, schema: {}}]\n"
        "exportExecutions:\n- {name: e, type: GoTemplate, template: 'exports: {o: null}'}\n"
    )
    ((_, _, message),) = refused(installation("w", body, exports={"data": [{"name": "o", "dataRef": "o"}]}))

    assert message == f"the API refuses DataObject default/o, made by w, {NULL}"


def test_a_hand_written_null() -> None:
    """The same for a DataObject among the items."""
    assert refused(data_object("d", None)) == [("refused-object", "d", NULL.partition(": ")[2])]


def test_a_target_with_two_sources() -> None:
    """A Target has a config or a secretRef."""
    both = obj("Target", "t", spec={"type": "x", "config": {"a": 1}, "secretRef": {"name": "s", "key": "k"}})

    assert refused(both, installation("w", "")) == [
        ("refused-object", "t", "Forbidden: either config or secretRef may be set, not both")
    ]


def test_names_of_deploy_items() -> None:
    """A name that no API server takes is an error."""
    body = executor(f"deployItems: [{{name: Item_A, type: t, {CONFIG}}}]")
    ((rule, _, message),) = refused(installation("w", body))

    assert rule == "refused-object"
    assert message.startswith("the API refuses DeployItem default/w-Item_A, made by w, metadata.name: ")


def test_metadata_of_hand_written_objects() -> None:
    """Names, labels and annotations are checked as an API server checks them."""
    wrong = data_object("My_Data", 1)
    wrong["metadata"]["labels"] = {"a b": "c"}
    wrong["metadata"]["annotations"] = {"/x": "y"}

    fields = [error.field for error in Admission().errors(wrong)]

    assert sorted(set(fields)) == ["metadata.annotations", "metadata.labels", "metadata.name"]


def test_the_form_is_checked_before_rendering() -> None:
    """An import without a name, and a repeated one, are said by rendering, too; other roots are rendered all the same."""
    twice = [{"name": "a", "dataRef": "a"}, {"name": "a", "dataRef": "a"}]
    found = refused(
        installation("nameless", ANY, imports={"data": [{"secretRef": {"name": "s"}}]}),
        installation("twice", ANY, imports={"data": twice}),
        installation("other", executor("deployItems: [{name: a}]")),
        data_object("a", 1),
    )

    assert sorted(one[:2] for one in found) == [("invalid", "nameless"), ("repeated-import", "twice"), ("validation", "other")]  # fmt: skip
    assert found[0][2] == "must not be empty"


def test_component_descriptor_of_templates() -> None:
    """`componentDescriptorDef` is an empty mapping without a descriptor."""
    found = one(
        installation("w", executor('deployItems: [{name: a, type: t, config: {d: "{{ .componentDescriptorDef }}"}}]'))
    )  # fmt: skip

    assert messages(found) == []
    assert found.deploy_items[0].config == {"d": "map[]"}


def test_hand_written_objects_are_taken_over() -> None:
    """An export goes into the DataObject or Target of its name, whose other fields stay; a second run changes nothing."""
    body = (
        "exports:\n- {name: o, type: data, schema: {}}\n- {name: t, type: target, targetType: a/b}\n"
        "exportExecutions:\n- name: e\n  type: GoTemplate\n  template: 'exports: {o: new, t: {type: a/b, config: {k: new}}}'\n"
    )
    shop = installation(
        "shop",
        body,
        exports={"data": [{"name": "o", "dataRef": "o"}], "targets": [{"name": "t", "target": "t"}]},
    )
    old = data_object("o", "old")
    old["metadata"]["labels"] = {"mine": "yes"}

    first = render(shop, old, target("t", "a/b", k="old"))
    found = items(first)

    assert found["DataObject", "o"]["data"] == "new"
    assert found["DataObject", "o"]["metadata"]["labels"] == {
        "mine": "yes",
        "data.landscaper.gardener.cloud/key": "o",
        "data.landscaper.gardener.cloud/source": "Inst.shop",
        "data.landscaper.gardener.cloud/sourceType": "export",
    }
    assert "data.landscaper.gardener.cloud/hash" in found["DataObject", "o"]["metadata"]["annotations"]
    assert "krmkit.dev/generated-by" not in found["DataObject", "o"]["metadata"]["annotations"]
    assert found["Target", "t"]["spec"] == {"type": "a/b", "config": {"k": "new"}}
    assert [one.rule for one in first.results] == ["taken-over", "taken-over"]
    assert items(render(*found.values())) == found


def test_export_types() -> None:
    """A blueprint exports data and targets, and no lists of targets."""
    body = (
        "exports: [{name: tl, type: targetList, targetType: x}]\n"
        "exportExecutions:\n- {name: e, type: GoTemplate, template: 'exports: {tl: []}'}\n"
    )
    found = one(installation("w", body, exports={"targets": [{"name": "tl", "target": "tl"}]}))

    assert messages(found) == [
        "(inst: w).internalExports.tl: unknown export type 'targetList'; known: data, target"
    ]


def test_types_of_schemas() -> None:
    """A wrong type is answered with all right ones, and the nearest."""
    body = "imports: [{name: a, type: data, schema: {type: strin}}]\n"
    (message,) = messages(one(installation("w", body, importDataMappings={"a": 1})))

    assert message.endswith(
        "has a primitive type that is NOT VALID -- given: /strin/ Expected valid values are:"
        '[array boolean integer number null object string]; did you mean "string"?'
    )


def test_explain_knows_told_exports() -> None:
    """What the config tells of a deploy item's exports reaches an importer."""
    inner = executor(f"deployItems: [{{name: p, type: t, {CONFIG}}}]")
    gives = template(
        "gives",
        inner + "exports: [{name: url, type: data, schema: {}}]\nexportExecutions:\n"
        "- {name: e, type: GoTemplate, template: 'exports: {url: {{ .values.deployitems.p.h }}}'}\n",
        "  exports: {data: [{name: url, dataRef: url}]}\n",
    )
    root = obj("Installation", "root", spec={"blueprint": blueprint("subinstallations:\n" + gives + TAKES)})
    told = LandscapeOptions(deploy_item_exports={"root/gives/p": {"h": "host"}})

    first = explain(Items(World.of([root])), "root/takes", "url")
    second = explain(Items(World.of([root])), "root/takes", "url", told)

    assert first[0] == "root/takes: import url (no value)"
    assert second[0] == "root/takes: import url"
    assert second[-1].strip() == "root/gives: the blueprint's export url"
    assert made(one(root)) != []
