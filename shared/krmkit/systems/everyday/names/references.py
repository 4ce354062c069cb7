"""List the fields that refer to other resources by name: the table of ensure-name-substring.

Source: kustomize's default name references (nameReference in its transformer configurations), for every kind
with pods. A reference is to one kind; `cluster` marks cluster-scoped kinds.
"""

from __future__ import annotations

from krmkit.systems.everyday.fields.tables import FieldSpec

_PODS = (
    ("spec", ("Pod",)),
    ("template.spec", ("PodTemplate",)),
    (
        "spec.template.spec",
        ("Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "Job", "ReplicationController"),
    ),
    ("spec.jobTemplate.spec.template.spec", ("CronJob",)),
)
_RBAC = "rbac.authorization.k8s.io"
_HOOKS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")


class NameReference:
    """A field that names a resource of a kind. `cluster`: the kind is cluster-scoped."""

    __slots__ = ("cluster", "group", "kind", "spec")

    def __init__(self, group: str, kind: str, spec: FieldSpec, cluster: bool = False) -> None:
        self.group = group
        self.kind = kind
        self.spec = spec
        self.cluster = cluster


def _in_pods(group: str, kind: str, *paths: str, cluster: bool = False) -> list[NameReference]:
    found = []
    for path in paths:
        inits = [path.replace("containers[]", "initContainers[]")] if path.startswith("containers[]") else []
        for root, kinds in _PODS:
            found += [
                NameReference(group, kind, FieldSpec(f"{root}.{each}", kinds), cluster)
                for each in (path, *inits)
            ]
    return found


def _in(
    group: str, kind: str, kinds: tuple[str, ...], *paths: str, of: str | None = None, cluster: bool = False
) -> list[NameReference]:
    return [NameReference(group, kind, FieldSpec(path, kinds, of), cluster) for path in paths]


def _in_annotations(kind: str, *keys: str) -> list[NameReference]:
    found = _in("", kind, ("Ingress",), *("metadata.annotations" for _ in keys))
    for reference, key in zip(found, keys, strict=True):
        reference.spec.steps = (*reference.spec.steps, key)
    return found


_ROLES = ("Role", "ClusterRole")
_KNATIVE = "serving.knative.dev"
_SCALE_TARGETS = (
    ("apps", "Deployment"),
    ("", "ReplicationController"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
)

REFERENCES = (
    *(
        reference
        for group, kind in _SCALE_TARGETS
        for reference in _in(group, kind, ("HorizontalPodAutoscaler",), "spec.scaleTargetRef.name")
    ),
    *_in_pods(
        "",
        "ConfigMap",
        "volumes[].configMap.name",
        "containers[].env[].valueFrom.configMapKeyRef.name",
        "containers[].envFrom[].configMapRef.name",
        "volumes[].projected.sources[].configMap.name",
    ),
    *_in("", "ConfigMap", ("Node",), "spec.configSource.configMap.name"),
    *_in("", "ConfigMap", _ROLES, "rules[].resourceNames[]"),
    *_in_annotations("ConfigMap", "nginx.ingress.kubernetes.io/fastcgi-params-configmap"),
    *_in(
        "",
        "ConfigMap",
        ("Service",),
        "spec.template.spec.containers[].env[].valueFrom.configMapKeyRef.name",
        "spec.template.spec.containers[].envFrom[].configMapRef.name",
        of=_KNATIVE,
    ),
    *_in(
        "",
        "Secret",
        ("Service",),
        "spec.template.spec.containers[].env[].valueFrom.secretKeyRef.name",
        of=_KNATIVE,
    ),
    *_in("", "Secret", _ROLES, "rules[].resourceNames[]"),
    *_in_annotations(
        "Secret",
        "ingress.kubernetes.io/auth-secret",
        "nginx.ingress.kubernetes.io/auth-secret",
        "nginx.ingress.kubernetes.io/auth-tls-secret",
    ),
    *_in_pods(
        "",
        "Secret",
        "volumes[].secret.secretName",
        "containers[].env[].valueFrom.secretKeyRef.name",
        "containers[].envFrom[].secretRef.name",
        "imagePullSecrets[].name",
        "volumes[].projected.sources[].secret.name",
    ),
    *_in("", "Secret", ("Ingress",), "spec.tls[].secretName"),
    *_in("", "Secret", ("ServiceAccount",), "imagePullSecrets[].name"),
    *_in(
        "",
        "Secret",
        ("StorageClass",),
        "parameters.secretName",
        "parameters.adminSecretName",
        "parameters.userSecretName",
        "parameters.secretRef",
    ),
    *_in("", "Secret", ("PersistentVolume",), "spec.azureFile.secretName"),
    *_in("", "Service", ("StatefulSet",), "spec.serviceName", of="apps"),
    *_in(
        "",
        "Service",
        ("Ingress",),
        "spec.rules[].http.paths[].backend.serviceName",
        "spec.backend.serviceName",
        "spec.rules[].http.paths[].backend.service.name",
        "spec.defaultBackend.service.name",
    ),
    *_in("", "Service", ("APIService",), "spec.service.name", of="apiregistration.k8s.io"),
    *_in("", "Service", _HOOKS, "webhooks[].clientConfig.service.name", of="admissionregistration.k8s.io"),
    *_in(_RBAC, "Role", ("RoleBinding",), "roleRef.name", of=_RBAC),
    *_in(_RBAC, "ClusterRole", ("RoleBinding", "ClusterRoleBinding"), "roleRef.name", of=_RBAC, cluster=True),
    *_in("", "ServiceAccount", ("RoleBinding", "ClusterRoleBinding"), "subjects[].name", of=_RBAC),
    *_in_pods("", "ServiceAccount", "serviceAccountName"),
    *_in_pods("", "PersistentVolumeClaim", "volumes[].persistentVolumeClaim.claimName"),
    *_in("", "PersistentVolumeClaim", ("PersistentVolume",), "spec.claimRef.name"),
    *_in("", "PersistentVolume", ("PersistentVolumeClaim",), "spec.volumeName", cluster=True),
    *_in("", "PersistentVolume", ("ClusterRole",), "rules[].resourceNames[]", cluster=True),
    *_in(
        "storage.k8s.io",
        "StorageClass",
        ("PersistentVolume", "PersistentVolumeClaim"),
        "spec.storageClassName",
        cluster=True,
    ),
    *_in(
        "storage.k8s.io",
        "StorageClass",
        ("StatefulSet",),
        "spec.volumeClaimTemplates[].spec.storageClassName",
        cluster=True,
    ),
    *_in_pods("scheduling.k8s.io", "PriorityClass", "priorityClassName", cluster=True),
    *_in(
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicy",
        ("ValidatingAdmissionPolicyBinding",),
        "spec.policyName",
        cluster=True,
    ),
    *_in("networking.k8s.io", "IngressClass", ("Ingress",), "spec.ingressClassName", cluster=True),
)
