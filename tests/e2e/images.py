"""For tests that run images: the container command, names, and why something is not there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.definitions import Definition, definitions
from tools.images.build import image_name
from tools.images.programs import PROGRAMS
from tools.images.wheels import CATALOG

PODMAN = shutil.which("podman")
DEFINITIONS = {definition.name: definition for definition in definitions()}
NAMES = [*DEFINITIONS, CATALOG, *PROGRAMS]
# kpt's options for a function, and a read-only root file system.
RIGHTS = [
    "--rm",
    "-i",
    "--network",
    "none",
    "--user",
    "nobody",
    "--security-opt=no-new-privileges",
    "--read-only",
]
REQUIRED = "KRMKIT_REQUIRE_IMAGES"  # set by `make e2e-images`: then nothing is skipped

Done = subprocess.CompletedProcess[str]


def need(program: str) -> str:
    """The path of a program; the test is skipped (with `make e2e-images`: fails) where it is absent."""
    found = shutil.which(program)
    if found is None:
        absent(f"{program} is not on PATH")
    return str(found)


def absent(reason: str) -> None:
    if os.environ.get(REQUIRED):
        pytest.fail(reason)
    pytest.skip(reason)


def need_image(name: str) -> str:
    """The full name of a built image."""
    podman = need("podman")
    image = image_name(name)
    if subprocess.run([podman, "image", "exists", image], check=False).returncode:
        absent(f"{image} is not in podman's store; make base-image images")
    return image


def run_image(image: str, *arguments: str, stdin: str = "", options: tuple[str, ...] = ()) -> Done:
    """Run an image as kpt does, with less rights still."""
    command = [need("podman"), "run", "--pull", "never", *RIGHTS, *options, image, *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)


def inspect(image: str) -> dict[str, object]:
    """Podman's data of an image."""
    done = subprocess.run(
        [need("podman"), "image", "inspect", image], capture_output=True, text=True, check=True
    )
    [found] = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def as_docker(folder: Path) -> dict[str, str]:
    """An environment in which `docker` is podman: what kustomize starts."""
    program = folder / "docker"
    program.write_text(f'#!/bin/sh\nexec {need("podman")} "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}


def without_cel() -> list[Definition]:
    return [definition for definition in DEFINITIONS.values() if "cel" not in definition.requires]
