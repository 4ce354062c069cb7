"""What holds for all unit tests: none of them runs for ever."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.bounded import bounded


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    with bounded():
        return (yield)
