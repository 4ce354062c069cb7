"""krmkit.systems.porch.variants.decodevariants: Porch's kinds, strictly."""

from __future__ import annotations

import pytest

from krmkit.krm.resource import Resource
from krmkit.systems.porch.variants.decodevariants import decode_set, decode_variant, is_set, is_variant

VARIANT = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: a, namespace: b, uid: c}\n"
SET = "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: a}\n"


def violations(text: str) -> list[str]:
    resource = Resource(text)
    decoded = decode_variant(resource) if resource.kind == "PackageVariant" else decode_set(resource)
    return [str(violation) for violation in decoded.violations]


def test_variant() -> None:
    """All fields of the API are known, null is allowed where Go takes it, values stay as they are written."""
    decoded = decode_variant(
        Resource(
            VARIANT
            + """\
spec:
  upstream: {repo: r, package: p, revision: v3, workspaceName: }
  downstream: {repo: r, package: p}
  adoptionPolicy: adoptNone
  deletionPolicy:
  labels: {a: b}
  annotations:
  packageContext: {data: {a: b}, removeKeys: [c]}
  pipeline:
    mutators: [{image: i, name: n, configMap: {a: b}, configPath: p, tag: t, exec: e}]
    validators:
    - {image: i, selectors: [{kind: k, labels: {a: b}}], exclude: [{name: n}]}
    - {image: i, when: "true", configRef: {apiVersion: v1, kind: k, name: n, namespace: ""}}
  injectors: [{group: "", version: v, kind: k, name: n}]
status: {conditions: []}
"""
        )
    )

    assert not decoded.violations
    assert (decoded.name, decoded.namespace, decoded.uid) == ("a", "b", "c")
    assert decoded.spec["upstream"] == {"repo": "r", "package": "p", "revision": "v3", "workspaceName": None}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (VARIANT + "data: {}\n", 'unknown field "data"'),
        (VARIANT.replace("name: a, ", "") + "spec: {}\n", "metadata.name: is required"),
        (VARIANT + "spec: {injectorExprs: []}\n", "spec.injectorExprs: unknown field"),
        (
            VARIANT + "spec: {upstream: {revision: [1]}}\n",
            "spec.upstream.revision: must be an integer or a string",
        ),
        (VARIANT + "spec: {upstream: {revision: a/b}}\n", "spec.upstream.revision: must match"),
        (
            VARIANT + "spec: {labels: {a: 1}}\n",
            "spec.labels.a: must be a string, not an integer; put it in quotes",
        ),
        (VARIANT + "spec: {injectors: {name: a}}\n", "spec.injectors: must be a list, not a map"),
        (VARIANT + "spec: {injectors: [null]}\n", "spec.injectors[0]: must be a map"),
        (VARIANT + "spec: {pipeline: {mutators: [{imge: a}]}}\n", 'did you mean "image"?'),
        (VARIANT + "spec: x\n", "spec: must be a map"),
        (
            SET + "spec: {targets: [{repositorySelector: {packageNames: [a]}}]}\n",
            "beside a name under repositories, or beside a selector",
        ),
        (
            SET + "spec: {targets: [{repositorySelector: {}, packageNames: a}]}\n",
            "packageNames: must be a list",
        ),
        (SET + "spec: {targets: [{template: {injectorExprs: []}}]}\n", "write injectors[].nameExpr"),
        (
            SET + "spec: {targets: [{template: {labelExprs: {key: a}}}]}\n",
            "labelExprs: must be a list, not a map",
        ),
        (SET + "spec: {targets: [{template: {labelExprs: [{value: 1}]}}]}\n", "value: must be a string"),
        (
            SET + "spec: {targets: [{objectSelector: {apiVersion: v1, kind: A, matchLabel: {}}}]}\n",
            'mean "matchLabels"',
        ),
    ],
)
def test_violations(text: str, message: str) -> None:
    """What Porch would drop or refuse is an error with its place."""
    found = violations(text)

    assert len(found) == 1
    assert message in found[0]


def test_hint_names_a_field_that_the_kind_has() -> None:
    """Only a set has expressions."""
    [found] = violations(VARIANT + "spec: {injectorExprs: []}\n")

    assert found.endswith("write injectors[].name")


@pytest.mark.parametrize(
    ("version", "kind", "expected"),
    [
        ("v1alpha1", "PackageVariant", (True, False)),
        ("v1alpha2", "PackageVariantSet", (False, True)),
        ("v1alpha2", "PackageVariant", (False, False)),
        ("v1alpha1", "PackageVariantSet", (False, False)),
        ("v1alpha1", "Repository", (False, False)),
        ("v1alpha2", "Repository", (False, False)),
    ],
)
def test_kinds_that_are_supported(version: str, kind: str, expected: tuple[bool, bool]) -> None:
    """Each in its own version of the API."""
    resource = Resource(f"apiVersion: config.porch.kpt.dev/{version}\nkind: {kind}\nmetadata: {{name: a}}\n")

    assert (is_variant(resource), is_set(resource)) == expected
