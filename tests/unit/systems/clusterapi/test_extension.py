"""Extensions in Python: templates walked, variables decoded, differences answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.extension import Extension, HookError, Templates, decoded

HOLDER = {"kind": "Cluster", "namespace": "n", "name": "c", "fieldPath": "spec.infrastructureRef"}


@dataclass
class Mirror:
    host: str
    insecure: bool = False
    tags: list[str] = field(default_factory=list)


def request(**variables: Any) -> Object:
    template = {"apiVersion": "i/v1", "kind": "T", "spec": {"template": {"spec": {}}}}
    return {
        "variables": [{"name": name, "value": value} for name, value in variables.items()],
        "items": [
            {"uid": "1", "holderReference": HOLDER, "object": template},
            {"uid": "2", "holderReference": HOLDER, "object": {"apiVersion": "i/v1", "kind": "U"}},
        ],
    }


def extension() -> Extension:
    made = Extension("registries")

    @made.generate_patches("patch", timeoutSeconds=5)
    def patch(templates: Templates) -> None:
        for template in templates.of("T", "i/v1"):
            mirror = template.variable("mirror", Mirror)
            template.object["spec"]["template"]["spec"]["mirror"] = mirror.host

    @made.validate_topology("check")
    def check(templates: Templates) -> None:
        for template in templates:
            if template.variable("mirror", Mirror).insecure:
                templates.refuse(template, "insecure mirrors are not allowed")

    @made.discover_variables("variables")
    def variables(settings: dict[str, str]) -> list[Object]:
        return [{"name": settings.get("name", "mirror"), "schema": {"openAPIV3Schema": {"type": "object"}}}]

    return made


def test_patches_are_the_difference() -> None:
    """Each template has an item in the answer, also one that stays as it is."""
    answer = extension().answer("GeneratePatches", "patch", request(mirror={"host": "h"}))

    assert [item["patch"] for item in answer["items"]] == [
        [{"op": "add", "path": "/spec/template/spec/mirror", "value": "h"}],
        [],
    ]


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({}, "variable mirror is not set"),
        ({"mirror": "h"}, "variable mirror must be a map, got str"),
        ({"mirror": {}}, "variable mirror.host is not set"),
        ({"mirror": {"host": 1}}, "variable mirror.host must be a text, got int"),
        ({"mirror": {"host": "h", "tags": ["a", 1]}}, "variable mirror.tags[1] must be a text, got int"),
        ({"mirror": {"host": "h", "insecur": True}}, 'did you mean "insecure"?'),
    ],
)
def test_bad_variables(variables: Object, message: str) -> None:
    """A clean failure that names the template and the variable."""
    answer = extension().answer("GeneratePatches", "patch", request(**variables))

    assert answer["status"] == "Failure"
    assert answer["message"].startswith("T of Cluster n/c at spec.infrastructureRef: variable mirror")
    assert message in answer["message"]


def test_refusals_and_variables() -> None:
    """ValidateTopology reports all that was refused; DiscoverVariables sees the settings."""
    made = extension()

    refused = made.answer("ValidateTopology", "check", request(mirror={"host": "h", "insecure": True}))
    found = made.answer("DiscoverVariables", "variables", {"settings": {"name": "other"}})

    assert refused["message"].count("insecure mirrors are not allowed") == 2
    assert made.answer("ValidateTopology", "check", request(mirror={"host": "h"}))["status"] == "Success"
    assert found["variables"][0]["name"] == "other"
    assert made.answer("ValidateTopology", "chek", {})["status"] == "Failure"


@pytest.mark.parametrize("hook", ["generate_patches", "validate_topology", "discover_variables"])
def test_unknown_options(hook: str) -> None:
    """A typing error must not become a field of discovery."""
    decorate = getattr(Extension("x"), hook)

    with pytest.raises(TypeError, match='unknown option timeout_seconds; did you mean "timeoutSeconds"'):
        decorate("a", timeout_seconds=5)


def test_discovery() -> None:
    """Handlers with their options; a name is taken once."""
    made = extension()

    handlers = made.discovery()["handlers"]

    assert [one["name"] for one in handlers] == ["patch", "check", "variables"]
    assert handlers[0]["timeoutSeconds"] == 5
    with pytest.raises(ValueError, match="the handler patch is there twice"):
        made.validate_topology("patch")(lambda templates: None)


@pytest.mark.parametrize(
    ("value", "of", "expected"),
    [
        (1, float, 1),
        ({"a": [1]}, dict[str, list[int]], {"a": [1]}),
        (None, str | None, None),
        ("a", str | None, "a"),
        (1, int | str, 1),
        ("50%", int | str, "50%"),
        (None, int | str | None, None),
        ([1], Any, [1]),
        ({"host": "h"}, Mirror, Mirror("h")),
    ],
)
def test_decoded(value: Any, of: Any, expected: Any) -> None:
    """Plain data as what a handler asks for."""
    assert decoded(value, of, "x") == expected


@pytest.mark.parametrize(("value", "of"), [(True, int), (1.5, int), ("1", int), (1, bool), (None, str)])
def test_not_decoded(value: Any, of: Any) -> None:
    """No type is taken for another one."""
    with pytest.raises(HookError, match="x must be"):
        decoded(value, of, "x")


def test_no_alternative_fits() -> None:
    """The message has what each type wants."""
    with pytest.raises(HookError, match=r"^x must be an integer, got list; or x must be a text, got list$"):
        decoded([], int | str | None, "x")
