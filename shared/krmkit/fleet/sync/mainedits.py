"""Find people's changes in the branch main that a new version of a package would replace."""

from __future__ import annotations

from krmkit.fleet.sync.store import MAIN, Store
from krmkit.storage.git.foldermerge import FolderMerge
from krmkit.storage.git.packfile import PackFile
from krmkit.storage.git.program import GitError
from krmkit.systems.porch.variants import lifecycle


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
    """Return the version's tree that a package's folder in main, `now`, is based on before `number`.

    That is the version that a sync put there, or the newest one below `number` if a person committed all of
    it to main and tagged it.
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
