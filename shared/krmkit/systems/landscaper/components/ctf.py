"""Components in folders: component archives, and folders in the common transport format (CTF).

Input: files by path, as bytes. Output: descriptors as texts, and the contents of local resources.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from krmkit.libraries.schema.fields import is_list_of_maps, mapping, text
from krmkit.systems.landscaper.blueprint.blueprints import BLUEPRINT_TYPES
from krmkit.systems.landscaper.blueprint.files import Content, Files
from krmkit.systems.landscaper.components.archive import ArchiveError, gunzip, text_or_bytes, untar
from krmkit.systems.landscaper.components.descriptors import Component, Data, decode
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.yaml import GoYamlError, load

DESCRIPTOR_FILE = "component-descriptor.yaml"
INDEX_FILE = "artifact-index.json"
_DESCRIPTORS = "component-descriptors/"
_LOCAL = ("localBlob", "localFilesystemBlob", "localOciBlob")
LARGEST = 1024 * 1024
_GZIP = b"\x1f\x8b"


class CtfError(ValueError):
    """A folder has no component, or an unreadable one."""


class NoComponentError(CtfError):
    """A folder has no component in an archive."""


@dataclass(slots=True)
class TransportArchive:
    """Components with the texts of their descriptors, contents by key, and notes about left-out parts."""

    components: list[tuple[Component, str]] = field(default_factory=list)
    contents: dict[str, Files | Content] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_components(files: dict[str, bytes]) -> TransportArchive:
    """Return every component below a folder: each folder with a component-descriptor.yaml, and each CTF. Raises CtfError."""
    archive = TransportArchive()
    for path in sorted(files):
        folder, _, name = path.rpartition("/")
        prefix = f"{folder}/" if folder else ""
        if name == DESCRIPTOR_FILE:
            component = _component(archive, files[path], path)
            _contents(
                archive, component, lambda key, at=prefix: files.get(f"{at}blobs/{key.replace(':', '.')}")
            )
        elif name == INDEX_FILE:
            _transport(archive, files, prefix)
    if not archive.components:
        raise NoComponentError(f"there is no {DESCRIPTOR_FILE}, and no {INDEX_FILE} with a component")
    return archive


def _component(found: TransportArchive, data: bytes, path: str) -> Component:
    try:
        content = data.decode()
        component = decode(load(content))
    except (UnicodeDecodeError, GoYamlError, InstallationError) as error:
        raise CtfError(f"{path}: {getattr(error, 'message', error)}") from None
    found.components.append((component, content))
    return component


def _contents(found: TransportArchive, component: Component, blob: object) -> None:
    """Add the contents of a component's local resources; `blob` finds bytes by file name or digest."""
    assert callable(blob)
    for resource in component.resources:
        access = mapping(resource.get("access"))
        if access.get("type") not in _LOCAL:
            continue
        keys = [text(access.get(name)) for name in ("filename", "localReference", "digest")]
        key = next((one for one in keys if one), "")
        name = text(resource.get("name"))
        data: bytes | None = blob(key) if key else None
        label = f"{component.name}:{component.version}/{name}"
        if data is None:
            found.notes.append(f"{label}: its blob {key} is not there")
            continue
        links: list[str] = []
        content = _content(resource, data, label, links)
        found.notes += [f"{label}: left out {path}, which is a link or a device" for path in links]
        if isinstance(content, bytes) and len(content) > LARGEST:
            found.notes.append(f"{label}: left out, for it has {len(content):,} bytes")
        else:
            taken = label in found.contents
            found.contents[f"{component.name}:{component.version}/{key}" if taken else label] = content


def _content(resource: Data, data: bytes, label: str, links: list[str]) -> Files | Content:
    """Return a blueprint as a folder, and add its links and devices to `links`; return all else unchanged, a compressed text as a text."""
    if resource.get("type") in BLUEPRINT_TYPES:
        try:
            return Files(untar(data, links))
        except ArchiveError as error:
            raise CtfError(f"{label}: {error}") from None
    media_type = text(mapping(resource.get("access")).get("mediaType"))
    if data[:2] == _GZIP and "json" in media_type:
        try:
            data = gunzip(data)
        except ArchiveError as error:
            raise CtfError(f"{label}: {error}") from None
    return text_or_bytes(data)


def _transport(found: TransportArchive, files: dict[str, bytes], prefix: str) -> None:
    """Add the components of a CTF: an index of OCI manifests, whose layers are blobs by digest."""

    def blob(digest: str) -> bytes | None:
        return files.get(f"{prefix}blobs/{digest.replace(':', '.')}")

    index = f"{prefix}{INDEX_FILE}"
    listed = _json(files[index], index).get("artifacts")
    if not is_list_of_maps(listed):
        raise CtfError(f"{index}: artifacts must be a list of mappings")
    for artifact in listed:
        repository = text(artifact.get("repository"))
        if not repository.startswith(_DESCRIPTORS):
            continue
        label = f"{repository[len(_DESCRIPTORS) :]}:{text(artifact.get('tag'))}"
        manifest = _json(_needed(blob(text(artifact.get("digest"))), label), label)
        config = _json(_needed(blob(text(mapping(manifest.get("config")).get("digest"))), label), label)
        layer = mapping(config.get("componentDescriptorLayer"))
        data = _needed(blob(text(layer.get("digest"))), label)
        if "tar" in text(layer.get("mediaType")):
            try:
                members = untar(data)
            except ArchiveError as error:
                raise CtfError(f"{label}: {error}") from None
            content = members.get(DESCRIPTOR_FILE)
            data = content.encode() if isinstance(content, str) else _needed(content, label)
        _contents(found, _component(found, data, label), blob)


def _needed(data: bytes | None, label: str) -> bytes:
    if data is None:
        raise CtfError(f"{label}: a blob of its manifest is not there")
    return data


def _json(data: bytes, label: str) -> Data:
    try:
        return mapping(json.loads(data))
    except (ValueError, RecursionError):
        raise CtfError(f"{label}: must be JSON") from None
