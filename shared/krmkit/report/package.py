"""All that there is to say about a package: the report of its render, with diffs, the answers of `krmkit why`, packs and pools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from krmkit.disk.write import FileEdit
from krmkit.fleet.collisions import object_identity
from krmkit.fn.config import ConfigError, decode
from krmkit.fn.loader import load
from krmkit.fn.masking import Mask
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.output.model import PackageReport
from krmkit.output.places import report_of, shown_path
from krmkit.palette.constraints.pools import PoolError
from krmkit.palette.constraints.validate import ValidationOptions
from krmkit.palette.packs.items import Packs
from krmkit.palette.packs.overview import overview
from krmkit.render.diff import diffs
from krmkit.render.package import Package, PackageError
from krmkit.render.resolve import ProgramResolver
from krmkit.report.fleet import upstream_of
from krmkit.report.machines import has_clusters, topology_of
from krmkit.report.systems.describedsystems import describe_systems
from krmkit.why.answers import Question, WhyError, fields_data
from krmkit.yaml.errors import YamlError

WHOLE = 1_000_000  # lines around a change: the whole file, which a page folds
_CONSTRAINTS = "validate-pack-constraints"


def describe(
    package: Package,
    resolver: ProgramResolver,
    context: int,
    others: list[FileEdit] | None = None,
    against: str = "",
) -> tuple[PackageReport, Mask]:
    """Render the package in memory, and report all about it; nothing is written. The mask knows what is secret in it.

    `context`: lines around each change in the diffs. `others` are changes beside those of the render, to be shown before them.
    `against`: what Clusters are compared with, HEAD without it. Raises PackageError, PlanError. The resolver's options must have `explain`: the answers are built on it.
    """
    question = Question(package, resolver)
    rendering = question.rendering
    one = report_of(package, rendering, question.sources, explained=False)
    mask = Mask(question.secrets)
    one.notes = package.notes
    one.name = package.kptfile.name
    one.upstream = upstream_of(package.path)
    changes = [*(others or ()), *rendering.shown]
    one.changes = question.sources.changes(changes)
    texts = diffs(changes, False, question.secrets, context)
    for shown, text in zip(one.changes, texts, strict=True):
        shown.diff = text
    try:
        one.fields = fields_data(question.answers(question.subjects, changed=True), mask)
    except (WhyError, ListError, YamlError) as error:
        one.notes.append(f"where values come from is not known: {error}")
    items: list[Resource] = [subject.item for subject in question.subjects if subject.text is not None]
    one.profiles = [_masked(mask, data) for data in profiles(package, items, resolver)]
    one.blueprint = package.kptfile.is_blueprint
    if one.blueprint:
        one.changes = []  # its render goes nowhere, and its Clusters are no one's
    is_planned = not one.blueprint and has_clusters(items)
    plan = topology_of(shown_path(package.path), against, items) if is_planned else {}
    one.topology = _masked(mask, plan)
    one.systems = _masked(mask, describe_systems(one, package, question, plan))
    one.objects = sorted({name for item in items if (name := object_identity(item))})
    _mask(one, mask)
    return one, mask


def _masked(mask: Mask, data: dict[str, Any]) -> dict[str, Any]:
    return {key: mask.value(value) for key, value in data.items()}


def _mask(one: PackageReport, mask: Mask) -> None:
    """Take secrets out of what functions of others may have said; those of the catalog name none."""
    one.failure = mask.message(one.failure)
    one.notes = [mask.message(note) for note in one.notes]
    for result in one.results:
        result.message = mask.message(result.message)
        result.current, result.proposed = mask.value(result.current), mask.value(result.proposed)


def profiles(package: Package, items: list[Resource], resolver: ProgramResolver) -> Iterator[dict[str, Any]]:
    """The packs among the items, as each config of validate-pack-constraints looks at them; without one, as they are."""
    resources = ResourceList.of(items, None, resolver.options.limits)
    packs = [carrier.pack for carrier in Packs.read(resources).carriers]
    if not packs:
        return
    found = False
    for each in package.walk():
        for function in each.functions:
            if function.function_name != _CONSTRAINTS:
                continue
            try:
                config = each.config(function)
                spec = decode(load(_CONSTRAINTS).definition, config).spec
                options = ValidationOptions.of(spec, resolver.options.limits, resources, config)
            except (ConfigError, PackageError, PoolError, ListError, YamlError):
                continue  # the function itself says what is wrong with its config
            found = True
            yield {"package": each.folder, **overview(packs, options)}
    if not found:
        yield {"package": "", **overview(packs)}
