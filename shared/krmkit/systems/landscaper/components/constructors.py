"""Read component constructors, the input of `ocm add componentversions`, in source repositories.

A constructor file has one component, or several below `components`; a resource has an `access`, or an `input`
that names a file or folder beside the constructor. The result equals the content of the component's archive.

Older repositories list the resources of one component in `resources.yaml` (`component-cli component-archive
resources add`).
"""

from __future__ import annotations

import json
from binascii import Error as Base64Error
from binascii import a2b_base64
from dataclasses import dataclass
from typing import Protocol

from krmkit.krm.errors import Refused
from krmkit.libraries.go.regexp.pattern import PatternError
from krmkit.libraries.go.regexp.pattern import compile as compile_pattern
from krmkit.libraries.schema.fields import entries, mapping, sequence, text
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.data import go2_data
from krmkit.libraries.yaml.document import parse_all
from krmkit.libraries.yaml.errors import YamlError
from krmkit.systems.landscaper.blueprint.blueprints import BLUEPRINT_TYPES
from krmkit.systems.landscaper.blueprint.files import Content, Files
from krmkit.systems.landscaper.components.archive import refusing, text_or_bytes, untar
from krmkit.systems.landscaper.components.ctf import LARGEST, TransportArchive
from krmkit.systems.landscaper.components.descriptors import V2, Data, checked
from krmkit.systems.landscaper.errors import InstallationError


class Sources(Protocol):
    """Files beside a constructor, by relative path."""

    def file(self, path: str) -> bytes | None:
        """Return the bytes of a file; None if there is none."""

    def folder(self, path: str) -> dict[str, bytes] | None:
        """Return all files of a folder by their paths in it; None if it does not exist."""


NAMES = ("components.yaml", "component-constructor.yaml", "constructor.yaml")
"""Names of constructor files; the last two may have a word before them, as `shop-constructor.yaml`."""
_KEPT = ("labels", "sources")
_RESOURCE_FIELDS = ("name", "type", "version", "relation", "extraIdentity", "labels", "srcRefs", "digest")
RESOURCES = ("resources.yaml", "resources.yml")
"""What files with resources alone are called."""
REFERENCES = ("component-references.yaml", "references.yaml")
"""What files beside them with references to components are called."""


def is_constructor_name(path: str) -> bool:
    """Return whether a file is named like a constructor, such as `a/components.yaml`."""
    name = path.rpartition("/")[2].replace(".yml", ".yaml")
    return name in NAMES or name.endswith(("-constructor.yaml", "-components.yaml"))


def read_documents(content: str, label: str) -> list[Data]:
    """Return the mappings of a file, in order. Raises Refused."""
    try:
        return [mapping(go2_data(document.root)) for document in parse_all(content)]
    except YamlError as error:
        hint = (
            "; variables other than ${NAME} (Go templates, spiff) are not filled in"
            if "{{" in content or "((" in content
            else ""
        )
        raise Refused(f"{label}: {error}" + hint) from None


def has_resources_alone(documents: list[Data]) -> bool:
    """Return whether the documents are resources, or lists of resources, without a component."""
    return any(
        "input" in one or "access" in one or ("resources" in one and "name" not in one) for one in documents
    )


def members(documents: list[Data], key: str) -> list[Data]:
    """Return the members of documents: each document is one, or has a list of them below `key`."""
    return [
        one
        for data in documents
        for one in (entries(data[key]) if key in data else [data] * ("name" in data))
    ]


def read_constructor(documents: list[Data], label: str, sources: Sources, found: TransportArchive) -> None:
    """Add the components of a constructor. Raises Refused."""
    components = members(documents, "components")
    if not components:
        raise Refused(f"{label}: must hold a component with a name, or several below components")
    for component in components:
        _Construction(component, label, sources, found).add()


def with_resources(component: Data, resources: list[Data], references: list[Data]) -> Data:
    """Add resources and references to a component; existing ones stay."""
    made = dict(component)
    for key, more in (("resources", resources), ("componentReferences", references)):
        there = entries(component.get(key))
        known = [(one.get("name"), one.get("extraIdentity")) for one in there]
        made[key] = [
            *there,
            *(one for one in more if (one.get("name"), one.get("extraIdentity")) not in known),
        ]
    return made


@dataclass(slots=True)
class _Construction:
    component: Data
    label: str
    sources: Sources
    found: TransportArchive

    def add(self) -> None:
        component = self.component
        name, version = text(component.get("name")), text(component.get("version"))
        if not name or not version:
            raise Refused(
                f"{self.label}: a component must have a name and a version, got {name or 'no name'}:{version}"
            )
        provider = component.get("provider")
        body: Data = {
            "name": name,
            "version": version,
            "provider": text(provider.get("name")) if isinstance(provider, dict) else text(provider),
            **{key: component[key] for key in _KEPT if component.get(key)},
            "repositoryContexts": sequence(component.get("repositoryContexts")),
            "componentReferences": self._references(),
            "resources": [],
        }
        resources: list[Data] = []
        owner = f"{name}:{version}"
        for resource in entries(component.get("resources")):
            resources.append(
                self._resource(resource, owner, version, {text(one.get("name")) for one in resources})
            )
        body["resources"] = resources
        descriptor = {"meta": {"schemaVersion": V2}, "component": body}
        try:
            self.found.components.append((checked(descriptor), emit.document(descriptor)))
        except InstallationError as error:
            raise Refused(f"{self.label}: {owner}: {error.message}") from None

    def _references(self) -> list[Data]:
        """Return componentReferences; schema v3 calls them `references`."""
        return [
            dict(one)
            for key in ("componentReferences", "references")
            for one in entries(self.component.get(key))
        ]

    def _resource(self, resource: Data, owner: str, version: str, taken: set[str]) -> Data:
        name = text(resource.get("name"))
        where = f"{owner}/{name}"
        made: Data = {key: resource[key] for key in _RESOURCE_FIELDS if resource.get(key)}
        made.setdefault("version", version)
        given = resource.get("input")
        if given is None:
            if not isinstance(resource.get("access"), dict):
                raise Refused(f"{self.label}: {where} must have an access or an input")
            made.setdefault("relation", "external")
            return {**made, "access": resource["access"]}
        made.setdefault("relation", "local")
        reference = name if name not in taken else f"{name}-{len(taken)}"
        access: Data = {"type": "localBlob", "localReference": reference}
        media_type = text(mapping(given).get("mediaType"))
        if media_type:
            access["mediaType"] = media_type
        with refusing(f"{self.label}: {where}"):
            content = self._content(mapping(given), where, text(resource.get("type")) in BLUEPRINT_TYPES)
        if isinstance(content, bytes) and len(content) > LARGEST:
            self.found.notes.append(f"{where}: left out, for it has {len(content):,} bytes")
        elif content is not None:
            self.found.put(where if reference == name else f"{owner}/{reference}", content)
        return {**made, "access": access}

    def _content(self, given: Data, where: str, blueprint: bool) -> Files | Content | None:
        """Return the content of an input; None, with a note, for an unsupported type."""
        kind = text(given.get("type"))
        kind = kind[:1].lower() + kind[1:]
        if kind == "dir":
            return self._folder(given)
        if kind == "file":
            path = text(given.get("path"))
            data = self.sources.file(path)
            if data is None:
                raise Refused(f"input.path {path} is not a file beside the constructor")
            return Files(untar(data)) if blueprint else text_or_bytes(data)
        if kind == "utf8":
            return _utf8(given)
        if kind == "binary":
            try:
                return text_or_bytes(a2b_base64(text(given.get("data"))))
            except Base64Error as error:
                raise Refused(f"input.data must be base64: {error}") from None
        self.found.notes.append(f"{where}: left out, as an input of type {kind or 'none'} is not made here")
        return None

    def _folder(self, given: Data) -> Files:
        """Return the files of a folder that includeFiles match, without those that excludeFiles match."""
        path = text(given.get("path"))
        files = self.sources.folder(path)
        if files is None:
            raise Refused(f"input.path {path} is not a folder beside the constructor")
        try:
            wanted = [compile_pattern(text(one)) for one in sequence(given.get("includeFiles"))]
            unwanted = [compile_pattern(text(one)) for one in sequence(given.get("excludeFiles"))]
        except PatternError as error:
            raise Refused(str(error)) from None
        above = f"{path.rstrip('/').rpartition('/')[2]}/" if given.get("preserveDir") is True else ""
        return Files(
            {
                above + name: text_or_bytes(data)
                for name, data in files.items()
                if (not wanted or any(one.search(name) for one in wanted))
                and not any(one.search(name) for one in unwanted)
            }
        )


def _utf8(given: Data) -> str:
    """Return the text of an input of type utf8: text, or data written as JSON or YAML."""
    if "json" in given:
        return json.dumps(given["json"], separators=(",", ":"), sort_keys=True)
    if "formattedJson" in given:
        return json.dumps(given["formattedJson"], indent=2, sort_keys=True)
    if "yaml" in given:
        return emit.document(given["yaml"])
    return text(given.get("text"))
