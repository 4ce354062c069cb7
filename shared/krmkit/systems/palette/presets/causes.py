"""The causes of the values of packs: each preset, and the entry of the config that selects it."""

from __future__ import annotations

from collections.abc import Sequence

from krmkit.krm.cause import Cause, CauseLog
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.systems.palette.packs.items import Carrier, place
from krmkit.systems.palette.presets.apply import AppliedSelection
from krmkit.systems.palette.presets.catalog import PRESETS


def record_presets(
    log: CauseLog,
    carrier: Carrier,
    applied: AppliedSelection,
    config: Resource | None,
    fields: Sequence[Path],
) -> None:
    """Record what presets wrote into a pack's values.

    `fields`: the paths in the config that select the presets, in order; empty if a marker comment does it.
    """
    item = carrier.resource
    causes = log.of(item)
    values = place(item.kind, "values.yaml")
    for preset, paths in applied.written:
        found = [Cause("preset", preset.label, item, ("presets", preset.number, "name"), PRESETS)]
        if config is not None and fields:
            found.append(Cause("config", preset.label, config, fields[preset.asked]))
        for path in paths:
            causes.set((*values, *path), *found)
