"""Report on a package in full: its render, with diffs, the answers of `krmkit why`, packs and pools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from krmkit.analysis.fleet import upstream
from krmkit.analysis.plans.plandata import as_data
from krmkit.analysis.plans.planwork import Work
from krmkit.analysis.plans.results import each_once, results_of, without_known
from krmkit.analysis.plans.sources import NO_BASELINE, collected, package_options, read_both
from krmkit.analysis.systems.describedsystems import describe_systems
from krmkit.analysis.why.answers import Question, fields_data
from krmkit.fleet.collisions import object_identity
from krmkit.fn.config import ConfigError, decode
from krmkit.fn.loader import load
from krmkit.fn.masking import Mask
from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR, INFO
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.diff import diffs
from krmkit.render.findings.fixes import add_fixes
from krmkit.render.findings.ignored import hide, unused
from krmkit.render.findings.model import PackageReport, Result
from krmkit.render.findings.places import PackageFiles, report_of, shown_path
from krmkit.render.package import Package
from krmkit.render.resolve import ProgramResolver
from krmkit.render.status import status_notes
from krmkit.storage.disk.write import FileEdit
from krmkit.systems.clusterapi.plan.model import TopologyPlan
from krmkit.systems.palette.constraints.overview import overview
from krmkit.systems.palette.constraints.validate import ValidationOptions
from krmkit.systems.palette.errors import PackError
from krmkit.systems.palette.packs.items import Packs

HEAD = "HEAD"
WHOLE = 1_000_000  # lines around a change: the whole file, which the page folds
_CONSTRAINTS = "validate-pack-constraints"


def describe(
    package: Package,
    resolver: ProgramResolver,
    context: int,
    others: list[FileEdit] | None = None,
    against: str = "",
) -> tuple[PackageReport, Mask]:
    """Render the package in memory; return its report and the mask of its secrets.

    context: lines around each change in the diffs. others: changes to show before those of the render.
    against: the state to compare Clusters with (default: HEAD). Raises Refused. The resolver's options must
    have `explain`: the answers need it.
    """
    question = Question(package, resolver)
    package_report, plan = _judged(package, question, against)
    mask = Mask(question.secrets)
    package_report.notes += status_notes(package)
    package_report.name = package.kptfile.name
    package_report.upstream = upstream(package.kptfile.resource)
    changes = [*(others or ()), *question.rendering.shown]
    if not package_report.blueprint:
        package_report.changes = question.sources.changes(changes)
        texts = diffs(changes, False, question.secrets, context)
        for shown, text in zip(package_report.changes, texts, strict=True):
            shown.diff = text
    try:
        package_report.fields = fields_data(question.answers(question.subjects, changed=True), mask)
    except (Refused, YamlError) as error:
        package_report.notes.append(f"the sources of values are unknown: {error}")
    items = _items(question)
    package_report.profiles = [_masked(mask, data) for data in profiles(package, items, resolver)]
    package_report.topology = _masked(mask, plan)
    package_report.systems = _masked(mask, describe_systems(package_report, package, question, plan))
    package_report.objects = sorted({name for item in items if (name := object_identity(item))})
    _mask(package_report, mask)
    return package_report, mask


def judge(package: Package, resolver: ProgramResolver, against: str = "") -> tuple[PackageReport, set[str]]:
    """Render the package in memory; return its findings and changes, and its secrets.

    against: the state to compare Clusters with (default: HEAD). Raises Refused.
    """
    question = Question(package, resolver)
    package_report, _ = _judged(package, question, against)
    _mask(package_report, Mask(question.secrets))
    return package_report, question.secrets


def _judged(package: Package, question: Question, against: str) -> tuple[PackageReport, dict[str, Any]]:
    """Return the findings and changes of a rendered package, unmasked, and the plan of its Clusters.

    A blueprint has neither: its render is not written, and its Clusters do not exist.
    """
    package_report = report_of(package, question.rendering, question.sources, explained=False)
    package_report.results = each_once(package_report.results)
    package_report.notes = [*package.notes]
    package_report.blueprint = package.kptfile.is_blueprint
    items = _items(question)
    plan: dict[str, Any] = {}
    if package_report.blueprint:
        package_report.changes = []
    elif has_clusters(items):
        plan, results = topology_of(shown_path(package.path), against, items, question.sources)
        add_fixes(results, question.sources.texts)
        package_report.results += without_known(results, package_report.results)
        hide(package_report, question.sources.comments)
    package_report.results += unused(question.sources.comments)
    return package_report, plan


def _items(question: Question) -> list[Resource]:
    return [subject.item for subject in question.subjects if subject.text is not None]


def _masked(mask: Mask, data: dict[str, Any]) -> dict[str, Any]:
    return {key: mask.value(value) for key, value in data.items()}


def _mask(one: PackageReport, mask: Mask) -> None:
    """Mask secrets in the messages of functions outside the catalog; the catalog's contain none."""
    one.failure = mask.message(one.failure)
    one.notes = mask.messages(one.notes)
    messages = mask.messages([result.message for result in one.results])
    values: Any = mask.value([[result.current, result.proposed] for result in one.results])
    for result, message, (current, proposed) in zip(one.results, messages, values, strict=True):
        result.message, result.current, result.proposed = message, current, proposed
        result.field = mask.message(result.field)  # a value may be a key


def profiles(package: Package, items: list[Resource], resolver: ProgramResolver) -> Iterator[dict[str, Any]]:
    """Yield the packs that each config of validate-pack-constraints selects; without a config, all."""
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
            except (ConfigError, Refused, PackError, YamlError):
                continue  # the function itself reports an invalid config
            found = True
            yield {"package": each.folder, **overview(packs, options)}
    if not found:
        yield {"package": "", **overview(packs)}


def has_clusters(items: Iterable[Resource]) -> bool:
    """Return whether any Cluster among the items has a topology; most packages need no plan."""
    return any(
        item.kind == "Cluster"
        and item.api_version.startswith("cluster.x-k8s.io/")
        and item.node("spec", "topology") is not None
        for item in items
    )


def topology_of(
    path: str, against: str, items: list[Resource], sources: PackageFiles
) -> tuple[dict[str, Any], list[Result]]:
    """Return the plan as data, with `against`, and its results. items: the rendered package's.

    Without a repository to compare with, the data has a `problem`, and one info reports it; if `against` was
    given, Refused is raised.
    """
    wanted = against or HEAD

    def planned(work: Work) -> tuple[TopologyPlan, list[Result]]:
        plan = work(work.keys())
        return plan, [*results_of(plan, lambda reference, field: sources.place("", -1, reference, field))]

    try:
        plan, results = planned(Work(*read_both(path, wanted, items)))
        return {"against": wanted, **as_data(plan)}, results
    except Refused as error:
        if against:
            raise
        severity, results, why = ERROR, [], str(error)
        said = f"the Clusters are not compared with {wanted}"
        if error.finding.rule == NO_BASELINE:
            try:
                # What no server takes is refused without a change, too.
                _, results = planned(Work(collected(items), collected(items), package_options(items)))
                severity, said = INFO, f"{said}, only checked as they are: what a change does is not known"
            except Refused as unread:
                why = str(unread)
        results.append(Result(severity, "no-plan", f"{said}: {why}", path))
        return {"against": wanted, "clusters": [], "problem": why}, results
