"""Find the dependencies between installations of one scope, and the order in which they run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from krmkit.libraries.schema.fields import entries, mapping, sequence, text
from krmkit.systems.landscaper.errors import InstallationError

Edges = dict[str, list[str]]


@dataclass(slots=True)
class Exported:
    """The exports of one scope: exporting installations by exported key."""

    data: dict[str, list[str]] = field(default_factory=dict)
    targets: dict[str, list[str]] = field(default_factory=dict)

    def owners(self, kind: str, key: str) -> list[str]:
        return (self.targets if kind == "Target" else self.data).get(key, [])

    @classmethod
    def of(cls, named: dict[str, dict[str, object]]) -> Exported:
        """Collect the exports of installations: name -> a spec or template with `exports`."""
        found = cls()
        for name, spec in named.items():
            exports = mapping(spec.get("exports"))
            for export in entries(exports.get("data")):
                found.data.setdefault(text(export.get("dataRef")), []).append(name)
            for export in entries(exports.get("targets")):
                found.targets.setdefault(text(export.get("target")), []).append(name)
        return found


def imported_targets(target_import: dict[str, object]) -> list[str]:
    """Return the targets that an import names: target, targets and targetMap."""
    named = [target_import.get("target"), *sequence(target_import.get("targets"))]
    named += mapping(target_import, "targetMap").values()
    return [text(name) for name in named if text(name)]


def imported_keys(spec: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Yield kind and key of each DataObject and Target that a spec or template imports, in order."""
    imports = mapping(spec, "imports")
    for one in entries(imports.get("data")):
        yield "DataObject", text(one.get("dataRef"))
    for one in entries(imports.get("targets")):
        yield from (("Target", key) for key in imported_targets(one))


def edges(named: dict[str, dict[str, object]]) -> Edges:
    """Return the dependencies of each installation, in the order of its imports."""
    exported = Exported.of(named)
    found: Edges = {}
    for name, spec in named.items():
        needed = dict.fromkeys(one for kind, key in imported_keys(spec) for one in exported.owners(kind, key))
        found[name] = [other for other in needed if other != name]
    return found


def order(graph: Edges) -> list[str]:
    """Sort names so that each follows its dependencies; otherwise the order stays.

    Raises InstallationError.
    """
    result, cycles = _walk(graph)
    if cycles:
        raise InstallationError("cycle", f"the subinstallations have a cycle: {next(iter(cycles.values()))}")
    return result


def order_with_cycles(graph: Edges) -> tuple[list[str], dict[str, str]]:
    """Sort names by their dependencies, but ignore those of names in cycles; return also the cycles.

    order_with_cycles({"a": ["b"], "b": ["a"], "c": ["a"]})[0]   # ["a", "b", "c"]
    """
    result, cycles = _walk(graph)
    if cycles:
        result, _ = _walk({name: [] if name in cycles else others for name, others in graph.items()})
    return result, cycles


def _walk(graph: Edges) -> tuple[list[str], dict[str, str]]:
    """Return the names in order, ignoring dependencies that close a cycle, and the cycles by name."""
    done: dict[str, bool] = {}
    result: list[str] = []
    cycles: dict[str, str] = {}
    for start in graph:
        if start in done:
            continue
        done[start] = False
        path = [start]
        waiting = [iter(graph[start])]
        while path:
            following = next(waiting[-1], None)
            if following is None:
                waiting.pop()
                name = path.pop()
                done[name] = True
                result.append(name)
            elif following not in graph:
                continue
            elif following not in done:
                done[following] = False
                path.append(following)
                waiting.append(iter(graph[following]))
            elif not done[following]:
                names = path[path.index(following) :]
                shown = " -{depends_on}-> ".join([*names, following])
                for name in names:
                    cycles.setdefault(name, shown)
    return result, cycles


def needed(graph: dict[str, list[str]], wanted: list[str]) -> dict[str, list[str]]:
    """Return the part of the graph that the wanted installations need."""
    kept: set[str] = set()
    pending = [name for name in wanted if name in graph]
    while pending:
        name = pending.pop()
        if name not in kept:
            kept.add(name)
            pending += graph[name]
    return {name: others for name, others in graph.items() if name in kept}
