"""Validation of all Installations of a list: their form, blueprints, imports, rendered objects and owners of exports."""

from __future__ import annotations

from krmkit.krm.finding import ERROR, INFO, Finding
from krmkit.landscaper.dependencies import Exported
from krmkit.landscaper.errors import InstallationError
from krmkit.landscaper.findings import error_finding, tree_findings
from krmkit.landscaper.installationform import structure_errors
from krmkit.landscaper.items import Items
from krmkit.landscaper.landscape import Landscape
from krmkit.landscaper.lenientdata import mapping
from krmkit.landscaper.redact import Secrets
from krmkit.landscaper.rendered import LandscapeOptions, RenderedInstallation
from krmkit.landscaper.soundness import blueprint_errors
from krmkit.landscaper.structure import name_of, namespace_of, roots_by_namespace


def validate(items: Items, wanted: list[str]) -> list[Finding]:
    """Return every finding about the installations (all, or the wanted ones with their dependencies)."""
    names = items.installations(wanted)
    found = list(items.findings)
    secrets = Secrets.of(items.world)
    broken: set[tuple[str, str]] = set()
    for installation in items.world.of_kind("Installation"):
        key = namespace_of(installation), name_of(installation)
        errors = structure_errors(installation)
        if errors:
            broken.add(key)
        item = items.place("Installation", *key)
        found += [error_finding(error, item, "", secrets) for error in errors]
    found += _ownership(items)
    options = LandscapeOptions(state=items.state, broken=frozenset(broken))
    landscape = Landscape(items.world, items.repository, options)
    roots = landscape.run(names)
    secrets = Secrets.of(items.world)  # collected again: rendering has made more Targets
    for root in roots:
        found += _blueprints(root, items, secrets)
        found += tree_findings(root, items, secrets)
    if not roots and not found:
        found.append(Finding("no-installation", "there is no Installation among the items", INFO))
    return _once(found)


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


def _said(error: InstallationError, said: set[str]) -> bool:
    """Return whether the rendering has reported the same already."""
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
                    found.append(Finding("owner-conflict", message, ERROR, item, "spec.exports"))
    return found


def _once(found: list[Finding]) -> list[Finding]:
    """Return the findings without repetitions."""
    kept: dict[str, Finding] = {}
    for one in found:
        kept.setdefault(repr(one.data()), one)
    return list(kept.values())
