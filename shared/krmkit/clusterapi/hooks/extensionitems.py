"""The extensions that the items of a package answer for: TopologyExtensions, and what TopologyResponses recorded."""

from __future__ import annotations

from krmkit.clusterapi.extensions import DISCOVER_VARIABLES, GENERATE_PATCHES, VALIDATE_TOPOLOGY
from krmkit.clusterapi.responses import recorded_responses
from krmkit.krm.finding import ERROR, Finding
from krmkit.lang.nested import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.clusterapi.collect import Collected, CollectedObject
    from krmkit.clusterapi.extensions import Extensions
    from krmkit.clusterapi.hooks.topologyextension import TopologyExtension

    Object = dict[str, Any]

EXTENSION_CONFIG = "ExtensionConfig"
TOPOLOGY_EXTENSION = "TopologyExtension"
_GROUPS = {EXTENSION_CONFIG: "runtime.cluster.x-k8s.io", TOPOLOGY_EXTENSION: "krmkit.dev"}
_KINDS = (*_GROUPS, "Namespace")


def package_extensions(collected: Collected) -> tuple[Extensions, list[Finding]]:
    """What answers hooks among the items, and what is wrong with it.

    A TopologyExtension comes before recorded answers.
    """
    recorded, findings = recorded_responses(collected)
    items: dict[str, list[CollectedObject]] = {kind: [] for kind in _KINDS}
    for item in collected.others.values():
        if item.kind in items and item.group == _GROUPS.get(item.kind, ""):
            items[item.kind].append(item)
    if not items[EXTENSION_CONFIG] and not items[TOPOLOGY_EXTENSION]:
        return recorded, findings
    found = PackageExtensions(recorded)
    findings += found.read_configs(items[EXTENSION_CONFIG])
    findings += found.read_extensions(items[TOPOLOGY_EXTENSION])
    found.namespaces = {item.name: mapping(item.data, "metadata", "labels") for item in items["Namespace"]}
    return found, findings


class PackageExtensions:
    """Answers hooks from the TopologyExtension that stands for an ExtensionConfig; what it does not know, `others` answer.

    `namespaces` are the labels of the Namespaces among the items, for namespaceSelector.
    """

    __slots__ = ("_configs", "_extensions", "_named", "_others", "namespaces")

    def __init__(self, others: Extensions) -> None:
        self._others = others
        self._configs: dict[str, Object] = {}
        self._named: dict[str, str] = {}
        self._extensions: dict[str, TopologyExtension] = {}
        self.namespaces: dict[str, Object] = {}

    def read_configs(self, items: list[CollectedObject]) -> list[Finding]:
        """Take the ExtensionConfigs; what is wrong with them."""
        from krmkit.clusterapi.hooks.extensionconfig import validate_extension_config

        findings = []
        for item in items:
            self._configs[item.name] = item.data
            self._named[item.name] = _annotation(item)
            for error in validate_extension_config(item.data):
                findings.append(Finding("bad-extension", error.body(), ERROR, item.resource, error.field))
        return findings

    def read_extensions(self, items: list[CollectedObject]) -> list[Finding]:
        """Take the TopologyExtensions; what is wrong with them. An ExtensionConfig has one at most."""
        from krmkit.clusterapi.hooks.topologyextension import TopologyExtension

        findings = []
        for item in items:
            extension = TopologyExtension(item.data)
            for field, message in extension.problems:
                findings.append(Finding("bad-extension", message, ERROR, item.resource, field))
            names = [config for config, named in self._named.items() if named == item.name]
            for name in names or [_annotation(item) or item.name]:
                findings += self._take(name, extension, item)
        return findings

    def _take(self, name: str, extension: TopologyExtension, item: CollectedObject) -> list[Finding]:
        known = self._extensions.setdefault(name, extension)
        if known is extension:
            return []
        message = (
            f"stands for the ExtensionConfig {name}, as the TopologyExtension {known.name} does;"
            " an ExtensionConfig has one"
        )
        return [Finding("bad-extension", message, ERROR, item.resource, "metadata")]

    def generate_patches(self, handler: str, request: Object) -> Object:
        """The GeneratePatchesResponse. Raises TopologyError."""
        answer = self._answer(GENERATE_PATCHES, handler, request, _holder(request))
        return self._others.generate_patches(handler, request) if answer is None else answer

    def validate_topology(self, handler: str, request: Object) -> Object:
        """The ValidateTopologyResponse. Raises TopologyError."""
        answer = self._answer(VALIDATE_TOPOLOGY, handler, request, _holder(request))
        return self._others.validate_topology(handler, request) if answer is None else answer

    def discover_variables(self, handler: str, request: Object, owner: str = "default/") -> Object:
        """The DiscoverVariablesResponse. Raises TopologyError."""
        answer = self._answer(DISCOVER_VARIABLES, handler, request, owner)
        return self._others.discover_variables(handler, request, owner) if answer is None else answer

    def generate_upgrade_plan(self, handler: str, request: Object) -> Object:
        """What others answer: a TopologyExtension has no such handler. Raises TopologyError."""
        return self._others.generate_upgrade_plan(handler, request)

    def _answer(self, hook: str, handler: str, request: Object, owner: str) -> Object | None:
        """The answer, None where no TopologyExtension stands for the ExtensionConfig."""
        from krmkit.clusterapi.hooks.extensionconfig import check_namespace, merged_settings

        name, _, config_name = handler.partition(".")
        config = self._configs.get(config_name)
        extension = self._extensions.get(config_name)
        if extension is None:
            return None
        if config is not None:
            namespace, _, object_name = owner.partition("/")
            labels = self.namespaces.get(namespace, {})
            check_namespace(config, handler, namespace, labels, object_name)
            request = merged_settings(config, request)
        return extension.answer(hook, name, request)


def _annotation(item: CollectedObject) -> str:
    """The annotation krmkit.dev/extension, "" without it."""
    from krmkit.clusterapi.hooks.extensionschema import EXTENSION

    return "" if item.resource is None else str(item.resource.annotation(EXTENSION) or "")


def _holder(request: Object) -> str:
    """The Cluster that a request is for, by its first item: namespace/name."""
    items = request.get("items") or [{}]
    holder = items[0].get("holderReference") or {}
    return f"{holder.get('namespace', '')}/{holder.get('name', '')}"
