"""The text of a cluster profile in JSON, YAML or Terraform's language: read, and edited in place."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import partial
from typing import Any

from krmkit.kpt.merge.edits import write_merged
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.json.text import JsonError
from krmkit.libraries.json.text import parse as parse_json
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.surrogates import joined
from krmkit.render.conversion.hcl import body_text, computed_lines, read_hcl, rewritten
from krmkit.systems.palette.profiles.forms import ClusterProfile, Data, Form, converted

JSON, YAML, HCL = "json", "yaml", "tf"
_USUAL = {"flat": YAML, "terraform": HCL, "crossplane": YAML}
_RESOURCE = "spectrocloud_cluster_profile"


@dataclass
class ProfileText:
    """A profile and the text that it came in. `computed`: what only Terraform can compute, by line."""

    text: str
    syntax: str
    profile: ClusterProfile
    computed: list[str]


def read_profile(text: str, label: str) -> ProfileText:
    """Read a profile, whatever its form. Raises Refused."""
    syntax = syntax_of(label)
    if syntax == HCL:
        blocks = [one for one in read_hcl(text, label).blocks if one.labels[:1] == [_RESOURCE]]
        resources = {(block.labels[1:] or [""])[0]: block.data() for block in blocks}
        profile = ClusterProfile.of({"resource": {_RESOURCE: resources}}, label)
        return ProfileText(text, syntax, profile, computed_lines(blocks[0], text))
    data: Any
    try:
        if text.lstrip("\ufeff \t\r\n").startswith("{"):
            syntax, data = JSON, parse_json(joined(text))
        else:
            syntax, data = YAML, Resource(text, label=label).get()
    except (JsonError, YamlError, Refused) as error:
        raise Refused(f"{label}: {error}" if not str(error).startswith(label) else str(error)) from None
    return ProfileText(text, syntax, ClusterProfile.of(data, label), [])


def syntax_of(path: str) -> str:
    """Return the syntax that a file's name stands for, "" for none."""
    ends = {".tf": HCL, ".json": JSON, ".yaml": YAML, ".yml": YAML}
    return next((syntax for end, syntax in ends.items() if path.endswith(end)), "")


def written(old: ProfileText, data: Data) -> str:
    """Return the text of a profile with other data; unchanged parts stay byte for byte. Raises Refused."""
    before = old.profile.data
    if data == before:
        return old.text
    if old.syntax == HCL:
        block = next(one for one in read_hcl(old.text, "").blocks if one.labels[:1] == [_RESOURCE])
        new = next(iter(data["resource"][_RESOURCE].values()))
        return old.text[: block.start] + rewritten(old.text, block, new) + old.text[block.end :]
    if old.syntax == JSON:
        for style in _STYLES:
            for end in ("", "\n"):
                if style(before) + end == old.text:
                    return style(data) + end
    resource = Resource(old.text)
    write_merged(resource, data)
    text = resource.text
    if old.syntax == YAML or _reads_as(text, data):
        return text
    return _STYLES[-1](data) + "\n"


def _reads_as(text: str, data: Data) -> bool:
    try:
        return bool(json.loads(text) == data)
    except ValueError:
        return False


def _as_server(data: Data) -> str:
    """Write JSON as Palette does: compact, with `<`, `>` and `&` escaped."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)


_STYLES = (
    _as_server,
    partial(json.dumps, ensure_ascii=False, separators=(",", ":")),
    partial(json.dumps, indent=4, ensure_ascii=False),
    partial(json.dumps, indent="\t", ensure_ascii=False),
    partial(json.dumps, indent=2),
    partial(json.dumps, indent=2, ensure_ascii=False),
)


def in_form(profile: ClusterProfile, form: Form, syntax: str) -> tuple[str, list[str]]:
    """Write a profile in a form; return the text, and sentences about what is lost. Raises Refused."""
    syntax = syntax or _USUAL.get(form.name, JSON)
    if syntax == HCL and form.name != "terraform":
        raise Refused(
            f"a profile in the form {form.name} is JSON or YAML, not Terraform's language; name the file so"
        )
    data, lost = (profile.data, []) if form is profile.form else converted(profile, form)
    label = re.sub(r"[^A-Za-z0-9_-]", "-", profile.name) or "profile"
    if form.name == "terraform":
        inner = data if form is not profile.form else profile.own
        if syntax == HCL:
            block = body_text(inner, "  ")
            return f'resource "{_RESOURCE}" "{label}" {{\n{block}}}\n', lost
        data = {"resource": {_RESOURCE: {label: inner}}}
    elif form.name == "crossplane" and form is not profile.form:
        head = {"apiVersion": "cluster.palette.crossplane.io/v1alpha1", "kind": "Profile"}
        data = {**head, "metadata": {"name": profile.name}, **data}
    if syntax == YAML:
        return emit.document(data), lost
    return _as_server(data) if form.name == "export" else _STYLES[-1](data) + "\n", lost
