"""ResourceLists as kpt sends them: compact lists, its own annotations in single quotes, comments and flow maps here and there.

An item has about 690 characters, so 10,000 of them are 7 MB. The same number of items is always the same text.
"""

from __future__ import annotations

import random

DEPLOYMENT = """\
- {head}apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: {name}
    namespace: {namespace}
    labels: {{app: {name}, tier: backend}}
    annotations:
{annotations}
  spec:
    replicas: {number} # scaled by hand
    selector:
      matchLabels:
        app: {name}
    template:
      metadata:
        labels:
          app: {name}
      spec:
        containers:
        - name: main
          image: "registry.example.com/{name}:1.{number}.0"
          ports:
          - containerPort: 80{number:02d}
"""
SERVICE = """\
- {head}apiVersion: v1
  kind: Service
  metadata:
    name: {name}
    namespace: {namespace}
    annotations:
{annotations}
      team: '{name}: on call'
  spec:
    selector:
      app: {name}
    ports:
    - {{name: http, port: {number}, targetPort: 8080}}
    - name: metrics # scraped
      port: 9090
    sessionAffinity: None
"""
CONFIG = """\
- {head}apiVersion: v1
  kind: ConfigMap
  metadata:
    name: {name}
    namespace: {namespace}
    annotations:
{annotations}
  data:
    level: "{number}"
    endpoint: https://{name}.example.com:8443/v1
    settings.ini: |
      [main]
      name = {name}
      # - not an item
      workers = {number}

      [cache]
      size = 64
"""
ROLE = """\
- {head}apiVersion: rbac.authorization.k8s.io/v1
  kind: Role
  metadata:
    name: {name}
    namespace: {namespace}
    annotations:
{annotations}
  rules:
  - apiGroups: [""]
    resources: ["pods", "pods/log"]
    verbs: ["get", "list", "watch"]
  - apiGroups:
    - apps
    resources:
    - deployments
    verbs:
    - get
    - patch
"""
ANNOTATIONS = """\
      config.kubernetes.io/index: '{index}'
      config.kubernetes.io/path: '{path}'
      internal.config.kubernetes.io/index: '{index}'
      internal.config.kubernetes.io/package-path: '/packages/edge'
      internal.config.kubernetes.io/path: '{path}'
      internal.config.kubernetes.io/seqindent: 'compact'"""

# A pack with one preset to choose, a macro, and constraints that its values meet.
PACK = """\
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: edge-agent
    annotations:
      config.kubernetes.io/local-config: "true"
      config.kubernetes.io/index: '0'
      config.kubernetes.io/path: 'edge-agent.yaml'
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/path: 'edge-agent.yaml'
  data:
    pack.json: |
      {
        "name": "edge-agent",
        "displayName": "Edge agent",
        "version": "1.4.0",
        "layer": "addon",
        "constraints": {
          "resources": [
            {"type": "cpu", "minLimit": 500, "components": [
              {"resourceRequestParamRef": "agent.cpu", "replicaCountParamRef": "agent.replicas", "scheduleType": "worker"}
            ]}
          ]
        }
      }
    values.yaml: |
      agent:
        # how much is logged
        logLevel: info
        cpu: 250m
        replicas: 2
        endpoint: agent.example.com
        owner: "{{ .spectro.system.cluster.name }}"
    presets.yaml: |
      presets:
      - name: verbose
        displayName: Verbose
        group: Logging
        remove: []
        add: |
          agent:
            logLevel: debug
    schema.yaml: |
      agent.endpoint:
        schema: '{{ required | format "${string:/^[a-z.]+$/}" }}'
      agent.logLevel:
        schema: '{{ format "${list:[info,debug]}" }}'
"""

# The inputs of the functions of package variants: the package's own Kptfile and its context.
PACKAGE = """\
- apiVersion: kpt.dev/v1
  kind: Kptfile
  metadata:
    name: edge
    annotations:
      config.kubernetes.io/local-config: "true"
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/path: 'Kptfile'
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: kptfile.kpt.dev
    annotations:
      config.kubernetes.io/local-config: "true"
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/path: 'package-context.yaml'
  data:
    name: edge
"""

APPLY_PRESETS = """\
functionConfig:
  apiVersion: krmkit.dev/v1alpha1
  kind: ApplyPresets
  metadata:
    name: presets
  spec:
    selections:
    - pack: edge-agent
      presets: ['Logging:verbose']
"""
SET_CONTEXT = """\
functionConfig:
  apiVersion: krmkit.dev/v1alpha1
  kind: SetPackageContext
  metadata:
    name: context
  spec:
    data:
      site: north
"""
PREPEND = """\
functionConfig:
  apiVersion: krmkit.dev/v1alpha1
  kind: PrependPipeline
  metadata:
    name: north
  spec:
    owner: north
    pipeline:
      mutators:
      - name: ns
        image: registry.example.com/set-namespace:v1
"""
VALIDATE = """\
functionConfig:
  apiVersion: krmkit.dev/v1alpha1
  kind: ValidatePackConstraints
  metadata:
    name: constraints
  spec:
    machinePools:
    - name: workers
      size: 2
      cpu: 4
      memoryMiB: 8192
      diskGB: 80
"""
SET_NAMESPACE = """\
functionConfig:
  apiVersion: krmkit.dev/v1alpha1
  kind: SetNamespaceEverywhere
  metadata:
    name: namespace
  spec:
    namespace: edge-site
"""


def items(count: int) -> list[str]:
    """`count` items as text, each from its dash to its last newline."""
    draw = random.Random(count)
    made = []
    for number in range(count):
        form = draw.choice((DEPLOYMENT, SERVICE, CONFIG, ROLE))
        name = f"{draw.choice(('cart', 'billing', 'telemetry', 'gateway', 'inventory'))}-{number}"
        path = f"{name}/{draw.choice(('main', 'extra'))}.yaml"
        made.append(
            form.format(
                head=f"# what {name} needs\n  " if draw.random() < 0.08 else "",
                name=name,
                namespace=draw.choice(("shop", "default", "monitoring")),
                number=draw.randrange(1, 100),
                annotations=ANNOTATIONS.format(index=number % 3, path=path),
            )
        )
    return made


def resource_list(count: int, config: str, pack: bool = False, package: bool = False) -> str:
    """A ResourceList of `count` items with a functionConfig; with `pack`, one of the items, in their midst, is a pack.

    With `package`, the Kptfile and the package context come first, beside the `count` items.
    """
    made = items(count - 1 if pack else count)
    if pack:
        made.insert(len(made) // 2, PACK)
    return (
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
        + (PACKAGE if package else "")
        + "".join(made)
        + config
    )
