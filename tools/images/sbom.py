"""Bills of materials, CycloneDX in JSON: .venv-sbom/bin/python -m tools.images.sbom FUNCTION... | --all | --single-file

build/sbom/krmkit.cdx.json (--single-file) is about krmkit.pyz and a plain installation: the run-time dependencies in all their wheels.
build/sbom/<function>.cdx.json names the function with its version, the Python packages with the hashes of their wheels (as cyclonedx-py
reads them from what `make wheels` wrote), and the Debian packages of the base image's root file system. Each file is checked against the
schema of CycloneDX before it is written, and is the same for the same contents.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import sysconfig
import uuid
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tools.definitions import ROOT, Data, Project
from tools.images import debian
from tools.images.build import every_image
from tools.images.engine import ImageError
from tools.images.wheels import fetch

FOLDER = ROOT / "build" / "sbom"
ROOTFS = ROOT / "build" / "base" / "rootfs"
VERSION = SchemaVersion.V1_6
VALIDATOR = JsonStrictValidator(VERSION)  # its schema is read once, for all bills


@functools.cache
def python_packages(requirements: str) -> list[Data]:
    """The components that cyclonedx-py finds in the text of requirements with hashes, which many images share."""
    command = [
        str(Path(sysconfig.get_path("scripts"), "cyclonedx-py")),
        "requirements",
        "--output-reproducible",
    ]
    command += ["--spec-version", VERSION.to_version(), "-"]
    done = subprocess.run(command, input=requirements, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ImageError(f"cyclonedx-py: {done.stderr}")
    components: list[Data] = json.loads(done.stdout)["components"]
    for component in components:
        component.pop("description", None)  # the line of the file
        component["bom-ref"] = component["purl"]
    return components


@functools.cache
def debian_packages() -> list[Data]:
    """The components of the base image, the same in every image."""
    return debian.packages(ROOTFS)


def document(kind: str, name: str, components: list[Data]) -> Data:
    """The whole bill of one thing (container, application)."""
    content: Data = {
        "bomFormat": "CycloneDX",
        "specVersion": VERSION.to_version(),
        "version": 1,
        "metadata": {
            "component": {
                "type": kind,
                "bom-ref": name,
                "name": name,
                "version": Project().version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": components,
        "dependencies": [
            {"ref": name, "dependsOn": sorted(str(part["bom-ref"]) for part in components)},
            *({"ref": part["bom-ref"]} for part in components),
        ],
    }
    # The number of a bill must be unique, and is the same for the same contents.
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    return {"serialNumber": f"urn:uuid:{number}", **content}


def of_image(function: str) -> Data:
    """The bill of one image: Python packages, and what the base image has of Debian."""
    components = [
        *python_packages((fetch(function) / "requirements.txt").read_text("utf-8")),
        *debian_packages(),
    ]
    return document("container", f"{Project().registry}/{function}", components)


def of_single_file() -> Data:
    """The bill of krmkit.pyz, and of what pip installs with krmkit."""
    return document(
        "application", "krmkit", python_packages((ROOT / "requirements/run.txt").read_text("utf-8"))
    )


def write(name: str, bill: Data) -> Path:
    """Write a bill; returns its path."""
    text = json.dumps(bill, indent=2) + "\n"
    error = VALIDATOR.validate_str(text)
    if error is not None:
        raise ImageError(f"the bill of {name} is not valid: {error}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    target = FOLDER / f"{name}.cdx.json"
    target.write_text(text, "utf-8")
    return target


def main(arguments: list[str]) -> int:
    if not arguments:
        print("usage: python -m tools.images.sbom FUNCTION... | --all | --single-file", file=sys.stderr)
        return 2
    if arguments == ["--single-file"]:
        print(write("krmkit", of_single_file()).relative_to(ROOT))
        return 0
    if arguments == ["--all"]:
        arguments = every_image()
    if not ROOTFS.is_dir():
        print("the packages of the base image are not known here: make base-image", file=sys.stderr)
        return 1
    try:
        for function in arguments:
            print(write(function, of_image(function)).relative_to(ROOT), flush=True)
    except ImageError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
