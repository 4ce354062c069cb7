"""The package of a server, filled in: what is refused, and what belongs to whom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.fn.run import Outcome
from krmkit.fn.testing import run_function
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit

FUNCTION = Path(__file__).resolve().parents[5] / "functions/configure-topology-extension"


def item(kind: str, name: str = "topology-extension", api: str = "v1", **rest: Any) -> Object:
    metadata = {
        "name": name,
        **({"namespace": "old"} if kind not in ("Namespace", "ExtensionConfig") else {}),
    }
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **rest}


def deployment(container: str = "server") -> Object:
    pod = {"containers": [{"name": "sidecar", "image": "s"}, {"name": container, "image": "i"}]}
    return item("Deployment", api="apps/v1", spec={"template": {"spec": pod}})


def config(name: str, service: str = "topology-extension") -> Object:
    client = {"service": {"name": service, "namespace": "old"}}
    return item("ExtensionConfig", name, "runtime.cluster.x-k8s.io/v1beta2", spec={"clientConfig": client})


def extension(name: str, **spec: Any) -> Object:
    variable = {"name": "v", "schema": {"openAPIV3Schema": {"type": "string"}}}
    metadata = {"name": name, "annotations": {"config.kubernetes.io/local-config": "true"}}
    handlers = [{"name": name, "variables": [variable]}]
    return {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "TopologyExtension",
        "metadata": metadata,
        "spec": spec or {"handlers": handlers},
    }


def elsewhere(item: Object) -> Object:
    return {**item, "metadata": {**item["metadata"], "namespace": "elsewhere"}}


def large() -> Object:
    schema = {"type": "string", "description": "x" * (1 << 20)}
    return {"name": "big", "variables": [{"name": "v", "schema": {"openAPIV3Schema": schema}}]}


def run(*items: Object, **spec: Any) -> Outcome:
    listed = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": list(items),
        "functionConfig": {
            "apiVersion": "krmkit.dev/v1alpha1",
            "kind": "ConfigureTopologyExtension",
            "metadata": {"name": "c"},
            "spec": spec,
        },
    }
    return run_function(FUNCTION, emit.document(listed))


def made(outcome: Outcome) -> dict[tuple[str, str], Object]:
    items = yaml.safe_load(outcome.stdout)["items"]
    return {(one["kind"], one["metadata"]["name"]): one for one in items}


@pytest.mark.parametrize(
    ("items", "spec", "rule", "message"),
    [
        ([], {}, "no-server", 'no Deployment "topology-extension" with a container "server"'),
        ([deployment()], {"name": "other"}, "no-server", 'no Deployment "other"'),
        ([deployment("main")], {}, "no-server", "no Deployment"),
        ([deployment()], {"caBundle": "MIIB"}, "bad-ca", "must be a certificate in PEM"),
        (
            [deployment(), {**extension("a"), "metadata": {}}],
            {},
            "bad-extension",
            "must be a mapping with a name",
        ),
        ([deployment(), extension("a", handler=[])], {}, "bad-extension", 'did you mean "handlers"?'),
        ([deployment(), extension("a"), elsewhere(extension("a"))], {}, "bad-extension", "have the name a"),
        (
            [deployment(), extension("a"), extension("b", handlers=extension("a")["spec"]["handlers"])],
            {},
            "bad-extension",
            "the handler discover-variables-a is in a and in b",
        ),
        (
            [deployment(), extension("big", handlers=[large()])],
            {},
            "too-large",
            "a ConfigMap holds at most 1048576 bytes",
        ),
    ],
)
def test_refused(items: list[Object], spec: Object, rule: str, message: str) -> None:
    """The error says what would be right, and the items stay as they came."""
    outcome = run(*items, namespace="new", **spec)

    assert outcome.exit_code == 1
    assert {one.rule for one in outcome.results} == {rule}
    assert any(message in one.message for one in outcome.results), outcome.results
    assert [one["metadata"].get("namespace") for one in yaml.safe_load(outcome.stdout)["items"]] == [
        one["metadata"].get("namespace") for one in items
    ]


def test_only_its_own_parts() -> None:
    """Another namespace, another ExtensionConfig, a sidecar and a ConfigMap of another name stay as they are."""
    strangers = [
        item("ConfigMap", "other", data={"a": "b"}),
        config("far", "elsewhere"),
        item("Service", "x"),
    ]
    strangers[2]["metadata"]["namespace"] = "else"
    outcome = run(
        deployment(),
        item("ConfigMap"),
        config("a"),
        extension("a"),
        *strangers,
        namespace="new",
        image="new:1",
    )
    found = made(outcome)

    assert outcome.exit_code == 0, outcome.results
    containers = found["Deployment", "topology-extension"]["spec"]["template"]["spec"]["containers"]
    assert [one["image"] for one in containers] == ["s", "new:1"]
    assert found["ConfigMap", "other"]["data"] == {"a": "b"}
    assert found["ConfigMap", "other"]["metadata"]["namespace"] == "new"
    assert found["Service", "x"]["metadata"]["namespace"] == "else"
    assert found["ExtensionConfig", "far"] == config("far", "elsewhere")
    assert list(found["ConfigMap", "topology-extension"]["data"]) == ["a.yaml"]
    service = found["ExtensionConfig", "a"]["spec"]["clientConfig"]["service"]
    assert (service["namespace"], service["path"]) == ("new", "/a")


def test_extensions_and_their_configs() -> None:
    """Each is called below its name; the annotation on either counts; one that nobody calls is a warning."""
    named = config("by-config")
    named["metadata"]["annotations"] = {"krmkit.dev/extension": "b"}
    c = extension("c")
    c["metadata"]["annotations"]["krmkit.dev/extension"] = "by-extension"
    outcome = run(
        deployment(),
        item("ConfigMap"),
        named,
        config("by-extension"),
        extension("b"),
        c,
        extension("lonely"),
    )
    found = made(outcome)

    assert found["ExtensionConfig", "by-config"]["spec"]["clientConfig"]["service"]["path"] == "/b"
    assert found["ExtensionConfig", "by-extension"]["spec"]["clientConfig"]["service"]["path"] == "/c"
    assert [(one.rule, "lonely" in str(one.resource_ref)) for one in outcome.results] == [
        ("not-called", True)
    ]
    data = found["ConfigMap", "topology-extension"]["data"]
    assert list(data) == ["b.yaml", "c.yaml", "lonely.yaml"]
    assert yaml.safe_load(data["c.yaml"])["metadata"] == {
        "name": "c",
        "annotations": {"krmkit.dev/extension": "by-extension"},
    }


def test_metadata_that_is_a_list() -> None:
    """It is named as what is wrong."""
    outcome = run(deployment(), {**extension("a"), "metadata": ["x"]})

    assert [result.rule for result in outcome.results] == ["bad-extension"]
    assert outcome.results[0].message == "must be a mapping with a name"
