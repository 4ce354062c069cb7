"""Dockerfile.template as it is, without make: on an image of the public base's name, made here of the project's own base and pip."""

from __future__ import annotations

import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.e2e.images import need, run_image
from tools.images.build import DOCKERFILE, base_image
from tools.images.wheels import fetch

pytestmark = pytest.mark.images

EMPTY = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
CHROOT = ("--isolation", "chroot")
# What pip needs of this machine to reach its package index.
INDEX = [path for path in ("/etc/ssl/certs", "/etc/pip.conf") if os.path.exists(path)]


def build(*arguments: str) -> None:
    done = subprocess.run(
        [need("podman"), "build", "--quiet", *CHROOT, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def python_image(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An image of the name that the template pulls."""
    named: list[str] = re.findall(r"^ARG PYTHON_IMAGE=(\S+)@", DOCKERFILE.read_text("utf-8"), re.MULTILINE)
    place = tmp_path_factory.mktemp("python")
    [wheel] = fetch("apply-presets").glob("pip-*.whl")
    zipfile.ZipFile(wheel).extractall(place / "pip")
    lines = [f"FROM {base_image()}", "COPY pip /usr/lib/python3/dist-packages", "USER 0:0"]
    (place / "Dockerfile").write_text("\n".join(lines) + "\n", "utf-8")
    build("--tag", named[0], str(place))
    return named[0]


@pytest.mark.parametrize("function", ["apply-presets", "catalog"])
def test_template_without_make(python_image: str, function: str, project: Path) -> None:
    """The wheels are fetched inside, by hash; what comes out answers as nobody, without network."""
    image = f"localhost/krmkit-without-make/{function}"
    build(
        *("--network", "host", "--pull=never", "--file", str(DOCKERFILE), "--tag", image),
        *(f"--volume={path}:{path}:ro" for path in INDEX),
        *("--build-arg", f"PYTHON_IMAGE={python_image}", "--build-arg", f"FUNCTION={function}", str(project)),
    )

    done = run_image(image, *(["apply-presets"] if function == "catalog" else []), stdin=EMPTY)

    assert (done.returncode, done.stdout) == (0, EMPTY), done.stderr
