"""Fixtures of the unit tests, and their time limit: none of them runs for ever."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.bounded import bounded
from tests.unit.cli.packages import one_pack


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    with bounded():
        return (yield)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with one pack, whose pipeline selects the preset that exists."""
    return one_pack(tmp_path / "package")
