"""Update the branch main of a repository to the newest version of each package, in one commit.

`refs/krmkit/main` records the last update: `{"packages": {"web": "v3"}, "tree": OID}`, where the tree is that
of the whole branch. A sync changes only files that it wrote: people's own files in main stay, also in the
folders of packages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from krmkit.fleet.sync.outcome import SyncOutcome
from krmkit.fleet.sync.store import MAIN, MAIN_STATE, TAGS, Store
from krmkit.libraries.messages.listed import listed
from krmkit.storage.git.foldermerge import FolderMerge
from krmkit.storage.git.packfile import PackFile
from krmkit.storage.git.program import GitError
from krmkit.storage.git.treeupdate import replace_folders
from krmkit.systems.porch.variants import lifecycle


class MainBranch:
    """The update of one repository's main. `outcomes`: errors, restored files and differences by hand.

    `behind`: the branch would change.
    """

    def __init__(self, store: Store, packages: Iterable[str], author: str, dry: bool) -> None:
        self.store = store
        self.author = author
        self.dry = dry
        self.outcomes: list[SyncOutcome] = []
        self.behind = False
        self._known, self._tree = store.main_state
        self._made = _published_now(store)
        self._packages = sorted({*packages, *self._made, *self._known})
        self._said = SyncOutcome("-", store.name)
        self._times: list[int] = []

    def update(self) -> None:
        """Update the branch in memory. An error of git goes into an outcome, and main stays unchanged."""
        store = self.store
        newest = {
            package: number
            for package in self._packages
            if (number := max([*store.versions(package), self._made.get(package, 0)], default=0))
        }
        head = store.refs.get(MAIN)
        try:
            root = store.objects.commit(head)[1].tree if head is not None else None
            fresh = {
                package: number
                for package, number in newest.items()
                if root != self._tree or self._known.get(package) != f"v{number}" or package in self._made
            }
            if not fresh:
                return
            with store.refs.attempt():
                self._commit(head, root, fresh)
        except GitError as error:
            self._said.error = f"main keeps what it has: {error}"
        if self._said.error or self._said.actions or self._said.drift:
            self.outcomes.append(self._said)

    def _commit(self, head: str | None, root: str | None, fresh: dict[str, int]) -> None:
        store = self.store
        tree = root
        put: dict[str, str] = {}
        # Folders of nested packages contain each other, so packages are merged one after the other.
        for package, number in sorted(fresh.items()):
            folder, problem = self._published(package, number)
            if folder is None:
                failed = SyncOutcome("-", f"{store.name}/{package}")
                failed.error = f"main keeps what it has: {problem}"
                self.outcomes.append(failed)
                continue
            merged = self._merged(package, number, folder, tree)
            if merged is not None:
                place = store.folder(package)
                tree = replace_folders(store.objects, store.pack, tree, {place: merged})
            put[package] = f"v{number}"
        changed = {name: version for name, version in put.items() if self._known.get(name) != version}
        if tree == root and not changed:
            return
        self.behind = True
        lacking = [f"{name} {version}" for name, version in changed.items() if name not in self._made]
        if self.dry and lacking and tree != root:
            self._said.drift.append(f"main lacks {listed(lacking, 3)}")
        if tree is None:
            return
        if tree != root:
            parents = [head] if head is not None else []
            times = [store.objects.commit(parent)[1].time for parent in parents] + self._times
            message = _message(changed, self._said.actions)
            commit = store.pack.commit(tree, parents, f"{self.author} {max(times)} +0000", message)
            store.refs.set(MAIN, commit)
        state = {"packages": {**self._known, **put}, "tree": tree}
        store.refs.set(MAIN_STATE, store.pack.blob((json.dumps(state, sort_keys=True) + "\n").encode()))

    def _published(self, package: str, number: int) -> tuple[str | None, str]:
        store = self.store
        ref, place = store.ref(lifecycle.PUBLISHED, package, f"v{number}"), store.folder(package)
        oid = store.refs.get(ref)
        if oid is None:
            return None, f"{ref} is gone"
        try:
            _, commit = store.objects.commit(oid)
            folder = store.objects.folder(commit.tree, place)
        except GitError as error:
            return None, f"{ref} must name a commit: {error}"
        self._times.append(commit.time)
        return folder, "" if folder is not None else f"{ref} must hold the folder {place}/, and has none"

    def _merged(self, package: str, number: int, folder: str, root: str | None) -> str | None:
        """Return a package's folder in main with the published content, None if it is there already."""
        store = self.store
        place = store.folder(package)
        now = store.objects.folder(root, place) if root is not None else None
        known = self._known.get(package, "")
        before = version_in_main(store, package, now, number)
        merge = FolderMerge(store.objects, store.pack)
        merged = merge.merge(before, folder, now, place)
        if merge.restored:
            self._said.actions.append(f"put back in main: {listed(merge.restored, 3)}")
        if merge.replaced:
            tag = store.ref(lifecycle.PUBLISHED, package, known)
            had = "other contents by hand" if tag in store.seen else f"{package} {known}, whose tag is gone"
            self._said.drift.append(
                f"main had {had if known else 'other contents by hand'}, now replaced: {listed(merge.replaced, 3)}"
            )
        if merge.kept:
            self._said.drift.append(f"main differs by hand from {package} {known}: {listed(merge.kept, 3)}")
        return merged if merged != now else None


def _message(changed: dict[str, str], actions: list[str]) -> str:
    names = [f"{package} {version}" for package, version in sorted(changed.items())]
    if not names:
        return "Restore published packages\n\n" + "".join(f"{action}\n" for action in actions)
    title = f"Publish {names[0]}" if len(names) == 1 else f"Publish {len(names)} packages"
    return title + "\n\n" + "".join(f"{name}\n" for name in names)


def _published_now(store: Store) -> dict[str, int]:
    """Return the highest number that this sync publishes, by package."""
    numbers: dict[str, int] = {}
    for ref in store.refs.changes:
        last = ref.rpartition("/")[2]
        if ref.startswith(TAGS) and last.startswith("v") and last[1:].isdecimal() and store.refs.get(ref):
            package = store.package_of(ref)
            numbers[package] = max(numbers.get(package, 0), int(last[1:]))
    return numbers


def replaced_in_main(store: Store, package: str, number: int, output: str) -> list[str]:
    """Return the paths in main with people's changes that publishing the tree `output` would lose.

    Publishing keeps files that people added, and their changes where the version changes nothing. Raises
    GitError.
    """
    head, known = store.refs.get(MAIN), store.main_state[0].get(package, "")
    if head is None or (known and store.ref(lifecycle.PUBLISHED, package, known) not in store.seen):
        return []  # after a version's tag is gone, the update of main names what it replaces
    place = store.folder(package)
    entry = store.objects.read(f"{store.objects.commit(head)[1].tree}:{place}")
    if entry is None:
        return []
    now, kind, _ = entry
    if kind != "tree":
        return [place]  # a file at the path of the package's folder
    merge = FolderMerge(store.objects, PackFile())
    merge.merge(version_in_main(store, package, now, number), output, now, place)
    return merge.replaced


def version_in_main(store: Store, package: str, now: str | None, number: int) -> str | None:
    """Return the tree of the version on which the package's folder in main is based.

    now: that folder's tree. The version is the one that a sync put there, or the newest below `number` if a
    person committed all of it to main and tagged it.
    """
    known = store.main_state[0].get(package, "")
    last = max((one for one in store.versions(package) if one < number), default=0)
    if now is not None and last and known != f"v{last}":
        tagged = _folder_of(store, package, last)
        merge = FolderMerge(store.objects, PackFile())
        merge.merge(tagged, tagged, now)
        if tagged is not None and not (merge.kept or merge.restored):
            return tagged
    return _folder_of(store, package, int(known[1:])) if known[1:].isdecimal() else None


def _folder_of(store: Store, package: str, number: int) -> str | None:
    # Not what this sync publishes: it may have the number of a version whose tag is gone.
    oid = store.seen.get(store.ref(lifecycle.PUBLISHED, package, f"v{number}"))
    try:
        return store.objects.folder(store.objects.commit(oid)[1].tree, store.folder(package)) if oid else None
    except GitError:
        return None
