"""Write, propose, publish and delete one variant's drafts in git, and record them in its state."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any

from krmkit.fleet.build import Built
from krmkit.fleet.sync.followed import descends, distance
from krmkit.fleet.sync.mainline import replaced_in_main
from krmkit.fleet.sync.outcome import SyncOutcome
from krmkit.fleet.sync.revisions import CloneSource, lock_of
from krmkit.fleet.sync.state import RevisionMemory, VariantState, digest_of_refs
from krmkit.fleet.sync.store import HEADS, MAIN, TAGS, WORKSPACE, Store, short_ref
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.status import last_render
from krmkit.storage.git.treeupdate import File, read_files, replace_folders
from krmkit.systems.porch.variants import lifecycle

VARIANT = "Variant: "
APPROVALS = ("never", "ready", "auto")


@dataclass(slots=True)
class Drafts:
    """Change the revisions of a variant's package in memory.

    `new`: the variant's state; `outcome`: collects the actions; `taken`: refs that other variants own.
    """

    store: Store
    package: str
    new: VariantState
    outcome: SyncOutcome
    approval: str
    author: str
    taken: Container[str] = ()

    def put(
        self,
        built: Built,
        memory: RevisionMemory,
        parents: list[str],
        source: CloneSource,
        said: tuple[str, str],
        spec: dict[str, Any],
    ) -> None:
        """Write the package, the output in `memory`, into the draft of its workspace; then approve it.

        said: the title of the commit, and the outcome's word for it.
        """
        (title, word), workspace = said, memory.workspace
        folder: dict[str, str | None] = {self.store.folder(self.package): memory.output}
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
            # Labels and annotations are only set when a draft is made.
            self.new.labels = dict(spec.get("labels") or {})
            self.new.annotations = dict(spec.get("annotations") or {})
        self.store.refs.set(ref, commit)
        self.own(ref)
        memory.commit = commit
        self.new.memories[ref] = memory
        self.outcome.actions.append(f"{word} {short_ref(ref)} from {source.label}")
        self.approve(built, memory, commit, ref)

    def approve(self, built: Built, memory: RevisionMemory, commit: str, ref: str) -> None:
        """Propose or publish a draft if the policy says so and no readiness gate or conflict is open.

        A person's change in main that publishing would replace is such a conflict.
        """
        gated = bool(built.gates) and self.store.deployment
        if self.approval == "never" or gated or memory.conflicts:
            return
        proposed = self.store.ref(lifecycle.PROPOSED, self.package, memory.workspace)
        if self.approval == "ready":
            if ref != proposed:
                self.drop(ref)
                self.store.refs.set(proposed, commit)
                self.own(proposed)
                self.new.memories[proposed] = memory
                self.outcome.actions.append(f"proposed {short_ref(proposed)}")
            return
        number = max(self.store.versions(self.package), default=0) + 1
        # Another draft of the same sync may have got this number.
        while self.store.refs.get(self._tag(number)) is not None:
            number += 1
        tag, held = self._tag(number), ""
        if others := [one for one in self._passed_over() if one.startswith(TAGS)]:
            names = [short_ref(one) for one in others]
            held = f"{listed(names, 3)}: published by people, and {short_ref(tag)} would replace it:"
            held += f" --adopt {names[-1]} takes it over"
        elif lost := replaced_in_main(self.store, self.package, number, memory.output):
            held = (
                f"{listed(lost, 3)}: main has another content by hand, which {short_ref(tag)} would replace:"
            )
            held += f" {self._tagging(tag)}take it back"
        if held:
            self.outcome.held = True
            self.outcome.conflicts.append(f"{held}, or publish {short_ref(ref)} yourself")
            return
        self.drop(ref)
        self.store.refs.set(tag, commit)
        self.own(tag)
        memory.edited = False
        self.new.memories[tag] = memory
        self.outcome.actions.append(f"published {short_ref(tag)}")

    def _tagging(self, tag: str) -> str:
        """Return advice to tag main's commit as a version; "" for a first one, which no variant would own."""
        if not any(ref.startswith(TAGS) for ref in self.new.owned):
            return ""
        return f"tag main's commit as {short_ref(tag)}, to have it merged, or "

    def _tag(self, number: int) -> str:
        return self.store.ref(lifecycle.PUBLISHED, self.package, f"v{number}")

    def drop(self, ref: str) -> None:
        self.store.refs.delete(ref)
        self.new.owned = [one for one in self.new.owned if one != ref]
        self.new.memories.pop(ref, None)

    def withdraw_deletion(self, revision: dict[str, Any]) -> None:
        """Withdraw the proposal to delete a revision that the variant works on."""
        ref = _deletion_of(self.store, revision)
        self.store.refs.delete(ref)
        self.outcome.actions.append(f"withdrew {short_ref(ref)}: the variant wants it")

    def own(self, ref: str) -> None:
        if ref not in self.new.owned:
            self.new.owned.append(ref)

    def _passed_over(self) -> list[str]:
        """Return the package's revisions that no variant owns and no newer version replaces."""
        refs = {**self.store.revision_refs(self.package), **dict.fromkeys(self.new.owned, "")}
        there = [ref for ref in sorted(refs) if self.store.refs.get(ref) is not None]
        mine = [ref for ref in self.new.owned if self.store.package_of(ref) == self.package]
        newest = max((version_number(ref) for ref in mine if ref.startswith(TAGS)), default=0)
        others = [ref for ref in there if ref not in self.new.owned and ref not in self.taken]
        return sorted(
            (ref for ref in others if _counts(ref) and version_number(ref) >= newest), key=version_number
        )

    def remember(self) -> None:
        """Update the state's refs and memories to the package's revisions."""
        refs = {**self.store.revision_refs(self.package), **dict.fromkeys(self.new.owned, "")}
        now = {
            ref: oid
            for ref in refs
            if self.store.package_of(ref) == self.package and (oid := self.store.refs.get(ref)) is not None
        }
        self.new.refs = digest_of_refs(now)
        self.new.owned = sorted(ref for ref in self.new.owned if self.store.refs.get(ref) is not None)
        tags = [ref for ref in self.new.owned if ref.startswith(TAGS)]
        mine = [ref for ref in tags if self.store.package_of(ref) == self.package]
        newest = max(mine, key=version_number, default="")
        strangers = [short_ref(ref) for ref in self._passed_over()]
        if strangers:
            self.outcome.warnings.append(
                f"{listed(strangers, 3)}: not of this variant, and ignored; adoptionPolicy: adoptExisting takes it over"
            )
        # A sync works on drafts, or else on the newest revision that is published.
        wanted = [ref for ref in self.new.owned if ref == newest or ref not in tags]
        self.new.memories = {ref: self.new.memories[ref] for ref in wanted if ref in self.new.memories}


def revisions_of(
    state: VariantState, store: Store, package: str, taken: Container[str] = ()
) -> list[dict[str, Any]]:
    """Return a package's revisions; people's revisions that continue the variant's become owned in `state`.

    A person may propose or publish a draft, withdraw it, or publish commits on top of it: each makes another
    ref of the same workspace, which inherits the workspace's memory. A newer version with the same upstream,
    made from the variant's or in main, inherits the memory of the newest owned one. taken: refs that other
    variants own.
    """
    revisions = store.revisions(package)
    known = {
        memory.workspace: memory for ref, memory in state.memories.items() if store.package_of(ref) == package
    }
    workspaces = {one["spec"]["workspaceName"] for one in revisions if one["metadata"]["ref"] in state.owned}
    for revision in revisions:
        ref, workspace = revision["metadata"]["ref"], revision["spec"]["workspaceName"]
        adopted = ref in store.adopt and package == state.package
        if ref in state.owned or ref in taken or not (adopted or workspace in {*known, *workspaces}):
            continue
        if store.objects.folder(store.commit_of(ref)[1].tree, store.folder(package)) is None:
            continue
        state.owned.append(ref)
        if workspace in known:
            state.memories[ref] = replace(known[workspace])
    for ref, newest in _published_since(state, store, package, taken):
        state.owned.append(ref)
        if newest in state.memories:
            state.memories[ref] = replace(state.memories[newest])
    return revisions


def _published_since(
    state: VariantState, store: Store, package: str, taken: Container[str]
) -> list[tuple[str, str]]:
    """Return the newer unowned tags that people made from the variant's revisions, each with its origin.

    Such a tag is on a commit of people's main, or on a commit that descends from the variant's. After an
    amended or squashed commit, equal content counts instead. Any other tag is another person's work.
    """
    tags = [ref for ref in store.revision_refs(package) if ref.startswith(TAGS) and version_number(ref)]
    newest = max((ref for ref in tags if ref in state.owned), key=version_number, default="")
    above = [
        ref
        for ref in tags
        if version_number(ref) > version_number(newest) and ref not in taken and ref not in state.owned
    ]
    if not above:
        return []
    commits = {store.seen[ref] for ref in state.owned if ref in store.seen}
    for memory in state.memories.values():
        commits |= {memory.commit, *memory.before[:1]}
    found = []
    for ref in above:
        if newest and _upstream_of(store, package, ref) == _upstream_of(store, package, newest):
            if descends(store, store.seen[ref], *commits) or _is_of_main(store, ref):
                found.append((ref, newest))
                continue
        if source := _same_content(state, store, package, ref):
            found.append((ref, source))
    return found


def _same_content(state: VariantState, store: Store, package: str, tag: str) -> str:
    """Return the variant's revision that shares the upstreamLock and most files with a tag, or "".

    A tag whose commit names another workspace never counts.
    """
    tree = store.objects.folder(store.commit_of(tag)[1].tree, store.folder(package))
    if tree is None or not _is_plain(store, tag):
        return ""
    now = read_files(store.objects, tree)
    lock = _lock(now)
    found: dict[str, int] = {}
    for ref, memory in sorted(state.memories.items(), key=lambda one: one[0] in store.seen):
        if store.package_of(ref) == package and memory.output and lock and lock[0]:
            made = read_files(store.objects, memory.output)
            same = sum(made[path] == now.get(path) for path in made)
            if lock == _lock(made) and 2 * same >= len(made):
                found[ref] = distance(store, tree, memory.output)
    # A draft that a killed sync made may be as much like it as the version below: the nearest one counts.
    return min(found, key=found.__getitem__, default="")


def _is_plain(store: Store, tag: str) -> bool:
    """Return whether no commit names the workspace in which a tag was made."""
    return store.workspace_of(tag) == tag.rpartition("/")[2]


def _lock(files: dict[str, File]) -> tuple[str, str] | None:
    try:
        return lock_of(files)
    except (Refused, YamlError):
        return None


def _is_of_main(store: Store, tag: str) -> bool:
    """Return whether people tagged a commit of main, for which no workspace is named."""
    return _is_plain(store, tag) and MAIN in store.seen and descends(store, store.seen[MAIN], store.seen[tag])


def _upstream_of(store: Store, package: str, ref: str) -> str | None:
    """Return the folder in a revision's upstreamLock, None without a lock."""
    kptfile = kptfile_in(store, package, ref)
    lock = _lock({"Kptfile": File(kptfile)}) if kptfile is not None else None
    return lock[1] if lock is not None else None


def kptfile_in(store: Store, package: str, ref: str) -> bytes | None:
    """Return the Kptfile of a revision, None without one. Raises GitError."""
    found = store.objects.read(f"{store.commit_of(ref)[1].tree}:{store.folder(package)}/Kptfile")
    return found[2] if found is not None else None


def _counts(ref: str) -> bool:
    """Return whether a ref is a revision: neither a floating tag nor a proposal to delete one."""
    return version_number(ref) > 0 if ref.startswith(TAGS) else "/deletionProposed/" not in ref


def version_number(tag: str) -> int:
    digits = tag.rpartition("/v")[2]
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 19 else 0


def propose_deletion(store: Store, revision: dict[str, Any]) -> None:
    """Mark a published revision for deletion; it stays until the deletion is approved."""
    store.refs.set(_deletion_of(store, revision), revision["metadata"]["commit"])


def _deletion_of(store: Store, revision: dict[str, Any]) -> str:
    """Return the branch that proposes the deletion of a published revision."""
    last = revision["metadata"]["ref"].rpartition("/")[2]
    return store.ref(lifecycle.DELETION_PROPOSED, revision["spec"]["packageName"], last)


def rendered(store: Store, owned: list[str]) -> str:
    """Return the last render's condition in the draft, else in the newest version, or "". Raises GitError.

    owned: the refs of the revisions. Example: `drafts/web/v1: Rendered is True (RenderSuccess)`.
    """
    there = [ref for ref in owned if ref in store.seen]
    drafts = [ref for ref in there if ref.startswith(HEADS)]
    ref = (drafts or sorted(there, key=version_number) or [""])[-1]
    content = kptfile_in(store, store.package_of(ref), ref) if ref else None
    if content is None or (b"Rendered" not in content and b"renderStatus" not in content):
        return ""
    try:
        said = last_render(Resource(content.decode("utf-8", "replace")))
    except (Refused, YamlError):
        return ""
    return f"{short_ref(ref)}: {said}" if said else ""
