"""The examples of Porch's design of package variants, each as a list of items and what comes of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.sets.items import Fleet
from krmkit.systems.porch.variants.decodevariants import decode_set
from tests.e2e.gitfleet import APP, GitFleet, git

SET = """\
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: example, namespace: default}
spec:
  upstream: {repo: example-repo, package: foo, revision: v1}
"""
REGIONS = {
    "cluster-01": "region: useast1, env: prod, org: hr",
    "cluster-02": "region: uswest1, env: prod, org: finance",
    "cluster-03": "region: useast2, env: prod, org: hr",
    "cluster-04": "region: uswest1, env: prod, org: hr",
}


def repository(name: str, labels: str) -> Resource:
    return Resource(
        f"apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\n"
        f"metadata: {{name: {name}, namespace: default, labels: {{{labels}}}}}\n"
    )


REPOSITORIES = [repository(name, labels) for name, labels in REGIONS.items()]


def variants(targets: str, *objects: Resource, upstream: str = "foo") -> list[dict[str, Any]]:
    """The specs of the PackageVariants that a set with these targets makes, in the order of the targets."""
    decoded = decode_set(Resource(SET.replace("package: foo", f"package: {upstream}") + targets))
    assert decoded.violations == []
    planned = Fleet(ResourceList.of([*REPOSITORIES, *objects])).plan(decoded)
    return [one.spec for one in planned.generated.variants]


def pairs(specs: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(spec["downstream"]["repo"], spec["downstream"]["package"]) for spec in specs}


def test_repositories_with_package_names() -> None:
    """Without names one package like the upstream's: seven pairs."""
    found = variants(
        "  targets:\n  - repositories:\n    - name: cluster-01\n    - name: cluster-02\n"
        "    - {name: cluster-03, packageNames: [foo-a, foo-b, foo-c]}\n    - {name: cluster-04, packageNames: [foo-a, foo-b]}\n"
    )

    assert len(found) == 7
    assert pairs(found) == {
        ("cluster-01", "foo"), ("cluster-02", "foo"), ("cluster-03", "foo-a"), ("cluster-03", "foo-b"),
        ("cluster-03", "foo-c"), ("cluster-04", "foo-a"), ("cluster-04", "foo-b"),
    }  # fmt: skip


def test_selectors_with_package_names() -> None:
    """Each selected repository gets every package: nine pairs of two targets."""
    found = variants(
        "  targets:\n  - repositorySelector: {matchLabels: {env: prod, org: hr}}\n"
        "  - repositorySelector: {matchLabels: {region: uswest1}}\n    packageNames: [foo-a, foo-b, foo-c]\n"
    )

    west = {(f"cluster-0{number}", f"foo-{letter}") for number in (2, 4) for letter in "abc"}
    assert len(found) == 9
    assert pairs(found) == {("cluster-01", "foo"), ("cluster-03", "foo"), ("cluster-04", "foo")} | west


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ("[{repositories: [{name: a}], packageNames: [x]}]", "packageNames goes with a selector"),
        (
            "[{repositorySelector: {}, packageNames: ['']}]",
            r"targets\[0\]\.packageNames\[0\] cannot be empty",
        ),
    ],
)
def test_package_names_in_a_wrong_place(targets: str, message: str) -> None:
    """The message says where they belong."""
    with pytest.raises(PorchError, match=message):
        variants(f"  targets: {targets}\n")


def test_objects_of_any_kind() -> None:
    """The repository is the object's name; names of packages work here too."""
    teams = [
        Resource(f"apiVersion: krm-platform.bigco.com/v1\nkind: Team\nmetadata: {{name: {name}, namespace: default, labels: {{org: hr, role: {role}}}}}\n")
        for name, role in (("payroll", "dev"), ("benefits", "dev"), ("audit", "ops"))
    ]  # fmt: skip
    selector = "objectSelector: {apiVersion: krm-platform.bigco.com/v1, kind: Team, matchLabels: {org: hr, role: dev}}"

    assert pairs(variants(f"  targets:\n  - {selector}\n", *teams)) == {
        ("payroll", "foo"),
        ("benefits", "foo"),
    }
    assert len(variants(f"  targets:\n  - {selector}\n    packageNames: [x, y]\n", *teams)) == 4


def test_labels_for_all() -> None:
    """Three namespaces in one cluster, with the labels of the template."""
    found = variants(
        "  targets:\n  - repositories:\n    - {name: cluster-01, packageNames: [ns-1, ns-2, ns-3]}\n"
        "    template: {labels: {package-type: namespace, org: hr}}\n",
        upstream="base-ns",
    )

    assert pairs(found) == {("cluster-01", f"ns-{number}") for number in (1, 2, 3)}
    assert all(spec["labels"] == {"package-type": "namespace", "org": "hr"} for spec in found)


def test_labels_and_injectors_by_region() -> None:
    """Expressions see the labels of each selected repository."""
    found = variants(
        "  targets:\n  - repositorySelector: {matchLabels: {env: prod, org: hr}}\n    template:\n"
        "      labelExprs: [{key: org, valueExpr: \"repository.labels['org']\"}]\n"
        "      injectors: [{nameExpr: \"repository.labels['region'] + '-endpoints'\"}]\n"
    )

    named = {spec["downstream"]["repo"]: [one["name"] for one in spec["injectors"]] for spec in found}
    assert named == {
        "cluster-01": ["useast1-endpoints"],
        "cluster-03": ["useast2-endpoints"],
        "cluster-04": ["uswest1-endpoints"],
    }
    assert all(spec["labels"] == {"org": "hr"} for spec in found)


def test_the_template_as_it_is_printed() -> None:
    """labelExprs as a map and injectorExprs are two errors, with what would be right."""
    decoded = decode_set(
        Resource(
            SET
            + "  targets:\n  - repositorySelector: {}\n    template:\n      labelExprs: {key: org, valueExpr: \"''\"}\n"
            "      injectorExprs: [{nameExpr: \"'x'\"}]\n"
        )
    )

    said = [str(violation) for violation in decoded.violations]
    assert len(said) == 2
    assert "must be a list, not a map" in " ".join(said) and "write injectors[].nameExpr" in " ".join(said)


def test_a_template_for_one_repository(tmp_path: Path, project: Path) -> None:
    """Figures 5 and 6: another name in one repository, two names in another, the upstream's in the third; twice is once."""
    fleet = GitFleet(tmp_path, project)
    (tmp_path / "fleet.yaml").write_text(
        "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: fleet, namespace: default}\n"
        "spec:\n  upstream: {repo: blueprints, package: web, revision: 1}\n  targets:\n"
        "  - repositories: [{name: shops, packageNames: [foo-a, foo-b]}]\n"
        "  - repositories: [{name: shops}]\n    template: {downstream: {package: bar}}\n",
        encoding="utf-8",
    )
    fleet.sync()

    assert fleet.branches() == {f"drafts/{name}/packagevariant-1" for name in ("foo-a", "foo-b", "bar")}
    assert "0 variants changed, 3 unchanged" in fleet.sync()


def test_a_pipeline_is_prepended_once(tmp_path: Path, project: Path) -> None:
    """my-func of my-pv, and one without a name, stand in front, however often a new upstream comes."""
    fleet = GitFleet(tmp_path, project)
    text = (
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: my-pv, namespace: default}\nspec:\n"
        "  upstream: {repo: blueprints, package: web, revision: REVISION}\n  downstream: {repo: shops, package: north}\n"
        "  pipeline:\n    mutators:\n    - {image: ghcr.io/krmkit/set-package-context, configMap: {a: b}, name: my-func}\n"
        "    - {image: ghcr.io/krmkit/set-package-context, configMap: {c: d}}\n"
    )
    for revision in (1, 2, 3):
        if revision > 1:
            fleet.release(f"v{revision}", {"app.yaml": APP.replace('"1"', f'"{revision}"')})
        (tmp_path / "fleet.yaml").write_text(text.replace("REVISION", str(revision)), encoding="utf-8")
        fleet.sync()
        kptfile = Resource(fleet.read("drafts/north/packagevariant-1", "north/Kptfile"))
        functions = kptfile.get("pipeline", "mutators")
        assert isinstance(functions, list)
        assert [one.get("name") for one in functions] == [
            "PackageVariant.my-pv.my-func.0",
            "PackageVariant.my-pv..1",
            None,
        ]


@pytest.mark.parametrize("adoption", ["adoptNone", "adoptExisting"])
@pytest.mark.parametrize("deletion", ["delete", "orphan"])
def test_the_policies(tmp_path: Path, project: Path, adoption: str, deletion: str) -> None:
    """A package that somebody made is adopted or left; what nobody wants is deleted or left."""
    fleet = GitFleet(tmp_path, project, names=("north",))
    fleet.sync()
    for ref in fleet.refs():
        if ref.startswith("refs/krmkit/"):
            git(fleet.shops, "update-ref", "-d", ref)  # nobody's now
    fleet.want(revision=1, adoptionPolicy=adoption, deletionPolicy=deletion)

    said = fleet.sync()
    assert ("adopted drafts/north/packagevariant-1" in said) == (adoption == "adoptExisting")
    mine = "drafts/north/packagevariant-1" if adoption == "adoptExisting" else "drafts/north/packagevariant-2"
    assert mine in fleet.branches()

    fleet.want(revision=1, names=("south",), adoptionPolicy=adoption, deletionPolicy=deletion)
    fleet.sync("--prune")
    assert (mine in fleet.branches()) == (deletion == "orphan")


def test_a_tag_that_moves(tmp_path: Path, project: Path) -> None:
    """A published package gets a new draft when `stable` names another revision."""
    fleet = GitFleet(tmp_path, project, names=("north",))
    git(fleet.upstream, "tag", "web/stable", "web/v1")
    fleet.want(revision="stable")
    fleet.sync("--approve", "auto")
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    git(fleet.upstream, "tag", "-f", "web/stable", "web/v2")

    assert re.search(r"updated drafts/north/packagevariant-2 from blueprints/web stable", fleet.sync())
