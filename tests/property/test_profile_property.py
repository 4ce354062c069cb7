"""Random histories of cluster profiles: edits of every kind here, in the file, or in both, then an import and an export.

The model is a plain three-way merge of a profile as a flat mapping. It knows nothing of forms, texts or items.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from krmkit.kpt.merge.edits import write_merged
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import mapping
from krmkit.libraries.yaml import emit
from krmkit.render.conversion.packfolder import local_config
from krmkit.render.conversion.profileimport import Key, parts_of
from krmkit.render.conversion.profiletext import in_form, read_profile
from krmkit.systems.palette.profiles.forms import FORMS, ClusterProfile
from krmkit.systems.palette.profiles.items import PROFILE_FILE
from tests.unit.render.conversion.profiles import bring, take

HISTORIES = int(os.environ.get("PROFILE_HISTORIES", "30"))  # a slow lane runs 300
MASK = "********"
State = dict[str, Any]
Flat = dict[tuple[str, ...], Any]
ENDS = {"terraform": ".tf", "flat": ".yaml", "crossplane": ".yaml"}


def first(source: Random) -> State:
    """A profile as data: layers and variables are mappings in their order."""
    return {
        "head": {"description": "d", "version": "1.0.0", "later": {"a": 1}},
        "tags": {"line": "two"},
        "layers": {name: layer(name) for name in source.sample(["one", "two", "three", "four"], 4)},
        "variables": {name: variable(name) for name in ("size", "key", "cidr")},
    }


def layer(name: str, kind: str = "oci") -> State:
    return {
        "type": kind,
        "tag": "1.0.0",
        "registryUid": "r1",
        "later": "x",
        "values": {key: f"{name}-{key}" for key in "abcdef"},
        "comments": {},
        "manifests": {f"{name}-m{number}": f"kind: {name}{number}\n---\na: 1\n" for number in range(3)},
    }


def variable(name: str) -> State:
    return {"displayName": name.title(), "format": "string", "defaultValue": f"{name}-0"}


def text_of(form: str, state: State) -> str:
    """The file of a profile in a form."""
    packs = []
    for name, one in state["layers"].items():
        lines = "".join(
            f"{key}: {emit.scalar(value, 0)}"
            + (f"   # {one['comments'][key]}\n" if key in one["comments"] else "\n")
            for key, value in one["values"].items()
        )
        packs.append({
            "name": name, "type": one["type"], "layer": "addon", "version": one["tag"], "tag": one["tag"],
            "registry": {"metadata": {"uid": one["registryUid"], "name": ""}}, "values": lines, "later": one["later"],
            "manifests": [{"name": key, "content": value} for key, value in one["manifests"].items()],
        })  # fmt: skip
    head = state["head"]
    data = {
        "metadata": {"name": "m", "description": head["description"], "labels": state["tags"]},
        "spec": {
            "version": head["version"],
            "later": head["later"],
            "template": {"type": "add-on", "cloudType": "all", "packs": packs},
            "variables": [{"name": name, **one} for name, one in state["variables"].items()],
        },
    }
    profile = ClusterProfile(FORMS["export"], data)
    return in_form(profile, FORMS[form], "")[0]


def state_of(text: str, path: str) -> tuple[Flat, list[str], list[str]]:
    """What a file says, flat; the order of its layers and of its variables."""
    profile = read_profile(text, path).profile
    flat: Flat = {("head", name): profile.get(name) for name in ("description", "version")}
    flat["head", "later"] = profile.own.get("spec", {}).get("later")
    if isinstance(profile.get("tags"), list):  # of texts, which a merge takes whole
        flat["tag", ""] = profile.get("tags")
    else:
        flat |= {("tag", name): value for name, value in profile.tags.items()}
    for one in profile.layers:
        name = one["name"]
        flat[name, ""] = one.get("later")
        flat |= {
            (name, field): profile.of_layer(one, field) for field in ("type", "tag", "version", "registryUid")
        }
        flat |= {(name, "values", key): value for key, value in (yaml.safe_load(one["values"]) or {}).items()}
        for line in one["values"].splitlines():
            if "   # " in line:
                flat[name, "comment", line.partition(":")[0]] = line.partition("   # ")[2]
        listed = profile.of_layer(one, "manifests") or []
        flat |= {(name, "manifests", each["name"]): each["content"] for each in listed}
    for one in profile.variables():
        flat |= {("variable", one["name"], field): value for field, value in one.items()}
    return flat, [one["name"] for one in profile.layers], [one["name"] for one in profile.variables()]


def edited(source: Random, state: State, kind: str, side: str) -> None:
    """Make an edit of a kind; each makes a text of its own."""
    new = f"{side}{source.randrange(10**6)}"
    chosen = source.choice(list(state["layers"]))
    one = state["layers"][chosen]
    defined = state["variables"]
    key = source.choice([*one["values"]]) if one["values"] else ""
    if kind == "values":
        one["values"][key] = new
    elif kind == "new values":
        one["values"][new] = new
    elif kind == "values removed" and len(one["values"]) > 2:
        del one["values"][key]
        one["comments"].pop(key, None)
    elif kind == "comments":
        one["comments"][key] = new
    elif kind == "layers moved":
        reorder(source, state["layers"])
    elif kind == "layers added":
        state["layers"][new] = layer(new)
    elif kind == "layers removed" and len(state["layers"]) > 2:
        del state["layers"][chosen]
    elif kind == "manifests edited" and one["manifests"]:
        one["manifests"][source.choice([*one["manifests"]])] = f"kind: {new}\n"
    elif kind == "manifests added":
        one["manifests"][new] = f"kind: {new}\n"
    elif kind == "manifests removed" and len(one["manifests"]) > 1:
        del one["manifests"][source.choice([*one["manifests"]])]
    elif kind == "tags":
        state["tags"][source.choice(["line", new])] = new
    elif kind == "registry":
        one["registryUid"] = new
    elif kind == "versions":
        one["tag"] = f"2.{source.randrange(10**6)}.0"
    elif kind == "unknown fields":
        one["later"] = new
        state["head"]["later"] = {"a": new}
    elif kind == "envelope":
        state["head"][source.choice(["description", "version"])] = new
    elif kind == "definitions":
        defined[source.choice([*defined])]["defaultValue"] = new
    elif kind == "definitions added":
        defined[new] = variable(new)
    elif kind == "definitions removed" and len(defined) > 1:
        del defined[source.choice([*defined])]
    elif kind == "definitions moved":
        reorder(source, defined)


KINDS = (
    "values", "new values", "values removed", "comments", "layers moved", "layers added", "layers removed",
    "manifests edited", "manifests added", "manifests removed", "tags", "registry", "versions", "unknown fields", "envelope",
    "definitions", "definitions added", "definitions removed", "definitions moved",
)  # fmt: skip


def reorder(source: Random, what: dict[str, Any]) -> None:
    """Put a mapping into another order."""
    for name in source.sample([*what], len(what)):
        what[name] = what.pop(name)


def write_edits(package: Path, old: str, new: str, label: str) -> None:
    """Edit the items of a package as a person would: what differs between two files of the profile."""
    before, after = (parts_of(read_profile(one, label).profile) for one in (old, new))
    for key in {**before, **after}:
        if key not in after:
            (package / f"{before[key].name}.yaml").unlink()
        elif key not in before:
            part = after[key]
            made = local_config(part.name, {key[0]: key[1]}, part.texts, part.name)
            (package / f"{part.name}.yaml").write_text(made, "utf-8")
        elif before[key].texts != after[key].texts:
            write_texts(package / f"{after[key].name}.yaml", key, after[key].texts)


def write_texts(path: Path, key: Key, texts: dict[str, str]) -> None:
    """Set the texts of an item."""
    item = Resource(path.read_text("utf-8"))
    if not key[0]:
        own = Resource(item.string("data", PROFILE_FILE))
        write_merged(own, mapping(Resource(texts[PROFILE_FILE]).get()))
        texts = {PROFILE_FILE: own.text}
    data = mapping(item.get())
    kept = {name: text for name, text in mapping(data, "data").items() if name in texts}
    write_merged(item, {**data, "data": {**kept, **texts}})
    path.write_text(item.text, "utf-8")


def merged(base: Flat, mine: Flat, theirs: Flat) -> tuple[Flat, set[tuple[str, ...]]]:
    """A plain three-way merge that keeps mine where both changed, and the places where that is so."""
    found: Flat = {}
    clashes = set()
    for path in sorted({**base, **mine, **theirs}, key=lambda path: "comment" in path):
        was, here, new = (side.get(path) for side in (base, mine, theirs))
        if new not in (was, here) and here != was:
            clashes.add(path)
        value = new if here == was else here
        bare = path[1:2] == ("comment",) and (path[0], "values", path[2]) not in found
        if value is not None and not bare:  # a comment goes with its value
            found[path] = value
    return found, clashes


def checked(tmp_path: Path, form: str, source: Random, here: list[str], there: list[str]) -> None:
    """Run one history: import, edits `here`, edits `there`, import again, export."""
    label = f"p{ENDS.get(form, '.json')}"
    base = first(source)
    mine, theirs = (json.loads(json.dumps(base)) for _ in range(2))
    for kind in here:
        edited(source, mine, kind, "mine")
    for kind in there:
        edited(source, theirs, kind, "theirs")
    texts = [text_of(form, one) for one in (base, mine, theirs)]
    sides = [state_of(one, label) for one in texts]
    path, package = tmp_path / label, tmp_path / "pkg"
    path.write_text(texts[0], "utf-8")
    bring(path, package)
    write_edits(package, texts[0], texts[1], label)
    (package / "beside.txt").write_text("a file beside\n", "utf-8")
    moved = [file for file in sorted(package.glob("*.yaml")) if source.random() < 0.2]
    for file in moved:
        file.rename(package / f"moved-{file.name}")
    take(package, tmp_path / f"mine-{label}")
    assert state_of((tmp_path / f"mine-{label}").read_text("utf-8"), label) == sides[1]

    flat, clashes = merged(*(one[0] for one in sides))
    # A mask stands for each value that the file did not change.
    masked = {("four", "values", "a"), ("two", "values", "b")} & {*flat}
    masked = {one for one in masked if sides[0][0].get(one) == sides[2][0].get(one)}
    for name, _, key in masked:
        theirs["layers"][name]["values"][key] = MASK
    path.write_text(text_of(form, theirs), "utf-8")
    said = bring(path, package, policy="local")
    take(package, tmp_path / f"out-{label}", policy="force")
    found, layers, variables = state_of((tmp_path / f"out-{label}").read_text("utf-8"), label)

    removed = [
        {*sides[0][number]} - {*side[number]} for side in sides[1:] for number in (1, 2)
    ]  # a removal here or there against an edit on the other side: the whole is one value
    whole = {name for names in removed for name in names}
    owner = {one: one[1] if one[0] == "variable" else one[0] for one in {**flat, **found}}
    wrong = {
        one: (found.get(one), flat.get(one))
        for one in {**flat, **found}
        if found.get(one) != flat.get(one) and owner[one] not in whole
    }
    assert not wrong, (wrong, said)
    for clash in {one for one in clashes if owner.get(one) not in whole and "comment" not in one}:
        new = sides[2][0].get(clash)
        shown = (
            [*new.values()] if isinstance(new, dict) else new if isinstance(new, list) else [new or clash[-1]]
        )
        assert any(each in line or clash[0] in line for line in said for each in shown), (clash, said)
    orders = [[[name for name in side[number] if all(name in other[number] for other in sides)] for side in sides]
              for number in (1, 2)]  # fmt: skip
    if not clashes and all(was in (ours, new) or ours == new for was, ours, new in orders):
        about = [
            line for line in said if "changed" in line and not any(f"layer {one} " in line for one in whole)
        ]
        assert not about, about
    for number, order in ((1, layers), (2, variables)):
        was, ours, new = ([name for name in side[number] if name in order] for side in sides)
        both = [name for name in was if name in ours and name in new]
        kept = [[name for name in one if name in both] for one in (was, ours, new, order)]
        assert kept[3] == (kept[2] if kept[1] == kept[0] else kept[1]) or kept[1] != kept[0] != kept[2], kept
        for side in (sides[1], sides[2]):
            assert {*side[number]} - {*sides[0][number]} <= {*order}
    assert (package / "beside.txt").read_text("utf-8") == "a file beside\n"
    before = shutil.copytree(package, tmp_path / "before")
    bring(path, package, policy="local")
    assert {one.name: one.read_bytes() for one in before.iterdir() if one.is_file()} == {
        one.name: one.read_bytes() for one in package.iterdir() if one.is_file()
    }


@pytest.mark.parametrize("side", ["here", "there"])
@pytest.mark.parametrize("kind", KINDS)
def test_ten_edits_of_a_kind(tmp_path: Path, kind: str, side: str) -> None:
    """In the form that holds most; the other side changes a few values."""
    sides = ([kind] * 10, ["values"] * 3)
    checked(tmp_path, "export", Random(kind), *(sides if side == "here" else sides[::-1]))


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_random_histories(tmp_path: Path, seed: int) -> None:
    """Edits of all kinds on both sides, in each of the six forms."""
    source = Random(seed)
    form = sorted(FORMS)[seed % len(FORMS)]
    here, there = (source.choices(KINDS, k=source.randint(1, 10)) for _ in range(2))
    checked(tmp_path, form, source, here, there)
