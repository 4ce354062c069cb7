"""Objects of v1beta1 become v1beta2 in their text; comments and order stay."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from krmkit.krm.finding import ERROR
from krmkit.krm.resource import Resource
from krmkit.systems.clusterapi.api.objects import decode_cluster, decode_cluster_class
from krmkit.systems.clusterapi.migration.objects import Migration, migrate

CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1 # old
kind: Cluster
metadata:
  name: a
spec:
  # what it is made of
  topology:
    version: v1.33.1 # pinned
    # the class
    class: metal # ours
    controlPlane:
      replicas: 3
      # slow disks
      nodeDrainTimeout: 1m30s # long enough
      machineHealthCheck:
        enable: true # watched
        # a third
        maxUnhealthy: 33%
        nodeStartupTimeout: 10m # boots slowly
    workers:
      machineDeployments:
      # the workers
      - class: w # small
        name: md-0
        strategy:
          type: RollingUpdate # one by one
          rollingUpdate:
            maxSurge: 1 # one more
    variables:
    - name: x # a variable
      value: 1
"""
CLASS = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: ClusterClass
metadata:
  name: metal
spec:
  infrastructure:
    ref: # the network
      apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
      kind: CloudClusterTemplate # of a provider
      name: net
  controlPlane:
    ref:
      apiVersion: controlplane.cluster.x-k8s.io/v1beta1 # kubeadm
      kind: KubeadmControlPlaneTemplate
      name: plane
    machineHealthCheck:
      unhealthyConditions:
      # not ready
      - type: Ready
        status: Unknown
        timeout: 5m # patience
  workers:
    machineDeployments:
    - class: w
      # template of machines
      template:
        metadata: {labels: {a: b}} # labels
        bootstrap: # kubeadm
          ref:
            apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
            kind: KubeadmConfigTemplate
            name: boot
        infrastructure:
          ref:
            apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
            kind: DevMachineTemplate # in memory
            name: machine
  variables:
  - name: level # how much
    schema:
      openAPIV3Schema: {type: string}
  patches:
  - name: args
    definitions:
    - selector:
        apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
        kind: KubeadmConfigTemplate
        matchResources: {machineDeploymentClass: {names: [w]}}
      jsonPatches:
PATCHES
"""
ARGUMENTS = "/spec/template/spec/joinConfiguration/nodeRegistration/kubeletExtraArgs"


def comments(text: str) -> list[str]:
    return sorted(re.findall(r"# .*", text))


def run(text: str) -> tuple[Migration, str, Any]:
    item = Resource(text)
    found = migrate([item])
    return found, item.text, yaml.safe_load(item.text)


def patched(*patches: dict[str, Any]) -> tuple[Migration, Any]:
    lines = yaml.safe_dump(list(patches)).splitlines()
    text = CLASS.replace("      # template of machines\n", "")
    found, _, data = run(text.replace("PATCHES", "\n".join(f"      {line}" for line in lines)))
    return found, data["spec"]["patches"][0]["definitions"][0]


def test_a_cluster() -> None:
    found, text, data = run(CLUSTER)

    assert (found.findings, comments(text)) == ([], comments(CLUSTER))
    assert data["apiVersion"] == "cluster.x-k8s.io/v1beta2"
    before, after = (decode_cluster(yaml.safe_load(one)) for one in (CLUSTER, text))
    assert after == (before[0], [])
    assert list(data["spec"]["topology"]) == ["version", "classRef", "controlPlane", "workers", "variables"]
    assert run(text)[0].changed == []


def test_a_class() -> None:
    given = CLASS.replace(
        "PATCHES", "      - {op: add, path: /spec/template/spec/verbosity, value: 1} # loud"
    )
    found, text, data = run(given)

    # The one of a map that v1beta2 does not have is told.
    assert [one.message.partition("comment: ")[2] for _, one in found.findings] == [
        "# template of machines) has no place in v1beta2, and is gone"
    ]
    assert comments(text) == [one for one in comments(given) if one != "# template of machines"]
    after = decode_cluster_class(data)
    assert after[1] == []
    spec = data["spec"]
    assert spec["infrastructure"]["templateRef"]["apiVersion"].endswith("/v1beta1")
    versions = [
        spec["controlPlane"]["templateRef"],
        *(
            spec["workers"]["machineDeployments"][0][part]["templateRef"]
            for part in ("bootstrap", "infrastructure")
        ),
    ]
    assert {one["apiVersion"].rpartition("/")[2] for one in versions} == {"v1beta2"}
    assert (
        spec["controlPlane"]["healthCheck"]["checks"]["unhealthyNodeConditions"][0]["timeoutSeconds"] == 300
    )
    assert spec["variables"][0]["required"] is False


@pytest.mark.parametrize(
    ("patch", "wanted"),
    [
        (
            {"op": "add", "path": ARGUMENTS, "value": {"v": "2", "a": "b"}},
            {"op": "add", "path": ARGUMENTS, "value": [{"name": "a", "value": "b"}, {"name": "v", "value": "2"}]},
        ),
        (
            {"op": "add", "path": f"{ARGUMENTS}/v", "value": "2"},
            {"op": "add", "path": f"{ARGUMENTS}/-", "value": {"name": "v", "value": "2"}},
        ),
        (
            {"op": "add", "path": f"{ARGUMENTS}/v", "valueFrom": {"variable": "level"}},
            {"op": "add", "path": f"{ARGUMENTS}/-", "valueFrom": {"template": "name: v\nvalue: {{ .level | toJson }}\n"}},
        ),
        (
            {"op": "add", "path": ARGUMENTS, "valueFrom": {"template": 'v: "{{ .level }}"\na: b\n'}},
            {"op": "add", "path": ARGUMENTS, "valueFrom": {"template": '- name: v\n  value: "{{ .level }}"\n- name: a\n  value: b\n'}},
        ),
        (
            {"op": "add", "path": ARGUMENTS.rpartition("/")[0], "value": {"name": "n", "kubeletExtraArgs": {"v": "2"}}},
            {"op": "add", "path": ARGUMENTS.rpartition("/")[0], "value": {"name": "n", "kubeletExtraArgs": [{"name": "v", "value": "2"}]}},
        ),
        ({"op": "remove", "path": ARGUMENTS}, {"op": "remove", "path": ARGUMENTS}),
    ],
)  # fmt: skip
def test_patches_of_arguments(patch: dict[str, Any], wanted: dict[str, Any]) -> None:
    found, definition = patched(patch)

    assert found.findings == []
    assert definition["selector"]["apiVersion"].endswith("/v1beta2")
    if isinstance(wanted.get("value"), list):
        definition["jsonPatches"][0]["value"].sort(key=lambda one: one["name"])
    assert definition["jsonPatches"] == [wanted]


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ({"op": "add", "path": ARGUMENTS, "valueFrom": {"template": "{{ range .x }}\na: b\n{{ end }}"}}, "the template builds a map"),
        ({"op": "add", "path": ARGUMENTS, "valueFrom": {"variable": "level"}}, "must be a list of names and values"),
        ({"op": "remove", "path": f"{ARGUMENTS}/v"}, "a patch cannot remove v alone"),
        ({"op": "replace", "path": f"{ARGUMENTS}/v", "value": "1"}, "a patch cannot replace v alone"),
        ({"op": "add", "path": "/spec/template/spec/useExperimentalRetryJoin", "value": True}, "v1beta2 has no useExperimentalRetryJoin"),
        ({"op": "add", "path": "/spec/template/spec/clusterConfiguration", "value": {"apiServer": {"timeoutForControlPlane": "1m"}}}, "v1beta2"),
        ({"op": "add", "path": "/spec/template/spec/joinConfiguration", "valueFrom": {"template": "nodeRegistration:\n  kubeletExtraArgs: {}"}}, "made by a template"),
    ],
)  # fmt: skip
def test_patches_that_a_person_converts(patch: dict[str, Any], said: str) -> None:
    """The class goes on to read the template in v1beta1, so that its patches still fit."""
    found, definition = patched(patch)

    [(_, finding)] = found.findings
    assert (finding.severity, finding.field) == (ERROR, "spec.patches[0].definitions[0].jsonPatches[0]")
    assert said in finding.message
    assert definition["selector"]["apiVersion"].endswith("/v1beta1")
    assert definition["jsonPatches"] == [patch]


def test_a_template() -> None:
    text = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: boot}
spec:
  template:
    spec:
      useExperimentalRetryJoin: true # no more
      joinConfiguration:
        nodeRegistration:
          # of the kubelet
          kubeletExtraArgs:
            v: "2" # loud
            # later
            eviction-hard: nodefs.available<0%
          taints: [] # none
"""
    found, made, data = run(text)

    node = data["spec"]["template"]["spec"]["joinConfiguration"]["nodeRegistration"]
    assert node == {
        "kubeletExtraArgs": [
            {"name": "v", "value": "2"},
            {"name": "eviction-hard", "value": "nodefs.available<0%"},
        ]
    }
    assert {"# loud", "# later", "# of the kubelet"} <= set(comments(made))
    gone = next(one for _, one in found.findings if "useExperimentalRetryJoin (" in one.message)
    assert gone.field == "spec.template.spec.useExperimentalRetryJoin"


FAR = """\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlaneTemplate
metadata: {name: plane}
spec:
  template:
    spec:
      machineTemplate:
        # drain
        nodeDrainTimeout: 10m # ten
      kubeadmConfigSpec:
        clusterConfiguration:
          apiServer:
            # slow
            timeoutForControlPlane: 20m # patience
          networking:
            dnsDomain: x # dns
        joinConfiguration:
          discovery:
            # found late
            timeout: 5m # of tokens
            bootstrapToken: {unsafeSkipCAVerification: true}
"""


def test_fields_of_another_branch() -> None:
    """A field takes its comments to the place far away; what has none is told with its comment, once."""
    found, text, data = run(FAR)

    spec = data["spec"]["template"]["spec"]
    config = spec["kubeadmConfigSpec"]
    assert spec["machineTemplate"] == {"spec": {"deletion": {"nodeDrainTimeoutSeconds": 600}}}
    assert config["initConfiguration"]["timeouts"] == {"controlPlaneComponentHealthCheckSeconds": 1200}
    assert config["joinConfiguration"]["timeouts"]["tlsBootstrapSeconds"] == 300
    assert comments(text) == [one for one in comments(FAR) if one != "# dns"]
    [(_, gone)] = found.findings
    assert gone.field == "spec.template.spec.kubeadmConfigSpec.clusterConfiguration.networking.dnsDomain"
    assert gone.message == f"{gone.field} (its comment: # dns) has no place in v1beta2, and is gone"


def test_limits_of_workers() -> None:
    """The order of deletions and the limit of remediations leave the strategy, with their comments."""
    given = CLUSTER.replace(
        "            maxSurge: 1 # one more\n",
        "            # the old ones\n            deletePolicy: Oldest # first\n"
        "          remediation:\n            maxInFlight: 1 # at a time\n",
    )
    found, text, data = run(given)

    group = data["spec"]["topology"]["workers"]["machineDeployments"][0]
    assert (found.findings, comments(text)) == ([], comments(given))
    assert group["rollout"] == {"strategy": {"type": "RollingUpdate"}}
    assert (group["deletion"], group["healthCheck"]) == (
        {"order": "Oldest"},
        {"remediation": {"maxInFlight": 1}},
    )


def test_what_stays() -> None:
    """Kinds of other providers, objects in v1beta2, and what cannot be read."""
    [(_, told)] = run(
        "apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: CloudTemplate\nmetadata: {name: a}\nspec: {}\n"
    )[0].findings
    assert (told.rule, told.severity) == ("provider-kind", "info")
    [(_, wrong)] = run(CLUSTER.replace("replicas: 3", "replicas: many"))[0].findings
    assert "stays as it is: spec.topology.controlPlane.replicas" in wrong.message


RULES = """\
      openAPIV3Schema:
        type: object
        properties:
          name:
            type: string
            x-kubernetes-validations:
            - rule: self.size() > 2 # long enough
              message: too short
              fieldPath: .name
        x-kubernetes-validations:
        # of the whole
        - rule: "has(self.name)"
          messageExpression: "'must have a name'"
          reason: FieldValueInvalid
        x-metadata: {labels: {a: b}}
"""


def test_rules_of_variables() -> None:
    """CEL rules of a variable's schema stay as they are, with their comments."""
    given = CLASS.replace("      openAPIV3Schema: {type: string}\n", RULES).replace("PATCHES", "")
    _, text, data = run(given)

    assert data["spec"]["variables"][0]["schema"] == yaml.safe_load(RULES)
    assert RULES in text
    assert decode_cluster_class(data)[1] == []
