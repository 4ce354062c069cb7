"""The schema of TopologyExtension: a runtime extension that is written as data.

apiVersion: krmkit.dev/v1alpha1
kind: TopologyExtension
metadata: {name: registries}
spec:
  handlers:
  - name: mirror
    variables:
    - {name: mirror, required: false, schema: {openAPIV3Schema: {type: string}}}
    patches:
    - name: mirror
      enabledIf: "{{ if .mirror }}true{{ end }}"
      definitions:
      - selector:
          apiVersion: [infrastructure.cluster.x-k8s.io/v1beta1, infrastructure.cluster.x-k8s.io/v1beta2]
          kind: DockerClusterTemplate
          matchResources: {infrastructureCluster: true}
        jsonPatches:
        - {op: add, path: /spec/template/spec/mirror, valueFrom: {variable: mirror}}
    validations:
    - {rule: "!has(self.spec.template.spec.insecure)", message: insecure mirrors are not allowed}
"""

from __future__ import annotations

import json
from functools import cache
from pkgutil import get_data
from typing import Any

KIND = "TopologyExtension"
API_VERSION = "krmkit.dev/v1alpha1"
# On an ExtensionConfig: the TopologyExtension that answers. On a TopologyExtension: the ExtensionConfig it
# represents.
EXTENSION = "krmkit.dev/extension"


@cache
def schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        get_data("krmkit.systems.clusterapi.hooks", "topologyextension.json") or b"{}"
    )
    return found
