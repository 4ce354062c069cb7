"""The fields of annotations by kind: the table of set-annotations.

Source: commonAnnotations of kustomize's default field specs, as in set-annotations.
"""

from __future__ import annotations

from krmkit.everyday.fields.tables import FieldSpec, FieldTable

_TEMPLATE = "spec.template.metadata.annotations"

ANNOTATIONS = (
    FieldSpec("metadata.annotations", create=True),
    FieldSpec(_TEMPLATE, ("ReplicationController",), version="v1", create=True),
    FieldSpec(_TEMPLATE, ("Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"), create=True),
    FieldSpec(_TEMPLATE, ("Job",), "batch", create=True),
    FieldSpec("spec.jobTemplate.metadata.annotations", ("CronJob",), "batch", create=True),
    FieldSpec("spec.jobTemplate.spec.template.metadata.annotations", ("CronJob",), "batch", create=True),
)


def annotation_table(more: list[FieldSpec]) -> FieldTable:
    """The table, with fields that a config adds."""
    return FieldTable((*ANNOTATIONS, *more))
