"""The fields of labels and selectors by kind: the table of set-labels.

Source: set-labels, which ignores the group of core kinds, Deployment, ReplicaSet and DaemonSet: a Service of
serving.knative.dev/v1 gets a selector too. Pod affinity terms have the paths of Kubernetes' PodSpec, and
get warnings only; the original looks for them at paths that do not exist.
"""

from __future__ import annotations

from krmkit.systems.everyday.fields.tables import FieldSpec, FieldTable

_TEMPLATE = "spec.template"
_CRON_TEMPLATE = "spec.jobTemplate.spec.template"
_WORKLOADS = ("Deployment", "ReplicaSet", "DaemonSet")  # of any group
_TERMS = (
    "podAffinity.requiredDuringSchedulingIgnoredDuringExecution[].labelSelector.matchLabels",
    "podAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.labelSelector.matchLabels",
    "podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[].labelSelector.matchLabels",
    "podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.labelSelector.matchLabels",
)


def _template(
    root: str, kinds: tuple[str, ...], group: str | None, version: str | None = None
) -> list[FieldSpec]:
    """Return the fields of a pod template's labels, and of the selectors in it that use them."""
    return [
        FieldSpec(f"{root}.metadata.labels", kinds, group, version, create=True, inside=root),
        FieldSpec(
            f"{root}.spec.topologySpreadConstraints[].labelSelector.matchLabels", kinds, group, version
        ),
        *(FieldSpec(f"{root}.spec.affinity.{term}", kinds, group, version) for term in _TERMS),
    ]


LABELS = FieldTable(
    (
        FieldSpec("metadata.labels", create=True),
        FieldSpec("spec.selector", ("Service", "ReplicationController"), version="v1", create=True),
        *_template(_TEMPLATE, ("ReplicationController",), None, "v1"),
        FieldSpec("spec.selector.matchLabels", _WORKLOADS, create=True),
        *_template(_TEMPLATE, _WORKLOADS, None),
        FieldSpec("spec.selector.matchLabels", ("StatefulSet",), "apps", create=True),
        *_template(_TEMPLATE, ("StatefulSet",), "apps"),
        FieldSpec("spec.volumeClaimTemplates[].metadata.labels", ("StatefulSet",), "apps", create=True),
        FieldSpec("spec.volumeClaimTemplates[].selector.matchLabels", ("StatefulSet",), "apps"),
        FieldSpec("spec.selector.matchLabels", ("Job",), "batch"),
        *_template(_TEMPLATE, ("Job",), "batch"),
        FieldSpec(
            "spec.jobTemplate.metadata.labels", ("CronJob",), "batch", create=True, inside="spec.jobTemplate"
        ),
        FieldSpec("spec.jobTemplate.spec.selector.matchLabels", ("CronJob",), "batch"),
        *_template(_CRON_TEMPLATE, ("CronJob",), "batch"),
        FieldSpec("spec.selector.matchLabels", ("PodDisruptionBudget",), "policy"),
        FieldSpec("spec.podSelector.matchLabels", ("NetworkPolicy",), "networking.k8s.io"),
        FieldSpec("spec.ingress[].from[].podSelector.matchLabels", ("NetworkPolicy",), "networking.k8s.io"),
        FieldSpec("spec.egress[].to[].podSelector.matchLabels", ("NetworkPolicy",), "networking.k8s.io"),
    )
)
