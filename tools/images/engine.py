"""Whichever of podman, buildah and docker works here: building images and saving them. ENGINE=name chooses."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

# The command that shows that each works; docker's client may be installed without a daemon.
QUESTIONS = {"docker": ["docker", "info"], "podman": ["podman", "info"], "buildah": ["buildah", "info"]}


class ImageError(Exception):
    """An image cannot be made; the message gives the reason and a remedy."""


class Engine:
    """One of docker, podman, buildah, by `name`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @staticmethod
    def find(wanted: str | None = None) -> Engine:
        """The wanted one (default: ENGINE of the environment, else the first that works). Raises ImageError."""
        wanted = wanted if wanted is not None else os.environ.get("ENGINE", "")
        if wanted and wanted not in QUESTIONS:
            raise ImageError(f"ENGINE is {wanted}; it can be {', '.join(QUESTIONS)}")
        tried = []
        for name in [wanted] if wanted else QUESTIONS:
            if shutil.which(name) is None:
                tried.append(f"{name} is not there")
            elif subprocess.run(
                QUESTIONS[name], stdin=subprocess.DEVNULL, capture_output=True, check=False
            ).returncode:
                tried.append(f"{name} is there and does not answer")
            else:
                return Engine(name)
        raise ImageError(
            f"nothing here can build images: {', '.join(tried)}. Install one, on Debian: apt-get install podman"
        )

    def has(self, image: str) -> bool:
        """Whether the image is in this machine's store."""
        question = {
            "docker": ["docker", "image", "inspect", image],
            "podman": ["podman", "image", "exists", image],
            "buildah": ["buildah", "inspect", "--type", "image", image],
        }[self.name]
        return (
            subprocess.run(question, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode
            == 0
        )

    def build(
        self,
        dockerfile: Path,
        context: Path,
        tags: Sequence[str],
        arguments: Mapping[str, str] | None = None,
        labels: Mapping[str, str] | None = None,
        base: str = "",
        wheels: Path | None = None,
    ) -> None:
        """Build an image; `base` is taken from the store where it is there, pulled otherwise.

        `wheels`: the folder that takes the place of the stage of this name, which fetches them.
        """
        command = [self.name, "build", "--file", str(dockerfile)]
        if self.name != "docker":
            # chroot asks nothing of the machine (cgroups, networks), and what the builds run needs no more.
            command += [
                "--layers",
                "--isolation",
                "chroot",
                *(["--pull-never"] if base and self.has(base) else []),
            ]
        if wheels is not None:
            command += ["--build-context", f"wheels={wheels}"]
        for tag in tags:
            command += ["--tag", tag]
        for name, value in (arguments or {}).items():
            command += ["--build-arg", f"{name}={value}"]
        for name, value in (labels or {}).items():
            command += ["--label", f"{name}={value}"]
        self._run([*command, str(context)], f"building {tags[0]}")

    def save(self, image: str, archive: Path) -> None:
        """Write the image as an OCI archive (docker: what `docker save` writes, an OCI layout since version 25)."""
        archive.parent.mkdir(parents=True, exist_ok=True)
        archive.unlink(missing_ok=True)
        command = {
            "docker": ["docker", "save", "--output", str(archive), image],
            "podman": [
                "podman",
                "save",
                "--quiet",
                "--format",
                "oci-archive",
                "--output",
                str(archive),
                image,
            ],
            "buildah": ["buildah", "push", "--quiet", image, f"oci-archive:{archive}:{image}"],
        }[self.name]
        self._run(command, f"saving {image}")

    def _run(self, command: list[str], what: str) -> None:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ImageError(f"{what} failed: {' '.join(command)}\n{done.stdout}")
