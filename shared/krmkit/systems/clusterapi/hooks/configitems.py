"""Read ExtensionConfigs among the items: the namespaces that they serve, and settings for requests."""

from __future__ import annotations

from collections.abc import Mapping

from krmkit.krm.finding import Finding
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.api.collection import CollectedObject
from krmkit.systems.clusterapi.api.decode import UNKNOWN_FIELD
from krmkit.systems.clusterapi.hooks import extensionconfig
from krmkit.systems.clusterapi.hooks.extensionschema import EXTENSION


class ExtensionConfigs:
    """ExtensionConfigs by name. `namespaces`: labels of Namespaces, for namespaceSelector."""

    def __init__(self, namespaces: Mapping[str, Object] | None = None) -> None:
        self._configs: dict[str, Object] = {}
        self._names: dict[str, list[str]] = {}
        self.namespaces = namespaces or {}

    def read(self, items: list[CollectedObject]) -> list[Finding]:
        """Take the ExtensionConfigs; return errors, and warnings about fields that a server drops."""
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
        """Return the request as the controller sends it; its own settings override those of the config.

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
    """Return the annotation krmkit.dev/extension, "" if absent."""
    return "" if item.resource is None else str(item.resource.annotation(EXTENSION) or "")


def owner_of(request: Object) -> str:
    """Return the Cluster that a request is for, by its first item, as namespace/name.

    >>> owner_of({"items": [{"holderReference": {"kind": "Cluster", "namespace": "a", "name": "b"}}]})
    'a/b'
    """
    items = request.get("items") or [{}]
    holder = mapping(items[0], "holderReference")
    return f"{holder.get('namespace', '')}/{holder.get('name', '')}"
