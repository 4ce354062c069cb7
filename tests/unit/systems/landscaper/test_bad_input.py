"""Bad input to the functions about Installations: a clear result each, all at once, and the items unharmed."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.fn.run import Outcome
from krmkit.fn.testing import resource_list, run_function
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from tests.unit.systems.landscaper.worlds import INLINE, data_object, installation, obj, target

FUNCTIONS = Path(__file__).resolve().parents[4] / "functions"
CONFIG = "apiVersion: krmkit.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: c}}\nspec: {{}}\n"


def validated(*objects: Object) -> list[tuple[str, str, str]]:
    """(rule, field, message) of every error about the objects; the items must come back as they were."""
    items = [emit.document(one) for one in objects]
    text = resource_list(items, CONFIG.format(kind="ValidateInstallation"))
    outcome = run_function(FUNCTIONS / "validate-installation", text)
    head = text.partition("functionConfig:")[0]
    assert outcome.stdout.startswith(head)
    return [(one.rule, one.field, one.message) for one in outcome.results if one.severity == "error"]


def imports(*data: Object, targets: list[Object] | None = None) -> Object:
    return {"data": list(data), "targets": targets or []}


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        (
            {"imports": imports({"name": "a", "dataRef": "a", "secretRef": {"name": "b"}})},
            "spec.imports.data[0]",
            "exactly one of dataRef, secretRef, configMapRef must be given, got dataRef and secretRef",
        ),
        (
            {"imports": imports(targets=[{"name": "a", "targetMap": {"x": "y"}, "targetMaps": {}}])},
            "spec.imports.targets[0].targetMaps",
            'unknown field "targetMaps"; must be "targetMap"',
        ),
        (
            {"imports": imports(targets=[{"name": "a", "targets": [{"target1": "target1"}]}])},
            "spec.imports.targets[0].targets[0]",
            "must be the name of a target; use targetMap for target1",
        ),
        ({"imports": [1]}, "spec.imports", "must be a mapping, got a list"),
        ({"imports": {"data": 5}}, "spec.imports.data", "must be a list, got a number"),
        ({"imports": {"data": ["a"]}}, "spec.imports.data[0]", "must be a mapping, got a text"),
        (
            {"imports": {"data": [{"name": "a", "secretRef": "b"}]}},
            "spec.imports.data[0].secretRef",
            "must be a mapping, got a text",
        ),
        ({"importDataMappings": "x"}, "spec.importDataMappings", "must be a mapping, got a text"),
        (
            {"optimization": {"hasNoSiblingImport": True}}, "spec.optimization.hasNoSiblingImport",
            'unknown field "hasNoSiblingImport"; must be "hasNoSiblingImports"',
        ),
        (
            {"automaticReconcile": {"failedReconcile": {"cronSpec": 5}}},
            "spec.automaticReconcile.failedReconcile.cronSpec",
            "must be a text, got a number",
        ),
        (
            {"exports": {"data": [{"name": "a", "dataRef": "a", "secretRef": {"name": "s"}}]}},
            "spec.exports.data[0].secretRef",
            "exports to a secret are not possible; must be dataRef",
        ),
        (
            {"componentDescriptor": {"ref": {"repositoryContext": {"type": "ociRegistry", "baseURL": "x"}}}},
            "spec.componentDescriptor.ref.repositoryContext.baseURL",
            "must be baseUrl",
        ),
        (
            {"automaticReconcile": {"succeededReconcile": {"interval": "soon"}}},
            "spec.automaticReconcile.succeededReconcile.interval",
            'time: invalid duration "soon"',
        ),
        (
            {"automaticReconcile": {"failedReconcile": {"numberOfReconciles": -1}}},
            "spec.automaticReconcile.failedReconcile.numberOfReconciles",
            "must be a whole number of at least 0",
        ),
        ({"importDataMapping": {}}, "spec.importDataMapping", 'unknown field "importDataMapping"; must be "importDataMappings"'),
        (
            {"exports": {"targets": [{"name": "a", "target": "x"}, {"name": "a", "target": "x"}]}},
            "spec.exports.targets[1].name",
            'export name "a" is used twice',
        ),
    ],
)  # fmt: skip
def test_form(spec: Object, field: str, message: str) -> None:
    """What is wrong with the form of an Installation names the field and the right word."""
    found = validated(installation("shop", "", **spec))

    assert (field, message) in [(place, said) for _, place, said in found]


@pytest.mark.parametrize(
    ("name", "right"),
    [("a" * 58, True), ("a" * 59, False), ("Shop", False), ("shop.v1", False), ("-shop", False)],
)
def test_names(name: str, right: bool) -> None:
    """An Installation's name is a DNS label of at most 58 letters."""
    wrong = [one for one in validated(installation(name, "")) if one[1] == "metadata.name"]

    assert bool(wrong) is not right


def test_everything_at_once() -> None:
    """Missing objects of several kinds, over several installations, are reported in one run, each with the nearest name."""
    found = validated(
        installation("one", "", imports=imports({"name": "a", "dataRef": "setings"}, targets=[{"name": "t", "target": "egde"}])),
        installation("two", "", imports=imports({"name": "b", "secretRef": {"name": "x"}}, {"name": "c", "configMapRef": {"name": "y"}})),
        data_object("settings", 1),
        target("edge"),
    )  # fmt: skip

    assert [rule for rule, _, _ in found] == [
        "data-object-not-found",
        "target-not-found",
        "secret-not-found",
        "config-map-not-found",
    ]
    assert [message.rpartition("; ")[2] for _, _, message in found[:2]] == [
        'did you mean "settings"?',
        'did you mean "edge"?',
    ]


def test_every_violation_of_a_schema() -> None:
    """A value is checked to its end, not to its first fault."""
    body = "imports:\n- {name: a, schema: {type: object, required: [x, w], additionalProperties: false}}\n"
    found = validated(
        installation("one", body, imports=imports({"name": "a", "dataRef": "a"})), data_object("a", {"z": 1})
    )

    lines = sorted(message.rpartition("schema: ")[2] for _, _, message in found)
    assert lines == [
        "(root): Additional property z is not allowed",
        "(root): w is required",
        "(root): x is required",
    ]


def chain(count: int) -> str:
    """Local types that refer to each other in a ring."""
    lines = [f'  t{number}: {{$ref: "local://t{(number + 1) % count}"}}' for number in range(count)]
    return "localTypes:\n" + "\n".join(lines) + '\nimports:\n- {name: a, schema: {$ref: "local://t0"}}\n'


DEEP = "[" * 400 + "]" * 400
DOUBLED = "localTypes:\n  t0: {type: string}\n" + "\n".join(
    f'  t{n}: {{allOf: [{{$ref: "local://t{n - 1}"}}, {{$ref: "local://t{n - 1}"}}]}}' for n in range(1, 20)
)


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (chain(3), "cycle"),
        (DOUBLED + '\nimports:\n- {name: a, schema: {$ref: "local://t19"}}\n', "limit"),
        ('imports:\n- {name: a, schema: {$ref: "local://absent"}}\n', "schema-validation-failed"),
        ('imports:\n- {name: a, schema: {$ref: "blueprint://../../etc/passwd"}}\n', "schema-validation-failed"),
        ('imports:\n- {name: a, schema: {$ref: "cd://resources/x"}}\n', "schema-validation-failed"),
        ("imports:\n- {name: a, schema: {type: strin}}\n", "schema-validation-failed"),
        ('imports:\n- {name: a, schema: {$ref: "https://example.com/schema.json"}}\n', "schema-validation-failed"),
        ("deployExecutions: [{name: d, type: GoTemplate, file: absent.yaml}]\n", "template"),
        ('deployExecutions: [{name: d, type: GoTemplate, template: "{{ resolve .cd }}"}]\n', "template"),
        ('deployExecutions: [{name: d, type: GoTemplate, template: "a: [" }]\n', "template"),
        (
            "deployExecutions: [{name: d, type: GoTemplate, template: '{{ range $i := until 100000 }}{{ range $j := until 100000 }}x{{ end }}{{ end }}'}]\n",
            "limit",
        ),
        ("deployExecutions: [{name: d, type: GoTemplate, template: '{{ include \"d.yaml\" . }}'}]\n", "template"),
        ("deployExecutions: [{name: d, type: Spiff, template: {a: (( exec(\"ls\") ))}}]\n", "template"),
        ("deployExecutions: [{name: d, type: Spiff, template: {f: (( |x|->_(x) )), a: (( .f(1) ))}}]\n", "template"),
        ("deployExecutions: [{name: d, type: GoTemplate, template: '{{ getShootAdminKubeconfig 1 2 3 4 }}'}]\n", "template"),
    ],
    ids=[
        "schema references in a ring", "schema references that double", "a local type that is absent", "a path that leaves",
        "no component", "no type", "a schema in the network", "no file", "a function that is gone", "no YAML", "an endless loop",
        "a file that is absent", "exec", "endless recursion", "a function that needs a cluster",
    ],
)  # fmt: skip
def test_blueprints(body: str, rule: str) -> None:
    """Hostile and wrong blueprints end in an error of their rule, soon."""
    found = validated(
        installation("one", body, imports=imports({"name": "a", "dataRef": "a"})), data_object("a", "text")
    )

    assert rule in [one for one, _, _ in found]


def test_deep_and_large_values() -> None:
    """A value nested without end is a limit; one of 100,000 nodes is not."""
    body = "imports:\n- {name: a, schema: {}}\n"
    wanted = imports({"name": "a", "configMapRef": {"name": "a", "key": "a"}})

    deep = validated(installation("one", body, imports=wanted), obj("ConfigMap", "a", "v1", data={"a": DEEP}))
    large = validated(
        installation("one", body, imports=wanted),
        obj("ConfigMap", "a", "v1", data={"a": "[" + "1," * 100_000 + "1]"}),
    )

    assert [rule for rule, _, _ in deep] == ["limit"]
    assert large == []


@pytest.mark.parametrize(
    ("data", "rule"),
    [({"a": "%%%"}, "invalid"), ({"a": "YTogWw=="}, "invalid"), ({"b": "YQ=="}, "key-not-found")],
    ids=["no base64", "no YAML", "no such key"],
)
def test_secrets(data: Object, rule: str) -> None:
    """A Secret that cannot be read is an error without its content."""
    wanted = imports({"name": "a", "secretRef": {"name": "s", "key": "a"}})

    found = validated(
        installation("one", "imports:\n- {name: a, schema: {}}\n", imports=wanted),
        obj("Secret", "s", "v1", data=data),
    )

    assert [one for one, _, _ in found] == [rule]


def test_two_owners_of_an_export() -> None:
    """Two installations must not export one object."""
    exports = {"data": [{"name": "a", "dataRef": "same"}]}

    found = validated(installation("one", "", exports=exports), installation("two", "{}", exports=exports))

    assert (
        "owner-conflict",
        "spec.exports",
        "DataObject same is exported by one already; an object has one owner",
    ) in found


def test_bad_schedules_are_said() -> None:
    """A cronSpec that cannot be read is a warning of the plan; the decision is the controller's, who goes by the interval."""
    shop = installation("shop", "", automaticReconcile={"succeededReconcile": {"cronSpec": "60 * * * *"}})
    shop["status"] = {"phase": "Succeeded", "observedGeneration": 0}
    config = "apiVersion: krmkit.dev/v1alpha1\nkind: PlanReconcile\nmetadata: {name: c}\nspec: {now: '2026-05-01T08:00:00Z'}\n"

    outcome = run_function(FUNCTIONS / "plan-reconcile", resource_list([emit.document(shop)], config))

    assert outcome.exit_code == 0
    assert [(one.rule, one.severity, one.field) for one in outcome.results] == [
        ("bad-schedule", "warning", "spec.automaticReconcile.succeededReconcile.cronSpec"),
        ("reconcile-plan", "info", ""),
    ]


def planned(*objects: Object, **spec: Any) -> Outcome:
    """plan-reconcile on objects."""
    config = emit.document(
        {
            "apiVersion": "krmkit.dev/v1alpha1",
            "kind": "PlanReconcile",
            "metadata": {"name": "c"},
            "spec": {"now": "2026-05-01T08:00:00Z", **spec},
        }
    )
    return run_function(
        FUNCTIONS / "plan-reconcile", resource_list([emit.document(one) for one in objects], config)
    )


def failed(name: str, **annotations: str) -> Object:
    """An Installation that has failed, and is reconciled at once."""
    found = installation(name, "", automaticReconcile={"failedReconcile": {}})
    found["status"] = {"phase": "Failed", "observedGeneration": 0}
    if annotations:
        found["metadata"]["annotations"] = annotations
    return found


def test_plans_are_written_when_asked_for() -> None:
    """With write the annotations that Landscaper would set stand in the item; others of it stay."""
    plain = planned(failed("shop", note="x"))
    written = planned(failed("shop", note="x"), write=True)

    assert "landscaper.gardener.cloud/operation" not in plain.stdout
    (item,) = yaml.load(written.stdout, Loader=yaml.CSafeLoader)["items"]
    assert item["metadata"]["annotations"] == {
        "note": "x",
        "landscaper.gardener.cloud/operation": "reconcile",
        "landscaper.gardener.cloud/reconcile-reason": "retry",
    }
    assert [(one.message, dict(one.tags)) for one in written.results] == [
        (
            "reconcile: its schedule is due (number 1)",
            {"action": "reconcile", "reason": "retry"},
        )
    ]


def test_plans_of_some() -> None:
    """Only those named are planned; a name that nobody has is an error, and nothing is planned."""
    some = planned(failed("shop"), failed("web"), installations=["web"], write=True)
    wrong = planned(failed("shop"), installations=["shob"], write=True)

    assert [(one.resource_ref or {}).get("name") for one in some.results] == ["web"]
    assert some.stdout.count("operation: reconcile") == 1
    assert (wrong.exit_code, [one.message for one in wrong.results]) == (
        1,
        ['there is no Installation shob; did you mean "shop"?'],
    )
    assert "operation: reconcile" not in wrong.stdout


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ({"phase": "Failed", "observedGeneration": 0, "automaticReconcileStatus": {"generation": 0, "numberOfReconciles": 1, "lastReconcileTime": "2026-05-01T07:58:00Z", "onFailed": True}}, "wait until 2026-05-01T08:03:00Z: its schedule is not due"),
        ({"phase": "Succeeded", "observedGeneration": 0}, "none: automaticReconcile has no schedule for its phase"),
        ({"phase": "Failed", "observedGeneration": 3}, "needs the annotation landscaper.gardener.cloud/operation: reconcile: its spec is newer than what Landscaper reconciled last"),
    ],
)  # fmt: skip
def test_what_plans_say(status: Object, said: str) -> None:
    """A plan says what happens, when, and why."""
    shop = failed("shop")
    shop["status"] = status

    assert [one.message for one in planned(shop).results] == [said]


@pytest.mark.parametrize(
    ("annotations", "said"),
    [
        (
            {"landscaper.gardener.cloud/operation": "abort"},
            "none: it has the annotation landscaper.gardener.cloud/operation: abort",
        ),
        (
            {"landscaper.gardener.cloud/operation": "abort", "config.kubernetes.io/path": "a.yaml"},
            "none: it has the annotation landscaper.gardener.cloud/operation: abort",
        ),
        ({"config.kubernetes.io/path": "a.yaml"}, "reconcile: its schedule is due (number 1)"),
    ],
)
def test_annotations_of_plans(annotations: dict[str, str], said: str) -> None:
    """The annotations of people count; those of tools do not get in the way."""
    assert [one.message for one in planned(failed("shop", **annotations)).results][-1] == said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"phase": "Succeeded"}, "init: its schedule starts now"),
        (
            {"phase": "Failed", "automaticReconcileStatus": {"generation": 0, "numberOfReconciles": 1, "lastReconcileTime": "2026-05-01T07:58:00Z", "onFailed": True}},
            "none: numberOfReconciles is reached",
        ),
        ({"phase": "Failed", "observedGeneration": 7}, "reconcile: reconcile-if-changed is set, and the generation is not the observed one"),
    ],
)  # fmt: skip
def test_reasons_of_plans(change: Object, said: str) -> None:
    """Each decision comes with its reason."""
    shop = failed("shop", **{"landscaper.gardener.cloud/reconcile-if-changed": "true"})
    shop["spec"]["automaticReconcile"] = {"failedReconcile": {"numberOfReconciles": 1}, "succeededReconcile": {}}  # fmt: skip
    shop["status"] = {"observedGeneration": 0, **change}

    assert [one.message for one in planned(shop).results] == [said]


def test_results_name_the_item() -> None:
    """An error is about the Installation whose it is, by name and file."""
    shop = installation("shop", "imports: [{name: a, schema: {}}]")
    shop["metadata"]["annotations"] = {"config.kubernetes.io/path": "apps/shop.yaml"}
    config = CONFIG.format(kind="ValidateInstallation")

    (found,) = run_function(
        FUNCTIONS / "validate-installation", resource_list([emit.document(shop)], config)
    ).results

    assert (found.resource_ref or {}).get("name") == "shop"
    assert found.file is not None and found.file["path"] == "apps/shop.yaml"


SIBLINGS = (
    "subinstallations:\n- name: a\n  blueprint: {filesystem: {blueprint.yaml: 'kind: X'}}\n  exports: {data: [{name: x, dataRef: x}]}\n"
    "- name: b\n  blueprint: {filesystem: {blueprint.yaml: 'kind: X'}}\n  imports: {data: [{name: x, dataRef: x}]}\n"
)


def test_what_follows_from_an_error_is_not_said() -> None:
    """A nested installation that waits for one in error adds nothing; each in error by itself is said."""
    found = validated(installation("shop", SIBLINGS, componentDescriptor=INLINE))

    assert [message.partition(": ")[0] for _, _, message in found] == ["nested installation shop/a", "nested installation shop/b"]  # fmt: skip
    assert "predecessor-failed" not in [rule for rule, _, _ in found]


def test_every_rule_is_documented() -> None:
    """Each rule that an installation may break stands in the function.yaml of the functions that report it."""
    used = set()
    for path in (FUNCTIONS.parent / "shared/krmkit/systems/landscaper").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "InstallationError"
            ):
                first = node.args[0]
                used |= {first.value} if isinstance(first, ast.Constant) else set()

    assert len(used) > 20
    for name in ("render-installation", "validate-installation"):
        text = (FUNCTIONS / name / "function.yaml").read_text("utf-8")
        assert used - {"bad-time"} <= set(yaml.load(text, Loader=yaml.CSafeLoader)["rules"])


def test_nothing_to_validate() -> None:
    """A list without Installations is said to be that."""
    config = CONFIG.format(kind="ValidateInstallation")
    outcome = run_function(
        FUNCTIONS / "validate-installation", resource_list([emit.document(data_object("a", 1))], config)
    )

    assert [(one.rule, one.severity) for one in outcome.results] == [("no-installation", "info")]


def test_wrong_forms_are_not_rendered() -> None:
    """An Installation of a wrong form is reported for that, and not for what follows from it."""
    found = validated(installation("shop", "imports: [{name: a, schema: {}}]", importz={}))

    assert [field for _, field, _ in found] == ["spec.importz"]


def test_a_fault_is_said_once() -> None:
    """What the rendering has said about a blueprint, the check of the blueprint does not say again."""
    found = validated(installation("shop", "deployExecutions: [{name: a, type: GoTemplate, template: '{{'}]"))

    assert len(found) == 1


def test_owners_of_targets() -> None:
    """Installations must not export one Target, and each but the first is named; a DataObject and a Target of one name are two objects."""
    exports = {"targets": [{"name": "a", "target": "same"}]}
    data = {"data": [{"name": "a", "dataRef": "same"}]}

    found = validated(
        installation("one", "", exports=exports),
        installation("two", "", exports=exports),
        installation("three", "", exports=data),
        installation("four", "", exports=exports),
    )

    owners = [message for rule, _, message in found if rule == "owner-conflict"]
    assert owners == ["Target same is exported by one already; an object has one owner"] * 2


def test_namespaces_do_not_conflict() -> None:
    """Installations of two namespaces may export the same name."""
    exports = {"data": [{"name": "a", "dataRef": "same"}]}
    other = installation("two", "", exports=exports)
    other["metadata"]["namespace"] = "other"

    found = validated(installation("one", "", exports=exports), other)

    assert [rule for rule, _, _ in found if rule == "owner-conflict"] == []


def test_comments_of_people_stay() -> None:
    """Writing a plan changes two annotations, and neither comments nor the order of fields."""
    text = (
        "# the shop, see the wiki\napiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Installation\nstatus: {phase: Failed}  # from the cluster\n"
        "metadata:\n  name: shop  # ours\nspec:\n  # at once\n  automaticReconcile: {failedReconcile: {}}\n  blueprint: {inline: {filesystem: {}}}\n"
    )
    config = "apiVersion: krmkit.dev/v1alpha1\nkind: PlanReconcile\nmetadata: {name: c}\nspec: {now: '2026-05-01T08:00:00Z', write: true}\n"

    written = run_function(FUNCTIONS / "plan-reconcile", resource_list([text], config)).stdout

    kept = [line.strip() for line in text.splitlines()]
    lines = [line.strip().removeprefix("- ") for line in written.partition("functionConfig:")[0].splitlines()]
    assert [line for line in lines if line in kept] == kept
    assert "landscaper.gardener.cloud/operation: reconcile" in lines


@pytest.mark.parametrize("field", ["namespace", "name"])
def test_a_number_is_no_name(field: str) -> None:
    """As on an API server; the object is then not among the others."""
    one = obj("Installation", "i", spec={"blueprint": INLINE})
    one["metadata"] = {"name": "i", "namespace": "shop"} | {field: 1.5}
    assert validated(one) == [
        ("unreadable", f"metadata.{field}", "must be a text, got 1.5; put it in quotes")
    ]
