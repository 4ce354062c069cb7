"""Sync a fleet: variants of sets, removed variants, main branches; one transaction per repository."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from krmkit.fleet.build import Build, Built, Clone, Update
from krmkit.fleet.collisions import Collisions
from krmkit.fleet.engine.jobs import Engine
from krmkit.fleet.plan import FleetPlan, Task
from krmkit.fleet.shard import Shard
from krmkit.fleet.sync.drafts import propose_deletion, rendered, revisions_of
from krmkit.fleet.sync.mainline import MainBranch
from krmkit.fleet.sync.outcome import SyncOutcome
from krmkit.fleet.sync.revisions import SyncSources
from krmkit.fleet.sync.state import PREFIX, VariantState, read_states, state_ref
from krmkit.fleet.sync.store import Store
from krmkit.fleet.sync.variant import VariantSync
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.yaml.errors import YamlError
from krmkit.storage.git.program import GitError
from krmkit.storage.git.refnames import check_ref
from krmkit.systems.porch.variants import lifecycle
from krmkit.systems.porch.variants.validation import validate_variant

_OID = re.compile("[0-9a-f]{40}")


@dataclass(slots=True)
class _Work:
    """One variant in progress: its jobs, the built packages, and its error."""

    outcome: SyncOutcome
    sync: VariantSync | None = None
    inputs: list[Clone | Update] = field(default_factory=list)
    built: list[Built] = field(default_factory=list)
    missing: int = 0


@dataclass(slots=True)
class Sync:
    """Compute a sync in memory; `store` then writes it.

    `engine` builds the packages by `build`. `on_conflict`: as in Update. `dry`: only compute the changes;
    write nothing.
    """

    plan: FleetPlan
    sources: SyncSources
    build: Build
    approve: str
    author: str
    prune: bool
    shard: Shard
    dry: bool = False
    on_conflict: str = ""
    main_behind: bool = False
    outcomes: list[SyncOutcome] = field(default_factory=list)
    removed: list[SyncOutcome] = field(default_factory=list)
    states: dict[str, dict[str, VariantState]] = field(default_factory=dict)
    _wanted: set[tuple[str, str]] = field(default_factory=set)
    _packages: dict[str, dict[str, list[tuple[str, VariantState]]]] = field(default_factory=dict)
    _undo: dict[str, dict[str, str | None]] = field(default_factory=dict)
    _owned_now: dict[str, set[str]] = field(default_factory=dict)
    _objects: dict[str, list[str]] = field(default_factory=dict)

    def run(self, engine: Engine, progress: Callable[[int, int], None]) -> None:
        """Bring every variant up to date in memory; failed variants keep their refs. Raises Refused."""
        self.states = {name: read_states(store) for name, store in self.sources.stores.items()}
        self._wanted = {
            (str((task.spec.get("downstream") or {}).get("repo") or ""), state_ref(task.namespace, task.name))
            for task in self.plan.tasks
        }
        tasks = [one for one in _with_twins(self.plan.tasks) if self.shard.takes(_name(one[0]))]
        begun: deque[_Work] = deque()

        def settle() -> None:
            while begun and not begun[0].missing:
                self.outcomes.append(self._finish(begun.popleft()))
                progress(len(self.outcomes), len(tasks))

        def inputs() -> Iterator[Clone | Update]:
            for task, problem in tasks:
                work = self._prepare(task, problem)
                begun.append(work)
                settle()
                yield from work.inputs

        for built, problem in engine.map(self.build, inputs()):
            work = begun[0]
            work.missing -= 1
            if problem:
                work.outcome.error = work.outcome.error or problem
            else:
                work.built.append(built)
            settle()
        for store in self.sources.stores.values():
            if store.refs.changes and not self.dry:
                self._write_objects(store)
        self._remove_stale()
        self._find_collisions()
        if self.shard.whole:
            for store in self.sources.stores.values():
                packages = {state.package for state in self.states[store.name].values()}
                packages |= {store.package_of(ref) for ref in self._owned_now.get(store.name, ())}
                main = MainBranch(store, packages, self.author, self.dry)
                main.update()
                self.main_behind = self.main_behind or main.behind
                told = {one.package for one in self.outcomes if one.error}
                self.outcomes += [one for one in main.outcomes if one.package not in told]

    def _prepare(self, task: Task, problem: str) -> _Work:
        """Read a variant's inputs. `problem`: a conflict with another variant's name or package, or ""."""
        downstream = task.spec.get("downstream") or {}
        repo, package = str(downstream.get("repo") or ""), str(downstream.get("package") or "")
        work = _Work(SyncOutcome(_name(task), f"{repo}/{package}"))
        try:
            errors = validate_variant(task.spec)
            if errors:
                raise Refused("; ".join(errors))
            if problem:
                raise Refused(problem)
            store = self.sources.downstream(repo)
            check_ref(_name(task))
            check_ref(store.folder(package))
            own = state_ref(task.namespace, task.name)
            state = self.states[store.name].get(own)
            taken = self._taken(store, own, package, task, state)
            common = self.approve, self.author, self.prune
            work.sync = VariantSync(task, self.sources, store, state, *common, taken, self.on_conflict)
            work.outcome = work.sync.outcome
            work.inputs = work.sync.prepare()
            work.missing = len(work.inputs)
        except (Refused, GitError, YamlError) as error:
            work.outcome.error = self.plan.located(task, error)
        return work

    def _finish(self, work: _Work) -> SyncOutcome:
        """Change the refs of a variant after its packages were built without an error."""
        if work.outcome.error or work.sync is None:
            return work.outcome
        try:
            work.sync.store.pack.label = work.outcome.name
            with work.sync.store.refs.attempt() as undo:
                outcome = work.sync.finish(work.built)
                if self.dry:
                    outcome.rendered = rendered(work.sync.store, work.sync.new.owned)
                self._undo[work.outcome.name] = undo
            self._owned_now.setdefault(work.sync.store.name, set()).update(work.sync.new.owned)
            self._objects[work.outcome.package] = work.sync.new.objects
            return outcome
        except (Refused, GitError) as error:
            work.outcome.error = str(error)
        return work.outcome

    def _is_ours(self, state: VariantState) -> bool:
        """Return whether the given files define the state's fleet completely."""
        return state.fleet in self.plan.fleets

    def _taken(
        self, store: Store, own: str, package: str, task: Task, state: VariantState | None
    ) -> dict[str, str]:
        """Return the refs of a package's revisions that other variants own, with the variants' names.

        Raises Refused if the variant, or its package, belongs to a fleet that is not among the given files.
        """
        if state is not None and not self._is_ours(state):
            raise Refused(
                f"the variant {_name(task)} is of the fleet {state.fleet}, and {task.fleet} has one of that name;"
                f" names must be unique in a repository (--fleet {state.fleet} goes on with a fleet whose file was moved)"
            )
        owners: dict[str, str] = {}
        for ref, other in self._by_package(store).get(package, ()):
            if ref == own:
                continue
            name = ref.removeprefix(PREFIX)
            if not self._is_ours(other):
                raise Refused(f"{store.name}/{package} is the package of {name} of the fleet {other.fleet}")
            if (store.name, ref) in self._wanted:
                owners.update(dict.fromkeys(other.owned, name))
        return owners

    def _by_package(self, store: Store) -> dict[str, list[tuple[str, VariantState]]]:
        """Return the states by the packages in which they own revisions."""
        known = self._packages.get(store.name)
        if known is None:
            known = self._packages[store.name] = {}
            for ref, state in self.states[store.name].items():
                for package in {store.package_of(one) for one in state.owned if one in store.seen}:
                    known.setdefault(package, []).append((ref, state))
        return known

    def _write_objects(self, store: Store) -> None:
        """Write the git objects of the variants' packages, before any ref points to them.

        Git refuses some, such as a file called `git~1`: that variant fails, and the others go on. Raises
        GitError.
        """
        while True:
            try:
                store.pack.store(store.repository)
                return
            except GitError as error:
                named = map(store.pack.owners, _OID.findall(str(error)))
                bad = set[str]().union(*named) & self._undo.keys()
                if not bad:
                    raise
                for name in bad:
                    store.pack.give_up(name)
                    store.refs.take_back(self._undo.pop(name))
                    outcome = next(one for one in self.outcomes if one.name == name)
                    outcome.actions.clear()
                    outcome.error = f"git does not take the package: {error}"

    def _remove_stale(self) -> None:
        """Delete or orphan the refs of removed variants; without `prune` only report them."""
        for name, states in self.states.items():
            store = self.sources.stores[name]
            for ref, state in states.items():
                variant = ref.removeprefix(PREFIX)
                if (name, ref) in self._wanted or not self._is_ours(state) or not self.shard.takes(variant):
                    continue
                outcome = SyncOutcome(variant, f"{name}/{state.package}")
                self._follow_people(store, state)
                if self.prune:
                    self._prune(store, ref, state, outcome)
                else:
                    there = [one for one in state.owned if store.refs.get(one) is not None]
                    outcome.leftovers = [one.split("/", 2)[2] for one in there]
                    outcome.leftover = self._why_stale(ref)
                self.removed.append(outcome)

    def _find_collisions(self) -> None:
        """Report to variants the objects that another package, of any fleet, makes for the same cluster."""
        collisions = Collisions(self.sources.objects)
        for name, states in self.states.items():
            for ref, state in states.items():
                package = f"{name}/{state.package}"
                known = (name, ref) in self._wanted or not self._is_ours(state)
                if known and package not in self._objects:
                    namespace = ref.removeprefix(PREFIX).partition("/")[0]
                    collisions.add(package, name, namespace, state.objects)
        for task in self.plan.tasks:
            downstream = task.spec.get("downstream") or {}
            package = f"{downstream.get('repo')}/{downstream.get('package')}"
            collisions.add(
                package, str(downstream.get("repo")), task.namespace, self._objects.pop(package, ())
            )
        outcomes = {one.package: one for one in self.outcomes}
        for text, packages in collisions.found().items():
            for package in packages:
                if package in outcomes:
                    outcomes[package].collisions.append(text)

    def _why_stale(self, ref: str) -> str:
        """Return why a variant's state in a repository is no longer needed."""
        elsewhere = sorted(store for store, wanted in self._wanted if wanted == ref)
        if elsewhere:
            return f"its package is in the repository {', '.join(elsewhere)} now"
        return f"no longer in {listed(self.plan.files, 3)}"

    def _follow_people(self, store: Store, state: VariantState) -> None:
        """Give a removed variant the unowned refs that people made of its drafts."""
        taken = self._owned_now.get(store.name, set())
        for package in {store.package_of(one) for one in state.owned}:
            revisions_of(state, store, package, taken)
        state.owned = [one for one in state.owned if one not in taken]

    def _prune(self, store: Store, ref: str, state: VariantState, outcome: SyncOutcome) -> None:
        """Remove the refs that a variant owns; if git fails, they stay."""
        try:
            with store.refs.attempt():
                self._remove(store, ref, state, outcome)
        except GitError as error:
            outcome.actions.clear()
            outcome.error = str(error)

    def _remove(self, store: Store, ref: str, state: VariantState, outcome: SyncOutcome) -> None:
        owner: dict[str, Any] = {"metadata": {"uid": outcome.name}, "spec": {"deletionPolicy": state.policy}}
        packages = sorted({store.package_of(one) for one in state.owned})
        for revision in [one for package in packages for one in store.revisions(package)]:
            place = revision["metadata"]["ref"]
            if place not in state.owned:
                continue
            shown = place.split("/", 2)[2]
            if state.policy == "orphan":
                outcome.actions.append(f"orphaned {shown}")
                continue
            for step in lifecycle.delete_or_orphan(owner, revision):
                if step.verb == "delete":
                    store.refs.delete(place)
                    outcome.actions.append(f"deleted {shown}")
                else:
                    propose_deletion(store, revision)
                    outcome.actions.append(f"proposed to delete {shown}")
        store.refs.delete(ref)

    def changed(self) -> bool:
        """Return whether any ref would change."""
        return self.main_behind or any(store.refs.changes for store in self.sources.stores.values())

    def store(self, remotes: dict[str, str]) -> None:
        """Write objects, then refs, of each repository; push those with a remote first. Raises GitError."""
        for name, store in self.sources.stores.items():
            if not store.refs.changes:
                continue
            store.pack.store(store.repository)
            if name in remotes:
                store.refs.push(remotes[name])
            store.refs.commit()


def _with_twins(tasks: list[Task]) -> Iterator[tuple[Task, str]]:
    """Yield each task with its conflict with an earlier one, in name or package, or "".

    Two variants of one name would delete each other's drafts at every sync.
    """
    names: set[str] = set()
    packages: dict[tuple[str, str], str] = {}
    for task in tasks:
        name, downstream = _name(task), task.spec.get("downstream") or {}
        target = (str(downstream.get("repo") or ""), str(downstream.get("package") or ""))
        if name in names:
            yield task, f"there is another variant {name} among the sets; names must be unique"
        elif target in packages:
            yield task, f"{'/'.join(target)} is already the package of {packages[target]}"
        else:
            yield task, ""
            packages[target] = task.name
        names.add(name)


def _name(task: Task) -> str:
    return f"{task.namespace or 'default'}/{task.name}"
