"""Finds what a draft was made from: which output of a sync a person's commit goes on from, and which published revision a draft.

That is the newest one, unless a sync was killed before its draft had it: a person may then have gone on with the one before. A commit
that amends or squashes the sync's own has neither among its parents, and looks most like the output that it was made from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from krmkit.fleet.sync.state import RevisionMemory
from krmkit.fleet.sync.store import HISTORY, TAGS, Store
from krmkit.git.objects import FOLDER
from krmkit.git.program import GitError
from krmkit.porch.variants.lifecycle import Revision


def followed(store: Store, memory: RevisionMemory, commit: str, tree: str) -> RevisionMemory:
    """Return the memory, or what it says of the time before, as what a draft's `commit` with the package `tree` was made from."""
    if not memory.before or memory.commit == commit or _descends(store, commit, memory.commit):
        return memory
    before, output, given = memory.before
    if not output or _distance(store, tree, memory.output) <= _distance(store, tree, output):
        return memory
    return replace(memory, commit=before, output=output, input=given, before=[])


def published_below(
    store: Store, memories: Mapping[str, RevisionMemory], memory: RevisionMemory | None, commit: str
) -> Revision | None:
    """Return the published revision that a draft with conflicts was made from, where nobody has looked at the draft.

    What upstream says now may be in conflict with people's values there in another way, or not any more.
    """
    if memory is None or memory.commit != commit or not memory.conflicts:
        return None
    for ref in memories:
        oid = store.seen.get(ref)
        if ref.startswith(TAGS) and oid is not None and _descends(store, commit, oid):
            return {"metadata": {"ref": ref, "commit": oid}}
    return None


def _descends(store: Store, commit: str, ancestor: str) -> bool:
    """Whether a commit is another one, or goes on from it by first parents."""
    for _ in range(HISTORY):
        if commit == ancestor:
            return True
        try:
            parents = store.objects.commit(commit)[1].parents
        except GitError:
            return False
        if not parents:
            return False
        commit = parents[0]
    return False


def _distance(store: Store, one: str, other: str) -> int:
    """How many lines two trees do not share."""
    if one == other:
        return 0
    entries = [
        {(entry.mode, entry.name): entry.oid for entry in store.objects.tree(tree)} if tree else {}
        for tree in (one, other)
    ]
    found = 0
    for mode, name in {*entries[0], *entries[1]}:
        oids = [side.get((mode, name), "") for side in entries]
        if oids[0] == oids[1]:
            continue
        if mode == FOLDER:
            found += _distance(store, *oids)
        else:
            lines = [Counter(store.objects.blob(oid).splitlines() if oid else ()) for oid in oids]
            found += sum(((lines[0] - lines[1]) + (lines[1] - lines[0])).values())
    return found
