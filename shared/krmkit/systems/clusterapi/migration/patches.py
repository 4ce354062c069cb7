"""Convert patches of kubeadm's templates from v1beta1 to v1beta2: paths, values and simple templates.

Arguments are a map in v1beta1 and a list in v1beta2. Two kinds of patches stay, with the reason: templates
that build more than lines `name: value`, and values without a single place in v1beta2.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from krmkit.krm.errors import Refused
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import MISSING, entries, find, lookup, mapping, put
from krmkit.systems.clusterapi.api import kubeadm
from krmkit.systems.clusterapi.api.labels import group_of, version_of
from krmkit.systems.clusterapi.api.objectversion import V1BETA1, V1BETA2, config_place, is_unknown_conversion
from krmkit.systems.clusterapi.migration.arguments import KnownArguments

Path = tuple[str, ...]
_SPEC = ("spec", "template", "spec")
_MAPS = re.compile(
    r"(?i)extraArgs|timeoutForControlPlane|\bttl\b|clusterName|kubernetesVersion|networking|useExperimentalRetryJoin"
    r"|discovery|rolloutStrategy|Timeout:|namingStrategy|remediationStrategy"
)


def newer(api_version: str, kind: str) -> str:
    """Return the apiVersion of a reference after the migration: v1beta2 if the conversion is known."""
    wanted = f"{group_of(api_version)}/{V1BETA2}"
    known = version_of(api_version) == V1BETA1 and not is_unknown_conversion(api_version, wanted, kind)
    return wanted if known else api_version


def converted_definition(
    definition: Object, templates: Sequence[Object] = (), before: Collection[Path] = ()
) -> tuple[Object, list[tuple[int, str]]]:
    """Convert a definition of an inline patch; return it, and (number, reason) of each JSON patch that stays.

    templates: the selected templates, if known. before: the paths that earlier definitions patch in them.
    """
    selector = mapping(definition, "selector")
    old, kind = str(selector.get("apiVersion", "")), str(selector.get("kind", ""))
    new = newer(old, kind)
    if new == old:
        return definition, []
    place = config_place({"apiVersion": old, "kind": kind})
    known = KnownArguments(templates, place or (), before)
    found, problems = [], []
    for number, patch in enumerate(entries(definition.get("jsonPatches"))):
        try:
            found.append(_converted(patch, place, known))
        except Refused as error:
            problems.append((number, str(error)))
            found.append(patch)
    return {**definition, "selector": {**selector, "apiVersion": new}, "jsonPatches": found}, problems


def appended(definition: Object) -> Iterator[str]:
    """Yield the paths and names of the arguments that a definition for v1beta2 appends."""
    for patch in entries(definition.get("jsonPatches")):
        path = str(patch.get("path", ""))
        text = str(find(patch, ("valueFrom", "template"), ""))
        name = find(patch, ("value", "name")) or text.partition("\n")[0].partition("name: ")[2]
        if path.endswith("/-") and name:
            yield f"{path.removesuffix('/-')}/{name}"


def segments(patch: Object) -> Path:
    """Return the unescaped parts of a JSON patch's path."""
    parts = str(patch.get("path", "")).split("/")[1:]
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)


def _converted(patch: Object, place: Path | None, known: KnownArguments) -> Object:
    path = segments(patch)
    if place is None:  # the specs of the Docker provider differ in one field
        if "failureDomains" in path:
            raise Refused("failureDomains is a list in v1beta2: write the patch anew")
        return patch
    if path[: len(place)] != place:
        return _of_control_plane(patch, path) if path[:3] == _SPEC and len(path) > 3 else patch
    inner = path[len(place) :]
    for arguments in kubeadm.ARGUMENTS:
        if inner[: len(arguments)] == arguments:
            rest = inner[len(arguments) :]
            return known.one(patch, arguments, rest[0]) if rest else known.all(patch, arguments)
    known.before.append(path)
    for dropped in kubeadm.dropped_paths():
        if inner[: len(dropped)] == dropped:
            raise Refused(
                f"v1beta2 has no {'.'.join(dropped)}: remove the patch, or write what it is for anew"
            )
    return _subtree(patch, inner)


def _subtree(patch: Object, inner: Path) -> Object:
    """Convert the value of a patch above or beside arguments."""
    if "value" not in patch:
        text = str(find(patch, ("valueFrom", "template"), ""))
        above = any(one[: len(inner)] == inner for one in (*kubeadm.ARGUMENTS, *kubeadm.dropped_paths()))
        if above and (_MAPS.search(text) or find(patch, ("valueFrom", "variable")) is not None):
            raise Refused(
                "the value has fields that differ in v1beta2, and is made by a template: write it anew"
            )
        return patch
    value = patch["value"]
    before = put({}, inner, value) if inner else value
    if not isinstance(before, dict):
        return patch
    return {**patch, "value": _same_place(kubeadm.config_to_v1beta2(before), inner)}


def _same_place(made: Object, inner: Path) -> object:
    """Return the value at a path of converted data. Raises Refused if its fields moved elsewhere."""
    value = lookup(made, inner) if inner else made
    if value is MISSING:
        raise Refused("v1beta2 has no such field: remove the patch, or write what it is for anew")
    if inner and made != put({}, inner, value):
        raise Refused("a field of the value lies elsewhere in v1beta2: patch it there")
    return value


def _of_control_plane(patch: Object, path: Path) -> Object:
    """Convert a patch of a KubeadmControlPlaneTemplate outside its kubeadmConfigSpec."""
    inner = path[3:]
    probe = put({}, inner, patch.get("value", "1s"))
    made = kubeadm.control_plane_to_v1beta2(probe)
    if lookup(made, inner) is MISSING or ("value" in patch and made != probe):
        raise Refused(f"{'.'.join(inner)} lies elsewhere in v1beta2: patch it there")
    return patch
