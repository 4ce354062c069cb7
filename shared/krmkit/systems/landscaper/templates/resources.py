"""getResourceKey and getResourceContent: a resource by its URI or its relative reference."""

from __future__ import annotations

from base64 import b64encode

from krmkit.libraries.go.errors import GoError
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components import uris
from krmkit.systems.landscaper.components.descriptors import Component, Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.templates.context import TemplateContext
from krmkit.systems.landscaper.yaml import load


def resource_key(templater: TemplateContext, args: tuple[object, ...]) -> str:
    """Return the global identity of a resource: base64 of YAML with the component's and the resource's identity."""
    from krmkit.libraries.go.yaml import to_yaml

    owner, resource = _find(templater, args)
    identity = {"name": text(resource.get("name")), **mapping(resource.get("extraIdentity"))}
    key: Data = {
        "component": {"name": owner.name, "version": owner.version},
        "resource": identity,
    }
    return b64encode((to_yaml(key) + "\n").encode()).decode()


def resource_content(templater: TemplateContext, args: tuple[object, ...]) -> str:
    """Return the text of a resource."""
    owner, resource = _find(templater, args)
    content = templater.repository.content(owner, resource)
    if isinstance(content, Files):
        single = list(content.all().values())
        content = single[0] if len(single) == 1 else None
    if content is None:
        raise GoError(f"the content of resource {text(resource.get('name'))} is not among the items")
    return content.decode("utf-8", "surrogateescape") if isinstance(content, bytes) else content


def _find(templater: TemplateContext, args: tuple[object, ...]) -> tuple[Component, Data]:
    component = templater.component
    if component is None:
        raise GoError("Unable to search for a resource as no ComponentDescriptor is defined.")
    if len(args) != 1 or not isinstance(args[0], str):
        raise GoError("expects exactly one argument, a reference or a cd URI")
    reference = args[0]
    try:
        if reference.startswith(uris.SCHEME):
            return uris.resolve(templater.repository, component, reference)
        return _relative(templater, component, reference)
    except InstallationError as error:
        raise GoError(error.message) from None


def _relative(templater: TemplateContext, component: Component, reference: str) -> tuple[Component, Data]:
    """Resolve a relative reference of OCM: {resource: identity, referencePath: [identities]}."""
    data = mapping(load(reference))
    for step in entries(data.get("referencePath")):
        found = next((one for one in component.references if _matches(one, step)), None)
        if found is None:
            raise GoError(f"component reference {text(step.get('name'))} cannot be found")
        component = templater.repository.referenced(found)
    wanted = mapping(data.get("resource"))
    resource = next((one for one in component.resources if _matches(one, wanted)), None)
    if not wanted or resource is None:
        raise GoError(f"resource {text(wanted.get('name'))} cannot be found")
    return component, resource


def _matches(member: Data, identity: Data) -> bool:
    known = {
        "name": member.get("name"),
        "version": member.get("version"),
        **mapping(member.get("extraIdentity")),
    }
    return all(known.get(key) == value for key, value in identity.items())
