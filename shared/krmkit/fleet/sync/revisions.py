"""Read upstream revisions and a fleet's objects once for all variants."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from krmkit.fleet.build import Files, VariantInput, others_of, read_blueprint
from krmkit.fleet.follow import package_kptfile
from krmkit.fleet.objects import FleetObjects
from krmkit.fleet.plan import Task
from krmkit.fleet.sync.store import TAGS, Store, short_ref
from krmkit.fleet.variants import Origin, UpstreamPackage, missing_upstream
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import proposal
from krmkit.storage.git.program import GitError
from krmkit.storage.git.treeupdate import read_files, write_files
from krmkit.systems.porch.api.apinames import upstream_version


@dataclass(slots=True)
class CloneSource:
    """A revision of an upstream package: `ref`, `commit` and its `time`, and the `tree` of its folder."""

    store: Store
    package: str
    version: str
    newest: str
    ref: str
    commit: str
    tree: str
    time: int
    _files: Files | None = None
    _blueprint: UpstreamPackage | None = None
    _others: Files | None = None
    _kept: dict[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Return the name for messages, such as `blueprints/web v3`."""
        return f"{self.store.name}/{self.package} {self.version}"

    def files(self) -> Files:
        if self._files is None:
            self._files = read_files(self.store.objects, self.tree)
        return self._files

    def blueprint(self) -> UpstreamPackage:
        """Return the package as a blueprint, read once for all its variants."""
        if self._blueprint is None:
            self._blueprint = read_blueprint(self.files())
        return self._blueprint

    def others(self) -> Files:
        """Return the files of the package that the blueprint does not fully determine."""
        if self._others is None:
            self._others = others_of(self.blueprint(), self.files())
        return self._others

    def kept_in(self, store: Store) -> str:
        """Copy the package's tree to a downstream store, as upstream may rewrite its history."""
        if store.name not in self._kept:
            self._kept[store.name] = write_files(store.pack, self.files())
        return self._kept[store.name]

    def size(self) -> int:
        """Return the size of its files in bytes."""
        return sum(len(file.content) for file in self.files().values())


@dataclass(slots=True)
class SyncSources:
    """All stores by name, and the objects to inject."""

    stores: dict[str, Store]
    objects: FleetObjects
    _found: dict[tuple[str, str, str, bool], CloneSource] = field(default_factory=dict)
    _bases: dict[tuple[str, str], Files] = field(default_factory=dict)
    _digests: dict[str, str] = field(default_factory=dict)

    def downstream(self, repo: str) -> Store:
        """Return the store of a downstream repository. Raises Refused if it is unknown."""
        store = self.stores.get(repo)
        if store is None:
            hint = proposal(repo, self.stores)
            raise Refused(
                f"the downstream's repository {repo} is not known{hint}; --repo {repo}=URL-OR-PATH names it"
            )
        return store

    def find(self, upstream: dict[str, Any]) -> CloneSource:
        """Return the revision in a variant's upstream. Raises Refused if there is none."""
        name, package = str(upstream.get("repo") or ""), str(upstream.get("package") or "")
        version, workspace = upstream_version(upstream), bool(upstream.get("workspaceName"))
        asked = name, package, version, workspace
        known = self._found.get(asked)
        if known is not None:
            return known
        store = self.stores.get(name)
        if store is None:
            raise missing_upstream(
                f"the upstream's repository {name} is not known{proposal(name, self.stores)};"
                f" --repo {name}=URL-OR-PATH names it",
                "spec.upstream.repo",
            )
        ref = store.find(package, version, workspace)
        if not ref:
            raise _missing(store, package, version, workspace)
        oid, commit = store.commit_of(ref)
        tree = store.objects.folder(commit.tree, store.folder(package))
        if tree is None:
            message = f"{name}: {ref} has no folder {store.folder(package)}"
            raise missing_upstream(message, "spec.upstream.package")
        if ref.startswith(TAGS):
            version = ref.rpartition("/")[2]
        numbers = store.versions(package)
        newest = f"v{numbers[-1]}" if numbers else version
        source = CloneSource(store, package, version, newest, ref, oid, tree, commit.time)
        self._found[asked] = source
        return source

    def base_of(self, files: Files, downstream: Store, kept: str = "") -> tuple[Files, str]:
        """Return the upstream files that a package merged last, and its upstreamLock's commit, or {} and "".

        kept: the tree of these files in the downstream store, "" if unknown. Raises Refused if the lock has
        no commit, or one that no known repository has.
        """
        commit, directory = lock_of(files)
        if not commit:
            return {}, ""
        if (commit, directory) not in self._bases:
            self._bases[(commit, directory)] = self._read_base(commit, directory, downstream, kept)
        return self._bases[(commit, directory)], commit

    def _read_base(self, commit: str, directory: str, downstream: Store, kept: str) -> Files:
        for store in self.stores.values():
            try:
                tree = store.objects.folder(store.objects.commit(commit)[1].tree, directory)
            except GitError:
                continue
            if tree is not None:
                return read_files(store.objects, tree)
        if kept:
            return read_files(downstream.objects, kept)
        raise Refused(
            f"no known repository has the commit {commit} of the upstreamLock with a folder {directory}: push it there"
            f" from a clone that has it (git push URL {commit}:refs/heads/NAME), or write a commit with the same files"
            " into upstreamLock.git.commit of the draft's Kptfile"
        )

    def variant(self, task: Task, store: Store, source: CloneSource) -> VariantInput:
        """Return the build input of one variant in its downstream store."""
        origin = Origin(
            task.spec["upstream"], self.objects.repository(source.store.name, task.namespace), source.commit
        )
        origin.ref = f"{source.store.folder(source.package)}/{source.version}"
        origin.directory = f"/{source.store.folder(source.package)}"
        return VariantInput(task.name, task.namespace, task.spec, origin, store.deployment)

    def objects_digest(self, namespace: str) -> str:
        """Return a digest of all objects that a variant of this namespace may inject."""
        if namespace not in self._digests:
            digest = hashlib.sha256()
            for one in self.objects.of(namespace):
                digest.update(hashlib.sha256(one.text.encode()).digest())
            self._digests[namespace] = digest.hexdigest()
        return self._digests[namespace]


def _missing(store: Store, package: str, version: str, workspace: bool) -> Refused:
    """Return the error about an unknown revision, with the known ones."""
    packages, there = list(store.packages()), store.names(package, workspace)
    hint = f"; there are {', '.join(there)}" if there else proposal(package, packages)
    if workspace and (tag := store.find(package, version)):
        made = store.workspace_of(tag)
        hint = f"; {short_ref(tag)} was made in the workspace {made}: write workspaceName: {made}"
    wrong = (
        "package" if packages and package not in packages else "workspaceName" if workspace else "revision"
    )
    if not workspace and package in packages:
        hint += f"; in the repository, git tag {package}/{version} makes it of the current commit"
    message = f"there is no revision {version} of {store.name}/{package}{hint}"
    return missing_upstream(message, f"spec.upstream.{wrong}")


def lock_of(files: Files) -> tuple[str, str]:
    """Return commit and folder of a package's upstreamLock, or "" twice. Raises Refused if one is missing."""
    lock = package_kptfile(files).get("upstreamLock")
    if lock is None:
        return "", ""
    git = lock.get("git") if isinstance(lock, dict) else None
    if not isinstance(git, dict) or not git.get("commit"):
        raise Refused("the Kptfile's upstreamLock.git must name a commit, so that the update has a base")
    return str(git["commit"]), str(git.get("directory") or "").strip("/")


def says_the_same(files: Files, others: Files) -> bool:
    """Return whether two Kptfiles have equal data and comments, in krmkit's or Porch's form."""
    pair = [package_kptfile(one) for one in (files, others)]
    for kptfile in pair:
        for key in ("upstream", "upstreamLock"):
            if isinstance(kptfile.get(key), dict) and isinstance(git := kptfile[key].get("git"), dict):
                git = {**git, "directory": str(git.get("directory") or "").strip("/")}
                kptfile[key] = {"updateStrategy": "resource-merge", **kptfile[key], "git": git}
    noted = [
        sorted(line for line in one["Kptfile"].content.split(b"\n") if b"#" in line)
        for one in (files, others)
    ]
    return pair[0] == pair[1] and noted[0] == noted[1]
