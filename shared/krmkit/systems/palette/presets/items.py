"""Presets among the items of a list: each pack's, by the config or the marker comment in its values."""

from __future__ import annotations

from krmkit.krm.apart import apart
from krmkit.krm.finding import Finding
from krmkit.libraries.json.paths import dotted
from krmkit.systems.palette.errors import PackError
from krmkit.systems.palette.packs.items import Packs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.krm.fieldpath import Path
    from krmkit.krm.resource import Resource
    from krmkit.krm.resourcelist import ResourceList
    from krmkit.systems.palette.packs.items import Carrier
    from krmkit.systems.palette.presets.catalog import PresetCatalog

_SELECTED = frozenset(("unknown-preset", "group-conflict"))
"""Rules about what a selection says, and not about the pack."""


def apply_to_packs(
    resources: ResourceList, spec: dict[str, Any], config: Resource | None, explain: bool = False
) -> list[Finding]:
    """Apply an ApplyPresets' selections to its packs, and to all others those of their marker comment.

    With `explain`, a finding names the presets of each pack.
    """
    packs = Packs.read(resources)
    findings = [Finding("bad-pack", one.message, one.resource, one.field) for one in packs.problems]
    chosen = _Choice(packs, spec["selections"], config)
    findings += chosen.findings
    if not packs.carriers:
        return findings
    from krmkit.systems.palette.presets.apply import apply_presets  # most lists have no pack

    catalogs: dict[str, PresetCatalog] = {}
    carriers = {id(carrier.resource): carrier for carrier in packs.carriers}

    def one(item: Resource) -> list[Finding]:
        carrier = carriers[id(item)]
        pack = carrier.pack
        applied = apply_presets(
            pack.values or "",
            pack.presets,
            chosen.presets.get(id(carrier)),
            spec["writeMarker"],
            resources.limits,
            explain=resources.causes is not None,
            catalogs=catalogs,
        )
        said = [chosen.placed(carrier, finding) for finding in applied.findings]
        for preset in applied.presets if explain else ():
            message = f'the preset "{preset.label}" is applied'
            said.append(Finding("applied", message, item))
        if resources.causes is not None:
            from krmkit.systems.palette.presets.causes import record_presets

            record_presets(resources.causes, carrier, applied, config, chosen.fields.get(id(carrier), []))
        carrier.write_values(applied.text)
        return said

    said = apart(resources, [carrier.resource for carrier in packs.carriers], one)
    return findings + [finding for found in said for finding in found]


class _Choice:
    """The presets that a config selects and the fields that select them, by the id of the carrier."""

    def __init__(self, packs: Packs, selections: list[dict[str, Any]], config: Resource | None) -> None:
        self.presets: dict[int, list[str]] = {}
        self.fields: dict[int, list[Path]] = {}
        self.findings: list[Finding] = []
        self.config = config
        flat = config is not None and config.kind == "ConfigMap"
        for number, selection in enumerate(selections):
            name = selection["pack"]
            where: Path = ("data", name) if flat else ("spec", "selections", number)
            try:
                self._add(packs.named(name), selection["presets"], where, flat)
            except PackError as error:
                field = dotted(where if flat else (*where, "pack"))
                self.findings.append(Finding("unknown-pack", error.message, config, field, current=name))

    def _add(self, carrier: Carrier, presets: list[str], where: Path, flat: bool) -> None:
        self.presets.setdefault(id(carrier), []).extend(presets)
        fields = self.fields.setdefault(id(carrier), [])
        fields += [where if flat else (*where, "presets", entry) for entry in range(len(presets))]

    def placed(self, carrier: Carrier, finding: Finding) -> Finding:
        """Return a finding about a pack, at the entry of the config with the error, or at the pack."""
        entry = finding.about[0] if finding.about else ""
        selected = self.presets.get(id(carrier), [])
        if self.config is None or finding.rule not in _SELECTED or entry not in selected:
            return carrier.located(finding)
        finding.field = dotted(self.fields[id(carrier)][selected.index(entry)])
        finding.current = entry
        finding.beside(carrier.resource, "presets", "the presets of the pack", finding.tags.pop("file"))
        return finding.at(self.config, pack=carrier.pack.label)
