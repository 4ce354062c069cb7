"""krmkit.systems.landscaper.form.installation: what an Installation may hold, field by field."""

from __future__ import annotations

import copy
import json
from pkgutil import get_data
from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.landscaper.form.installation import SPEC, structure_errors
from tests.unit.systems.landscaper.worlds import obj

REF: Object = {
    "repositoryContext": {"type": "ociRegistry", "baseUrl": "x"},
    "componentName": "c",
    "version": "1",
}
WHOLE: Object = obj(
    "Installation",
    "shop",
    spec={
        "context": "default",
        "verification": {"signatureName": "s"},
        "registryPullSecrets": [{"name": "s"}],
        "componentDescriptor": {"ref": REF},
        "blueprint": {"ref": {"resourceName": "blueprint"}},
        "imports": {
            "data": [
                {"name": "a", "version": "v1", "dataRef": "a"},
                {"name": "b", "secretRef": {"name": "s", "key": "k"}},
                {"name": "c", "configMapRef": {"name": "s", "namespace": "default"}},
            ],
            "targets": [
                {"name": "d", "target": "t"},
                {"name": "e", "targets": ["t", "u"]},
                {"name": "f", "targetMap": {"a": "t", "b-1.c": "u", "z" * 63: "t"}},
                {"name": "g", "targetListRef": "t"},
                {"name": "h", "targetMapRef": "t"},
            ],
        },
        "importDataMappings": {"a": 1},
        "exports": {
            "data": [{"name": "a", "dataRef": "x"}, {"name": "b", "dataRef": "y"}],
            "targets": [{"name": "a", "target": "x"}],
        },
        "exportDataMappings": {"a": [1]},
        "automaticReconcile": {
            "succeededReconcile": {"interval": "24h", "cronSpec": "@daily"},
            "failedReconcile": {"interval": "5m", "cronSpec": "0 * * * *", "numberOfReconciles": 0},
        },
        "optimization": {"hasNoSiblingImports": True, "hasNoSiblingExports": False},
    },
)


def changed(path: str, value: Any) -> Object:
    """The whole Installation with another value at one place; `...` removes it."""
    found = copy.deepcopy(WHOLE)
    place: Any = found["spec"]
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return found


def said(installation: Object) -> list[tuple[str, str]]:
    """(field, message) of everything that is wrong; all of it has the rule invalid."""
    errors = structure_errors(installation)
    assert {error.rule for error in errors} <= {"invalid"}
    return [(error.field, error.message) for error in errors]


def test_the_fields_are_those_of_the_crd() -> None:
    """A field that a newer CRD has is known as soon as the CRD is here."""
    text = get_data("krmkit.systems.landscaper.items", "publishedcrds.json")
    assert text is not None
    kinds = json.loads(text)["kinds"]
    spec = kinds["landscaper.gardener.cloud/v1alpha1/Installation"]["properties"]["spec"]

    assert SPEC.keys() == spec["properties"].keys()
    assert SPEC["exports"] == {
        "data": [{"dataRef": "a text", "name": "a text"}],
        "targets": [{"name": "a text", "target": "a text"}],
    }
    assert SPEC["importDataMappings"] == {}


def test_every_field_is_known() -> None:
    """An Installation that uses every field is right."""
    assert said(WHOLE) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("componentDescriptor", ...),
        ("componentDescriptor", {"inline": {"anything": 1}}),
        ("blueprint", {"inline": {"filesystem": {"blueprint.yaml": ""}}}),
        ("imports", None),
        ("exports", {}),
        ("automaticReconcile", ...),
        ("context", ...),
        ("automaticReconcile.failedReconcile", {}),
    ],
)
def test_what_may_be_left_out(path: str, value: Any) -> None:
    """Only the blueprint must be there."""
    assert said(changed(path, value)) == []


NO_KEY = "a key must have at most 63 lower-case letters, digits, dots and dashes"


@pytest.mark.parametrize(
    ("path", "value", "field", "message"),
    [
        ("blueprint", ..., "spec.blueprint", "one of ref and inline must be given"),
        ("blueprint", {}, "spec.blueprint", "one of ref and inline must be given"),
        ("blueprint.inline", {}, "spec.blueprint", "only one of ref and inline may be given"),
        ("blueprint.reff", {}, "spec.blueprint.reff", 'unknown field "reff"; must be "ref"'),
        ("blueprint.ref.zzz", 1, "spec.blueprint.ref.zzz", 'unknown field "zzz"; known: resourceName'),
        ("componentDescriptor", {}, "spec.componentDescriptor", "one of ref and inline must be given"),
        ("componentDescriptor.inline", {}, "spec.componentDescriptor", "only one of ref and inline may be given"),
        ("componentDescriptor.ref.versoin", "1", "spec.componentDescriptor.ref.versoin", 'unknown field "versoin"; must be "version"'),
        ("componentDescriptor.zzz", 1, "spec.componentDescriptor.zzz", 'unknown field "zzz"; known: inline, ref'),
        ("imports.targets.0.targetMaps", {}, "spec.imports.targets[0].targetMaps", 'unknown field "targetMaps"; must be "targetMap"'),
        ("verification.zzz", 1, "spec.verification.zzz", 'unknown field "zzz"; known: signatureName'),
        ("importz", {}, "spec.importz", 'unknown field "importz"; must be "imports"'),
        ("imports.dat", [], "spec.imports.dat", 'unknown field "dat"; must be "data"'),
        ("exports.target", [], "spec.exports.target", 'unknown field "target"; must be "targets"'),
        ("imports.data.0.name", "", "spec.imports.data[0].name", "must not be empty"),
        ("imports.data.0.name", ..., "spec.imports.data[0].name", "must not be empty"),
        ("imports.data.0.dataRef", ..., "spec.imports.data[0]", "exactly one of dataRef, secretRef, configMapRef must be given"),
        ("imports.targets.0.target", ..., "spec.imports.targets[0]", "exactly one of target, targets, targetMap, targetListRef, targetMapRef must be given"),
        ("imports.targets.0.targets", [], "spec.imports.targets[0]", "exactly one of target, targets, targetMap, targetListRef, targetMapRef must be given, got target and targets"),
        ("imports.data.1.secretRef.name", "", "spec.imports.data[1].secretRef.name", "must not be empty"),
        ("imports.data.2.configMapRef", {}, "spec.imports.data[2].configMapRef.name", "must not be empty"),
        ("imports.data.0.dataref", "a", "spec.imports.data[0].dataref", 'unknown field "dataref"; must be "dataRef"'),
        ("imports.data.0.configmapRef", {}, "spec.imports.data[0].configmapRef", 'unknown field "configmapRef"; must be "configMapRef"'),
        ("imports.targets.0.targetSelector", {}, "spec.imports.targets[0].targetSelector", 'unknown field "targetSelector"; must be "target"'),
        ("imports.targets.1.targets", ["a", 5], "spec.imports.targets[1].targets[1]", "must be the name of a target"),
        ("imports.targets.1.targets", "a", "spec.imports.targets[1].targets", "must be a list, got a text"),
        ("imports.targets.2.targetMap", {"": "t"}, "spec.imports.targets[2].targetMap.", NO_KEY),
        ("imports.targets.2.targetMap", {"-a": "t"}, "spec.imports.targets[2].targetMap.-a", NO_KEY),
        ("imports.targets.2.targetMap", {"a.": "t"}, "spec.imports.targets[2].targetMap.a.", NO_KEY),
        ("imports.targets.2.targetMap", {"aB": "t"}, "spec.imports.targets[2].targetMap.aB", NO_KEY),
        ("imports.targets.2.targetMap", {"a" * 64: "t"}, f"spec.imports.targets[2].targetMap.{'a' * 64}", NO_KEY),
        ("exports.data.0.name", "", "spec.exports.data[0].name", "must not be empty"),
        ("exports.data.0.dataRef", ..., "spec.exports.data[0].dataRef", "must not be empty"),
        ("exports.targets.0.target", "", "spec.exports.targets[0].target", "must not be empty"),
        ("exports.data.1.name", "a", "spec.exports.data[1].name", 'export name "a" is used twice'),
        ("exports.data.1.dataRef", "x", "spec.exports.data[1].dataRef", '"x" is exported twice'),
        ("exports.data.0.configMapRef", {}, "spec.exports.data[0].configMapRef", "exports to a configMap are not possible; must be dataRef"),
        ("exports.targets.0.secretRef", {}, "spec.exports.targets[0].secretRef", "exports to a secret are not possible; must be target"),
        ("exports.targets.0.dataRef", "x", "spec.exports.targets[0].dataRef", 'unknown field "dataRef"; known: name, target'),
        ("automaticReconcile.failed", {}, "spec.automaticReconcile.failed", 'unknown field "failed"; known: failedReconcile, succeededReconcile'),
        ("automaticReconcile.succeededReconcile.numberOfReconciles", 1, "spec.automaticReconcile.succeededReconcile.numberOfReconciles", 'unknown field "numberOfReconciles"; known: cronSpec, interval'),
        ("automaticReconcile.failedReconcile.cronSpec", "x", "spec.automaticReconcile.failedReconcile.cronSpec", "expected exactly 5 fields, found 1: [x]"),
        ("automaticReconcile.failedReconcile.interval", "x", "spec.automaticReconcile.failedReconcile.interval", 'time: invalid duration "x"'),
        ("automaticReconcile.failedReconcile.numberOfReconciles", 1.5, "spec.automaticReconcile.failedReconcile.numberOfReconciles", "must be a whole number of at least 0"),
        ("context", 5, "spec.context", "must be a text, got a number"),
        ("context", True, "spec.context", "must be a text, got true or false"),
        ("verification", [], "spec.verification", "must be a mapping, got a list"),
        ("optimization.hasNoSiblingImports", "yes", "spec.optimization.hasNoSiblingImports", "must be true or false, got a text"),
        ("optimization.hasNoSiblingExports", 1, "spec.optimization.hasNoSiblingExports", "must be true or false, got a number"),
        ("exportDataMappings", [], "spec.exportDataMappings", "must be a mapping, got a list"),
    ],
)  # fmt: skip
def test_what_is_wrong(path: str, value: Any, field: str, message: str) -> None:
    """A wrong field is named with its place, and the right word stands there."""
    assert (field, message) in said(changed(path, value))


TEXTS = (
    "context", "verification.signatureName", "componentDescriptor.ref.componentName", "componentDescriptor.ref.version",
    "blueprint.ref.resourceName", "imports.data.0.name", "imports.data.0.dataRef", "imports.data.1.secretRef.name",
    "imports.data.1.secretRef.key", "imports.data.2.configMapRef.name", "imports.targets.0.name", "imports.targets.0.target",
    "imports.targets.3.targetListRef", "imports.targets.4.targetMapRef", "exports.data.0.name", "exports.data.0.dataRef",
    "exports.targets.0.name", "exports.targets.0.target", "automaticReconcile.failedReconcile.cronSpec",
    "automaticReconcile.succeededReconcile.interval",
)  # fmt: skip
MAPPINGS = (
    "verification", "componentDescriptor", "componentDescriptor.ref", "componentDescriptor.ref.repositoryContext", "blueprint",
    "blueprint.ref", "imports", "importDataMappings", "exports", "exportDataMappings", "automaticReconcile",
    "automaticReconcile.failedReconcile", "automaticReconcile.succeededReconcile", "optimization",
    "imports.data.1.secretRef", "imports.targets.2.targetMap", "imports.data.0", "exports.targets.0",
)  # fmt: skip
LISTS = ("imports.data", "imports.targets", "exports.data", "exports.targets", "imports.targets.1.targets")


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        *((path, "a text") for path in TEXTS),
        *((path, "a mapping") for path in MAPPINGS),
        *((path, "a list") for path in LISTS),
        ("automaticReconcile.failedReconcile.numberOfReconciles", "a number"),
    ],
)
def test_types(path: str, wanted: str) -> None:
    """Each field has its type."""
    value: Any = "x" if wanted != "a text" else 5
    steps = "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in path.split("."))
    got = "a text" if wanted != "a text" else "a number"

    assert (f"spec{steps}", f"must be {wanted}, got {got}") in said(changed(path, value))


def test_an_installation_without_a_spec() -> None:
    """Nothing at all is an error about the blueprint, and a spec that is not a mapping one about the spec."""
    bare = {"metadata": {"name": "shop"}}

    assert said(bare) == [("spec.blueprint", "one of ref and inline must be given")]
    assert ("spec", "must be a mapping, got a list") in said({**bare, "spec": []})
