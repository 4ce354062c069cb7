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
    limits.begin()


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
        pytest.param("deepEqual", ([0] * 2_000, []), id="a list as an argument of many"),
        pytest.param("regexMatch", ("a{100}b", "a" * 5_000), id="a costly pattern"),
        pytest.param("toJson", ([[]] * 2_000,), id="a walk"),
    ],
)
def test_costly_calls_come_to_an_end(name: str, args: tuple[object, ...]) -> None:
    """Calls that each stay within their limits use up the budget together."""
    with pytest.raises(GoCallError, match="MAX_WORK"):
        repeatedly(100, name, *args)


def test_small_calls_may_go_on() -> None:
    """A call on small values costs nothing."""
    repeatedly(1_000, "join", "-", ["a", "b"])
    repeatedly(1_000, "upper", "name")


def test_an_execution_renews_the_budget() -> None:
    """begin gives all of it back; so does the error, for whoever comes next."""
    for _ in range(20):
        limits.begin()
        call("until", 9_000)

    with pytest.raises(GoCallError):
        repeatedly(3, "until", 9_000)
    call("until", 9_000)
