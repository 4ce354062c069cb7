"""Functions in containers: the command line that kpt uses, with whichever of docker, podman and nerdctl works.

No network, no rights to gain, the user nobody, nothing of the disk.
"""

from __future__ import annotations

import os

from krmkit.fn.external import External

RUNTIMES = ("docker", "podman", "nerdctl")
RUNTIME_VARIABLE = "KPT_FN_RUNTIME"
PULL = {"Always": "always", "IfNotPresent": "missing", "Never": "never"}
DEFAULT_PREFIX = "gcr.io/kpt-fn/"
_PATIENCE = 10  # seconds


class NoRuntimeError(Exception):
    """No container runtime works on this machine; the message says what was tried."""


def runtime(wanted: str | None = None) -> str:
    """The runtime to use: the wanted one (default: KPT_FN_RUNTIME, else the first that works). Raises NoRuntimeError."""
    import shutil

    wanted = wanted if wanted is not None else os.environ.get(RUNTIME_VARIABLE, "")
    if wanted and wanted.lower() not in RUNTIMES:
        raise NoRuntimeError(f"{RUNTIME_VARIABLE} is {wanted}; it can be {', '.join(RUNTIMES)}")
    tried = []
    for name in [wanted.lower()] if wanted else RUNTIMES:
        if shutil.which(name) is None:
            tried.append(f"{name} is not there")
        elif not _answers(name):
            tried.append(f"{name} does not answer (is its service running?)")
        else:
            return name
    raise NoRuntimeError("; ".join(tried))


def _answers(name: str) -> bool:
    import subprocess

    # `version` of docker and nerdctl fails when the daemon does not run.
    try:
        done = subprocess.run(
            [name, "version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def container(image: str, name: str, pull: str = "IfNotPresent", network: bool = False) -> External:
    """The program that runs a function's image in the runtime called `name`."""
    command = [name, "run", "--rm", "-i", "--network", "host" if network else "none", "--user", "nobody"]
    command += ["--security-opt=no-new-privileges", "--pull", PULL[pull], image]
    return External(image, command)


def full_name(image: str) -> str:
    """Short names are those of kpt's own catalog."""
    return image if "/" in image else DEFAULT_PREFIX + image
