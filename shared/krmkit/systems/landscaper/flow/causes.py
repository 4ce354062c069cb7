"""Find the causes of values in an installation's objects: mappings, imports and their objects, templates.

DataObject of the import replicas of the Installation greeter
  mapping importDataMappings.replicas
  config  imports.data[0]
  resource ConfigMap/shop/greeter-settings
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate

from krmkit.krm.cause import Cause, PathCauses, config_cause, resource_cause
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.libraries.gotemplate import OutputPart, TemplateError
from krmkit.libraries.schema.fields import entries, leaves, mapping, sequence, text
from krmkit.libraries.yaml.fields import fields_of
from krmkit.systems.landscaper.apinames import EXPORT, KEY_LABEL, SOURCE_TYPE_LABEL, object_name
from krmkit.systems.landscaper.blueprint.blueprints import GO_TEMPLATE, Executor
from krmkit.systems.landscaper.blueprint.files import BLUEPRINT_FILE, clean
from krmkit.systems.landscaper.components.configmaps import DESCRIPTOR_KEY, escape
from krmkit.systems.landscaper.components.descriptors import Component, Data
from krmkit.systems.landscaper.flow.dependencies import imported_targets
from krmkit.systems.landscaper.flow.outcome import RenderedInstallation
from krmkit.systems.landscaper.items.identity import scope_of
from krmkit.systems.landscaper.templates.executors import ItemSource
from krmkit.systems.landscaper.yaml import load

Find = Callable[[str, str, str], Resource | None]
_LOOKUPS = ("getResource", "getResources", "getResourceKey", "getResourceContent", "getComponent")
_BETWEEN = " \n\t-,{["  # what stands between a value and the next key
_LISTS = (("data", "dataRef"), ("targets", "target"))


class InstallationCauses:
    """The causes of one installation's objects. `find` returns an item by kind, namespace and name."""

    def __init__(self, rendered: RenderedInstallation, find: Find) -> None:
        self.rendered = rendered
        self.find = find
        self.own = find("Installation", rendered.namespace, rendered.name)
        self._imports: dict[str, list[Cause]] = {}
        self._above: dict[str, int] = {}
        items = [one for one in rendered.objects if one.get("kind") == "DeployItem"]
        sources = rendered.templater.item_sources if rendered.templater is not None else []
        self._sources = {id(one): source for one, source in zip(items, sources, strict=False)}

    def of(self, item: Data) -> PathCauses:
        """Return the causes of the paths of one object."""
        found = PathCauses()
        if self.own is not None:
            found.set((), resource_cause(self.own, "metadata", "name"))
        kind = item.get("kind")
        labels = mapping(mapping(item.get("metadata")).get("labels"))
        key = text(labels.get(KEY_LABEL))
        if kind in ("DataObject", "Target") and key:
            is_export = labels.get(SOURCE_TYPE_LABEL) == EXPORT
            causes = self._export(key) if is_export else self.of_import(key)
            found.set(("data" if kind == "DataObject" else "spec",), *causes)
        elif kind == "DeployItem":
            source = self._sources.get(id(item))
            if source is not None:
                template, is_go = self._of_line(source.executor, 0), source.executor.type == GO_TEMPLATE
                values = list((self._of_parts if is_go else self._of_spiff)(source))
                used = [one for _, causes in values for one in causes if one.kind != template.kind]
                found.set((), *found.at(()), template)
                found.set(("spec",), template, *_once(used))
                for path, causes in values:
                    found.set(("spec", *path), *causes)
                if self.own is not None:
                    found.set(("spec", "context"), resource_cause(self.own, "spec", "context"))
        elif kind == "Installation":
            found.set((), self._template("subinstallations", "", BLUEPRINT_FILE))
        return found

    def of_import(self, name: str) -> list[Cause]:
        """Return the source of an import's value: a mapping, an import, or the default."""
        known = self._imports.get(name)
        if known is None:
            spec = self.rendered.spec
            mappings = mapping(spec.get("importDataMappings"))
            given = self._given()
            if name in mappings:
                known = [self._field("mapping", "importDataMappings", name)]
                for one in (one for one in given if one in words(mappings[name])):
                    known += self._of_entry(*given[one])
            elif name in given:
                known = self._of_entry(*given[name])
            else:
                known = [self._template("imports", name, BLUEPRINT_FILE, kind="default")]
            self._imports[name] = known
        return known

    def _given(self) -> dict[str, tuple[str, int, Data]]:
        """Return (list, position, entry) of each import of the installation, by its name."""
        wanted = mapping(self.rendered.spec.get("imports"))
        return {
            text(one.get("name")): (name, index, one)
            for name, _ in _LISTS
            for index, one in enumerate(sequence(wanted.get(name)))
            if isinstance(one, dict)
        }

    def _of_entry(self, name: str, index: int, entry: Data) -> list[Cause]:
        """Return the causes of an imports entry: the entry, and the objects that it names."""
        found: list[Cause] = []
        if self.own is not None:
            found.append(config_cause(self.own, "spec", "imports", name, index, "name"))
            found[-1].name = f"imports.{name}[{index}]"
        for kind, field, part in (("Secret", "secretRef", "data"), ("ConfigMap", "configMapRef", "data")):
            source = mapping(entry.get(field))
            if source:
                inner = (part, text(source.get("key"))) if source.get("key") else (part,)
                found.append(self._object(kind, text(source.get("name")), *inner))
        scope = scope_of(self.rendered.installation)
        if entry.get("dataRef"):
            found.append(self._object("DataObject", object_name(scope, text(entry.get("dataRef"))), "data"))
        targets = [object_name(scope, one) for one in imported_targets(entry)]
        return found + [self._object("Target", one, "spec") for one in targets]

    def _object(self, kind: str, name: str, *field: str) -> Cause:
        item = self.find(kind, self.rendered.namespace, name)
        if item is None:
            return Cause("resource", f"{kind}/{self.rendered.namespace}/{name}")
        return resource_cause(item, *field)

    def _export(self, key: str) -> list[Cause]:
        spec = self.rendered.spec
        wanted = mapping(spec.get("exports"))
        for name, field in _LISTS:
            for index, one in enumerate(entries(wanted.get(name))):
                if one.get(field) != key:
                    continue
                exported = text(one.get("name"))
                if exported in mapping(spec.get("exportDataMappings")):
                    found = [self._field("mapping", "exportDataMappings", exported)]
                else:
                    found = [self._template("exports", exported, BLUEPRINT_FILE)]
                if self.own is not None:
                    found.append(config_cause(self.own, "spec", "exports", name, index))
                return found
        return []

    def _field(self, kind: str, *field: str) -> Cause:
        return Cause(kind, ".".join(field), self.own, ("spec", *field))

    def _template(self, section: str, name: str, file: str, kind: str = "template", line: int = 0) -> Cause:
        """Return the cause for a part of the blueprint, with a place if an item holds its file."""
        known = self.rendered.prerequisites
        title = f"{section}.{name}" if name else section
        if "inline" in mapping(self.rendered.spec.get("blueprint")):
            inner = ("spec", "blueprint", "inline", "filesystem", *clean(file).split("/"))
            return Cause(kind, title, self.own, inner, line=line)
        carrier = known.blueprint.files.carrier if known is not None else None
        return Cause(kind, title, carrier, ("data", escape(clean(file))), line=line)

    def _of_line(self, executor: Executor, line: int) -> Cause:
        """Return the cause for a template, at a line of its text."""
        known = self._above.get(executor.name)
        if known is None:
            known = self._above[executor.name] = 0 if executor.file else self._lines_above(executor.name)
        line = line + known if line and known >= 0 else 0
        return self._template("deployExecutions", executor.name, executor.file or BLUEPRINT_FILE, line=line)

    def _lines_above(self, name: str) -> int:
        """Return the number of lines above an executor's template in the blueprint; -1 if unknown."""
        known = self.rendered.prerequisites
        fields = fields_of(known.blueprint.files.text(BLUEPRINT_FILE)) if known is not None else None
        for path, value in fields.values.items() if fields is not None else ():
            if path[::2] == ("deployExecutions", "name") and value == name and fields is not None:
                return fields.marks.get((*path[:2], "template"), (-1,))[0]
        return -1

    def _of_parts(self, source: ItemSource) -> Iterator[tuple[Path, list[Cause]]]:
        """Yield each value of a deploy item with the causes of the parts of the template that wrote it."""
        templater = self.rendered.templater
        assert templater is not None
        try:
            output, parts = templater.parts(source)
        except TemplateError:
            return  # it depends on a state that has changed since
        fields = fields_of(output)
        if fields is None:
            return
        text = source.executor.text(templater.blueprint.files)
        lines = [0, *accumulate(len(line) + 1 for line in output.split("\n"))]
        starts = {path: lines[line - 1] + column - 1 for path, (line, column) in fields.marks.items()}
        begins = [one.start for one in parts]
        order = sorted({*starts.values(), len(output)})
        for path, value in fields.values.items():
            if path[:2] != ("deployItems", source.number):
                continue
            start = starts[path]
            end = start + len(output[start : order[bisect_right(order, start)]].rstrip(_BETWEEN))
            wrote = parts[bisect_right(begins, start) - 1 : bisect_left(begins, end)]
            place = wrote[0].pos + (start - wrote[0].start if wrote[0].is_text else 0)
            causes = [self._of_line(source.executor, text.count("\n", 0, place) + 1)]
            causes += (cause for one in wrote for cause in self._of_part(one))
            yield self._with_target(path[2:], value, causes)

    def _of_spiff(self, source: ItemSource) -> Iterator[tuple[Path, list[Cause]]]:
        """Yield the values of a deploy item that its template has: constants, and expressions of imports."""
        executor, known = source.executor, self.rendered.prerequisites
        assert known is not None
        is_text = executor.template is None or isinstance(executor.template, str)
        text = executor.text(known.blueprint.files) if is_text else ""
        whole = mapping(load(text) if is_text else executor.template)
        items = whole.get("deployItems")
        fields = fields_of(text)
        rest: list[tuple[Path, object]] = [((), items)]
        while rest:
            path, value = rest.pop()
            if isinstance(value, dict) and "<<" not in "".join(map(str, value)):
                rest += [((*path, key), inner) for key, inner in value.items()]
            elif isinstance(value, list) and not words([one for one in value if isinstance(one, str)]):
                rest += [((*path, number), inner) for number, inner in enumerate(value)]
            elif path[:1] == (source.number,) and not isinstance(value, dict | list):
                used, names = words(value), list(self.rendered.values)
                # An expression without them, or with another key of the template, may stand for any of them.
                if not used or (used & {*names} and used.isdisjoint(whole.keys() - {"deployItems"})):
                    names = [name for name in names if name in used]
                mark = fields.marks.get(("deployItems", *path)) if fields is not None else None
                causes = [self._of_line(executor, mark[0] if mark else 0)]
                causes += (cause for name in names for cause in self.of_import(name))
                yield self._with_target(path[1:], value, causes)

    def _with_target(self, path: Path, value: object, causes: list[Cause]) -> tuple[Path, list[Cause]]:
        """Return the path in `spec` of a value with its causes: a target is that of an import."""
        if path == ("target", "import"):
            return ("target",), _once([*causes, *self.of_import(text(value))])
        return path, _once(causes)

    def _of_part(self, part: OutputPart) -> Iterator[Cause]:
        """Yield the causes of what a part of a template reads: imports, and members of descriptors."""
        known = self.rendered.values
        for chain in sorted(part.fields):
            if chain[:1] == ("imports",) and chain[1:2]:
                yield from self.of_import(chain[1]) if chain[1] in known else ()
            elif chain in ((), ("imports",)):
                yield from (cause for name in known for cause in self.of_import(name))
        sources = self.rendered.prerequisites
        component = sources.component if sources is not None else None
        wanted = [call for call in sorted(part.calls) if call[0] in _LOOKUPS]
        if component is None or not (
            wanted or any(one[:1] in (("cd",), ("components",)) for one in part.fields)
        ):
            return
        for call in wanted or [("",)]:
            yield _of_component(component, call[call.index("name") + 1] if "name" in call[:-1] else "")


def _of_component(component: Component, name: str) -> Cause:
    """Return the cause for a resource of a component, or for the component if the name is not known."""
    item = component.carrier
    fields = fields_of(item.string("data", DESCRIPTOR_KEY)) if item is not None and name else None
    line = 0
    for path, value in fields.values.items() if fields is not None else ():
        if value == name and path[-1] == "name" and "resources" in path and fields is not None:
            line = line or fields.marks[path][0]
    title = f"{component.name}:{component.version} {name}".rstrip()
    return Cause("component", title, item, ("data", DESCRIPTOR_KEY), line=line)


def _once(causes: list[Cause]) -> list[Cause]:
    found: dict[tuple[object, ...], Cause] = {}
    for one in causes:
        found.setdefault((one.kind, one.name, id(one.resource), one.field, one.line), one)
    return list(found.values())


def words(value: object) -> set[str]:
    """Return the names in the spiff expressions inside a value: `words("(( a.b ))")` is {"a", "b"}."""
    import re

    expressions = (one for one in leaves(value) if isinstance(one, str) and "((" in one)
    return {word for one in expressions for word in re.findall(r"[A-Za-z0-9_][A-Za-z0-9_-]*", one)}
