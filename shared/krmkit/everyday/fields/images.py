"""Where images of containers stand: the table of set-image.

Source: release v0.1.1 of set-image, which looks into every kind; CronJob and PodTemplate are added, because their pods run too.
"""

from __future__ import annotations

from krmkit.everyday.fields.tables import FieldSpec, FieldTable

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
