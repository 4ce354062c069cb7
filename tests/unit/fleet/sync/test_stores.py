"""krmkit.fleet.sync.store and revisions: what refs, commits and Kptfiles say of packages."""

from __future__ import annotations

import json

import pytest

from krmkit.fleet.objects import FleetObjects
from krmkit.fleet.sync.followed import distance
from krmkit.fleet.sync.revisions import SyncSources, lock_of, says_the_same
from krmkit.krm.errors import Refused
from krmkit.storage.git.treeupdate import File, write_files
from tests.unit.fleet.sync.memorygit import MemoryRepository, MemoryStore

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
V1 = "refs/tags/web/v1"


def files(text: str) -> dict[str, File]:
    return {"Kptfile": File(text.encode())}


def store(message: str = "by hand\n") -> MemoryStore:
    """A store whose package web has the version 1, from a commit with this message."""
    repository = MemoryRepository()
    repository.refs[V1] = repository.commit("refs/heads/main", "web", {"Kptfile": KPTFILE}, message)
    return MemoryStore("down", repository)


@pytest.mark.parametrize(
    ("ref", "directory", "package"),
    [
        ("refs/tags/shops/web/v1", "", "shops/web"),
        ("refs/heads/drafts/web/w", "", "web"),
        ("refs/heads/proposed/web/w", "", "web"),
        ("refs/heads/main", "", ""),
        ("refs/heads/feature/web/w", "", ""),
        ("refs/notes/drafts/web/w", "", ""),
        ("refs/tags/base/web/v1", "base", "web"),
        ("refs/tags/based/web/v1", "base", ""),
    ],
)
def test_the_package_of_a_ref(ref: str, directory: str, package: str) -> None:
    """A tag or a branch of a lifecycle, below the repository's folder; other refs are of no package."""
    one = store()
    one.directory = directory

    assert one.package_of(ref) == package


@pytest.mark.parametrize(
    ("lines", "workspace"),
    [
        (["kpt:{", '{"package":"web","workspaceName":"w"}'], "v1"),
        (["kpt:{", 'kpt:{"package":"web","workspaceName":"w"}'], "w"),
        (['kpt:{"package":"other","workspaceName":"o"}', 'kpt:{"package":"web","workspaceName":"w"}'], "w"),
        (['kpt:{"package":"web","workspaceName":5}'], "v1"),
        (['kpt:{"package":"web","workspaceName":""}'], "v1"),
    ],
)
def test_the_workspace_that_a_commit_names(lines: list[str], workspace: str) -> None:
    """The first of Porch's lines that can be read and is of the package; else the last word of the tag."""
    assert store("\n".join(["Approve", "", *lines, ""])).workspace_of(V1) == workspace


@pytest.mark.parametrize(
    ("asked", "field", "message"),
    [
        ({"repo": "donw"}, "spec.upstream.repo", 'did you mean "down"?'),
        ({"package": "wed"}, "spec.upstream.package", 'did you mean "web"?'),
        ({"revision": 2}, "spec.upstream.revision", "there are v1"),
        ({"workspaceName": "w"}, "spec.upstream.workspaceName", "there are v1"),
        ({"package": "wed", "workspaceName": "w"}, "spec.upstream.package", 'did you mean "web"?'),
    ],
)
def test_what_is_wrong_with_an_upstream(asked: dict[str, object], field: str, message: str) -> None:
    """The field that names what is not there."""
    sources = SyncSources({"down": store()}, FleetObjects([]))

    with pytest.raises(Refused) as caught:
        sources.find({"repo": "down", "package": "web", "revision": 1, **asked})

    assert caught.value.finding.field == field
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "lock", ["v1", [], {"git": "v1"}, {"git": {"directory": "/web"}}, {"git": {"commit": ""}}]
)
def test_half_a_lock(lock: object) -> None:
    """It must name a commit; a package without one was not cloned."""
    with pytest.raises(Refused, match=r"upstreamLock\.git must name a commit"):
        lock_of(files(f"{KPTFILE}upstreamLock: {json.dumps(lock)}\n"))

    assert lock_of(files(KPTFILE)) == ("", "")
    whole = json.dumps({"git": {"commit": "c", "directory": "/a/b/"}})
    assert lock_of(files(f"{KPTFILE}upstreamLock: {whole}\n")) == ("c", "a/b")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("upstream: {type: git, git: {repo: up, directory: /web}}\n", True),
        ("upstream: {git: {directory: web/, repo: up}, type: git, updateStrategy: resource-merge}\n", True),
        ("upstream: {type: git, git: {repo: up, directory: other}}\n", False),
        ("upstream: {type: git, git: {repo: other, directory: web}}\n", False),
        ("upstream: {type: git, git: {repo: up, directory: web}, updateStrategy: fast-forward}\n", False),
        ("upstream: {type: git, git: {repo: up, directory: web}} # ours\n", False),
    ],
)
def test_kptfiles_that_say_the_same(text: str, same: bool) -> None:
    """Porch writes no slash and no strategy; any other field, and a comment, is a difference."""
    one = files(f"{KPTFILE}upstream: {{type: git, git: {{repo: up, directory: web}}}}\n")

    assert says_the_same(one, files(KPTFILE + text)) is same


@pytest.mark.parametrize(
    ("one", "other", "lines"),
    [
        ({"a": "1\n2\n"}, {"a": "1\n2\n"}, 0),
        ({"a": "1\n2\n"}, {"a": "2\n3\n3\n"}, 3),
        ({"a": "1\n"}, {"a": "1\n", "sub/deep/b": "1\n2\n"}, 2),
        ({"a": "1\n", "sub/b": "1\n"}, {"a": "1\n"}, 1),
        ({"sub/b": "1\n", "sub/c": "1\n"}, {"sub/b": "2\n", "sub/c": "1\n"}, 2),
        ({"a": "1\n"}, {"a/b": "1\n"}, 2),
    ],
)
def test_the_distance_of_two_trees(one: dict[str, str], other: dict[str, str], lines: int) -> None:
    """The lines that they do not share, below their folders as well."""
    there = store()
    trees = [
        write_files(there.pack, {path: File(text.encode()) for path, text in side.items()})
        for side in (one, other)
    ]

    assert distance(there, *trees) == lines
