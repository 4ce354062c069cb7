"""kubeconform and kubeval: messages, versions, strictness, kinds without a schema, CRDs."""

from __future__ import annotations

import copy
import random
from typing import Any

import kubernetes_validate
import pytest
import yaml

from krmkit.fn import loader
from krmkit.fn.run import Outcome, run
from krmkit.fn.testing import resource_list
from krmkit.libraries.kube.schemas import KubernetesSchemas

DEPLOYMENT: dict[str, Any] = yaml.safe_load(
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, labels: {x: y}}, spec: {replicas: 2, selector: {matchLabels: {a: b}},"
    " template: {metadata: {labels: {a: b}}, spec: {volumes: [{name: v, emptyDir: {sizeLimit: 1Gi}}], containers: [{name: c, image: i,"
    " args: [x], ports: [{containerPort: 80}], readinessProbe: {httpGet: {port: http}}, resources: {limits: {cpu: 1}}}]}}}}"
)
TOPIC = "apiVersion: example.com/v1\nkind: Topic\nmetadata: {name: t}\nspec: {size: 0, more: 1}\n"
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: topics.example.com}
spec:
  group: example.com
  names: {kind: Topic, plural: topics}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer, minimum: 1}}}}
"""
ODD: list[Any] = [None, "x", "5", 5, 1.5, True, [], {}, ["x"], {"a": "b"}, [{"name": "n"}]]


def answer(items: list[str], data: str = "{}", name: str = "kubeconform") -> Outcome:
    function = loader.load(name)
    config = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: cfg}}\ndata: {data}\n"
    return run(function.definition, function.process, resource_list(items, config))


def errors(outcome: Outcome) -> list[str]:
    return [
        f"{finding.field}: {finding.message}" for finding in outcome.results if finding.severity == "error"
    ]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("spec", "replicas"), "2", "spec.replicas: got string, want null or integer"),
        (("metadata", "labels", "x"), 7, "metadata.labels.x: got number, want null or string"),
        (("spec", "selector"), [], "spec.selector: got array, want null or object"),
        (("spec", "template", "spec", "containers", 0, "name"), None, "got null, want string"),
        (("spec", "relicas"), 2, "spec: additional properties 'relicas' not allowed"),
        (
            ("spec", "template", "spec", "containers", 0, "readinessProbe", "httpGet", "port"),
            {},
            "oneOf failed, none matched",
        ),
    ],
)
def test_what_a_schema_refuses(path: tuple[str | int, ...], value: object, message: str) -> None:
    """The messages are those of kubeconform."""
    data = copy.deepcopy(DEPLOYMENT)
    holder: Any = data
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value

    outcome = answer([yaml.safe_dump(data)], '{strict: "true"}')

    assert outcome.exit_code == 1
    assert len(errors(outcome)) == 1
    assert message in errors(outcome)[0]


@pytest.mark.parametrize(("data", "count"), [("{}", 0), ('{strict: "true"}', 1), ("{strict: 1}", 1)])
def test_unknown_fields_are_errors_only_if_strict(data: str, count: int) -> None:
    """As in the original."""
    assert len(errors(answer([yaml.safe_dump({**DEPLOYMENT, "more": 1})], data))) == count


def test_random_mistakes_are_found_as_by_another_validator() -> None:
    """Two hundred changed Deployments, strict or not, in several versions: kubernetes_validate refuses the same ones."""
    dice = random.Random(4)
    versions = {version: KubernetesSchemas(version) for version in ("1.25", "1.34")}
    refused = 0
    for _ in range(200):
        data = copy.deepcopy(DEPLOYMENT)
        holder: Any = data["spec"]
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            key = dice.choice([*keys, "zz"]) if isinstance(holder, dict) else dice.choice(keys)
            inner = holder.get(key) if isinstance(holder, dict) else holder[key]
            if isinstance(inner, (dict, list)) and inner and dice.random() < 0.8:
                holder = inner
                continue
            holder[key] = copy.deepcopy(dice.choice(ODD))
            break
        version, strict = dice.choice(list(versions)), dice.random() < 0.5
        try:
            kubernetes_validate.validate(data, version, strict=strict)
            wanted = False
        except kubernetes_validate.ValidationError as error:
            # An int-or-string that is null fits both of its types, which is no mistake.
            if "is valid under each of" in str(error.message):
                continue
            wanted = True
        assert bool(list(versions[version].problems(data, strict))) == wanted, data
        refused += wanted
    assert 20 < refused < 190


def test_a_kind_without_a_schema() -> None:
    """kubeconform passes it on with a warning, kubeval fails; two keys silence both, and tools' resources need no schema."""
    loose, old = answer([TOPIC]), answer([TOPIC], name="kubeval")
    quiet = [
        answer([TOPIC], data, name)
        for data in (
            '{ignore_missing_schemas: "true"}',
            "{skip_kinds: 'A, Topic'}",
            "{skip_kinds: example.com/v1/Topic}",
        )
        for name in ("kubeconform", "kubeval")
    ]
    local = TOPIC.replace("{name: t}", '{name: t, annotations: {config.kubernetes.io/local-config: "true"}}')

    assert (loose.exit_code, [finding.rule for finding in loose.results]) == (0, ["missing-schema"])
    assert old.exit_code == 1
    assert "Validating arbitrary CRDs is not supported yet." in old.stderr
    assert [(one.exit_code, one.results) for one in quiet] == [(0, [])] * 6
    assert answer([local], name="kubeval").results == []


def test_a_kind_of_a_crd_in_the_package() -> None:
    """The checks are an API server's; unknown fields count if strict."""
    strict = answer([CRD, TOPIC], '{strict: "true"}')

    assert [finding.field for finding in answer([CRD, TOPIC]).results] == ["spec.size"]
    assert sorted(finding.field for finding in strict.results) == ["spec.more", "spec.size"]


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        ("{kubernetes_version: '1.4'}", "invalid-config"),
        ("{strict: [a]}", "invalid-config"),
        ("{schema_location: /jsonschema}", "unread-field"),
    ],
)
def test_keys_that_cannot_be_used(data: str, rule: str) -> None:
    """A version that nobody knows is an error with the known ones; places of schemas are not read."""
    assert [finding.rule for finding in answer([yaml.safe_dump(DEPLOYMENT)], data).results] == [rule]
