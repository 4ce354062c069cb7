"""The difference of two cluster profiles as data: what an upgrade changes, and what it breaks."""

from __future__ import annotations

from typing import Any

from krmkit.fn.masking import Mask
from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR, INFO, WARNING
from krmkit.libraries.schema.fields import mapping
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.conversion.profilesource import ShownLayer, ShownProfile, read_shown
from krmkit.render.findings.fieldtable import key_pattern, plain, values_of
from krmkit.render.findings.macros import REFERENCE, with_macros, without_macros
from krmkit.render.findings.model import Result
from krmkit.systems.palette.constraints.formattypes import is_version
from krmkit.systems.palette.constraints.schema import PackSchema
from krmkit.systems.palette.constraints.validate import ValidationOptions, validate
from krmkit.systems.palette.packs.pack import Pack
from krmkit.systems.palette.presets import marker
from krmkit.systems.palette.profiles.items import in_train
from krmkit.systems.palette.profiles.variables import definition_problems

SECRET = "(secret)"
Data = dict[str, Any]


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
    return [
        Result(severity, rule, f"{layer}: {message}".removeprefix(": "), place)
        for layer, severity, rule, message in found
    ]


def flat_values(values: str, pack: Pack) -> Data:
    """Return the values of a text by path, with passwords of the pack's schema masked."""
    secrets = [key_pattern(rule.key) for rule in PackSchema.parse(pack.schema or "").rules if rule.secret]
    try:
        words, macros = without_macros(values)
        found = values_of(words or None, "")
    except (YamlError, Refused):
        found = {}
    if not found and values.strip():
        return {"text": values}
    return {
        path: SECRET
        if any(secret.match(plain(path)) for secret in secrets)
        else with_macros(value, list(macros))
        if isinstance(value, str)
        else value
        for path, value in found.items()
    }


def _changes(old: Data, new: Data) -> list[Data]:
    return [
        {"path": path, "old": old.get(path), "new": new.get(path)}
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
    flat = [flat_values(one.pack.values or "", one.pack) for one in (old, new)]
    shipped = [flat_values(one.defaults, one.pack) if one.defaults else {} for one in (old, new)]
    made: Data = {
        "version": [old.pack.effective_version, new.pack.effective_version],
        "tag": [old.tag, new.tag],
        "type": [old.type, new.type],
        "presets": presets,
        "values": _changes(flat[0], flat[1]),
        "manifests": [one["path"] for one in _changes(dict(old.manifests), dict(new.manifests))],
        "inert": [path for path in flat[1] if path in shipped[0] and shipped[1] and path not in shipped[1]],
    }
    pairs = ("version", "tag", "type", "presets")
    changed = {key: value for key, value in made.items() if (value[0] != value[1] if key in pairs else value)}
    return {"name": new.name, "change": "changed", **changed}


def _variables(old: list[Data], new: list[Data], sensitive: set[Any]) -> list[Data]:
    before, after = ({str(one.get("name")): one for one in given} for given in (old, new))
    made = []
    for name in {**before, **after}:
        fields = _changes(before.get(name, {}), after.get(name, {}))
        if name in sensitive:
            hidden = {"old": SECRET, "new": SECRET}
            fields = [{**one, **hidden} if one["path"] == "defaultValue" else one for one in fields]
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
        for name in dict.fromkeys(name for group, name in REFERENCE.findall(texts) if group == "var"):
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


def overview(profile: ShownProfile) -> Data:
    """Return layers, the order of installation, and the variables with the places that use them."""
    waves: dict[int, list[str]] = {}
    for layer in profile.layers:
        flat = {
            plain(path): value for path, value in flat_values(layer.pack.values or "", layer.pack).items()
        }
        number = str(flat.get(_PRIORITY, 0))
        if layer.pack.layer in ("", "addon"):
            waves.setdefault(int(number) if number.lstrip("+-").isdecimal() else 0, []).append(layer.name)
    first = [[layer.name] for layer in profile.layers if layer.pack.layer not in ("", "addon")]
    return {
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
                "uses": _uses(profile, str(one.get("name"))),
            }
            for one in profile.variables
        ],
    }


def _uses(profile: ShownProfile, variable: str) -> list[str]:
    """Return the places of a variable: `door-vision: vision.url`, or the manifest that has it."""

    def refers(value: object) -> bool:
        return ("var", variable) in REFERENCE.findall(str(value))

    found = []
    for layer in profile.layers:
        flat = flat_values(layer.pack.values or "", layer.pack)
        found += [f"{layer.name}: {path}" for path, value in flat.items() if refers(value)]
        found += [f"{layer.name}: {name}" for name, value in layer.manifests.items() if refers(value)]
    return found
