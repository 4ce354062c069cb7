"""Brings the package revisions of one variant up to date: what Porch's controller does in one reconciliation.

1. Find the upstream's revision, and the downstream revisions that the variant owns or adopts.
2. Nothing new since the last sync: done.
3. No downstream: clone a draft. Drafts: merge the upstream into each, apply the variant again. Published: the same, as a new draft.
4. Propose or publish drafts whose readiness gates are met, as `approve` says.

`prepare` reads, and returns the packages to be built (3) as jobs; `finish` gets what was built, and changes refs and objects.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from krmkit.cli.fleetplan import Task
from krmkit.cli.git.treeupdate import read_files, replace_folders, write_files
from krmkit.cli.sync.revisions import CloneSource, SyncSources
from krmkit.cli.sync.store import WORKSPACE, Store
from krmkit.cli.sync.syncstate import VariantState, state_ref
from krmkit.cli.work.build import Built, Clone, Files, Update
from krmkit.lang.dottedpath import dotted
from krmkit.porch import lifecycle
from krmkit.render.variantpackages import VariantError

VARIANT = "Variant: "
HISTORY = 1000  # commits of a draft that are looked at; a longer one counts as edited
APPROVALS = ("never", "ready", "auto")


@dataclass(slots=True)
class SyncOutcome:
    """What a sync did for one variant: `actions` in words, in their order; `error` says why it could not.

    `stuck` says that a draft was left alone because of its conflicts; `targets` are the refs of its package revisions, Porch's status.downstreamTargets.
    """

    name: str
    package: str
    actions: list[str] = field(default_factory=list)
    gates: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    upstream: str = ""
    newest: str = ""
    draft: str = ""
    targets: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    stuck: bool = False
    error: str = ""


class VariantSync:
    """One variant at work: its task, its downstream store, and what was remembered of it."""

    def __init__(
        self,
        task: Task,
        sources: SyncSources,
        store: Store,
        state: VariantState | None,
        approve: str,
        author: str,
    ) -> None:
        self.task = task
        self.sources = sources
        self.store = store
        self.approve = approve
        self.author = author
        self.package = str(task.spec["downstream"]["package"])
        self.old = state
        self.outcome = SyncOutcome(
            f"{task.namespace or 'default'}/{task.name}", f"{store.name}/{self.package}"
        )
        self.variant = {
            "metadata": {"name": task.name, "namespace": task.namespace, "uid": self.outcome.name},
            "spec": task.spec,
        }
        self.source: CloneSource
        self.known = False
        self.found = lifecycle.Downstream()
        self.updates: list[Update] = []
        self.new = VariantState(
            self.package,
            str(task.spec.get("deletionPolicy") or "delete"),
            task.owner,
            owned=list(state.owned if state else ()),
            labels=dict(state.labels if state else {}),
            annotations=dict(state.annotations if state else {}),
        )

    def prepare(self) -> list[Clone] | list[Update]:
        """Read the revisions and return what is to be built; change nothing. Raises VariantError, GitError, and the errors of reading."""
        source = self.source = self.sources.find(self.task.spec["upstream"])
        self.outcome.upstream, self.outcome.newest = source.version, source.newest
        self.new.upstream = f"{source.store.name} {source.ref} {source.commit}"
        self.new.inputs = self._inputs(source)
        self.known = self._is_known() and not self._wants_approval()
        if self.known:
            return []
        self.found = self._downstream()
        variant = self.sources.variant(self.task, self.store, source)
        if not self.found.revisions:
            return [Clone(variant, source.blueprint(), source.others(), source.size())]
        updates = []
        for revision in self.found.revisions:
            files = self._files(revision)
            base, locked = self.sources.base_of(files)
            updates.append(Update(variant, files, base if locked != source.commit else None, source.files()))
        self.updates = updates
        return updates

    def finish(self, built: list[Built]) -> SyncOutcome:
        """Change the store's refs and pack in memory, with one Built for each that `prepare` returned. Raises GitError."""
        if self.known:
            self.new = self.old or self.new
            return self._told()
        for step in self.found.steps:
            self._carry_out(step)
        if not self.found.revisions:
            self._cloned(built[0])
        for revision, update, one in zip(self.found.revisions, self.updates, built, strict=False):
            self._follow(revision, update, one)
        self._remember()
        return self._told()

    # What is there

    def _inputs(self, source: CloneSource) -> str:
        """A digest of everything that decides the package, but the package itself."""
        given = [
            self.task.spec,
            source.ref,
            source.tree,
            self.sources.objects_digest(self.task.namespace),
            self.store.deployment,
        ]
        return hashlib.sha256(json.dumps(given, sort_keys=True, default=str).encode()).hexdigest()

    def _is_known(self) -> bool:
        """Whether the last sync had these inputs, and the package's revisions are unchanged since."""
        return (
            self.old is not None
            and self.old.inputs == self.new.inputs
            and self.old.package == self.package
            and self.old.refs == self.store.revision_refs(self.package)
        )

    def _wants_approval(self) -> bool:
        waiting = {"never": (), "ready": ("drafts",), "auto": ("drafts", "proposed")}[self.approve]
        refs = self.old.owned if self.old is not None else ()
        return any(ref.startswith(f"refs/heads/{kind}/") for ref in refs for kind in waiting)

    def _downstream(self) -> lifecycle.Downstream:
        """The revisions to work on, and how those that are not the variant's any more are deleted or orphaned."""
        revisions = self.store.revisions(self.package)
        if self.old is not None and self.old.package != self.package:
            revisions += self.store.revisions(self.old.package)
        owner = {"uid": self.outcome.name}
        for revision in revisions:
            if revision["metadata"]["ref"] in self.new.owned:
                revision["metadata"]["ownerReferences"] = [owner]
        return lifecycle.downstream_revisions(self.variant, revisions)

    def _carry_out(self, step: lifecycle.StoreStep) -> None:
        ref = step.revision["metadata"]["ref"]
        if step.verb == "delete":
            self.store.refs.delete(ref)
            self.new.owned = [one for one in self.new.owned if one != ref]
            self.outcome.actions.append(f"deleted {_short(ref)}")
        elif lifecycle.is_owned(self.variant, step.revision) and ref not in self.new.owned:
            self.new.owned.append(ref)
            self.outcome.actions.append(f"adopted {_short(ref)}")
        elif not lifecycle.is_owned(self.variant, step.revision):
            self.new.owned = [one for one in self.new.owned if one != ref]
            self.outcome.actions.append(f"orphaned {_short(ref)}")
        else:
            propose_deletion(self.store, step.revision)
            self.outcome.actions.append(f"proposed to delete {_short(ref)}")

    # What is made

    def _cloned(self, built: Built) -> None:
        workspace = lifecycle.new_workspace_name(
            self.package, self.store.name, self.store.revisions(self.package)
        )
        message = f"Clone {self.source.label} for {self.outcome.name}"
        self._tell(built)
        self._commit(built, workspace, [], message, "cloned")

    def _follow(self, revision: dict[str, Any], update: Update, built: Built) -> None:
        """A draft gets a commit, a published revision a new draft, where the update changes anything."""
        commit, published = revision["metadata"]["commit"], lifecycle.is_published(revision)
        self._tell(built)
        self.outcome.conflicts += [f"{one.file} {dotted(one.path)}: {one.message}" for one in built.conflicts]
        if built.conflicts and not published and self._was_edited(commit):
            self.outcome.stuck = True
            return
        workspace = revision["spec"]["workspaceName"]
        if built.files == update.files:
            if not published:
                self._approve(built, workspace, commit, revision["metadata"]["ref"])
            return
        moved = update.base is not None
        message = (
            f"Update {self.package} to {self.source.label}"
            if moved
            else f"Change {self.package} as its inputs did"
        )
        if published:
            revisions = self.store.revisions(self.package)
            workspace = lifecycle.new_workspace_name(self.package, self.store.name, revisions)
        elif revision["spec"]["lifecycle"] == lifecycle.PROPOSED:
            # Whoever looked at the proposal has not seen this.
            self._drop(revision["metadata"]["ref"])
        self._commit(
            built,
            workspace,
            [commit],
            f"{message} for {self.outcome.name}",
            "updated" if moved else "changed",
        )

    def _tell(self, built: Built) -> None:
        """Keep what is to be said of a build; a variant may have several drafts."""
        for text in built.gates:
            if text not in self.outcome.gates:
                self.outcome.gates.append(text)
        for text in built.warnings:
            if text not in self.outcome.warnings:
                self.outcome.warnings.append(text)

    def _was_edited(self, commit: str) -> bool:
        """Whether a person's commit is among those that a draft is made of; krmkit's own name their variant."""
        for _ in range(HISTORY):
            _, found = self.store.objects.commit(commit)
            if f"\n{VARIANT}" not in found.message:
                return True
            if not found.parents:
                return False
            commit = found.parents[0]
        return True

    def _files(self, revision: dict[str, Any]) -> Files:
        _, commit = self.store.objects.commit(revision["metadata"]["commit"])
        tree = self.store.objects.folder(commit.tree, self.store.folder(self.package))
        if tree is None:
            raise VariantError(
                f"{_short(revision['metadata']['ref'])} has no folder {self.store.folder(self.package)}"
            )
        return read_files(self.store.objects, tree)

    def _commit(self, built: Built, workspace: str, parents: list[str], title: str, word: str) -> None:
        """Put the package into a draft."""
        source = self.source
        folder = {self.store.folder(self.package): write_files(self.store.pack, built.files)}
        tree = replace_folders(self.store.objects, self.store.pack, None, folder)
        assert tree is not None
        body = [
            f"{VARIANT}{self.outcome.name}",
            f"Upstream: {source.label} {source.commit}",
            f"{WORKSPACE}{workspace}",
        ]
        time = max([source.time, *(self.store.objects.commit(parent)[1].time for parent in parents)])
        message = f"{title}\n\n" + "".join(f"{line}\n" for line in body)
        commit = self.store.pack.commit(tree, parents, f"{self.author} {time} +0000", message)
        ref = self.store.ref(lifecycle.DRAFT, self.package, workspace)
        if self.store.refs.get(ref) is None:
            # Labels and annotations are set when a draft is made, and not later.
            self.new.labels = dict(self.task.spec.get("labels") or {})
            self.new.annotations = dict(self.task.spec.get("annotations") or {})
        self.store.refs.set(ref, commit)
        self._own(ref)
        self.outcome.actions.append(f"{word} {_short(ref)} from {source.label}")
        self._approve(built, workspace, commit, ref)

    def _approve(self, built: Built, workspace: str, commit: str, ref: str) -> None:
        """Propose or publish a draft where the policy wants it and no readiness gate is open."""
        gated = bool(built.gates) and self.store.deployment
        if self.approve == "never" or gated:
            return
        proposed = self.store.ref(lifecycle.PROPOSED, self.package, workspace)
        if self.approve == "ready":
            if ref != proposed:
                self._drop(ref)
                self.store.refs.set(proposed, commit)
                self._own(proposed)
                self.outcome.actions.append(f"proposed {_short(proposed)}")
            return
        number = max(self.store.versions(self.package), default=0) + 1
        # Of two drafts, the one before may have become this number in the same sync.
        while self.store.refs.get(self._tag(number)) is not None:
            number += 1
        tag = self._tag(number)
        self._drop(ref)
        self.store.refs.set(tag, commit)
        self._own(tag)
        self.outcome.actions.append(f"published {_short(tag)}")

    def _tag(self, number: int) -> str:
        return self.store.ref(lifecycle.PUBLISHED, self.package, f"v{number}")

    def _drop(self, ref: str) -> None:
        self.store.refs.delete(ref)
        self.new.owned = [one for one in self.new.owned if one != ref]

    def _own(self, ref: str) -> None:
        if ref not in self.new.owned:
            self.new.owned.append(ref)

    def _remember(self) -> None:
        """Write down the inputs, and the package's revisions as they are after the sync."""
        refs = {**self.store.revision_refs(self.package), **dict.fromkeys(self.new.owned, "")}
        self.new.refs = {ref: oid for ref in refs if (oid := self.store.refs.get(ref)) is not None}
        self.new.owned = sorted(ref for ref in self.new.owned if self.store.refs.get(ref) is not None)
        if self.outcome.stuck:
            self.new.inputs = ""  # look again next time
        ref = state_ref(self.task.namespace, self.task.name)
        self.store.refs.set(ref, self.store.pack.blob(self.new.text().encode()))

    def _told(self) -> SyncOutcome:
        """The outcome with what the variant has now."""
        self.outcome.targets = [_short(ref) for ref in self.new.owned]
        self.outcome.draft = next(
            (_short(ref) for ref in self.new.owned if ref.startswith("refs/heads/")), ""
        )
        self.outcome.labels, self.outcome.annotations = self.new.labels, self.new.annotations
        return self.outcome


def propose_deletion(store: Store, revision: dict[str, Any]) -> None:
    """Mark a published revision for deletion; it stays until the deletion is approved."""
    tag = revision["metadata"]["ref"]
    package, last = revision["spec"]["packageName"], tag.rpartition("/")[2]
    store.refs.set(store.ref(lifecycle.DELETION_PROPOSED, package, last), revision["metadata"]["commit"])


def _short(ref: str) -> str:
    return ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
