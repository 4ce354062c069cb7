"""The actions of a PackageVariant on the package revisions of its downstream package: own, adopt, delete, orphan, draft.

Package revisions are Porch's PackageRevision objects as plain data. Nothing is written here: each rule returns `StoreStep`s, and the
caller carries them out in its own store (git, files, a server).

Source: packagevariant_controller.go of Porch (getDownstreamPRs, deleteOrOrphan, adoptPackageRevision, newWorkspaceName,
getUpstreamPR, createUpgradeDraft, createEditDraft).

Example: a variant whose downstream package has one unowned draft, with adoptionPolicy adoptExisting:

    downstream_revisions(variant, [draft])  ->  Downstream(revisions=[draft with the variant as owner], steps=[StoreStep("update", ...)])
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from krmkit.porch.apinames import VARIANT_KIND, VARIANT_VERSION, PorchError, revision_number

Revision = dict[str, Any]
Variant = dict[str, Any]

DRAFT, PROPOSED, PUBLISHED, DELETION_PROPOSED = "Draft", "Proposed", "Published", "DeletionProposed"
WORKSPACE_PREFIX = "packagevariant-"
MAIN_WORKSPACE = "main"
NOT_FOUND = "could not find upstream package revision"


@dataclass(frozen=True, slots=True)
class StoreStep:
    """One change of the store: `delete` removes `revision`, `update` replaces the stored one by it."""

    verb: str
    revision: Revision


@dataclass(slots=True)
class Downstream:
    """The revisions that a variant works on next (drafts, else the latest published one), and the steps on the way there."""

    revisions: list[Revision] = field(default_factory=list)
    steps: list[StoreStep] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """A draft to create. `task` is "upgrade" (three-way merge of three revisions, by name) or "edit" (a copy of `source`)."""

    package: str
    repository: str
    workspace: str
    task: str
    source: str
    old_upstream: str = ""
    new_upstream: str = ""


def downstream_revisions(variant: Variant, revisions: list[Revision]) -> Downstream:
    """Return the downstream revisions of a variant: its drafts, else its latest published revision, else none.

    An owned revision of another package is deleted or orphaned; an unowned revision of the right package is adopted
    when the policy says adoptExisting, and passed over otherwise.
    """
    target = variant["spec"].get("downstream") or {}
    adopts = variant["spec"].get("adoptionPolicy") == "adoptExisting"
    found = Downstream()
    drafts: list[Revision] = []
    latest: Revision | None = None
    for revision in revisions:
        owned = is_owned(variant, revision)
        spec = revision.get("spec") or {}
        if not _is_package(spec, target):
            if owned:
                found.steps += delete_or_orphan(variant, revision)
            continue
        if not owned:
            if not adopts:
                continue
            revision = adopt(variant, revision)
            found.steps.append(StoreStep("update", revision))
        if not is_published(revision):
            drafts.append(revision)
        elif latest is None or _number(revision) > _number(latest):
            latest = revision
    found.revisions = drafts or ([latest] if latest is not None else [])
    return found


def delete_or_orphan(variant: Variant, revision: Revision) -> list[StoreStep]:
    """Return the step that the variant's deletionPolicy asks for; none where deletion is already proposed.

    `orphan` removes the owner reference. `delete` removes a draft at once, and only proposes to delete what is published.
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
    """Return a copy of `revision` that the variant owns, with the variant's labels and annotations set."""
    adopted = deepcopy(revision)
    metadata = adopted.setdefault("metadata", {})
    metadata["ownerReferences"] = [*owner_references(revision), owner_reference(variant)]
    for key in ("labels", "annotations"):
        if values := variant["spec"].get(key):
            metadata[key] = {**(metadata.get(key) or {}), **values}
    return adopted


def owner_reference(variant: Variant) -> dict[str, Any]:
    """Return the owner reference that a variant puts on revisions it makes or adopts."""
    return {
        "apiVersion": variant.get("apiVersion") or VARIANT_VERSION,
        "kind": VARIANT_KIND,
        "name": variant["metadata"]["name"],
        "uid": _uid(variant),
        "controller": True,
    }


def owner_references(revision: Revision) -> list[dict[str, Any]]:
    """Return the ownerReferences of a revision; an empty list where it has none."""
    return list((revision.get("metadata") or {}).get("ownerReferences") or [])


def is_owned(variant: Variant, revision: Revision) -> bool:
    """Return whether one of the revision's owners has the variant's uid."""
    return any(owner.get("uid") == _uid(variant) for owner in owner_references(revision))


def is_published(revision: Revision) -> bool:
    """Return whether a revision is Published or DeletionProposed: it was published, and cannot be edited."""
    return _lifecycle(revision) in (PUBLISHED, DELETION_PROPOSED)


def new_workspace_name(package: str, repository: str, revisions: list[Revision]) -> str:
    """Return the first unused workspace `packagevariant-<n>` of a package: one above the highest number there is.

    Example: workspaces packagevariant-1 and packagevariant-7 give packagevariant-8.
    """
    highest = 0
    for revision in revisions:
        spec = revision.get("spec") or {}
        workspace = str(spec.get("workspaceName") or "")
        if _is_package(spec, {"repo": repository, "package": package}) and workspace.startswith(
            WORKSPACE_PREFIX
        ):
            highest = max(highest, _workspace_number(workspace))
    return f"{WORKSPACE_PREFIX}{highest + 1}"


def upstream_revision(upstream: dict[str, Any], revisions: list[Revision]) -> Revision:
    """Return the revision that a variant's upstream names: by its workspaceName, else the workspace `main`.

    Raises PorchError where there is none.
    """
    workspace = upstream.get("workspaceName") or MAIN_WORKSPACE
    for revision in revisions:
        spec = revision.get("spec") or {}
        if _is_package(spec, upstream) and spec.get("workspaceName") == workspace:
            return revision
    raise PorchError(NOT_FOUND)


def published_upstream(upstream: dict[str, Any], revisions: list[Revision]) -> Revision:
    """Return the published revision of the upstream's number. Raises PorchError for number 0 or where there is none."""
    number = revision_number(upstream.get("revision"))
    if number == 0:
        raise PorchError("upstream cannot be published with revision number 0")
    for revision in revisions:
        if is_published(revision) and _is_package(revision["spec"], upstream) and _number(revision) == number:
            return revision
    raise PorchError(NOT_FOUND)


def upgrade_draft(variant: Variant, source: Revision, revisions: list[Revision]) -> DraftRequest:
    """Return the draft that merges the variant's new upstream into `source`, a published downstream revision.

    The old upstream is read from the source's upstreamLock: `ref: pkg/v1` of repository `repo` is the revision `repo.pkg.v1`.
    """
    lock = (source.get("status") or {}).get("upstreamLock", {}).get("git") or {}
    repository = variant["spec"]["upstream"]["repo"]
    old = ".".join([repository, *str(lock.get("ref") or "").removeprefix("drafts/").rsplit("/", 1)])
    new = _revision_name(upstream_by_workspace_or_number(variant["spec"]["upstream"], revisions))
    spec = source["spec"]
    return DraftRequest(
        package=spec["packageName"],
        repository=spec["repository"],
        workspace=new_workspace_name(spec["packageName"], spec["repository"], revisions),
        task="upgrade",
        source=_revision_name(source),
        old_upstream=old,
        new_upstream=new,
    )


def upstream_by_workspace_or_number(upstream: dict[str, Any], revisions: list[Revision]) -> Revision:
    """Return the revision that the upstream's workspaceName names, or without one the published one of its number."""
    if not upstream.get("workspaceName") and revision_number(upstream.get("revision")) > 0:
        return published_upstream(upstream, revisions)
    return upstream_revision(upstream, revisions)


def edit_draft(source: Revision, revisions: list[Revision]) -> DraftRequest:
    """Return the draft that is a copy of `source`, a published downstream revision that has to change again."""
    spec = source["spec"]
    return DraftRequest(
        package=spec["packageName"],
        repository=spec["repository"],
        workspace=new_workspace_name(spec["packageName"], spec["repository"], revisions),
        task="edit",
        source=_revision_name(source),
    )


def _is_package(spec: dict[str, Any], target: dict[str, Any]) -> bool:
    return (spec.get("repository") or "") == (target.get("repo") or "") and (
        spec.get("packageName") or ""
    ) == (target.get("package") or "")


def _lifecycle(revision: Revision) -> str:
    return (revision.get("spec") or {}).get("lifecycle") or DRAFT


def _number(revision: Revision) -> int:
    return revision_number((revision.get("spec") or {}).get("revision"))


def _uid(variant: Variant) -> str:
    return (variant.get("metadata") or {}).get("uid") or ""


def _workspace_number(workspace: str) -> int:
    digits = workspace.removeprefix(WORKSPACE_PREFIX)
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else 0


def _revision_name(revision: Revision) -> str:
    return (revision.get("metadata") or {}).get("name") or ""
