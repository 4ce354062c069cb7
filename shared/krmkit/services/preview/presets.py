"""Preset choices: the presets that packs offer, the chosen ones, and edits of the config."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.services.preview.configs import ChoiceError, ConfigPlace
from krmkit.systems.palette.errors import PackError
from krmkit.systems.palette.packs.items import Carrier, Packs
from krmkit.systems.palette.presets.apply import apply_presets
from krmkit.views.packs import data_of

# Where in the config, and the labels.
Selection = tuple[int | str, list[str]]


class PresetChoices:
    """The choices of one apply-presets. `place`: its config; `items`: its input resources."""

    def __init__(self, place: ConfigPlace, items: list[Resource]) -> None:
        self.place = place
        self._packs = Packs.read(ResourceList.of(items))

    def offered(self) -> dict[str, Any]:
        """Return all packs with presets, by group, with the chosen ones."""
        selections = self._selections()
        return {
            "id": self.place.id,
            "kind": "presets",
            "file": self.place.path,
            "packs": [
                _offered(carrier, selections.get(id(carrier)))
                for carrier in self._packs.carriers
                if carrier.pack.presets
            ],
        }

    def _selections(self) -> dict[int, list[Selection]]:
        """Return the config's selections by id() of the pack that they name."""
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
        selections: dict[int, list[Selection]] = defaultdict(list)
        for where, name, labels in entries:
            try:
                carrier = self._packs.named(str(name))
            except PackError:
                continue
            selections[id(carrier)].append(
                (where, list(map(str, labels)) if isinstance(labels, list) else [])
            )
        return selections

    def choose(self, wanted: object) -> None:
        """Put `{pack: [labels]}` into the config. Raises ChoiceError."""
        if not isinstance(wanted, dict):
            raise ChoiceError(f"the presets of {self.place.id} must be a map of packs, got {wanted!r}")
        carriers = {carrier.pack.label: carrier for carrier in self._packs.carriers if carrier.pack.presets}
        selections = self._selections()
        added: dict[str, list[str]] = {}
        superfluous: list[Any] = []
        for label, chosen in wanted.items():
            carrier = carriers.get(label)
            if carrier is None:
                raise ChoiceError(
                    f'there is no pack "{label}" with presets{did_you_mean(str(label), carriers)}'
                )
            if not isinstance(chosen, list) or not all(isinstance(one, str) for one in chosen):
                raise ChoiceError(f"the presets of {label} must be a list of names, got {chosen!r}")
            made = _offered(carrier, selections.get(id(carrier)))
            _check(label, chosen, [preset["label"] for preset in made["presets"]])
            if chosen == made["selected"] and "problem" not in made:
                continue
            places = [where for where, _ in selections.get(id(carrier), ())]
            if places:
                self._put(places[0], chosen)
                # The first of several selections for one pack now holds the choices of all.
                superfluous += places[1:]
            else:
                added[carrier.pack.name if self._is_plain(carrier) else carrier.resource.name] = chosen
        self._append(added)
        for where in sorted(superfluous, reverse=True):
            self.place.remove((where,) if self.place.flat else ("selections", where))

    def _put(self, where: int | str, labels: list[str]) -> None:
        if self.place.flat:
            self.place.set((where,), ", ".join(labels))
        else:
            self.place.set(("selections", where, "presets"), labels)

    def _append(self, selections: dict[str, list[str]]) -> None:
        if self.place.flat:
            for name, labels in selections.items():
                self._put(name, labels)
            return
        entries = [{"pack": name, "presets": labels} for name, labels in selections.items()]
        listed = self.place.get("selections")
        if isinstance(listed, list):
            for number, entry in enumerate(entries, len(listed)):
                self.place.set(("selections", number), entry)
        elif entries:
            self.place.set(("selections",), entries)

    def _is_plain(self, carrier: Carrier) -> bool:
        """Return True if no other pack has this pack's name in pack.json."""
        try:
            return self._packs.named(carrier.pack.name) is carrier
        except PackError:
            return False


def _offered(carrier: Carrier, selections: list[Selection] | None) -> dict[str, Any]:
    """Return the presets of a pack, and the chosen ones.

    The choice is the config's selections or, if `selections` is None, the marker in the pack's values.
    """
    pack = carrier.pack
    try:
        presets = data_of(pack)["presets"]
    except Refused as error:
        return {"pack": pack.label, "presets": [], "selected": [], "problem": str(error)}
    for preset in presets:
        preset["label"] = _label(preset)
    wanted = None if selections is None else [label for _, labels in selections for label in labels]
    applied = apply_presets(pack.values or "", pack.presets, wanted)
    errors = [finding.message for finding in applied.findings if finding.severity == "error"]
    offered: dict[str, Any] = {
        "pack": pack.label,
        "title": pack.display_name,
        "presets": presets,
        "selected": [preset.label for preset in applied.presets],
        "from": "config" if wanted is not None else "marker" if applied.presets else "",
    }
    return {**offered, "problem": errors[0]} if errors else offered


def _check(pack: str, chosen: list[str], known: list[str]) -> None:
    for label in chosen:
        if label not in known:
            raise ChoiceError(f'{pack} has no preset "{label}"{did_you_mean(label, known)}')


def _label(preset: dict[str, Any]) -> str:
    return f"{preset['group']}:{preset['name']}" if preset["group"] else str(preset["name"])
