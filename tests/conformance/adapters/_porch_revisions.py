"""Records about package revisions, judged by what a sync finds and makes in repositories in memory."""

from __future__ import annotations

import json
from typing import Any

from krmkit.fleet.objects import FleetObjects
from krmkit.fleet.sync.revisions import SyncSources
from krmkit.fleet.sync.store import HEADS, MAIN, TAGS, Store
from krmkit.kpt.source import SourceFile
from krmkit.krm.errors import Refused
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.variants import lifecycle
from tests.unit.fleet.sync.memorygit import Fleet, MemoryRepository, MemoryStore

Record = dict[str, Any]

UP, DOWN = "upstream-repo", "downstream-repo"
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: package\n"


def repositories(revisions: list[Record]) -> dict[str, MemoryRepository]:
    """Repositories with a package for each revision: published ones under their number, others under their workspace."""
    found: dict[str, MemoryRepository] = {}
    for revision in revisions:
        spec = revision["spec"]
        if not spec["repository"]:
            continue
        repository = found.setdefault(spec["repository"], MemoryRepository())
        package, workspace = spec["packageName"], spec["workspaceName"]
        ref = f"{HEADS}drafts/{package}/{workspace}"
        if spec.get("lifecycle") == lifecycle.PUBLISHED:
            ref = f"{TAGS}{package}/v{spec['revision']}"
        elif workspace == lifecycle.MAIN_WORKSPACE:
            ref = MAIN
        repository.commit(ref, package, {"Kptfile": KPTFILE, "version.yaml": _config_map(workspace)})
    return found


def _config_map(value: str) -> str:
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "version"}, "data": {"v": value}}
    return json.dumps(data) + "\n"


def upstream(asked: Record, revisions: list[Record]) -> str:
    """The revision that a sync clones, as `repository.package.version`. Raises PorchError where there is none."""
    stores: dict[str, Store] = {
        name: MemoryStore(name, repository) for name, repository in repositories(revisions).items()
    }
    try:
        source = SyncSources(stores, FleetObjects([])).find(asked)
    except Refused as error:
        raise PorchError(f"could not find upstream package revision: {error}") from None
    return f"{source.store.name}.{source.package}.{source.version}"


def draft(given: Record) -> Record:
    """The draft that a sync makes beside a published revision, for a variant with another upstream or another input.

    `annotations` and `labels` are those of the draft's Kptfile; the record has null, as the variant's are not the draft's.
    """
    package, variant = given["source"]["spec"]["packageName"], given["packageVariant"]
    new = (variant.get("spec") or {}).get("upstream")
    known = [one for one in given["packageRevisions"] if one["spec"]["repository"] == UP]
    first = {"packageName": package, "repository": UP, "workspaceName": "v1", "revision": 1}
    found = repositories(known or [{"spec": {**first, "lifecycle": lifecycle.PUBLISHED}}])
    fleet = Fleet({UP: found[UP], DOWN: MemoryRepository()})
    spec: Record = {"upstream": {"repo": UP, "package": package, "revision": 1}}
    fleet.sync({"fleet": _variant(variant, package, spec)}, approve="always")
    spec = {"upstream": new} if new else {**spec, "packageContext": {"data": {"changed": "yes"}}}
    fleet.sync({"fleet": _variant(variant, package, spec)})

    repository = fleet.repositories[DOWN]
    [published] = [
        one
        for one in MemoryStore(DOWN, repository).revisions(package)
        if one["spec"]["lifecycle"] == lifecycle.PUBLISHED
    ]
    [ref] = [ref for ref in repository.refs if ref.startswith(f"{HEADS}drafts/{package}/")]
    before, after = (
        _kptfile(repository, published["metadata"]["ref"], package),
        _kptfile(repository, ref, package),
    )
    old, now = (f"{UP}." + one["upstreamLock"]["git"]["ref"].replace("/", ".") for one in (before, after))
    made: Record = {
        "lifecycle": lifecycle.DRAFT,
        "packageName": package,
        "workspaceName": ref.rpartition("/")[2],
        "annotations": after["metadata"].get("annotations"),
        "labels": after["metadata"].get("labels"),
        "taskType": "edit" if old == now else "upgrade",
    }
    if old != now:
        local = f"{DOWN}.{package}.{published['spec']['workspaceName']}"
        made["upgrade"] = {"oldUpstream": old, "newUpstream": now, "local": local}
    return made


def _variant(given: Record, package: str, spec: Record) -> str:
    return json.dumps(
        {
            "apiVersion": "config.porch.kpt.dev/v1alpha1",
            "kind": "PackageVariant",
            "metadata": {"name": "variant", **given["metadata"]},
            "spec": {**spec, "downstream": {"repo": DOWN, "package": package}},
        }
    )


def _kptfile(repository: MemoryRepository, ref: str, package: str) -> Any:
    text = repository.files(ref, package)["Kptfile"]
    [item] = SourceFile("Kptfile", text, "", "Kptfile").items
    return item.get()
