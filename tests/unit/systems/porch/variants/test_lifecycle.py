"""krmkit.systems.porch.variants.lifecycle: what a variant does with package revisions."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.systems.porch.variants import lifecycle


def variant(**spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "shop", "uid": "u1"},
        "spec": {
            "upstream": {"repo": "up", "package": "p"},
            "downstream": {"repo": "down", "package": "q"},
            **spec,
        },
    }


def revision(name: str, state: str, number: int = 0, owner: str = "", **spec: Any) -> dict[str, Any]:
    owners = [{"name": "shop", "uid": owner}] if owner else []
    return {
        "metadata": {"name": name, "ownerReferences": owners},
        "spec": {"repository": "down", "packageName": "q", "lifecycle": state, "revision": number, **spec},
    }


def names(revisions: list[dict[str, Any]]) -> list[str]:
    return [one["metadata"]["name"] for one in revisions]


def steps(found: list[lifecycle.StoreStep]) -> list[tuple[str, str]]:
    return [(step.verb, step.revision["metadata"]["name"]) for step in found]


def test_drafts_come_before_published_revisions() -> None:
    """A variant works on its drafts where it has any."""
    found = lifecycle.downstream_revisions(
        variant(), [revision("p1", "Published", 1, "u1"), revision("d1", "Draft", owner="u1")]
    )

    assert names(found.revisions) == ["d1"] and not found.steps


def test_latest_published_revision_by_number() -> None:
    """Without a draft the highest published number counts, whatever the order."""
    found = lifecycle.downstream_revisions(
        variant(), [revision("p10", "Published", 10, "u1"), revision("p9", "Published", 9, "u1")]
    )

    assert names(found.revisions) == ["p10"]


def test_latest_published_revision_in_any_order() -> None:
    """Also where lower numbers come first, and in the midst."""
    found = lifecycle.downstream_revisions(
        variant(), [revision(f"p{number}", "Published", number, "u1") for number in (2, 9, 11, 10)]
    )

    assert names(found.revisions) == ["p11"]


@pytest.mark.parametrize(("policy", "expected"), [("adoptNone", []), ("adoptExisting", ["d1"])])
def test_adoption(policy: str, expected: list[str]) -> None:
    """An unowned revision is taken over only when the policy says so; it then has the variant's labels."""
    found = lifecycle.downstream_revisions(
        variant(adoptionPolicy=policy, labels={"tier": "edge"}), [revision("d1", "Draft")]
    )

    assert names(found.revisions) == expected
    assert [step.revision["metadata"]["labels"] for step in found.steps] == [{"tier": "edge"}] * len(expected)


def test_a_revision_of_another_package_goes() -> None:
    """What the variant owns elsewhere, after its downstream was renamed, is deleted; others' is left alone."""
    found = lifecycle.downstream_revisions(
        variant(),
        [
            revision("old", "Draft", owner="u1", packageName="before"),
            revision("theirs", "Draft", packageName="x"),
        ],
    )

    assert steps(found.steps) == [("delete", "old")] and not found.revisions


@pytest.mark.parametrize(
    ("policy", "state", "expected"),
    [
        ("delete", "Draft", [("delete", "r")]),
        ("", "Proposed", [("delete", "r")]),
        ("delete", "Published", [("update", "r")]),
        ("delete", "DeletionProposed", []),
        ("orphan", "Published", [("update", "r")]),
    ],
)
def test_delete_or_orphan(policy: str, state: str, expected: list[tuple[str, str]]) -> None:
    """Drafts are deleted, published revisions only proposed for deletion, orphans lose their owner."""
    found = lifecycle.delete_or_orphan(variant(deletionPolicy=policy), revision("r", state, 1, "u1"))

    assert steps(found) == expected
    for step in found:
        if step.verb == "update":
            owners = step.revision["metadata"]["ownerReferences"]
            proposed = step.revision["spec"]["lifecycle"] == "DeletionProposed"
            assert proposed is (policy != "orphan") and bool(owners) is (policy != "orphan")


def test_an_orphan_keeps_its_other_owners() -> None:
    """Only the variant's own reference goes; the revision in the store is not changed."""
    shared = revision("r", "Published", 1, "u1")
    own = shared["metadata"]["ownerReferences"][0]
    other = {**own, "name": "other", "uid": "u2"}
    shared["metadata"]["ownerReferences"] = [own, other]

    (step,) = lifecycle.delete_or_orphan(variant(deletionPolicy="orphan"), shared)

    assert step.revision["metadata"]["ownerReferences"] == [other]
    assert shared["metadata"]["ownerReferences"] == [own, other]


@pytest.mark.parametrize(
    ("workspaces", "expected"),
    [
        ([], "packagevariant-1"),
        (["packagevariant-1", "packagevariant-7"], "packagevariant-8"),
        (["packagevariant-x", "packagevariant-"], "packagevariant-1"),
        (["v3"], "packagevariant-1"),
    ],
)
def test_workspace_names(workspaces: list[str], expected: str) -> None:
    """A new workspace is numbered one above the highest of the package."""
    revisions = [revision(name, "Draft", workspaceName=name) for name in workspaces]
    revisions.append(revision("other", "Draft", workspaceName="packagevariant-99", packageName="other"))

    assert lifecycle.new_workspace_name("q", "down", revisions) == expected
