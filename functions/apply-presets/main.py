#!/usr/bin/env python3
"""Apply the presets of Palette packs to the packs' values: see function.yaml; the rule is krmkit.palette.presets."""

from __future__ import annotations

if __name__ == "__main__":
    signals = __import__("_signal")
    signals.signal(signals.SIGINT, signals.SIG_DFL)  # Ctrl-C while modules load shows no traceback
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.lang.dottedpath import join
from krmkit.palette.packitems import CarrierError, Packs
from krmkit.palette.presets import apply_presets


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Packs that the config selects presets for get these; all others those that their marker comment names."""
    packs = Packs.read(resources)
    for problem in packs.problems:
        results.error("bad-pack", problem.message, problem.resource, problem.field)
    selected: dict[int, list[str]] = {}
    for number, selection in enumerate(config.spec["selections"]):
        try:
            carrier = packs.named(selection["pack"])
        except CarrierError as error:
            name = selection["pack"]
            field = join("data", name) if config.is_config_map else f"spec.selections[{number}].pack"
            results.error("unknown-pack", error.message, config.resource, field, current=name)
            continue
        selected.setdefault(id(carrier), []).extend(selection["presets"])
    texts: list[str] = []
    for carrier in packs.carriers:
        pack = carrier.pack
        applied = apply_presets(
            pack.values or "",
            pack.presets,
            selected.get(id(carrier)),
            config.spec["writeMarker"],
            resources.limits,
        )
        results.extend(map(carrier.located, applied.findings))
        for preset in applied.presets:
            results.explain("applied", f'the preset "{preset.label}" is applied', carrier.resource)
        texts.append(applied.text)
    for carrier, text in zip(packs.carriers, texts, strict=True):
        carrier.write_values(text)


if __name__ == "__main__":
    main(__file__, process)
