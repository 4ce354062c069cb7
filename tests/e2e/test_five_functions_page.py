"""docs/five-functions.md does what it says; the real kpt renders the same package with a stand-in for docker."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.orchestrate import docker_stand_in, files_of
from tests.e2e.test_tutorial import ROOT, Shell, boxes, follow, write_commands

PAGE = ROOT / "docs/five-functions.md"


def test_the_page(tmp_path: Path) -> None:
    """The package is written, its diff is the one that is shown, and a constraint ends the run."""
    assert follow(tmp_path, kpt=False, page=PAGE) == 2


@pytest.mark.kpt
def test_the_package_with_kpt(tmp_path: Path) -> None:
    """kpt's render of the page's package has the values, the injected data and the pipeline of krmkit's."""
    commands = tmp_path / "commands"
    write_commands(commands)
    docker_stand_in(commands)
    shell = Shell(tmp_path, commands)
    shell.run(boxes(PAGE)[0].script + "cp -R site ours\nkrmkit render ours\n")

    done = shell.run("kpt fn render site\n")

    assert done.returncode == 0, done.stderr
    theirs, ours = (files_of(tmp_path / "checkout" / name) for name in ("site", "ours"))
    for text in ("model: large   # larger ones see more", 'title: "Doors of plant-north"'):
        assert text in theirs["pack.yaml"].decode() and text in ours["pack.yaml"].decode()
    assert "db: db.north.example.com # a host name" in theirs["endpoints.yaml"].decode()
    assert "name: PackageVariant.north.namespace.0" in theirs["Kptfile"].decode()
