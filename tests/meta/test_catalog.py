"""catalog.yaml and the catalog of a release, against the schema in KEP-2906."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import jsonschema
import pytest
import yaml

from tools.definitions import Data, Project, definitions
from tools.images import release
from tools.images.engine import ImageError

TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "array", "items": TEXT, "minItems": 1}
DIGEST = {"type": "string", "pattern": "^[0-9a-f]{64}$"}


def shape(required: dict[str, object], **optional: object) -> Data:
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **optional},
        "additionalProperties": False,
    }


# KRMFunctionCatalog; `kind` is what its prose and examples say. `exec` requires a field `platform` there, and defines `platforms`.
PROGRAM = shape(
    {
        "bin": TEXT,
        "os": {"enum": ["linux", "darwin", "windows"]},
        "arch": {"enum": ["amd64", "arm64"]},
        "uri": TEXT,
        "sha256": DIGEST,
    }
)
RUNTIME = {
    **shape(
        {},
        container=shape(
            {"image": TEXT},
            sha256=DIGEST,
            requireNetwork={"type": "boolean"},
            requireStorageMount={"type": "boolean"},
        ),
        exec=shape({"platforms": {"type": "array", "items": PROGRAM, "minItems": 1}}),
    ),
    "minProperties": 1,
}
FUNCTION_VERSION = shape(
    {
        "name": TEXT,
        "schema": shape({"openAPIV3Schema": {"type": "object"}}),
        "idempotent": {"type": "boolean"},
        "runtime": RUNTIME,
        "usage": TEXT,
        "examples": TEXTS,
        "license": {"enum": ["Apache 2.0"]},
    },
    maintainers=TEXTS,
)
FUNCTION = shape(
    {
        "group": TEXT,
        "names": shape({"kind": TEXT}),
        "description": TEXT,
        "publisher": TEXT,
        "versions": {"type": "array", "items": FUNCTION_VERSION, "minItems": 1},
    },
    home=TEXT,
    maintainers=TEXTS,
    tags=TEXTS,
)
CATALOG = shape(
    {
        "apiVersion": {"enum": ["config.kubernetes.io/v1alpha1"]},
        "kind": {"enum": ["Catalog"]},
        "spec": shape({"krmFunctions": {"type": "array", "items": FUNCTION}}),
    },
    metadata={"type": "object"},
)
VALID = jsonschema.Draft7Validator(CATALOG)
NAMES = [definition.name for definition in definitions()]


def archive(path: Path, *images: str, digest: str = "sha256:" + 64 * "a") -> None:
    """An OCI archive as far as its index goes."""
    index = {
        "manifests": [
            {"digest": digest, "annotations": {"org.opencontainers.image.ref.name": image}}
            for image in images
        ]
    }
    packed(path, json.dumps(index).encode())


def packed(path: Path, content: bytes, kind: bytes = tarfile.REGTYPE) -> None:
    """An archive with an index.json."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as opened:
        entry = tarfile.TarInfo("index.json")
        entry.size = len(content)
        entry.type = kind
        opened.addfile(entry, io.BytesIO(content))


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project: Path) -> Path:
    """What `make bundle wheel` leaves for a release."""
    settings = Project(project)
    monkeypatch.setenv("TAG", f"v{settings.version}")
    for name in NAMES:
        archive(tmp_path / "images" / f"{name}.oci.tar", f"{settings.registry}/{name}:v{settings.version}")
    (tmp_path / f"krmkit-{settings.version}-py3-none-any.whl").write_bytes(b"wheel")
    return tmp_path


def test_catalog_is_valid(project: Path) -> None:
    """The one that is checked in."""
    VALID.validate(yaml.safe_load((project / "catalog.yaml").read_text("utf-8")))


def test_catalog_of_a_release(built: Path, project: Path) -> None:
    """It is valid, and names the version's images and the wheel's commands, each with its digest; all else is as in catalog.yaml."""
    assert release.main([], built) == 0

    found = yaml.safe_load((built / "catalog.yaml").read_text("utf-8"))
    VALID.validate(found)
    checked_in = yaml.safe_load((project / "catalog.yaml").read_text("utf-8"))
    settings = Project(project)
    for name, one, other in zip(
        NAMES, found["spec"]["krmFunctions"], checked_in["spec"]["krmFunctions"], strict=True
    ):
        runtime = one["versions"][0].pop("runtime")
        del other["versions"][0]["runtime"]
        assert one == other
        assert runtime["container"]["image"] == f"{settings.registry}/{name}:v{settings.version}"
        assert runtime["container"]["sha256"] == 64 * "a"
        assert {entry["bin"] for entry in runtime["exec"]["platforms"]} == {name}


def broken(built: Path, how: str) -> None:
    path = built / "images" / f"{NAMES[0]}.oci.tar"
    match how:
        case "absent":
            path.unlink()
        case "other tag":
            archive(path, f"{Project().registry}/{NAMES[0]}:unstable")
        case "other image":
            archive(path, f"{Project().registry}/{NAMES[1]}:v{Project().version}")
        case "two images":
            archive(path, "a", "b")
        case "folder":
            packed(path, b"", tarfile.DIRTYPE)
        case "list":
            packed(path, b"[]")
        case "no archive":
            path.write_bytes(b"no archive")
        case "no wheel":
            next(built.glob("*.whl")).unlink()


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("absent", "make images bundle"),
        ("other tag", ":unstable, and not "),
        ("other image", "holds .*, and not "),
        ("two images", "no OCI archive of one image"),
        ("no archive", "no OCI archive of one image"),
        ("folder", "its index.json is not a file"),
        ("list", "no OCI archive of one image"),
        ("no wheel", "one wheel of krmkit"),
    ],
)
def test_incomplete_release(built: Path, capsys: pytest.CaptureFixture[str], how: str, message: str) -> None:
    """Whatever is missing or of another version is named, and no catalog is written."""
    broken(built, how)

    with pytest.raises(ImageError, match=message):
        release.release(built, Project(), NAMES)
    assert release.main([], built) == 1
    assert not (built / "catalog.yaml").exists()
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("tag", ["unstable", "v99.0.0"])
def test_release_of_another_tag(built: Path, monkeypatch: pytest.MonkeyPatch, tag: str) -> None:
    """A tag that moves, or of another version, is no release; the message has the command."""
    monkeypatch.setenv("TAG", tag)

    with pytest.raises(ImageError, match="make images bundle release-catalog TAG=v"):
        release.release(built, Project(), NAMES)


def test_docker_writes_the_tag_alone(tmp_path: Path) -> None:
    """`docker save` names an image by its tag where podman writes the whole name."""
    archive(tmp_path / "a.oci.tar", "v1.0.0", digest="sha256:" + 64 * "b")

    assert release.digest(tmp_path / "a.oci.tar", "registry.example.com/a:v1.0.0") == 64 * "b"
    with pytest.raises(ImageError, match="holds v1"):
        release.digest(tmp_path / "a.oci.tar", "registry.example.com/a:v1.0.1")
