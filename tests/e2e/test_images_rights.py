"""What is in an image that could lead to other rights: nothing, and a user that is no root."""

from __future__ import annotations

import subprocess
import tarfile

import pytest

from tests.e2e.images import NAMES, need, need_image

pytestmark = pytest.mark.images

SHELLS = {"sh", "bash", "dash", "ash", "zsh", "busybox", "su", "sudo", "mount", "env", "perl"}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_leads_to_other_rights(name: str) -> None:
    """The user is no root; nothing is setuid, setgid, a device or writable to everybody, and nothing of krmkit belongs to the user."""
    image = need_image(name)
    podman = need("podman")
    user = subprocess.run(
        [podman, "image", "inspect", "--format", "{{.Config.User}}", image],
        capture_output=True,
        text=True,
        check=True,
    )
    assert user.stdout.strip() == "65534:65534"
    made = subprocess.run(
        [podman, "create", image], capture_output=True, text=True, check=True
    ).stdout.strip()
    try:
        with (
            subprocess.Popen([podman, "export", made], stdout=subprocess.PIPE) as running,
            tarfile.open(fileobj=running.stdout, mode="r|") as files,
        ):
            entries = [(one.name, one.mode, one.uid, one.type) for one in files]
    finally:
        subprocess.run([podman, "rm", made], capture_output=True, check=True)

    assert len(entries) > 1000
    for path, mode, owner, kind in entries:
        assert kind not in (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE), path
        assert not mode & 0o6000, path
        if kind != tarfile.SYMTYPE and path.strip("/") not in ("tmp", "var/tmp"):
            assert not mode & 0o002, path
        assert path.rpartition("/")[2] not in SHELLS or "/share/" in path, path
        assert owner == 0 or not path.startswith("krmkit"), path
