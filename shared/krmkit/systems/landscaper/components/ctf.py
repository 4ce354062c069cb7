"""Components in folders: component archives, and folders in the common transport format (CTF).

Input: files by path, as bytes. Output: descriptors as texts, and the contents of local resources. A blob must
have the digest that its name, its manifest or its resource gives.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from hashlib import new as new_hash

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.schema.fields import is_list_of_maps, mapping, text
from krmkit.systems.landscaper.blueprint.blueprints import BLUEPRINT_TYPES
from krmkit.systems.landscaper.blueprint.files import Content, Files
from krmkit.systems.landscaper.components.archive import gunzip, refusing, text_or_bytes, untar
from krmkit.systems.landscaper.components.descriptors import Component, Data, checked
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.yaml import load

DESCRIPTOR_FILE = "component-descriptor.yaml"
INDEX_FILE = "artifact-index.json"
_DESCRIPTORS = "component-descriptors/"
_LOCAL = ("localBlob", "localFilesystemBlob", "localOciBlob")
LARGEST = 1024 * 1024
MOST_BYTES = 64 * 1024 * 1024
_BLOB_DIGEST = "genericBlobDigest/v1"
_DIGEST = re.compile(r"(sha256|sha512)[:.]([0-9a-fA-F]+)")
_GZIP = b"\x1f\x8b"
NO_COMPONENT = "no-component"


@dataclass(slots=True)
class TransportArchive:
    """Components with the texts of their descriptors, contents by key, and notes about left-out parts."""

    components: list[tuple[Component, str]] = field(default_factory=list)
    contents: dict[str, Files | Content] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _size: int = 0
    _unpacked: dict[tuple[str, bool, bool], tuple[Files | Content, list[str]]] = field(default_factory=dict)

    def put(self, key: str, content: Files | Content) -> None:
        """Add a content. Raises Refused if all have more than MOST_BYTES; blobs may be shared."""
        self.count(key, content)
        self.contents[key] = content

    def count(self, label: str, content: Files | Content) -> None:
        """Count a content or descriptor. Raises Refused if all together have too many bytes."""
        files = content.all().values() if isinstance(content, Files) else [content]
        self._size += sum(map(len, files))
        if self._size > MOST_BYTES:
            raise Refused(f"{label}: the components must have at most {MOST_BYTES:,} bytes together")

    def unpacked(
        self, resource: Data, blob: str, data: bytes, label: str
    ) -> tuple[Files | Content, list[str]]:
        """Return the content of a resource, unpacked once, and its links and devices. Raises Refused."""
        is_blueprint = resource.get("type") in BLUEPRINT_TYPES
        is_json = "json" in text(mapping(resource.get("access")).get("mediaType"))
        known = self._unpacked.get((blob, is_blueprint, is_json))
        if known is None:
            links: list[str] = []
            with refusing(label):
                content = Files(untar(data, links)) if is_blueprint else text_or_bytes(_plain(data, is_json))
            known = content, links
            self._unpacked[blob, is_blueprint, is_json] = known
        return known


def read_components(files: dict[str, bytes]) -> TransportArchive:
    """Return the components below a folder, in archives and CTFs. Raises Refused."""
    archive = TransportArchive()
    for path in sorted(files):
        folder, _, name = path.rpartition("/")
        prefix = f"{folder}/" if folder else ""
        if name == DESCRIPTOR_FILE:
            component = _component(archive, files[path], path)
            _contents(archive, component, _Blobs(files, f"{prefix}blobs/"))
        elif name == INDEX_FILE:
            _transport(archive, files, prefix)
    if not archive.components:
        message = f"there is no {DESCRIPTOR_FILE}, and no {INDEX_FILE} with a component"
        raise Refused(Finding(NO_COMPONENT, message))
    return archive


def _component(found: TransportArchive, data: bytes, path: str) -> Component:
    try:
        content = data.decode()
        component = checked(load(content))
    except (UnicodeDecodeError, GoInputError, InstallationError) as error:
        raise Refused(f"{path}: {getattr(error, 'message', error)}") from None
    found.count(path, content)
    found.components.append((component, content))
    return component


@dataclass(slots=True)
class _Blobs:
    """The blobs of a folder."""

    files: dict[str, bytes]
    folder: str
    _checked: set[tuple[str, str]] = field(init=False, default_factory=set)

    def get(self, key: str) -> bytes | None:
        """Return the blob of a digest or file name, None without one. Raises Refused for another digest."""
        data = self.files.get(self.folder + key.replace(":", "."))
        named = _DIGEST.fullmatch(key)
        if data is not None and named:
            self.check(key, data, named[1], named[2], self.folder.rstrip("/"))
        return data

    def check_resource(self, key: str, data: bytes, resource: Data, label: str) -> None:
        given = mapping(resource.get("digest"))
        if given.get("normalisationAlgorithm") != _BLOB_DIGEST:
            return  # no digest, or one of something in the blob
        name = text(given.get("hashAlgorithm")).lower().replace("-", "")
        if name not in {"sha256", "sha512"}:
            raise Refused(
                f"{label}: digest.hashAlgorithm must be SHA-256 or SHA-512, got {given.get('hashAlgorithm')}"
            )
        try:
            self.check(key, data, name, text(given.get("value")), label)
        except Refused:
            if data[:2] != _GZIP:
                raise
            # The digest of a compressed blob may be that of its content.
            with refusing(label):
                content = gunzip(data)
            self.check(f"{key} unpacked", content, name, text(given.get("value")), label)
            self._checked.add((key, text(given.get("value"))))

    def check(self, key: str, data: bytes, algorithm: str, value: str, label: str) -> None:
        """Raise Refused if a blob has another digest. A blob that many resources name is checked once."""
        if (key, value) in self._checked:
            return
        found = new_hash(algorithm, data).hexdigest()
        if found != value.lower():
            raise Refused(
                f"{label}: the blob {key} was changed: its digest must be {algorithm}:{value}, got {algorithm}:{found}"
            )
        self._checked.add((key, value))


def _contents(found: TransportArchive, component: Component, blobs: _Blobs) -> None:
    for resource in component.resources:
        access = mapping(resource.get("access"))
        if access.get("type") not in _LOCAL:
            continue
        keys = [text(access.get(name)) for name in ("filename", "localReference", "digest")]
        key = next((one for one in keys if one), "")
        name = text(resource.get("name"))
        label = f"{component.name}:{component.version}/{name}"
        data = blobs.get(key) if key else None
        if data is None:
            found.notes.append(f"{label}: its blob {key} is not there")
            continue
        blobs.check_resource(key, data, resource, label)
        content, links = found.unpacked(resource, blobs.folder + key, data, label)
        found.notes += [f"{label}: left out {path}, which is a link or a device" for path in links]
        if isinstance(content, bytes) and len(content) > LARGEST:
            found.notes.append(f"{label}: left out, for it has {len(content):,} bytes")
        else:
            taken = label in found.contents
            found.put(f"{component.name}:{component.version}/{key}" if taken else label, content)


def _plain(data: bytes, is_json: bool) -> bytes:
    """Return compressed JSON as JSON, and all else unchanged."""
    return gunzip(data) if data[:2] == _GZIP and is_json else data


def _transport(found: TransportArchive, files: dict[str, bytes], prefix: str) -> None:
    """Add the components of a CTF: an index of OCI manifests, whose layers are blobs by digest."""
    blobs = _Blobs(files, f"{prefix}blobs/")
    index = f"{prefix}{INDEX_FILE}"
    listed = _json(files[index], index).get("artifacts")
    if not is_list_of_maps(listed):
        raise Refused(f"{index}: artifacts must be a list of mappings")
    for artifact in listed:
        repository = text(artifact.get("repository"))
        if not repository.startswith(_DESCRIPTORS):
            continue
        label = f"{repository[len(_DESCRIPTORS) :]}:{text(artifact.get('tag'))}"
        manifest = _json(_needed(blobs.get(text(artifact.get("digest"))), label), label)
        config = _json(_needed(blobs.get(text(mapping(manifest.get("config")).get("digest"))), label), label)
        layer = mapping(config.get("componentDescriptorLayer"))
        data = _needed(blobs.get(text(layer.get("digest"))), label)
        if "tar" in text(layer.get("mediaType")):
            with refusing(label):
                members = untar(data)
            content = members.get(DESCRIPTOR_FILE)
            data = content.encode() if isinstance(content, str) else _needed(content, label)
        _contents(found, _component(found, data, label), blobs)


def _needed(data: bytes | None, label: str) -> bytes:
    if data is None:
        raise Refused(f"{label}: a blob of its manifest is not there")
    return data


def _json(data: bytes, label: str) -> Data:
    try:
        return mapping(json.loads(data))
    except (ValueError, RecursionError):
        raise Refused(f"{label}: must be JSON") from None
