"""Read a cluster profile to show or compare it: a file, a package, a revision, or the folder of a pack."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from krmkit.fn.masking import secrets_among
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.krm.secretwords import can_be_struck
from krmkit.libraries.schema.fields import entries, text
from krmkit.render.conversion.packfiles import decoded, pack_of, read_pack
from krmkit.render.conversion.packmerge import RECORDS, PackRecord, with_presets
from krmkit.render.conversion.profileimport import VALUES, item_texts
from krmkit.render.conversion.profiletext import read_profile
from krmkit.render.package import IGNORE_FILE, KPTFILE
from krmkit.render.resourcefiles import items_from
from krmkit.render.secrets.files import secrets_in_file
from krmkit.storage.disk.folders import read_file
from krmkit.storage.disk.source import DiskFiles, FileSource
from krmkit.storage.git.program import GitError
from krmkit.storage.git.revision import RevisionFiles
from krmkit.systems.palette.constraints.overview import passwords
from krmkit.systems.palette.packs.items import PACK_FILE, is_pack
from krmkit.systems.palette.packs.pack import Pack
from krmkit.systems.palette.profiles.forms import ClusterProfile, Data
from krmkit.systems.palette.profiles.items import (
    LAYER,
    MANIFESTS,
    is_profile,
    metadata_of,
    parts_by_layer,
    profile_of,
    tag_for,
)
from krmkit.systems.palette.profiles.variables import sensitive_defaults


@dataclass
class ShownLayer:
    """A layer: its pack with the values, and the values that the pack ships, "" if unknown."""

    name: str
    type: str
    tag: str
    pack: Pack
    manifests: dict[str, str] = field(default_factory=dict)
    defaults: str = ""


@dataclass
class ShownProfile:
    """A profile: its own fields, its layers in order, and the definitions of its variables."""

    fields: dict[str, str]
    layers: list[ShownLayer]
    variables: list[Data] = field(default_factory=list)
    secrets: set[str] = field(default_factory=set)  # those of its parts, and of the package's items

    def __post_init__(self) -> None:
        found = sensitive_defaults(self.variables)
        for layer in self.layers:
            found |= passwords(layer.pack).union(*map(secrets_in_file, layer.manifests.values()))
        self.secrets |= {*filter(can_be_struck, found)}


def is_profile_place(place: str) -> bool:
    """Return whether a place is a file or a package, and no folder of a pack."""
    return os.path.isfile(place) or (
        os.path.isfile(os.path.join(place, KPTFILE)) and not os.path.isfile(os.path.join(place, PACK_FILE))
    )


def read_shown(place: str, beside: str = "") -> ShownProfile:
    """Read a file, a package, a pack folder, `PACKAGE@REVISION` or a revision of `beside`. Raises Refused."""
    if os.path.isfile(place):
        given = decoded(read_file(place, place) or b"", place)
        return _of_profile(read_profile(given, place).profile, {}, None)
    if os.path.isfile(os.path.join(place, PACK_FILE)):
        pack = read_pack(place)
        return ShownProfile({"name": pack.name}, [ShownLayer(pack.name, "", "", pack, {}, pack.values or "")])
    if os.path.isdir(place):
        return _of_package(DiskFiles(place))
    folder, at, revision = place.rpartition("@")
    if not at and not beside:
        raise Refused(f"{place}: does not exist")
    try:
        with RevisionFiles(folder if at else beside, revision, IGNORE_FILE) as source:
            return _of_package(source)
    except GitError as error:
        raise Refused(f"{place}: is no file or folder, nor a revision: {error}") from None


def _of_package(source: FileSource) -> ShownProfile:
    items = items_from(source)
    shown = _of_items(items, source)
    shown.secrets |= secrets_among(items)
    return shown


def _of_items(items: list[Resource], source: FileSource) -> ShownProfile:
    found = [item for item in items if is_profile(item)]
    if len(found) > 1:
        raise Refused(f"{source.folder}: must hold one profile, got {', '.join(item.name for item in found)}")
    if found:
        profile = profile_of(found[0])
        parts = parts_by_layer(items, profile.name) if found[0].kind == "ConfigMap" else {}
        return _of_profile(profile, parts, source)
    packs = [item for item in items if is_pack(item)]
    if not packs:
        raise Refused(f"{source.folder}: holds no profile and no pack")
    layers = []
    for item in packs:
        pack = pack_of(item_texts(item))
        layers.append(ShownLayer(pack.layer_name, "", "", pack, {}, _defaults(source, item, pack)))
    return ShownProfile({}, layers)


def _of_profile(
    profile: ClusterProfile, parts: dict[tuple[str, str], Resource], source: FileSource | None
) -> ShownProfile:
    """Return a profile with the texts of its items, if it has any."""
    layers = []
    for layer in profile.layers:
        name = text(layer.get("name"))
        item = parts.get((LAYER, name)) or parts.get(("", name))
        texts = item_texts(item) if item is not None else {}
        values = texts.get(VALUES, text(layer.get("values")))
        pack = pack_of(texts) if PACK_FILE in texts else Pack(metadata_of(profile, layer), values)
        listed = entries(profile.of_layer(layer, "manifests"))
        manifests = {text(one.get("name")): text(one.get("content")) for one in listed if "content" in one}
        if (MANIFESTS, name) in parts:
            manifests = item_texts(parts[MANIFESTS, name])
        kind, tag = text(layer.get("type")), text(layer.get("tag"))
        defaults = _defaults(source, item, pack) if source is not None and item is not None else ""
        version = pack.effective_version
        tag = tag_for(tag, version) if PACK_FILE in texts else tag
        layers.append(ShownLayer(name, kind, "" if tag == version else tag, pack, manifests, defaults))
    names = ("name", "version", "type", "cloud", "description")
    fields = {name: value for name in names if (value := text(profile.get(name)))}
    return ShownProfile(fields, layers, profile.variables())


def _defaults(source: FileSource, item: Resource, pack: Pack) -> str:
    """Return the values that a pack ships, with the chosen presets; "" if its folder was never imported."""
    path = f"{RECORDS}/{item.name}"
    record = PackRecord.parse(source.read(path, path) or b"", path) if source.has(path) else None
    texts = with_presets(record.texts, pack.values or "") if record is not None else {}
    return texts.get(VALUES, "")
