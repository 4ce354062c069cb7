"""The contract version of a control plane's kind: which source wins."""

from __future__ import annotations

from typing import Any

from krmkit.systems.clusterapi.api.contracts import Contracts, machine_infrastructure_path

GROUP = "controlplane.cluster.x-k8s.io"


def crd(name: str, **labels: str) -> dict[str, Any]:
    own = {f"cluster.x-k8s.io/{contract}": versions for contract, versions in labels.items()}
    return {"metadata": {"name": f"{name}.{GROUP}", "labels": own}}


def test_labels_of_a_crd_win() -> None:
    """The newest contract whose label lists the version, over config and table."""
    both = crd("kubeadmcontrolplanes", v1beta1="v1beta1", v1beta2="v1beta1_v1beta2")
    contracts = Contracts([both], {f"KubeadmControlPlane.{GROUP}": "v1beta1"})

    assert contracts.of(f"{GROUP}/v1beta1", "KubeadmControlPlane")[0] == "v1beta2"
    assert "CustomResourceDefinition" in contracts.of(f"{GROUP}/v1beta1", "KubeadmControlPlane")[1]
    assert contracts.of(f"{GROUP}/v1alpha4", "KubeadmControlPlane")[0] == "v1beta1"


def test_then_the_config_then_the_table_then_the_version() -> None:
    """What nobody knows goes by its apiVersion."""
    contracts = Contracts((), {f"OwnControlPlane.{GROUP}": "v1beta1"})

    assert contracts.of(f"{GROUP}/v1beta2", "OwnControlPlane") == ("v1beta1", "contracts in the config")
    assert contracts.of(f"{GROUP}/v1beta2", "AWSManagedControlPlane") == (
        "v1beta1",
        "the table of published kinds",
    )
    assert contracts.of(f"{GROUP}/v1beta1", "RKE2ControlPlane")[0] == "v1beta2"
    assert contracts.of(f"{GROUP}/v1beta1", "NewControlPlane")[0] == "v1beta1"
    assert contracts.of(f"{GROUP}/v1", "NewControlPlane")[0] == "v1beta2"


def test_where_the_machine_template_lies() -> None:
    """The field path that patches see of the holder."""
    assert machine_infrastructure_path("v1beta1") == "spec.machineTemplate.infrastructureRef"
    assert machine_infrastructure_path("v1beta2") == "spec.machineTemplate.spec.infrastructureRef"
