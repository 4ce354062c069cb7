"""krmkit.systems.porch.variants.apply: PackageVariants applied to items, and their status; candidates for injection."""

from __future__ import annotations

import pytest

from krmkit.krm.annotations import Location
from krmkit.krm.cause import CauseLog
from krmkit.krm.finding import ERROR
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.porch.api.apinames import Condition, PorchError
from krmkit.systems.porch.variants.apply import VariantChain, apply_items, chosen
from krmkit.systems.porch.variants.candidates import candidates
from krmkit.systems.porch.variants.decodevariants import decode_variant
from krmkit.systems.porch.variants.gates import set_status
from tests.unit.systems.porch.packages import KPTFILE

VARIANT = """\
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata:
  name: NAME
  namespace: default
spec:
  upstream: {repo: r, package: p}
  downstream: {repo: d, package: p}
  pipeline:
    mutators:
    - image: NAME
"""


def variant(name: str, path: str = "pv.yaml") -> Resource:
    return Resource(VARIANT.replace("NAME", name), location=Location(path))


def test_chosen() -> None:
    """All variants by file, or the named ones in the order of their names."""
    items = [variant("a", "z.yaml"), variant("b", "a.yaml"), Resource(KPTFILE)]

    assert [item.name for item in chosen(items, [])] == ["b", "a"]
    assert [item.name for item in chosen(items, ["a", "b"])] == ["a", "b"]
    with pytest.raises(PorchError, match="no PackageVariant named c"):
        chosen(items, ["a", "c"])
    with pytest.raises(PorchError, match="there is no PackageVariant"):
        chosen(items[2:], [])


@pytest.mark.parametrize("as_config", [False, True])
def test_applied_to_items(as_config: bool) -> None:
    """By the variants among the items or the one that is the config; the values that it sets have causes."""
    resources = ResourceList.of([Resource(KPTFILE, location=Location("Kptfile"))])
    one = variant("a")
    if not as_config:
        resources.add(one)
    resources.causes = CauseLog()

    found = apply_items(resources, {"variants": []}, one if as_config else None)

    kptfile = next(iter(resources))
    assert not [finding for finding in found if finding.severity == ERROR]
    assert kptfile.get("pipeline", "mutators", 0, "name") == "PackageVariant.a..0"
    causes = resources.causes.of(kptfile)
    assert causes is not None
    assert [cause.name for cause in causes.at(("pipeline", "mutators"))] == ["pipeline.mutators"]


def test_no_variant() -> None:
    """The rule says so."""
    resources = ResourceList.of([Resource(KPTFILE, location=Location("Kptfile"))])

    with pytest.raises(PorchError, match="there is no PackageVariant") as caught:
        apply_items(resources, {"variants": []}, None)
    assert caught.value.rule == "no-variant"


def test_chain_writes_the_status_of_items() -> None:
    """The last variant's functions come first; both items say that they are ready."""
    items = [Resource(KPTFILE, location=Location("Kptfile")), variant("a"), variant("b")]
    chain = VariantChain(items, [], None)
    chain.apply([decode_variant(item) for item in items[1:]])

    assert items[0].text.index("PackageVariant.b..0") < items[0].text.index("PackageVariant.a..0")
    for item in items[1:]:
        assert [(c["type"], c["status"]) for c in _conditions(item)] == [
            ("Stalled", "False"),
            ("Ready", "True"),
        ]


def test_nothing_is_applied_when_one_is_invalid() -> None:
    """All variants are validated before the first is applied."""
    items = [Resource(KPTFILE, location=Location("Kptfile")), variant("a"), variant("b")]
    items[2].remove(("spec", "downstream"))
    with pytest.raises(PorchError) as caught:
        VariantChain(items, [], None).apply([decode_variant(item) for item in items[1:]])

    assert caught.value.rule == "stalled"
    assert caught.value.resource is items[2]
    assert items[0].text == KPTFILE


def _conditions(item: Resource) -> list[dict[str, object]]:
    data = item.get("status", "conditions")
    assert isinstance(data, list)
    return data


READY = [Condition("Ready", "True", "NoErrors", "fine")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "",
            'status:\n  conditions:\n  - type: Ready\n    status: "True"\n    reason: NoErrors\n    message: fine\n',
        ),
        ("status: {}\n", None),
        ("status:\n", None),
        ("status:\n  conditions: []\n", None),
        (
            'status:\n  other: x\n  conditions:\n  - type: Ready # r\n    status: "False"\n    since: monday\n  - type: Z\n',
            'status:\n  other: x\n  conditions:\n  - type: Ready # r\n    status: "True"\n    since: monday\n'
            "    reason: NoErrors\n    message: fine\n  - type: Z\n",
        ),
    ],
)
def test_status(before: str, after: str | None) -> None:
    """Conditions are put in their places; a second time changes nothing."""
    resource = Resource("kind: A\n" + before)
    set_status(resource, READY)
    text = resource.text

    assert [c["status"] for c in _conditions(resource) if c["type"] == "Ready"] == ["True"]
    if after is not None:
        assert text == "kind: A\n" + after
    set_status(resource, READY)
    assert resource.text == text


def local(
    name: str, kind: str = "ConfigMap", namespace: str = "default", more: str = "", path: str = "c.yaml"
) -> Resource:
    return Resource(
        f"apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n  namespace: {namespace}\n  annotations:\n"
        f'    config.kubernetes.io/local-config: "true"\n{more}',
        location=Location(path),
    )


def test_candidates() -> None:
    """The config's objects come first, then local config by file; what the package works with is none."""
    config = local("config")
    items = [
        local("later", path="z.yaml"),
        local("sooner", path="a.yaml"),
        local("open", namespace='""', path="b.yaml"),
        local("elsewhere", namespace="other"),
        local("point", more="    kpt.dev/config-injection: required\n"),
        local("kptfile.kpt.dev"),
        local("front", kind="Kptfile"),
        local("p", kind="Pack"),
        local("pack", more="data:\n  pack.json: '{}'\n"),
        local("before", more='    krmkit.dev/previous: "true"\n'),
        local("made", more="    krmkit.dev/generated-by: Cluster/default/c\n"),
        config,
        Resource("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied\n"),
    ]
    inline = [
        {"apiVersion": "v1", "kind": "A", "metadata": {"name": "given"}},
        {"apiVersion": "v1", "kind": "A", "metadata": {"name": "far", "namespace": "other"}},
    ]

    found = candidates(inline, items, "default", config)

    assert [one.name for one in found if not one.elsewhere] == ["given", "sooner", "open", "later"]
    assert {one.name: one.elsewhere for one in found if one.elsewhere} == {
        "far": "other",
        "elsewhere": "other",
    }
