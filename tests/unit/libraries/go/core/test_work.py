"""The budget of work that functions share during an execution."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from krmkit.libraries.go.core import work
from krmkit.libraries.go.core.functions import GoFunction
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.gotemplate import TemplateError, parse
from krmkit.libraries.gotemplate.limits import TemplateLimits


@pytest.fixture
def _budget() -> Iterator[None]:
    assert work.begin(100)
    yield
    work.end()


def test_outside_of_an_execution_nothing_is_counted() -> None:
    """Functions may be called by themselves."""
    work.charge(10**9)


@pytest.mark.usefixtures("_budget")
def test_a_budget_is_used_up() -> None:
    """By all charges together; long texts cost, short ones do not."""
    for _ in range(1000):
        work.charge_text("short")
    work.charge(60)
    work.charge_text("x" * 32 * 39)
    with pytest.raises(GoError, match="more than 100 steps"):
        work.charge_read("x" * 256 * 5)


@pytest.mark.usefixtures("_budget")
@pytest.mark.parametrize(("charge", "size"), [(work.charge_text, work.MADE), (work.charge_read, work.READ)])
def test_what_a_long_text_costs(charge: Callable[[str], object], size: int) -> None:
    """A step for each 32 characters that are made, for each 256 that are read; nothing up to 1,024."""
    charge("x" * 1024)
    charge("x" * 1025)
    work.charge(100 - 1025 // size)
    with pytest.raises(GoError, match="more than 100 steps"):
        work.charge(1)


@pytest.mark.usefixtures("_budget")
def test_an_execution_inside_another_one_goes_on_with_its_budget() -> None:
    """A function that executes a template gives it no new one."""
    assert not work.begin(1000)
    with pytest.raises(GoError):
        work.charge(101)


def test_every_execution_begins_anew() -> None:
    """And ends the budget whatever happens."""
    template = parse(
        "{{ use 60 }}", functions={"use": GoFunction(work.charge, ("int",))}, limits=TemplateLimits(work=100)
    )
    failing = parse(
        "{{ use 60 }}{{ use 60 }}",
        functions={"use": GoFunction(work.charge, ("int",))},
        limits=TemplateLimits(work=100),
    )

    template.execute()
    template.execute()
    with pytest.raises(TemplateError, match=r"Limits\.work"):
        failing.execute()
    work.charge(10**9)
