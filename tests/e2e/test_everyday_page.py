"""docs/everyday.md does what it says: its boxes are run as those of the tutorial are.

Where kpt runs, a program called `docker` takes docker's place and starts this checkout's functions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.orchestrate import docker_stand_in
from tests.e2e.test_tutorial import ROOT, boxes, follow, write_commands

PAGE = ROOT / "docs/everyday.md"


def test_the_page_has_boxes() -> None:
    """What is found is what a reader sees: two boxes for kpt, one output, and two for what a reader has."""
    found = boxes(PAGE)

    assert len(found) == PAGE.read_text("utf-8").count("```sh\n")
    assert sum(box.kpt for box in found) == 2
    assert sum(box.skipped for box in found) == 2


def test_the_page(tmp_path: Path) -> None:
    assert follow(tmp_path, kpt=False, page=PAGE) == 1


@pytest.mark.kpt
def test_the_page_with_kpt(tmp_path: Path) -> None:
    """One Kptfile, two ways, the same files: the box with `diff` fails else."""
    commands = tmp_path / "commands"
    write_commands(commands)
    docker_stand_in(commands)

    assert follow(tmp_path, kpt=True, page=PAGE, commands=commands) == 1
