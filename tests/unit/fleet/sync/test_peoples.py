"""krmkit.fleet.sync: what people publish or amend is what the next version goes on from, and nothing is published over it."""

from __future__ import annotations

import pytest

from tests.unit.fleet.sync.memorygit import Fleet, MemoryRepository, outcome_of

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
APP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\ndata:\n  a: '1'\n  b: '1'\n"
MAIN, DRAFT, TAG = "refs/heads/main", "refs/heads/drafts/x/packagevariant-1", "refs/tags/x/v1"


def variant(revision: int = 1) -> dict[str, str]:
    return {
        "fleet.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\n"
        "metadata: {name: p, namespace: default}\nspec:\n"
        f"  upstream: {{repo: up, package: web, revision: {revision}}}\n  downstream: {{repo: down, package: x}}\n"
    }


@pytest.fixture
def fleet() -> Fleet:
    up = MemoryRepository()
    for number in (1, 2):
        files = {"Kptfile": KPTFILE, "app.yaml": APP.replace("b: '1'", f"b: '{number}'")}
        up.refs[f"refs/tags/web/v{number}"] = up.commit(MAIN, "web", files)
    return Fleet({"up": up, "down": MemoryRepository()})


@pytest.mark.parametrize("how", ["amend", "root", "squash into main", "squash, and the draft stays"])
def test_a_first_draft_that_a_person_published(fleet: Fleet, how: str) -> None:
    """Amended, or squashed to one commit: it is the variant's version 1, and the next one has its edits."""
    down = fleet.repositories["down"]
    down.commit(MAIN, "seed", {"README.md": "our sites"})
    fleet.sync(variant())
    files = {**down.files(DRAFT, "x"), "note.txt": "ours"}
    files["app.yaml"] = files["app.yaml"].replace("a: '1'", "a: '99' # ours")
    if how == "amend":
        down.refs[TAG] = down.commit(DRAFT, "x", files, amend=True)
    elif how == "root":
        down.refs[TAG] = down.commit("refs/heads/new", "x", files)
        del down.refs["refs/heads/new"]
    else:
        down.commit(DRAFT, "x", files)
        down.refs[TAG] = down.commit(MAIN, "x", files)
    if "stays" not in how:
        del down.refs[DRAFT]

    done = outcome_of(fleet.sync(variant(), approve="auto"), "default/p")

    assert not done.error and not done.conflicts and not any("published" in one for one in done.actions)
    assert {ref for ref in down.refs if "/x/" in ref} == {TAG}
    fleet.sync(variant(2), approve="auto")
    after = down.files("refs/tags/x/v2", "x")
    assert (
        "a: '99' # ours" in after["app.yaml"]
        and "b: '2'" in after["app.yaml"]
        and after["note.txt"] == "ours"
    )
    assert down.files(MAIN, "x") == after


def test_a_package_that_was_there_before(fleet: Fleet) -> None:
    """Nothing is published over it: the draft waits at every sync, and the message names the version and the ways."""
    down = fleet.repositories["down"]
    own = {"Kptfile": KPTFILE, "precious.yaml": APP}
    down.refs[TAG] = down.commit(MAIN, "x", own)
    for _ in range(2):
        done = outcome_of(fleet.sync(variant(), approve="auto"), "default/p")
        assert (
            done.held
            and "x/v1: published by people, and x/v2 would replace it: --adopt x/v1 takes it"
            in done.conflicts[0]
        )
        assert {ref for ref in down.refs if "/x/" in ref} == {TAG, DRAFT}
        assert down.files(MAIN, "x") == own

    down.refs["refs/tags/x/v2"] = down.refs.pop(DRAFT)  # a person decides
    done = outcome_of(fleet.sync(variant(2), approve="auto"), "default/p")
    assert not done.held and "published x/v3" in done.actions


def test_an_adopted_version(fleet: Fleet) -> None:
    """It is what the next version is made from, in place of the draft that waited."""
    down = fleet.repositories["down"]
    lock = fleet.repositories["up"].refs["refs/tags/web/v1"]
    git = "repo: up, directory: /web, ref: web/v1"
    kptfile = f"{KPTFILE}upstream: {{type: git, git: {{{git}}}}}\nupstreamLock: {{type: git, git: {{{git}, commit: {lock}}}}}\n"
    down.refs[TAG] = down.commit(
        MAIN, "x", {"Kptfile": kptfile, "app.yaml": APP.replace("a: '1'", "a: ours")}
    )
    fleet.sync(variant(), approve="auto")

    done = outcome_of(fleet.sync(variant(2), approve="auto", adopt={TAG: "x/v1"}), "default/p")

    assert not done.error and not done.held and not done.conflicts
    assert DRAFT not in down.refs and "published x/v2" in done.actions
    text = down.files("refs/tags/x/v2", "x")["app.yaml"]
    assert "a: ours" in text and "b: '2'" in text


def test_another_person_s_draft_is_in_nobody_s_way(fleet: Fleet) -> None:
    """It is named, and left alone; only a version that somebody published keeps the variant's own from it."""
    down = fleet.repositories["down"]
    own = down.refs["refs/heads/drafts/x/v7"] = down.commit("refs/heads/theirs", "x", {"Kptfile": KPTFILE})

    done = outcome_of(fleet.sync(variant(), approve="auto"), "default/p")

    assert (done.error, done.conflicts, done.held) == ("", [], False)
    assert "published x/v1" in done.actions and TAG in down.refs
    assert down.refs["refs/heads/drafts/x/v7"] == own
    assert any("drafts/x/v7" in one for one in done.warnings)
