"""Everything for a machine without a registry, in dist/images: python -m tools.images.bundle

One OCI archive per image and the catalog's (they must have been built), their bills of materials, the sums of all, and
LOAD.md, which shows how to load them.
"""

from __future__ import annotations

import shutil
import sys

from tools.definitions import ROOT
from tools.images.build import every_image, image_name
from tools.images.engine import Engine, ImageError
from tools.images.sbom import FOLDER as BILLS
from tools.release.sums import sums

FOLDER = ROOT / "dist" / "images"
LOAD = """\
# Loading these images

    sha256sum --check SHA256SUMS
    for archive in *.oci.tar; do podman load --input "$archive"; done

docker 25 and newer: `docker load --input ...`; into a registry: `skopeo copy oci-archive:FILE docker://REGISTRY/NAME:TAG`.
Then `kpt fn render --image-pull-policy never`. The *.cdx.json files are the bills of materials (CycloneDX).

"""


def main(arguments: list[str]) -> int:
    if arguments:
        print("usage: python -m tools.images.bundle", file=sys.stderr)
        return 2
    images = {name: image_name(name) for name in every_image()}
    try:
        engine = Engine.find()
        absent = [name for name, image in images.items() if not engine.has(image)]
        if absent:
            raise ImageError(f"these images are not built: {', '.join(absent)}; run `make images`")
        shutil.rmtree(FOLDER, ignore_errors=True)
        for name, image in images.items():
            engine.save(image, FOLDER / f"{name}.oci.tar")
            shutil.copy(BILLS / f"{name}.cdx.json", FOLDER)
            print(f"{(FOLDER / name).relative_to(ROOT)}.oci.tar", flush=True)
    except ImageError as error:
        print(error, file=sys.stderr)
        return 1
    (FOLDER / "LOAD.md").write_text(LOAD + "".join(f"- {image}\n" for image in images.values()), "utf-8")
    (FOLDER / "SHA256SUMS").write_text("".join(sums(FOLDER)), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
