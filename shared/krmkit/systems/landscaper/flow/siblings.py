"""Find what siblings see of each other: with an `optimization`, one misses the other's new export."""

from __future__ import annotations

from krmkit.libraries.schema.fields import mapping
from krmkit.systems.landscaper.apinames import object_name
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.flow.dependencies import imported_keys
from krmkit.systems.landscaper.flow.outcome import RenderedInstallation
from krmkit.systems.landscaper.items.identity import scope_of
from krmkit.systems.landscaper.items.objects import Key, World


def named(rendered: RenderedInstallation) -> list[tuple[str, Key]]:
    """Return each reference of the imports to a DataObject or Target, with the object that it names."""
    scope = scope_of(rendered.installation)
    needed = imported_keys(rendered.spec)
    return [(key, (kind, rendered.namespace, object_name(scope, key))) for kind, key in needed if key]


def visible(
    world: World, earlier: dict[Key, Data | None], owners: dict[Key, str], rendered: RenderedInstallation
) -> World:
    """Return the objects that an installation finds, without late ones of siblings."""
    late = {
        key: earlier[key] for _, key in named(rendered) if key in earlier and too_late(owners[key], rendered)
    }
    return world.without(late) if late else world


def too_late(owner: str, rendered: RenderedInstallation) -> bool:
    """Return whether an installation is a sibling that the other one does not wait for."""
    sibling = owner.rpartition("/")[0] == rendered.path.rpartition("/")[0] and owner != rendered.path
    return sibling and owner not in rendered.after


def flow_spec(spec: Data) -> Data:
    """Return a spec or template without imports and exports that its optimization takes out of the order."""
    optimization = mapping(spec.get("optimization"))
    return {
        "imports": {} if optimization.get("hasNoSiblingImports") is True else spec.get("imports"),
        "exports": {} if optimization.get("hasNoSiblingExports") is True else spec.get("exports"),
    }
