"""Git repositories in memory, so that a test can run a sync thousands of times; what is built, merged and remembered is real."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from krmkit.fleet.build import Build
from krmkit.fleet.engine.jobs import Serial
from krmkit.fleet.objects import FleetObjects
from krmkit.fleet.plan import plan_variants
from krmkit.fleet.shard import Shard
from krmkit.fleet.sync.outcome import SyncOutcome
from krmkit.fleet.sync.revisions import SyncSources
from krmkit.fleet.sync.store import Store
from krmkit.fleet.sync.whole import Sync
from krmkit.kpt.source import SourceFile
from krmkit.storage.git.objects import LINK, Objects, TreeEntry
from krmkit.storage.git.packfile import PackFile
from krmkit.storage.git.program import GitRepository
from krmkit.storage.git.refjournal import still_to_do
from krmkit.storage.git.refnames import NOTHING
from krmkit.storage.git.refs import RefChanges
from krmkit.storage.git.treeupdate import File, read_files, replace_folders, write_files

PERSON = "p <p@example.com> 1 +0000"


class MemoryPack(PackFile):
    """Keeps every object as it is."""

    def _add(self, kind: str, content: bytes) -> str:
        oid = super()._add(kind, content)
        self.unsaved[oid] = (kind, content)
        self._entries.clear()
        return oid


class MemoryObjects(Objects):
    """Reads the objects of a MemoryRepository."""

    def __init__(self, repository: MemoryRepository) -> None:
        self.repository = repository
        self._unsaved = repository.pack.unsaved

    def close(self) -> None:
        pass

    def read(self, name: str) -> tuple[str, str, bytes] | None:
        oid, _, path = name.removesuffix("^{commit}").partition(":")
        if path:
            if self._unsaved.get(oid, ("",))[0] != "tree":
                return None
            folder, _, name = path.rpartition("/")
            tree = self.folder(oid, folder) if folder else oid
            oid = (
                next((entry.oid for entry in self.tree(tree or "") if entry.name == name), "") if tree else ""
            )
        found = self._unsaved.get(oid)
        return (oid, *found) if found is not None else None


class MemoryRepository(GitRepository):
    """Objects, and refs that name them."""

    def __init__(self) -> None:
        super().__init__(Path("memory"))
        self.pack = MemoryPack()
        self.refs: dict[str, str] = {}
        self.journal: dict[str, tuple[str, str]] = {}

    def apply(self, changes: Mapping[str, tuple[str, str]]) -> None:
        """Bring refs to their new values."""
        for ref, (_, oid) in changes.items():
            self.refs.pop(ref, None)
            if oid != NOTHING:
                self.refs[ref] = oid

    def complete(self, chosen: Callable[[int], bool] = lambda _: True) -> None:
        """Complete a killed sync, as the next lock does; with only the chosen changes, this is killed as well."""
        rest = still_to_do(self.journal, self.refs)
        some = {ref: pair for number, (ref, pair) in enumerate(rest.items()) if chosen(number)}
        self.apply(some)
        if some == rest:
            self.journal = {}

    @property
    def objects(self) -> MemoryObjects:
        return MemoryObjects(self)

    def files(self, ref: str, folder: str) -> dict[str, str]:
        """The files of a folder in what a ref names; bytes that are no text stay, as surrogates."""
        found = self._files(ref, folder).items()
        return {path: file.content.decode("utf-8", "surrogateescape") for path, file in found}

    def executable(self, ref: str, folder: str) -> set[str]:
        """The paths of its executable files."""
        return {path for path, file in self._files(ref, folder).items() if file.executable}

    def _files(self, ref: str, folder: str) -> dict[str, File]:
        objects = self.objects
        tree = objects.folder(objects.commit(self.refs[ref])[1].tree, folder)
        assert tree is not None
        return read_files(objects, tree)

    def commit(
        self,
        ref: str,
        folder: str,
        files: dict[str, str],
        message: str = "by hand\n",
        amend: bool = False,
        executable: Iterable[str] = (),
        link: str = "",
    ) -> str:
        """A person's commit on a branch, or the first one: the folder holds these files, all others stay.

        `amend`: in place of the last one, whose message it keeps. `link`: a symbolic link to the Kptfile.
        """
        objects = self.objects
        head = self.refs.get(ref)
        root = objects.commit(head)[1].tree if head is not None else None
        contents = {path: text.encode("utf-8", "surrogateescape") for path, text in files.items()}
        modes = {path: File(content, path in {*executable}) for path, content in contents.items()}
        tree = write_files(self.pack, modes)
        if link:
            target = TreeEntry(LINK, link, self.pack.blob(b"Kptfile"))
            tree = self.pack.tree([*objects.tree(tree), target])
        tree = replace_folders(objects, self.pack, root, {folder: tree}) or ""
        parents = [head] if head is not None else []
        if amend and head is not None:
            last = objects.commit(head)[1]
            parents, message = [*last.parents], last.message
        self.refs[ref] = self.pack.commit(tree, parents, PERSON, message)
        return self.refs[ref]


class MemoryStore(Store):
    """A store of a MemoryRepository."""

    def __init__(self, name: str, repository: MemoryRepository, deployment: bool = True) -> None:
        self.name = name
        self.repository = repository
        self.deployment = deployment
        self.directory = ""
        self.adopt = {}
        self._named = {}
        self.pack = repository.pack
        self.objects = repository.objects
        self.seen = dict(repository.refs)
        self.refs = RefChanges(self.repository, self.seen)
        self.refs._checked_out = {}


@dataclass
class Fleet:
    """Repositories by name, and what syncs are run with. `functions` are folders of functions."""

    repositories: dict[str, MemoryRepository]
    functions: tuple[str, ...] = ()
    objects: str = ""
    _build: dict[str, Build] = field(default_factory=dict)

    def sync(self, files: dict[str, str], killed: Callable[[int], bool] | None = None, **given: Any) -> Sync:
        """Sync the variants of these files, by fleet name.

        `killed`: git stops after the changes whose numbers it chooses, and the journal holds the rest.
        """
        for repository in self.repositories.values():
            repository.complete()
        objects = [*SourceFile("objects", self.objects, "", "objects").items]
        stores: dict[str, Store] = {
            name: MemoryStore(name, repository) for name, repository in self.repositories.items()
        }
        for store in stores.values():
            store.adopt = given.get("adopt", {})
        given.pop("adopt", None)
        sync = plan(files, objects, stores, self.build(), **given)
        sync.run(Serial(), lambda *_: None)
        for name, store in stores.items():
            if not sync.dry:
                repository = self.repositories[name]
                repository.journal = {
                    ref: (repository.refs.get(ref, NOTHING), store.refs.get(ref) or NOTHING)
                    for ref in store.refs.changes
                }
                repository.complete(killed or (lambda _: True))
        return sync

    def build(self) -> Build:
        if self.objects not in self._build:
            known = [*SourceFile("objects", self.objects, "", "objects").items]
            self._build[self.objects] = Build(known, self.functions)
        return self._build[self.objects]


def plan(
    files: dict[str, str], objects: list[Any], stores: dict[str, Store], build: Build, **given: Any
) -> Sync:
    """A sync of these files, by fleet name."""
    from krmkit.fleet.plan import FleetPlan

    whole = FleetPlan()
    prune = given.pop("prune", False)
    for fleet, text in files.items():
        one = plan_variants([*SourceFile(fleet, text, "", fleet).items], objects, fleet, prune)
        for task in one.tasks:
            task.fleet = fleet
        whole.add(one)
        whole.fleets.add(fleet)
        whole.files.append(fleet)
    sources = SyncSources(stores, FleetObjects(objects))
    approve, dry = given.pop("approve", "never"), given.pop("dry", False)
    on_conflict = given.pop("on_conflict", "")
    assert not given
    return Sync(whole, sources, build, approve, "s <s@example.com>", prune, Shard(), dry, on_conflict)


def outcome_of(sync: Sync, name: str) -> SyncOutcome:
    """The sync's outcome for one variant."""
    return next(one for one in [*sync.outcomes, *sync.removed] if one.name == name)
