"""What the tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.packages import KPTFILE, PACK


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with one pack, whose pipeline selects the preset that exists."""
    root = tmp_path / "package"
    root.mkdir()
    (root / "Kptfile").write_text(KPTFILE.replace("{preset}", "fast"))
    (root / "app.yaml").write_text(PACK)
    return root
