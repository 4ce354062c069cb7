"""The options of a landscape, and the outcome of each of its installations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from krmkit.libraries.schema.fields import mapping
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.deployitems import DeployItem
from krmkit.systems.landscaper.flow.imports import Imports
from krmkit.systems.landscaper.flow.sources import Prerequisites
from krmkit.systems.landscaper.items.identity import name_of, namespace_of
from krmkit.systems.landscaper.templates.executors import Templater

SUCCEEDED, FAILED, WAITING = "Succeeded", "Failed", "Waiting"


@dataclass(slots=True)
class LandscapeOptions:
    """The options of a landscape.

    deploy_item_exports: by `<path of the installation>/<item>`, by `<installation>/<item>` or by the item's
    name. exporter: the exports of a deploy item from templates; None if no template fits.
    installation_exporter: the exports {dataExports, targetExports} of a whole installation, which then is not
    rendered inside. names: names of nested installations by path (`root/database`); others are
    `<parent>-<template>`. state: executors' state by installation name. unknown_is_nil: an unknown export
    counts as nil, as in the cluster. broken: namespaces and names of installations that are not rendered,
    because their form is wrong. now: the present time for templates, in seconds since 1970; without it, those
    that ask for it fail. refusals: why the API server refuses an object, each as `field: problem`; without
    it, it takes all.
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
    """The outcome of one installation. `objects`: what it made, nested Installations included."""

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
        """Return the installation's name."""
        return name_of(self.installation)

    @property
    def namespace(self) -> str:
        """Return metadata.namespace of the Installation."""
        return namespace_of(self.installation)

    @property
    def spec(self) -> Data:
        """Return the installation's spec."""
        return mapping(self.installation.get("spec"))

    def tree(self) -> list[RenderedInstallation]:
        """Return this one and all below it, parents first."""
        found = [self]
        for child in self.children:
            found += child.tree()
        return found
