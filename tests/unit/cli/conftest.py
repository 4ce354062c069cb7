"""What the tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.packages import one_pack


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with one pack, whose pipeline selects the preset that exists."""
    return one_pack(tmp_path / "package")
