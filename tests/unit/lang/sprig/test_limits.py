"""The budget of work: what many calls cost together is counted, too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from krmkit.lang.gotemplate.functions import GoCallError
from krmkit.lang.sprig import call, limits


@pytest.fixture(autouse=True)
def _small_budget(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(limits, "MAX_WORK", 10_000)
        limits.begin()
        yield
    limits.end()


def repeatedly(times: int, name: str, *args: object) -> None:
    """Calls a function again and again."""
    for _ in range(times):
        call(name, *args)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        pytest.param("join", ("", [1] * 2_000), id="a long list again and again"),
        pytest.param("upper", ("a" * 200_000,), id="a long text"),
        pytest.param("until", (2_000,), id="a long result"),
        pytest.param("deepEqual", ([0] * 2_000, [0] * 2_000), id="a comparison"),
        pytest.param("regexMatch", ("a{100}b", "a" * 5_000), id="a costly pattern"),
        pytest.param("toJson", ([[]] * 2_000,), id="a walk"),
    ],
)
def test_costly_calls_come_to_an_end(name: str, args: tuple[object, ...]) -> None:
    """Calls that each stay within their limits use up the budget together."""
    with pytest.raises(GoCallError, match="MAX_WORK"):
        repeatedly(100, name, *args)


def test_small_calls_cost_nothing() -> None:
    """Calls on small values may go on and on; the engine counts its own steps."""
    limits.begin()
    repeatedly(2_000, "upper", "name")
    call("until", 9_999)


def test_each_execution_has_its_own_budget() -> None:
    """begin gives all of it back, end lifts it."""
    for _ in range(5):
        limits.begin()
        call("until", 9_000)
    with pytest.raises(GoCallError):
        call("until", 9_000)

    limits.end()
    repeatedly(5, "until", 9_000)
