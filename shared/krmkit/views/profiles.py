"""Show the content of a cluster profile (`krmkit pack show`), and its changes (`krmkit pack diff`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from krmkit.krm.secretwords import SECRET
from krmkit.views.formats import json_of
from krmkit.views.markdown import limited

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
        said = ", ".join(filter(None, [str(one.get("format") or "string"), default, *marks]))
        lines.append(f"    {one.get('name')}  {said}")
        lines += [f"      {use}" for use in one["uses"]] or ["      not used"]
    return "\n".join(lines) + "\n"


def diff_in(form: str, data: Data) -> str:
    """Return the changes between two profiles as text, json or markdown.

    In lines `-` is removed, `+` added, `~` changed. Markdown leaves out, and counts, lines beyond its limit.
    """
    if form == "json":
        return json_of("ProfileDiff", **data)
    lines = [*_lines(data)] or ["no difference\n"]
    return f"### krmkit pack diff\n\n```diff\n{limited(lines)}```\n" if form == "markdown" else "".join(lines)


def _lines(data: Data) -> Iterator[str]:
    yield from (_changed(one) for one in data["fields"])
    for layer in data["layers"]:
        sign = {"added": "+", "removed": "-"}.get(layer["change"], "~")
        yield f"{sign} {layer['name']}{_versions(layer)}\n"
        yield from (f"    {line}\n" for line in _details(layer))
        yield from (f"    {_changed(one)}" for one in layer.get("values", ()))
    if data["order"]:
        yield f"order: {', '.join(data['order'])}\n"
    for one in data["variables"]:
        yield f"variable {one['name']} {one['change']}\n"
        yield from (f"    {_changed(field)}" for field in one["fields"])
    for one in data["problems"]:
        yield f"{one['severity']}  {one['rule']}  {one['layer']}: {one['message']}\n"


def _versions(layer: Data) -> str:
    """Return a change of versions: ` 1.31.2 -> 1.33.0 (tag 1.31.x -> 1.33.x)`."""
    version = layer.get("version", "")
    said = f" {version}" if isinstance(version, str) and version else ""
    if isinstance(version, list):
        said = f" {' -> '.join(version)}"
    return said + (f" (tag {' -> '.join(one or 'none' for one in layer['tag'])})" if "tag" in layer else "")


def _details(layer: Data) -> Iterator[str]:
    """Yield a layer's changes other than its values."""
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
    old, new = (
        SECRET if one[side] == SECRET else json.dumps(one[side], ensure_ascii=False)
        for side in ("old", "new")
    )
    if one["old"] is None:
        return f"+ {one['path']}: {new}\n"
    if one["new"] is None:
        return f"- {one['path']}: {old}\n"
    return f"~ {one['path']}: {f'{SECRET}, changed' if old == new == SECRET else f'{old} -> {new}'}\n"
