"""Find templates of a class that are edited in place: some webhooks refuse that, and others delay it.

A changed Cluster or class is reconciled at once. Templates are not watched: their change waits for the
Cluster's next reconciliation, every ten minutes by default (the manager's --sync-period).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krmkit.libraries.json import Object
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject
from krmkit.systems.clusterapi.api.objectversion import BOOTSTRAP, CONTROL_PLANE, INFRASTRUCTURE, label
from krmkit.systems.clusterapi.desired.comparison import changed_fields
from krmkit.systems.clusterapi.webhooks.compatibility import template_refs

_INNER, _WHOLE = "spec.template.spec", "spec"
IMMUTABLE = {
    f"KubeadmControlPlaneTemplate.{CONTROL_PLANE}": _INNER,
    **{
        f"{kind}.{INFRASTRUCTURE}": _INNER
        for kind in (
            "AzureClusterTemplate",
            "AzureMachineTemplate",
            "DevClusterTemplate",
            "DevMachineTemplate",
            "DockerClusterTemplate",
            "DockerMachineTemplate",
            "OpenStackClusterTemplate",
            "OpenStackMachineTemplate",
            "ScalewayMachineTemplate",
            "VSphereClusterTemplate",
            "VSphereMachineTemplate",
        )
    },
    **{
        f"{kind}.{INFRASTRUCTURE}": _WHOLE
        for kind in (
            "AWSClusterTemplate",
            "AWSMachineTemplate",
            "GCPClusterTemplate",
            "GCPMachineTemplate",
            "HCloudMachineTemplate",
            "HetznerClusterTemplate",
        )
    },
}
"""Kinds, `Kind.group`, whose webhook (ValidateUpdate) refuses an edit, and below which field.

`immutableTemplates` in a RenderClusterTopology adds more, with all of their spec.
"""
_MUTABLE = frozenset({f"KubeadmConfigTemplate.{BOOTSTRAP}", f"Metal3MachineTemplate.{INFRASTRUCTURE}"})
_SHOWN = 3


class TemplateEdits:
    """The templates that differ between two packages, looked up once for each class.

    immutable: kinds in addition to IMMUTABLE, `Kind.group`.
    """

    def __init__(self, old: Collected, new: Collected, immutable: Iterable[str] = ()) -> None:
        self._old = old
        self._new = new
        self._immutable = {**dict.fromkeys(immutable, _WHOLE), **IMMUTABLE}
        self._by_class: dict[tuple[str, str], tuple[list[str], list[str]]] = {}

    def of(self, cluster_class: Object) -> tuple[list[str], list[str]]:
        """Return the refused edits of a class's templates (v1beta2), and the templates changed in place."""
        metadata = mapping(cluster_class, "metadata")
        key = (str(metadata.get("namespace", "")), str(metadata.get("name", "")))
        known = self._by_class.get(key)
        if known is None:
            known = self._by_class[key] = self._look_up(cluster_class, key[0])
        return known

    def _look_up(self, cluster_class: Object, namespace: str) -> tuple[list[str], list[str]]:
        refused, late = [], []
        seen: set[tuple[str, str, str]] = set()
        for reference in references(cluster_class):
            group = labels.group_of(str(reference.get("apiVersion", "")))
            kind, name = str(reference.get("kind", "")), str(reference.get("name", ""))
            if (group, kind, name) in seen:
                continue
            seen.add((group, kind, name))
            before, after = (one.find(group, kind, namespace, name) for one in (self._old, self._new))
            if before is None or after is None or before is after:
                continue
            fields = [path for path in edited(before, after) if path.startswith(_WHOLE)]
            if not fields:
                continue
            what = f"{label(after.data)} is edited in place"
            protected = self._immutable.get(f"{kind}.{group}")
            wrong = [path for path in fields if protected and path.startswith(protected)]
            if wrong:
                refused.append(
                    f"{what} ({listed(wrong, _SHOWN)}), and its webhook refuses that: make a new template and point the class to it"
                )
            else:
                known = protected or f"{kind}.{group}" in _MUTABLE
                unless = "" if known else ", unless its provider refuses the edit"
                late.append(f"{what} ({listed(fields, _SHOWN)}){unless}")
        return refused, late


def edited(before: CollectedObject, after: CollectedObject) -> Iterator[str]:
    """Yield the paths at which a template changed."""
    # Both sides hold what an API server filled in, so nothing but an edit differs.
    return changed_fields(before.data, after.data, before.data)


def references(cluster_class: Object) -> Iterator[Object]:
    return (reference for _, reference in template_refs(cluster_class))
