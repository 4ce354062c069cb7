"""krmkit.systems.landscaper.components.ctf: components in folders, as archives and in the common transport format."""

from __future__ import annotations

import gzip
import json
from hashlib import sha256, sha512
from typing import Any

import pytest

from krmkit.krm.errors import Refused
from krmkit.systems.landscaper.blueprint.files import Content, Files
from krmkit.systems.landscaper.components import ctf
from krmkit.systems.landscaper.components.archive import untar
from krmkit.systems.landscaper.components.ctf import read_components
from tests.unit.systems.landscaper.blueprint.test_files import tar
from tests.unit.systems.landscaper.worlds import descriptor, resource

Blobs = dict[str, bytes]


def stored(blobs: Blobs, data: bytes, prefix: str = "") -> str:
    """Put a blob into a folder; its digest."""
    digest = sha256(data).hexdigest()
    blobs[f"{prefix}blobs/sha256.{digest}"] = data
    return f"sha256:{digest}"


def local(name: str, kind: str = "text", media_type: str = "", **access: Any) -> dict[str, Any]:
    """A resource whose content is a local blob."""
    return resource(name, kind, access={"type": "localBlob", "mediaType": media_type, **access})


def archive(*resources: dict[str, Any], **blobs: bytes) -> Blobs:
    """A component archive with these resources, and blobs by file name."""
    text = json.dumps(descriptor("shop", *resources)).encode()
    return {
        "shop/component-descriptor.yaml": text,
        **{f"shop/blobs/{name}": data for name, data in blobs.items()},
    }


def test_contents() -> None:
    """Blueprints are folders; texts are texts, also compressed ones of JSON; other bytes stay bytes."""
    found = read_components(
        archive(
            local("blueprint", "blueprint", localReference="a"),
            local("schema", "jsonschema", "application/vnd.x+json", localReference="b"),
            local("packed", "text", "text/plain", localReference="b"),
            local("note", filename="c", localReference="a"),
            local("by-digest", digest="d"),
            resource("image", "ociImage", access={"type": "ociRegistry", "imageReference": "x"}),
            a=tar(("blueprint.yaml", b"x")),
            b=gzip.compress(b"{}", mtime=0),
            c=b"text",
            d=b"more",
        )
    )

    contents = {
        key.partition("/shop:1.0.0/")[2]: value.all() if isinstance(value, Files) else value
        for key, value in found.contents.items()
    }
    assert contents == {
        "blueprint": {"blueprint.yaml": "x"},
        "schema": "{}",
        "packed": gzip.compress(b"{}", mtime=0),
        "note": "text",
        "by-digest": "more",
    }
    assert found.notes == []


def test_two_resources_of_one_name() -> None:
    """The second one is kept by what its access says."""
    found = read_components(
        archive(local("aa", localReference="x"), local("aa", localReference="y"), x=b"1", y=b"2")
    )

    assert found.contents == {"example.com/shop:1.0.0/aa": "1", "example.com/shop:1.0.0/y": "2"}


def test_what_is_left_out_is_noted() -> None:
    """A blob that is not there, and one that is too large for a ConfigMap."""
    large = b"\xff" * (1024 * 1024 + 1)
    found = read_components(
        archive(
            local("gone", localReference="x"),
            local("large", localReference="y"),
            local("fits", localReference="z"),
            y=large,
            z=large[:-1],
        )
    )

    assert found.notes == [
        "example.com/shop:1.0.0/gone: its blob x is not there",
        "example.com/shop:1.0.0/large: left out, for it has 1,048,577 bytes",
    ]
    assert list(found.contents) == ["example.com/shop:1.0.0/fits"]


@pytest.mark.parametrize(
    ("entry", "data", "message"),
    [
        (local("aa", "blueprint", localReference="x"), b"none", "example.com/shop:1.0.0/aa: cannot read the archive: "),
        (local("aa", "jsonschema", "x+json", localReference="x"), b"\x1f\x8bnone", "example.com/shop:1.0.0/aa: cannot read gzip data: "),
    ],
)  # fmt: skip
def test_contents_that_cannot_be_read(entry: dict[str, Any], data: bytes, message: str) -> None:
    """The error names component and resource."""
    with pytest.raises(Refused) as caught:
        read_components(archive(entry, x=data))

    assert str(caught.value).startswith(message)


def transport(packed: bool, *resources: dict[str, Any], layer: bytes = b"", **contents: bytes) -> Blobs:
    """The component in the common transport format; its descriptor is packed into a tar archive, or not.

    `layer`: the bytes of the descriptor's layer, instead of its own.
    """
    blobs: Blobs = {}
    text = json.dumps(descriptor("shop", *resources)).encode()
    layer = layer or (tar(("component-descriptor.yaml", text)) if packed else text)
    media_type = "application/vnd.ocm.software.component-descriptor.v2+yaml" + ("+tar" if packed else "")
    config = {"componentDescriptorLayer": {"digest": stored(blobs, layer), "mediaType": media_type}}
    manifest = {"config": {"digest": stored(blobs, json.dumps(config).encode())}}
    listed = [
        {"repository": "something/else", "tag": "1", "digest": "x"},
        {
            "repository": "component-descriptors/example.com/shop",
            "tag": "1.0.0",
            "digest": stored(blobs, json.dumps(manifest).encode()),
        },
    ]
    blobs["artifact-index.json"] = json.dumps({"artifacts": listed}).encode()
    for data in contents.values():
        stored(blobs, data)
    return blobs


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "plain"])
def test_transport(packed: bool) -> None:
    """The descriptor stands in a layer, the contents are blobs by digest; other artifacts are passed over."""
    digest = f"sha256:{sha256(b'hello').hexdigest()}"
    found = read_components(transport(packed, local("note", localReference=digest), note=b"hello"))

    assert [component.name for component, _ in found.components] == ["example.com/shop"]
    assert found.contents == {"example.com/shop:1.0.0/note": "hello"}


@pytest.mark.parametrize("number", range(3), ids=["the layer", "the config", "the manifest"])
def test_blobs_of_the_transport_that_are_gone(number: int) -> None:
    """Manifest, config and layer must be there."""
    blobs = transport(False)
    del blobs[list(blobs)[number]]

    with pytest.raises(Refused) as caught:
        read_components(blobs)

    assert str(caught.value) == "example.com/shop:1.0.0: a blob of its manifest is not there"


def test_a_layer_that_is_no_archive() -> None:
    """A layer that says it is packed, and is not."""
    blobs = transport(True, layer=b"none")

    with pytest.raises(Refused, match=r"example.com/shop:1.0.0: cannot read the archive: "):
        read_components(blobs)


def test_links_are_noted() -> None:
    """A link in a blueprint's archive is left out, and named."""
    entry = local("blueprint", "blueprint", localReference="a")
    found = read_components(archive(entry, a=tar(("blueprint.yaml", b"x"), link="b.yaml")))

    assert found.notes == ["example.com/shop:1.0.0/blueprint: left out b.yaml, which is a link or a device"]


@pytest.mark.parametrize("number", range(4), ids=["the layer", "the config", "the manifest", "a content"])
def test_blobs_that_were_changed(number: int) -> None:
    """A blob under the name of its digest must have that digest; the error names the blob and both digests."""
    digest = f"sha256:{sha256(b'hello').hexdigest()}"
    blobs = transport(False, local("note", localReference=digest), note=b"hello")
    path = [name for name in blobs if "/sha256." in name][number]
    blobs[path] += b" "

    with pytest.raises(Refused, match="was changed: its digest must be sha256:") as caught:
        read_components(blobs)

    assert path.partition("sha256.")[2] in str(caught.value)
    assert sha256(blobs[path]).hexdigest() in str(caught.value)


def hashed(value: str, algorithm: str = "SHA-256", kind: str = "genericBlobDigest/v1") -> dict[str, str]:
    """The digest of a resource."""
    return {"hashAlgorithm": algorithm, "normalisationAlgorithm": kind, "value": value}


def with_digest(data: bytes, digest: dict[str, str]) -> Blobs:
    """An archive with one blob, whose resource gives a digest."""
    return archive({**local("note", localReference="x"), "digest": digest}, x=data)


def test_digests_of_resources() -> None:
    """A resource's own digest is that of its blob, or of what the blob holds compressed; others are of something else."""
    packed = gzip.compress(b"hello", mtime=0)
    for data, digest in (
        (b"hello", hashed(sha256(b"hello").hexdigest())),
        (b"hello", hashed(sha256(b"hello").hexdigest().upper())),
        (b"hello", hashed(sha512(b"hello").hexdigest(), "SHA-512")),
        (packed, hashed(sha256(packed).hexdigest())),
        (packed, hashed(sha256(b"hello").hexdigest())),
        (b"hello", hashed("00", kind="ociArtifactDigest/v1")),
        (b"hello", hashed("NO-DIGEST", "NO-DIGEST", "EXCLUDE-FROM-SIGNATURE")),
    ):
        assert list(read_components(with_digest(data, digest)).contents) == ["example.com/shop:1.0.0/note"]

    for data, digest, said in (
        (b"hellO", hashed(sha256(b"hello").hexdigest()), "1.0.0/note: the blob x was changed"),
        (packed, hashed(sha256(b"other").hexdigest()), "the blob x unpacked was changed"),
        (b"\x1f\x8bx", hashed("00"), "cannot read gzip data"),
        (b"hello", hashed("00", "MD5"), "digest.hashAlgorithm must be SHA-256 or SHA-512, got MD5"),
    ):
        with pytest.raises(Refused, match=said):
            read_components(with_digest(data, digest))


def test_one_blob_of_many_resources(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is unpacked once, and counts for each: the sum of all contents has a limit, with that of descriptors."""
    calls: list[bytes] = []

    def counted(data: bytes, links: list[str]) -> dict[str, Content]:
        calls.append(data)
        return untar(data, links)

    monkeypatch.setattr(ctf, "untar", counted)
    blueprint = tar(("blueprint.yaml", b"x" * 1000))
    resources = [local(f"r{number}", "blueprint", localReference="a") for number in range(50)]
    assert len(read_components(archive(*resources, a=blueprint)).contents) == 50
    assert len(calls) == 1

    monkeypatch.setattr(ctf, "MOST_BYTES", 40_000)
    with pytest.raises(Refused, match="the components must have at most 40,000 bytes together"):
        read_components(archive(*resources, a=blueprint))
