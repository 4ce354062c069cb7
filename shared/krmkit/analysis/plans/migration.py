"""The migration of a package to v1beta2: changed files, what is left to do, and the plan of Clusters."""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.analysis.plans.plandata import mask_plan
from krmkit.analysis.plans.planwork import Work
from krmkit.analysis.plans.sources import collected, package_options, read_items
from krmkit.fn.masking import Mask, secrets_among
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.render.findings.places import line_of
from krmkit.render.package import read
from krmkit.storage.disk.stage import FileEdit
from krmkit.systems.clusterapi.migration.objects import migrate, templates_among
from krmkit.systems.clusterapi.plan.model import TopologyPlan


@dataclass(slots=True)
class PackageMigration:
    """What a migration does. `findings` have places, `file:line`; every Cluster in `plan` should stay."""

    edits: list[FileEdit] = field(default_factory=list)
    findings: list[tuple[Finding, str]] = field(default_factory=list)
    plan: TopologyPlan = field(default_factory=TopologyPlan)
    secrets: set[str] = field(default_factory=set)  # texts that no diff may show


def migrated(folder: str) -> PackageMigration:
    """Migrate a package and its subpackages in memory. Raises Refused, YamlError."""
    items = read_items(folder)
    old = collected(items)
    templates = templates_among(items)
    package = read(folder)
    found = PackageMigration(secrets=secrets_among(items))
    after: list[Resource] = []
    for part in package.walk():
        for file in part.files:
            done = migrate(file.items, templates)
            path = part.place(file.path)
            found.findings += [(one, line_of(path, item, one.field)) for item, one in done.findings]
            if done.changed:
                found.edits.append(FileEdit(part.place(file.path), file.text, file.joined(file.items)))
            after += file.items
    mask = Mask(found.secrets)
    for one, _ in found.findings:
        one.message = mask.message(one.message)
    new = collected([Resource(item.text) for item in after])
    work = Work(old, new, package_options(items), with_objects=True)
    found.plan = work(work.keys())
    mask_plan(found.plan, old, new)
    return found
