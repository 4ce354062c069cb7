"""krmkit.systems.porch.sets.text: variants as texts."""

from __future__ import annotations

from krmkit.krm.resource import Resource
from krmkit.libraries.yaml import emit
from krmkit.systems.porch.sets.text import VariantWriter
from krmkit.systems.porch.variants.decodevariants import DecodedVariant, decode_set

SPEC: dict[str, object] = {
    "upstream": {"repo": "b", "package": "front", "revision": 3},
    "downstream": {"repo": "no", "package": "1"},
    "labels": {"a b": "x", "on": "yes", "n": "", "long": "one\ntwo\n"},
    "annotations": {"long": "one\ntwo\n"},
    "packageContext": {},
    "pipeline": {
        "mutators": [
            {"image": "m", "configMap": {"k": "0x1"}, "selectors": [{"kind": "A", "labels": {"x": "y"}}, {}]}
        ]
    },
    "injectors": [{"group": "", "name": "a: b"}],
    "more": [["x", ["y"]], [], "z", 1, None, True],
}


def packages(metadata: str) -> DecodedVariant:
    return decode_set(
        Resource(
            f"apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {metadata}\n"
        )
    )


def test_as_the_emitter_writes() -> None:
    """What is remembered changes nothing: every text is the emitter's, the second time too."""
    writer = VariantWriter(packages("{name: s, namespace: d}"))
    metadata = {
        "name": "s-x",
        "namespace": "d",
        "annotations": {
            "krmkit.dev/generated-by": "PackageVariantSet/d/s",
            "internal.config.kubernetes.io/index": "2",
            "internal.config.kubernetes.io/path": "variants/s-x.yaml",
        },
    }
    document = {
        "apiVersion": "config.porch.kpt.dev/v1alpha1",
        "kind": "PackageVariant",
        "metadata": metadata,
        "spec": SPEC,
    }
    for _ in range(2):
        assert writer.document("s-x", "variants/s-x.yaml", 2, SPEC) == emit.document(document)
        assert writer.spec(SPEC) + "\n" == emit.document({"spec": SPEC})


def test_owner() -> None:
    """Label and owner reference need a UID, the finalizer the wish for it; a set without a namespace gives none."""
    plain = Resource(VariantWriter(packages("{name: s}")).document("n", "p", 0, SPEC))
    owned = Resource(
        VariantWriter(packages("{name: s, namespace: d, uid: u-1}"), finalizer=True).document(
            "n", "p", 0, SPEC
        )
    )

    assert plain.annotations["krmkit.dev/generated-by"] == "PackageVariantSet//s"
    assert plain.node("metadata", "namespace") is None
    assert plain.node("metadata", "finalizers") is None
    assert owned.labels == {"config.porch.kpt.dev/packagevariantset": "u-1"}
    assert owned.get("metadata", "finalizers") == ["config.porch.kpt.dev/packagevariants"]
    assert owned.get("metadata", "ownerReferences") == [
        {
            "apiVersion": "config.porch.kpt.dev/v1alpha2",
            "kind": "PackageVariantSet",
            "name": "s",
            "uid": "u-1",
            "controller": True,
        }
    ]
