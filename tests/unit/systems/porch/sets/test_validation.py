"""krmkit.systems.porch.sets.validation: validation of a PackageVariantSet."""

from __future__ import annotations

import pytest

from krmkit.systems.porch.sets.validation import validate_set

UPSTREAM: dict[str, object] = {"repo": "blueprints", "package": "front", "revision": 2}
ONE_OF = "must specify one of `repositories`, `repositorySelector`, or `objectSelector`"


def with_target(**target: object) -> dict[str, object]:
    return {"upstream": UPSTREAM, "targets": [target]}


def with_template(**template: object) -> dict[str, object]:
    return with_target(repositories=[{"name": "north"}], template=template)


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        pytest.param(
            {},
            ["spec.upstream is a required field", "must specify at least one item in spec.targets"],
            id="empty",
        ),
        pytest.param(
            {"upstream": {}, "targets": []},
            [
                "spec.upstream.package is a required field",
                "spec.upstream.repo is a required field",
                "either spec.upstream.revision or spec.upstream.workspaceName must be specified",
                "must specify at least one item in spec.targets",
            ],
            id="package before repo",
        ),
        pytest.param(
            {"upstream": dict(UPSTREAM, revision="v3"), "targets": [{"repositorySelector": {}}]},
            [],
            id="revision vN",
        ),
        pytest.param(
            {"upstream": dict(UPSTREAM, revision="v0"), "targets": [{"repositorySelector": {}}]},
            ["either spec.upstream.revision or spec.upstream.workspaceName must be specified"],
            id="revision v0 is none",
        ),
        pytest.param(with_target(), [f"spec.targets[0] {ONE_OF}"], id="no kind of target"),
        pytest.param(
            with_target(repositories=[]),
            ["spec.targets[0].repositories must not be an empty list if specified"],
            id="an empty list counts as given",
        ),
        pytest.param(with_target(repositories=None, repositorySelector={}), [], id="null counts as absent"),
        pytest.param(
            with_target(
                repositories=[{"name": "a"}, {"packageNames": ["", "x", ""]}], objectSelector={"kind": ""}
            ),
            [
                "spec.targets[0].repositories[1].name cannot be empty",
                "spec.targets[0].repositories[1].packageNames[0] cannot be empty",
                "spec.targets[0].repositories[1].packageNames[2] cannot be empty",
                "spec.targets[0].objectselector.apiVersion cannot be empty",
                "spec.targets[0].objectselector.kind cannot be empty",
                f"spec.targets[0] {ONE_OF}",
            ],
            id="everything about a target, in order",
        ),
        pytest.param(
            with_template(adoptionPolicy="", deletionPolicy="drop"),
            [
                'spec.targets[0].template.adoptionPolicy can only be "adoptNone" or "adoptExisting"',
                'spec.targets[0].template.deletionPolicy can only be "orphan" or "delete"',
            ],
            id="a policy that is given must be one",
        ),
        pytest.param(
            with_template(
                downstream={"repo": "", "repoExpr": "", "package": None, "packageExpr": "'p'"},
                labelExprs=[{}, {"key": "", "keyExpr": ""}],
                annotationExprs=[{"key": "a", "value": None, "valueExpr": "'b'"}],
                packageContext={"dataExprs": [{"key": "a", "value": "b", "valueExpr": "'b'"}]},
                injectors=[{"name": ""}, {"name": "a", "nameExpr": "b"}, {"kind": "Team"}],
                pipeline={
                    "mutators": [
                        {"exec": "x"},
                        {"image": "a", "configMapExprs": [{"key": "a", "keyExpr": "'b'", "value": "c"}]},
                    ],
                    "validators": [{"image": "v", "name": "a.b"}],
                },
            ),
            [
                "spec.targets[0].template may specify only one of `downstream.repo` and `downstream.repoExpr`",
                "spec.targets[0].template.labelExprs[1] may specify only one of `key` and `keyExpr`",
                "spec.targets[0].template.packageContext.dataExprs[0] may specify only one of `value` and `valueExpr`",
                "spec.targets[0].template.injectors[1] may specify only one of `name` and `nameExpr`",
                "spec.targets[0].template.injectors[2] must specify either `name` or `nameExpr`",
                "spec.targets[0].template.pipeline.validators[0].name must not contain '.'",
                "spec.targets[0].template.pipeline.mutators[0].image must not be empty",
                "spec.targets[0].template.pipeline.mutators[1].configMapExprs[0] may specify only one of `key` and `keyExpr`",
            ],
            id="presence counts, not content; validators before mutators",
        ),
    ],
)
def test_validation(spec: dict[str, object], errors: list[str]) -> None:
    """Messages and their order are the controller's."""
    assert validate_set(spec) == errors
