"""Write a profile of a package as the file that it came from, or in another form."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from krmkit.kpt.merge.policy import STOP
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.render.conversion.packfiles import decoded
from krmkit.render.conversion.packmerge import FORCE, PackMerge, PackRecord, resolved
from krmkit.render.conversion.profileimport import VALUES, Key, item_texts, recorded
from krmkit.render.conversion.profilemasks import masks_in
from krmkit.render.conversion.profiletext import ProfileText, in_form, syntax_of, written
from krmkit.render.package import Package
from krmkit.storage.disk.folders import read_file
from krmkit.storage.disk.write import FileEdit, Writer
from krmkit.systems.palette.packs.items import PACK_FILE
from krmkit.systems.palette.packs.pack import read_metadata
from krmkit.systems.palette.profiles.forms import FORMS, ClusterProfile, Data, Path
from krmkit.systems.palette.profiles.items import (
    LAYER,
    MANIFESTS,
    in_train,
    is_profile,
    parts_by_layer,
    profile_of,
    tag_for,
    version_of,
)

Say = Callable[[str], object]


def exported_profile(
    package: Package, target: str, form: str = "", say: Say = bool, policy: str = STOP
) -> list[str]:
    """Write the profile of a package to the file `target`; return its path. Raises Refused.

    `form`: one of FORMS, "" for that of the imported file. The name of the target decides about the syntax.
    An existing file is merged: its edits stay, and a conflict is an error.
    """
    new, base = profile_text(package, form, say, syntax_of(target))
    return _put(target, new, base, say, policy)


def profile_text(package: Package, form: str, say: Say, syntax: str = "") -> tuple[str, str | None]:
    """Return the profile of a package as text, and the text that it was imported from, in the same form.

    `form`: one of FORMS, "" for that of the imported file. `syntax`: "json", "yaml" or "hcl", "" for that of
    the imported file or the form. Raises Refused.
    """
    found = [(each, item) for each in package.walk() for item in each.items if is_profile(item)]
    if len(found) != 1:
        names = ", ".join(item.name for _, item in found)
        raise Refused(
            f"{package.path}: must hold one profile, got {f'{len(found)} ({names})' if found else 'none'}"
        )
    each, item = found[0]
    old = recorded(each.path, item.name) if item.kind == "ConfigMap" else None
    if old is None and item.kind != "ConfigMap":
        profile = profile_of(item)
        old = ProfileText(item.text, "yaml", profile, [])
    else:
        profile = profile_of(item)
        _fill(profile, old, parts_by_layer(each.items, profile.name), say)
    same = old is not None and (not form or FORMS[form] is old.profile.form) and syntax in ("", old.syntax)
    if old is not None and same:
        return written(old, _replaced(old.profile.data, old.profile.root, profile.own)), old.text
    new, lost = in_form(profile, FORMS[form] if form else profile.form, syntax)
    for sentence in lost:
        say(sentence)
    return new, None


def _put(target: str, new: str, base: str | None, say: Say, policy: str) -> list[str]:
    """Write the text, merged into an existing one."""
    folder, name = os.path.split(os.path.realpath(target))
    if not name or os.path.isdir(target):
        raise Refused(f"{target}: is a folder; -o must be the file that becomes the profile")
    merge = PackMerge(policy)
    record = PackRecord.read(folder, name)
    changes = [PackRecord({name: new}, {}).edit(name)]
    if os.path.lexists(target):
        here = read_file(target, target) or b""
        text = decoded(here, target)
        merge.carried += [text if policy == FORCE else resolved(text, target), new]
        merge.add(name, record.texts.get(name) if record is not None else base, new, here)
    else:
        changes.append(FileEdit(name, None, new))
    changes += [FileEdit(path, None, content.decode("utf-8")) for path, content in merge.files().items()]
    for conflict in merge.conflicts:
        say(f"{conflict.place}: {conflict.message}")
    with Writer(folder) as writer:
        writer.put(changes)
    return [target]


def _fill(profile: ClusterProfile, old: ProfileText | None, parts: dict[Key, Resource], say: Say) -> None:
    """Set the texts of a profile's layers and the versions of their packs. Raises Refused."""
    before = {text(one.get("name")): one for one in old.profile.layers} if old is not None else {}
    for layer in profile.layers:
        name = text(layer.get("name"))
        item = parts.pop((LAYER, name), None) or parts.get(("", name))
        if item is None:
            raise Refused(
                f"the profile {profile.name} lists the layer {name}, and no item is marked {LAYER}: {profile.name}/{name}"
            )
        contents = item_texts(item)
        if VALUES in contents:
            layer["values"] = contents[VALUES]
        if PACK_FILE in contents:
            _follow(profile, layer, before.get(name, layer), contents[PACK_FILE], say)
        extra = parts.pop((MANIFESTS, name), None)
        manifests = item_texts(extra) if extra is not None else {}
        _fill_manifests(profile, layer, manifests)
        first = {key: layer[key] for key in profile.form.layer_keys if key in layer}
        rest = {key: layer.pop(key) for key in list(layer)}
        layer |= {**first, **rest}
        for file, value in {"values": contents.get(VALUES, ""), **manifests}.items():
            for path in masks_in(value):
                say(f"{name}: {path} of {file} is masked; type it in again after the import")
    for one in profile.variables():
        if masks_in(text(one.get("defaultValue"))):
            say(f"the default of the variable {one.get('name')} is masked; type it in again after the import")
    for kind, name in parts:
        if kind:
            raise Refused(
                f"the profile {profile.name} does not list the layer {name}; add it to profile.yaml, or remove its item"
            )


def _follow(profile: ClusterProfile, layer: Data, before: Data, metadata: str, say: Say) -> None:
    """Set version and tag of a layer whose pack was replaced by another version."""
    version = text(read_metadata(metadata).get("version"))
    was = version_of(profile, before)
    if not version or not was or in_train(was, version):
        return
    path, tag = profile.form.layer.get("version"), text(layer.get("tag"))
    if path and layer.get(path) == before.get(path):
        layer[path] = version
    if tag and tag == before.get("tag"):
        layer["tag"] = tag_for(tag, version)
    uid = profile.form.layer.get("uid", "")
    if layer.get(uid) and layer.get(uid) == before.get(uid):
        del layer[uid]
        say(f"{layer.get('name')}: {uid} was that of the version {was}, and is left out")


def _fill_manifests(profile: ClusterProfile, layer: Data, contents: dict[str, str]) -> None:
    """Set the texts of a layer's manifests; append new ones, and drop those without a text."""
    path = profile.form.layer.get("manifests")
    if path is None or not (contents or path in layer):
        return
    listed = entries(layer.get(path))
    kept = [
        {**one, "content": contents[name]} for one in listed if (name := text(one.get("name"))) in contents
    ]
    names = [text(one.get("name")) for one in kept]
    layer[path] = kept + [
        {"name": name, "content": value} for name, value in contents.items() if name not in names
    ]


def _replaced(data: Data, root: Path, own: Data) -> Data:
    """Return the data of a file with another profile in it, keys in the order of the file."""
    whole: Data = {"": json.loads(json.dumps(data))}
    target: Any = whole
    way = ("", *root)
    for step in way[:-1]:
        target = target[step]
    target[way[-1]] = _ordered(own, target[way[-1]])
    return mapping(whole[""])


def _ordered(new: Any, old: Any) -> Any:
    """Return new data with keys in their old order; list elements are matched by name."""
    if isinstance(new, dict) and isinstance(old, dict):
        names = [name for name in old if name in new] + [name for name in new if name not in old]
        return {name: _ordered(new[name], old.get(name)) for name in names}
    if isinstance(new, list) and isinstance(old, list):
        known = {_name(one, number): one for number, one in enumerate(old)}
        return [_ordered(one, known.get(_name(one, number))) for number, one in enumerate(new)]
    return new


def _name(element: Any, number: int) -> object:
    return element.get("name", number) if isinstance(element, dict) else number
