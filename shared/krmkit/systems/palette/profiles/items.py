"""Cluster profiles among the items of a package.

A profile is a ConfigMap marked local-config whose data has profile.yaml: the profile without the texts of its
layers. Each layer is a ConfigMap of its own: a pack, or, for charts and manifests, its values alone.
Manifests are a third kind. Crossplane's Profile is read as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import text
from krmkit.systems.palette.packs.items import Carrier, is_pack
from krmkit.systems.palette.packs.lines import FileLines
from krmkit.systems.palette.packs.packfileschemas import LAYERS
from krmkit.systems.palette.profiles.forms import ClusterProfile, Data

MASK = re.compile(r"\s*\*+\s*")  # what Palette's exports write in the place of secrets
PROFILE_FILE = "profile.yaml"
LAYER = "krmkit.dev/profile-layer"  # on the item of a layer: PROFILE/LAYER
MANIFESTS = "krmkit.dev/profile-manifests"  # on the item with the manifests of a layer
PACK_TYPES = ("", "spectro", "oci")  # of layers; those of charts and manifests have no pack.json


def is_profile(item: Resource) -> bool:
    """Return whether an item carries a profile."""
    if item.kind == "ConfigMap":
        return item.node("data", PROFILE_FILE) is not None and item.is_local_config
    provider = item.get("spec", "forProvider")
    return isinstance(provider, dict) and isinstance(provider.get("pack"), list)


def profile_of(item: Resource) -> ClusterProfile:
    """Return the profile of an item. Raises Refused, YamlError."""
    if item.kind != "ConfigMap":
        return ClusterProfile.of(item.get(), item.label)
    own = Resource(item.string("data", PROFILE_FILE), label=f"{item.label}: {PROFILE_FILE}").get()
    return ClusterProfile.of(own, f"{item.label}: {PROFILE_FILE}")


def pack_name(layer: str) -> str:
    """Return the pack's name in a layer's, which is `<display-name>--<name>` if a pack stands twice."""
    return layer.rpartition("--")[2]


def metadata_of(profile: ClusterProfile, layer: Data) -> Data:
    """Return what a profile says that pack.json of a layer would say."""
    name = text(profile.of_layer(layer, "name"))
    kind = text(profile.of_layer(layer, "layer")) or ("addon" if profile.get("type") == "add-on" else "")
    version = version_of(profile, layer)
    made = {"name": pack_name(name), "displayName": pack_name(name), "version": version, "layer": kind}
    return {key: value for key, value in made.items() if value and (key != "layer" or value in LAYERS)}


def version_of(profile: ClusterProfile, layer: Data) -> str:
    """Return the version of a layer's pack: the tag, which may be a train, where a form has no version."""
    return text(profile.of_layer(layer, "version")) or text(profile.of_layer(layer, "tag"))


def in_train(tag: str, version: str) -> bool:
    """Return whether a tag stands for a version: `in_train("1.33.x", "1.33.9")`."""
    pattern = re.escape(tag).replace(r"\.x", r"\.[0-9][^.]*")
    return tag == version or re.fullmatch(pattern, version) is not None


def tag_for(tag: str, version: str) -> str:
    """Return the tag that a new version gets in the place of an old tag: a train stays a train."""
    if not tag or in_train(tag, version):
        return tag
    parts = tag.split(".")
    if parts[-1] != "x":
        return version
    return ".".join([*version.split(".")[: len(parts) - 1], "x"])


def unusual_fields(profile: ClusterProfile) -> Iterable[str]:
    """Yield what in the layers cannot be read: names, versions and texts must be texts, and names differ."""
    seen: set[str] = set()
    for number, layer in enumerate(profile.layers):
        place = f"layer {number + 1}"
        for field, path in profile.form.layer.items():
            value = profile.of_layer(layer, field)
            if field != "manifests" and value is not None and not isinstance(value, str):
                shown = (
                    f"got {value}; put it in quotes" if not isinstance(value, dict | list) else "with quotes"
                )
                yield f"{place}: {path} must be a text, {shown}"
        name = text(profile.of_layer(layer, "name"))
        if not name:
            yield f"{place} has no name"
        elif name in seen:
            yield f"{place}: the name {name} stands twice; a pack that does is called <display-name>--{name}"
        seen.add(name)


def parts_by_layer(items: Iterable[Resource], profile: str) -> dict[tuple[str, str], Resource]:
    """Return a profile's items by annotation and layer; packs of no profile by "" and name."""
    made: dict[tuple[str, str], Resource] = {}
    for item in items:
        tied = [(name, item.annotation(name)) for name in (LAYER, MANIFESTS) if item.annotation(name)]
        for name, tie in tied:
            owner, _, layer = tie.partition("/")
            if owner == profile:
                made[name, layer] = item
        if not tied and is_pack(item):
            made.setdefault(("", Carrier.of(item, FileLines()).pack.layer_name), item)
    return made
