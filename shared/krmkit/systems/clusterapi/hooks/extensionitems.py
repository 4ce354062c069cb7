"""Answer hooks by the TopologyExtensions, ExtensionConfigs and recorded TopologyResponses of a package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from krmkit.krm.cause import Cause, PathCauses
from krmkit.krm.finding import EXPLAIN, WARNING, Finding
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject
from krmkit.systems.clusterapi.api.decode import UNKNOWN_FIELD
from krmkit.systems.clusterapi.hooks import extensionconfig
from krmkit.systems.clusterapi.hooks.extensionschema import EXTENSION
from krmkit.systems.clusterapi.hooks.messages import HookError
from krmkit.systems.clusterapi.hooks.responses import RecordedResponses, recorded_responses
from krmkit.systems.clusterapi.hooks.topologyextension import TopologyExtension
from krmkit.systems.clusterapi.model.extensions import (
    GENERATE_PATCHES,
    GENERATE_UPGRADE_PLAN,
    Extensions,
    refused,
)


class ExtensionConfigs:
    """ExtensionConfigs by name. `namespaces`: the labels of Namespaces, for namespaceSelector."""

    def __init__(self, namespaces: Mapping[str, Object] | None = None) -> None:
        self._configs: dict[str, Object] = {}
        self._names: dict[str, list[str]] = {}
        self.namespaces = namespaces or {}

    def read(self, items: list[CollectedObject]) -> list[Finding]:
        """Read the ExtensionConfigs; return errors, and warnings about fields that a server drops."""
        findings = []
        for item in items:
            self._configs[item.name] = item.data
            self._names.setdefault(extension_annotation(item), []).append(item.name)
            for error in extensionconfig.validate_extension_config(item.data):
                findings.append(Finding("bad-extension", error.body(), item.resource, error.field))
            findings += [
                Finding(UNKNOWN_FIELD, message, item.resource, field)
                for field, message in extensionconfig.dropped_fields(item.data)
            ]
        return findings

    def answered_by(self, extension: str) -> list[str]:
        """Return the names of the configs whose annotation names this TopologyExtension."""
        return self._names.get(extension, [])

    def prepared(self, handler: str, request: Object, owner: str) -> Object:
        """Return the request as the controller sends it; its own settings override the config's.

        handler: `<handler>.<config>`. owner: namespace/name of the Cluster or class that the call is for.
        Raises TopologyError if the config's namespaceSelector does not select the owner's namespace.
        """
        config = self._configs.get(handler.partition(".")[2])
        if config is None:
            return request
        namespace, _, name = owner.partition("/")
        extensionconfig.check_namespace(config, handler, namespace, self.namespaces.get(namespace, {}), name)
        return extensionconfig.merged_settings(config, request)


def extension_annotation(item: CollectedObject) -> str:
    return "" if item.resource is None else str(item.resource.annotation(EXTENSION) or "")


def owner_of(request: Object) -> str:
    """Return namespace/name of the Cluster that a request's first item belongs to.

    >>> owner_of({"items": [{"holderReference": {"kind": "Cluster", "namespace": "a", "name": "b"}}]})
    'a/b'
    """
    items = request.get("items") or [{}]
    holder = mapping(items[0], "holderReference")
    return f"{holder.get('namespace', '')}/{holder.get('name', '')}"


EXTENSION_CONFIG = "ExtensionConfig"
TOPOLOGY_EXTENSION = "TopologyExtension"
_GROUPS = {EXTENSION_CONFIG: "runtime.cluster.x-k8s.io", TOPOLOGY_EXTENSION: "krmkit.dev"}
_KINDS = (*_GROUPS, "Namespace")


def package_extensions(collected: Collected) -> tuple[PackageExtensions, list[Finding]]:
    """Return the extensions among the items, and the errors about them.

    A TopologyExtension answers first, then recorded answers.
    """
    recorded, findings = recorded_responses(collected)
    items: dict[str, list[CollectedObject]] = {kind: [] for kind in _KINDS}
    for item in collected.others.values():
        if item.kind in items and item.group == _GROUPS.get(item.kind, ""):
            items[item.kind].append(item)
    extensions = PackageExtensions(recorded, recorded)
    if not items[EXTENSION_CONFIG] and not items[TOPOLOGY_EXTENSION]:
        return extensions, findings
    extensions.configs = ExtensionConfigs(
        {item.name: mapping(item.data, "metadata", "labels") for item in items["Namespace"]}
    )
    findings += extensions.configs.read(items[EXTENSION_CONFIG])
    findings += extensions.read_extensions(items[TOPOLOGY_EXTENSION])
    return extensions, findings


class PackageExtensions:
    """Answer hooks by the TopologyExtension of an ExtensionConfig, and all other calls by `others`.

    `configs` are the ExtensionConfigs among the items; None without any ExtensionConfig or
    TopologyExtension.
    """

    def __init__(self, others: Extensions, recorded: RecordedResponses | None = None) -> None:
        """Take `others`, which answers all other calls. recorded: its responses, with their items."""
        self._others = others
        self._recorded = recorded
        self._extensions: dict[str, TopologyExtension] = {}
        self._answering: dict[str, CollectedObject] = {}  # the items of the extensions
        self._items: list[tuple[TopologyExtension, CollectedObject]] = []
        self.configs: ExtensionConfigs | None = None

    def read_extensions(self, items: list[CollectedObject]) -> Iterator[Finding]:
        """Read the TopologyExtensions and yield their errors. An ExtensionConfig has at most one."""
        for item in items:
            extension = TopologyExtension(item.data)
            self._items.append((extension, item))
            for field, message in extension.problems:
                yield Finding("bad-extension", message, item.resource, field)
            names = self.configs.answered_by(item.name) if self.configs is not None else []
            for name in names or [extension_annotation(item) or item.name]:
                yield from self._take(name, extension, item)

    def _take(self, name: str, extension: TopologyExtension, item: CollectedObject) -> list[Finding]:
        known = self._extensions.setdefault(name, extension)
        if known is extension:
            self._answering[name] = item
            return []
        message = (
            f"stands for the ExtensionConfig {name}, as the TopologyExtension {known.name} does;"
            " an ExtensionConfig has one"
        )
        return [Finding("bad-extension", message, item.resource, "metadata")]

    def explained(
        self, handler: str, request: Object, variable: Callable[[str, str], Cause]
    ) -> tuple[Cause, dict[str, PathCauses]]:
        """Return the extension that answers a GeneratePatchesRequest, and what it set, by uid of templates.

        Unknown causes are left out: of recorded answers only the place is known.
        """
        from krmkit.systems.clusterapi.hooks.extensioncauses import ExtensionSource

        request = self.prepared(handler, request)
        name, _, config_name = handler.partition(".")
        extension = self._extensions.get(config_name)
        if extension is None:
            if self._recorded is None:
                return ExtensionSource(handler).cause(), {}
            resource, index = self._recorded.source(GENERATE_PATCHES, handler, request)
            return ExtensionSource(handler, resource, ("spec", "responses", index)).cause("extension"), {}
        source = ExtensionSource(handler, self._answering[config_name].resource)
        source, found = extension.explained(name, request, source, variable)
        return source.cause("name"), found

    def patches_of(self, handler: str) -> list[Object]:
        """Return the TopologyExtension's patches for a GeneratePatches handler."""
        name, _, config_name = handler.partition(".")
        extension = self._extensions.get(config_name)
        return [] if extension is None else extension.patches_of(name)

    def unused_patches(self) -> list[Finding]:
        """Warn about patches that selected no template of any Cluster; --explain shows each selector."""
        return [
            Finding(
                "unused-patch",
                one.message,
                item.resource,
                one.field,
                severity=WARNING if one.whole else EXPLAIN,
            )
            for extension, item in self._items
            for one in extension.unmatched()
        ]

    def undefined_variables(self) -> list[Finding]:
        """Warn about variables that templates of TopologyExtensions read and no handler defines."""
        from krmkit.systems.clusterapi.webhooks.undefinedvariables import undefined_in_extension

        return [
            found
            for extension, item in self._items
            if not extension.problems
            for found in undefined_in_extension(item.data, item.resource)
        ]

    def call(self, hook: str, handler: str, request: Object, owner: str = "") -> Object:
        """Return the response. A failed GeneratePatches is an error at its patch. Raises TopologyError."""
        name, _, config_name = handler.partition(".")
        extension = self._extensions.get(config_name)
        if hook != GENERATE_UPGRADE_PLAN:  # a TopologyExtension has no such handler
            request = self.prepared(handler, request, owner)
            if extension is not None and hook != GENERATE_PATCHES:
                return extension.answer(hook, name, request)
        if extension is None or hook == GENERATE_UPGRADE_PLAN:
            return self._others.call(hook, handler, request, owner)
        try:
            return extension.success(hook, name, request)
        except HookError as error:
            item = self._answering[config_name].resource if error.field else None
            raise refused(handler, str(error)).at(error.field, item) from None

    def prepared(self, handler: str, request: Object, owner: str = "") -> Object:
        """Return the request as the controller sends it, with the settings of its ExtensionConfig.

        owner: namespace/name of the object that the call is for, by default the request's Cluster. Raises
        TopologyError if the config does not serve its namespace.
        """
        if self.configs is None:
            return request
        return self.configs.prepared(handler, request, owner or owner_of(request))
