"""Look up the objects that installations read, by kind, namespace and name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from krmkit.libraries.schema.fields import mapping, texts
from krmkit.systems.landscaper.apinames import API_VERSION, CONTEXT_LABEL, GROUP, KEY_LABEL, SOURCE_TYPE_LABEL
from krmkit.systems.landscaper.items.identity import name_of, namespace_of

Object = dict[str, object]
Key = tuple[str, str, str]

LANDSCAPER_KINDS = (
    "Installation",
    "DataObject",
    "Target",
    "Context",
    "DeployItem",
    "Execution",
    "ComponentVersionOverwrites",
)
CORE_KINDS = ("ConfigMap", "Secret")


@dataclass(slots=True)
class World:
    """Objects by (kind, namespace, name). `labelled`: DataObjects and Targets by the label of their scope."""

    objects: dict[Key, Object] = field(default_factory=dict)
    labelled: dict[tuple[str, str, str], dict[str, Object]] = field(default_factory=dict)

    @classmethod
    def of(cls, objects: Iterable[Object]) -> World:
        """Build a World from the objects of the known kinds; drop the rest."""
        world = cls()
        for item in objects:
            world.add(item)
        return world

    def add(self, item: Object) -> None:
        """Add an object; it replaces one of the same kind, namespace and name."""
        kind = str(item.get("kind"))
        version = item.get("apiVersion")
        if (kind in LANDSCAPER_KINDS and version == API_VERSION) or (kind in CORE_KINDS and version == "v1"):
            key = kind, namespace_of(item), name_of(item)
            self.objects[key] = item
            if kind in ("DataObject", "Target"):
                context = texts(mapping(item.get("metadata")).get("labels")).get(CONTEXT_LABEL, "")
                self.labelled.setdefault((kind, key[1], context), {})[key[2]] = item

    def without(self, earlier: dict[Key, Object | None]) -> World:
        """Return a copy in which each of these objects is replaced by its earlier state, or removed."""
        return World.of(
            item
            for item in (earlier.get(key, known) for key, known in self.objects.items())
            if item is not None
        )

    def get(self, kind: str, namespace: str, name: str) -> Object | None:
        return self.objects.get((kind, namespace, name))

    def of_kind(self, kind: str) -> list[Object]:
        return [item for key, item in self.objects.items() if key[0] == kind]

    def names(self, kind: str, namespace: str) -> list[str]:
        """Return the names of all objects of a kind in a namespace."""
        return [name for known, space, name in self.objects if known == kind and space == namespace]

    def in_scope(self, kind: str, namespace: str, context: str) -> list[Object]:
        """Return the DataObjects or Targets whose label has this context."""
        return list(self.labelled.get((kind, namespace, context), {}).values())

    def targets_by_key(self, namespace: str, context: str, key: str) -> list[Object]:
        """Return the copies of a list or map import: Targets with sourceType=import, by context and key."""
        wanted = {KEY_LABEL: key, SOURCE_TYPE_LABEL: "import"}.items()
        targets = self.in_scope("Target", namespace, context)
        return [one for one in targets if wanted <= texts(mapping(one, "metadata").get("labels")).items()]


def not_found(kind: str, name: str) -> str:
    """Return Kubernetes' message about a missing object: `secrets "x" not found`."""
    plural = {"Secret": "secrets", "ConfigMap": "configmaps"}.get(kind)
    if plural is None:
        plural = f"{kind.lower().removesuffix('s')}s.{GROUP}"
    return f'{plural} "{name}" not found'
