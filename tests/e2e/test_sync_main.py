"""`krmkit variants sync --approve auto` beside what people commit to the branch main."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.gitfleet import APP, GitFleet, git
from tests.e2e.test_sync_owners import want


@pytest.fixture
def fleet(tmp_path: Path, project: Path) -> GitFleet:
    return GitFleet(tmp_path, project)


def test_a_persons_commit_to_main_is_not_replaced(fleet: GitFleet) -> None:
    """With --approve auto a version that would replace it waits as a draft, names the file, and goes out once the edit is taken back."""
    want(fleet, "x:p")
    fleet.sync("--approve", "auto")
    before = fleet.read("main", "p/app.yaml")
    mine = before.replace("size: small", "size: large")
    fleet.edit("main", "p/app.yaml", mine)
    fleet.edit("main", "p/note.md", "by hand\n")
    main = fleet.refs()["refs/heads/main"]
    fleet.release("v2", {"app.yaml": APP.replace("small", "medium")})
    want(fleet, "x:p", revision=2)

    for _ in range(2):
        said = fleet.sync("--approve", "auto")
        assert "conflict: p/app.yaml: main has another content by hand" in said and "note.md" not in said
        assert "tag main's commit as p/v2" in said
        assert "p/v2" in said and "1 with conflicts to look at" in said
        assert fleet.branches() == {"main", "p/v1", "drafts/p/packagevariant-2"}
        assert fleet.refs()["refs/heads/main"] == main
    fleet.sync("--approve", "auto", "--check", code=2)
    assert fleet.read("main", "p/app.yaml") == mine

    fleet.edit("main", "p/app.yaml", before)
    assert "published p/v2" in fleet.sync("--approve", "auto")
    assert "size: medium" in fleet.read("main", "p/app.yaml")
    assert fleet.read("main", "p/note.md") == "by hand\n"


@pytest.mark.parametrize("waits", [True, False])
def test_a_persons_commit_to_main_that_is_tagged(fleet: GitFleet, waits: bool) -> None:
    """It is the variant's newest version: the next one has it, whether a draft waited for it or not."""
    want(fleet, "x:p")
    fleet.sync("--approve", "auto")
    fleet.edit("main", "p/app.yaml", fleet.read("main", "p/app.yaml").replace("small", "large"))
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    want(fleet, "x:p", revision=2)
    if waits:
        fleet.sync("--approve", "auto")
        assert fleet.branches() == {"main", "p/v1", "drafts/p/packagevariant-2"}
    git(fleet.shops, "tag", "p/v2", "main")

    said = fleet.sync("--approve", "auto")

    assert "published p/v3" in said and "by hand" not in said
    merged = fleet.read("main", "p/app.yaml")
    assert "size: large" in merged and '"2"' in merged
    assert fleet.branches() == {"main", "p/v1", "p/v2", "p/v3"}
    fleet.sync("--approve", "auto", "--check")


def test_a_persons_commit_to_main_and_other_packages(fleet: GitFleet) -> None:
    """What waits holds up nothing else; a person who publishes the draft decides."""
    want(fleet, "x:p", "y:q")
    fleet.sync("--approve", "auto")
    fleet.edit("main", "p/app.yaml", fleet.read("main", "p/app.yaml").replace("small", "large"))
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    want(fleet, "x:p", "y:q", revision=2)

    fleet.sync("--approve", "auto")

    assert "size: large" in fleet.read("main", "p/app.yaml") and '"2"' in fleet.read("main", "q/app.yaml")
    for _ in range(2):
        assert "conflict: p/app.yaml" in fleet.sync("--approve", "auto")
    fleet.sync("--approve", "auto", "--check", code=2)
    git(fleet.shops, "tag", "p/v2", "drafts/p/packagevariant-2")
    git(fleet.shops, "branch", "-q", "-D", "drafts/p/packagevariant-2")
    said = fleet.sync("--approve", "auto")
    assert "now replaced: p/app.yaml" in said and '"2"' in fleet.read("main", "p/app.yaml")
    fleet.sync("--approve", "auto", "--check")


def test_a_package_that_main_has_by_hand(fleet: GitFleet) -> None:
    """The first version does not replace it either; a tag would not make it the variant's, and is not advised."""
    fleet.sync()
    tree = git(fleet.shops, "mktree", stdin="")
    git(fleet.shops, "update-ref", "refs/heads/main", git(fleet.shops, "commit-tree", tree, "-m", "empty"))
    fleet.edit("main", "north/app.yaml", "mine: true\n")

    said = fleet.sync("--approve", "auto")

    assert (
        "conflict: north/app.yaml: main has another content by hand, which north/v1 would replace: take"
        in said
    )
    assert fleet.read("main", "north/app.yaml") == "mine: true\n"
    assert fleet.branches() == {"main", "drafts/north/packagevariant-1", "south/v1", "west/v1"}
