"""Read the Installations of many packages, for `krmkit landscaper graph|explain|reconcile -r`.

Each package is evaluated alone; exports also reach other packages in the same namespace.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from krmkit.fn.config import ConfigError, decode
from krmkit.fn.loader import load
from krmkit.fn.masking import Mask, hide, secrets_among
from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import mapping
from krmkit.render.findings.model import Result
from krmkit.render.findings.places import line_of, shown_path
from krmkit.render.resourcefiles import is_blueprint, items_of, mentions
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.explain import explain, paths_of
from krmkit.systems.landscaper.flow.graph import Edge, Graph, flow_edges, graph_of
from krmkit.systems.landscaper.flow.outcome import LandscapeOptions
from krmkit.systems.landscaper.items import installations as items_of_landscaper
from krmkit.systems.landscaper.items.identity import roots_by_namespace
from krmkit.systems.landscaper.items.installations import Items
from krmkit.systems.landscaper.items.redact import Secrets
from krmkit.systems.landscaper.reconcile.plan import plan_items
from krmkit.systems.landscaper.rendered.render import landscape_options

_CONFIG = "RenderInstallation"
_INSTALLATIONS = b"landscaper.gardener.cloud/"


@dataclass(slots=True)
class PackageInstallations:
    """A command's output for a package: `lines` of text, graph, results, and paths of Installations.

    `failure`: why there is no output for an existing installation. `flows`: imports and exports of the roots,
    by namespace and name.
    """

    path: str
    lines: list[str] = field(default_factory=list)
    graph: Graph = field(default_factory=Graph)
    results: list[Result] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    flows: dict[str, dict[str, Any]] = field(default_factory=dict)
    failure: str = ""


class LandscaperJob:
    """Run one command on packages, one after the other, in other processes."""

    def __init__(self, command: str, now: str = "", installation: str = "", value: str = "") -> None:
        self._command = command
        self._now = now
        self._installation = installation
        self._value = value

    def __call__(self, path: str) -> PackageInstallations | None:
        """Return the output for the package at a path; None for a blueprint or without Installations.

        Raises Refused.
        """
        if not mentions(path, _INSTALLATIONS) or is_blueprint(path):
            return None
        installations = PackageInstallations(shown_path(path))
        try:
            resources = ResourceList.of(items_of(path)[0])
            mask = Mask(secrets_among(resources.items))
            if self._command == "reconcile":
                findings = plan_items(resources, [], self._now, write=False)
                hide(findings, resources.items)
                installations.lines = [str(one) for one in findings]
                installations.results = [as_result(one) for one in findings]
                return installations
            items = readable(items_of_landscaper.read(resources))
            if self._command == "explain":
                options = told_exports(resources, items)
                # Each run adds what it makes to its world, so each has a world of its own.
                installations.paths = paths_of(items_of_landscaper.read(resources), options)
                if self._installation in installations.paths:
                    self._explain(installations, items, mask, options)
            else:
                self._draw(installations, items, told_exports(resources, items))
        except InstallationError as error:
            raise Refused(mask.message(str(error))) from None
        return installations

    def _explain(
        self, found: PackageInstallations, items: Items, mask: Mask, options: LandscapeOptions
    ) -> None:
        try:
            lines = explain(items, self._installation, self._value, options)
            found.lines = [mask.message(line) for line in lines]
        except InstallationError as error:
            found.failure = mask.message(str(error))  # the package does have the installation

    def _draw(self, found: PackageInstallations, items: Items, options: LandscapeOptions) -> None:
        found.graph = graph_of(items, options, partial(place_in, ""))
        found.results = [Result("error", "installation", problem) for problem in found.graph.problems]
        for namespace, named in roots_by_namespace(items.world.of_kind("Installation")).items():
            specs = {name: mapping(one.get("spec")) for name, one in named.items()}
            found.flows[namespace] = {
                name: {key: spec[key] for key in ("imports", "exports") if key in spec}
                for name, spec in specs.items()
            }


def unknown(installation: str, found: list[PackageInstallations], all_read: bool) -> str:
    """Return the error for an installation that no package has, or "".

    all_read: all packages are readable.
    """
    known = sorted({path for one in found for path in one.paths})
    if installation in known:
        return ""
    where = "no package" if all_read else "no package that can be read"
    return f"{where} has an installation {installation}{did_you_mean(installation, known)}"


def joined(found: list[PackageInstallations]) -> Graph:
    """Join the graphs of packages: paths begin with the package, and exports reach all importers."""
    whole = Graph()
    spaces: dict[str, dict[str, Any]] = {}
    edges: dict[tuple[str, str, str], None] = {}
    for one in found:
        whole.nodes.update((f"{one.path}:{path}", node) for path, node in one.graph.nodes.items())
        whole.problems += [f"{one.path}: {problem}" for problem in one.graph.problems]
        for edge in one.graph.edges:
            edges[f"{one.path}:{edge.source}", f"{one.path}:{edge.target}", edge.key] = None
        for namespace, named in one.flows.items():
            spaces.setdefault(namespace, {}).update(
                (f"{one.path}:{name}", flow) for name, flow in named.items()
            )
    for named in spaces.values():
        edges.update(((edge.source, edge.target, edge.key), None) for edge in flow_edges(named, ""))
    whole.edges = [Edge(*edge) for edge in edges]
    return whole


def graph_data(found: list[PackageInstallations], whole: Graph) -> dict[str, object]:
    """Return each package with its graph, and the edges of all."""
    edges = [{"from": edge.source, "to": edge.target, "key": edge.key} for edge in whole.edges]
    packages = [{"path": one.path, **one.graph.data()} for one in found]
    return {"packages": packages, "edges": edges, "problems": whole.problems}


def place_in(folder: str, item: Resource, field: str) -> str:
    """Return the place of an item's field, below `folder`, as `path:line:column`; "" without a file."""
    path = os.path.join(folder, item.path) if item.path else ""
    return line_of(shown_path(path) if folder else path, item, field) if path else ""


def is_installation(item: Resource) -> bool:
    return item.kind == "Installation" and item.api_version.encode().startswith(_INSTALLATIONS)


def told_exports(resources: Iterable[Resource], items: Items) -> LandscapeOptions:
    """Return exports and time (else now) of the package's RenderInstallation, as its render uses them.

    Raises InstallationError.
    """
    config = next(
        (one for one in resources if one.kind == _CONFIG and one.api_version.startswith("krmkit.dev/")), None
    )
    now = datetime.now(UTC).timestamp()
    if config is None:
        return LandscapeOptions(state=items.state, now=now)
    try:
        told = landscape_options(items, decode(load("render-installation").definition, config).spec)
        return replace(told, now=now if told.now is None else told.now)
    except ConfigError as error:
        raise InstallationError("invalid-config", f"{config.path or config.label}: {error}") from None


def as_result(finding: Finding) -> Result:
    """Convert an engine's finding to a result of the report."""
    field = finding.field or ""
    return Result(
        finding.severity, finding.rule, finding.message, resource=finding.resource_ref or {}, field=field
    )


def readable(items: Items) -> Items:
    """Return the items if all are readable. Raises InstallationError, without secrets in its message."""
    errors = [one for one in items.findings if one.severity == "error"]
    if errors:
        raise InstallationError(errors[0].rule, Secrets(items.world).scrub(str(errors[0])))
    return items
