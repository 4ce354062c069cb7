"""Model the options of a landscape, and the outcome of each installation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from krmkit.libraries.schema.fields import mapping
from krmkit.systems.landscaper.apinames import object_name
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.dependencies import imported_keys
from krmkit.systems.landscaper.flow.deployitems import DeployItem
from krmkit.systems.landscaper.flow.imports import Imports
from krmkit.systems.landscaper.flow.sources import Prerequisites
from krmkit.systems.landscaper.items.identity import name_of, namespace_of, scope_of
from krmkit.systems.landscaper.items.objects import Key, World
from krmkit.systems.landscaper.templates.executors import Templater

SUCCEEDED, FAILED, WAITING = "Succeeded", "Failed", "Waiting"


@dataclass(slots=True)
class LandscapeOptions:
    """The options of a landscape.

    deploy_item_exports: by `<path of the installation>/<item>`, by `<installation>/<item>` or by the item's
    name. exporter: returns the exports of a deploy item, None if no template matches. installation_exporter:
    returns the exports {dataExports, targetExports} of a whole installation, whose inside is then not
    rendered. names: names of nested installations by path (`root/database`); by default
    `<parent>-<template>`. state: executors' state by installation name. unknown_is_nil: an unknown export
    counts as nil, as in the cluster. broken: namespaces and names of installations that are not rendered,
    because their form is wrong. now: the current time for templates, in seconds since 1970; without it,
    templates that read the time fail. refusals: returns the API server's errors about an object, each as
    `field: problem`; without it, every object is accepted.
    """

    deploy_item_exports: dict[str, Data] = field(default_factory=dict)
    exporter: Callable[[RenderedInstallation, DeployItem], Data | None] | None = None
    installation_exporter: Callable[[RenderedInstallation], Data | None] | None = None
    names: dict[str, str] = field(default_factory=dict)
    state: dict[str, dict[str, object]] = field(default_factory=dict)
    unknown_is_nil: bool = False
    broken: frozenset[tuple[str, str]] = frozenset()
    refusals: Callable[[Data], list[str]] | None = None
    now: float | None = None


@dataclass(slots=True)
class RenderedInstallation:
    """The outcome of one installation. `objects`: all that it made, nested Installations included."""

    installation: Data
    path: str
    phase: str = ""
    errors: list[InstallationError] = field(default_factory=list)
    waits_for: list[str] = field(default_factory=list)
    objects: list[Data] = field(default_factory=list)
    imports: Imports = field(default_factory=Imports)
    mapped: Data = field(default_factory=dict)
    values: Data = field(default_factory=dict)
    deploy_items: list[DeployItem] = field(default_factory=list)
    templater: Templater | None = None  # which made the deploy items
    unknown_items: list[str] = field(default_factory=list)
    unknown_fields: list[InstallationError] = field(default_factory=list)  # of what its executors gave
    templates: list[Data] = field(default_factory=list)
    children: list[RenderedInstallation] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    exports: Data = field(default_factory=dict)
    exported: list[Data] = field(default_factory=list)
    state: dict[str, object] = field(default_factory=dict)
    prerequisites: Prerequisites | None = None
    after: frozenset[str] = frozenset()  # paths of the siblings that have finished before this one begins

    @property
    def name(self) -> str:
        return name_of(self.installation)

    @property
    def namespace(self) -> str:
        return namespace_of(self.installation)

    @property
    def spec(self) -> Data:
        return mapping(self.installation.get("spec"))

    def tree(self) -> list[RenderedInstallation]:
        """Return this installation and all nested ones, parents first."""
        found = [self]
        for child in self.children:
            found += child.tree()
        return found


def named(rendered: RenderedInstallation) -> list[tuple[str, Key]]:
    """Return each DataObject or Target reference of the imports, with the object that it names."""
    scope = scope_of(rendered.installation)
    needed = imported_keys(rendered.spec)
    return [(key, (kind, rendered.namespace, object_name(scope, key))) for kind, key in needed if key]


def visible(
    world: World, earlier: dict[Key, Data | None], owners: dict[Key, str], rendered: RenderedInstallation
) -> World:
    """Return the objects that an installation finds: without late objects of its siblings."""
    late = {
        key: earlier[key] for _, key in named(rendered) if key in earlier and too_late(owners[key], rendered)
    }
    return world.without(late) if late else world


def too_late(owner: str, rendered: RenderedInstallation) -> bool:
    """Return whether `owner` is a sibling for which the installation does not wait."""
    sibling = owner.rpartition("/")[0] == rendered.path.rpartition("/")[0] and owner != rendered.path
    return sibling and owner not in rendered.after


def flow_spec(spec: Data) -> Data:
    """Drop the imports and exports of a spec or template that its optimization excludes from the order."""
    optimization = mapping(spec.get("optimization"))
    return {
        "imports": {} if optimization.get("hasNoSiblingImports") is True else spec.get("imports"),
        "exports": {} if optimization.get("hasNoSiblingExports") is True else spec.get("exports"),
    }
