"""`krmkit landscaper graph|explain|reconcile -r`: many packages, each a world of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from krmkit.cli import main

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {name}\n"
# {0}: the name, {1}: imports, {2}: exports, as flow lists.
INSTALLATION = """apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Installation
metadata: {{name: {0}, namespace: shop}}
spec:
  imports: {{data: {1}}}
  exports: {{data: {2}}}
  blueprint:
    inline:
      filesystem:
        blueprint.yaml: |
          apiVersion: landscaper.gardener.cloud/v1alpha1
          kind: Blueprint
          imports: {3}
          exports: {4}
          {5}
"""
TEMPLATE = """exportExecutions:
          - {name: url, type: GoTemplate, template: "exports: {url: here}"}"""
URL = "[{name: url, type: data, schema: {type: string}}]"
STORE = INSTALLATION.format("store", "[]", "[{name: url, dataRef: store-url}]", "[]", URL, TEMPLATE)
WEB = INSTALLATION.format("web", "[{name: url, dataRef: store-url}]", "[]", URL, "[]", "")
TOLD = "apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: DataObject\nmetadata: {name: store-url, namespace: shop}\ndata: there\n"


def package(folder: Path, name: str, *texts: str, mark: str = "") -> None:
    """Write a package with these resources."""
    (folder / name).mkdir(parents=True)
    (folder / name / "Kptfile").write_text(KPTFILE.format(name=name) + mark)
    (folder / name / "all.yaml").write_text("---\n".join(texts))


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two packages of which one imports what the other one exports, one without Installations, and a blueprint."""
    package(tmp_path, "a", STORE)
    package(tmp_path, "b", WEB, TOLD)
    package(tmp_path, "c", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: store}\n")
    package(tmp_path, "d", STORE, mark='  annotations: {krmkit.dev/blueprint: "true"}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_graph_over_packages(tree: Path, jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Paths begin with their package; an export goes to another package."""
    assert main(["landscaper", "graph", "-r", ".", "--jobs", jobs]) == 0

    assert capsys.readouterr().out.splitlines() == [
        "INSTALLATION  PHASE      ITEMS  NEEDS",
        "a:store       Succeeded  0",
        "b:web         Succeeded  0      store-url of a:store",
    ]


def test_the_graph_as_data(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each package for itself, and the edges of all."""
    assert main(["landscaper", "graph", "-r", ".", "-f", "json"]) == 0

    data = json.loads(capsys.readouterr().out)
    assert [one["path"] for one in data["packages"]] == ["a", "b"]
    assert data["edges"] == [{"from": "a:store", "to": "b:web", "key": "store-url"}]


@pytest.mark.parametrize("form", ["dot", "mermaid"])
def test_drawings(tree: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One picture of all packages."""
    assert main(["landscaper", "graph", "-r", ".", "-f", form]) == 0

    said = capsys.readouterr().out
    assert "a:store" in said and "b:web" in said and "store-url" in said


def test_explain_over_packages(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every package that has the installation."""
    package(tree, "e", WEB, TOLD)

    assert main(["landscaper", "explain", "-r", ".", "web", "url"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["b", "e"]
    assert lines[1].strip() == "web: import url"


def test_explain_of_a_name_that_no_package_has(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest one is named."""
    assert main(["landscaper", "explain", "-r", ".", "wep"]) == 1

    assert 'no package has an installation wep; did you mean "web"?' in capsys.readouterr().err


def test_explain_of_an_import_that_no_blueprint_has(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The package has the installation, and says what it lacks."""
    assert main(["landscaper", "explain", "-r", ".", "web", "nope"]) == 1

    told = capsys.readouterr().err
    assert "b: " in told and "the blueprint of web has no import nope" in told
    assert "no package has" not in told


def test_explain_beside_a_broken_package(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its error is shown: it may be the one that has the installation."""
    package(tree, "e", STORE.replace("store", "shop"), STORE.replace("store", "shop"))

    assert main(["landscaper", "explain", "-r", ".", "shop", "-f", "github"]) == 1

    told = capsys.readouterr()
    assert "e: " in told.err and "shop occurs twice" in told.err
    assert "no package that can be read has an installation shop" in told.err
    assert "::error::e: " in told.out


def test_reconcile_over_packages(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of blueprints are no one's."""
    assert main(["landscaper", "reconcile", "-r", ".", "-f", "json"]) == 0

    data = json.loads(capsys.readouterr().out)
    assert [one["resource"]["name"] for one in data["results"]] == ["store", "web"]


def test_a_broken_package_among_others(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, the others are shown, and the exit code is 1."""
    package(tree, "e", STORE, STORE)

    assert main(["landscaper", "graph", "-r", "."]) == 1

    said = capsys.readouterr()
    assert "a:store" in said.out
    assert "e: " in said.err and "store occurs twice in namespace shop" in said.err


@pytest.mark.parametrize(
    "words",
    [["landscaper", "graph", "."], ["landscaper", "reconcile", "."], ["topology", "plan", "."]],
    ids=["graph", "reconcile", "plan"],
)
def test_packages_are_not_mixed(tree: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A folder with several packages is none; what to do is said."""
    assert main(words) == 1

    assert (
        ".: is not a package and holds 4 packages: name one of them (./a, ./b, ./c and 1 more), or take all with -r"
        in (capsys.readouterr().err)
    )


def test_a_folder_of_plain_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `kubectl get` wrote needs no Kptfile."""
    (tmp_path / "all.yaml").write_text(STORE)

    assert main(["landscaper", "graph", str(tmp_path)]) == 0

    assert "store" in capsys.readouterr().out


def test_flags_of_many_packages(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without -r they are no use, and that is said."""
    assert main(["landscaper", "graph", "a", "--since", "HEAD"]) == 1

    assert "add -r" in capsys.readouterr().err


def test_a_graph_has_the_phases_of_the_render(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the package's RenderInstallation tells of exports counts."""
    item = """deployExecutions:
          - {name: d, type: GoTemplate, template: "deployItems: [{name: d, type: example.com/x, config: {apiVersion: x/v1, kind: C}}]"}
          exportExecutions:
          - {name: url, type: GoTemplate, template: "exports: {url: {{ .values.deployitems.d.url }}}"}"""
    store = INSTALLATION.format("store", "[]", "[{name: url, dataRef: store-url}]", "[]", URL, item)
    package(tmp_path, "a", store)
    assert main(["landscaper", "graph", str(tmp_path / "a")]) == 0
    assert "Waiting" in capsys.readouterr().out

    config = "apiVersion: krmkit.dev/v1alpha1\nkind: RenderInstallation\nmetadata: {name: r}\nspec: {deployItemExports: {d: {url: here}}}\n"
    (tmp_path / "a/render.yaml").write_text(config)

    assert main(["landscaper", "graph", str(tmp_path / "a")]) == 0
    assert "Succeeded" in capsys.readouterr().out
