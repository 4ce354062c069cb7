"""A draft that waits for a person, because upstream's new version and a published edit disagree."""

from __future__ import annotations

import pytest
import yaml

from tests.unit.fleet.sync.memorygit import Fleet, MemoryRepository
from tests.unit.fleet.sync.test_killed import edit, release, wanted
from tests.unit.fleet.sync.test_wholesync import APP

DRAFT = "refs/heads/drafts/p/packagevariant-2"


def app(size: str) -> str:
    return f"{APP}  size: {size}\n"


@pytest.fixture
def fleet() -> Fleet:
    """`size` is 8 in what is published, and 4 in upstream's second version, which is a draft."""
    up, down = MemoryRepository(), MemoryRepository()
    fleet = Fleet({"up": up, "down": down})
    release(up, 1, app("two"))
    fleet.sync(wanted(1))
    edit(down, "size: two", "size: eight")
    fleet.sync(wanted(1), approve="auto")
    release(up, 2, app("four"))
    sync = fleet.sync(wanted(2))
    assert [one.conflicts for one in sync.outcomes] == [[said("four")]]
    return fleet


def said(upstream: str) -> str:
    return f"app.yaml:9:3 data.size: changed upstream to '{upstream}' and locally to 'eight': upstream wins"


def size(fleet: Fleet) -> str:
    return str(yaml.safe_load(fleet.repositories["down"].files(DRAFT, "p")["app.yaml"])["data"]["size"])


def follow(fleet: Fleet, number: int, text: str, **given: str) -> list[str]:
    """The conflicts with a new version."""
    release(fleet.repositories["up"], number, text)
    sync = fleet.sync(wanted(number), **given)
    assert not fleet.sync(wanted(number), **given).changed()
    return sync.outcomes[0].conflicts


def test_upstream_changes_its_value_again(fleet: Fleet) -> None:
    """The conflict has the value that is in the draft."""
    assert follow(fleet, 3, app("five")) == [said("five")]
    assert size(fleet) == "five"


def test_upstream_takes_its_value_back(fleet: Fleet) -> None:
    """The person's value comes back, and nothing waits any more."""
    assert follow(fleet, 3, app("two")) == []
    assert size(fleet) == "eight"
    assert follow(fleet, 4, app("two") + "  more: '1'\n", approve="auto") == []
    assert "refs/tags/p/v2" in fleet.repositories["down"].refs


def test_a_person_agrees(fleet: Fleet) -> None:
    """What somebody committed on top of the draft is the base of what comes."""
    down = fleet.repositories["down"]
    down.commit(DRAFT, "p", down.files(DRAFT, "p"))

    assert follow(fleet, 3, app("two")) == []
    assert size(fleet) == "two"


@pytest.mark.parametrize(("policy", "value"), [("local", "eight"), ("upstream", "four")])
def test_somebody_decides(fleet: Fleet, policy: str, value: str) -> None:
    """--on-conflict decides of a draft that waits, also where nothing else is new."""
    sync = fleet.sync(wanted(2), on_conflict=policy)

    assert len(sync.outcomes[0].conflicts) == 1 and not sync.outcomes[0].waiting
    assert size(fleet) == value
    assert not fleet.sync(wanted(2), on_conflict=policy).changed()
    assert fleet.sync(wanted(2)).outcomes[0].conflicts == []
