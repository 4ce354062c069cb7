"""`krmkit variants sync`: whose a variant is, and what a sync never removes."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from krmkit.fleet.shard import Shard
from krmkit.storage.git.program import GitRepository
from krmkit.storage.git.refjournal import RepositoryLock
from tests.e2e.gitfleet import APP, GitFleet, git

VARIANT = """\
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {{name: {name}, namespace: default}}
spec:
  upstream: {{repo: blueprints, package: web, revision: {revision}}}
  downstream: {{repo: {repo}, package: {package}}}
"""


@pytest.fixture
def fleet(tmp_path: Path, project: Path) -> GitFleet:
    return GitFleet(tmp_path, project)


def want(fleet: GitFleet, *variants: str, repo: str = "shops", revision: int = 1) -> None:
    """Write the fleet's file: variants as `name:package`."""
    texts = (
        VARIANT.format(name=name, package=package, repo=repo, revision=revision)
        for name, package in (one.split(":") for one in variants)
    )
    (fleet.root / fleet.setfile).write_text("".join(texts), encoding="utf-8")


def other_file(fleet: GitFleet, name: str) -> None:
    """Let the commands use another file, which begins as a copy."""
    text = (fleet.root / "fleet.yaml").read_text(encoding="utf-8")
    (fleet.root / name).write_text(text, encoding="utf-8")
    fleet.setfile = name


def human_commit(fleet: GitFleet, branch: str, package: str) -> str:
    fleet.edit(branch, f"{package}/app.yaml", APP.replace("size: small", "size: large"))
    return fleet.refs()[f"refs/heads/{branch}"]


def test_an_amended_draft_is_left_alone(fleet: GitFleet) -> None:
    """A person's commit that keeps the sync's message is a person's."""
    want(fleet, "x:p")
    fleet.sync()
    git(fleet.root, "clone", "-q", "-b", "drafts/p/packagevariant-1", "shops.git", "work")
    place = fleet.root / "work" / "p" / "app.yaml"
    place.write_text(place.read_text(encoding="utf-8").replace("small", "large"), encoding="utf-8")
    git(fleet.root / "work", "commit", "-q", "-a", "--amend", "--no-edit")
    git(fleet.root / "work", "push", "-q", "-f")
    fleet.release("v2", {"app.yaml": APP.replace("small", "medium")})
    want(fleet, "x:p", revision=2)

    assert "left a draft with conflicts alone" in fleet.sync()
    assert "size: large" in fleet.read("drafts/p/packagevariant-1", "p/app.yaml")
    fleet.sync("--check", code=2)


def test_another_package_keeps_the_old_draft(fleet: GitFleet) -> None:
    """What the variant owned is named, in each sync, and goes with --prune only."""
    want(fleet, "x:p1")
    fleet.sync()
    commit = human_commit(fleet, "drafts/p1/packagevariant-1", "p1")
    want(fleet, "x:p2")

    for _ in range(2):
        said = fleet.sync()
        assert "its package is p2 now; --prune removes drafts/p1/packagevariant-1" in said
        assert fleet.refs()["refs/heads/drafts/p1/packagevariant-1"] == commit

    assert "deleted drafts/p1/packagevariant-1" in fleet.sync("--prune")
    assert fleet.branches() == {"drafts/p2/packagevariant-1"}


def test_another_repository_keeps_the_old_draft(fleet: GitFleet) -> None:
    """It is named, and goes with --prune only."""
    git(fleet.root, "init", "-q", "--bare", "other.git")
    repo = ("--repo", f"other={fleet.root / 'other.git'}")
    want(fleet, "x:p")
    fleet.sync()
    want(fleet, "x:p", repo="other")

    assert "its package is in the repository other now; --prune removes drafts/p/" in fleet.sync(*repo)
    assert fleet.branches() == {"drafts/p/packagevariant-1"}
    fleet.sync("--prune", *repo)
    assert fleet.branches() == set()


def test_a_variant_that_left_its_file(fleet: GitFleet) -> None:
    """A single variant, or a whole set, that is no longer in the file is named, and removed by --prune only."""
    want(fleet, "x:p", "y:q")
    fleet.sync()
    want(fleet, "x:p")

    said = fleet.sync()

    assert "no longer in" in said and "--prune removes drafts/q/packagevariant-1" in said
    assert "1 to be removed by --prune" in said
    assert "drafts/q/packagevariant-1" in fleet.branches()
    fleet.sync("--prune")
    assert fleet.branches() == {"drafts/p/packagevariant-1"}
    assert "default/y" not in fleet.sync("--prune")


def test_a_draft_that_a_person_made(fleet: GitFleet) -> None:
    """A draft of the same package that did not come from the variant is no variant's, and stays when that is pruned."""
    want(fleet, "x:p", "y:q")
    fleet.sync()
    git(fleet.root, "clone", "-q", "-b", "drafts/p/packagevariant-1", "shops.git", "work")
    git(fleet.root / "work", "checkout", "-q", "--orphan", "drafts/p/mine")
    git(fleet.root / "work", "commit", "-q", "-m", "a draft of my own")
    git(fleet.root / "work", "push", "-q", "origin", "drafts/p/mine")
    want(fleet, "y:q")

    said = fleet.sync("--prune")

    assert "deleted drafts/p/packagevariant-1" in said and "drafts/p/mine" not in said
    assert fleet.branches() == {"drafts/p/mine", "drafts/q/packagevariant-1"}


def test_a_shard_prunes_its_part(fleet: GitFleet) -> None:
    """Variants of another part are left to the run that has it: two runs of one removal would disturb each other."""
    names = "abcdef"
    want(fleet, *(f"{name}:{name}" for name in names), "x:p")
    fleet.sync()
    first = {name for name in names if Shard(1, 2).takes(f"default/{name}")}
    assert 0 < len(first) < len(names)
    want(fleet, "x:p")

    fleet.sync("--prune", "--shard", "1/2")

    kept = {f"drafts/{name}/packagevariant-1" for name in {*names, "p"} - first}
    assert fleet.branches() == kept
    fleet.sync("--prune", "--shard", "2/2")
    assert fleet.branches() == {"drafts/p/packagevariant-1"}


def test_a_file_that_was_emptied(fleet: GitFleet) -> None:
    """Without --prune it is an error; with it the fleet goes."""
    want(fleet, "x:p")
    fleet.sync()
    (fleet.root / "fleet.yaml").write_text("# nothing any more\n", encoding="utf-8")

    assert "--prune says so" in fleet.sync(code=1)
    assert "deleted drafts/p/packagevariant-1" in fleet.sync("--prune")


def test_two_fleets_in_one_repository(fleet: GitFleet) -> None:
    """A sync of one file, with --prune, touches nothing of the other's, also where sets share a name."""
    fleet.want(revision=1, names=("north", "south"))
    fleet.sync()
    other_file(fleet, "other.yaml")
    fleet.want(revision=1, names=("west",))
    before = fleet.refs()

    said = fleet.sync("--prune")

    assert "north" not in said and "south" not in said
    assert before.items() <= fleet.refs().items() and "drafts/west/packagevariant-1" in fleet.branches()
    fleet.setfile = "fleet.yaml"
    fleet.want(revision=1, names=("north",))
    fleet.sync("--prune")
    assert fleet.branches() == {"drafts/north/packagevariant-1", "drafts/west/packagevariant-1"}


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        ("x:q", "the variant default/x is of the fleet fleet.yaml, and other.yaml has one of that name"),
        ("y:p", "shops/p is the package of default/x of the fleet fleet.yaml"),
    ],
)
def test_what_another_fleet_has(fleet: GitFleet, variant: str, message: str) -> None:
    """A variant's name and a package belong to one fleet; nothing of the other one's is changed."""
    want(fleet, "x:p")
    fleet.sync()
    other_file(fleet, "other.yaml")
    want(fleet, variant)
    before = fleet.refs()

    assert message in fleet.sync("--prune", code=1)
    assert fleet.refs() == before


def test_a_file_that_was_moved(fleet: GitFleet) -> None:
    """--fleet goes on with the name that the fleet had."""
    want(fleet, "x:p")
    fleet.sync()
    other_file(fleet, "moved.yaml")

    assert "is of the fleet fleet.yaml" in fleet.sync(code=1)
    assert "0 variants changed, 1 unchanged" in fleet.sync("--fleet", "fleet.yaml")


def test_a_fleet_in_a_repository(fleet: GitFleet) -> None:
    """The file's place in its repository, and where that came from, make the fleet's name."""
    want(fleet, "x:p")
    git(fleet.root, "init", "-q", "fleets")
    git(fleet.root / "fleets", "remote", "add", "origin", "git@git.example.com:org/fleets.git")
    (fleet.root / "fleets" / "prod").mkdir()
    (fleet.root / "fleet.yaml").rename(fleet.root / "fleets" / "prod" / "shops.yaml")
    fleet.setfile = "fleets/prod/shops.yaml"
    fleet.sync()
    (fleet.root / "fleets" / "prod" / "shops.yaml").rename(fleet.root / "shops.yaml")
    fleet.setfile = "shops.yaml"

    assert "is of the fleet org/fleets/prod/shops.yaml" in fleet.sync(code=1)


def test_a_renamed_set(fleet: GitFleet) -> None:
    """Its old variants are named; with adoptExisting the new ones take their packages over, and --prune leaves these alone."""
    fleet.want(revision=1, names=("north",))
    fleet.sync("--approve", "auto")
    fleet.want(revision=1, names=("north",), adoptionPolicy="adoptExisting")
    text = (fleet.root / "fleet.yaml").read_text(encoding="utf-8")
    (fleet.root / "fleet.yaml").write_text(text.replace("name: fleet\n", "name: stores\n"), encoding="utf-8")

    said = fleet.sync("--prune")

    assert "adopted north/v1" in said
    assert fleet.branches() == {"main", "north/v1"}
    assert "0 variants changed, 1 unchanged" in fleet.sync("--prune")


def test_a_draft_that_a_person_published(fleet: GitFleet) -> None:
    """A draft that a person proposes, or tags, is the variant's still: no second draft is made."""
    want(fleet, "x:p")
    fleet.sync()
    git(fleet.shops, "branch", "-m", "drafts/p/packagevariant-1", "proposed/p/packagevariant-1")
    assert "1 unchanged" in fleet.sync() and fleet.branches() == {"proposed/p/packagevariant-1"}

    git(fleet.shops, "tag", "p/v1", "proposed/p/packagevariant-1")
    git(fleet.shops, "branch", "-q", "-D", "proposed/p/packagevariant-1")
    fleet.sync()

    assert fleet.branches() == {"main", "p/v1"}


def test_a_workspace_is_used_once(fleet: GitFleet) -> None:
    """A person's commit in a published revision does not hide the workspace that it was made in."""
    want(fleet, "x:p")
    fleet.sync()
    human_commit(fleet, "drafts/p/packagevariant-1", "p")
    fleet.sync("--approve", "auto")
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    want(fleet, "x:p", revision=2)

    fleet.sync()

    assert "drafts/p/packagevariant-2" in fleet.branches()


def test_a_published_edit_is_not_an_edit_of_the_next_draft(fleet: GitFleet) -> None:
    """A conflict with it makes a draft that waits for a person, whatever --approve says; a later version still arrives there."""
    want(fleet, "x:p")
    fleet.sync()
    human_commit(fleet, "drafts/p/packagevariant-1", "p")
    fleet.sync("--approve", "auto")
    for number, size in ((2, "medium"), (3, "huge")):
        fleet.release(f"v{number}", {"app.yaml": APP.replace("small", size)})
        want(fleet, "x:p", revision=number)

        said = fleet.sync("--approve", "auto")

        assert " data.size: changed upstream to" in said and "1 with conflicts to look at" in said
        assert f"size: {size}" in fleet.read("drafts/p/packagevariant-2", "p/app.yaml")
        assert "p/v2" not in fleet.branches()
    assert " data.size: changed upstream to" in fleet.sync("--approve", "auto")
    git(fleet.root, "clone", "-q", "-b", "drafts/p/packagevariant-2", "shops.git", "work")
    git(fleet.root / "work", "commit", "-q", "--allow-empty", "-m", "huge it is")
    git(fleet.root / "work", "push", "-q")

    assert "published p/v2" in fleet.sync("--approve", "auto")


def test_work_trees_share_a_lock(fleet: GitFleet) -> None:
    """A lock that a linked work tree holds is the repository's."""
    fleet.sync()
    git(fleet.shops, "worktree", "add", "-q", str(fleet.root / "tree"), "drafts/north/packagevariant-1")
    lock = RepositoryLock(GitRepository.open(fleet.root / "tree"))
    with lock, open(fleet.shops / "krmkit-sync.lock", "rb") as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_branch_that_is_checked_out(fleet: GitFleet) -> None:
    """It does not move under a person's work tree: neither main nor a draft; the work tree is named, and others go on."""
    checkout = fleet.root / "checkout"
    git(fleet.root, "init", "-q", "-b", "main", "checkout")
    git(checkout, "commit", "-q", "--allow-empty", "-m", "init")
    fleet.shops = checkout
    head = git(checkout, "rev-parse", "main")

    said = fleet.sync("--approve", "auto", code=1)

    assert f"refs/heads/main is checked out in {checkout}" in said and "bare repository" in said
    assert git(checkout, "rev-parse", "main") == head and git(checkout, "status", "--short") == ""
    assert "main is checked out" in fleet.sync("--approve", "auto", code=1)
    git(checkout, "switch", "-q", "-c", "mine")
    fleet.sync("--approve", "auto")
    assert "north/v1" in fleet.branches() and fleet.read("main", "north/app.yaml") == fleet.read(
        "north/v1", "north/app.yaml"
    )
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    fleet.want(revision=2)
    fleet.sync()
    git(checkout, "worktree", "add", "-q", str(fleet.root / "tree"), "drafts/north/packagevariant-2")
    fleet.release("v3", {"app.yaml": APP.replace('"1"', '"3"')})
    fleet.want(revision=3)
    said = fleet.sync(code=1)
    assert f"drafts/north/packagevariant-2 is checked out in {fleet.root / 'tree'}" in said
    assert '"3"' in fleet.read("drafts/south/packagevariant-2", "south/app.yaml")
    assert git(fleet.root / "tree", "status", "--short") == ""


def test_packages_in_each_other(fleet: GitFleet) -> None:
    """Publishing the package around another leaves the inner one in main, and files that a person put into the inner folder."""
    want(fleet, "y:a/b")
    fleet.sync("--approve", "auto")
    fleet.edit("main", "a/b/note.md", "by hand\n")
    inner = {path: fleet.read("main", f"a/b/{path}") for path in ("Kptfile", "app.yaml", "note.md")}

    want(fleet, "x:a", "y:a/b")
    fleet.sync("--approve", "auto")

    listed = git(fleet.shops, "ls-tree", "-r", "--name-only", "main").splitlines()
    assert {"a/Kptfile", "a/app.yaml", "a/b/Kptfile", "a/b/app.yaml", "a/b/note.md"} <= set(listed)
    assert {path: fleet.read("main", f"a/b/{path}") for path in inner} == inner
    before = fleet.refs()
    fleet.sync("--approve", "auto")
    assert fleet.refs() == before
