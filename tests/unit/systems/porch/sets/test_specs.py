"""krmkit.systems.porch.sets.specs: templates with CEL."""

from __future__ import annotations

import subprocess
import sys

import pytest

from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.sets.specs import VariantRenderer
from krmkit.systems.porch.sets.targets import DownstreamTarget, TargetObject

UPSTREAM = {"repo": "blueprints", "package": "front", "revision": "v2"}
REPOSITORIES = {
    "north": TargetObject("north", "default", {"site": "n", "zone": "a"}, {"owner": "red"}),
    "south": TargetObject("south", "default"),
}


def render(
    template: dict[str, object] | None, repo: str = "north", target: TargetObject | None = None
) -> dict[str, object]:
    upstream = TargetObject("blueprints.front.v2", "default", {"tier": "gold"})
    renderer = VariantRenderer(UPSTREAM, upstream, REPOSITORIES)
    spec = renderer.render(DownstreamTarget(0, repo, "front", template, target))
    assert renderer.render(DownstreamTarget(0, repo, "front", template, target)) == spec
    return {key: value for key, value in spec.items() if key != "upstream"}


NORTH = {"repo": "north", "package": "front"}


@pytest.mark.parametrize(
    ("template", "spec"),
    [
        pytest.param(None, {"downstream": NORTH}, id="no template"),
        pytest.param({}, {"downstream": NORTH}, id="empty template"),
        pytest.param(
            {"downstream": {"repo": "south", "package": "back"}},
            {"downstream": {"repo": "south", "package": "back"}},
            id="downstream",
        ),
        pytest.param(
            {"downstream": {"repo": "", "repoExpr": "", "package": "", "packageExpr": ""}},
            {"downstream": NORTH},
            id="empty texts are ignored",
        ),
        pytest.param(
            {
                "downstream": {
                    "repoExpr": "'so' + 'uth'",
                    "packageExpr": "repository.name + '-' + target.package",
                }
            },
            {"downstream": {"repo": "south", "package": "south-front"}},
            id="expressions of the downstream",
        ),
        pytest.param(
            {"downstream": {"packageExpr": "repository.annotations['owner'] == 'red' ? '' : 'x'"}},
            {"downstream": {"repo": "north", "package": ""}},
            id="an expression that gives nothing is used",
        ),
        pytest.param(
            {"adoptionPolicy": "adoptExisting", "deletionPolicy": "orphan"},
            {"downstream": NORTH, "adoptionPolicy": "adoptExisting", "deletionPolicy": "orphan"},
            id="policies",
        ),
        pytest.param(
            {
                "labels": {"z": "1", "b": "2"},
                "labelExprs": [
                    {"key": "b", "valueExpr": "repoDefault"},
                    {"keyExpr": "repository.labels['site']", "value": "s"},
                    {"key": "b", "value": "last"},
                    {},
                ],
                "annotations": {},
                "annotationExprs": [],
            },
            {"downstream": NORTH, "labels": {"": "", "b": "last", "n": "s", "z": "1"}},
            id="later entries win, absent parts are empty, an empty map is left out",
        ),
        pytest.param(
            {"packageContext": {}},
            {"downstream": NORTH, "packageContext": {}},
            id="the context stays when it is empty",
        ),
        pytest.param(
            {
                "packageContext": {
                    "data": {"a": "x"},
                    "dataExprs": [{"key": "tier", "valueExpr": "upstream.labels['tier']"}],
                    "removeKeys": ["z", "b", "z"],
                    "removeKeyExprs": ["'b'", "repository.labels.zone"],
                }
            },
            {
                "downstream": NORTH,
                "packageContext": {"data": {"a": "x", "tier": "gold"}, "removeKeys": ["a", "b", "z"]},
            },
            id="context: keys to remove are sorted, without repetition",
        ),
        pytest.param(
            {
                "injectors": [
                    {"group": "", "version": None, "kind": "Team", "name": "a"},
                    {"nameExpr": ""},
                    {"nameExpr": "'team-' + repository.labels['zone']"},
                ]
            },
            {
                "downstream": NORTH,
                "injectors": [{"group": "", "kind": "Team", "name": "a"}, {"name": ""}, {"name": "team-a"}],
            },
            id="injectors: what is empty stays, what is null goes",
        ),
        pytest.param(
            {
                "pipeline": {
                    "validators": [{"image": "v", "configMap": {}, "selectors": [], "name": ""}],
                    "mutators": [
                        {
                            "image": "m",
                            "configMap": {"k": "v"},
                            "configMapExprs": [{"key": "r", "valueExpr": "repoDefault"}],
                        }
                    ],
                }
            },
            {
                "downstream": NORTH,
                "pipeline": {
                    "mutators": [{"image": "m", "configMap": {"k": "v", "r": "north"}}],
                    "validators": [{"image": "v"}],
                },
            },
            id="pipeline",
        ),
        pytest.param(
            {"pipeline": {"mutators": [], "validators": None}}, {"downstream": NORTH}, id="empty pipeline"
        ),
    ],
)
def test_render(template: dict[str, object] | None, spec: dict[str, object]) -> None:
    """The spec of the reference, the upstream as it was given."""
    assert render(template) == spec


def test_upstream_is_given_on() -> None:
    """Nothing is added to the upstream, and a revision written as vN stays that."""
    assert VariantRenderer(UPSTREAM, TargetObject(""), {}).render(DownstreamTarget(0, "x", "y", None)) == {
        "upstream": UPSTREAM,
        "downstream": {"repo": "x", "package": "y"},
    }


def test_null_in_the_upstream_is_absent() -> None:
    """As for Go: what is null was never said."""
    upstream = {**UPSTREAM, "workspaceName": None}

    assert (
        VariantRenderer(upstream, TargetObject(""), {}).render(DownstreamTarget(0, "x", "y", None))[
            "upstream"
        ]
        == UPSTREAM
    )


def test_target_is_the_selected_object() -> None:
    """With a selector the target is an object, of which four fields are known; missing labels are empty."""
    team = TargetObject("red", "", {"lead": "kim"})
    template: dict[str, object] = {
        "labelExprs": [{"keyExpr": "target.labels.lead", "valueExpr": "target.name + target.namespace"}]
    }

    assert render(template, "north", team)["labels"] == {"kim": "red"}
    with pytest.raises(PorchError, match="no such key: spec"):
        render({"labelExprs": [{"key": "a", "valueExpr": "target.spec"}]}, "north", team)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (
            {"downstream": {"repoExpr": "repository.name"}},
            "template.downstream.repoExpr: no such attribute(s): repository",
        ),
        ({"downstream": {"repoExpr": "'east'"}}, 'repository "east" could not be loaded'),
        (
            {"downstream": {"packageExpr": "1"}},
            "template.downstream.packageExpr: unsupported type conversion",
        ),
        (
            {"labelExprs": [{}, {"keyExpr": "x"}]},
            "template.labelExprs[1].keyExpr: ERROR: <input>:1:1: undeclared",
        ),
        (
            {"labelExprs": [{"key": "a", "valueExpr": ""}]},
            "template.labelExprs[0].valueExpr: ERROR: <input>:1:1: Syntax",
        ),
        (
            {"annotationExprs": [{"key": "a", "valueExpr": "upstream.labels['x']"}]},
            "template.annotationExprs[0].valueExpr: no such key: x",
        ),
        (
            {"packageContext": {"dataExprs": [{"keyExpr": "target.x"}]}},
            "template.packageContext.dataExprs[0].keyExpr: no such key: x",
        ),
        (
            {"packageContext": {"removeKeyExprs": ["'a'", "target.x"]}},
            "template.packageContext.removeKeyExprs[1]: no such key: x",
        ),
        (
            {"injectors": [{"name": "a"}, {"nameExpr": "target.x"}]},
            "template.injectors[1].nameExpr: no such key: x",
        ),
        (
            {"pipeline": {"mutators": [{"image": "a", "configMapExprs": [{"valueExpr": "target.x"}]}]}},
            "template.pipeline.mutators[0].configMapExprs[0].valueExpr: no such key: x",
        ),
        (
            {
                "labelExprs": [{"key": "a", "valueExpr": "target.x"}],
                "downstream": {"packageExpr": "target.y"},
                "injectors": [{"nameExpr": "("}],
            },
            "template.downstream.packageExpr: no such key: y",
        ),
        (
            {
                "labelExprs": [{"key": "a", "valueExpr": "target.x"}],
                "annotationExprs": [{"key": "a", "valueExpr": "("}],
            },
            "template.labelExprs[0].valueExpr: no such key: x",
        ),
        (
            {
                "pipeline": {
                    "mutators": [{"image": "a", "configMapExprs": [{"valueExpr": "("}]}],
                    "validators": [{"image": "a", "configMapExprs": [{"valueExpr": "target.x"}]}],
                }
            },
            "template.pipeline.validators[0].configMapExprs[0].valueExpr: no such key: x",
        ),
    ],
)
def test_errors(template: dict[str, object], message: str) -> None:
    """An error names its field; the first one in the order of evaluation counts, even before one that does not compile."""
    with pytest.raises(PorchError) as caught:
        render(template)

    assert str(caught.value).startswith(message)


def test_template_without_expressions_needs_no_cel() -> None:
    """CEL is loaded with the first expression only."""
    code = (
        "import sys\n"
        "from krmkit.systems.porch.sets.specs import VariantRenderer\n"
        "from krmkit.systems.porch.sets.targets import DownstreamTarget, TargetObject\n"
        "renderer = VariantRenderer({}, TargetObject(''), {'a': TargetObject('a')})\n"
        "renderer.render(DownstreamTarget(0, 'a', 'b', {'labels': {'x': 'y'}}))\n"
        "assert not any(name.startswith('cel_expr') for name in sys.modules)\n"
        "renderer.render(DownstreamTarget(1, 'a', 'b', {'labelExprs': [{'keyExpr': 'repoDefault'}]}))\n"
        "assert any(name.startswith('cel_expr') for name in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
