"""pv_lifecycle records: Porch's rules for package revisions, judged by krmkit.systems.porch.variants.lifecycle, and by what a sync does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from krmkit.kpt.merge.kptfile import merge_kptfiles
from krmkit.systems.porch.variants import lifecycle
from krmkit.systems.porch.variants.lifecycle import StoreStep
from tests.conformance.adapters._porch_revisions import draft, upstream

Record = dict[str, Any]

CALLS = {"delete": "deleting object: ", "update": "updating object: "}


def _calls(steps: list[StoreStep]) -> list[str]:
    return [CALLS[step.verb] + step.revision["metadata"]["name"] for step in steps]


def _stored(revision: Record) -> Record:
    """A revision as the reference's client shows it: no empty owner list, and a status with an empty publishTimestamp."""
    metadata = {key: value for key, value in revision["metadata"].items() if value != []}
    return {**revision, "metadata": metadata, "status": {"publishTimestamp": None}}


def _downstream(given: Record) -> Record:
    found = lifecycle.downstream_revisions(given["packageVariant"], given["packageRevisions"])
    return {
        "downstreams": [_stored(revision) for revision in found.revisions],
        "clientCalls": _calls(found.steps),
    }


def _deletion(given: Record) -> Record:
    steps = lifecycle.delete_or_orphan(given["packageVariant"], given["packageRevision"])
    updated = [_stored(step.revision) for step in steps if step.verb == "update"]
    return {"clientCalls": _calls(steps), **({"packageRevision": updated[0]} if updated else {})}


def pv_lifecycle(given: Record) -> Record:
    revisions = given.get("packageRevisions") or []
    match given["op"]:
        case "new_workspace_name":
            name = lifecycle.new_workspace_name(given["package"], given["repo"], revisions)
            return {"workspaceName": name}
        case "get_downstream_prs":
            return _downstream(given)
        case "delete_or_orphan":
            return _deletion(given)
        case "get_upstream":
            upstream(given["upstream"], revisions)
            return {"found": True}
        case "get_published_upstream":
            # The caller has seen that no workspace is asked for; a sync sees that itself.
            return {"name": upstream({**given["upstream"], "workspaceName": ""}, revisions)}
        case _:
            return draft(given)


def judge_kptfile_merge(record: Record, _: Path) -> tuple[bool, str]:
    """Compares data: the records' `text` is what kpt's typed writer prints, where an edit keeps the local text."""
    given = record["input"]
    merged = merge_kptfiles(
        given["origin"], given["updated"], given["local"], given.get("updateUpstream") or False
    )
    expected = record["expect"]["kptfile"]
    return merged.value == expected, f"got {merged.value}, expected {expected}"
