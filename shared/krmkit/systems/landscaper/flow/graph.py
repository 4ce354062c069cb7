"""Show installations as a graph: their data flow, the order of their runs, and cycles.

graph_of(items).edges   # [Edge("shop/store", "shop/web", "store-address")]
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import mapping, text
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.flow import dependencies
from krmkit.systems.landscaper.flow.landscape import Landscape
from krmkit.systems.landscaper.flow.outcome import LandscapeOptions, RenderedInstallation
from krmkit.systems.landscaper.items.identity import roots_by_namespace
from krmkit.systems.landscaper.items.installations import Items
from krmkit.systems.landscaper.items.redact import Secrets


@dataclass(slots=True)
class Edge:
    """A flow of data: `source` exports `key` to `target`; both are paths of installations."""

    source: str
    target: str
    key: str


@dataclass(slots=True)
class Graph:
    """Paths in the order of the runs, each with its phase and its number of deploy items."""

    nodes: dict[str, tuple[str, int]] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def shown(self, form: str) -> str:
        """Format the graph as a table, for Graphviz, or for Mermaid."""
        return {"table": self._table, "dot": self._dot, "mermaid": self._mermaid}[form]()

    def _table(self) -> str:
        needs: dict[str, list[str]] = {}
        for edge in self.edges:
            needs.setdefault(edge.target, []).append(f"{edge.key} of {edge.source}")
        rows = [("INSTALLATION", "PHASE", "ITEMS", "NEEDS")]
        rows += [
            (path, phase, str(count), ", ".join(needs.get(path, [])))
            for path, (phase, count) in self.nodes.items()
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = [
            "  ".join([*(row[at].ljust(widths[at]) for at in range(3)), row[3]]).rstrip() for row in rows
        ]
        return "\n".join(lines) + "\n"

    def _dot(self) -> str:
        lines = ["digraph installations {", "  rankdir=LR;"]
        lines += [f"  {json.dumps(path)};" for path in self.nodes]
        lines += [
            f"  {json.dumps(edge.source)} -> {json.dumps(edge.target)} [label={json.dumps(edge.key)}];"
            for edge in self.edges
        ]
        return "\n".join([*lines, "}", ""])

    def _mermaid(self) -> str:
        ids = {path: f"i{number}" for number, path in enumerate(self.nodes)}
        lines = ["flowchart LR", *(f'  {ids[path]}["{path}"]' for path in self.nodes)]
        lines += [
            f'  {ids[edge.source]} -- "{edge.key}" --> {ids[edge.target]}'
            for edge in self.edges
            if edge.source in ids and edge.target in ids
        ]
        return "\n".join([*lines, ""])

    def data(self) -> dict[str, object]:
        """Return the graph as JSON data."""
        return {
            "installations": [
                {"path": path, "phase": phase, "deployItems": count}
                for path, (phase, count) in self.nodes.items()
            ],
            "edges": [{"from": edge.source, "to": edge.target, "key": edge.key} for edge in self.edges],
            "problems": self.problems,
        }


def graph_of(
    items: Items, options: LandscapeOptions | None = None, place: Callable[[Resource, str], str] | None = None
) -> Graph:
    """Return the graph of all installations among the items, nested ones too. Secrets in names are masked.

    options: the simulated exports of deploy items. place: returns the place of an item's field,
    `path:line:column`.
    """
    graph = Graph()
    for named in roots_by_namespace(items.world.of_kind("Installation")).values():
        graph.edges += flow_edges({name: mapping(one.get("spec")) for name, one in named.items()}, "")
    options = options or LandscapeOptions(state=items.state)
    landscape = Landscape(items.world, items.repository, options)
    for root in _in_order(landscape.run()):
        item = items.place("Installation", root.namespace, root.name)
        _add(graph, root, partial(place, item) if place is not None and item is not None else None)
    scrub = Secrets(items.world).scrub
    return Graph(
        {scrub(path): node for path, node in graph.nodes.items()},
        [Edge(*map(scrub, (edge.source, edge.target, edge.key))) for edge in graph.edges],
        [scrub(problem) for problem in graph.problems],
    )


def _in_order(roots: list[RenderedInstallation]) -> list[RenderedInstallation]:
    """Return the roots in the order of their runs, namespace by namespace."""
    by_namespace: dict[str, dict[str, RenderedInstallation]] = {}
    for root in roots:
        by_namespace.setdefault(root.namespace, {})[root.name] = root
    return [
        named[name]
        for named in by_namespace.values()
        for name in _order({name: root.spec for name, root in named.items()})
    ]


def _order(named: dict[str, Data]) -> list[str]:
    """Return the names, each after its dependencies. Cycles are ignored; `run` reports them."""
    return dependencies.order_with_cycles(dependencies.edges(named))[0]


def _add(graph: Graph, rendered: RenderedInstallation, place: Callable[[str], str] | None) -> None:
    """Add an installation and all nested ones.

    place: returns the place of a field of the root installation.
    """
    graph.nodes[rendered.path] = rendered.phase, len(rendered.deploy_items)
    for error in rendered.errors:
        where = f"{place('' if '/' in rendered.path else error.field)}: " if place is not None else ""
        graph.problems.append(f"{where}{rendered.path}: {error.message}")
    named = {text(one.get("name")): one for one in rendered.templates}
    graph.edges += flow_edges(named, f"{rendered.path}/")
    children = {child.path.rpartition("/")[2]: child for child in rendered.children}
    for name in _order(named):
        if name in children:
            _add(graph, children[name], place)


def flow_edges(named: dict[str, Data], prefix: str) -> list[Edge]:
    """Return the edges in one scope.

    named: specs or templates by name. prefix: goes in front of the names.
    """
    exported = dependencies.Exported.of(named)
    found: dict[tuple[str, str, str], None] = {}
    for name, spec in named.items():
        for kind, key in dependencies.imported_keys(spec):
            for owner in exported.owners(kind, key):
                if owner != name:
                    found[f"{prefix}{owner}", f"{prefix}{name}", key] = None
    return [Edge(*target) for target in found]
