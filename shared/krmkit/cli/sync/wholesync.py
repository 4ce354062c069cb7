"""A whole sync: every variant of the sets, those that are gone, the main branches, and one transaction a repository."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from krmkit.cli.fleetplan import FleetPlan, Task
from krmkit.cli.git.program import GitError
from krmkit.cli.git.refs import OWN, check_ref
from krmkit.cli.git.treeupdate import replace_folders
from krmkit.cli.sync.revisions import SyncSources
from krmkit.cli.sync.store import MAIN, TAGS, Store
from krmkit.cli.sync.syncstate import PREFIX, VariantState, read_states, state_ref
from krmkit.cli.sync.syncvariant import SyncOutcome, VariantSync, propose_deletion
from krmkit.cli.work.build import Build, Built, Clone, Update
from krmkit.cli.work.shard import Shard
from krmkit.cli.work.workengine import Engine
from krmkit.krm.errors import ListError
from krmkit.porch import lifecycle
from krmkit.porch.variant import validate_variant
from krmkit.render.variantpackages import VariantError
from krmkit.yaml.errors import YamlError

# What the main branch has of each package: {package: "v3"}.
MAIN_STATE = f"{OWN}/main"


@dataclass(slots=True)
class _Work:
    """One variant on its way: what is to be built for it, what was built, and what went wrong."""

    outcome: SyncOutcome
    sync: VariantSync | None = None
    inputs: list[Clone] | list[Update] = field(default_factory=list)
    built: list[Built] = field(default_factory=list)
    missing: int = 0


@dataclass(slots=True)
class Sync:
    """Carries out a sync in memory; `store` then makes it last. `engine` builds the packages by `build`.

    `dry`: only find out what would be done; nothing reaches a repository.
    """

    plan: FleetPlan
    sources: SyncSources
    build: Build
    approve: str
    author: str
    prune: bool
    shard: Shard
    dry: bool = False
    main_behind: bool = False
    outcomes: list[SyncOutcome] = field(default_factory=list)
    removed: list[SyncOutcome] = field(default_factory=list)
    states: dict[str, dict[str, VariantState]] = field(default_factory=dict)

    def run(self, engine: Engine, progress: Callable[[int, int], None]) -> None:
        """Bring every variant up to date in memory; a variant that fails leaves its refs as they were. Raises EngineError."""
        self.states = {name: read_states(store) for name, store in self.sources.stores.items()}
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
        self._remove_stale()
        if self.shard.whole:
            for store in self.sources.stores.values():
                self._update_main(store)

    def _prepare(self, task: Task, problem: str) -> _Work:
        """Read what a variant needs. `problem` says what another variant has already, "" where there is none."""
        downstream = task.spec.get("downstream") or {}
        repo, package = str(downstream.get("repo") or ""), str(downstream.get("package") or "")
        work = _Work(SyncOutcome(_name(task), f"{repo}/{package}"))
        try:
            errors = validate_variant(task.spec)
            if errors:
                raise VariantError("; ".join(errors))
            if problem:
                raise VariantError(problem)
            store = self.sources.stores.get(repo)
            if store is None:
                raise VariantError(
                    f"the downstream's repository {repo} is not known; --repo {repo}=URL-OR-PATH names it"
                )
            check_ref(_name(task))
            check_ref(store.folder(package))
            state = self.states[store.name].get(state_ref(task.namespace, task.name))
            work.sync = VariantSync(task, self.sources, store, state, self.approve, self.author)
            work.outcome = work.sync.outcome
            work.inputs = work.sync.prepare()
            work.missing = len(work.inputs)
        except (VariantError, GitError, ListError, YamlError) as error:
            work.outcome.error = str(error)
        return work

    def _finish(self, work: _Work) -> SyncOutcome:
        """Change the refs of a variant whose packages were built, unless something went wrong."""
        if work.outcome.error or work.sync is None:
            return work.outcome
        try:
            with work.sync.store.refs.attempt():
                return work.sync.finish(work.built)
        except (VariantError, GitError) as error:
            work.outcome.error = str(error)
        return work.outcome

    def _remove_stale(self) -> None:
        """Delete or orphan what variants of these sets own that no set generates any more; without `prune` only say so."""
        wanted = {state_ref(task.namespace, task.name) for task in self.plan.tasks}
        for name, states in self.states.items():
            store = self.sources.stores[name]
            for ref, state in states.items():
                variant = ref.removeprefix(PREFIX)
                if ref in wanted or state.owner not in self.plan.owners or not self.shard.takes(variant):
                    continue
                outcome = SyncOutcome(variant, f"{name}/{state.package}")
                if self.prune:
                    self._prune(store, ref, state, outcome)
                else:
                    outcome.actions.append("no set generates it any more; --prune removes what it owns")
                self.removed.append(outcome)

    def _prune(self, store: Store, ref: str, state: VariantState, outcome: SyncOutcome) -> None:
        """Remove what a variant owns; where git cannot, its refs stay as they were."""
        try:
            with store.refs.attempt():
                self._remove(store, ref, state, outcome)
        except GitError as error:
            outcome.actions.clear()
            outcome.error = str(error)

    def _remove(self, store: Store, ref: str, state: VariantState, outcome: SyncOutcome) -> None:
        owner: dict[str, Any] = {"metadata": {"uid": outcome.name}, "spec": {"deletionPolicy": state.policy}}
        for revision in store.revisions(state.package):
            place = revision["metadata"]["ref"]
            if place not in state.owned:
                continue
            if state.policy == "orphan":
                outcome.actions.append(f"orphaned {place.partition('/')[2].partition('/')[2]}")
                continue
            for step in lifecycle.delete_or_orphan(owner, revision):
                if step.verb == "delete":
                    store.refs.delete(place)
                    outcome.actions.append(f"deleted {place.partition('/')[2].partition('/')[2]}")
                else:
                    propose_deletion(store, revision)
                    outcome.actions.append(f"proposed to delete {place.partition('/')[2].partition('/')[2]}")
        store.refs.delete(ref)

    def _update_main(self, store: Store) -> None:
        """Put the newest published revision of each package into the main branch, in one commit."""
        known = _main_state(store)
        made = _published_now(store)
        newest: dict[str, int] = {}
        for package in sorted({state.package for state in self.states[store.name].values()} | made.keys()):
            number = max([*store.versions(package), made.get(package, 0)], default=0)
            if number and known.get(package) != f"v{number}":
                newest[package] = number
        if not newest:
            return
        self.main_behind = True
        if self.dry:
            return
        try:
            with store.refs.attempt():
                self._commit_main(store, known, newest)
        except GitError as error:
            failed = SyncOutcome("-", store.name)
            failed.error = f"main keeps what it has: {error}"
            self.outcomes.append(failed)

    def _commit_main(self, store: Store, known: dict[str, str], newest: dict[str, int]) -> None:
        # The published trees may be in the pack that is not stored yet, so it is stored first; no ref names it so far.
        store.pack.store(store.repository)
        store.objects.reopen()
        folders: dict[str, str | None] = {}
        parents = [store.refs.get(MAIN)] if store.refs.get(MAIN) else []
        times = [store.objects.commit(parent)[1].time for parent in parents if parent]
        for package, number in list(newest.items()):
            ref = store.ref(lifecycle.PUBLISHED, package, f"v{number}")
            tag = store.refs.get(ref)
            assert tag is not None
            place = store.folder(package)
            try:
                _, commit = store.objects.commit(tag)
                folder = store.objects.folder(commit.tree, place)
                problem = "" if folder else f"{ref} must hold the folder {place}/, and has none"
            except GitError as error:
                problem = f"{ref} must name a commit: {error}"
            if problem:
                failed = SyncOutcome("-", f"{store.name}/{package}")
                failed.error = f"main keeps what it has: {problem}"
                if not any(one.error and one.package == failed.package for one in self.outcomes):
                    self.outcomes.append(failed)
                del newest[package]
                continue
            folders[place] = folder
            times.append(commit.time)
        if not newest:
            return
        root = store.objects.commit(parents[0])[1].tree if parents and parents[0] else None
        tree = replace_folders(store.objects, store.pack, root, folders)
        assert tree is not None
        names = [f"{package} v{number}" for package, number in newest.items()]
        title = f"Publish {names[0]}" if len(names) == 1 else f"Publish {len(names)} packages"
        message = title + "\n\n" + "".join(f"{name}\n" for name in names)
        commit_oid = store.pack.commit(
            tree, [one for one in parents if one], f"{self.author} {max(times)} +0000", message
        )
        store.refs.set(MAIN, commit_oid)
        state = {**known, **{package: f"v{number}" for package, number in newest.items()}}
        store.refs.set(MAIN_STATE, store.pack.blob((json.dumps(state, sort_keys=True) + "\n").encode()))

    def changed(self) -> bool:
        """Whether any ref would change."""
        return self.main_behind or any(store.refs.changes for store in self.sources.stores.values())

    def store(self, remotes: dict[str, str]) -> None:
        """Write objects, then refs, repository by repository; those with a remote are pushed first. Raises GitError."""
        for name, store in self.sources.stores.items():
            if not store.refs.changes:
                continue
            store.pack.store(store.repository)
            if name in remotes:
                store.refs.push(remotes[name])
            store.refs.commit()


def _with_twins(tasks: list[Task]) -> Iterator[tuple[Task, str]]:
    """Yield each task with what an earlier one has already, its name or its package; "" where there is none.

    Two of one name would delete each other's drafts at every sync.
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


def _published_now(store: Store) -> dict[str, int]:
    """The highest number that this sync publishes, by package."""
    found: dict[str, int] = {}
    for ref in store.refs.changes:
        package, _, last = ref.removeprefix(TAGS).rpartition("/")
        if ref.startswith(TAGS) and last.startswith("v") and last[1:].isdecimal():
            package = package.removeprefix(f"{store.directory}/") if store.directory else package
            found[package] = max(found.get(package, 0), int(last[1:]))
    return found


def _main_state(store: Store) -> dict[str, str]:
    oid = store.seen.get(MAIN_STATE)
    if oid is None:
        return {}
    try:
        data = json.loads(store.objects.blob(oid))
    except (GitError, ValueError, RecursionError):
        return {}  # every package is looked at again
    return {str(key): str(value) for key, value in data.items()} if isinstance(data, dict) else {}
