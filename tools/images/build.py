"""Builds images of functions: python -m tools.images.build FUNCTION... (`catalog`: the one that holds all; a name of
tools/images/programs.py: that server; --all: every one)

Environment: ENGINE (docker, podman, buildah), TAG (default: the version's), BASE_IMAGE, SOURCE (the address of the repository).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from krmkit import TAG
from tools.definitions import ROOT, Project, definitions
from tools.images.engine import Engine, ImageError
from tools.images.programs import PROGRAMS
from tools.images.wheels import CATALOG, fetch

DOCKERFILE = ROOT / "Dockerfile.template"


def image_name(name: str, tag: str | None = None) -> str:
    """The full name of an image: registry, name, tag (default: TAG of the environment)."""
    return f"{Project().registry}/{name}:{tag or os.environ.get('TAG') or TAG}"


def base_image() -> str:
    """The base to build on (BASE_IMAGE of the environment, else the project's own)."""
    return os.environ.get("BASE_IMAGE") or image_name("base")


def revision() -> str:
    """The commit, `unknown` outside of a repository; `-dirty` where files differ from it."""
    done = subprocess.run(
        ["git", "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "unknown"


def source() -> dict[str, str]:
    """The label with the address of the repository (SOURCE of the environment, else of pyproject.toml); none if neither has one.

    Raises ImageError for an invalid address.
    """
    address = os.environ.get("SOURCE") or Project().source
    if address and not re.fullmatch(r"https?://[^\s/]+/\S+", address):
        raise ImageError(
            f"SOURCE must be the repository's address, as in https://example.com/krmkit, got {address}"
        )
    return {"org.opencontainers.image.source": address} if address else {}


def labels(function: str) -> dict[str, str]:
    """The image's labels beside title, version and revision: from function.yaml and pyproject.toml."""
    project = Project()
    values = {"vendor": project.publisher, "url": project.home, "base.name": base_image()}
    own = {}
    if function == CATALOG:
        values["description"] = "All functions of the catalog; the first argument names one."
    elif function in PROGRAMS:
        values["description"] = PROGRAMS[function].summary
        values["documentation"] = f"{project.home}/docs/{PROGRAMS[function].page.removesuffix('.md')}/"
    else:
        [definition] = [found for found in definitions() if found.name == function]
        values["description"] = definition.summary
        values["documentation"] = f"{project.home}/functions/{function}/"
        own = {
            "dev.krmkit.function.kind": definition.kind,
            "dev.krmkit.function.tags": ",".join(definition.tags),
        }
    return {**{f"org.opencontainers.image.{key}": value for key, value in values.items()}, **source(), **own}


def every_image() -> list[str]:
    """The names of all images: the functions, the one that holds them all, the programs."""
    return [*(definition.name for definition in definitions()), CATALOG, *PROGRAMS]


def build(engine: Engine, function: str) -> str:
    """Build one image; returns its name."""
    wheels = fetch(function)
    name, base = image_name(function), base_image()
    arguments = {
        "BASE_IMAGE": base,
        "FUNCTION": function,
        "VERSION": Project().version,
        "REVISION": revision(),
    }
    engine.build(DOCKERFILE, ROOT, [name], arguments, labels(function), base, wheels)
    return name


def main(arguments: list[str]) -> int:
    if not arguments:
        print("usage: python -m tools.images.build FUNCTION... | --all", file=sys.stderr)
        return 2
    functions = arguments
    if arguments == ["--all"]:
        functions = every_image()
    try:
        engine = Engine.find()
        for function in functions:
            print(build(engine, function), flush=True)
    except ImageError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
