"""Validate all Installations of a list: form, blueprints, imports, rendered objects and owners of exports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from krmkit.krm.finding import INFO, Finding
from krmkit.krm.refusals import definitions
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, mapping, sequence, text
from krmkit.systems.landscaper.blueprint.blueprints import DATA
from krmkit.systems.landscaper.checks.blueprint import blueprint_errors
from krmkit.systems.landscaper.checks.templatepaths import template_problems
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.dependencies import Exported
from krmkit.systems.landscaper.flow.landscape import Landscape
from krmkit.systems.landscaper.flow.outcome import LandscapeOptions, RenderedInstallation
from krmkit.systems.landscaper.form.admission import Admission, broken_installations
from krmkit.systems.landscaper.items.identity import name_of, namespace_of, roots_by_namespace
from krmkit.systems.landscaper.items.installations import Items, read
from krmkit.systems.landscaper.items.redact import Secrets
from krmkit.systems.landscaper.reconcile.plan import operation_warnings
from krmkit.systems.landscaper.rendered.findings import error_finding, given_findings, tree_findings
from krmkit.systems.landscaper.templates.context import moment


def validate_items(
    resources: ResourceList, spec: Data, crds: Iterable[Mapping[str, Any]], config: Resource | None
) -> list[Finding]:
    """Validate the Installations among the items with the spec of a ValidateInstallation."""
    wanted = [str(one) for one in sequence(spec["installations"])]
    return validate(read(resources), wanted, [*crds, *definitions(resources)], config, spec["now"])


def validate(
    items: Items,
    wanted: list[str],
    crds: Iterable[Mapping[str, Any]] = (),
    config: Resource | None = None,
    now: object = None,
) -> list[Finding]:
    """Return every finding about the installations: all, or the wanted ones with their dependencies.

    config: the item with the wanted names. now: the current time in templates.
    crds: CustomResourceDefinitions for objects, in addition to krmkit's own.
    """
    names = items.installations(wanted, config)
    findings = list(items.findings)
    admission = Admission(crds)
    findings += given_findings(items, admission, Secrets(items.world))
    for installation in items.world.of_kind("Installation"):
        item = items.place("Installation", namespace_of(installation), name_of(installation))
        findings += operation_warnings(installation, item)
    findings += _ownership(items)
    broken = broken_installations(items.world)
    options = LandscapeOptions(
        state=items.state, broken=broken, refusals=admission.refusals, now=moment(now, config)
    )
    landscape = Landscape(items.world, items.repository, options)
    roots = landscape.run(names)
    secrets = Secrets(items.world)  # collected again: rendering has made more Targets
    for root in roots:
        findings += _blueprints(root, items, secrets)
        findings += tree_findings(root, items, secrets)
        findings += mapping_warnings(root, items)
        findings += _template_warnings(root, items, secrets)
    if not roots and not findings:
        findings.append(Finding("no-installation", "there is no Installation among the items", severity=INFO))
    return _once(findings)


def _blueprints(root: RenderedInstallation, items: Items, secrets: Secrets) -> list[Finding]:
    """Return the errors of the blueprints of a tree, each blueprint once."""
    found: list[Finding] = []
    seen: set[int] = set()
    item = items.place("Installation", root.namespace, root.name)
    for one in root.tree():
        known = one.prerequisites
        if known is None or id(known.blueprint.files) in seen:
            continue
        seen.add(id(known.blueprint.files))
        errors = blueprint_errors(known.blueprint, known.component, items.repository)
        said = {error.message for error in one.errors}
        found += [error_finding(error, item, one.path, secrets) for error in errors if not _said(error, said)]
    return found


def _template_warnings(root: RenderedInstallation, items: Items, secrets: Secrets) -> Iterator[Finding]:
    """Yield warnings about undefined names in the templates of a tree."""
    item = items.place("Installation", root.namespace, root.name)
    for one in root.tree():
        for problem in template_problems(one):
            yield error_finding(problem, item, one.path, secrets)


def _said(error: InstallationError, said: set[str]) -> bool:
    """Return whether the rendering has reported the same error."""
    tail = error.message.partition(": ")[2]
    return any(tail in message for message in said)


def _ownership(items: Items) -> list[Finding]:
    """Report root installations of a namespace that export the same object: it has only one owner."""
    found: list[Finding] = []
    for namespace, named in roots_by_namespace(items.world.of_kind("Installation")).items():
        exported = Exported.of({name: mapping(one.get("spec")) for name, one in named.items()})
        for kind, keys in (("DataObject", exported.data), ("Target", exported.targets)):
            for key, owners in keys.items():
                for other in owners[1:]:
                    message = f"{kind} {key} is exported by {owners[0]} already; an object has one owner"
                    item = items.place("Installation", namespace, other)
                    one = Finding("owner-conflict", message, item, "spec.exports")
                    first = items.place("Installation", namespace, owners[0])
                    found.append(one.beside(first, "spec.exports", "the owner"))
    return found


def _once(found: list[Finding]) -> list[Finding]:
    kept: dict[str, Finding] = {}
    for one in found:
        kept.setdefault(repr(one.data()), one)
    return list(kept.values())


RULE = "unused-mapping"


def mapping_warnings(root: RenderedInstallation, items: Items) -> Iterator[Finding]:
    """Yield a warning for each mapping without a reader, in nested installations too.

    `importDataMappings: {prot: ...}` beside a blueprint's import `port` gives `did you mean "port"?`.
    """
    item = items.place("Installation", root.namespace, root.name)
    for one in root.tree():
        nested = f"nested installation {one.path}: " if "/" in one.path else ""
        for field, message in _unused(one):
            yield Finding(RULE, nested + message, item, "" if nested else field)


def _unused(one: RenderedInstallation) -> Iterator[tuple[str, str]]:
    """Yield field and message for each mapping without a reader."""
    exported = [text(entry.get("name")) for entry in entries(mapping(one.spec.get("exports")).get("data"))]
    readers = [("exportDataMappings", exported, "spec.exports.data has no")]
    if one.prerequisites is not None:
        imported = [each.name for each, _ in one.prerequisites.blueprint.all_imports() if each.type == DATA]
        readers.insert(0, ("importDataMappings", imported, "the blueprint has no data import"))
    for field, known, has_no in readers:
        for name in mapping(one.spec.get(field)):
            if name not in known:
                hint = did_you_mean(name, known)
                yield f"spec.{field}.{name}", f'{has_no} "{name}", so the mapping is not used' + hint
