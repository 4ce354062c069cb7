"""Run functions in containers with kpt's flags, by docker, podman or nerdctl, whichever works.

Containers have no network, no new privileges and no mounts, and run as the user "nobody".
"""

from __future__ import annotations

import os

from krmkit.krm.errors import Refused
from krmkit.libraries.process.program import ChildError, run_bounded, words
from krmkit.render.programs.external import TIMEOUT, External
from krmkit.render.programs.tags import bare

RUNTIMES = ("docker", "podman", "nerdctl")
RUNTIME_VARIABLE = "KRM_FN_RUNTIME"
OLD_RUNTIME_VARIABLE = "KPT_FN_RUNTIME"  # of kpt before 1.0.0-beta.59
PREFIX_VARIABLE = "KPT_IMAGE_PREFIX"
PULL = {"Always": "always", "IfNotPresent": "missing", "Never": "never"}
DEFAULT_PREFIX = "ghcr.io/kptdev/krm-functions-catalog"
_PATIENCE = 60  # seconds; a machine that builds images may be slow to answer
_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_NAME = rf"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]+)?/)?{_PART}(?:/{_PART})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{{0,127}})?"
_DIGEST = r"[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-fA-F]{32,}"
# Podman's transports, which replace a registry.
_TRANSPORTS = frozenset(
    ("containers-storage", "dir", "docker", "docker-archive", "docker-daemon", "oci", "oci-archive", "sif")
)


def runtime(wanted: str | None = None) -> str:
    """Return the wanted runtime, else KRM_FN_RUNTIME, else the first one that works. Raises Refused."""
    import shutil

    variable = RUNTIME_VARIABLE if os.environ.get(RUNTIME_VARIABLE) else OLD_RUNTIME_VARIABLE
    wanted = wanted if wanted is not None else os.environ.get(variable, "")
    if wanted and wanted.lower() not in RUNTIMES:
        raise Refused(f"{variable} must be {', '.join(RUNTIMES[:-1])} or {RUNTIMES[-1]}, got {wanted}")
    tried = []
    for name in [wanted.lower()] if wanted else RUNTIMES:
        if shutil.which(name) is None:
            tried.append(f"{name} is not there")
        elif not _answers(name):
            tried.append(f"{name} does not answer (is its service running?)")
        else:
            return name
    raise Refused("; ".join(tried))


def _answers(name: str) -> bool:
    # `version` of docker and nerdctl fails when the daemon does not run.
    try:
        return run_bounded([name, "version"], seconds=_PATIENCE)[2] == 0
    except (OSError, ChildError):
        return False


def container(
    image: str, name: str, pull: str = "IfNotPresent", network: bool = False, timeout: float = TIMEOUT
) -> External:
    """Return the program that runs a function's image in the runtime called `name`."""
    label = (
        f"krmkit-{os.urandom(6).hex()}"  # to end the container, which ending the runtime's command would not
    )
    command = [name, "run", "--rm", "-i", "--name", label, "--network", "host" if network else "none"]
    command += ["--user", "nobody", "--security-opt=no-new-privileges", "--pull", PULL[pull]]
    program = External(image, words(command, [image]), timeout)
    program.stop = words([name, "rm", "--force"], [label])
    return program


def bad_image(image: str) -> str:
    """Return why an image's name is unsafe for a runtime (it could be read as a flag or a file), or "".

    Example: `bad_image("--privileged/x")` is an error text; `bad_image("ghcr.io/me/fn:v1") == ""`.
    """
    import re

    name, _, digest = image.partition("@")
    host, slash, _ = name.partition("/")
    if not re.fullmatch(_NAME, name) or (digest and not re.fullmatch(_DIGEST, digest)):
        return f'image must be [registry/]name[:tag][@digest], got "{image}"'
    if slash and host.partition(":")[0] in _TRANSPORTS and ":" in host:
        return f'image must not name a file or a place of the machine, got "{image}"'
    return ""


def image_prefix(given: str = "") -> str:
    """Return the registry of images without one: given, KPT_IMAGE_PREFIX or kpt's. Raises ValueError."""
    import re

    prefix = (given or os.environ.get(PREFIX_VARIABLE, "") or DEFAULT_PREFIX).rstrip("/")
    if not re.fullmatch(_NAME, prefix):
        raise ValueError(f'the prefix of images must be a registry and its path, got "{prefix}"')
    return prefix


def full_name(image: str, tag: str = "", prefix: str = DEFAULT_PREFIX) -> str:
    """Return the full name of an image: with a registry, and with `tag` in place of its tag and digest.

    Example: `full_name("fn:v1", "v2") == "ghcr.io/kptdev/krm-functions-catalog/fn:v2"`.
    """
    image = image if "/" in image else f"{prefix}/{image}"
    if tag:
        return f"{bare(image)}:{tag}"
    return image if "@" in image or ":" in image.rpartition("/")[2] else f"{image}:latest"


def tags_here(image: str, name: str) -> list[str]:
    """Return the tags of an image on this machine, from the runtime called `name`."""
    options = [name, "image", "ls", "--filter", f"reference={bare(image)}", "--format", "{{ .Tag }}"]
    try:
        stdout, _, code = run_bounded(options, seconds=_PATIENCE)
    except (OSError, ChildError):
        return []
    return stdout.decode("utf-8", "replace").split() if code == 0 else []
