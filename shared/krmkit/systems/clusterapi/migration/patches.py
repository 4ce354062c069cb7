"""The patches of a ClusterClass on kubeadm's templates, from v1beta1 to v1beta2: paths, values and simple templates.

Arguments are a map in v1beta1 and a list in v1beta2. A template that builds more than lines `name: value`, and what has no single place in
v1beta2, is left as it is, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from krmkit.krm.errors import Refused
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import MISSING, entries, find, lookup, mapping, put
from krmkit.systems.clusterapi.api.kubeadm import (
    ARGUMENTS,
    config_to_v1beta2,
    control_plane_to_v1beta2,
    dropped_paths,
)
from krmkit.systems.clusterapi.api.labels import group_of, version_of
from krmkit.systems.clusterapi.api.objectversion import V1BETA1, V1BETA2, config_place, is_unknown_conversion

Path = tuple[str, ...]
_SPEC = ("spec", "template", "spec")
_LINE = re.compile(r"^([A-Za-z0-9][\w.-]*):[ \t]+(\S.*)$")
_MAPS = re.compile(
    r"(?i)extraArgs|timeoutForControlPlane|\bttl\b|clusterName|kubernetesVersion|networking|useExperimentalRetryJoin"
    r"|discovery|rolloutStrategy|Timeout:|namingStrategy|remediationStrategy"
)


def newer(api_version: str, kind: str) -> str:
    """Return the apiVersion that a reference to a kind has after a migration: v1beta2 where the conversion is known."""
    wanted = f"{group_of(api_version)}/{V1BETA2}"
    known = version_of(api_version) == V1BETA1 and not is_unknown_conversion(api_version, wanted, kind)
    return wanted if known else api_version


def converted_definition(
    definition: Object, templates: Sequence[Object] = ()
) -> tuple[Object, list[tuple[int, str]]]:
    """Return a definition of an inline patch for v1beta2, and what of it cannot be converted: (number of the JSON patch, why).

    templates: those that it selects, as far as they are known. An argument that they have is replaced where it stands.
    """
    selector = mapping(definition, "selector")
    old, kind = str(selector.get("apiVersion", "")), str(selector.get("kind", ""))
    new = newer(old, kind)
    if new == old:
        return definition, []
    found, problems = [], []
    for number, patch in enumerate(entries(definition.get("jsonPatches"))):
        try:
            found.append(_converted(patch, {"apiVersion": old, "kind": kind}, templates))
        except Refused as error:
            problems.append((number, str(error)))
            found.append(patch)
    return {**definition, "selector": {**selector, "apiVersion": new}, "jsonPatches": found}, problems


def appended(definition: Object) -> list[str]:
    """Return the paths and names of the arguments that a definition for v1beta2 appends."""
    found = []
    for patch in entries(definition.get("jsonPatches")):
        path = str(patch.get("path", ""))
        text = str(find(patch, ("valueFrom", "template"), ""))
        name = find(patch, ("value", "name")) or text.partition("\n")[0].partition("name: ")[2]
        if path.endswith("/-") and name:
            found.append(f"{path.removesuffix('/-')}/{name}")
    return found


def _converted(patch: Object, kind: Object, templates: Sequence[Object]) -> Object:
    place = config_place(kind)
    path = tuple(
        part.replace("~1", "/").replace("~0", "~") for part in str(patch.get("path", "")).split("/")[1:]
    )
    if place is None:  # the specs of the Docker provider differ in one field
        if "failureDomains" in path:
            raise Refused("failureDomains is a list in v1beta2: write the patch anew")
        return patch
    if path[: len(place)] != place:
        return _of_control_plane(patch, path) if path[:3] == _SPEC and len(path) > 3 else patch
    inner = path[len(place) :]
    for arguments in ARGUMENTS:
        if inner[: len(arguments)] == arguments:
            there = [find(one, path[: len(place) + len(arguments)]) for one in templates]
            return _arguments(patch, path, inner[len(arguments) :], there)
    for dropped in dropped_paths():
        if inner[: len(dropped)] == dropped:
            raise Refused(
                f"v1beta2 has no {'.'.join(dropped)}: remove the patch, or write what it is for anew"
            )
    return _subtree(patch, inner)


def _arguments(patch: Object, path: Path, rest: Path, there: list[Any]) -> Object:
    """Convert a patch of a map of arguments, or of one argument. there: the arguments of the templates."""
    if patch.get("op") == "remove":
        if not rest:
            return patch
        raise Refused(
            f"arguments are a list in v1beta2, where the position of {rest[0]} in the template must be named"
        )
    if rest:
        positions = {_position(one, rest[0]) for one in there}
        if len(positions) == 1 and None not in positions:
            inner = (*path[: -len(rest)], str(positions.pop()), "value")
            return {**patch, "op": "replace", "path": "/" + "/".join(inner)}
        if positions - {None}:
            raise Refused(
                f"arguments are a list in v1beta2, and the templates have {rest[0]} at different places: give them all one place"
            )
        if patch.get("op") == "replace":
            raise Refused(
                f"arguments are a list in v1beta2: replace .../N/value, where N is the position of {rest[0]} in the template"
            )
        return {**patch, "path": "/" + "/".join((*path[: -len(rest)], "-")), **_argument(patch, rest[0])}
    if "value" in patch:
        value = patch["value"]
        return {**patch, "value": _listed(value) if isinstance(value, dict) else value}
    template = find(patch, ("valueFrom", "template"))
    if not isinstance(template, str):
        raise Refused("arguments are a list in v1beta2: the variable must be a list of names and values")
    return {**patch, "valueFrom": {"template": _lines(template)}}


def _position(arguments: Any, name: str) -> int | None:
    """Return the position that an argument of a template has in v1beta2, None if it is not there."""
    names = (
        list(arguments) if isinstance(arguments, dict) else [one.get("name") for one in entries(arguments)]
    )
    return names.index(name) if name in names else None


def _listed(arguments: Object) -> list[Object]:
    return [{"name": name, "value": arguments[name]} for name in arguments]


def _argument(patch: Object, name: str) -> Object:
    """Return the value, or its source, of one argument that is appended."""
    if "value" in patch:
        return {"value": {"name": name, "value": patch["value"]}}
    source = mapping(patch, "valueFrom")
    text = source.get("template")
    if isinstance(text, str):
        if "\n" in text.strip():
            raise Refused("arguments are a list in v1beta2: the template must make a name and a value")
        return {"valueFrom": {"template": f"name: {name}\nvalue: {text.strip()}\n"}}
    return {
        "valueFrom": {"template": f"name: {name}\nvalue: {{{{ .{source.get('variable', '')} | toJson }}}}\n"}
    }


def _lines(template: str) -> str:
    """Return a template of lines `name: value` as one of a list of names and values. Raises Refused."""
    made = []
    for line in template.splitlines():
        match = _LINE.match(line.rstrip())
        if (
            match is None
            or match[2][0] in "|>&*!"
            or re.search(r"\{\{-?\s*(if|else|range|end|with|define)\b", line)
        ):
            raise Refused(
                "arguments are a list in v1beta2, and the template builds a map: let it build items `- name: ...` with `value: ...`"
            )
        made.append(f"- name: {match[1]}\n  value: {match[2]}")
    return "\n".join(made) + ("\n" if template.endswith("\n") or len(made) > 1 else "")


def _subtree(patch: Object, inner: Path) -> Object:
    """Convert the value of a patch above or beside arguments."""
    if "value" not in patch:
        text = str(find(patch, ("valueFrom", "template"), ""))
        above = any(one[: len(inner)] == inner for one in (*ARGUMENTS, *dropped_paths()))
        if above and (_MAPS.search(text) or find(patch, ("valueFrom", "variable")) is not None):
            raise Refused(
                "the value has fields that differ in v1beta2, and is made by a template: write it anew"
            )
        return patch
    value = patch["value"]
    before = put({}, inner, value) if inner else value
    if not isinstance(before, dict):
        return patch
    return {**patch, "value": _same_place(config_to_v1beta2(before), inner)}


def _same_place(made: Object, inner: Path) -> object:
    """Return the value at a path of converted data. Raises Refused if fields went elsewhere."""
    value = lookup(made, inner) if inner else made
    if value is MISSING:
        raise Refused("v1beta2 has no such field: remove the patch, or write what it is for anew")
    if inner and made != put({}, inner, value):
        raise Refused("a field of the value lies elsewhere in v1beta2: patch it there")
    return value


def _of_control_plane(patch: Object, path: Path) -> Object:
    """Convert a patch of a KubeadmControlPlaneTemplate outside of its kubeadmConfigSpec."""
    inner = path[3:]
    probe = put({}, inner, patch.get("value", "1s"))
    made = control_plane_to_v1beta2(probe)
    if lookup(made, inner) is MISSING or ("value" in patch and made != probe):
        raise Refused(f"{'.'.join(inner)} lies elsewhere in v1beta2: patch it there")
    return patch
