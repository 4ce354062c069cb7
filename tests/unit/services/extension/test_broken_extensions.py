"""Extensions as authors get them wrong: check-extension finds each, and says how to mend it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.cli import main
from krmkit.libraries.json import Object
from tests.unit.systems.clusterapi.fixtures import INFRASTRUCTURE, cluster, cluster_class, templates

MODULE = """
import time
from krmkit.systems.clusterapi.extension import Extension

extension = Extension("mirrors")

@extension.discover_variables("discover-variables-mirror")
def variables(settings):
    return [{"name": "registryMirror", "required": True, "schema": {"openAPIV3Schema": {"type": "string"}}}]

@extension.generate_patches("generate-patches-mirror")
def patch(templates):
    for template in templates:
        if template.kind in ("DevClusterTemplate", "OtherClusterTemplate"):
            BODY
"""
SPEC = 'template.object["spec"]["template"]["spec"]'
VARIABLE: Object = {"name": "registryMirror", "schema": {"openAPIV3Schema": {"type": "string"}}}
SELECTOR: Object = {
    "apiVersion": INFRASTRUCTURE,
    "kind": "MetalClusterTemplate",
    "matchResources": {"infrastructureCluster": True},
}
WRITE: Object = {
    "op": "add",
    "path": "/spec/template/spec/mirror",
    "valueFrom": {"variable": "registryMirror"},
}


def handler(name: str = "mirror", **fields: Any) -> Object:
    return {"name": name, **fields}


def patch(*changes: Object, **selector: Any) -> Object:
    definition = {"selector": {**SELECTOR, **selector}, "jsonPatches": list(changes)}
    return {"name": "mirror", "definitions": [definition]}


def write_extension(folder: Path, *handlers: Object) -> str:
    data = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "TopologyExtension",
        "metadata": {"name": "mirrors"},
        "spec": {"handlers": list(handlers)},
    }
    (folder / "extension.yaml").write_text(json.dumps(data), "utf-8")
    return str(folder / "extension.yaml")


def write_package(folder: Path) -> str:
    """A package with a Cluster whose class names the extension."""
    external = {
        "generatePatchesExtension": "generate-patches-mirror.mirrors",
        "discoverVariablesExtension": "discover-variables-mirror.mirrors",
    }
    items = [
        cluster_class(patches=[{"name": "mirrors", "external": external}]),
        *templates(),
        cluster(variables=[{"name": "registryMirror", "value": "m"}]),
    ]
    place = folder / "package"
    place.mkdir()
    (place / "items.yaml").write_text(yaml.safe_dump_all(items), "utf-8")
    return str(place)


def findings(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[Object]]:
    code = main(["topology", "check-extension", *words, "-f", "json"])
    return code, json.loads(capsys.readouterr().out)["findings"]


def found_by(listed: list[Object], rule: str) -> list[Object]:
    return [one for one in listed if one["rule"] == rule]


@pytest.mark.parametrize(
    ("body", "rule", "message"),
    [
        pytest.param(
            f'{SPEC}["mirror"] = template.variables.get("registryMirror")',
            "input-validation",
            'a request without variables with Success and other patches; it must fail with a message that says: variables: Required value: required variable "registryMirror" must be set',
            id="takes a missing variable for null",
        ),
        pytest.param(
            f'{SPEC}["mirror"] = template.variables["registryMirror"] if "registryMirror" in template.variables else "<no value>"',
            "input-validation",
            'makes a patch that writes "<no value>", a variable that is not set; fail where it is missing, or guard its use',
            id="writes no value",
        ),
        pytest.param(
            f'{SPEC}["mirror"] = template.variable("registryMirror", object)',
            "input-validation",
            'with registryMirror of another type with Success and other patches; it must fail with a message that says: variables[registryMirror].value: Invalid value: "12345"',
            id="writes a value of any type",
        ),
        pytest.param(
            f'time.sleep(0.3); {SPEC}["mirror"] = template.variable("registryMirror", str)',
            "slow",
            "more than 100 ms",
            id="is slow",
        ),
    ],
)
def test_modules(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    body: str,
    rule: str,
    message: str,
) -> None:
    """Violations, and exit code 1."""
    (tmp_path / "broken_mirror.py").write_text(MODULE.replace("BODY", body), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_mirror", raising=False)

    code, listed = findings(
        capsys, "--module", "broken_mirror", "--max-ms", "100" if rule == "slow" else "10000"
    )

    assert code == 1
    assert any(message in one["message"] for one in found_by(listed, rule)), listed
    assert {one["severity"] for one in found_by(listed, rule)} == {"violation"}


def test_a_module_that_patches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its kind is none of the package."""
    body = f'{SPEC}["mirror"] = template.variable("registryMirror", str)'
    (tmp_path / "idle_mirror.py").write_text(MODULE.replace("BODY", body), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    code, listed = findings(
        capsys, "--module", "idle_mirror", "--package", write_package(tmp_path), "--max-ms", "10000"
    )

    assert code == 0
    [found] = listed
    assert (found["rule"], found["severity"]) == ("no-patches", "warning")
    assert "check kinds, apiVersions, variables" in found["message"]


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (
            {"kind": "MetalClustrTemplate"},
            'no template is a MetalClustrTemplate; did you mean "MetalClusterTemplate"?',
        ),
        (
            {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1"},
            "MetalClusterTemplate is there in infrastructure.cluster.x-k8s.io/v1beta2, not in infrastructure.cluster.x-k8s.io/v1beta1",
        ),
        ({"matchResources": {"controlPlane": True}}, "not where matchResources looks (controlPlane)"),
    ],
    ids=["a typo", "another apiVersion", "another place"],
)
def test_dead_selectors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], selector: Object, message: str
) -> None:
    """The patch selects nothing in the package, and says what is there."""
    extension = write_extension(tmp_path, handler(variables=[VARIABLE], patches=[patch(WRITE, **selector)]))

    _, listed = findings(capsys, extension, "--package", write_package(tmp_path), "--max-ms", "10000")

    [found] = found_by(listed, "unused-patch")
    assert found["severity"] == "warning"
    assert found["message"].startswith("spec.handlers[0].patches[0].definitions[0].selector: ")
    assert message in found["message"]


def test_a_sound_extension(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is found with its package, not even a warning."""
    extension = write_extension(tmp_path, handler(variables=[VARIABLE], patches=[patch(WRITE)]))

    code, listed = findings(capsys, extension, "--package", write_package(tmp_path), "--max-ms", "10000")

    assert (code, listed) == (0, [])


@pytest.mark.parametrize(
    ("handlers", "code", "rule", "message"),
    [
        pytest.param(
            [
                handler(variables=[VARIABLE]),
                handler("other", variables=[{**VARIABLE, "required": True}]),
            ],
            1,
            "conflicting-variables",
            '"discover-variables-mirror" and "discover-variables-other" differ in required (false, true); a class that names both stops',
            id="two definitions of one name",
        ),
        pytest.param(
            [handler(variables=[{**VARIABLE, "name": "version"}])],
            0,
            "generic-variable",
            "version is a generic name: a class whose other patches define one, too, has a conflict, and stops; name what it is for, such as registryVersion",
            id="a generic variable",
        ),
        pytest.param(
            [handler(variables=[VARIABLE], patches=[patch(WRITE)], failurePolicy="Ignore")],
            0,
            "failure-policy",
            "machines roll twice; take Fail, and several replicas",
            id="failurePolicy Ignore",
        ),
    ],
)
def test_items(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    handlers: list[Object],
    code: int,
    rule: str,
    message: str,
) -> None:
    """Each finding names the remedy."""
    outcome, listed = findings(capsys, write_extension(tmp_path, *handlers), "--max-ms", "10000")

    assert outcome == code
    assert any(message in one["message"] for one in found_by(listed, rule)), listed


@pytest.mark.parametrize(
    ("now", "rule", "message"),
    [
        (
            {**VARIABLE, "required": True},
            "breaking-variable",
            "registryMirror: is required now and has no default; Clusters whose values do not fit stop: take a new name, or widen",
        ),
        (
            {"name": "registryMirror", "schema": {"openAPIV3Schema": {"type": "string", "enum": ["a"]}}},
            "breaking-variable",
            "enum is new",
        ),
        (
            {"name": "otherMirror", "schema": {"openAPIV3Schema": {"type": "string"}}},
            "changed-variable",
            "registryMirror is gone; Clusters that set it are refused: keep it for a while, unused",
        ),
        (
            {"name": "registryMirror", "schema": {"openAPIV3Schema": {"type": "string", "description": "x"}}},
            "changed-variable",
            "all values that fitted still do",
        ),
    ],
)
def test_definitions_that_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], now: Object, rule: str, message: str
) -> None:
    """Breaking ones fail, others are a warning."""
    recorded = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "TopologyResponses",
        "metadata": {"name": "recorded"},
        "spec": {"responses": [{"hook": "DiscoverVariables", "response": {"variables": [VARIABLE]}}]},
    }
    (tmp_path / "recorded.yaml").write_text(json.dumps(recorded), "utf-8")
    extension = write_extension(tmp_path, handler(variables=[now]))

    code, listed = findings(
        capsys, extension, "--recorded", str(tmp_path / "recorded.yaml"), "--max-ms", "10000"
    )

    assert code == (rule == "breaking-variable")
    [found] = listed
    assert found["rule"] == rule
    assert message in found["message"]


def test_a_literal_template(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It cannot even be loaded."""
    change = {"op": "add", "path": "/spec/template/spec/mirror", "value": "{{ .registryMirror }}"}
    extension = write_extension(tmp_path, handler(variables=[VARIABLE], patches=[patch(change)]))

    assert main(["topology", "check-extension", extension]) == 1

    assert "is written as it is; put it into valueFrom.template" in capsys.readouterr().err
