"""The fields of container images: the table of set-image.

Source: release v0.1.1 of set-image; CronJob and PodTemplate are added, as their pods run too.
"""

from __future__ import annotations

from krmkit.everyday.fields.tables import FieldSpec, FieldTable

# Kinds in which something else than a list of containers is a mistake, in whatever group.
POD_KINDS = frozenset(
    ("Pod", "Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "ReplicationController", "Job", "CronJob", "PodTemplate")
)  # fmt: skip
_LISTS = ("containers[].image", "initContainers[].image")


def _pods(root: str, kinds: tuple[str, ...] = (), group: str | None = None) -> list[FieldSpec]:
    return [FieldSpec(f"{root}.{images}", kinds, group) for images in _LISTS]


IMAGES = (
    *_pods("spec.template.spec"),
    *_pods("spec"),
    *_pods("spec.jobTemplate.spec.template.spec", ("CronJob",), "batch"),
    *_pods("template.spec", ("PodTemplate",), ""),
)


def image_table(more: list[FieldSpec]) -> FieldTable:
    """The table, with fields that a config adds."""
    return FieldTable((*IMAGES, *more))
