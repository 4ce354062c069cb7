"""Read component descriptors: versions, defaults, references and resources.

A `Component` holds the descriptor in schema v2, which templates and rules use; `original` has the schema of
its text. `ComponentRepository` finds components by name and version, and the content of their resources.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from krmkit.krm.resource import Resource
from krmkit.libraries.go.regexp.pattern import compile as compile_pattern
from krmkit.libraries.json import Object
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, find, mapping, sequence, text
from krmkit.systems.landscaper.blueprint.files import Content, Files
from krmkit.systems.landscaper.errors import InstallationError

V2 = "v2"
V3 = "ocm.software/v3alpha1"
DESCRIPTOR_LABEL = "landscaper.gardener.cloud/component-descriptor"
ACCESS_KEYS = ("filename", "localReference", "imageReference", "ref", "digest")
"""Fields of an access that may name the content."""
_DEEPEST = 100
_BRING = " (krmkit landscaper import SOURCE -o PACKAGE brings components into a package)"

Data = dict[str, object]


@dataclass(slots=True)
class Component:
    """One component version. `descriptor` is {meta, component}; `carrier`: the item that holds it."""

    descriptor: Data
    schema_version: str = V2
    original: Data | None = None
    inline: bool = False
    carrier: Resource | None = None

    @property
    def body(self) -> Data:
        """Return the `component` part: name, version, resources and so on."""
        return mapping(self.descriptor.get("component"))

    @property
    def name(self) -> str:
        return text(self.body.get("name"))

    @property
    def version(self) -> str:
        return text(self.body.get("version"))

    @property
    def references(self) -> list[Data]:
        return entries(self.body.get("componentReferences"))

    @property
    def resources(self) -> list[Data]:
        return entries(self.body.get("resources"))

    @property
    def repository_context(self) -> Data | None:
        """Return the effective repository context, which is the last one."""
        contexts = entries(self.body.get("repositoryContexts"))
        return contexts[-1] if contexts else None

    def shown(self, schema_version: str) -> Data:
        """Return the descriptor in a schema version, as templates see it."""
        if schema_version != V3:
            return self.descriptor
        return (
            self.original
            if self.original is not None and self.schema_version == V3
            else to_v3(self.descriptor)
        )

    def resource(self, name: str) -> Data | None:
        return next((one for one in self.resources if one.get("name") == name), None)


@dataclass(slots=True)
class ComponentRepository:
    """Components by (name, version), contents by (component, version, resource) or file name."""

    components: dict[tuple[str, str], Component] = field(default_factory=dict)
    blobs: dict[str, Files | Content] = field(default_factory=dict)

    def add(self, descriptor: object) -> Component:
        """Add a descriptor. Raises InstallationError if OCM refuses it."""
        component = checked(descriptor)
        self.components[component.name, component.version] = component
        return component

    def find(self, name: str, version: str) -> Component:
        """Return the component version. Raises component-not-found, with the nearest known one."""
        found = self.components.get((name, version))
        if found is None:
            known = [f"{one}:{other}" for one, other in self.components]
            raise InstallationError(
                "component-not-found",
                f'component version "{name}:{version}" not found{did_you_mean(f"{name}:{version}", known)}{_BRING}',
            )
        return found

    def content(self, component: Component, resource: Data) -> Files | Content | None:
        """Return the content of a resource from an import or the caller; None if unknown."""
        access = mapping(resource.get("access"))
        keys = [text(access.get(name)) for name in ACCESS_KEYS if text(access.get(name))]
        owner = f"{component.name}:{component.version}"
        # Resources of one name with different extraIdentity differ in their access.
        for key in (*(f"{owner}/{key}" for key in keys), f"{owner}/{text(resource.get('name'))}", *keys):
            if key in self.blobs:
                return self.blobs[key]
        return None

    def closure(self, root: Component) -> list[Component]:
        """Return the component and its references, depth first. Raises InstallationError."""
        found: dict[tuple[str, str], Component] = {}
        self._collect(root, found, [])
        return list(found.values())

    def referenced(self, reference: Data) -> Component:
        """Return the component of a reference: the descriptor in its label, else by name and version."""
        labelled = labelled_descriptor(reference)
        if labelled is not None:
            return labelled
        name, version = text(reference.get("componentName")), text(reference.get("version"))
        try:
            return self.find(name, version)
        except InstallationError as error:
            raise InstallationError(
                error.rule,
                f"unable to resolve component reference {text(reference.get('name'))} with component name {name}"
                f" and version {version}: {error.message}",
            ) from None

    def _collect(
        self, component: Component, found: dict[tuple[str, str], Component], path: list[tuple[str, str]]
    ) -> None:
        key = component.name, component.version
        if key in path or len(path) > _DEEPEST:
            names = " -> ".join(f"{name}:{version}" for name, version in [*path, key])
            raise InstallationError("cycle", f"the component references have a cycle: {names}")
        if key in found:
            return
        found[key] = component
        for reference in component.references:
            self._collect(self.referenced(reference), found, [*path, key])


def labelled_descriptor(reference: Data) -> Component | None:
    """Return the descriptor in the label of a component reference, or None."""
    for label in entries(reference.get("labels")):
        if label.get("name") == DESCRIPTOR_LABEL and isinstance(label.get("value"), dict):
            component = checked(label["value"])
            component.inline = True
            return component
    return None


def decode(descriptor: object) -> Component:
    """Return a descriptor of schema v2 or v3alpha1, with defaults. Raises InstallationError."""
    data = mapping(descriptor)
    if data.get("apiVersion") == V3:
        return Component(defaulted(from_v3(data)), V3, data)
    version = find(data, ("meta", "schemaVersion"))
    if version != V2:
        raise InstallationError(
            "invalid",
            f'component descriptor: meta.schemaVersion must be "{V2}" or apiVersion "{V3}",'
            f" got {version or data.get('apiVersion') or 'neither'}",
        )
    component = Component(defaulted(data), V2, data)
    if not component.name or not component.version:
        raise InstallationError(
            "invalid", "component descriptor: component.name and component.version must be given"
        )
    return component


def checked(descriptor: object) -> Component:
    """Check and decode a descriptor. Raises InstallationError with all errors that OCM finds."""
    component = decode(descriptor)
    new_form = component.schema_version == V3
    provider = find(mapping(descriptor), ("metadata" if new_form else "component", "provider"))
    if new_form and isinstance(provider, dict):
        provider = provider.get("name")
    found = [*problems(component.body, provider)]
    if found:
        raise InstallationError("invalid", f"component descriptor: {', '.join(found)}")
    return component


def defaulted(descriptor: Data) -> Data:
    """Fill in the defaults of a v2 descriptor: lists, and the versions of local resources."""
    body = dict(mapping(descriptor.get("component")))
    for key in ("repositoryContexts", "sources", "componentReferences", "resources"):
        body[key] = list(sequence(body.get(key)))
    body["resources"] = [
        {**one, "version": body.get("version")}
        if isinstance(one, dict) and not one.get("version") and one.get("relation") == "local"
        else one
        for one in sequence(body["resources"])
    ]
    body.setdefault("provider", "")
    return {"meta": mapping(descriptor.get("meta")), "component": body}


def from_v3(descriptor: Data) -> Data:
    """Convert a descriptor of schema v3alpha1 to v2."""
    metadata, spec = mapping(descriptor.get("metadata")), mapping(descriptor.get("spec"))
    provider = metadata.get("provider")
    body: Data = {
        "name": metadata.get("name"),
        "version": metadata.get("version"),
        "provider": provider.get("name") if isinstance(provider, dict) else provider or "",
        "repositoryContexts": descriptor.get("repositoryContexts"),
        "sources": spec.get("sources"),
        "componentReferences": spec.get("references"),
        "resources": spec.get("resources"),
    }
    if metadata.get("labels"):
        body["labels"] = metadata["labels"]
    return {"meta": {"schemaVersion": V2}, "component": body}


def to_v3(descriptor: Data) -> Data:
    """Convert a descriptor of schema v2 to v3alpha1."""
    body = mapping(descriptor.get("component"))
    metadata: Data = {
        "name": body.get("name"),
        "version": body.get("version"),
        "provider": {"name": body.get("provider")},
    }
    if body.get("labels"):
        metadata["labels"] = body["labels"]
    found: Data = {"apiVersion": V3, "kind": "ComponentVersion", "metadata": metadata}
    if body.get("repositoryContexts"):
        found["repositoryContexts"] = body["repositoryContexts"]
    found["spec"] = {
        key: body[name]
        for key, name in (
            ("resources", "resources"),
            ("sources", "sources"),
            ("references", "componentReferences"),
        )
        if body.get(name)
    }
    return found


def select(members: list[Data], wanted: dict[str, str]) -> list[Data]:
    """Return the members (resources, references) whose identity has all wanted attributes.

    The identity is name and extraIdentity, and the version if two members are equal otherwise.
    """
    counts: dict[str, int] = {}
    for member in members:
        key = repr(_identity(member))
        counts[key] = counts.get(key, 0) + 1
    found = []
    for member in members:
        identity = _identity(member)
        if counts[repr(identity)] > 1:
            identity["version"] = text(member.get("version"))
        if all(identity.get(key) == value for key, value in wanted.items()):
            found.append(member)
    return found


def _identity(member: Data) -> dict[str, str]:
    extra = sorted(mapping(member, "extraIdentity").items())
    return {"name": text(member.get("name")), **{key: text(value) for key, value in extra}}


_COMPONENT = r"^[a-z][-a-z0-9]*([.][a-z][-a-z0-9]*)*[.][a-z]{2,}(/[a-z][-a-z0-9_]*([.][a-z][-a-z0-9_]*)*)+$"
_NAME = r"^[a-z0-9]([-_+a-z0-9]*[a-z0-9])?$"
_NUMBER = r"(0|[1-9]\d*)"
_LABEL = r"(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_VERSION = (
    rf"^[v]?{_NUMBER}(?:\.{_NUMBER})?(?:\.{_NUMBER})?(?:-({_LABEL}(?:\.{_LABEL})*))?"
    r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$"
)
_RULES = {
    "componentName": (_COMPONENT, "must be a domain with a path in small letters, such as example.com/shop"),
    "name": (
        _NAME,
        "must have at least 2 small letters, digits, dashes, underscores and pluses, with a letter or digit at both ends",
    ),
    "version": (_VERSION, "must be a version such as 1.2.3 or v1.2.3"),
}
_MEMBERS: dict[str, tuple[str, ...]] = {
    "sources": (),
    "resources": ("relation",),
    "componentReferences": ("componentName",),
}
_RELATIONS = ("local", "external")


# Source of these rules: open-component-model/ocm, resources/component-descriptor-v2-schema.yaml.
def problems(body: Object, provider: object) -> Iterator[str]:
    """Yield all OCM errors of a component in schema v2. provider: the given one, before conversion."""
    yield from _word(body, "name", "component.name", "componentName")
    yield from _word(body, "version", "component.version")
    if not isinstance(provider, str):
        got = "nothing" if provider is None else type(provider).__name__
        yield f"component.provider: must be a text, got {got}"
    for kind, more in _MEMBERS.items():
        names = [f"component.{kind}.{index}" for index in range(len(entries(body.get(kind))))]
        for here, one in zip(names, entries(body.get(kind)), strict=True):
            yield from _word(one, "name", f"{here}.name")
            yield from _word(one, "version", f"{here}.version")
            for key in mapping(one.get("extraIdentity")):
                yield from _word({key: key}, key, f"{here}.extraIdentity", "name")
            if "componentName" in more:
                yield from _word(one, "componentName", f"{here}.componentName")
            if "relation" in more and one.get("relation") not in _RELATIONS:
                yield f"{here}.relation: must be one of {', '.join(_RELATIONS)}, got {one.get('relation') or 'nothing'}"


def _word(data: Object, key: str, place: str, rule: str = "") -> Iterator[str]:
    """Yield the error of a name or version: the reference's message, then krmkit's."""
    pattern, meaning = _RULES[rule or key]
    value = data.get(key)
    if not isinstance(value, str):
        yield f"{place}: {meaning}, got {'nothing' if value is None else value}"
    elif not compile_pattern(pattern).search(value) or ((rule or key) == "name" and len(value) < 2):
        yield f"{place}: Does not match pattern '{pattern}'; {meaning}, got {value}"
