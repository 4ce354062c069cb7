"""Answer hooks by the TopologyExtensions of a package, and by answers that TopologyResponses recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from krmkit.krm.cause import Cause, PathCauses
from krmkit.krm.finding import EXPLAIN, WARNING, Finding
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject
from krmkit.systems.clusterapi.hooks.configitems import ExtensionConfigs, extension_annotation, owner_of
from krmkit.systems.clusterapi.hooks.messages import HookError
from krmkit.systems.clusterapi.hooks.responses import RecordedResponses, recorded_responses
from krmkit.systems.clusterapi.hooks.topologyextension import TopologyExtension
from krmkit.systems.clusterapi.model.extensions import (
    GENERATE_PATCHES,
    GENERATE_UPGRADE_PLAN,
    Extensions,
    refused,
)

EXTENSION_CONFIG = "ExtensionConfig"
TOPOLOGY_EXTENSION = "TopologyExtension"
_GROUPS = {EXTENSION_CONFIG: "runtime.cluster.x-k8s.io", TOPOLOGY_EXTENSION: "krmkit.dev"}
_KINDS = (*_GROUPS, "Namespace")


def package_extensions(collected: Collected) -> tuple[PackageExtensions, list[Finding]]:
    """Return the extensions among the items, and the errors about them.

    A TopologyExtension answers before recorded answers do.
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
    """Answers hooks by the TopologyExtension of an ExtensionConfig, all other calls by `others`.

    `configs` are the ExtensionConfigs among the items, None if there are neither these nor
    TopologyExtensions.
    """

    def __init__(self, others: Extensions, recorded: RecordedResponses | None = None) -> None:
        """Take what answers the rest. recorded: the responses of `others`, with their items."""
        self._others = others
        self._recorded = recorded
        self._extensions: dict[str, TopologyExtension] = {}
        self._answering: dict[str, CollectedObject] = {}  # the items of the extensions
        self._items: list[tuple[TopologyExtension, CollectedObject]] = []
        self.configs: ExtensionConfigs | None = None

    def read_extensions(self, items: list[CollectedObject]) -> Iterator[Finding]:
        """Take the TopologyExtensions; return their errors. An ExtensionConfig has one at most."""
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

        What is not known is left out: of recorded answers only the place is.
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
        """Return the patches of the TopologyExtension that answers a handler of GeneratePatches."""
        name, _, config_name = handler.partition(".")
        extension = self._extensions.get(config_name)
        return [] if extension is None else extension.patches_of(name)

    def unused_patches(self) -> list[Finding]:
        """Warn about patches that fitted no template of all Clusters; --explain shows single selectors."""
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

        owner: namespace/name of the object that the call is for, by default of the request's Cluster. Raises
        TopologyError if the config does not serve its namespace.
        """
        if self.configs is None:
            return request
        return self.configs.prepared(handler, request, owner or owner_of(request))
