"""A pipe in the place of a file: each command names it, and waits for nobody to write into it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.analysis.fleet import synced_variants, upstream_of
from krmkit.fn.crdfiles import read_crds
from krmkit.krm.errors import Refused
from krmkit.render.resourcefiles import is_blueprint, mentions
from krmkit.services.certificates import Certificates
from tests.programs import python
from tests.unit.cli.packages import one_pack
from tests.waiting import MOST

pytestmark = pytest.mark.linux
NO_FILE = "must be a regular file"


def krmkit(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command that must not wait; a process of its own, as a wait for a pipe ends only with it."""
    return subprocess.run(
        [sys.executable, "-m", "krmkit", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A checkout with one package."""
    one_pack(tmp_path / "package")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "first"]):
        who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True)
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        "refs/heads/other", "HEAD", "config", "packed-refs", "objects/info/alternates", "index", "info/exclude",
        "info/attributes", "objects/info/commit-graph", "../.gitignore", "../package/.gitattributes",
    ],
)  # fmt: skip
def test_files_of_git(repository: Path, name: str) -> None:
    """git itself would wait."""
    place = repository / ".git" / name
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)

    done = krmkit(repository, "render", "-r", "package", "--since", "main", "--dry-run")

    assert done.returncode == 1
    assert f"{name.removeprefix('../')} {NO_FILE}" in done.stderr


@pytest.mark.parametrize("name", ["index", "refs/heads/other", "HEAD"])
def test_files_of_a_repository_elsewhere(repository: Path, name: str) -> None:
    """Where .git is a file that names the folder of the repository."""
    (repository / ".git").rename(repository / "elsewhere")
    (repository / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    (repository / "elsewhere" / name).unlink(missing_ok=True)
    os.mkfifo(repository / "elsewhere" / name)

    done = krmkit(repository, "render", "-r", "package", "--since", "main", "--dry-run")

    assert done.returncode == 1
    assert f"elsewhere/{name} {NO_FILE}" in done.stderr


def test_links_and_sockets_of_git(repository: Path) -> None:
    """A folder behind a link, a link to nowhere, and the socket of git's own file monitor make nobody wait."""
    (repository / ".git/refs/heads").rename(repository / ".git/heads")
    (repository / ".git/refs/heads").symlink_to("../heads")
    (repository / ".git/info/nowhere").symlink_to("nothing")
    with socket.socket(socket.AF_UNIX) as monitor:
        monitor.bind(os.path.relpath(repository / ".git/fsmonitor--daemon.ipc"))

        done = krmkit(repository, "render", "-r", "package", "--since", "main", "--dry-run")

    assert done.returncode == 0, done.stderr


def test_files_that_the_user_names(tmp_path: Path) -> None:
    """Templates of spiff, and values of clusterctl."""
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "c.yaml").write_text("a: ${B}\n", encoding="utf-8")

    for words in (
        ("spiff", "merge", "pipe.yaml"),
        ("clusterctl", "generate", "c.yaml", "--values", "pipe.yaml"),
        ("clusterctl", "generate", "pipe.yaml"),
    ):
        done = krmkit(tmp_path, *words)
        assert done.returncode == 1
        assert f"pipe.yaml: {NO_FILE}" in done.stderr or f"pipe.yaml {NO_FILE}" in done.stderr


def test_a_pipe_of_the_shell(tmp_path: Path) -> None:
    """`<(command)` is a pipe that somebody writes to."""
    command = f"{python('-m', 'krmkit', 'spiff', 'merge')} <(echo 'a: (( 1 + 1 ))')"

    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=MOST
    )

    assert (done.returncode, done.stdout.strip()) == (0, "a: 2"), done.stderr


def test_files_that_are_read_on_the_way(tmp_path: Path) -> None:
    """CRDs, a status, certificates, and what looks into a package before it is read."""
    for name in ("a.yaml", "Kptfile"):
        os.mkfifo(tmp_path / name)
    pipe = str(tmp_path / "a.yaml")

    with pytest.raises(Refused, match=NO_FILE):
        read_crds(str(tmp_path))
    with pytest.raises(Refused, match=NO_FILE):
        synced_variants(pipe)
    with pytest.raises(Refused):
        Certificates(pipe, pipe, pipe)
    assert mentions(str(tmp_path), b"word")
    assert not is_blueprint(str(tmp_path))
    assert upstream_of(str(tmp_path)) == ""
