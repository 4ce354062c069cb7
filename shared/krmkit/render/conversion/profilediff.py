"""The difference of two cluster profiles as data: what an upgrade changes, and what it breaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from krmkit.fn.masking import Mask
from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR, INFO, WARNING
from krmkit.krm.secretwords import SECRET
from krmkit.libraries.schema.fields import mapping
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.conversion.profilesource import ShownLayer, ShownProfile, read_shown
from krmkit.render.findings.fieldtable import among_keys, plain, values_of
from krmkit.render.findings.macros import REFERENCE, with_macros, without_macros
from krmkit.render.findings.model import Result
from krmkit.systems.palette.constraints.formattypes import is_version
from krmkit.systems.palette.constraints.schema import PackSchema
from krmkit.systems.palette.constraints.validate import ValidationOptions, validate
from krmkit.systems.palette.packs.pack import Pack
from krmkit.systems.palette.presets import marker
from krmkit.systems.palette.profiles.items import in_train
from krmkit.systems.palette.profiles.variables import definition_problems

Data = dict[str, Any]
_UNREADABLE = "text"  # the path of a text of values that cannot be read


def compared(old: ShownProfile, new: ShownProfile) -> Data:
    """Return the changes of fields, layers, variables and order, and the problems that are new."""
    before, after = ({layer.name: layer for layer in one.layers} for one in (old, new))
    layers = [_layer(before.get(name), after.get(name)) for name in {**before, **after}]
    kept = [[name for name in one if name in before and name in after] for one in (before, after)]
    sensitive = {
        one.get("name") for one in (*old.variables, *new.variables) if one.get("isSensitive") is True
    }
    known = set(_problems(old, None))
    data = {
        "fields": _changes(old.fields, new.fields),
        "layers": [one for one in layers if len(one) > 2 or one["change"] != "changed"],
        "order": kept[1] if kept[0] != kept[1] else [],
        "variables": _variables(old.variables, new.variables, sensitive),
        "problems": [
            {"layer": layer, "severity": severity, "rule": rule, "message": message}
            for layer, severity, rule, message in _problems(new, old)
            if (layer, severity, rule, message) not in known
        ],
    }
    return mapping(Mask(old.secrets | new.secrets).value(data))


def check_profile(place: str) -> list[Result]:
    """Return what is wrong with a profile, in a file or a package. Raises Refused."""
    shown = read_shown(place)
    found = _problems(shown, None)
    found += [
        ("", severity, "variable-definition", said) for severity, said in definition_problems(shown.variables)
    ]
    version = shown.fields.get("version", "")
    if version and (version[0] == "v" or not is_version(version)):
        found.append(
            ("", ERROR, "profile-version", f"version must be a semantic version (1.2.3), got {version}")
        )
    for layer in shown.layers:
        have = layer.pack.effective_version
        if layer.tag and have and not in_train(layer.tag, have):
            found.append(
                (layer.name, WARNING, "tag", f"the tag {layer.tag} does not stand for the version {have}")
            )
    mask = Mask(shown.secrets)
    return [
        Result(severity, rule, mask.message(f"{layer}: {message}".removeprefix(": ")), place)
        for layer, severity, rule, message in found
    ]


def _passwords(pack: Pack) -> Callable[[str], bool]:
    """Return whether the pack's schema calls the value at a path a password; an unreadable text is one."""
    keys = [rule.key for rule in PackSchema.parse(pack.schema or "").rules if rule.secret]
    among = among_keys(keys)
    return lambda path: among(path) or (bool(keys) and path == _UNREADABLE)


def _flat(values: str) -> Data:
    """Return the values of a text by path."""
    try:
        words, macros = without_macros(values)
        found = values_of(words or None, "")
    except (YamlError, Refused):
        found = {}
    if not found and values.strip():
        return {_UNREADABLE: values}
    names = list(macros)
    return {
        path: with_macros(value, names) if isinstance(value, str) else value for path, value in found.items()
    }


def _changes(old: Data, new: Data, is_secret: Callable[[str], bool] = lambda _: False) -> list[Data]:
    """Return the values that differ; of secrets only that they do."""
    return [
        {
            "path": path,
            "old": SECRET if path in old and is_secret(path) else old.get(path),
            "new": SECRET if path in new and is_secret(path) else new.get(path),
        }
        for path in {**old, **new}
        if (path in old, old.get(path)) != (path in new, new.get(path))
    ]


def _layer(old: ShownLayer | None, new: ShownLayer | None) -> Data:
    """Return the changes of a layer; those that do not exist are left out."""
    shown = new or old
    assert shown is not None
    if old is None or new is None:
        version = shown.pack.effective_version or shown.tag
        return {"name": shown.name, "change": "removed" if new is None else "added", "version": version}
    presets = [found.entries if (found := marker.read(one.pack.values or "")) else [] for one in (old, new)]
    flat = [_flat(one.pack.values or "") for one in (old, new)]
    shipped = [_flat(one.defaults) for one in (old, new)]
    secret = [_passwords(one.pack) for one in (old, new)]
    made: Data = {
        "version": [old.pack.effective_version, new.pack.effective_version],
        "tag": [old.tag, new.tag],
        "type": [old.type, new.type],
        "presets": presets,
        "values": _changes(flat[0], flat[1], lambda path: any(one(path) for one in secret)),
        "manifests": [one["path"] for one in _changes({**old.manifests}, {**new.manifests})],
        "inert": [path for path in flat[1] if path in shipped[0] and shipped[1] and path not in shipped[1]],
    }
    pairs = ("version", "tag", "type", "presets")
    changed = {key: value for key, value in made.items() if (value[0] != value[1] if key in pairs else value)}
    return {"name": new.name, "change": "changed", **changed}


def _variables(old: list[Data], new: list[Data], sensitive: set[Any]) -> list[Data]:
    before, after = ({str(one.get("name")): one for one in given} for given in (old, new))
    made = []
    for name in {**before, **after}:
        hidden = ("defaultValue", "options") if name in sensitive else ()
        fields = _changes(before.get(name, {}), after.get(name, {}), hidden.__contains__)
        if fields:
            change = "added" if name not in before else "removed" if name not in after else "changed"
            made.append({"name": name, "change": change, "fields": fields if change == "changed" else []})
    return made


def _problems(profile: ShownProfile, old: ShownProfile | None) -> list[tuple[str, str, str, str]]:
    """Return what is wrong with a profile: constraints, clouds, and undefined variables."""
    packs = [_readable(layer) for layer in profile.layers]
    previous = [layer.pack for layer in old.layers if layer.pack.name] if old is not None else None
    options = ValidationOptions(
        scope="profile" if profile.fields.get("type") != "cluster" else "cluster", previous=previous
    )
    found = [
        (one.tags.get("pack", ""), one.severity, one.rule, f"{one.field}: {one.message}".removeprefix(": "))
        for one in validate([pack for pack in packs if pack is not None], options)
        if one.severity != INFO
    ]
    cloud, defined = profile.fields.get("cloud", ""), {one.get("name") for one in profile.variables}
    for layer in profile.layers:
        clouds = layer.pack.metadata.get("cloudTypes")
        if isinstance(clouds, list) and clouds and cloud not in ("", "all", *clouds) and "all" not in clouds:
            listed = ", ".join(map(str, clouds))
            found.append(
                (layer.name, ERROR, "cloud", f"the pack is for {listed}, and the profile for {cloud}")
            )
        texts = "\n".join((layer.pack.values or "", *layer.manifests.values()))
        for name in dict.fromkeys(_variables_in(texts)):
            if defined and name not in defined:
                found.append((layer.name, ERROR, "undefined", f"the profile defines no variable {name}"))
    return found


def _readable(layer: ShownLayer) -> Pack | None:
    """Return a layer's pack, without its schema if macros hide the values; None for charts and manifests."""
    pack = layer.pack
    if layer.type in ("helm", "manifest") or not pack.name:
        return None
    values, _ = without_macros(pack.values or "")
    made = Pack(pack.metadata, pack.values, pack.presets, pack.schema if values == pack.values else None)
    made.label = layer.name
    return made


_PRIORITY = "pack.spectrocloud.com/install-priority"
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


def overview(profile: ShownProfile) -> Data:
    """Return layers, the order of installation, and the variables with the places that use them."""
    waves: dict[int, list[str]] = {}
    uses: dict[str, list[str]] = {}
    for layer in profile.layers:
        flat = _flat(layer.pack.values or "")
        number = str({plain(path): value for path, value in flat.items()}.get(_PRIORITY, 0))
        if layer.pack.layer in ("", "addon"):
            waves.setdefault(int(number) if _NUMBER.fullmatch(number) else 0, []).append(layer.name)
        for place, value in (*flat.items(), *layer.manifests.items()):
            for name in dict.fromkeys(_variables_in(value)):
                uses.setdefault(name, []).append(f"{layer.name}: {place}")
    first = [[layer.name] for layer in profile.layers if layer.pack.layer not in ("", "addon")]
    data = {
        **profile.fields,
        "layers": [
            {
                "name": layer.name,
                "type": layer.type or "spectro",
                "layer": layer.pack.layer,
                "version": layer.pack.effective_version or layer.tag,
                "tag": layer.tag,
            }
            for layer in profile.layers
        ],
        "order": first + [names for _, names in sorted(waves.items())],
        "variables": [
            {
                **{name: value for name, value in one.items() if name != "defaultValue"},
                "defaultValue": SECRET if one.get("isSensitive") is True else one.get("defaultValue", ""),
                "uses": uses.get(str(one.get("name")), []),
            }
            for one in profile.variables
        ],
    }
    return mapping(Mask(profile.secrets).value(data))


def _variables_in(value: object) -> Iterator[str]:
    return (name for group, name in REFERENCE.findall(str(value)) if group == "var")
