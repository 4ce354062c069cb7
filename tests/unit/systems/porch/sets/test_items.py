"""krmkit.systems.porch.sets.items: sets worked on the items of a list."""

from __future__ import annotations

import pytest

from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.sets.items import Fleet, Planned, sets_among
from krmkit.systems.porch.variants.decodevariants import decode_set, refuse_other_version

SET = """\
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
  namespace: default
spec:
  upstream: {repo: blueprints, package: front, revision: 1}
  targets:
  - repositorySelector:
      matchLabels: {role: shop}
    template:
      labelExprs:
      - {key: tier, valueExpr: "'tier' in upstream.labels ? upstream.labels.tier : upstream.name"}
"""


def repository(name: str, role: str = "shop", namespace: str = "default") -> str:
    place = f"  namespace: {namespace}\n" if namespace else ""
    return (
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata:\n"
        f"  name: {name}\n{place}  labels:\n    role: {role}\n"
    )


def revision(number: int, tier: str = "gold", version: str = "porch.kpt.dev/v1alpha1") -> str:
    return (
        f"apiVersion: {version}\nkind: PackageRevision\nmetadata:\n  name: front.v{number}\n  namespace: default\n"
        f"  labels:\n    tier: {tier}\nspec:\n  repository: blueprints\n  packageName: front\n  revision: {number}\n"
        f"  workspaceName: v{number}\n"
    )


def variant(name: str, repo: str, owner: str = "PackageVariantSet/default/fleet", extra: str = "") -> str:
    mark = f"  annotations:\n    krmkit.dev/generated-by: {owner}\n" if owner else ""
    return (
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata:\n"
        f"  name: {name}\n  namespace: default\n{mark}{extra}"
        f"spec:\n  downstream:\n    repo: {repo}\n    package: front\n"
    )


def run(*texts: str, packages: str = SET) -> tuple[ResourceList, Planned]:
    resources = ResourceList.of([Resource(text) for text in texts])
    fleet = Fleet(resources)
    planned = fleet.plan(decode_set(Resource(packages)))
    fleet.carry_out(planned, finalizer=False)
    return resources, planned


def names(resources: ResourceList) -> list[str]:
    return [item.name for item in resources if item.kind == "PackageVariant"]


def test_new_variants_follow_the_items() -> None:
    """Variants are added at the end, by the names of their repositories, each with a file of its own."""
    resources, _ = run(
        repository("z"), repository("a"), repository("lab", "lab"), repository("b", namespace="other")
    )

    assert names(resources) == ["fleet-a-front", "fleet-z-front"]
    assert resources.items[-1].path == "variants/fleet-z-front.yaml"
    assert resources.items[-1].get("spec", "labels") == {"tier": "blueprints.front.v1"}


def test_targets_are_counted() -> None:
    """What each target gave is known, nothing included."""
    two = SET + "  - objectSelector: {apiVersion: v1, kind: Node}\n"

    assert run(repository("a"), repository("b"), packages=two)[1].entries == [2, 0]


def test_items_without_a_namespace_count() -> None:
    """A file may leave the namespace open."""
    assert names(run(repository("a", namespace=""))[0]) == ["fleet-a-front"]


def test_upstream_among_the_items() -> None:
    """A PackageRevision of the namespace is the upstream; its labels are known in expressions."""
    resources, planned = run(repository("a"), revision(2, "silver"), revision(1))

    assert planned.upstream_known
    assert resources.items[-1].get("spec", "labels") == {"tier": "gold"}


def test_upstream_of_any_version_of_the_api() -> None:
    """PackageRevisions count whatever their version is; v1alpha2 has the number in its status."""
    version = "porch.kpt.dev/v1alpha2"
    numbered = [
        revision(number, tier, version).replace(f"  revision: {number}\n", "")
        + f"status: {{revision: {number}}}\n"
        for number, tier in ((2, "silver"), (1, "gold"))
    ]

    resources, planned = run(repository("a"), *numbered)

    assert planned.upstream_known
    assert resources.items[-1].get("spec", "labels") == {"tier": "gold"}


def test_upstream_not_found() -> None:
    """With PackageRevisions that are all others, nothing is generated."""
    with pytest.raises(PorchError, match="could not find upstream package revision 'front/1'") as caught:
        run(repository("a"), revision(3))

    assert caught.value.conditions[0].reason == "UpstreamNotFound"


def test_existing_variants() -> None:
    """One is kept under its own name with a new spec, one removed; others' and handwritten ones stay."""
    resources, planned = run(
        variant("old-name", "a", extra="  finalizers: [x] # kept\n"),
        variant("fleet-gone-front", "gone"),
        variant("mine", "a", owner=""),
        variant("theirs", "gone", owner="PackageVariantSet/default/other"),
        variant("elsewhere", "gone").replace("namespace: default", "namespace: other"),
        repository("a"),
    )

    assert names(resources) == ["old-name", "mine", "theirs", "elsewhere"]
    assert planned.changes.created == []
    kept = resources.items[0]
    assert kept.get("spec", "upstream", "package") == "front"
    assert "# kept" in kept.text


def test_again() -> None:
    """A second run finds everything as it should be, and changes no byte."""
    resources, _ = run(repository("a"), repository("b"))
    once = resources.render()
    again = ResourceList.parse(once)
    fleet = Fleet(again)
    fleet.carry_out(fleet.plan(decode_set(Resource(SET))), finalizer=False)

    assert again.render() == once


def test_new_variants_are_not_parsed() -> None:
    """Kind and name of a variant that was just written are seen in its text: a set can have thousands."""
    resources, _ = run(repository("a"), repository("b"))
    made = resources.items[-1]

    assert made.ref()["kind"] == "PackageVariant"
    assert made._document is None


def test_owned_by_uid() -> None:
    """With a UID, Porch's label makes a variant the set's own."""
    labelled = variant(
        "x", "gone", owner="", extra="  labels:\n    config.porch.kpt.dev/packagevariantset: u-1\n"
    )
    with_uid = SET.replace("  name: fleet\n", "  name: fleet\n  uid: u-1\n")

    assert names(run(labelled, packages=with_uid)[0]) == []
    assert names(run(labelled)[0]) == ["x"]


def test_taken_name() -> None:
    """A variant that the set did not make is not overwritten, and not doubled."""
    with pytest.raises(PorchError, match="fleet-a-front"):
        run(repository("a"), variant("fleet-a-front", "other", owner=""))


def test_taken_path() -> None:
    """Where a file is there already, the variant becomes its next document."""
    other = Resource(
        "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  annotations:\n"
        "    internal.config.kubernetes.io/path: variants/fleet-a-front.yaml\n"
    ).text
    resources, _ = run(repository("a"), other)

    assert resources.items[-1].index == 1


@pytest.mark.parametrize(
    ("packages", "reason", "message"),
    [
        (
            SET.replace("package: front", "package: ''"),
            "ValidationError",
            "spec.upstream.package is a required field",
        ),
        (SET.replace("upstream.name", "upstream.spec"), "UnexpectedError", "no such key: spec"),
        (SET.replace("{role: shop}", "{role: '!'}"), "UnexpectedError", "is not a label value"),
    ],
)
def test_errors(packages: str, reason: str, message: str) -> None:
    """Each failure has the controller's reason; the target is named where an expression fails."""
    with pytest.raises(PorchError) as caught:
        run(repository("a"), packages=packages)

    assert caught.value.conditions[0].reason == reason
    assert message in str(caught.value)
    if "no such key" in message:
        assert 'target 0, repository "a", package "front"' in str(caught.value)


def test_orphans() -> None:
    """Variants of sets that are none of those given; handwritten ones have no owner and are none."""
    items = [
        variant("a", "a"),
        variant("b", "b", owner="PackageVariantSet/default/gone"),
        variant("c", "c", owner=""),
    ]
    fleet = Fleet(ResourceList.of([Resource(text) for text in items]))

    assert [item.name for item in fleet.orphans([decode_set(Resource(SET))])] == ["b"]


def test_sets_among() -> None:
    """All sets by namespace and name, or those that are asked for, in that order."""
    items = [Resource(SET.replace("name: fleet", f"name: {name}")) for name in ("b", "a")]

    assert [item.name for item in sets_among(items, [])] == ["a", "b"]
    assert [item.name for item in sets_among(items, ["b", "a"])] == ["b", "a"]
    with pytest.raises(PorchError, match="no PackageVariantSet named c"):
        sets_among(items, ["c"])


def test_two_sets_of_one_name() -> None:
    """Each would take the other's variants for its own, so neither is worked on; another namespace is fine."""
    text = "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: s, namespace: NS}\n"
    one, two, other = (Resource(text.replace("NS", space), label=space) for space in ("a", "a", "b"))

    assert sets_among([one, other], []) == [one, other]
    with pytest.raises(PorchError, match="a and a are both the PackageVariantSet s in namespace a"):
        sets_among([one, two], [])


def test_a_set_of_another_version_is_named() -> None:
    """v1alpha1 is not understood; to pass over it would leave its variants unmade in silence."""
    old = Resource(
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariantSet\nmetadata:\n  name: old\n",
        label="item 2",
    )

    with pytest.raises(
        PorchError, match=r"item 2: apiVersion of the PackageVariantSet old must be config\.porch.*v1alpha2"
    ):
        sets_among([old], [])
    with pytest.raises(PorchError, match="old must be"):
        sets_among([old], ["old"])


@pytest.mark.parametrize(
    ("version", "kind", "in_lists", "message"),
    [
        (
            "config.porch.kpt.dev/v1alpha2",
            "PackageVariant",
            True,
            "PackageVariant p must be config.*v1alpha1",
        ),
        ("porch.kpt.dev/v1alpha1", "PackageVariant", True, "got porch.kpt.dev/v1alpha1"),
        ("config.porch.kpt.dv/v1alpha1", "PackageVariant", False, "got config.porch.kpt.dv/v1alpha1"),
        ("''", "PackageVariantSet", False, "got none"),
        ("config.porch.kpt.dev/v1alpha1", "PackageVarient", False, "kind of p must be PackageVariant, got"),
    ],
)
def test_a_variant_of_another_version_is_named(version: str, kind: str, in_lists: bool, message: str) -> None:
    """A slip in apiVersion or kind is an error; to pass over the variant would take its package away."""
    slip = Resource(f"apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: p\n", label="fleet.yaml")

    with pytest.raises(PorchError, match=message):
        refuse_other_version(slip, fleet=True)
    if in_lists:
        with pytest.raises(PorchError, match=message):
            sets_among([slip], [])
    else:
        assert sets_among([slip], []) == []


@pytest.mark.parametrize("kind", ["Repository", "ConfigMap", "FunctionConfig"])
def test_other_kinds_are_no_slips(kind: str) -> None:
    """What else a fleet's file holds is left alone."""
    text = f"apiVersion: config.porch.kpt.dev/v1alpha1\nkind: {kind}\nmetadata:\n  name: p\n"

    refuse_other_version(Resource(text), fleet=True)
