"""Choosing presets: what the packs of a package offer, what is chosen, and how another choice gets into the config."""

from __future__ import annotations

from krmkit.cli.packshow import ShowError, data_of
from krmkit.cli.preview.configplace import ChoiceError
from krmkit.krm.resourcelist import ResourceList
from krmkit.lang.nearest import did_you_mean
from krmkit.palette.packitems import CarrierError, Packs
from krmkit.palette.presets import apply_presets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krmkit.cli.preview.configplace import ConfigPlace
    from krmkit.krm.resource import Resource
    from krmkit.palette.packitems import Carrier


class PresetChoices:
    """The choices of one apply-presets: `place` is its config, `items` are the resources that it gets."""

    def __init__(self, place: ConfigPlace, items: list[Resource]) -> None:
        self.place = place
        self._packs = Packs.read(ResourceList.of(items))

    def offered(self) -> dict[str, Any]:
        """All packs with presets, by group, and what is chosen in each."""
        return {
            "id": self.place.id,
            "kind": "presets",
            "file": self.place.path,
            "packs": [self._offered(carrier) for carrier in self._packs.carriers if carrier.pack.presets],
        }

    def _offered(self, carrier: Carrier) -> dict[str, Any]:
        pack = carrier.pack
        try:
            presets = data_of(pack)["presets"]
        except ShowError as error:
            return {"pack": pack.label, "presets": [], "selected": [], "problem": str(error)}
        for preset in presets:
            preset["label"] = _label(preset)
        wanted = self._wanted(carrier)
        applied = apply_presets(pack.values or "", pack.presets, wanted)
        errors = [finding.message for finding in applied.findings if finding.severity == "error"]
        found: dict[str, Any] = {
            "pack": pack.label,
            "title": pack.display_name,
            "presets": presets,
            "selected": [preset.label for preset in applied.presets],
            "from": "config" if wanted is not None else "marker" if applied.presets else "",
        }
        return {**found, "problem": errors[0]} if errors else found

    def _selections(self) -> Iterator[tuple[Carrier, int | str, list[str]]]:
        """(pack, where in the config, labels) of each selection that names a pack that is there."""
        if self.place.flat:
            texts = self.place.get()
            entries: list[tuple[int | str, object, object]] = [
                (key, key, [label.strip() for label in str(text).split(",") if label.strip()])
                for key, text in (texts.items() if isinstance(texts, dict) else ())
            ]
        else:
            listed = self.place.get("selections")
            entries = [
                (number, one.get("pack"), one.get("presets"))
                for number, one in enumerate(listed if isinstance(listed, list) else ())
                if isinstance(one, dict)
            ]
        for where, name, labels in entries:
            try:
                carrier = self._packs.named(str(name))
            except CarrierError:
                continue
            yield carrier, where, [str(label) for label in labels] if isinstance(labels, list) else []

    def _wanted(self, carrier: Carrier) -> list[str] | None:
        found = [labels for one, _, labels in self._selections() if one is carrier]
        return [label for labels in found for label in labels] if found else None

    def choose(self, wanted: object) -> None:
        """Put `{pack: [labels]}` into the config. Raises ChoiceError."""
        if not isinstance(wanted, dict):
            raise ChoiceError(f"the presets of {self.place.id} must be a map of packs, got {wanted!r}")
        carriers = {carrier.pack.label: carrier for carrier in self._packs.carriers if carrier.pack.presets}
        for label, chosen in wanted.items():
            carrier = carriers.get(label)
            if carrier is None:
                raise ChoiceError(
                    f'there is no pack "{label}" with presets{did_you_mean(str(label), carriers)}'
                )
            if not isinstance(chosen, list) or not all(isinstance(one, str) for one in chosen):
                raise ChoiceError(f"the presets of {label} must be a list of names, got {chosen!r}")
            self._choose(carrier, chosen)

    def _choose(self, carrier: Carrier, chosen: list[str]) -> None:
        offered = self._offered(carrier)
        known = [preset["label"] for preset in offered["presets"]]
        for label in chosen:
            if label not in known:
                raise ChoiceError(f'{carrier.pack.label} has no preset "{label}"{did_you_mean(label, known)}')
        if chosen == offered["selected"] and "problem" not in offered:
            return
        places = [where for one, where, _ in self._selections() if one is carrier]
        # What the others of several selections for one pack say is said by the first one now.
        for where in reversed(places[1:]):
            self.place.remove((where,) if self.place.flat else ("selections", where))
        name = carrier.pack.name if self._is_plain(carrier) else carrier.resource.name
        if self.place.flat:
            self.place.set((places[0] if places else name,), ", ".join(chosen))
        elif places:
            self.place.set(("selections", places[0], "presets"), chosen)
        else:
            listed = self.place.get("selections")
            entry = {"pack": name, "presets": chosen}
            if isinstance(listed, list):
                self.place.set(("selections", len(listed)), entry)
            else:
                self.place.set(("selections",), [entry])

    def _is_plain(self, carrier: Carrier) -> bool:
        """Whether the name in pack.json means this pack and no other."""
        try:
            return self._packs.named(carrier.pack.name) is carrier
        except CarrierError:
            return False


def _label(preset: dict[str, Any]) -> str:
    return f"{preset['group']}:{preset['name']}" if preset["group"] else str(preset["name"])
