"""`krmkit variants sync` with odd names, two of a kind, states that cannot be read, and runs that must write nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.gitfleet import APP, KPTFILE, GitFleet, git

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

    assert "must be a valid name for a git ref" in said
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

    texts = [fleet.read(tag, "north/app.yaml") for tag in ("north/v1", "north/v2")]
    assert sorted("size: large" in text for text in texts) == [False, True]


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


def odd_release(fleet: GitFleet, files: dict[str, str], date: str = "1700000000") -> None:
    """Release v2 of the upstream: a tree with any names, made without a work tree, and a commit of any date."""
    entries = []
    for name, text in {"Kptfile": KPTFILE, **files}.items():
        entries.append(
            f"100644 blob {git(fleet.upstream, 'hash-object', '-w', '--stdin', stdin=text)}\t{name}\0"
        )
    folder = git(fleet.upstream, "mktree", "-z", stdin="".join(entries))
    root = git(fleet.upstream, "mktree", stdin=f"040000 tree {folder}\tweb\n")
    who = f"t <t@example.com> {date} +0000"
    commit = git(
        fleet.upstream, "hash-object", "-t", "commit", "-w", "--literally", "--stdin",
        stdin=f"tree {root}\nauthor {who}\ncommitter {who}\n\nodd\n",
    )  # fmt: skip
    git(fleet.upstream, "update-ref", "refs/tags/odd/v1", commit)
    git(fleet.upstream, "update-ref", "refs/tags/web/v2", commit)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"n" * 300: "x"}, "a name must have at most 255 bytes"),
        ({"git~1": "x"}, "git~1"),
        ({".gitmodules": '[submodule "a"]\n\tpath = a\n\turl = -u./a\n'}, "git does not take the package"),
    ],
)
def test_one_bad_package_fails_alone(fleet: GitFleet, files: dict[str, str], message: str) -> None:
    """What git or a disk does not take is an error of the variants that have it; the others are written."""
    odd_release(fleet, files)
    bad = [one_variant(f"bad{name}", name).replace("revision: 1", "revision: 2") for name in "pr"]
    text = "---\n".join([*bad, one_variant("good", "q")])
    (fleet.root / "fleet.yaml").write_text(text, encoding="utf-8")

    said = fleet.sync("--approve", "auto", code=1)

    assert "default/badp" in said and "default/badr" in said and message in said
    assert "1 variant changed, 0 unchanged, 2 failed" in said
    assert fleet.branches() == {"q/v1", "main"}
    git(fleet.shops, "fsck", "--connectivity-only")


def test_a_date_beyond_all_dates(fleet: GitFleet) -> None:
    """It is no date, and stops nobody."""
    odd_release(fleet, {}, date="1" + "0" * 26)
    (fleet.root / "fleet.yaml").write_text(
        one_variant("x", "p").replace("revision: 1", "revision: 2"), encoding="utf-8"
    )

    fleet.sync()

    git(fleet.shops, "fsck", "--strict")


def test_trees_in_trees(fleet: GitFleet) -> None:
    """Ten entries on each of ten levels are ten thousand million files: they are not read."""
    blob = git(fleet.upstream, "hash-object", "-w", "--stdin", stdin="x")
    kptfile = git(fleet.upstream, "hash-object", "-w", "--stdin", stdin=KPTFILE)
    tree = git(fleet.upstream, "mktree", stdin="".join(f"100644 blob {blob}\tf{n}\n" for n in range(10)))
    for _ in range(9):
        tree = git(fleet.upstream, "mktree", stdin="".join(f"040000 tree {tree}\td{n}\n" for n in range(10)))
    package = git(fleet.upstream, "mktree", stdin=f"100644 blob {kptfile}\tKptfile\n040000 tree {tree}\td\n")
    root = git(fleet.upstream, "mktree", stdin=f"040000 tree {package}\tweb\n")
    git(fleet.upstream, "tag", "web/v2", git(fleet.upstream, "commit-tree", root, "-m", "deep"))
    (fleet.root / "fleet.yaml").write_text(
        one_variant("x", "p").replace("revision: 1", "revision: 2") + "---\n" + one_variant("y", "q"),
        encoding="utf-8",
    )

    assert "a package must have at most 10000 files" in fleet.sync(code=1)
    assert fleet.branches() == {draft("q")}


def rewrite(fleet: GitFleet) -> None:
    """Make upstream's history anew, with other commits of the same files, and remove the old one."""
    git(fleet.upstream, "checkout", "-q", "--orphan", "anew")
    git(fleet.upstream, "commit", "-q", "-m", "anew")
    for name in git(fleet.upstream, "tag").split():
        git(fleet.upstream, "tag", "-d", name)
    git(fleet.upstream, "branch", "-M", "anew", "main")
    git(fleet.upstream, "reflog", "expire", "--expire=now", "--all")
    git(fleet.upstream, "gc", "-q", "--prune=now")


@pytest.mark.parametrize("approve", ["never", "auto"])
def test_a_rewritten_upstream(fleet: GitFleet, approve: str) -> None:
    """What upstream's package was is known from the state, so that a person's edit is merged with the new version."""
    fleet.want(revision=1, names=("north",))
    fleet.sync("--approve", approve)
    branch = "main" if approve == "auto" else draft("north")
    fleet.edit(branch, "north/app.yaml", fleet.read(branch, "north/app.yaml").replace("small", "large"))
    rewrite(fleet)
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    fleet.want(revision=2, names=("north",))
    if approve == "auto":
        git(fleet.shops, "tag", "north/v2", "main")

    fleet.sync()

    made = draft("north", 2 if approve == "auto" else 1)
    text = fleet.read(made, "north/app.yaml")
    assert 'release: "2"' in text and "size: large" in text
    assert "0 variants changed, 1 unchanged" in fleet.sync()


def test_an_upstream_that_nobody_knows(fleet: GitFleet) -> None:
    """A draft whose state is gone, too: the error says what to do, and doing it helps."""
    fleet.want(revision=1, names=("north",))
    fleet.sync()
    old = git(fleet.upstream, "rev-parse", "web/v1")
    text = fleet.read(draft("north"), "north/app.yaml").replace("small", "large")
    fleet.edit(draft("north"), "north/app.yaml", text)
    git(fleet.shops, "update-ref", "-d", "refs/krmkit/variants/default/fleet-shops-north")
    git(fleet.shops, "gc", "-q", "--prune=now")
    fleet.want(revision=1, names=("north",), adoptionPolicy="adoptExisting")
    rewrite(fleet)
    same = git(fleet.upstream, "rev-parse", "main")
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    fleet.want(revision=2, names=("north",), adoptionPolicy="adoptExisting")

    said = fleet.sync(code=1)

    assert f"no known repository has the commit {old} of the upstreamLock" in said and f"{old}:refs" in said
    fleet.edit(
        draft("north"), "north/Kptfile", fleet.read(draft("north"), "north/Kptfile").replace(old, same)
    )
    fleet.sync()
    text = fleet.read(draft("north"), "north/app.yaml")
    assert 'release: "2"' in text and "size: large" in text
