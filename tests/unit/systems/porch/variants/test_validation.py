"""krmkit.systems.porch.variants.validation: validation of a PackageVariant and its conditions."""

from __future__ import annotations

import pytest

from krmkit.systems.porch.variants.validation import (
    conditions_of_failure,
    conditions_of_invalid,
    conditions_of_success,
    validate_context,
    validate_variant,
)

UPSTREAM = {"repo": "blueprints", "package": "front"}
DOWNSTREAM = {"repo": "north", "package": "front"}
VALID = {"upstream": UPSTREAM, "downstream": DOWNSTREAM}
RESERVED = 'must not contain the key "name"'
RESERVED_PATH = 'must not contain the key "package-path"'


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        pytest.param(VALID, [], id="least"),
        pytest.param(
            {},
            ["missing required field spec.upstream", "missing required field spec.downstream"],
            id="empty",
        ),
        pytest.param(
            {"upstream": {"revision": 3}, "downstream": {"repo": "", "package": ""}},
            [
                "missing required field spec.upstream.repo",
                "missing required field spec.upstream.package",
                "missing required field spec.downstream.repo",
                "missing required field spec.downstream.package",
            ],
            id="repo before package",
        ),
        pytest.param(
            {**VALID, "adoptionPolicy": "", "deletionPolicy": ""}, [], id="empty policies are the defaults"
        ),
        pytest.param(
            {**VALID, "adoptionPolicy": "AdoptNone", "deletionPolicy": "Orphan"},
            [
                'spec.adoptionPolicy field can only be "adoptNone" or "adoptExisting"',
                'spec.deletionPolicy can only be "orphan" or "delete"',
            ],
            id="policies are case-sensitive",
        ),
        pytest.param(
            {
                **VALID,
                "packageContext": {
                    "data": {"package-path": "x", "name": "<a>"},
                    "removeKeys": ["name", "b", "name"],
                },
            },
            [
                f'spec.packageContext.data: Invalid value: {{"name":"\\u003ca\\u003e","package-path":"x"}}: {RESERVED}',
                f'spec.packageContext.removeKeys: Invalid value: ["name","b","name"]: {RESERVED}',
                f'spec.packageContext.removeKeys: Invalid value: ["name","b","name"]: {RESERVED}',
                f'spec.packageContext.data: Invalid value: {{"name":"\\u003ca\\u003e","package-path":"x"}}: {RESERVED_PATH}',
            ],
            id="reserved keys, once for each occurrence",
        ),
        pytest.param(
            {**VALID, "injectors": [{"name": "a"}, {"kind": "Team"}, {"name": ""}]},
            ["spec.injectors[1].name must not be empty", "spec.injectors[2].name must not be empty"],
            id="injectors",
        ),
        pytest.param(
            {
                **VALID,
                "pipeline": {"mutators": [{"name": "a.b"}]},
                "upstream": {**UPSTREAM, "workspaceName": ""},
            },
            [],
            id="not looked at: pipeline, workspace",
        ),
    ],
)
def test_validation(spec: dict[str, object], errors: list[str]) -> None:
    """Messages and their order are the controller's."""
    assert validate_variant(spec) == errors


def test_reserved_keys_with_what_go_escapes() -> None:
    """Go escapes what would be dangerous in HTML, and nothing else outside ASCII."""
    assert validate_context({"data": {"name": "é&", "a": "<"}}) == [
        'spec.packageContext.data: Invalid value: {"a":"\\u003c","name":"é\\u0026"}: must not contain the key "name"'
    ]


def test_conditions() -> None:
    """Both conditions are there in each outcome."""
    ready, invalid, failed = (
        conditions_of_success(),
        conditions_of_invalid(["a", "b"]),
        conditions_of_failure("x"),
    )

    assert [(c.type, c.status, c.reason) for c in ready] == [
        ("Stalled", "False", "Valid"),
        ("Ready", "True", "NoErrors"),
    ]
    assert invalid[0].data() == {
        "type": "Stalled",
        "status": "True",
        "reason": "ValidationError",
        "message": "a; b",
    }
    assert invalid[1].message == "invalid packagevariant object"
    assert [(c.type, c.status, c.reason, c.message) for c in failed][1] == ("Ready", "False", "Error", "x")
