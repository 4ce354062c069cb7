"""A cluster profile as plain data, what people and Palette do to it, and the files of both.

Each edit is a function of the plain data and has a target. Two sides that edit targets apart from each other must
end at the data with all edits on it: that is the three-way merge of the model.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

State = dict[str, Any]
Target = tuple[str, ...]
Edit = Callable[[State], None]

NAME = "plant"
MASK = "********"
_LINE = re.compile(r"  (?P<key>\w+): (?P<value>.*?)(?:   # (?P<beside>.*))?")


def new_layer(name: str, kind: str, chance: Random) -> State:
    """A layer with eight values, or with two manifests."""
    layer: State = {
        "name": name,
        "type": kind,
        "layer": "addon",
        "version": "1.0.0",
        "registry": "r1",
        "extra": {},
    }
    layer["values"] = [
        {"key": f"k{number}", "value": f"{name}-{number}", "above": "", "beside": f"about k{number}" * (number % 3 == 0)}
        for number in range(8)
    ]  # fmt: skip
    manifests = {f"m{number}": f"kind: A\nname: {name}-{number}\n" for number in range(2)}
    layer["manifests"] = manifests if kind == "manifest" else {}
    if kind == "oci" and chance.random() < 0.5:
        layer["values"][0]["above"] = "spectrocloud.com/enabled-presets: Size:small"
    return layer


def new_variable(name: str, sensitive: bool = False) -> State:
    made = {"name": name, "displayName": name.upper(), "format": "string", "defaultValue": f"{name}-default"}
    return {**made, "isSensitive": True} if sensitive else made


def new_state(chance: Random) -> State:
    """A profile with a pack, a chart, another pack and manifests, and three variables, one of them sensitive."""
    kinds = {"one": "oci", "two": "helm", "three": "oci", "four": "manifest"}
    return {
        "description": "d0",
        "version": "1.0.0",
        "labels": {"line": "two"},
        "extra": {},
        "layers": [new_layer(name, kind, chance) for name, kind in kinds.items()],
        "variables": [new_variable("cidr"), new_variable("size"), new_variable("key", sensitive=True)],
    }


def layer_of(state: State, name: str) -> State:
    return next(one for one in state["layers"] if one["name"] == name)


def values_text(layer: State, masked: frozenset[Target] = frozenset()) -> str:
    lines = ["# head\nvalues:\n"]
    for one in layer["values"]:
        value = f"'{MASK}'" if ("value", layer["name"], one["key"]) in masked else one["value"]
        lines.append(f"  # {one['above']}\n" * bool(one["above"]))
        lines.append(f"  {one['key']}: {value}" + f"   # {one['beside']}" * bool(one["beside"]) + "\n")
    return "".join(lines)


def export_text(state: State, masked: frozenset[Target] = frozenset()) -> str:
    """The profile as the console exports it, compact JSON; `masked` values and defaults are hidden."""
    packs = []
    for layer in state["layers"]:
        made = {key: layer[key] for key in ("name", "type", "layer", "version")}
        made |= {
            "tag": layer["version"],
            "values": values_text(layer, masked) if layer["values"] else "",
            **layer["extra"],
        }
        if layer["manifests"]:
            made["manifests"] = [{"name": name, "content": text} for name, text in layer["manifests"].items()]
        packs.append({**made, "registry": {"metadata": {"uid": layer["registry"], "name": "R"}}})
    variables = copy.deepcopy(state["variables"])
    for one in variables:
        if ("variable", one["name"]) in masked:
            one["defaultValue"] = MASK
    head = {"name": NAME, "description": state["description"], "labels": state["labels"]}
    template = {"type": "add-on", "cloudType": "all", "packs": packs}
    spec = {"version": state["version"], "template": template, "variables": variables, **state["extra"]}
    return json.dumps({"metadata": head, "spec": spec}, separators=(",", ":"))


def values_in(text: str) -> dict[str, tuple[str, str, str]]:
    """The values of a layer's text: key -> value, comment above, comment beside."""
    found, above = {}, ""
    for line in text.splitlines()[2:]:
        if line.startswith("  # "):
            above = line[4:]
            continue
        match = _LINE.fullmatch(line)
        assert match, line
        assert match["key"] not in found, text
        found[match["key"]] = (match["value"], above, match["beside"] or "")
        above = ""
    assert not above, text
    return found


def told(text: str) -> State:
    """What an export says, for a comparison: order of layers apart, values by key."""
    data = json.loads(text)
    packs = data["spec"]["template"]["packs"]
    layers = {}
    for pack in packs:
        fields = {key: value for key, value in pack.items() if key not in ("values", "manifests")}
        manifests = {one["name"]: one["content"] for one in pack.get("manifests", ())}
        layers[pack["name"]] = (fields, values_in(pack["values"]), manifests)
    rest = {key: value for key, value in data["spec"].items() if key not in ("template", "variables")}
    variables = {one["name"]: one for one in data["spec"].get("variables", ())}
    return {"head": data["metadata"], "rest": rest, "layers": layers, "variables": variables}


def order(text: str) -> tuple[list[str], list[str]]:
    """The names of layers and of variables in an export."""
    spec = json.loads(text)["spec"]
    return [one["name"] for one in spec["template"]["packs"]], [
        one["name"] for one in spec.get("variables", ())
    ]


class Editor:
    """One side's edits. `locked`: the targets of the other side; `done`: the targets of this side."""

    def __init__(self, chance: Random, side: str, locked: set[Target]) -> None:
        self.chance, self.side, self.locked = chance, side, locked
        self.done: set[Target] = set()
        self._number = 0

    def edits(self, mine: State, other: State, count: int) -> list[Edit]:
        """Return `count` edits of targets that both states have, and do them to `mine`."""
        made: list[Edit] = []
        while len(made) < count:
            edit = self.chance.choice(KINDS)(self, mine, other)
            if edit is not None:
                edit(mine)
                made.append(edit)
        return made

    def takes(self, *targets: Target) -> bool:
        """Lock the targets if neither they, nor what is in or around them, belong to the other side."""
        free = all(
            one[: len(other)] != other and other[: len(one)] != one
            for one in targets
            for other in self.locked
        )
        if free:
            self.done.update(targets)
        return free

    def fresh(self) -> str:
        self._number += 1
        return f"{self.side}{self._number}x{self.chance.randrange(10_000)}"

    def common(self, mine: State, other: State, kinds: tuple[str, ...] = ("oci", "helm")) -> str:
        """The name of a layer that both states have, "" where there is none."""
        names = {one["name"] for one in other["layers"]}
        found = [one["name"] for one in mine["layers"] if one["name"] in names and one["type"] in kinds]
        return self.chance.choice(found) if found else ""


def common_key(editor: Editor, mine: State, other: State) -> Target | None:
    name = editor.common(mine, other)
    if not name:
        return None
    keys = {one["key"] for one in layer_of(other, name)["values"]}
    found = [one["key"] for one in layer_of(mine, name)["values"] if one["key"] in keys]
    return ("value", name, editor.chance.choice(found)) if len(found) > 3 else None


def entry(state: State, target: Target) -> State:
    return next(one for one in layer_of(state, target[1])["values"] if one["key"] == target[2])


def change_value(editor: Editor, mine: State, other: State) -> Edit | None:
    """A value, the comment above or the comment beside."""
    target = common_key(editor, mine, other)
    if target is None or not editor.takes(target):
        return None
    part, text = editor.chance.choice(("value", "value", "above", "beside")), editor.fresh()
    return lambda state: entry(state, target).update({part: text})


def remove_value(editor: Editor, mine: State, other: State) -> Edit | None:
    target = common_key(editor, mine, other)
    if target is None or not editor.takes(target):
        return None
    return lambda state: layer_of(state, target[1])["values"].remove(entry(state, target))


def add_value(editor: Editor, mine: State, other: State) -> Edit | None:
    """Behind a key that the other side leaves alone."""
    target = common_key(editor, mine, other)
    if target is None or not editor.takes(target):
        return None
    new = {"key": editor.fresh(), "value": editor.fresh(), "above": "", "beside": ""}
    if editor.chance.random() < 0.3:
        new["above"] = editor.fresh()

    def edit(state: State) -> None:
        values = layer_of(state, target[1])["values"]
        values.insert(values.index(entry(state, target)) + 1, dict(new))

    return edit


def reorder_values(editor: Editor, mine: State, other: State) -> Edit | None:
    name = editor.common(mine, other)
    if not name or not editor.takes(("value", name)):
        return None
    return lambda state: layer_of(state, name)["values"].reverse()


def change_layer(editor: Editor, mine: State, other: State) -> Edit | None:
    """The version and tag, the registry, or a field that nobody knows."""
    name = editor.common(mine, other, ("oci", "helm", "manifest"))
    part = editor.chance.choice(("version", "registry", "extra"))
    if not name or not editor.takes(("layer", name, part)):
        return None
    text = (
        f"1.{editor.chance.randrange(1, 99)}.{editor.chance.randrange(99)}"
        if part == "version"
        else editor.fresh()
    )
    return lambda state: layer_of(state, name).update({part: {"later": text} if part == "extra" else text})


def add_layer(editor: Editor, mine: State, other: State) -> Edit | None:
    if not editor.takes(("order",)):
        return None
    kind = editor.chance.choice(("oci", "helm", "manifest"))
    layer = new_layer(editor.fresh(), kind, editor.chance)
    place = editor.chance.randrange(len(mine["layers"]) + 1)
    return lambda state: state["layers"].insert(place, copy.deepcopy(layer))


def remove_layer(editor: Editor, mine: State, other: State) -> Edit | None:
    name = editor.common(mine, other, ("oci", "helm", "manifest"))
    if not name or len(mine["layers"]) < 3 or not editor.takes(("order",), ("layer", name), ("value", name)):
        return None
    return lambda state: state["layers"].remove(layer_of(state, name))


def move_layer(editor: Editor, mine: State, other: State) -> Edit | None:
    if not editor.takes(("order",)):
        return None
    return lambda state: state["layers"].append(state["layers"].pop(0))


def change_manifest(editor: Editor, mine: State, other: State) -> Edit | None:
    """A manifest that is edited, added or removed."""
    name = editor.common(mine, other, ("manifest",))
    if not name:
        return None
    shared = [one for one in layer_of(mine, name)["manifests"] if one in layer_of(other, name)["manifests"]]
    what = editor.chance.choice(("edit", "add", "remove"))
    file = editor.fresh() if what == "add" else editor.chance.choice(shared or [""])
    if (
        not file
        or (what == "remove" and len(shared) < 2)
        or not editor.takes(("layer", name, "manifest", file))
    ):
        return None
    content = f"kind: {editor.fresh()}\n---\nkind: B\n"

    def edit(state: State) -> None:
        manifests = layer_of(state, name)["manifests"]
        if what == "remove":
            del manifests[file]
        else:
            manifests[file] = content

    return edit


def change_variable(editor: Editor, mine: State, other: State) -> Edit | None:
    """A definition: its default, another field, or all of it."""
    shared = [one["name"] for one in mine["variables"] if one in other["variables"]]
    name = editor.chance.choice(shared or [""])
    what = editor.chance.choice(("defaultValue", "displayName", "regex", "remove"))
    hidden = what == "defaultValue" and any(
        one.get("isSensitive") and one["name"] == name for one in mine["variables"]
    )
    if hidden and editor.side == "theirs":  # exports hide it, so the package keeps its own
        return None
    if not name or (what == "remove" and len(shared) < 2) or not editor.takes(("variable", name)):
        return None
    text = editor.fresh()

    def edit(state: State) -> None:
        one = next(each for each in state["variables"] if each["name"] == name)
        if what == "remove":
            state["variables"].remove(one)
        else:
            one[what] = text

    return edit


def add_variable(editor: Editor, mine: State, other: State) -> Edit | None:
    made = new_variable(editor.fresh(), editor.chance.random() < 0.3)
    return lambda state: state["variables"].append(dict(made)) if editor.takes(("variables",)) else None


def move_variable(editor: Editor, mine: State, other: State) -> Edit | None:
    if not editor.takes(("variables",)):
        return None
    return lambda state: state["variables"].append(state["variables"].pop(0))


def change_head(editor: Editor, mine: State, other: State) -> Edit | None:
    """The description, the version, a label, or a field of the envelope that nobody knows."""
    part = editor.chance.choice(("description", "version", "labels", "extra"))
    if not editor.takes((part,)):
        return None
    text = editor.fresh()
    return lambda state: state.update({part: {text: text} if part in ("labels", "extra") else text})


KINDS = (
    change_value, remove_value, add_value, reorder_values, change_layer, add_layer, remove_layer, move_layer, change_manifest,
    change_variable, add_variable, move_variable, change_head,
)  # fmt: skip
