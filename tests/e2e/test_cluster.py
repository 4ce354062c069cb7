"""Work on a real cluster of Dask: the same packages as here, whatever happens to a worker."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import krmkit
from krmkit.fleet.engine import dask as daskengine
from krmkit.fleet.engine.dask import DaskEngine
from krmkit.krm.errors import Refused
from tests.e2e.cluster import LocalCluster
from tests.e2e.gitfleet import APP, GitFleet
from tests.unit.cli.fleets import folders, render
from tests.waiting import until

# The client's own threads and sockets are closed when the interpreter ends.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Iterator[LocalCluster]:
    """Two workers; one of them has several threads, for which functions are not made."""
    with LocalCluster(tmp_path_factory.mktemp("cluster"), project, workers=1) as made:
        made.threads = 3
        made.add_worker()
        yield made


@pytest.fixture
def engine(cluster: LocalCluster) -> Iterator[DaskEngine]:
    made = DaskEngine(cluster.address)
    yield made
    made.close()


class Doubles:
    """A job with something against 13 and 17; while it works nobody else in the process may."""

    busy = False

    def __call__(self, given: int) -> tuple[int, int]:
        assert not Doubles.busy, "two threads work at a time"
        Doubles.busy = True
        try:
            time.sleep(0.001)
            if given == 13:
                raise Refused("13 is unlucky")
            if given == 17:
                raise KeyError(given)
            return given * 2, os.getpid()
        finally:
            Doubles.busy = False


class Poison:
    """A job that kills the worker at one input."""

    def __call__(self, given: int) -> int:
        if given == 9:
            os.kill(os.getpid(), signal.SIGKILL)
        return given


def test_answers_in_order(engine: DaskEngine) -> None:
    """Both workers work; what fails is named once, with its reason."""
    done = list(engine.map(Doubles(), iter(range(200))))

    assert [answer[0] for answer, problem in done if not problem] == [
        2 * n for n in range(200) if n not in {13, 17}
    ]
    assert done[13] == (None, "13 is unlucky")
    assert done[17] == (None, "an error in krmkit itself: KeyError: 17")
    assert len({answer[1] for answer, problem in done if not problem}) == 2


def test_a_killed_worker_costs_no_package(tmp_path: Path, project: Path) -> None:
    """What it had is done again by the other one, and nothing is done or told twice."""
    with LocalCluster(tmp_path, project) as cluster:
        engine = DaskEngine(cluster.address)
        done = []
        for one in engine.map(Doubles(), iter(range(400))):
            done.append(one)
            if len(done) == 60:
                cluster.kill_worker()
        engine.close()

    fine = [answer for answer, problem in done if not problem]
    assert [number for number, _ in fine] == [2 * n for n in range(400) if n not in {13, 17}]
    assert [problem for _, problem in done if problem] == [
        "13 is unlucky",
        "an error in krmkit itself: KeyError: 17",
    ]
    assert len({pid for _, pid in fine}) == 2


def test_a_package_that_kills_workers_is_named(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others of its batch are done; a worker that comes later is used."""
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    with LocalCluster(tmp_path, project, workers=4) as cluster:
        engine = DaskEngine(cluster.address)
        done = list(engine.map(Poison(), range(40)))
        engine.close()

    assert [answer for answer, problem in done if not problem] == [n for n in range(40) if n != 9]
    assert done[9] == (None, "every worker that made it died")


def test_no_worker_is_left(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for another one for a while, then says so."""
    monkeypatch.setattr(daskengine, "PATIENCE", 1.0)
    with LocalCluster(tmp_path, project, workers=1) as cluster:
        engine = DaskEngine(cluster.address)
        cluster.kill_worker()
        with pytest.raises(Refused, match="no worker has been there for 1 s; nothing was written"):
            list(engine.map(Doubles(), range(5)))
        engine.close()


@pytest.mark.parametrize("seen", ["not yet", "lost", "given up"])
def test_the_scheduler_goes_away(tmp_path: Path, project: Path, seen: str) -> None:
    """One line says so, whatever the client has seen of it when it is asked for more."""
    with LocalCluster(tmp_path, project, workers=1) as cluster:
        engine = DaskEngine(cluster.address)
        done = engine.map(Doubles(), range(4000))
        next(done)
        cluster.scheduler.kill()
        if seen == "lost":
            until(lambda: engine._client.status != "running")
        elif seen == "given up":
            engine.close()
        with pytest.raises(Refused, match="the scheduler went away; nothing was written"):
            list(done)
        with pytest.raises(Refused, match="the scheduler went away; nothing was written"):
            list(engine.map(Doubles(), range(4)))
        engine.close()


def test_another_version(cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another krmkit makes may differ, so nothing is made."""
    monkeypatch.setattr(krmkit, "__version__", "99.0")

    with pytest.raises(Refused, match=r"has krmkit .*, and this is krmkit 99\.0; install the same version"):
        DaskEngine(cluster.address)


@pytest.mark.parametrize(
    "address",
    ["tcp://127.0.0.1:9", "nonsense://x", "127.0.0.1:port", "inproc://x", "", "x", "tcp://127.0.0.1:99999"],
)
def test_nobody_is_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address is named."""
    monkeypatch.setattr(daskengine, "CONNECT", 1.0)

    with pytest.raises(Refused, match="no scheduler answers there"):
        DaskEngine(address)


def test_tls_needs_certificates() -> None:
    """The message names the settings."""
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        address = f"tls://127.0.0.1:{somebody.getsockname()[1]}"
        with pytest.raises(Refused, match=r"must name distributed\.comm\.tls\.ca-file"):
            DaskEngine(address)


def test_no_worker_from_the_start(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says how to start one."""
    monkeypatch.setattr(daskengine, "FIRST", 1.0)
    with (
        LocalCluster(tmp_path, project, workers=0) as cluster,
        pytest.raises(Refused, match="has no worker; start one with: dask worker tcp"),
    ):
        DaskEngine(cluster.address)


def test_render_on_the_cluster(cluster: LocalCluster, tmp_path: Path) -> None:
    """The same files as without, with files that are not text and with rights."""
    place = folders(tmp_path)
    (place / "packages/bp/shop/logo.png").write_bytes(b"\x89PNG\xff")
    (place / "packages/bp/shop/run.sh").write_text("#!/bin/sh\n")
    (place / "packages/bp/shop/run.sh").chmod(0o755)
    assert render(place) == 0
    shutil.move(place / "out", place / "here")

    assert render(place, "--on", cluster.address) == 0

    assert _tree(place / "out") == _tree(place / "here")


def _tree(root: Path) -> dict[str, Any]:
    found = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mode) for path in found}


def test_sync_on_the_cluster(cluster: LocalCluster, tmp_path: Path, project: Path) -> None:
    """Clones, merges, conflicts and errors: the same refs and words as without."""
    fleet = GitFleet(tmp_path, project)
    whole = tmp_path / "whole.git"
    shutil.copytree(fleet.shops, whole)
    ended = []
    for place, words in ((fleet.shops, ("--on", cluster.address)), (whole, ())):
        fleet.shops = place
        fleet.want(revision=1)
        said = [fleet.sync(*words)]
        fleet.edit("drafts/west/packagevariant-1", "west/app.yaml", APP.replace("small", "large"))
        fleet.edit("drafts/north/packagevariant-1", "north/app.yaml", "{")
        if place != whole:
            fleet.release("v2", {"app.yaml": APP.replace("small", "medium")})
        fleet.want(revision=2)
        said.append(fleet.sync(*words, code=1))
        ended.append((said, fleet.refs()))

    assert ended[0] == ended[1]
    assert "1 left alone with conflicts, 1 failed" in ended[0][0][1]
