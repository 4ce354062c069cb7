"""The associative lists of built-in Kubernetes kinds, whose elements are identified by keys.

The keys are `x-kubernetes-list-map-keys` and `x-kubernetes-patch-merge-key` of Kubernetes' OpenAPI document,
as in kyaml's three-way merge. Other lists, and every list of a custom resource, are replaced whole.

Example: in `schema_of("apps/v1", "Deployment")` the list spec.template.spec.containers has the keys
("name",).
"""

from __future__ import annotations

from dataclasses import dataclass, field

# Candidate keys for matching the elements of a list.
IDENTITIES = (("containerPort", "protocol"), ("port", "protocol"), ("name",), ("mountPath",), ("devicePath",),
              ("ip",), ("type",), ("topologyKey",), ("uid",), ("image",), ("exec",))  # fmt: skip


@dataclass(frozen=True, slots=True)
class MergeSchema:
    """The fields of a mapping, or the element and `keys` of a list; () for a list replaced whole."""

    fields: dict[str, MergeSchema] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    element: MergeSchema | None = None

    def field(self, name: str) -> MergeSchema | None:
        return self.fields.get(name)


def _mapping(**fields: MergeSchema) -> MergeSchema:
    return MergeSchema(fields=fields)


def _list(*keys: str, **fields: MergeSchema) -> MergeSchema:
    """Return the schema of a list whose elements are mappings with these fields."""
    return MergeSchema(keys=keys, element=MergeSchema(fields=fields))


_CONDITIONS = _list("type")
_METADATA = _mapping(ownerReferences=_list("uid"))
_PORTS = _list("containerPort", "protocol")
_CONTAINER = {
    "env": _list("name"),
    "ports": _PORTS,
    "volumeDevices": _list("devicePath"),
    "volumeMounts": _list("mountPath"),
    "resources": _mapping(claims=_list("name")),
}
_POD_SPEC = _mapping(
    containers=_list("name", **_CONTAINER),
    initContainers=_list("name", **_CONTAINER),
    ephemeralContainers=_list("name", **_CONTAINER),
    hostAliases=_list("ip"),
    imagePullSecrets=_list("name"),
    resourceClaims=_list("name"),
    schedulingGates=_list("name"),
    topologySpreadConstraints=_list("topologyKey", "whenUnsatisfiable"),
    volumes=_list("name"),
)
_POD_TEMPLATE = _mapping(metadata=_METADATA, spec=_POD_SPEC)
_WORKLOAD = _mapping(
    metadata=_METADATA, spec=_mapping(template=_POD_TEMPLATE), status=_mapping(conditions=_CONDITIONS)
)
_PLAIN = _mapping(metadata=_METADATA)
_CONDITIONED = _mapping(metadata=_METADATA, status=_mapping(conditions=_CONDITIONS))
_WEBHOOKS = _mapping(metadata=_METADATA, webhooks=_list("name"))

_KINDS: dict[tuple[str, str], MergeSchema] = {
    ("v1", "Pod"): _mapping(metadata=_METADATA, spec=_POD_SPEC, status=_mapping(conditions=_CONDITIONS)),
    ("v1", "PodTemplate"): _mapping(metadata=_METADATA, template=_POD_TEMPLATE),
    ("v1", "Service"): _mapping(
        metadata=_METADATA,
        spec=_mapping(ports=_list("port", "protocol")),
        status=_mapping(conditions=_CONDITIONS),
    ),
    ("v1", "ServiceAccount"): _mapping(
        metadata=_METADATA, imagePullSecrets=MergeSchema(), secrets=_list("name")
    ),
    ("v1", "ReplicationController"): _WORKLOAD,
    ("v1", "PersistentVolumeClaim"): _CONDITIONED,
    ("v1", "Namespace"): _CONDITIONED,
    ("v1", "Node"): _CONDITIONED,
    ("apps/v1", "Deployment"): _WORKLOAD,
    ("apps/v1", "DaemonSet"): _WORKLOAD,
    ("apps/v1", "ReplicaSet"): _WORKLOAD,
    ("apps/v1", "StatefulSet"): _WORKLOAD,
    ("batch/v1", "Job"): _WORKLOAD,
    ("batch/v1", "CronJob"): _mapping(
        metadata=_METADATA,
        spec=_mapping(jobTemplate=_mapping(metadata=_METADATA, spec=_mapping(template=_POD_TEMPLATE))),
    ),
    ("policy/v1", "PodDisruptionBudget"): _CONDITIONED,
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"): _WEBHOOKS,
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"): _WEBHOOKS,
}
# Kinds without an associative list of their own; kyaml knows them, so their metadata is merged by keys.
_PLAIN_KINDS = {
    "v1": ("ConfigMap", "Secret", "Endpoints", "LimitRange", "PersistentVolume", "ResourceQuota"),
    "rbac.authorization.k8s.io/v1": ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"),
    "networking.k8s.io/v1": ("Ingress", "IngressClass", "NetworkPolicy"),
    "storage.k8s.io/v1": ("StorageClass",),
    "autoscaling/v1": ("HorizontalPodAutoscaler",),
}
_KINDS.update({(version, kind): _PLAIN for version, kinds in _PLAIN_KINDS.items() for kind in kinds})


def schema_of(api_version: str, kind: str) -> MergeSchema | None:
    """Return the schema of a built-in kind; None for any other kind, whose lists are replaced whole."""
    return _KINDS.get((api_version, kind))
