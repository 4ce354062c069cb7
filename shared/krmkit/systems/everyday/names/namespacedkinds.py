"""Kubernetes' namespaced kinds by group: set-namespace adds a namespace to these if they have none.

Source: the table of kpt's functions (kyaml's openapi of Kubernetes 1.21), by group and kind for all versions, and the
kinds added up to Kubernetes 1.34.
"""

from __future__ import annotations

_KINDS = {
    "": "Binding ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController"
    " ResourceQuota Secret Service ServiceAccount",
    "apps": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "authorization.k8s.io": "LocalSubjectAccessReview",
    "autoscaling": "HorizontalPodAutoscaler Scale",
    "batch": "CronJob Job",
    "coordination.k8s.io": "Lease LeaseCandidate",
    "discovery.k8s.io": "EndpointSlice",
    "events.k8s.io": "Event",
    "extensions": "Ingress",
    "networking.k8s.io": "Ingress NetworkPolicy",
    "policy": "PodDisruptionBudget",
    "rbac.authorization.k8s.io": "Role RoleBinding",
    "resource.k8s.io": "ResourceClaim ResourceClaimTemplate",
    "storage.k8s.io": "CSIStorageCapacity",
}
NAMESPACED = frozenset((group, kind) for group, kinds in _KINDS.items() for kind in kinds.split())
