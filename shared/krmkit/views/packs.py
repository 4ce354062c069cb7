"""Show the presets, keys, macros and constraints of a pack (`krmkit pack show`), as text and as data."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.krm.secretwords import SECRET
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.findings.fieldtable import among_keys, values_of
from krmkit.render.findings.macros import REFERENCE, with_macros, without_macros
from krmkit.systems.palette.constraints.schema import PackSchema
from krmkit.systems.palette.macros.context import APP_MACROS, SYSTEM_MACROS
from krmkit.systems.palette.packs.pack import Pack
from krmkit.views.formats import json_of
from krmkit.views.terminal import BOLD, CYAN, Terminal


def data_of(pack: Pack) -> dict[str, Any]:
    """Return a pack as data, with the values of the schema's passwords masked."""
    rules = PackSchema.parse(pack.schema or "").rules
    is_secret = among_keys(rule.key for rule in rules if rule.secret)
    return {
        "name": pack.name,
        "version": pack.version,
        "layer": pack.layer,
        "displayName": pack.display_name,
        "presets": _presets(pack, is_secret),
        "keys": [
            {
                "key": rule.key,
                "required": rule.template.required,
                "readonly": rule.template.readonly,
                "format": rule.template.format or "",
                "hints": list(rule.template.hints),
                "password": rule.secret,
                "problem": rule.problem,
            }
            for rule in rules
        ],
        "macros": [
            {
                "name": f".spectro.{group}.{name}",
                "known": group != "system" or name in SYSTEM_MACROS or name.startswith(APP_MACROS),
            }
            for group, name in sorted(set(REFERENCE.findall(pack.values or "")))
        ],
        "constraints": pack.constraints or {},
    }


def _presets(pack: Pack, is_secret: Callable[[str], bool]) -> list[dict[str, Any]]:
    """Return the presets by group, each with what it removes and sets."""
    if not pack.presets:
        return []
    try:
        listed: Any = Resource(pack.presets, label="presets.yaml").get("presets")
    except (Refused, YamlError) as error:
        raise Refused(f"{pack.name}: {error}") from None
    presets = []
    for preset in listed if isinstance(listed, list) else []:
        if not isinstance(preset, dict):
            continue
        added = preset.get("add")
        text, words = without_macros(added) if isinstance(added, str) else ("", {})
        macros = list(words)
        sets = {}
        for path, value in values_of(text or None, "").items():
            shown = with_macros(value, macros) if isinstance(value, str) else value
            sets[path] = SECRET if is_secret(path) else shown
        removed = preset.get("remove")
        presets.append(
            {
                "group": str(preset.get("group") or ""),
                "name": str(preset.get("name") or ""),
                "displayName": str(preset.get("displayName") or ""),
                "removes": [str(path) for path in removed] if isinstance(removed, list) else [],
                "sets": sets,
            }
        )
    return sorted(presets, key=lambda preset: str(preset["group"]))


def json_text(packs: list[dict[str, Any]], profiles: list[dict[str, Any]]) -> str:
    """Return all packs and profiles for programs: the kind Packs of krmkit.dev/report/v1alpha1."""
    return json_of("Packs", packs=packs, **({"profiles": profiles} if profiles else {}))


def text_of(data: dict[str, Any], terminal: Terminal) -> str:
    """Return a pack as text."""
    version = f" {data['version']}" if data["version"] else ""
    layer = f" ({data['layer']})" if data["layer"] else ""
    lines = [terminal.paint(f"{data['name']}{version}", BOLD) + layer]
    group = None
    for preset in data["presets"]:
        if preset["group"] != group:
            group = preset["group"]
            lines.append(f"  presets of the group {group}:" if group else "  presets:")
        label = f"{group}:{preset['name']}" if group else preset["name"]
        title = f"  {preset['displayName']}" if preset["displayName"] else ""
        lines.append(f"    {terminal.paint(label, CYAN)}{title}")
        lines += [f"      - {path}" for path in preset["removes"]]
        lines += [
            f"      + {path}: {json.dumps(value, ensure_ascii=False)}"
            for path, value in preset["sets"].items()
        ]
    for title, wanted in (("required keys", True), ("other keys with rules", False)):
        keys = [key for key in data["keys"] if key["required"] is wanted]
        lines += [f"  {title}:"] if keys else []
        for key in keys:
            marks = [key["format"], "password" * key["password"], "readonly" * key["readonly"], *key["hints"]]
            marks.append(f"wrong: {key['problem']}" if key["problem"] else "")
            lines.append(f"    {key['key']}" + "".join(f"  {mark}" for mark in marks if mark))
    lines += ["  macros:"] if data["macros"] else []
    lines += [
        f"    {macro['name']}" + ("" if macro["known"] else "  unknown to Palette")
        for macro in data["macros"]
    ]
    if data["constraints"]:
        lines.append("  constraints:")
        for path, value in values_of(json.dumps(data["constraints"]), "").items():
            lines.append(f"    {path}: {value}")
    return "\n".join(lines) + "\n"
