"""Read the sources of an installation before its imports: context, component and blueprint."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.landscaper.blueprint.blueprints import BLUEPRINT_TYPES, MEDIA_TYPES, Blueprint, load
from krmkit.systems.landscaper.blueprint.files import Files, inline_files
from krmkit.systems.landscaper.components.descriptors import Component, ComponentRepository, Data, checked
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.items.identity import namespace_of
from krmkit.systems.landscaper.items.objects import World, not_found

DEFAULT_CONTEXT = "default"


@dataclass(slots=True)
class Prerequisites:
    """Context, component, all referenced components, and blueprint of an installation.

    `links` are the paths of links in the blueprint's archive, which are not in its file system.
    """

    context_name: str
    repository_context: Data | None
    component: Component | None
    closure: list[Component]
    blueprint: Blueprint
    reference: Data | None
    links: list[str]

    def shown_spec(self, spec: Data) -> Data:
        """Return the spec for templates, with the effective repository context in the component reference."""
        if self.reference is None:
            return spec
        return {**spec, "componentDescriptor": {"ref": self.reference}}


def prerequisites(world: World, repository: ComponentRepository, installation: Data) -> Prerequisites:
    """Return the sources of an installation. Raises InstallationError."""
    spec = mapping(installation.get("spec"))
    namespace = namespace_of(installation)
    context_name = text(spec.get("context")) or DEFAULT_CONTEXT
    context = _context(world, namespace, context_name)
    repository_context = mapping(mapping(context).get("repositoryContext")) or None
    component, reference = _component(world, repository, namespace, spec, context, repository_context)
    closure = repository.closure(component) if component is not None else []
    links: list[str] = []
    blueprint = load(_blueprint_files(repository, component, spec, links))
    return Prerequisites(context_name, repository_context, component, closure, blueprint, reference, links)


def _context(world: World, namespace: str, name: str) -> Data | None:
    """Return the Context; None if it is the default one and absent. Otherwise raises context-not-found."""
    found = world.get("Context", namespace, name)
    if found is None and name != DEFAULT_CONTEXT:
        hint = did_you_mean(name, world.names("Context", namespace))
        raise InstallationError("context-not-found", not_found("Context", name) + hint, "spec.context")
    return found


def _component(
    world: World,
    repository: ComponentRepository,
    namespace: str,
    spec: Data,
    context: Data | None,
    repository_context: Data | None,
) -> tuple[Component | None, Data | None]:
    """Return the installation's component, and its effective reference; inline descriptors have none."""
    definition = mapping(spec.get("componentDescriptor"))
    if not definition:
        return None, None
    if "inline" in definition:
        try:
            component = checked(definition["inline"])
        except InstallationError as error:
            raise InstallationError(error.rule, error.message, "spec.componentDescriptor.inline") from None
        component.inline = True
        return component, None
    reference = mapping(definition.get("ref"))
    effective = mapping(reference.get("repositoryContext")) or repository_context
    if effective is None:
        raise InstallationError(
            "missing-repository-context",
            "no repository context: neither spec.componentDescriptor.ref nor the Context has one",
            "spec.componentDescriptor.ref.repositoryContext",
        )
    name, version = text(reference.get("componentName")), text(reference.get("version"))
    name, version = _overwritten(world, namespace, context, name, version)
    try:
        component = repository.find(name, version)
    except InstallationError as error:
        raise InstallationError(error.rule, error.message, "spec.componentDescriptor.ref") from None
    shown: Data = {"componentName": name, "version": version, "repositoryContext": effective}
    return component, shown


def _overwritten(
    world: World, namespace: str, context: Data | None, name: str, version: str
) -> tuple[str, str]:
    """Apply the context's ComponentVersionOverwrites to name and version."""
    reference = text(mapping(context).get("componentVersionOverwrites"))
    if not reference:
        return name, version
    overwrites = world.get("ComponentVersionOverwrites", namespace, reference)
    if overwrites is None:
        raise InstallationError("context-not-found", not_found("ComponentVersionOverwrites", reference))
    for one in entries(overwrites.get("overwrites")):
        source = mapping(one.get("source"))
        if text(source.get("componentName")) in ("", name) and text(source.get("version")) in ("", version):
            target = mapping(one.get("substitution"))
            return text(target.get("componentName")) or name, text(target.get("version")) or version
    return name, version


def _blueprint_files(
    repository: ComponentRepository, component: Component | None, spec: Data, links: list[str]
) -> Files:
    definition = mapping(spec.get("blueprint"))
    inline = definition.get("inline")
    if isinstance(inline, dict):
        return inline_files(inline.get("filesystem"))
    name = text(mapping(definition.get("ref")).get("resourceName"))
    place = "spec.blueprint.ref.resourceName"
    if not name:
        raise _missing("one of ref and inline must be given", "spec.blueprint")
    if component is None:
        raise _missing("no component descriptor reference defined, which a blueprint reference needs", place)
    blueprints = [one for one in component.resources if one.get("type") in BLUEPRINT_TYPES]
    resource = next((one for one in blueprints if one.get("name") == name), None) or component.resource(name)
    if resource is None:
        known = [text(one.get("name")) for one in blueprints]
        owner = f"{component.name}:{component.version}"
        raise _missing(f"component {owner} has no resource {name}" + did_you_mean(name, known), place)
    media_type = text(mapping(resource.get("access")).get("mediaType"))
    if resource.get("type") not in BLUEPRINT_TYPES or (media_type and not media_type.startswith(MEDIA_TYPES)):
        raise _missing("artifact does not match blueprint downloader (check config media type)", place)
    content = repository.content(component, resource)
    if content is None:
        said = (
            f"the content of blueprint {name} of {component.name}:{component.version} is not among the items"
        )
        raise _missing(f"{said}; `krmkit landscaper import` brings it there", place)
    return content if isinstance(content, Files) else _unpacked(content, name, links)


def _missing(message: str, field: str = "") -> InstallationError:
    return InstallationError("blueprint-not-found", message, field)


def _unpacked(content: str | bytes, name: str, links: list[str]) -> Files:
    if isinstance(content, str):
        raise _missing(f"blueprint {name} must be a folder or a tar archive")
    from krmkit.systems.landscaper.components.archive import untar

    try:
        return Files(untar(content, links))
    except Refused as error:
        raise _missing(f"blueprint {name}: {error}") from None
