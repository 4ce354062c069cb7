"""The catalog of a release, dist/catalog.yaml: python -m tools.images.release

catalog.yaml of a checkout names images by the version's tag. This one adds the digests of the archives that
`make bundle` saved, and as programs the commands of the wheel in dist. So the archives are what has to be published, without changing
them (skopeo copy --preserve-digests).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tarfile
from pathlib import Path

from krmkit import TAG
from tools import documents
from tools.definitions import ROOT, Project, definitions
from tools.images.build import image_name
from tools.images.engine import ImageError

DIST = ROOT / "dist"


def digest(archive: Path, image: str) -> str:
    """The digest of the image in an OCI archive, in hexadecimal. Raises ImageError where it is not there, or another one is."""
    if not archive.exists():
        raise ImageError(f"{archive.name} is not in {archive.parent.name}: make images bundle")
    try:
        with tarfile.open(archive, "r:") as opened:
            file = opened.extractfile("index.json")
            if file is None:
                raise ValueError("its index.json is not a file")
            index = json.loads(file.read())
        [manifest] = index["manifests"]
        name = manifest.get("annotations", {}).get("org.opencontainers.image.ref.name", "")
        algorithm, _, value = manifest["digest"].partition(":")
    except (tarfile.TarError, KeyError, ValueError, TypeError, AttributeError) as error:
        raise ImageError(f"{archive.name} is no OCI archive of one image: {error}") from error
    # docker writes the tag alone, podman and buildah the whole name.
    if name not in {image, image.rpartition(":")[2]}:
        raise ImageError(f"{archive.name} holds {name or 'an image without a name'}, and not {image}")
    if algorithm != "sha256":
        raise ImageError(f"{archive.name} names its image by {algorithm}; a catalog has sha256")
    return str(value)


def release(dist: Path, project: Project, names: list[str]) -> documents.Release:
    """The files of this version in `dist`. Raises ImageError if it is incomplete, or of another version."""
    tag = f"v{project.version}"
    wanted = os.environ.get("TAG") or TAG
    if wanted != tag:
        raise ImageError(
            f"TAG is {wanted}, and the catalog of a release names its version: make images bundle release-catalog TAG={tag}"
        )
    wheels = sorted(dist.glob(f"krmkit-{project.version}-*.whl"))
    if len(wheels) != 1:
        raise ImageError(f"one wheel of krmkit {project.version} is needed in dist, not {len(wheels)}")
    return documents.Release(
        tag,
        {name: digest(dist / "images" / f"{name}.oci.tar", image_name(name, tag)) for name in names},
        wheels[0].name,
        hashlib.sha256(wheels[0].read_bytes()).hexdigest(),
    )


def main(arguments: list[str], dist: Path = DIST) -> int:
    if arguments:
        print("usage: python -m tools.images.release", file=sys.stderr)
        return 2
    functions, project = definitions(), Project()
    try:
        text = documents.catalog(
            functions, project, release(dist, project, [found.name for found in functions])
        )
    except ImageError as error:
        print(error, file=sys.stderr)
        return 1
    target = dist / "catalog.yaml"
    target.write_text(text, "utf-8")
    print("/".join(target.parts[-2:]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
