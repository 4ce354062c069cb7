"""Check a KubeadmConfigSpec as the webhooks of kubeadm's kinds do.

Source: the checks that bootstrap and control plane provider share (Validate). The feature gate for Ignition
counts as on, its default in releases.
"""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import FieldError, child, forbidden, index, invalid, required
from krmkit.libraries.schema.fields import entries, find, mapping
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.labels import group_of
from krmkit.systems.clusterapi.api.objectversion import V1BETA2, config_place, in_version

_IGNITION = "ignition"
_WITHOUT_IGNITION = 'not supported when spec.format is set to: "ignition"'
_HEALTH = ("timeouts", "controlPlaneComponentHealthCheckSeconds")
_SOURCES = (
    ("files", "content", "contentFrom", "only one of content or contentFrom may be specified for a single file"),
    ("users", "passwd", "passwdFrom", "only one of passwd or passwdFrom may be specified for a single user"),
)  # fmt: skip


def config_errors(data: Object) -> list[FieldError]:
    """Return the webhooks' errors about an object's KubeadmConfigSpec; [] for objects of other kinds."""
    place = config_place(data)
    if place is None:
        return []
    try:
        known = in_version(data, f"{group_of(str(data.get('apiVersion', '')))}/{V1BETA2}")
    except TopologyError:
        return []
    spec, path = mapping(known, *place), ".".join(place)
    errors = [*_sources(spec, path), *_ignition(spec, path), *_partitions(spec, path)]
    user = mapping(spec, "joinConfiguration", "discovery", "file", "kubeConfig", "user")
    if user.get("authProvider") and user.get("exec"):
        where = child(path, "joinConfiguration", "discovery", "file", "kubeconfig", "user")
        errors.append(invalid(where, user, "only one of authProvider or exec must be defined"))
    if place[-1] == "kubeadmConfigSpec":
        errors += _time_outs(spec, path)
    return errors


def _sources(spec: Object, path: str) -> Iterator[FieldError]:
    """Yield errors of files and users: two sources, an incomplete source, and repeated paths."""
    for listing, inline, source, message in _SOURCES:
        seen: set[str] = set()
        for position, one in enumerate(entries(spec.get(listing))):
            place = index(child(path, listing), position)
            if one.get(inline) and one.get(source):
                yield invalid(place, one, message)
            if one.get(source):
                for name in ("name", "key"):
                    if not find(one, (source, "secret", name)):
                        detail = f"secret file source must specify non-empty secret {name}"
                        yield required(child(place, source, "secret", name), detail)
            if listing == "files":
                file = str(one.get("path", ""))
                if file in seen:
                    yield invalid(child(place, "path"), one, "path property must be unique among all files")
                seen.add(file)


def _ignition(spec: Object, path: str) -> Iterator[FieldError]:
    if spec.get("format") != _IGNITION:
        if spec.get(_IGNITION):
            detail = f'must be set to "{_IGNITION}" if spec.ignition is set'
            yield invalid(child(path, "format"), spec.get("format", ""), detail)
        return
    for position, user in enumerate(entries(spec.get("users"))):
        if user.get("inactive") is True:
            yield forbidden(child(index(child(path, "users"), position), "inactive"), _WITHOUT_IGNITION)
    for position, file in enumerate(entries(spec.get("files"))):
        if str(file.get("encoding", "")).startswith("gzip"):
            yield forbidden(child(index(child(path, "files"), position), "encoding"), _WITHOUT_IGNITION)
    if spec.get("bootCommands") is not None:
        yield forbidden(child(path, "bootCommands"), _WITHOUT_IGNITION)
    for position, one in enumerate(entries(find(spec, ("diskSetup", "filesystems")))):
        for name in ("replaceFS", "partition"):
            if one.get(name):
                place = index(child(path, "diskSetup", "filesystems"), position)
                yield forbidden(child(place, name), _WITHOUT_IGNITION)


def _partitions(spec: Object, path: str) -> Iterator[FieldError]:
    for position, one in enumerate(entries(find(spec, ("diskSetup", "partitions")))):
        place = index(child(path, "diskSetup", "partitions"), position)
        table = one.get("tableType")
        if spec.get("format") == _IGNITION and table not in (None, "", "gpt"):
            detail = f'only partition type "gpt" is supported when spec.format is set to "{_IGNITION}"'
            yield invalid(child(place, "tableType"), table, detail)
        parts = [part.get("percentage") for part in entries(one.get("diskLayout"))]
        total = sum(part for part in parts if type(part) is int)
        if total > 100:
            detail = "the sum of all partition percentages must not be greater than 100"
            yield invalid(child(place, "diskLayout"), total, detail)


def _time_outs(spec: Object, path: str) -> Iterator[FieldError]:
    """Yield the errors of a control plane whose init and join timeouts differ."""
    parts = ("initConfiguration", "joinConfiguration")
    shown = [str(find(spec, (part, *_HEALTH), "unset")) for part in parts]
    if shown[0] != shown[1]:
        detail = (
            f"{_HEALTH[-1]} must be set to the same value both in initConfiguration.timeouts ({shown[0]}) and in"
            f" joinConfiguration.timeouts ({shown[1]})"
        )
        for part, value in zip(parts, shown, strict=True):
            yield invalid(child(path, part, *_HEALTH), value, detail)
