"""Decide about a PackageVariant's downstream package revisions: own, adopt, delete, orphan.

Package revisions are Porch's PackageRevision objects as plain data. Nothing is written here: each rule
returns `StoreStep`s, and the caller carries them out in its own store (git, files, a server).

Source: packagevariant_controller.go of Porch (getDownstreamPRs, deleteOrOrphan, adoptPackageRevision,
newWorkspaceName).

Example: a variant whose downstream package has one unowned draft, with adoptionPolicy adoptExisting:

    downstream_revisions(variant, [draft])
    # Downstream(revisions=[draft, owned by the variant], steps=[StoreStep("update", ...)])
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.porch.api.apinames import VARIANT_KIND, VARIANT_VERSION, revision_number

Revision = dict[str, Any]
Variant = dict[str, Any]

DRAFT, PROPOSED, PUBLISHED, DELETION_PROPOSED = "Draft", "Proposed", "Published", "DeletionProposed"
WORKSPACE_PREFIX = "packagevariant-"
MAIN_WORKSPACE = "main"


@dataclass(frozen=True, slots=True)
class StoreStep:
    """One change of the store: `delete` removes `revision`, `update` replaces the stored revision by it."""

    verb: str
    revision: Revision


@dataclass(slots=True)
class Downstream:
    """The revisions to work on next (drafts, else the latest published one), and the steps towards them."""

    revisions: list[Revision] = field(default_factory=list)
    steps: list[StoreStep] = field(default_factory=list)


def downstream_revisions(variant: Variant, revisions: list[Revision]) -> Downstream:
    """Return a variant's downstream revisions: its drafts, else its latest published one, else none.

    An owned revision of another package is deleted or orphaned. An unowned revision of the right package is
    adopted under adoptionPolicy adoptExisting, and ignored otherwise.
    """
    target = mapping(variant["spec"], "downstream")
    adopts = variant["spec"].get("adoptionPolicy") == "adoptExisting"
    downstream = Downstream()
    drafts: list[Revision] = []
    latest: Revision | None = None
    for revision in revisions:
        owned = is_owned(variant, revision)
        spec = mapping(revision, "spec")
        if not _is_package(spec, target):
            if owned:
                downstream.steps += delete_or_orphan(variant, revision)
            continue
        if not owned:
            if not adopts:
                continue
            revision = adopt(variant, revision)
            downstream.steps.append(StoreStep("update", revision))
        if not is_published(revision):
            drafts.append(revision)
        elif latest is None or _number(revision) > _number(latest):
            latest = revision
    downstream.revisions = drafts or ([latest] if latest is not None else [])
    return downstream


def delete_or_orphan(variant: Variant, revision: Revision) -> list[StoreStep]:
    """Return the step of the variant's deletionPolicy; none if deletion is already proposed.

    `orphan` removes the owner reference. `delete` removes a draft at once, and only proposes the deletion of
    a published revision.
    """
    if variant["spec"].get("deletionPolicy") == "orphan":
        orphaned = deepcopy(revision)
        orphaned["metadata"]["ownerReferences"] = [
            owner for owner in owner_references(revision) if owner.get("uid") != _uid(variant)
        ]
        return [StoreStep("update", orphaned)]
    lifecycle = _lifecycle(revision)
    if lifecycle in (DRAFT, PROPOSED):
        return [StoreStep("delete", revision)]
    if lifecycle == PUBLISHED:
        proposed = deepcopy(revision)
        proposed["spec"]["lifecycle"] = DELETION_PROPOSED
        return [StoreStep("update", proposed)]
    return []


def adopt(variant: Variant, revision: Revision) -> Revision:
    """Return a copy of `revision` with the variant as owner, and its labels and annotations."""
    adopted = deepcopy(revision)
    metadata = adopted.setdefault("metadata", {})
    metadata["ownerReferences"] = [*owner_references(revision), owner_reference(variant)]
    for key in ("labels", "annotations"):
        if values := variant["spec"].get(key):
            metadata[key] = {**mapping(metadata, key), **values}
    return adopted


def owner_reference(variant: Variant) -> dict[str, Any]:
    """Return the owner reference for revisions that a variant makes or adopts."""
    return {
        "apiVersion": variant.get("apiVersion") or VARIANT_VERSION,
        "kind": VARIANT_KIND,
        "name": variant["metadata"]["name"],
        "uid": _uid(variant),
        "controller": True,
    }


def owner_references(revision: Revision) -> list[dict[str, Any]]:
    return list(find(revision, ("metadata", "ownerReferences")) or [])


def is_owned(variant: Variant, revision: Revision) -> bool:
    """Return whether one of the revision's owners has the variant's uid."""
    return any(owner.get("uid") == _uid(variant) for owner in owner_references(revision))


def is_published(revision: Revision) -> bool:
    """Return whether a revision is Published or DeletionProposed, and so cannot be edited."""
    return _lifecycle(revision) in (PUBLISHED, DELETION_PROPOSED)


def new_workspace_name(package: str, repository: str, revisions: list[Revision]) -> str:
    """Return a new workspace `packagevariant-<n>` of a package: one above the highest number.

    Example: after packagevariant-1 and packagevariant-7 comes packagevariant-8.
    """
    highest = 0
    for revision in revisions:
        spec = mapping(revision, "spec")
        workspace = str(spec.get("workspaceName") or "")
        if _is_package(spec, {"repo": repository, "package": package}) and workspace.startswith(
            WORKSPACE_PREFIX
        ):
            highest = max(highest, _workspace_number(workspace))
    return f"{WORKSPACE_PREFIX}{highest + 1}"


def _is_package(spec: dict[str, Any], target: dict[str, Any]) -> bool:
    return (spec.get("repository") or "") == (target.get("repo") or "") and (
        spec.get("packageName") or ""
    ) == (target.get("package") or "")


def _lifecycle(revision: Revision) -> str:
    return find(revision, ("spec", "lifecycle")) or DRAFT


def _number(revision: Revision) -> int:
    return revision_number(find(revision, ("spec", "revision")))


def _uid(variant: Variant) -> str:
    return find(variant, ("metadata", "uid")) or ""


def _workspace_number(workspace: str) -> int:
    digits = workspace.removeprefix(WORKSPACE_PREFIX)
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else 0
