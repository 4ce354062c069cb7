"""`krmkit variants sync` with odd names, two of a kind, states that cannot be read, and runs that must write nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.gitfleet import APP, GitFleet, git

ONE = (
    "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: NAME}\n"
    "spec: {upstream: {repo: blueprints, package: web, revision: 1}, downstream: {repo: shops, package: PACKAGE}}\n"
)


@pytest.fixture
def fleet(tmp_path: Path, project: Path) -> GitFleet:
    return GitFleet(tmp_path, project)


def draft(name: str, number: int = 1) -> str:
    return f"drafts/{name}/packagevariant-{number}"


def one_variant(name: str, package: str) -> str:
    return ONE.replace("NAME", name).replace("PACKAGE", package)


@pytest.mark.parametrize(
    ("name", "package"), [("odd", "/abs"), ("odd", "a..b"), ("odd", '"a\\nb"'), ("a..b", "odd")]
)
def test_an_odd_name_stops_its_variant_only(fleet: GitFleet, name: str, package: str) -> None:
    """It is no ref to git, which refuses a whole transaction with it."""
    (fleet.root / "fleet.yaml").write_text(
        one_variant("sound", "p") + "---\n" + one_variant(name, package), encoding="utf-8"
    )

    said = fleet.sync(code=1)

    assert "must be a name that git takes for a ref" in said
    assert fleet.branches() == {draft("p")}


@pytest.mark.parametrize("first", [True, False])
def test_a_package_below_the_draft_of_another(fleet: GitFleet, first: bool) -> None:
    """No ref can be a folder of another one; the second variant is told so, and the first one goes on."""
    packages = ["p", "p/packagevariant-1"] if first else ["p/packagevariant-1", "p"]
    texts = [one_variant(f"v{number}", package) for number, package in enumerate([*packages, "q"])]
    (fleet.root / "fleet.yaml").write_text("---\n".join(texts), encoding="utf-8")

    said = fleet.sync(code=1)

    assert "one would be a folder of the other" in said
    assert fleet.branches() == {draft(packages[0]), draft("q")}
    assert "0 variants changed, 2 unchanged" in fleet.sync(code=1)


def test_a_branch_in_the_way_of_a_deletion(fleet: GitFleet) -> None:
    """The variant that is to go keeps all it has, and the others go on."""
    fleet.sync("--approve", "auto")
    git(fleet.shops, "branch", "deletionProposed/west/v1/mine", "west/v1")
    fleet.want(revision=1, names=("north",))
    state = "refs/krmkit/variants/default/fleet-shops-"

    said = fleet.sync("--prune", code=1)

    assert "refs/heads/deletionProposed/west/v1 cannot be made while there is" in said
    assert "deletionProposed/south/v1" in fleet.branches()
    assert f"{state}west" in fleet.refs() and f"{state}south" not in fleet.refs()


def test_a_branch_in_the_way_of_main(fleet: GitFleet) -> None:
    """The packages are published, and main is what the error is about."""
    fleet.sync()
    git(fleet.shops, "branch", "main/mine", draft("north"))

    said = fleet.sync("--approve", "auto", code=1)

    assert (
        "main keeps what it has: refs/heads/main cannot be made while there is refs/heads/main/mine" in said
    )
    assert fleet.branches() == {"main/mine", "north/v1", "south/v1", "west/v1"}


def test_nothing_is_written(fleet: GitFleet) -> None:
    """Neither --check nor --dry-run leaves a file, also where packages would be published; nor does any sync upstream."""

    def files(folder: Path) -> set[Path]:
        return {one for one in folder.rglob("*") if one.is_file()}

    before = files(fleet.shops), files(fleet.upstream)

    fleet.sync("--approve", "auto", "--check", code=2)
    fleet.sync("--approve", "auto", "--dry-run")

    assert (files(fleet.shops), files(fleet.upstream)) == before
    fleet.sync("--approve", "auto")
    assert files(fleet.upstream) == before[1]


def test_two_drafts_are_published_as_two(fleet: GitFleet) -> None:
    """Each gets a number of its own; none is lost."""
    fleet.want(revision=1, names=("north",), adoptionPolicy="adoptExisting")
    fleet.sync()
    git(fleet.shops, "branch", "drafts/north/second", draft("north"))
    fleet.edit("drafts/north/second", "north/app.yaml", APP.replace("size: small", "size: large"))

    fleet.sync("--approve", "auto")

    texts = {fleet.read(tag, "north/app.yaml") for tag in ("north/v1", "north/v2")}
    assert texts == {APP, APP.replace("size: small", "size: large")}


@pytest.mark.parametrize(
    "text", ["x", "[]", '{"package": 1, "policy": 2, "owner": []}', '{"package": "north", "policy": "delete", "owner": "x", "owned": null}']
)  # fmt: skip
def test_states_that_cannot_be_read(fleet: GitFleet, text: str) -> None:
    """They count as unknown, and so does what the main branch holds; the sync goes on."""
    fleet.sync()
    oid = git(fleet.shops, "hash-object", "-w", "--stdin", stdin=text)
    for ref in ("refs/krmkit/main", "refs/krmkit/variants/default/other"):
        git(fleet.shops, "update-ref", ref, oid)

    fleet.sync("--approve", "auto")

    assert fleet.branches() == {"main", "north/v1", "south/v1", "west/v1"}


def test_two_variants_of_one_name(fleet: GitFleet) -> None:
    """The second one is refused; else each sync would delete the draft of the other, with what people wrote there."""
    text = "---\n".join(one_variant("same", package) for package in ("p", "q"))
    (fleet.root / "fleet.yaml").write_text(text, encoding="utf-8")
    fleet.sync(code=1)
    before = fleet.refs()

    said = fleet.sync(code=1)

    assert "there is another variant default/same among the sets" in said
    assert fleet.branches() == {draft("p")}
    assert fleet.refs() == before
