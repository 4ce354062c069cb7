"""Tests of krmkit.fn.testing: the lists that it makes look like those of kpt and kustomize."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.fn.testing import Example, examples, resource_list, run_function
from krmkit.krm.resourcelist import ResourceList

KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: shop
pipeline:
  {section}:
  - image: registry.example/other-function:v1
  - {entry}
"""
THING = (
    "# about it\napiVersion: v1\nkind: Thing # really\nmetadata:\n  name: {name}\nspec: {{b: 1, a: yes}}\n"
)
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: conf\ndata:\n  a: b\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with a child package, a multi-document file, and files that are none of its resources."""
    folder = tmp_path / "shop"
    (folder / "child").mkdir(parents=True)
    (folder / ".expected").mkdir()
    files = {
        "Kptfile": KPTFILE.format(
            section="mutators", entry="{image: 'x/my-function@sha256:1', configPath: conf.yaml}"
        ),
        "conf.yaml": CONFIG,
        "things.yaml": THING.format(name="one") + "---\n" + THING.format(name="two") + "---\n# nothing\n",
        "child/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: child\n",
        "child/things.yaml": THING.format(name="three"),
        "skipped.yaml": "not: [a, resource",
        ".krmignore": "skipped.yaml\n.expected\n",
        ".expected/results.yaml": "also: skipped\n",
        "README.md": "# no resource\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def places(text: str) -> list[tuple[str, str, str | None, int]]:
    return [(item.name, item.package_path, item.path, item.index) for item in ResourceList.parse(text).items]


def test_render_list(package: Path) -> None:
    """kpt render: paths relative to each resource's own package, so two may be equal; comments are kept."""
    text = Example(package, "my-function").render_list()

    assert places(text) == [
        ("shop", "/package", "Kptfile", 0),
        ("child", "/package/child", "Kptfile", 0),
        ("three", "/package/child", "things.yaml", 0),
        ("conf", "/package", "conf.yaml", 0),
        ("one", "/package", "things.yaml", 0),
        ("two", "/package", "things.yaml", 1),
    ]
    assert "- # about it\n  apiVersion: v1\n  kind: Thing # really\n" in text


def test_eval_list(package: Path) -> None:
    """kpt eval: no package, paths relative to the folder."""
    found = places(Example(package, "my-function").eval_list())

    assert ("three", "", "child/things.yaml", 0) in found
    assert {place[1] for place in found} == {""}


def test_kustomize_list(package: Path) -> None:
    """kustomize: no Kptfile, no paths, no comments, keys sorted, its own annotations."""
    text = Example(package, "my-function").kustomize_list()

    assert [place[2] for place in places(text)] == [None] * 4
    assert "#" not in text
    assert '  spec:\n    a: "yes"\n    b: 1\n' in text
    assert text.count("kustomize.config.k8s.io/id: |") == 4
    assert 'config.kubernetes.io/local-config: "true"' in text


def test_more_resources_are_spread(package: Path) -> None:
    """What is added stands first, in the middle and last."""
    names = [
        place[0]
        for place in places(
            Example(package, "my-function").render_list([THING.format(name=n) for n in "xyz"])
        )
    ]

    assert names[0] == "x"
    assert names[-1] == "z"
    assert 0 < names.index("y") < len(names) - 1


@pytest.mark.parametrize(
    ("entry", "config"),
    [
        ("{image: my-function, configPath: conf.yaml}", "b"),
        ("{image: 'a.example:5000/x/my-function:v1.2', configMap: {a: c}}", "c"),
        ("{exec: /opt/functions/my-function/main.py, configMap: {a: d}}", "d"),
        ("{image: my-function}", None),
    ],
)
@pytest.mark.parametrize("section", ["mutators", "validators"])
def test_config_of_the_pipeline(package: Path, section: str, entry: str, config: str | None) -> None:
    """The function is found by its name, its config by configPath or configMap."""
    (package / "Kptfile").write_text(KPTFILE.format(section=section, entry=entry), "utf-8")

    resources = ResourceList.parse(Example(package, "my-function").render_list())

    given = resources.function_config
    assert (given.get("data", "a") if given is not None else None) == config


def test_no_such_function(package: Path) -> None:
    """An example that does not use its function is a mistake."""
    with pytest.raises(LookupError, match="has absent-function in its pipeline"):
        Example(package, "absent-function")


def test_resource_list_without_items() -> None:
    """An empty list says so."""
    assert resource_list([]) == "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"


def test_run_function(project: Path) -> None:
    """A function runs by its folder alone."""
    folder = project / "tests" / "functions" / "test-set-namespace"
    (example,) = examples(folder)

    outcome = run_function(folder, example.render_list())

    assert outcome.exit_code == 0
    assert 'namespace: "shop" # will change' in outcome.stdout
