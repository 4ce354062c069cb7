"""Show recorded causes, each with the place of its input in a file."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.analysis.why.trace import TracedResource, Tracer
from krmkit.kpt.resultlist import FunctionRun
from krmkit.krm.cause import Cause
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.libraries.json.paths import steps_of
from krmkit.render.findings.fieldtable import above, field_table, inner_mark, plain
from krmkit.render.findings.places import BLOCK
from krmkit.render.package import KPTFILE, Package


@dataclass(slots=True, frozen=True)
class ShownCause:
    """An input that set a value.

    `kind`: see krmkit.krm.cause, or `result` for a result of a program outside the catalog; `place`:
    `path:line:col`.
    """

    kind: str
    name: str
    place: str = ""


class _Holder:
    """An item that holds inputs; `prefix`: the path of a function's configMap in a Kptfile."""

    def __init__(self, subject: TracedResource, prefix: Path) -> None:
        self.text = subject.item.original
        self.kind = subject.kind
        self.path = subject.shown_path
        self.line = subject.item.location.line
        self.table = field_table(self.text, self.kind)
        self.prefix = prefix


class CausePlaces:
    """Find the places of inputs in the files of a package on disk; each place is looked up once."""

    def __init__(self, package: Package, tracer: Tracer) -> None:
        self._tracer = tracer
        self._functions = {
            (each.folder, function.field): (each, function)
            for each in package.walk()
            for function in each.functions
        }
        self._holders: dict[tuple[int, int], _Holder | None] = {}
        self._shown: dict[tuple[object, ...], ShownCause] = {}
        self._results: dict[int, dict[tuple[object, object], dict[str, list[str]]]] = {}

    def shown(self, run: FunctionRun, recorded: list[list[Cause]]) -> list[list[ShownCause]]:
        """Return the causes of several fields with their places, each once per field."""
        return [self._once(run, causes) for causes in recorded]

    def _once(self, run: FunctionRun, causes: list[Cause]) -> list[ShownCause]:
        found: dict[tuple[object, ...], ShownCause] = {}
        for cause in causes:
            key = (id(run), cause.kind, cause.name, id(cause.resource), cause.field, cause.file, cause.line)
            known = self._shown.get(key)
            if known is None:
                known = self._shown[key] = ShownCause(cause.kind, cause.name, self._place(run, cause))
            found[key] = known
        return list(found.values())

    def _place(self, run: FunctionRun, cause: Cause) -> str:
        resource, path = cause.resource, cause.field
        if resource is None:
            return ""
        key = (id(run), id(resource))
        if key not in self._holders:
            self._holders[key] = self._holder(run, resource)
        holder = self._holders[key]
        if holder is None:
            return ""
        if holder.prefix:
            path = (*holder.prefix, *path[1:]) if path[:1] == ("data",) else holder.prefix
        mark = inner_mark(holder.text, holder.kind, cause.file, path) if cause.file else None
        line, column = mark or holder.table.marks.get(path) or holder.table.mark(path)
        lines = holder.text.split("\n")
        if cause.line and BLOCK.search(lines[line - 1]):
            line += cause.line
            column = len(lines[line - 1]) - len(lines[line - 1].lstrip(" ")) + 1
        return f"{holder.path}:{holder.line + line - 1}:{column}"

    def _holder(self, run: FunctionRun, resource: Resource) -> _Holder | None:
        """Return the item with an input: a resource of the package, or the function's config."""
        subject = self._tracer.subject(run.causes.now(resource)) if run.causes is not None else None
        prefix: Path = ()
        if subject is None and resource is run.config and (run.package, run.field) in self._functions:
            package, function = self._functions[run.package, run.field]
            if function.config_path:
                subject = self._tracer.at(package.place(function.config_file))
            else:
                subject = self._tracer.at(package.place(KPTFILE))
                prefix = (*steps_of(function.field), "configMap")
        return None if subject is None else _Holder(subject, prefix)

    def reported(self, run: FunctionRun, subject: TracedResource, name: str) -> list[ShownCause]:
        """Return a foreign program's results about a field, its parents or the resource."""
        known = self._results.get(id(run))
        if known is None:
            known = self._results[id(run)] = _by_resource(run)
        fields = known.get((subject.kind, subject.item.name))
        if not fields:
            return []
        found = [text for path in ("", *above(name)) for text in fields.get(path, ())]
        return [ShownCause("result", text) for text in dict.fromkeys(found)]


def _by_resource(run: FunctionRun) -> dict[tuple[object, object], dict[str, list[str]]]:
    """Return the results of a run as texts, by resource and by field."""
    by_resource: dict[tuple[object, object], dict[str, list[str]]] = {}
    for result in run.results:
        reference, field, tags = result.get("resourceRef"), result.get("field"), result.get("tags")
        if not isinstance(reference, dict):
            continue
        path = plain(str(field.get("path", ""))) if isinstance(field, dict) else ""
        rule = str(tags.get("rule", "")) if isinstance(tags, dict) else ""
        text = f"{rule}: {result.get('message')}" if rule else str(result.get("message"))
        fields = by_resource.setdefault((reference.get("kind"), reference.get("name")), {})
        fields.setdefault(path, []).append(text)
    return by_resource
