"""What a sync remembers of each variant, in a ref of the downstream repository, so that the next one knows what is new.

`refs/krmkit/variants/NAMESPACE/NAME` points at a blob of JSON. It is written in the same transaction as the revisions.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from krmkit.cli.git.program import GitError
from krmkit.cli.git.refs import OWN
from krmkit.cli.sync.store import Store

PREFIX = f"{OWN}/variants/"


@dataclass(slots=True)
class VariantState:
    """`inputs` is a digest of all that decides the package; `refs` are the package's revisions after the sync.

    `owned` are the refs of revisions that the variant owns; `labels` and `annotations` are those that its newest draft got
    when it was made.
    """

    package: str
    policy: str
    owner: str
    inputs: str = ""
    upstream: str = ""
    refs: dict[str, str] = field(default_factory=dict)
    owned: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":")) + "\n"


def state_ref(namespace: str, name: str) -> str:
    """The ref of a variant's state."""
    return f"{PREFIX}{namespace or 'default'}/{name}"


def read_states(store: Store) -> dict[str, VariantState]:
    """The states in a repository by ref; one that cannot be read counts as unknown, and its variant is made again."""
    found: dict[str, VariantState] = {}
    for ref, oid in store.seen.items():
        if ref.startswith(PREFIX):
            try:
                state = _read(store.objects.blob(oid))
            except GitError:
                continue
            if state is not None:
                found[ref] = state
    return found


def _read(content: bytes) -> VariantState | None:
    try:
        data: Any = json.loads(content)
        state = VariantState(**data) if isinstance(data, dict) else None
    except (ValueError, TypeError, RecursionError):
        return None
    return state if state is not None and _is_sound(state) else None


def _is_sound(state: VariantState) -> bool:
    """Whether the fields have their types; a foreign repository may hold anything."""
    maps = (state.refs, state.labels, state.annotations)
    if not isinstance(state.owned, list) or not all(isinstance(one, dict) for one in maps):
        return False
    texts = (state.package, state.policy, state.owner, state.inputs, state.upstream, *state.owned)
    return all(isinstance(text, str) for text in texts)
