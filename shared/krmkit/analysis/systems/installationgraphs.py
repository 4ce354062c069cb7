"""Show Installations as a graph: their exports and imports, phases, and next reconciliations.

    installation_graph(items, places, spec, now)
    # {"nodes": [{"path": "shop/web", "phase": ...}], "edges": [{"from": ..., "to": ..., "key": "url"}]}

Values are left out, as they may be secrets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from krmkit.krm.finding import ERROR
from krmkit.krm.resource import Resource
from krmkit.libraries.kube.timestamps import format_time
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.landscaper.flow import dependencies
from krmkit.systems.landscaper.flow.graph import flow_edges
from krmkit.systems.landscaper.flow.landscape import Landscape
from krmkit.systems.landscaper.flow.outcome import LandscapeOptions, RenderedInstallation
from krmkit.systems.landscaper.items.identity import namespace_of
from krmkit.systems.landscaper.items.installations import Items, read
from krmkit.systems.landscaper.items.redact import Secrets
from krmkit.systems.landscaper.reconcile.decision import plan
from krmkit.systems.landscaper.reconcile.plan import asked_for, described
from krmkit.systems.landscaper.rendered.render import landscape_options

Data = dict[str, Any]

_OBJECTS = (("secretRef", "Secret"), ("configMapRef", "ConfigMap"))


def installation_graph(
    items: Sequence[Resource], places: Mapping[int, str], spec: Data | None, now: float
) -> Data:
    """Return the Installations among the items, nested ones too, in the order of their run; {} for none.

    places: an item's place in a file, by id(). spec: the package's RenderInstallation's, which may give
    exports; None without one. now: for the schedules, in seconds since 1970. Raises InstallationError.
    """
    collected = read(items)
    if not collected.world.of_kind("Installation"):
        return {}
    options = (
        landscape_options(collected, spec) if spec is not None else LandscapeOptions(state=collected.state)
    )
    options.now = now if options.now is None else options.now
    landscape = Landscape(collected.world, collected.repository, options)
    graph = _InstallationGraph(collected, places, now)
    for root in landscape.run():
        graph.add(root, "")
    graph.connect_roots()
    graph.problems += [one.message for one in collected.findings if one.severity == ERROR]
    return graph.data()


class _InstallationGraph:
    """Collects nodes and edges. If there are several namespaces, paths begin with them."""

    def __init__(self, items: Items, places: Mapping[int, str], now: float) -> None:
        self.items = items
        self.places = places
        self.now = now
        self.nodes: list[Data] = []
        self.edges: list[Data] = []
        self.problems: list[str] = []
        self.secrets = Secrets(items.world)
        self.specs: dict[str, dict[str, Data]] = {}  # specs of the roots, by namespace and name
        spaces = {namespace_of(one) for one in items.world.of_kind("Installation")}
        self.several = len(spaces) > 1

    def add(self, rendered: RenderedInstallation, parent: str) -> None:
        """Add an installation and all nested ones."""
        path = self._path(rendered)
        if not parent:
            self.specs.setdefault(rendered.namespace, {})[rendered.name] = rendered.spec
        node: Data = {
            "path": path,
            "namespace": rendered.namespace,
            "name": rendered.name,
            "phase": rendered.phase,
        }
        status = mapping(rendered.installation.get("status"))
        item = self.items.place("Installation", rendered.namespace, rendered.name)
        more = {
            "parent": parent,
            "place": self.places.get(id(item), "") if item is not None else "",
            "component": _component(rendered.spec),
            "observed": text(status.get("phase")),
            "waitsFor": list(rendered.waits_for),
            "errors": [self.secrets.scrub(error.message) for error in rendered.errors],
            "imports": _imports(rendered.spec),
            "exports": _exports(rendered.spec),
            "deployItems": [_deploy_item(one) for one in rendered.deploy_items],
            "reconcile": self._reconcile(rendered) if not parent else {},
        }
        node.update((name, value) for name, value in more.items() if value)
        self.nodes.append(node)
        named = {text(one.get("name")): one for one in rendered.templates}
        self._connect(named, f"{path}/")
        for child in rendered.children:
            self.add(child, path)

    def connect_roots(self) -> None:
        """Add the edges between root installations."""
        for namespace, named in self.specs.items():
            self._connect(named, f"{namespace}:" if self.several else "")

    def _path(self, rendered: RenderedInstallation) -> str:
        return f"{rendered.namespace}:{rendered.path}" if self.several else rendered.path

    def _connect(self, named: dict[str, Data], prefix: str) -> None:
        self.edges += [
            {"from": one.source, "to": one.target, "key": one.key} for one in flow_edges(named, prefix)
        ]

    def _reconcile(self, rendered: RenderedInstallation) -> Data:
        """Return Landscaper's next action on a root: `action`, a sentence, and the next time, if any."""
        decision = plan(rendered.installation, self.now)
        action, said = asked_for(rendered.installation, decision) or (decision.action, described(decision))
        found: Data = {"action": action, "message": said}
        if decision.next_time is not None:
            found["next"] = format_time(decision.next_time)
        schedules = mapping(rendered.spec.get("automaticReconcile"))
        for key, name in (("succeededReconcile", "succeeded"), ("failedReconcile", "failed")):
            given = mapping(schedules.get(key))
            when = text(given.get("cronSpec")) or text(given.get("interval"))
            if when:
                found[name] = when
        return found

    def data(self) -> Data:
        """Return the graph without secrets: a template may put one into a name."""
        whole = {"nodes": self.nodes, "edges": self.edges, "problems": self.problems}
        clean: Data = self._scrubbed(whole)
        return clean if clean["problems"] else {name: clean[name] for name in ("nodes", "edges")}

    def _scrubbed(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._scrubbed(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._scrubbed(one) for one in value]
        return self.secrets.scrub(value) if isinstance(value, str) else value


def _component(spec: Data) -> str:
    """Return `name:version` of the component, or ""."""
    reference = mapping(spec, "componentDescriptor", "ref") or mapping(spec, "component")
    name, version = text(reference.get("componentName")), text(reference.get("version"))
    return f"{name}:{version}" if name and version else name


def _imports(spec: Data) -> list[Data]:
    """Return the imports of an installation, each with its kind, and its key or object."""
    imports: list[Data] = []
    wanted = mapping(spec, "imports")
    for one in entries(wanted.get("data")):
        name = text(one.get("name"))
        if one.get("dataRef"):
            imports.append({"name": name, "kind": "data", "key": text(one.get("dataRef"))})
        for field, kind in _OBJECTS:
            reference = mapping(one, field)
            if reference:
                imports.append({"name": name, "kind": kind, "key": text(reference.get("name"))})
    for one in entries(wanted.get("targets")):
        name = text(one.get("name"))
        keys = [key for key in dependencies.imported_targets(one) if key]
        imports += [{"name": name, "kind": "target", "key": key} for key in keys]
    return imports


def _exports(spec: Data) -> list[Data]:
    given = mapping(spec, "exports")
    exports = [
        {"name": text(one.get("name")), "kind": "data", "key": text(one.get("dataRef"))}
        for one in entries(given.get("data"))
    ]
    return exports + [
        {"name": text(one.get("name")), "kind": "target", "key": text(one.get("target"))}
        for one in entries(given.get("targets"))
    ]


def _deploy_item(item: Any) -> Data:
    found: Data = {"name": item.name, "type": item.type}
    if item.target:
        found["target"] = item.target["name"]
    if item.depends_on:
        found["dependsOn"] = item.depends_on
    return found
