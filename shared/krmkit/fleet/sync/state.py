"""The state of each variant after a sync, in a ref of the downstream repository, for the next sync.

`refs/krmkit/variants/NAMESPACE/NAME` names a tree, written in the same transaction as the revisions:

| entry | what |
|---|---|
| state | JSON: the fields of VariantState |
| N-output | the package as the sync rendered it, for the N-th revision |
| N-input | the input of its pipeline, with people's edits; absent for a clone of the upstream |
| N-base | the upstream's package, which stays known though the upstream's history is rewritten |
| N-output-before, N-input-before, N-base-before | the same of the commit that a draft had before |
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from krmkit.fleet.sync.store import Store
from krmkit.storage.git.objects import FILE, FOLDER, TreeEntry
from krmkit.storage.git.packfile import PackFile
from krmkit.storage.git.program import GitError
from krmkit.storage.git.refnames import OWN

PREFIX = f"{OWN}/variants/"
STATE_FILE = "state"
_KINDS = {"str": str, "bool": bool, "list": list, "dict": dict}


@dataclass(slots=True)
class RevisionMemory:
    """The state of a draft or a published revision after a sync.

    `commit`: the last commit that a sync wrote or left unchanged. `output` and `input`: trees of the package
    after and before the pipeline; `input` is "" for a clone of the upstream in the Kptfile's lock. `edited`:
    a person's commits are in the draft. `conflicts`: conflicts for a person to resolve. `base`: the tree of
    that upstream. `before`: the previous commit, output, input and base: if a sync was killed, a person may
    have continued from these.
    """

    commit: str
    workspace: str = ""
    output: str = ""
    input: str = ""
    edited: bool = False
    conflicts: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    base: str = ""


@dataclass(slots=True)
class VariantState:
    """The state of a variant. `inputs`: a digest of all inputs of its package; `refs`: of its revisions.

    `fleet` and `owner`: the variant's fleet and set. `owned`: the refs of its revisions; `memories`: the
    state of those that a sync may change again. `objects`: its newest package's objects in a cluster.
    `labels` and `annotations`: those of its newest draft when it was made.
    """

    package: str
    policy: str
    owner: str
    fleet: str = ""
    inputs: str = ""
    upstream: str = ""
    refs: str = ""
    owned: list[str] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    memories: dict[str, RevisionMemory] = field(default_factory=dict)

    def has_conflicts(self, ref: str) -> bool:
        memory = self.memories.get(ref)
        return memory is not None and bool(memory.conflicts)

    def write(self, pack: PackFile) -> str:
        """Add the state's tree to a pack; return its oid."""
        data = _without_empty(asdict(self))
        text = json.dumps(data, sort_keys=True, separators=(",", ":")) + "\n"
        entries = [TreeEntry(FILE, STATE_FILE, pack.blob(text.encode()))]
        for number, memory in enumerate(self.memories.values()):
            kept = {"output": memory.output, "input": memory.input, "base": memory.base}
            if memory.before:
                kept |= {f"{name}-before": oid for name, oid in zip([*kept], memory.before[1:], strict=True)}
            for name, oid in kept.items():
                if oid:
                    pack.share(oid)
                    entries.append(TreeEntry(FOLDER, f"{number}-{name}", oid))
        return pack.tree(entries)


def state_ref(namespace: str, name: str) -> str:
    """Return the ref of a variant's state."""
    return f"{PREFIX}{namespace or 'default'}/{name}"


def digest_of_refs(refs: Mapping[str, str]) -> str:
    """Return a digest of refs and the objects they point to."""
    lines = "".join(f"{ref} {oid}\n" for ref, oid in sorted(refs.items()))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def read_states(store: Store) -> dict[str, VariantState]:
    """Return the states in a repository by ref. A variant with an unreadable state is built again."""
    states: dict[str, VariantState] = {}
    for ref, oid in store.seen.items():
        if ref.startswith(PREFIX):
            try:
                state = _read(store, oid)
            except GitError:
                continue
            if state is not None:
                states[ref] = state
    return states


def _read(store: Store, oid: str) -> VariantState | None:
    content = store.objects.read(f"{oid}:{STATE_FILE}")
    try:
        data: Any = json.loads(content[2]) if content is not None else None
        if not isinstance(data, dict):
            return None
        memories = {ref: RevisionMemory(**one) for ref, one in data.pop("memories", {}).items()}
        state = VariantState(**data, memories=memories)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return state if _is_sound(state) else None


def _without_empty(data: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _without_empty(value) if isinstance(value, dict) else value
        for key, value in data.items()
        if value
    }


def _is_sound(state: VariantState) -> bool:
    """Return whether the fields have the right types: a foreign repository may hold anything."""
    memories = state.memories.values()
    whole: list[VariantState | RevisionMemory] = [state, *memories]
    kinds_fit = all(
        isinstance(value := getattr(one, field.name), _KINDS[str(field.type).partition("[")[0]])
        and (not isinstance(value, list) or all(isinstance(text, str) for text in value))
        for one in whole
        for field in fields(one)
    )
    return kinds_fit and all(len(memory.before) in (0, 4) for memory in memories)
