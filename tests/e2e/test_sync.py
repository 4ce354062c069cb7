"""`krmkit variants sync`: the life of package variants in plain git."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.gitfleet import APP, CLONED, GitFleet, git


@pytest.fixture
def fleet(tmp_path: Path, project: Path) -> GitFleet:
    return GitFleet(tmp_path, project)


def draft(name: str, number: int = 1) -> str:
    return f"drafts/{name}/packagevariant-{number}"


def test_a_clone_is_a_draft(fleet: GitFleet) -> None:
    """Each variant gets a branch with its package: name, upstream, lock, context set, comments kept."""
    out = fleet.sync()

    assert "3 variants changed, 0 unchanged, 0 failed" in out
    assert fleet.branches() == {draft(name) for name in fleet.names}
    assert fleet.read(draft("north"), "north/app.yaml") == CLONED
    kptfile = fleet.read(draft("north"), "north/Kptfile")
    commit = git(fleet.upstream, "rev-parse", "web/v1")
    assert "name: north" in kptfile and "ref: web/v1" in kptfile and f"commit: {commit}" in kptfile
    assert "tier: edge" in fleet.read(draft("north"), "north/package-context.yaml")
    git(fleet.shops, "fsck", "--strict")


def test_a_second_sync_does_nothing(fleet: GitFleet) -> None:
    """No ref moves, and --check agrees; before the first sync it says 2 and writes nothing."""
    fleet.sync("--check", code=2)
    assert fleet.refs() == {}
    fleet.sync()
    before = fleet.refs()

    assert "0 variants changed, 3 unchanged" in fleet.sync()

    fleet.sync("--check")
    assert fleet.refs() == before


def test_publishing(fleet: GitFleet) -> None:
    """Approved drafts become tags; the main branch gets all of them in one commit."""
    fleet.sync("--approve", "auto")

    assert fleet.branches() == {"main", "north/v1", "south/v1", "west/v1"}
    assert git(fleet.shops, "log", "--format=%s", "main") == "Publish 3 packages"
    assert fleet.read("main", "south/app.yaml") == CLONED
    assert "0 variants changed" in fleet.sync("--approve", "auto")


def test_proposing(fleet: GitFleet) -> None:
    """`ready` proposes what waits for nobody; `auto` publishes it later."""
    fleet.sync("--approve", "ready")
    assert fleet.branches() == {f"proposed/{name}/packagevariant-1" for name in fleet.names}

    fleet.sync("--approve", "auto")

    assert fleet.branches() == {"main", "north/v1", "south/v1", "west/v1"}


def test_a_new_upstream_becomes_a_new_draft(fleet: GitFleet) -> None:
    """What is published stays as it is; the update is a draft on top of it, and status tells before."""
    fleet.sync("--approve", "auto")
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    fleet.want(revision=2)
    assert "updated drafts/north/packagevariant-2" in fleet.run("status")

    fleet.sync()

    assert draft("north", 2) in fleet.branches()
    assert 'release: "2" # ours' in fleet.read(draft("north", 2), "north/app.yaml")
    subjects = git(fleet.shops, "log", "--format=%s", draft("north", 2)).splitlines()
    assert subjects == [
        "Update north to blueprints/web v2 for default/fleet-shops-north",
        "Clone blueprints/web v1 for default/fleet-shops-north",
    ]


def test_a_person_s_edit_survives(fleet: GitFleet) -> None:
    """Upstream's change is merged into a draft that somebody edited; the edit and its comment stay."""
    fleet.sync()
    fleet.edit(draft("north"), "north/app.yaml", APP.replace("size: small", "size: large # many people here"))
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    fleet.want(revision=2)

    fleet.sync()

    text = fleet.read(draft("north"), "north/app.yaml")
    assert "size: large # many people here" in text and 'release: "2" # ours' in text
    assert "by hand" in git(fleet.shops, "log", "--format=%s", draft("north"))


def test_an_edit_stays_one_after_a_merge(fleet: GitFleet) -> None:
    """A version merged on top of a person's edit does not make the edit krmkit's own: a later conflict still stops."""
    fleet.sync()
    fleet.edit(draft("north"), "north/app.yaml", APP.replace("size: small", "size: large"))
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    fleet.want(revision=2)
    fleet.sync()
    fleet.release("v3", {"app.yaml": APP.replace('"1"', '"2"').replace("size: small", "size: medium")})
    fleet.want(revision=3)

    assert "left a draft with conflicts alone" in fleet.sync()

    assert "size: large" in fleet.read(draft("north"), "north/app.yaml")


def test_a_conflict_leaves_the_draft_alone(fleet: GitFleet) -> None:
    """A field that upstream and a person changed is reported; the draft stays, other variants go on."""
    fleet.sync()
    fleet.edit(draft("north"), "north/app.yaml", APP.replace("size: small", "size: large"))
    before = fleet.refs()[f"refs/heads/{draft('north')}"]
    fleet.release("v2", {"app.yaml": APP.replace("size: small", "size: medium")})
    fleet.want(revision=2)

    out = fleet.sync()

    assert (
        re.search(r"conflict: app\.yaml:\d+:\d+ data\.size: ", out)
        and "left a draft with conflicts alone" in out
    )
    assert fleet.refs()[f"refs/heads/{draft('north')}"] == before
    assert "size: medium" in fleet.read(draft("south"), "south/app.yaml")
    assert " data.size: changed upstream to 'medium' and locally to 'large'" in fleet.sync()


def test_adoption(fleet: GitFleet) -> None:
    """A package that is there already is taken over only with adoptExisting; without, a draft of its own is made."""
    fleet.sync()
    for ref in [ref for ref in fleet.refs() if ref.startswith("refs/krmkit/")]:
        git(fleet.shops, "update-ref", "-d", ref)

    fleet.want(revision=1, adoptionPolicy="adoptExisting")
    out = fleet.sync()

    assert "adopted drafts/north/packagevariant-1" in out and draft("north", 2) not in fleet.branches()

    for ref in [ref for ref in fleet.refs() if ref.startswith("refs/krmkit/")]:
        git(fleet.shops, "update-ref", "-d", ref)
    fleet.want(revision=1, adoptionPolicy="adoptNone")
    fleet.sync()
    assert draft("north", 2) in fleet.branches()


@pytest.mark.parametrize(
    ("policy", "approve", "left"),
    [
        ("delete", "never", set()),
        ("delete", "auto", {"west/v1", "deletionProposed/west/v1"}),
        ("orphan", "never", {"drafts/west/packagevariant-1"}),
        ("orphan", "auto", {"west/v1"}),
    ],
)
def test_what_nobody_wants_any_more(fleet: GitFleet, policy: str, approve: str, left: set[str]) -> None:
    """Without --prune it is only named; with it drafts go, published packages are proposed for deletion, orphans stay."""
    fleet.want(revision=1, deletionPolicy=policy)
    fleet.sync("--approve", approve)
    fleet.want(revision=1, names=("north", "south"), deletionPolicy=policy)
    before = fleet.refs()

    assert "default/fleet-shops-west" in fleet.sync() and fleet.refs() == before

    fleet.sync("--prune")
    assert {ref for ref in fleet.branches() if "west" in ref} == left
    assert "west" not in fleet.sync("--prune")


def test_a_floating_name(fleet: GitFleet) -> None:
    """`revision: stable` follows the tag web/stable wherever it goes."""
    git(fleet.upstream, "tag", "web/stable", "web/v1")
    fleet.want(revision="stable")
    fleet.sync("--approve", "auto")
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    assert "0 variants changed" in fleet.sync()

    git(fleet.upstream, "tag", "-f", "web/stable", "web/v2")
    fleet.sync()

    assert 'release: "2"' in fleet.read(draft("west", 2), "west/app.yaml")


def test_one_failure_does_not_stop_the_others(fleet: GitFleet) -> None:
    """A variant without an upstream revision is an error with its line and the revisions that there are; nothing of it is written."""
    fleet.want(revision=7)

    out = fleet.sync(code=1)

    assert out.count(f"{fleet.setfile}:7:46: there is no revision") == 3
    assert out.count("there is no revision v7 of blueprints/web; there are v1") == 3 and fleet.refs() == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{kptfile}---\napiVersion: v1\nkind: X\nmetadata: {{name: x}}\n", "must hold one document, got 2"),
        ("", "must hold one document, got 0"),
        ("a: [", "Kptfile: line"),
        ("- a\n", "Kptfile"),
    ],
)
def test_a_broken_kptfile_is_one_variant_s_error(fleet: GitFleet, text: str, message: str) -> None:
    """What a person did to the Kptfile of a draft is said of that draft, and the others are updated."""
    fleet.sync()
    kptfile = fleet.read(draft("south"), "south/Kptfile")
    fleet.edit(draft("south"), "south/Kptfile", text.format(kptfile=kptfile))
    fleet.release("v2", {"app.yaml": APP.replace("small", "large")})
    fleet.want(revision=2)

    out = fleet.sync(code=1)

    assert message in out
    assert "2 variants changed, 0 unchanged, 1 failed" in out


def test_a_tag_that_names_no_commit(fleet: GitFleet) -> None:
    """It is named; the other packages are published, and main gets them."""
    fleet.sync()
    git(fleet.shops, "tag", "south/v1", f"{draft('south')}^{{tree}}")

    out = fleet.sync("--approve", "auto", code=1)

    assert "refs/tags/south/v1 must name a commit" in out
    assert "2 variants changed, 0 unchanged, 1 failed" in out
    assert git(fleet.shops, "log", "--format=%s", "main") == "Publish 2 packages"


def test_a_tag_without_its_package(fleet: GitFleet) -> None:
    """It would remove the package from main; it is named, and main keeps what it has."""
    fleet.sync("--approve", "auto")
    before = git(fleet.shops, "rev-parse", "main:south")
    other = git(fleet.shops, "rev-parse", "north/v1^{commit}")
    git(fleet.shops, "tag", "south/v2", other)

    out = fleet.sync("--approve", "auto", code=1)

    assert "main keeps what it has: refs/tags/south/v2 must hold the folder south/, and has none" in out
    assert git(fleet.shops, "rev-parse", "main:south") == before


def test_repositories_that_cannot_be_used(fleet: GitFleet) -> None:
    """The message has the name and the place that were given."""
    assert "the repository spare at nowhere cannot be read" in fleet.sync("--repo", "spare=nowhere", code=1)
    (fleet.upstream / "shops").mkdir()
    refused = fleet.sync("--repo", f"spare={fleet.upstream / 'shops'}", code=1)
    assert "is the folder shops/ of a repository; name a repository" in refused
    assert "--repo shops is both" in fleet.sync("--repo", "shops=nowhere", code=1)


def test_shards_make_what_one_run_makes(fleet: GitFleet) -> None:
    """Three shards, then a run that finds only the main branch to do, end with the refs of one run."""
    whole = fleet.root / "whole.git"
    shutil.copytree(fleet.shops, whole)
    for shard in ("1/3", "2/3", "3/3"):
        fleet.sync("--approve", "auto", "--shard", shard)
    assert "main" not in fleet.branches()
    fleet.sync("--approve", "auto")
    parts = fleet.refs()
    fleet.shops = whole

    fleet.sync("--approve", "auto")

    assert fleet.refs() == parts


def test_several_processes_make_what_one_makes(fleet: GitFleet) -> None:
    """The order in which packages are built shows nowhere: not in refs, commits or what is said."""
    whole = fleet.root / "whole.git"
    shutil.copytree(fleet.shops, whole)
    said = [fleet.sync("--jobs", "3")]
    fleet.edit(draft("west"), "west/app.yaml", APP.replace("size: small", "size: large"))
    fleet.release("v2", {"app.yaml": APP.replace("size: small", "size: medium")})
    fleet.want(revision=2)
    said += [fleet.sync("--jobs", "3"), fleet.sync("--jobs", "3", "--approve", "auto")]
    many = fleet.refs()
    fleet.shops = whole

    fleet.want(revision=1)
    fleet.sync("--jobs", "1")
    fleet.edit(draft("west"), "west/app.yaml", APP.replace("size: small", "size: large"))
    fleet.want(revision=2)
    again = [fleet.sync("--jobs", "1"), fleet.sync("--jobs", "1", "--approve", "auto")]

    assert (fleet.refs(), again) == (many, said[1:])
    assert "1 left alone with conflicts" in said[1]


def test_a_package_in_two_shards(fleet: GitFleet) -> None:
    """Two variants with one package are told, whichever shards they are in; the first one gets it."""
    one = (
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: NAME, namespace: default}\n"
        "spec: {upstream: {repo: blueprints, package: web, revision: 1}, downstream: {repo: shops, package: p}}\n"
    )
    text = "---\n".join(one.replace("NAME", name) for name in "abcdef")
    (fleet.root / "fleet.yaml").write_text(text, encoding="utf-8")

    said = "".join(fleet.run("sync", "--shard", f"{number}/3", code=1) for number in (1, 2, 3))

    assert said.count("shops/p is already the package of a") == 5
    assert fleet.branches() == {draft("p")}


def test_status_as_json(fleet: GitFleet) -> None:
    """Programs read upstream, newest, draft and drift of every variant."""
    fleet.sync()
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})

    rows = json.loads(fleet.run("status", "-f", "json"))["variants"]

    assert [row["name"] for row in rows] == [f"default/fleet-shops-{name}" for name in fleet.names]
    assert rows[0]["upstream"] == "v1" and rows[0]["newest"] == "v2" and rows[0]["draft"] == draft("north")
    assert rows[0]["actions"] == []


def test_addresses_need_push(fleet: GitFleet) -> None:
    """A repository given by address changes only with --push, and then in one push."""
    fleet.address = f"file://{fleet.shops}"
    assert "--push pushes to an address" in fleet.sync(code=1)
    assert fleet.refs() == {}

    fleet.sync("--push")

    assert len(fleet.branches()) == 3
    assert "0 variants changed" in fleet.sync("--push")
