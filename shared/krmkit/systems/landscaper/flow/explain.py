"""Trace an import's value through mappings and scopes to its first object and file.

Values are not shown: they may be secrets.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.landscaper.apinames import object_name
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.causes import words
from krmkit.systems.landscaper.flow.dependencies import imported_targets
from krmkit.systems.landscaper.flow.landscape import Landscape
from krmkit.systems.landscaper.flow.outcome import LandscapeOptions, RenderedInstallation
from krmkit.systems.landscaper.items.identity import scope_of
from krmkit.systems.landscaper.items.installations import Items
from krmkit.systems.landscaper.items.redact import Secrets

_DEEPEST = 50


def explain(items: Items, path: str, value: str = "", options: LandscapeOptions | None = None) -> list[str]:
    """Return lines about one import, or all, of an installation (a path such as `shop/stack/web`).

    options: the options of the package's RenderInstallation. Raises InstallationError for an unknown
    installation or import.
    """
    landscape = Landscape(items.world, items.repository, _lenient(items, options))
    tree = _tree(landscape)
    rendered = tree.get(path)
    if rendered is None:
        raise InstallationError(
            "no-installation", f"there is no installation {path}" + did_you_mean(path, tree)
        )
    known = rendered.prerequisites
    if known is None and rendered.errors:
        raise rendered.errors[0]
    names = [one.name for one, _ in known.blueprint.all_imports()] if known is not None else []
    if value and value not in names:
        raise InstallationError(
            "import-not-found", f"the blueprint of {path} has no import {value}" + did_you_mean(value, names)
        )
    tracer = _Tracer(items, landscape, tree)
    for name in [value] if value else names:
        tracer.blueprint_import(rendered, name, 0)
    secrets = Secrets(items.world)  # a name made by a template may contain a secret
    return [secrets.scrub(line) for line in tracer.lines]


def paths_of(items: Items, options: LandscapeOptions | None = None) -> list[str]:
    """Return the paths of all installations, nested ones too, in the form that `explain` takes."""
    return list(_tree(Landscape(items.world, items.repository, _lenient(items, options))))


def _lenient(items: Items, options: LandscapeOptions | None) -> LandscapeOptions:
    """Return the options without the API server's refusals, which do not change the origin of a value."""
    return replace(options or LandscapeOptions(state=items.state), broken=frozenset(), refusals=None)


def _tree(landscape: Landscape) -> dict[str, RenderedInstallation]:
    return {one.path: one for root in landscape.run() for one in root.tree()}


@dataclass(slots=True)
class _Tracer:
    items: Items
    landscape: Landscape
    tree: dict[str, RenderedInstallation]
    lines: list[str] = field(default_factory=list)

    def say(self, depth: int, line: str) -> None:
        self.lines.append("  " * depth + line)

    def blueprint_import(self, rendered: RenderedInstallation, name: str, depth: int) -> None:
        """Explain an import of the blueprint: mapped, imported, defaulted, or without a value."""
        if depth > _DEEPEST:
            self.say(depth, "...")
            return
        spec = rendered.spec
        mappings = mapping(spec.get("importDataMappings"))
        state = "" if name in rendered.values else " (no value)"
        self.say(depth, f"{rendered.path}: import {name}{state}")
        wanted = _imports(spec)
        if name in mappings:
            used = [one for one in wanted if one in words(mappings[name])]
            self.say(depth + 1, f"spec.importDataMappings.{name}" + ("" if used else ": a constant"))
            for one in used:
                self.installation_import(rendered, wanted[one], depth + 2)
        elif name in wanted:
            self.installation_import(rendered, wanted[name], depth + 1)
        elif name in rendered.values:
            self.say(depth + 1, "the default of the blueprint")
        else:
            self.say(depth + 1, "nothing gives it a value")

    def installation_import(self, rendered: RenderedInstallation, entry: Data, depth: int) -> None:
        self.say(depth, f"spec.imports {text(entry.get('name'))}")
        for kind, name in (("Secret", "secretRef"), ("ConfigMap", "configMapRef")):
            source = mapping(entry.get(name))
            if source:
                key = f" key {text(source.get('key'))}" if source.get("key") else ""
                self.item(kind, rendered.namespace, text(source.get("name")), key, depth + 1)
        if entry.get("dataRef"):
            self.scoped(rendered, "DataObject", text(entry.get("dataRef")), depth + 1)
        for reference in imported_targets(entry):
            self.scoped(rendered, "Target", reference, depth + 1)
        for name in ("targetListRef", "targetMapRef"):
            if entry.get(name):
                self.from_parent(rendered, text(entry.get(name)), depth + 1)

    def scoped(self, rendered: RenderedInstallation, kind: str, reference: str, depth: int) -> None:
        """Explain an object of the installation's scope: an item, a parent's import, a sibling's export."""
        scope = scope_of(rendered.installation)
        name = object_name(scope, reference)
        owner = self.landscape.owners.get((kind, rendered.namespace, name))
        if owner is None:
            unknown = self.landscape.unknown.get((kind, rendered.namespace, name))
            if unknown:
                self.say(depth, f"{kind} {name}: export {reference} of {unknown}, which is not known")
            else:
                self.item(kind, rendered.namespace, name, "", depth)
            return
        if owner == rendered.path.rpartition("/")[0]:
            self.say(depth, f"{kind} {name} in the scope of {owner}")
            self.from_parent(rendered, reference.partition("[")[0], depth + 1)
            return
        self.say(depth, f"{kind} {name}: export {reference} of {owner}")
        spec = self.tree[owner].spec
        for list_name, key in (("data", "dataRef"), ("targets", "target")):
            for one in entries(mapping(spec, "exports").get(list_name)):
                if one.get(key) == reference:
                    mapped = text(one.get("name")) in mapping(spec, "exportDataMappings")
                    how = "exportDataMappings" if mapped else "the blueprint's export"
                    self.say(depth + 1, f"{owner}: {how} {text(one.get('name'))}")

    def from_parent(self, rendered: RenderedInstallation, name: str, depth: int) -> None:
        parent = self.tree.get(rendered.path.rpartition("/")[0])
        if parent is not None:
            self.blueprint_import(parent, name, depth)

    def item(self, kind: str, namespace: str, name: str, key: str, depth: int) -> None:
        place = self.items.place(kind, namespace, name)
        if place is None:
            self.say(depth, f"{kind} {name}{key}: not among the items")
            return
        file = place.file()
        self.say(depth, f"{kind} {name}{key}" + (f" in {file['path']}" if file else ""))


def _imports(spec: Data) -> dict[str, Data]:
    imports = mapping(spec, "imports")
    return {text(one.get("name")): one for kind in ("data", "targets") for one in entries(imports.get(kind))}
