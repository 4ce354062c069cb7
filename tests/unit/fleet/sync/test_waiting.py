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


def follow(fleet: Fleet, number: int, text: str, approve: str = "never") -> list[str]:
    """The conflicts with a new version."""
    release(fleet.repositories["up"], number, text)
    sync = fleet.sync(wanted(number), approve=approve)
    assert not fleet.sync(wanted(number), approve=approve).changed()
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


@pytest.mark.parametrize("amend", [False, True])
def test_a_draft_that_was_published_with_an_edit(amend: bool) -> None:
    """Somebody tags a commit of their own on top of a draft, and pushes the tag alone: the tag is what counts, not the draft."""
    up, down = MemoryRepository(), MemoryRepository()
    fleet = Fleet({"up": up, "down": down})
    release(up, 1, app("two"))
    fleet.sync(wanted(1))
    before = down.refs["refs/heads/drafts/p/packagevariant-1"]
    files = down.files("refs/heads/drafts/p/packagevariant-1", "p")
    edited = {**files, "app.yaml": files["app.yaml"].replace("size: two", "size: eight")}
    down.refs["refs/tags/p/v1"] = down.commit(
        "refs/heads/drafts/p/packagevariant-1", "p", edited, amend=amend
    )
    down.refs["refs/heads/drafts/p/packagevariant-1"] = before

    assert follow(fleet, 2, app("two") + "  more: '1'\n") == []

    assert size(fleet) == "eight" and "  more: " in down.files(DRAFT, "p")["app.yaml"]
    assert "refs/heads/drafts/p/packagevariant-1" not in down.refs


@pytest.mark.parametrize("same", [True, False])
def test_a_version_that_was_made_in_main(same: bool) -> None:
    """A person edits the package in main and tags that: it is the variant's next version, unless it comes from another upstream."""
    up, down = MemoryRepository(), MemoryRepository()
    fleet = Fleet({"up": up, "down": down})
    release(up, 1, app("two"))
    fleet.sync(wanted(1), approve="auto")
    files = down.files("refs/heads/main", "p")
    files["app.yaml"] = files["app.yaml"].replace("size: two", "size: eight")
    if not same:
        files["Kptfile"] = files["Kptfile"].replace("/web", "/other")
    down.refs["refs/tags/p/v2"] = down.commit("refs/heads/main", "p", files)

    release(up, 2, app("two") + "  more: '1'\n")
    outcome = fleet.sync(wanted(2)).outcomes[0]

    warning = "p/v2: not of this variant, and ignored; adoptionPolicy: adoptExisting takes it over"
    assert (outcome.conflicts, outcome.warnings) == ([], [] if same else [warning])
    assert size(fleet) == ("eight" if same else "two")


def test_a_proposal_beside_its_draft() -> None:
    """Somebody proposes a commit of their own, and leaves the draft: the proposal goes on. Two that people changed are an error."""
    up, down = MemoryRepository(), MemoryRepository()
    fleet = Fleet({"up": up, "down": down})
    release(up, 1, app("two"))
    fleet.sync(wanted(1))
    draft = "refs/heads/drafts/p/packagevariant-1"
    proposal = draft.replace("drafts", "proposed")
    before = down.refs[draft]
    edit(down, "size: two", "size: eight")
    down.refs[proposal], down.refs[draft] = down.refs[draft], before

    fleet.sync(wanted(1))

    assert draft not in down.refs and "eight" in down.files(proposal, "p")["app.yaml"]

    down.refs[draft] = before
    edit(down, "a: '1'", "a: 'ours'")
    down.commit(proposal, "p", {**down.files(proposal, "p"), "note": "theirs"})
    kept = dict(down.refs)
    release(up, 2, app("two") + "  more: '1'\n")

    sync = fleet.sync(wanted(2))

    assert "and people changed both" in sync.outcomes[0].error
    assert down.refs == kept


def test_a_state_that_is_gone() -> None:
    """What the package had is passed over, as Porch does it, but not without a word."""
    up, down = MemoryRepository(), MemoryRepository()
    fleet = Fleet({"up": up, "down": down})
    release(up, 1, app("two"))
    fleet.sync(wanted(1), approve="auto")
    del down.refs["refs/krmkit/variants/default/x"]

    (warning,) = fleet.sync(wanted(1)).outcomes[0].warnings

    assert warning == "p/v1: not of this variant, and ignored; adoptionPolicy: adoptExisting takes it over"


def test_a_version_that_overtakes_a_draft() -> None:
    """A draft waits, and somebody publishes a change of what is published: the draft is made from that once more."""
    up, down = MemoryRepository(), MemoryRepository()
    fleet = Fleet({"up": up, "down": down})
    release(up, 1, app("two"))
    fleet.sync(wanted(1), approve="auto")
    release(up, 2, app("two") + "  more: '1'\n")
    fleet.sync(wanted(2))
    files = down.files("refs/tags/p/v1", "p")
    down.refs["refs/heads/x"] = down.refs["refs/tags/p/v1"]
    edited = {**files, "app.yaml": files["app.yaml"].replace("size: two", "size: eight")}
    down.refs["refs/tags/p/v2"] = down.commit("refs/heads/x", "p", edited)

    sync = fleet.sync(wanted(2))

    (ref,) = [ref for ref in down.refs if ref.startswith("refs/heads/drafts/")]
    text = down.files(ref, "p")["app.yaml"]
    assert not sync.outcomes[0].conflicts and "size: eight" in text and "  more: " in text
    assert not fleet.sync(wanted(2)).changed()

    down.commit(ref, "p", {**down.files(ref, "p"), "note": "ours"})
    down.refs["refs/tags/p/v3"] = down.commit("refs/heads/x", "p", {**edited, "note": "theirs"})
    assert "p/v3 is not in drafts/p/" in fleet.sync(wanted(2)).outcomes[0].error
