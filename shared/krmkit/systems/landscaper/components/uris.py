"""References `cd://componentReferences/<name>/.../resources/<name>` into a component."""

from __future__ import annotations

from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import text
from krmkit.systems.landscaper.components.descriptors import Component, ComponentRepository, Data
from krmkit.systems.landscaper.errors import InstallationError

SCHEME = "cd://"
_REFERENCES, _RESOURCES = "componentReferences", "resources"


def resolve(repository: ComponentRepository, component: Component, uri: str) -> tuple[Component, Data]:
    """Return the resource that a cd URI names, and its component.

    Raises InstallationError: `invalid` for an invalid URI, `component-not-found` for a missing part.
    """
    path = uri.removeprefix(SCHEME)
    parts = path.split("/")
    if not uri.startswith(SCHEME) or len(parts) % 2 or not all(parts):
        raise InstallationError(
            "invalid", f'{uri} must have the form "cd://componentReferences/<name>/resources/<name>"'
        )
    for index in range(0, len(parts), 2):
        kind, name = parts[index], parts[index + 1]
        if kind == _RESOURCES:
            if index + 2 != len(parts):
                raise InstallationError("invalid", f"{uri}: nothing may follow a resource")
            resource = component.resource(name)
            if resource is None:
                known = [text(one.get("name")) for one in component.resources]
                raise InstallationError(
                    "blueprint-not-found",
                    f"local resource {name} cannot be found" + did_you_mean(name, known),
                )
            return component, resource
        if kind != _REFERENCES:
            raise InstallationError(
                "invalid", f"{uri}: unknown keyword {kind}; must be {_REFERENCES} or {_RESOURCES}"
            )
        reference = next((one for one in component.references if one.get("name") == name), None)
        if reference is None:
            known = [text(one.get("name")) for one in component.references]
            raise InstallationError(
                "component-not-found",
                f"component reference {name} cannot be found" + did_you_mean(name, known),
            )
        component = repository.referenced(reference)
    raise InstallationError("invalid", f"{uri} must name a resource, got a component")
