"""Find the sync output under a person's commit, and the revision under a draft.

Usually that is the newest output. If a sync was killed before its draft had that output, a person may have
continued from the output before. A commit that amends or squashes the sync's own has neither as a parent:
then the most similar output counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import replace

from krmkit.fleet.sync.state import RevisionMemory, VariantState
from krmkit.fleet.sync.store import HISTORY, TAGS, Store, short_ref
from krmkit.krm.errors import Refused
from krmkit.storage.git.objects import FOLDER
from krmkit.storage.git.program import GitError
from krmkit.systems.porch.variants.lifecycle import Revision, is_published


def followed(store: Store, memory: RevisionMemory, commit: str, tree: str) -> RevisionMemory:
    """Return the memory under a draft's `commit` or package `tree`: `memory`, or the one before."""
    if not memory.before or memory.commit == commit or descends(store, commit, memory.commit):
        return memory
    before, output, given, base = memory.before
    if not output or distance(store, tree, memory.output) <= distance(store, tree, output):
        return memory
    return replace(memory, commit=before, output=output, input=given, base=base, before=[])


def published_below(
    store: Store, memories: Mapping[str, RevisionMemory], memory: RevisionMemory | None, commit: str
) -> Revision | None:
    """Return the published revision of which a draft with conflicts was made, if nobody edited the draft.

    A new upstream may conflict with people's values there in another way, or no longer.
    """
    if memory is None or memory.commit != commit or not memory.conflicts:
        return None
    for ref in memories:
        oid = store.seen.get(ref)
        if ref.startswith(TAGS) and oid is not None and descends(store, commit, oid):
            return {"metadata": {"ref": ref, "commit": oid}}
    return None


def overtaken(
    store: Store, state: VariantState, known: Container[str], revisions: list[Revision]
) -> dict[str, str]:
    """Return the untouched drafts that people continued under other refs, with those refs.

    A person can publish or propose a commit on top of a draft without pushing the draft, and can publish a
    change of the published revision while a draft waits. known: the refs that the variant owned at the last
    sync. Raises Refused if people changed the draft as well: a sync would keep only one of both.
    """
    refs = {}
    for draft in revisions:
        ref, commit = draft["metadata"]["ref"], draft["metadata"]["commit"]
        memory = state.memories.get(ref)
        if is_published(draft) or memory is None:
            continue
        for other in revisions:
            place, oid = other["metadata"]["ref"], other["metadata"]["commit"]
            same = other["spec"]["workspaceName"] == draft["spec"]["workspaceName"]
            new = is_published(other) and place in state.owned and place not in known
            elsewhere = other["spec"]["packageName"] != draft["spec"]["packageName"]
            if place == ref or elsewhere or not (same or new) or descends(store, commit, oid):
                continue
            alike = new and _package_tree(store, draft) == _package_tree(
                store, other
            )  # squashed, for example
            # Of two that a sync has seen, the one with people's edits goes only where the other has them.
            goes_on = same and (place not in known or descends(store, oid, commit))
            if alike or (memory.commit == commit and (goes_on or not memory.edited)):
                refs[ref] = place
            elif new or (
                not is_published(other) and _is_edited(state, other) and not descends(store, oid, commit)
            ):
                raise Refused(
                    f"{short_ref(place)} is not in {short_ref(ref)}, and people changed both: merge it into the draft, or delete the draft"
                )
    return refs


def _package_tree(store: Store, revision: Revision) -> str | None:
    commit = store.objects.commit(revision["metadata"]["commit"])[1]
    return store.objects.folder(commit.tree, store.folder(revision["spec"]["packageName"]))


def _is_edited(state: VariantState, revision: Revision) -> bool:
    memory = state.memories.get(revision["metadata"]["ref"])
    return memory is not None and memory.commit != revision["metadata"]["commit"]


def descends(store: Store, commit: str, *ancestors: str) -> bool:
    """Return whether a commit is one of `ancestors` or descends from one."""
    pending, seen = [commit], {commit}
    while pending and len(seen) < HISTORY:
        current = pending.pop(0)
        if current in ancestors:
            return True
        try:
            parents = store.objects.commit(current)[1].parents
        except GitError:
            continue
        pending += [parent for parent in parents if parent not in seen]
        seen.update(parents)
    return False


def distance(store: Store, one: str, other: str) -> int:
    """Return the number of lines by which two trees differ."""
    if one == other:
        return 0
    entries = [
        {(entry.mode, entry.name): entry.oid for entry in store.objects.tree(tree)} if tree else {}
        for tree in (one, other)
    ]
    count = 0
    for mode, name in {*entries[0], *entries[1]}:
        oids = [side.get((mode, name), "") for side in entries]
        if oids[0] == oids[1]:
            continue
        if mode == FOLDER:
            count += distance(store, *oids)
        else:
            lines = [Counter(store.objects.blob(oid).splitlines() if oid else ()) for oid in oids]
            count += sum(((lines[0] - lines[1]) + (lines[1] - lines[0])).values())
    return count
