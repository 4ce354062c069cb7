"""Find the contract version of a control plane's kind, which decides the field paths of its machine template.

Sources in their order: a CRD's labels, the config, a table of published kinds, the apiVersion. Source of the
rules: internal/contract.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api.labels import GROUP, group_of, version_of

V1BETA1 = "v1beta1"
V1BETA2 = "v1beta2"

_KNOWN = {
    "KubeadmControlPlane.controlplane.cluster.x-k8s.io": {"v1beta1": V1BETA1, "v1beta2": V1BETA2},
    # v1beta2 of this API serves contract v1beta1.
    "AWSManagedControlPlane.controlplane.cluster.x-k8s.io": {"*": V1BETA1},
    "ROSAControlPlane.controlplane.cluster.x-k8s.io": {"*": V1BETA1},
    "KThreesControlPlane.controlplane.cluster.x-k8s.io": {"*": V1BETA1},
    "AzureManagedControlPlane.infrastructure.cluster.x-k8s.io": {"*": V1BETA1},
    # Both versions carry the label of contract v1beta2.
    "RKE2ControlPlane.controlplane.cluster.x-k8s.io": {"*": V1BETA2},
}
"""Kinds whose contract was read from their published CRDs, by version of the API; `*` is any version."""


class Contracts:
    """Contract versions by group and kind.

    crds: CustomResourceDefinitions with Cluster API's labels. config: `{"Kind.group": "v1beta2"}`.
    """

    def __init__(self, crds: Iterable[Object] = (), config: Mapping[str, str] | None = None) -> None:
        self._config = config or {}
        self._labels: dict[str, Mapping[str, str]] = {}
        for crd in crds:
            name = find(crd, ("metadata", "name"), "")
            self._labels[str(name)] = mapping(crd, "metadata", "labels")
            group, kind = find(crd, ("spec", "group")), find(crd, ("spec", "names", "kind"))
            if group and kind:
                self._labels[f"{kind}.{group}"] = mapping(crd, "metadata", "labels")

    def of(self, api_version: str, kind: str) -> tuple[str, str]:
        """Return the contract version of a kind, and its source.

        Contracts().of("controlplane.cluster.x-k8s.io/v1beta1", "KubeadmControlPlane")[0]   # "v1beta1"
        """
        group, version = group_of(api_version), version_of(api_version)
        name = f"{kind}.{group}"
        crd = f"{_plural(kind)}.{group}"
        for key in (name, crd):
            contract = _from_labels(self._labels.get(key, {}), version)
            if contract:
                return contract, f"the labels of the CustomResourceDefinition {crd}"
        if name in self._config:
            return self._config[name], "contracts in the config"
        versions = _KNOWN.get(name, {})
        contract = versions.get(version) or versions.get("*", "")
        if contract:
            return contract, "the table of published kinds"
        return (V1BETA1 if version == V1BETA1 else V1BETA2), f"the apiVersion {api_version}"


def _from_labels(labels: Mapping[str, str], version: str) -> str:
    """Return the newest contract whose label `cluster.x-k8s.io/<contract>` lists the version."""
    for contract in (V1BETA2, V1BETA1):
        if version in str(labels.get(f"{GROUP}/{contract}", "")).split("_"):
            return contract
    return ""


def _plural(kind: str) -> str:
    """Return the plural as Kubernetes guesses it. `_plural("GatewayClass")` is "gatewayclasses"."""
    word = kind.lower()
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in ("a", "e", "i", "o", "u"):
        return word[:-1] + "ies"
    return word + "s"


def machine_infrastructure_path(contract: str) -> str:
    """Return the path of a control plane's reference to its machine template."""
    inner = "" if contract == V1BETA1 else "spec."
    return f"spec.machineTemplate.{inner}infrastructureRef"
