"""Render trees of installations in the controllers' order: imports, nested ones, deploy items, exports.

    landscape = Landscape(World.of(objects), repository)
    for rendered in landscape.run():
        rendered.phase, rendered.errors, rendered.objects

Nothing is deployed: exports of deploy items come from `LandscapeOptions`. An export that is not given is
unknown, and installations that need it wait.
"""

from __future__ import annotations

import gc
from collections.abc import Collection

from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.landscaper.apinames import GROUP, object_name
from krmkit.systems.landscaper.components.descriptors import ComponentRepository, Data
from krmkit.systems.landscaper.components.schemarefs import SchemaScope
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow import dependencies, exports, imports, outcome, subinstallations
from krmkit.systems.landscaper.flow import scopes as scoped
from krmkit.systems.landscaper.flow.deployitems import decode as decode_deploy_items
from krmkit.systems.landscaper.flow.deployitems import deploy_item_object
from krmkit.systems.landscaper.flow.importvalues import construct
from krmkit.systems.landscaper.flow.outcome import (
    FAILED,
    SUCCEEDED,
    WAITING,
    LandscapeOptions,
    RenderedInstallation,
)
from krmkit.systems.landscaper.flow.sources import Prerequisites, prerequisites
from krmkit.systems.landscaper.items.identity import (
    name_of,
    namespace_of,
    parent_of,
    roots_by_namespace,
    scope_of,
    template_of,
)
from krmkit.systems.landscaper.items.objects import Key, World
from krmkit.systems.landscaper.templates.executors import Templater, template_values
from krmkit.systems.landscaper.templates.spiff import map_data

MOCK_TYPE = f"{GROUP}/mock"
_DEEPEST = 30
_MOST = 10_000


class Landscape:
    """The installations of a world, in the order of their data flow."""

    def __init__(
        self, world: World, repository: ComponentRepository, options: LandscapeOptions | None = None
    ) -> None:
        self.world = world
        self.repository = repository
        self.options = options or LandscapeOptions()
        self.unknown: dict[tuple[str, str, str], str] = {}
        self.owners: dict[Key, str] = {}
        self.earlier: dict[Key, Data | None] = {}
        self.count = 0
        self.nested = {
            (namespace_of(one), parent_of(one), template_of(one)): name_of(one)
            for one in world.of_kind("Installation")
            if parent_of(one)
        }

    def run(self, wanted: list[str] | None = None) -> list[RenderedInstallation]:
        """Return all roots, or the named ones with their dependencies; each after its dependencies."""
        found: list[RenderedInstallation] = []
        for named in roots_by_namespace(self.world.of_kind("Installation")).values():
            found += self._siblings(named, wanted)
        return found

    def _siblings(self, named: dict[str, Data], wanted: list[str] | None) -> list[RenderedInstallation]:
        specs = {name: outcome.flow_spec(mapping(one.get("spec"))) for name, one in named.items()}
        graph = dependencies.edges(specs)
        if wanted is not None:
            graph = dependencies.needed(graph, wanted)
        order, cycles = dependencies.order_with_cycles(graph)
        done = {
            name: RenderedInstallation(
                named[name],
                name,
                FAILED,
                [InstallationError("cycle", f"the installations have a cycle: {shown}", "spec.imports")],
            )
            for name, shown in cycles.items()
        }
        for name in order:
            if name in done:
                continue
            done[name] = self.render(named[name], name, [done[other] for other in graph[name]])
            # Trees of texts and templates have cycles of references, and a function's process runs no garbage
            # collection by itself. Generation 0 has the objects of this installation only.
            gc.collect(0)
        return [done[name] for name in graph if name in done]

    def render(
        self, installation: Data, path: str, before: list[RenderedInstallation], depth: int = 0
    ) -> RenderedInstallation:
        """Render one installation and all nested ones. before: the siblings that it depends on."""
        rendered = RenderedInstallation(installation, path)
        rendered.after = frozenset().union(*({one.path} | one.after for one in before))
        if (rendered.namespace, rendered.name) in self.options.broken:
            rendered.phase = FAILED
            self._exports_unknown(rendered)
            return rendered
        self.count += 1
        if depth > _DEEPEST or self.count > _MOST:
            rendered.phase = FAILED
            rendered.errors.append(
                InstallationError(
                    "limit", f"installations are nested more than {_DEEPEST} deep, or are more than {_MOST:,}"
                )
            )
            return rendered
        try:
            self._render(rendered, before, depth)
        except InstallationError as error:
            rendered.errors.append(error)
        if rendered.errors or any(child.phase == FAILED for child in rendered.children):
            rendered.phase = FAILED
        elif rendered.waits_for or any(child.phase == WAITING for child in rendered.children):
            rendered.phase = WAITING
        else:
            rendered.phase = SUCCEEDED
        if rendered.phase != SUCCEEDED:
            self._exports_unknown(rendered)
        return rendered

    def _render(self, rendered: RenderedInstallation, before: list[RenderedInstallation], depth: int) -> None:
        known = prerequisites(self.world, self.repository, rendered.installation)
        rendered.prerequisites = known
        for other in before:
            if other.phase == FAILED:
                raise InstallationError(
                    "predecessor-failed",
                    f'depending on installation "{other.namespace}/{other.name}" which is not succeeded',
                )
        if self._waits(rendered):
            return
        scope = SchemaScope(
            known.blueprint.local_types, known.blueprint.files, known.component, self.repository
        )
        self._imports(rendered, known, scope)
        if rendered.errors:
            return
        templater = self._templater(rendered, known)
        values = template_values(templater, rendered.values, known.shown_spec(rendered.spec))
        rendered.values = templater.bindings(values, rendered.values)
        values["imports"] = rendered.values
        copies = scoped.import_copies(
            known.blueprint.imports, rendered.values, rendered.imports, rendered.name, rendered.namespace
        )
        self._write(rendered, copies)
        if self._replaced(rendered):
            return
        made = self._nested(rendered, known, templater, values)
        self._deploy_items(rendered, known, templater, values)
        self._children(rendered, made, depth)
        if all(child.phase == SUCCEEDED for child in rendered.children):
            self._exports(rendered, templater, values, scope)

    def _waits(self, rendered: RenderedInstallation) -> bool:
        for reference, key in outcome.named(rendered):
            owner = self.unknown.get(key, "")
            if owner and self.world.get(*key) is None and not outcome.too_late(owner, rendered):
                rendered.waits_for.append(f"{reference} of {owner}")
        return bool(rendered.waits_for)

    def _imports(self, rendered: RenderedInstallation, known: Prerequisites, scope: SchemaScope) -> None:
        """Set the values of the blueprint's imports, or all errors about them."""
        spec = rendered.spec
        wanted = mapping(spec.get("imports"))
        outer = scope_of(rendered.installation)
        rendered.imports, missing = imports.resolve(
            outcome.visible(self.world, self.earlier, self.owners, rendered),
            rendered.namespace,
            outer,
            wanted,
        )
        rendered.errors += missing.values()
        mappings = mapping(spec.get("importDataMappings"))
        title = f"import mapping template {rendered.name}."
        rendered.mapped, errors = map_data(
            mappings, rendered.imports.values, "import-mapping", title, "spec.importDataMappings"
        )
        # A mapping that fails because an import is missing adds nothing new.
        rendered.errors += [error for error in errors if not imports.is_about(error, missing)]
        failed = missing.keys() | (mappings.keys() - rendered.mapped.keys())
        found = construct(known.blueprint, rendered.imports, rendered.mapped, scope, rendered.name, failed)
        rendered.values = found.values
        rendered.errors += found.findings

    def _templater(self, rendered: RenderedInstallation, known: Prerequisites) -> Templater:
        rendered.state = dict(self.options.state.get(rendered.name, {}))
        templater = Templater(
            known.blueprint, known.component, known.closure, self.repository, rendered.state, self.options.now
        )
        rendered.unknown_fields = templater.unknown
        return templater

    def _replaced(self, rendered: RenderedInstallation) -> bool:
        """Return whether a template gives the exports of the whole installation; if so, write them."""
        find = self.options.installation_exporter
        told = find(rendered) if find is not None else None
        if told is None:
            return False
        rendered.exports = dict(mapping(told.get("dataExports")))
        for one in entries(told.get("targetExports")):
            rendered.exports[text(one.get("name"))] = one
        self._write_exports(rendered)
        return True

    def _write_exports(self, rendered: RenderedInstallation, dropped: Collection[str] = ()) -> None:
        """Write the objects of the exports. Each must have a value. dropped: undeclared exports."""
        exports.check_defined(rendered.exports, rendered.spec, rendered.name, dropped)
        scope = scope_of(rendered.installation)
        made = scoped.exported_objects(
            rendered.exports, rendered.spec, rendered.name, rendered.namespace, scope
        )
        rendered.exported = made
        self._write(rendered, made)

    def _nested(
        self, rendered: RenderedInstallation, known: Prerequisites, templater: Templater, values: Data
    ) -> list[Data]:
        """Return the nested Installations, in the order of their runs."""
        templates = templater.subinstallations(values) + known.blueprint.subinstallations()
        templates = subinstallations.prune(templates, known.blueprint, rendered.values)
        subinstallations.validate(templates, known.blueprint)
        rendered.templates = templates
        named = {text(one.get("name")): one for one in templates}
        rendered.order = dependencies.order(dependencies.edges(named))
        made = []
        for name, template in named.items():
            own = self._name(rendered, name)
            where = known.component, self.repository, known.repository_context
            made.append(subinstallations.installation_object(rendered.installation, *where, template, own))
        self._write(rendered, made)
        return made

    def _name(self, rendered: RenderedInstallation, template: str) -> str:
        """Return the name of a nested installation: configured, else existing, else made of both names."""
        told = self.options.names.get(f"{rendered.path}/{template}")
        there = self.nested.get((rendered.namespace, rendered.name, template))
        return told or there or subinstallations.default_name(rendered.name, template)

    def _deploy_items(
        self, rendered: RenderedInstallation, known: Prerequisites, templater: Templater, values: Data
    ) -> None:
        rendered.deploy_items = decode_deploy_items(
            templater.deploy_items(values), rendered.imports, rendered.namespace
        )
        rendered.templater = templater
        self._write(
            rendered,
            [
                deploy_item_object(item, rendered.name, rendered.namespace, known.context_name)
                for item in rendered.deploy_items
            ],
        )

    def _children(self, rendered: RenderedInstallation, made: list[Data], depth: int) -> None:
        by_template = dict(zip([text(one.get("name")) for one in rendered.templates], made, strict=True))
        graph = dependencies.edges(
            {text(one.get("name")): outcome.flow_spec(one) for one in rendered.templates}
        )
        done: dict[str, RenderedInstallation] = {}
        for template in rendered.order:
            before = [done[other] for other in graph[template]]
            done[template] = self.render(
                by_template[template], f"{rendered.path}/{template}", before, depth + 1
            )
        rendered.children = [done[name] for name in by_template]

    def _item_exports(self, rendered: RenderedInstallation) -> Data:
        """Return the exports of the deploy items by name; nil if there are none or they are unknown."""
        found: Data = {}
        told = self.options.deploy_item_exports
        for item in rendered.deploy_items:
            keys = (f"{rendered.path}/{item.name}", f"{rendered.name}/{item.name}", item.name)
            key = next((one for one in keys if one in told), None)
            value: object = told[key] if key is not None else None
            if key is None and self.options.exporter is not None:
                value = self.options.exporter(rendered, item)
            if value is None and key is None and item.type == MOCK_TYPE:
                value = mapping(item.config).get("export")
            if value is None and key is None and item.type != MOCK_TYPE:
                rendered.unknown_items.append(item.name)
            found[item.name] = value
        return found

    def _exports(
        self, rendered: RenderedInstallation, templater: Templater, values: Data, scope: SchemaScope
    ) -> None:
        known = templater.blueprint
        item_exports = self._item_exports(rendered)
        if rendered.deploy_items and (
            self.options.unknown_is_nil or any(value is not None for value in item_exports.values())
        ):
            self._write(rendered, [scoped.execution_exports(item_exports, rendered.name, rendered.namespace)])
        internal = exports.internal_values(self.world, rendered.namespace, rendered.name, item_exports)
        try:
            given = templater.exports({**values, **internal, "values": internal})
            rendered.exports = exports.construct(given, known, rendered.spec, rendered.name, scope)
            self._write_exports(rendered, [name for name in given if name not in rendered.exports])
        except InstallationError:
            if self.options.unknown_is_nil or not rendered.unknown_items:
                raise
            rendered.waits_for += [f"exports of deploy item {name}" for name in rendered.unknown_items]

    def _write(self, rendered: RenderedInstallation, made: list[Data]) -> None:
        """Write an installation's objects; an object of another installation is a conflict."""
        for item in made:
            key = str(item["kind"]), namespace_of(item), name_of(item)
            owner = self.owners.setdefault(key, rendered.path)
            if owner != rendered.path:
                raise InstallationError(
                    "owner-conflict",
                    f"{key[0]} {key[2]} is made by installation {owner} already, and has one owner",
                )
            self._admit(rendered, item)
            self.earlier.setdefault(key, self.world.get(*key))
            self.world.add(item)
            rendered.objects.append(item)

    def _admit(self, rendered: RenderedInstallation, item: Data) -> None:
        """Raise refused-object if the API server refuses an object of the installation."""
        found = self.options.refusals(item) if self.options.refusals is not None else []
        made = f"{item['kind']} {namespace_of(item)}/{name_of(item)}, made by {rendered.path}"
        errors = [InstallationError("refused-object", f"the API refuses {made}, {one}") for one in found]
        if errors:
            rendered.errors += errors[:-1]
            raise errors[-1]

    def _exports_unknown(self, rendered: RenderedInstallation) -> None:
        """Mark the exports of a failed or waiting installation as unknown: their importers wait."""
        scope = scope_of(rendered.installation)
        wanted = mapping(rendered.spec.get("exports"))
        for kind, list_name, key_name in (("DataObject", "data", "dataRef"), ("Target", "targets", "target")):
            for one in entries(wanted.get(list_name)):
                key = object_name(scope, text(one.get(key_name)))
                self.unknown[kind, rendered.namespace, key] = rendered.path
