"""Describe the systems in a package's render for reports: Clusters as trees, Installations, extensions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from krmkit.analysis.plans.classtable import class_tables
from krmkit.analysis.systems.clustertrees import cluster_trees
from krmkit.analysis.systems.extensioneffects import extension_effects
from krmkit.analysis.systems.installationgraphs import installation_graph
from krmkit.analysis.why.answers import Question
from krmkit.fn.config import ConfigError, decode
from krmkit.fn.loader import load
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.findings.model import PackageReport
from krmkit.render.package import Package
from krmkit.systems.clusterapi.api.collection import collect
from krmkit.systems.landscaper.errors import InstallationError

Data = dict[str, Any]

_RENDERER = "render-installation"


def describe_systems(one: PackageReport, package: Package, question: Question, plan: Data) -> Data:
    """Return the systems of a rendered package; unreadable ones become notes.

    plan: the data of `krmkit topology plan`; {} without one.
    """
    there = [subject for subject in question.subjects if subject.text is not None]
    items: list[Resource] = [subject.item for subject in there]
    places = {
        id(subject.item): f"{subject.shown_path}:{subject.first_line}:1"
        for subject in there
        if subject.original is not None
    }
    systems: Data = {}

    def add(name: str, make: Callable[[], Any]) -> None:
        try:
            made = make()
        except (Refused, YamlError, InstallationError) as error:
            one.notes.append(f"{name} cannot be shown: {error}")
            return
        if made:
            systems[name] = made

    kinds = {item.kind for item in items}
    if "Cluster" in kinds:
        add("clusters", lambda: cluster_trees(items, places, plan))
    if "ClusterClass" in kinds:
        add("classes", lambda: class_tables(collect(items)))
    if "Installation" in kinds:
        spec = _render_spec(package)
        add("installations", lambda: installation_graph(items, places, spec, time.time()))
    if kinds & {"ClusterClass", "TopologyExtension", "TopologyResponses", "ExtensionConfig"}:
        add("extensions", lambda: extension_effects(items, places, question.caused("extension")))
    return systems


def _render_spec(package: Package) -> Data | None:
    """Return the spec of the package's first readable RenderInstallation, or None."""
    for each in package.walk():
        for function in each.functions:
            if function.function_name == _RENDERER:
                try:
                    return decode(load(_RENDERER).definition, each.config(function)).spec
                except (ConfigError, Refused, YamlError):
                    return None  # the function itself reports an invalid config
    return None
