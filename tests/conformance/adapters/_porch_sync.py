"""Sequences of syncs and of what people do in between, played in repositories in memory."""

from __future__ import annotations

import json
from typing import Any

from krmkit.fleet.sync.store import HEADS, TAGS
from krmkit.storage.git.treeupdate import read_files
from krmkit.systems.porch.variants import lifecycle
from tests.unit.fleet.sync.memorygit import Fleet, MemoryRepository, MemoryStore

Record = dict[str, Any]

UP, DOWN = "blueprints", "edge"
KINDS = {
    lifecycle.DRAFT: "drafts",
    lifecycle.PROPOSED: "proposed",
    lifecycle.DELETION_PROPOSED: "deletionProposed",
}
CONTEXT = """apiVersion: v1
kind: ConfigMap
metadata:
  name: kptfile.kpt.dev
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  name: {package}
  package-path: {package}
"""


def reconcile(given: Record) -> Record:
    """The revisions of the downstream repository after each step, with the error of a sync that has one."""
    game = _Game()
    return {"steps": [game.play(step) for step in given["steps"]]}


class _Game:
    def __init__(self) -> None:
        self.fleet = Fleet({UP: MemoryRepository(), DOWN: MemoryRepository()})

    def play(self, step: Record) -> Record:
        error = ""
        if step["do"] == "add":
            self._add(step["packageRevision"])
        elif step["do"] == "sync":
            error = self._sync(step["packageVariant"])
        else:
            self._change(step)
        known = [*self._revisions()]
        known.sort(key=lambda one: str(one["name"]))
        return {"revisions": known, **({"error": True} if error else {})}

    @property
    def edge(self) -> MemoryRepository:
        return self.fleet.repositories[DOWN]

    def _revisions(self) -> list[Record]:
        store = MemoryStore(DOWN, self.edge)
        revisions = [one for package in [*store.packages()] for one in store.revisions(package)]
        return [
            {
                "name": one["metadata"]["name"],
                "lifecycle": one["spec"]["lifecycle"],
                "revision": one["spec"].get("revision", 0),
            }
            for one in revisions
        ]

    def _add(self, revision: Record) -> None:
        """A revision as Porch commits it: the tag or branch, a `kpt:` line, and a Kptfile in Porch's order of keys."""
        spec = revision["spec"]
        package, workspace = spec["packageName"], spec["workspaceName"]
        repository = self.fleet.repositories[spec["repository"]]
        lock = (revision.get("status") or {}).get("upstreamLock")
        files = {"Kptfile": self._kptfile(package, lock), "app.yaml": _app("1")}
        if spec["repository"] == DOWN:
            files["package-context.yaml"] = CONTEXT.format(package=package)
        elif spec["revision"]:
            files["app.yaml"] = _app(str(spec["revision"]))
        if lock:
            ref = TAGS + lock["git"]["ref"]
            objects = self.fleet.repositories[UP].objects
            folder = objects.folder(objects.commit(self.fleet.repositories[UP].refs[ref])[1].tree, package)
            files["app.yaml"] = read_files(objects, folder or "")["app.yaml"].content.decode()
        last = f"v{spec['revision']}" if spec["lifecycle"] not in KINDS else workspace
        place = TAGS if spec["lifecycle"] not in KINDS else f"{HEADS}{KINDS[spec['lifecycle']]}/"
        note = json.dumps({"package": package, "workspaceName": workspace})
        repository.commit(f"{place}{package}/{last}", package, files, f"Approve\n\nkpt:{note}\n")

    def _kptfile(self, package: str, lock: Record | None) -> str:
        text = f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {package}\n"
        if lock:
            git = {**lock["git"], "commit": self.fleet.repositories[UP].refs[TAGS + lock["git"]["ref"]]}
            text += f"upstream: {json.dumps(lock)}\nupstreamLock: {json.dumps({**lock, 'git': git})}\n"
        return text

    def _sync(self, variant: Record) -> str:
        gone = variant["metadata"].get("deletionTimestamp")
        sync = self.fleet.sync({"fleet": "" if gone else json.dumps(variant)}, prune=True)
        return "; ".join(one.error for one in [*sync.outcomes, *sync.removed] if one.error)

    def _change(self, step: Record) -> None:
        """What a person does with a revision: set its lifecycle, or remove its draft."""
        store = MemoryStore(DOWN, self.edge)
        [found] = [
            one
            for package in [*store.packages()]
            for one in store.revisions(package)
            if one["metadata"]["name"] == step["name"]
        ]
        ref, package = found["metadata"]["ref"], found["spec"]["packageName"]
        commit = self.edge.refs[ref]
        if step["do"] == "remove":
            self.edge.refs.pop(ref)
            return
        state = step["lifecycle"]
        if state == lifecycle.PUBLISHED:
            self.edge.refs.pop(ref)
            self.edge.refs[f"{TAGS}{package}/v{step['revision']}"] = commit
        else:
            last = ref.rpartition("/")[2]
            self.edge.refs[f"{HEADS}{KINDS[state]}/{package}/{last}"] = commit
            if state == lifecycle.PROPOSED:
                self.edge.refs.pop(ref)


def _app(value: str) -> str:
    return f'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\ndata:\n  release: "{value}"\n'


def judge_reconcile(record: Record) -> tuple[bool, str]:
    """Compares every step; an error's words are those of the CLI, so only whether there is one counts."""
    got = reconcile(record["input"])["steps"]
    for number, (found, expected) in enumerate(zip(got, record["expect"]["steps"], strict=True), 1):
        wanted = {**expected, **({"error": True} if "error" in expected else {})}
        if found != wanted:
            return False, f"step {number}: got {found}, expected {expected}"
    return True, ""
