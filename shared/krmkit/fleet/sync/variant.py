"""Bring the package revisions of one variant up to date, as one reconciliation of Porch does.

1. Find the upstream's revision, and the downstream revisions that the variant owns or adopts.
2. Nothing new since the last sync: done.
3. No downstream: clone a draft. Drafts: merge the upstream into each, apply the variant again.
   Published: the same, as a new draft. A package without edits is cloned anew: nothing is to merge.
4. Propose or publish drafts with met readiness gates and without conflicts (`approve`).

`prepare` reads, and returns the packages to be built (3) as jobs; `finish` gets the built packages, and
changes refs and objects.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from krmkit.fleet.build import Built, Clone, Rendered, Update, VariantInput
from krmkit.fleet.plan import Task
from krmkit.fleet.sync.drafts import Drafts, propose_deletion, revisions_of
from krmkit.fleet.sync.followed import followed, overtaken, published_below
from krmkit.fleet.sync.outcome import SyncOutcome, said
from krmkit.fleet.sync.revisions import CloneSource, SyncSources, lock_of, says_the_same
from krmkit.fleet.sync.state import RevisionMemory, VariantState, digest_of_refs, state_ref
from krmkit.fleet.sync.store import Store, short_ref
from krmkit.kpt.merge.conflict import without_outcome
from krmkit.krm.errors import Refused
from krmkit.storage.git.treeupdate import read_files, write_files
from krmkit.systems.porch.variants import lifecycle


@dataclass(slots=True)
class _Job:
    """The work on one revision: its build, the oid of its package's tree, and its memory.

    `again`: it is built again from the published revision below, with that revision's conflicts.
    """

    revision: dict[str, Any]
    tree: str
    memory: RevisionMemory | None
    edited: bool
    moved: bool
    build: Clone | Update
    again: bool = False


@dataclass(eq=False)
class VariantSync:
    """The sync of one variant: its task, its downstream store, and its state after the last sync (`old`).

    `on_conflict`: as in Update; `taken`: the refs of other variants' revisions, with the variants' names.
    """

    task: Task
    sources: SyncSources
    store: Store
    old: VariantState | None
    approve: str
    author: str
    prune: bool = False
    taken: Mapping[str, str] = field(default_factory=dict)
    on_conflict: str = ""

    def __post_init__(self) -> None:
        task, old = self.task, self.old
        self.package = str(task.spec["downstream"]["package"])
        self.outcome = SyncOutcome(
            f"{task.namespace or 'default'}/{task.name}", f"{self.store.name}/{self.package}"
        )
        self.variant = {
            "metadata": {"name": task.name, "namespace": task.namespace, "uid": self.outcome.name},
            "spec": task.spec,
        }
        self.source: CloneSource
        self.known = False
        self.overtaken: dict[str, str] = {}
        self.found = lifecycle.Downstream()
        self.jobs: list[_Job] = []
        self.new = VariantState(
            self.package,
            str(task.spec.get("deletionPolicy") or "delete"),
            task.owner,
            task.fleet,
            owned=list(old.owned if old else ()),
            objects=list(old.objects if old else ()),
            labels=dict(old.labels if old else {}),
            annotations=dict(old.annotations if old else {}),
            memories=dict(old.memories if old else {}),
        )
        self.drafts = Drafts(
            self.store, self.package, self.new, self.outcome, self.approve, self.author, self.taken
        )

    def prepare(self) -> list[Clone | Update]:
        """Read the revisions and return the builds; change nothing. Raises Refused, GitError, YamlError."""
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
            return [self._clone(variant)]
        self.jobs = [self._job(variant, revision) for revision in self.found.revisions]
        return [job.build for job in self.jobs]

    def finish(self, built: list[Built]) -> SyncOutcome:
        """Change the store's refs and pack in memory; `built` has a Built for each of `prepare`.

        Raises GitError.
        """
        if self.known:
            self.new = self.drafts.new = self.old or self.new
            self._leave_packages()
            return self._told()
        for ref, tag in self.overtaken.items():
            self.drafts.drop(ref)
            self.outcome.actions.append(f"deleted {short_ref(ref)}: {short_ref(tag)} goes on from it")
        for step in self.found.steps:
            self._carry_out(step)
        for revision in self.found.revisions:
            if revision["spec"]["lifecycle"] == lifecycle.DELETION_PROPOSED:
                self.drafts.withdraw_deletion(revision)
        self._leave_packages()
        if built:
            self.new.objects = built[-1].objects
        if not self.found.revisions:
            self._cloned(built[0])
        for job, one in zip(self.jobs, built, strict=False):
            self._follow(job, one)
        self.drafts.remember()
        if self.outcome.stuck:
            self.new.inputs = ""  # do not skip the variant next time
        state = self.new.write(self.store.pack)
        self.store.refs.set(state_ref(self.task.namespace, self.task.name), state)
        return self._told()

    # Reading the current state

    def _inputs(self, source: CloneSource) -> str:
        """Return a digest of all inputs of the package, except for the package itself."""
        given = [
            self.task.spec,
            source.ref,
            source.tree,
            self.sources.objects_digest(self.task.namespace),
            self.store.deployment,
        ]
        return hashlib.sha256(json.dumps(given, sort_keys=True, default=str).encode()).hexdigest()

    def _is_known(self) -> bool:
        """Return whether inputs and revisions are unchanged since the last sync."""
        return (
            self.old is not None
            and self.old.inputs == self.new.inputs
            and self.old.package == self.package
            and self.old.fleet == self.new.fleet
            and self.old.owner == self.new.owner
            and self.old.refs == digest_of_refs(self.store.revision_refs(self.package))
            and not (self.store.adopt.keys() & self.store.revision_refs(self.package)) - {*self.old.owned}
            and all(self.store.refs.get(ref) is not None for ref in self.old.owned)
            and not (self.prune and self._other_refs())
            and not (self.on_conflict and any(map(self.old.has_conflicts, self.old.owned)))
        )

    def _wants_approval(self) -> bool:
        waiting = {"never": (), "ready": ("drafts",), "auto": ("drafts", "proposed")}[self.approve]
        refs = [ref for ref in self.old.owned if not self.old.has_conflicts(ref)] if self.old else []
        return any(ref.startswith(f"refs/heads/{kind}/") for ref in refs for kind in waiting)

    def _downstream(self) -> lifecycle.Downstream:
        """Return the revisions to work on, and delete or orphan revisions that the variant lost."""
        packages = {self.package, *map(self.store.package_of, self.new.owned)} - {""}
        kept = []
        for package in sorted(packages):
            for revision in revisions_of(self.new, self.store, package, self.taken):
                ref = revision["metadata"]["ref"]
                if package != self.package and not self.prune:
                    continue
                if ref in self.new.owned:
                    revision["metadata"]["ownerReferences"] = [{"uid": self.outcome.name}]
                elif ref in self.taken:
                    continue
                kept.append(revision)
        self.overtaken = overtaken(self.store, self.new, self.old.owned if self.old else (), kept)
        kept = [one for one in kept if one["metadata"]["ref"] not in self.overtaken]
        return lifecycle.downstream_revisions(self.variant, kept)

    def _other_refs(self) -> list[str]:
        """Return the variant's refs in earlier packages."""
        return [
            ref
            for ref in self.new.owned
            if self.store.package_of(ref) not in ("", self.package) and self.store.refs.get(ref) is not None
        ]

    def _leave_packages(self) -> None:
        """Report the variant's refs in earlier packages as leftovers."""
        if not self.prune:
            self.outcome.leftovers = [short_ref(ref) for ref in self._other_refs()]
            self.outcome.leftover = f"its package is {self.package} now" if self.outcome.leftovers else ""

    def _clone(self, variant: VariantInput) -> Clone:
        return Clone(variant, self.source.blueprint(), self.source.others(), self.source.size())

    def _job(self, variant: VariantInput, revision: dict[str, Any]) -> _Job:
        source, ref = self.source, revision["metadata"]["ref"]
        tree = self._tree(revision)
        commit, memory = revision["metadata"]["commit"], self.new.memories.get(ref)
        if memory is not None:
            memory = followed(self.store, memory, commit, tree)
        edited = memory is None or memory.edited or memory.commit != commit
        upstream_moved = self.old is None or self.old.upstream != self.new.upstream
        if memory is not None and memory.output == tree and not memory.input:
            return _Job(revision, tree, memory, edited, upstream_moved, self._clone(variant))
        below = published_below(self.store, self.new.memories, memory, commit)
        start, left = (
            (self._tree(below), self.new.memories[below["metadata"]["ref"]]) if below else (tree, memory)
        )
        files = read_files(self.store.objects, start)
        last, kept = None, ""
        if left is not None:
            output = read_files(self.store.objects, left.output) if left.output != start else None
            # After a killed sync and a person's commit, the memory may be of a version that the draft never
            # got.
            if output is None or lock_of(output) == lock_of(files):
                given = read_files(self.store.objects, left.input) if left.input else None
                last, kept = Rendered(output, given), left.base
        base, locked = self.sources.base_of(files, self.store, kept)
        if not locked:
            # As in Porch, a package without a lock is up to date: it follows no upstream.
            what = f"{source.store.name}/{source.package} is merged into it"
            self.outcome.warnings.append(f"{short_ref(ref)} has no upstreamLock, so no version of {what}")
            alone = Update(replace(variant, origin=None), files, None, files, Rendered(None, files))
            return _Job(revision, tree, memory, edited, False, alone)
        moved = locked != source.commit
        update = Update(variant, files, base if moved else None, source.files(), last, self.on_conflict)
        moved = upstream_moved if below is not None else moved
        return _Job(revision, tree, memory, edited, moved, update, again=below is not None)

    def _carry_out(self, step: lifecycle.StoreStep) -> None:
        ref = step.revision["metadata"]["ref"]
        if step.verb == "delete":
            self.drafts.drop(ref)
            self.outcome.actions.append(f"deleted {short_ref(ref)}")
        elif lifecycle.is_owned(self.variant, step.revision) and ref not in self.new.owned:
            self.new.owned.append(ref)
            self.outcome.actions.append(f"adopted {short_ref(ref)}")
        elif not lifecycle.is_owned(self.variant, step.revision):
            self.new.owned = [one for one in self.new.owned if one != ref]
            self.outcome.actions.append(f"orphaned {short_ref(ref)}")
        else:
            propose_deletion(self.store, step.revision)
            self.outcome.actions.append(f"proposed to delete {short_ref(ref)}")

    # Writing the new state

    def _cloned(self, built: Built) -> None:
        there = self.store.revisions(self.package)
        workspace = lifecycle.new_workspace_name(self.package, self.store.name, there)
        self._tell(built)
        output = write_files(self.store.pack, built.files)
        memory = RevisionMemory("", workspace, output, base=self.source.kept_in(self.store))
        words = f"Clone {self.source.label} for {self.outcome.name}", "cloned"
        self.drafts.put(built, memory, [], self.source, words, self.task.spec)

    def _follow(self, job: _Job, built: Built) -> None:
        """Commit an update to its draft, or open a new draft of a published revision."""
        revision, memory = job.revision, job.memory
        commit, published = revision["metadata"]["commit"], lifecycle.is_published(revision)
        ref, workspace = revision["metadata"]["ref"], revision["spec"]["workspaceName"]
        conflicts = [said(one) for one in built.conflicts]
        if conflicts and not published and job.edited:
            self.outcome.conflicts += map(without_outcome, conflicts)
            self.outcome.stuck = True
            return
        if memory is not None and memory.commit == commit and not job.again:
            # No person has reviewed these yet.
            conflicts = [*memory.conflicts, *(one for one in conflicts if one not in memory.conflicts)]
        self.outcome.conflicts += [*conflicts, *(said(one) for one in built.settled)]
        self._tell(built)
        tree = write_files(self.store.pack, built.files)
        if tree != job.tree and isinstance(job.build, Update) and says_the_same(job.build.files, built.files):
            alike = write_files(self.store.pack, {**built.files, "Kptfile": job.build.files["Kptfile"]})
            tree = job.tree if alike == job.tree else tree
        given = write_files(self.store.pack, built.input) if built.input is not None else ""
        new = RevisionMemory(commit, workspace, tree, given, job.edited and not published, conflicts)
        new.base = self.source.kept_in(self.store)
        if tree == job.tree:
            self.new.memories[ref] = new
            if not published:
                self.drafts.approve(built, new, commit, ref)
            return
        if memory is not None:
            new.before = [memory.commit, memory.output, memory.input, memory.base]
        title = (
            f"Update {self.package} to {self.source.label}"
            if job.moved
            else f"Change {self.package} as its inputs did"
        )
        if published:
            revisions = self.store.revisions(self.package)
            new.workspace = lifecycle.new_workspace_name(self.package, self.store.name, revisions)
        elif revision["spec"]["lifecycle"] == lifecycle.PROPOSED:
            # The reviewers of the proposal have not seen this.
            self.drafts.drop(ref)
        words = f"{title} for {self.outcome.name}", "updated" if job.moved else "changed"
        self.drafts.put(built, new, [commit], self.source, words, self.task.spec)

    def _tell(self, built: Built) -> None:
        """Collect the messages of a build; a variant may have several drafts."""
        # Gates apply to packages that are deployed.
        for text in built.gates if self.store.deployment else ():
            if text not in self.outcome.gates:
                self.outcome.gates.append(text)
        for text in built.warnings:
            if text not in self.outcome.warnings:
                self.outcome.warnings.append(text)

    def _tree(self, revision: dict[str, Any]) -> str:
        _, commit = self.store.objects.commit(revision["metadata"]["commit"])
        tree = self.store.objects.folder(commit.tree, self.store.folder(self.package))
        if tree is None:
            raise Refused(
                f"{short_ref(revision['metadata']['ref'])} has no folder {self.store.folder(self.package)}"
            )
        return tree

    def _told(self) -> SyncOutcome:
        self.outcome.targets = [short_ref(ref) for ref in self.new.owned]
        self.outcome.draft = next(
            (short_ref(ref) for ref in self.new.owned if ref.startswith("refs/heads/")), ""
        )
        self.outcome.labels, self.outcome.annotations = self.new.labels, self.new.annotations
        waiting = [] if self.outcome.stuck else self.new.memories.items()
        for ref, memory in waiting:
            if ref.startswith("refs/heads/") and memory.conflicts:
                self.outcome.waiting = True
                self.outcome.conflicts += [
                    one for one in memory.conflicts if one not in self.outcome.conflicts
                ]
        return self.outcome
