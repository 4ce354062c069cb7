"""krmkit.fleet.variants: a blueprint cloned, changed as a PackageVariant says, and rendered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from krmkit.fleet.tasks import find_upstream
from krmkit.fleet.variants import Made, Origin, UpstreamPackage, inside, make
from krmkit.fn.run import RunOptions
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.render.resolve import ProgramResolver
from krmkit.systems.porch.variants.candidates import Candidate

CONTEXT = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\ndata:\n  name: old\n  kept: never\n"
)
FILES = {
    "Kptfile": """\
# The blueprint.
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: shop
upstreamLock:
  type: git
pipeline:
  mutators:
  - image: ghcr.io/krmkit/set-package-context
    configMap: {rendered: "yes"}
""",
    "README.md": "# Shop\n",
    "package-context.yaml": CONTEXT,
    "mixed.yaml": CONTEXT + "---\n# kept\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n",
    "ep.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ep\n  annotations:\n"
    "    kpt.dev/config-injection: required\n",
    "sub/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: sub\n",
    "sub/package-context.yaml": CONTEXT,
    "sub/deep/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: deep\n",
    "sub/deep/x.yaml": "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n",
}
SPEC: dict[str, Any] = {
    "upstream": {"repo": "blueprints", "package": "shop", "revision": 3},
    "downstream": {"repo": "north", "package": "shops/front"},
    "packageContext": {"data": {"site": "north"}},
    "pipeline": {
        "mutators": [{"image": "ghcr.io/krmkit/set-package-context", "configMap": {"added": "yes"}}]
    },
}
EU = Candidate({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "eu"}, "data": {"db": "eu"}})


def put(root: Path, files: dict[str, str]) -> str:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return str(root)


def made(root: Path, files: dict[str, str], **spec: object) -> Made:
    blueprint = UpstreamPackage(put(root, files))
    whole = {**SPEC, **spec}
    return make(
        blueprint,
        "pv",
        whole,
        "default",
        Origin(whole["upstream"], None),
        [EU],
        ProgramResolver(RunOptions()),
    )


def test_clone_variant_and_render(tmp_path: Path) -> None:
    """All steps, in their order; what is added to the pipeline has run."""
    result = made(tmp_path, FILES, injectors=[{"name": "eu"}])

    assert result.contents["package-context.yaml"] == (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n  annotations:\n"
        '    config.kubernetes.io/local-config: "true"\n'
        'data:\n  name: front\n  package-path: shops/front\n  site: north\n  added: "yes"\n  rendered: "yes"\n'
    )
    kptfile = Resource(result.contents["Kptfile"])
    assert result.contents["Kptfile"].startswith("# The blueprint.\napiVersion: kpt.dev/v1\n")
    assert kptfile.name == "front"
    assert kptfile.node("upstreamLock") is None
    assert kptfile.get("upstream", "git") == {"repo": "blueprints", "directory": "/shop", "ref": "shop/v3"}
    assert "kpt.dev/injected-resource: eu" in result.contents["ep.yaml"]
    assert result.gates == []
    assert result.warnings == []


def test_only_the_roots_context_is_made_anew(tmp_path: Path) -> None:
    """Package contexts go from every file; what stands beside one stays, and so do all other files, byte for byte."""
    result = made(tmp_path, FILES)

    assert sorted(result.contents) == [
        "Kptfile",
        "ep.yaml",
        "mixed.yaml",
        "package-context.yaml",
        "sub/Kptfile",
        "sub/deep/Kptfile",
        "sub/deep/x.yaml",
    ]
    assert result.contents["mixed.yaml"].endswith(
        "# kept\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n  annotations:\n"
        "    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|other'\n"
    )
    assert "kptfile.kpt.dev" not in result.contents["mixed.yaml"]
    assert result.contents["sub/deep/x.yaml"].startswith(FILES["sub/deep/x.yaml"])


def test_blueprint_knows_the_other_files(tmp_path: Path) -> None:
    """What holds no resources is copied; nothing of git is."""
    root = put(tmp_path, {**FILES, "sub/notes.txt": "x", ".git/config": "x", ".krmignore": "ep.yaml\n"})

    assert sorted(UpstreamPackage(root).others) == [".krmignore", "README.md", "ep.yaml", "sub/notes.txt"]


def test_open_gates(tmp_path: Path) -> None:
    """A required point that nothing was found for is an open gate, and no failure."""
    assert made(tmp_path, FILES, injectors=[{"name": "us"}]).gates == ["config.injection.ConfigMap.ep"]


def test_known_repository() -> None:
    """A Repository says where its packages really are."""
    repository = Resource("spec: {git: {repo: https://git.example.com/bp.git, directory: /base/}}\n")
    origin = Origin({"repo": "bp", "package": "shop", "workspaceName": "w"}, repository)

    assert (origin.repo, origin.directory, origin.ref) == (
        "https://git.example.com/bp.git",
        "/base/shop",
        "shop/w",
    )


@pytest.mark.parametrize(
    ("files", "spec", "message"),
    [
        pytest.param(
            {}, {"downstream": None}, "missing required field spec.downstream", id="invalid variant"
        ),
        pytest.param(
            {},
            {"pipeline": {"mutators": [{"image": "x", "name": "a.b"}]}},
            "has a dot",
            id="what Porch would refuse",
        ),
        pytest.param(
            {},
            {"pipeline": {"mutators": [{"image": "x", "configPath": "no.yaml"}]}},
            'no "no.yaml"',
            id="no such config",
        ),
        pytest.param(
            {},
            {
                "pipeline": {
                    "validators": [
                        {"image": "ghcr.io/krmkit/set-package-context", "configMap": {"name": "x"}}
                    ]
                }
            },
            "ghcr.io/krmkit/set-package-context: Kptfile:18:5: data: Invalid value",
            id="a function fails",
        ),
        pytest.param({"ep.yaml": "a: b: c\n"}, {}, "ep.yaml", id="a file is not YAML"),
    ],
)
def test_failures(tmp_path: Path, files: dict[str, str], spec: dict[str, object], message: str) -> None:
    """Whatever is wrong is one error of this variant."""
    with pytest.raises(Refused) as caught:
        made(tmp_path, {**FILES, **files}, **spec)

    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("upstream", "folder"),
    [
        ({"workspaceName": "w"}, "bp/shop/w"),
        ({"revision": 3}, "bp/shop/v3"),
        ({"revision": "v3"}, "bp/shop/v3"),
        ({"revision": 4}, "bp/shop/4"),
        ({"revision": 9}, "bp/shop"),
        ({"revision": 3, "workspaceName": "none"}, "bp/shop/v3"),
        ({}, "bp/shop"),
    ],
)
def test_find_upstream(tmp_path: Path, upstream: dict[str, object], folder: str) -> None:
    """The workspace, the revision in both spellings, then the folder itself."""
    for name in ("bp/shop/w", "bp/shop/v3", "bp/shop/4", "bp/shop"):
        put(tmp_path, {f"{name}/Kptfile": ""})

    assert find_upstream(str(tmp_path), {"repo": "bp", "package": "shop", **upstream}) == str(
        tmp_path / folder
    )


@pytest.mark.parametrize("name", ["", "..", "a/../b", "/a", "a//b", "a/.", "a\\b", "a\0"])
def test_names_stay_inside(name: str) -> None:
    """No repository and no package leads out of a folder."""
    with pytest.raises(Refused, match="not a name for a folder"):
        inside(name)


def test_upstream_is_missing(tmp_path: Path) -> None:
    """The error says where was looked."""
    with pytest.raises(Refused, match=r"shop/v3 or .*shop/3 or .*shop"):
        find_upstream(str(tmp_path), {"repo": "bp", "package": "shop", "revision": 3})


@pytest.mark.parametrize(
    ("upstream", "field", "message"),
    [
        ({"revision": 3}, "spec.upstream.revision", "there is no revision 3 of the package"),
        ({"revision": "v3"}, "spec.upstream.revision", "shop: it has v2, v10"),
        ({"workspaceName": "w"}, "spec.upstream.workspaceName", "there is no revision w of the package"),
        ({"package": "shob", "revision": 3}, "spec.upstream.package", 'did you mean "shop"?'),
        ({"repo": "pb", "revision": 3}, "spec.upstream.repo", 'did you mean "bp"?'),
    ],
)
def test_a_revision_is_missing(tmp_path: Path, upstream: dict[str, object], field: str, message: str) -> None:
    """Of a package with others, that is the wrong name; the error has the names that are there."""
    for name in ("bp/shop/v10", "bp/shop/v2", "bp/other"):
        put(tmp_path, {f"{name}/Kptfile": ""})

    with pytest.raises(Refused) as caught:
        find_upstream(str(tmp_path), {"repo": "bp", "package": "shop", **upstream})

    assert caught.value.finding.field == field
    assert message in str(caught.value)
