"""Cluster profiles for people: what one holds (`krmkit pack show`), and what changes (`krmkit pack diff`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from krmkit.views.formats import json_of
from krmkit.views.markdown import escaped, limited

Data = dict[str, Any]


def profile_text(data: Data) -> str:
    """Return a profile's layers, order of installation and variables as text."""
    title = " ".join(str(data[name]) for name in ("name", "version") if data.get(name))
    kind = ", ".join(str(data[name]) for name in ("type", "cloud") if data.get(name))
    lines = [f"{title} ({kind})" if kind else title, "  layers:"]
    for layer in data["layers"]:
        more = [layer["layer"], layer["type"], f"tag {layer['tag']}" if layer["tag"] else ""]
        lines.append(f"    {layer['name']} {layer['version']} ({', '.join(filter(None, more))})")
    lines += ["  order of installation:"]
    lines += [f"    {number}. {', '.join(names)}" for number, names in enumerate(data["order"], 1)]
    lines += ["  variables:"] if data["variables"] else []
    for one in data["variables"]:
        marks = [name for name in ("required", "immutable", "hidden", "isSensitive") if one.get(name) is True]
        default = f"default {one['defaultValue']}" if one["defaultValue"] else ""
        said = ", ".join(filter(None, [one.get("format", "string"), default, *marks]))
        lines.append(f"    {one.get('name')}  {said}")
        lines += [f"      {use}" for use in one["uses"]] or ["      not used"]
    return "\n".join(lines) + "\n"


def diff_text(data: Data) -> str:
    """Return the changes between two profiles as text: `-` is removed, `+` added, `~` changed."""
    lines = [_changed(one) for one in data["fields"]]
    for layer in data["layers"]:
        sign = {"added": "+", "removed": "-"}.get(layer["change"], "~")
        lines.append(f"{sign} {layer['name']}{_versions(layer)}")
        lines += [f"    {line}" for line in _details(layer)]
        lines += [f"    {_changed(one)}" for one in layer.get("values", ())]
    lines += [f"order: {', '.join(data['order'])}"] if data["order"] else []
    for one in data["variables"]:
        lines.append(f"variable {one['name']} {one['change']}")
        lines += [f"    {_changed(field)}" for field in one["fields"]]
    lines += [
        f"{one['severity']}  {one['rule']}  {one['layer']}: {one['message']}" for one in data["problems"]
    ]
    return "".join(f"{line}\n" for line in lines) or "no difference\n"


def json_diff(data: Data) -> str:
    """Return the changes for programs: the kind ProfileDiff of krmkit.dev/report/v1alpha1."""
    return json_of("ProfileDiff", **data)


def diff_markdown(data: Data) -> str:
    """Return the changes for a pull request; parts beyond GitHub's limit are left out and counted."""
    parts = ["### krmkit pack diff\n\n"]
    rows = [
        f"| | {escaped(one['layer'])} | `{one['rule']}` | {escaped(one['message'])} |\n"
        for one in data["problems"]
    ]
    parts += (
        ["| | Layer | New problem | Message |\n|---|---|---|---|\n" + rows[0], *rows[1:], "\n"]
        if rows
        else []
    )
    if data["fields"]:
        parts += [_table(data["fields"])]
    for layer in data["layers"]:
        parts.append(
            f"**{escaped(layer['name'])}** {layer['change']} {escaped(_versions(layer).strip())}\n\n"
        )
        parts += (
            ["".join(f"- {escaped(line)}\n" for line in details) + "\n"]
            if (details := [*_details(layer)])
            else []
        )
        parts += [_table(layer["values"])] if layer.get("values") else []
    parts += [f"Order: {escaped(', '.join(data['order']))}\n\n"] if data["order"] else []
    for one in data["variables"]:
        parts.append(f"**variable {escaped(one['name'])}** {one['change']}\n\n")
        parts += [_table(one["fields"])] if one["fields"] else []
    return limited(parts if len(parts) > 1 else [*parts, "no difference\n"])


def _table(changes: list[Data]) -> str:
    rows = [
        f"| {escaped(one['path'])} | {escaped(_said(one['old']))} | {escaped(_said(one['new']))} |\n"
        for one in changes
    ]
    return "| Key | Old | New |\n|---|---|---|\n" + "".join(rows) + "\n"


def _versions(layer: Data) -> str:
    """Return ` 1.31.2 -> 1.33.0 (tag 1.31.x -> 1.33.x)`."""
    version = layer.get("version", "")
    said = f" {version}" if isinstance(version, str) and version else ""
    if isinstance(version, list):
        said = f" {' -> '.join(version)}"
    return said + (f" (tag {' -> '.join(one or 'none' for one in layer['tag'])})" if "tag" in layer else "")


def _details(layer: Data) -> Iterator[str]:
    """Yield what changes in a layer beside its values."""
    if "type" in layer:
        yield f"type {' -> '.join(one or 'spectro' for one in layer['type'])}"
    if "presets" in layer:
        old, new = layer["presets"]
        yield from (f"- preset {name}" for name in old if name not in new)
        yield from (f"+ preset {name}" for name in new if name not in old)
    yield from (f"manifest {name} changed" for name in layer.get("manifests", ()))
    yield from (
        f"{path}: the new version's values do not have it; check that it still has an effect"
        for path in layer.get("inert", ())
    )


def _changed(one: Data) -> str:
    if one["old"] is None:
        return f"+ {one['path']}: {_said(one['new'])}"
    if one["new"] is None:
        return f"- {one['path']}: {_said(one['old'])}"
    return f"~ {one['path']}: {_said(one['old'])} -> {_said(one['new'])}"


def _said(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)
