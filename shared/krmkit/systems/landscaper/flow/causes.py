"""The causes of the values of an installation's objects: mappings, imports and their objects, templates.

DataObject of the import replicas of the Installation greeter
  mapping importDataMappings.replicas
  config  imports.data[0]
  resource ConfigMap/shop/greeter-settings
"""

from __future__ import annotations

from collections.abc import Callable

from krmkit.krm.cause import Cause, PathCauses, config_cause, resource_cause
from krmkit.krm.resource import Resource
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.gotemplate import TemplateError, root_fields
from krmkit.libraries.schema.fields import entries, leaves, mapping, sequence, text
from krmkit.systems.landscaper.apinames import EXPORT, KEY_LABEL, SOURCE_TYPE_LABEL, object_name
from krmkit.systems.landscaper.blueprint.blueprints import GO_TEMPLATE, Executor
from krmkit.systems.landscaper.blueprint.files import BLUEPRINT_FILE
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.dependencies import imported_targets
from krmkit.systems.landscaper.flow.outcome import RenderedInstallation
from krmkit.systems.landscaper.items.identity import scope_of
from krmkit.systems.landscaper.yaml import load

Find = Callable[[str, str, str], Resource | None]
_LISTS = (("data", "dataRef"), ("targets", "target"))


class InstallationCauses:
    """The causes of one installation's objects. `find` gives an item by kind, namespace and name."""

    def __init__(self, rendered: RenderedInstallation, find: Find) -> None:
        self.rendered = rendered
        self.find = find
        self.own = find("Installation", rendered.namespace, rendered.name)
        self._imports: dict[str, list[Cause]] = {}
        self._executors: dict[int, list[Cause]] = {}
        items = [one for one in rendered.objects if one.get("kind") == "DeployItem"]
        self._made_by = {id(one): executor for one, executor in zip(items, rendered.executors, strict=False)}

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
            executor = self._made_by.get(id(item))
            if executor is not None:
                found.set((), *self._of_executor(executor, "deployExecutions"))
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
        """Return the imports of the installation by name: list, position and entry."""
        wanted = mapping(self.rendered.spec.get("imports"))
        return {
            text(one.get("name")): (name, index, one)
            for name, _ in _LISTS
            for index, one in enumerate(sequence(wanted.get(name)))
            if isinstance(one, dict)
        }

    def _of_entry(self, name: str, index: int, entry: Data) -> list[Cause]:
        """Return the cause for an import of the installation, and for the objects that it names."""
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

    def _template(self, section: str, name: str, file: str, kind: str = "template") -> Cause:
        """Return the cause for a part of the blueprint, with a place if it is inline."""
        field = ("spec", "blueprint", "inline", "filesystem", *file.strip("/").split("/"))
        inline = "inline" in mapping(self.rendered.spec.get("blueprint"))
        return Cause(kind, f"{section}.{name}" if name else section, self.own if inline else None, field)

    def _of_executor(self, executor: Executor, section: str) -> list[Cause]:
        """Return the template of an executor, and the causes of the imports that it names."""
        known = self._executors.get(id(executor))
        if known is None:
            known = [self._template(section, executor.name, executor.file or BLUEPRINT_FILE)]
            for name in self._used(executor):
                known += self.of_import(name)
            known = self._executors[id(executor)] = _once(known)
        return known

    def _used(self, executor: Executor) -> list[str]:
        """Return the imports that a template names; all of them if it uses the whole map."""
        known = list(self.rendered.values)
        blueprint = self.rendered.prerequisites.blueprint if self.rendered.prerequisites is not None else None
        if blueprint is None:
            return known
        try:
            if executor.type == GO_TEMPLATE:
                source = executor.text(blueprint.files)
                chains = [one for one in root_fields(source) if one[0] == "imports"]
                if "include" in source or ("imports",) in chains:
                    return known
                return [name for name in known if any(name == one[1] for one in chains)]
            template = executor.template
            if template is None:
                template = load(executor.text(blueprint.files))
            found = words(load(template) if isinstance(template, str) else template)
        except (GoInputError, InstallationError, TemplateError):
            return known
        return [name for name in known if name in found]


def _once(causes: list[Cause]) -> list[Cause]:
    found: dict[tuple[object, ...], Cause] = {}
    for one in causes:
        found.setdefault((one.kind, one.name, id(one.resource), one.field), one)
    return list(found.values())


def words(value: object) -> set[str]:
    """Return the names in the spiff expressions inside a value: `words("(( a.b ))")` is {"a", "b"}."""
    import re

    expressions = (one for one in leaves(value) if isinstance(one, str) and "((" in one)
    return {word for one in expressions for word in re.findall(r"[A-Za-z0-9_][A-Za-z0-9_-]*", one)}
