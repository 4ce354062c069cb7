"""Collect the candidates for injection: objects of the config, and items marked as local config."""

from __future__ import annotations

from krmkit.krm import annotations as names
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.porch.api.apinames import in_namespace
from krmkit.systems.porch.variants.packageview import CONTEXT_NAME, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

_NO_OBJECT = frozenset((names.INJECTION, names.GENERATED_BY, names.PREVIOUS))


class Candidate:
    """An object that may be injected: type, name, and data, which is read only if it is chosen.

    `source`: the item, or the config that holds the object at `field`; None if unknown. `elsewhere`: the
    object's namespace if that prevents the injection.
    """

    def __init__(
        self, data: dict[str, Any], elsewhere: str = "", source: Resource | None = None, field: Path = ()
    ) -> None:
        self.elsewhere = elsewhere
        self._data: dict[str, Any] | None = data
        self.source = source
        self.field = field
        self.api_version = str(data.get("apiVersion") or "")
        self.kind = str(data.get("kind") or "")
        self.name = str(mapping(data, "metadata").get("name") or "")

    @classmethod
    def of(cls, resource: Resource, elsewhere: str = "") -> Candidate:
        """Return a candidate for a resource, whose data is read when it is chosen."""
        candidate = cls(
            {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": resource.name}},
            elsewhere,
            resource,
        )
        candidate._data = None
        return candidate

    @property
    def data(self) -> dict[str, Any]:
        """Return the whole object; {} for a resource that is not an object."""
        if self._data is None:
            data = self.source.get() if self.source is not None else None
            self._data = data if isinstance(data, dict) else {}
        return self._data


def candidates(
    inline: Sequence[dict[str, Any]], items: Iterable[Resource], namespace: str, config: Resource | None
) -> list[Candidate]:
    """Return the config's objects for a variant's namespace, then items, by file and position.

    Objects of other namespaces are included and marked, for hints.

    An item counts if it is marked local-config and is not part of the package's own machinery: injection
    points, Kptfiles, the package context, packs, and the functionConfig (which kpt also passes as an item).
    Generated items, and old states kept for comparison, do not count either.
    """
    found = [
        Candidate(
            data,
            _elsewhere(str(mapping(data, "metadata").get("namespace") or ""), namespace),
            config,
            ("spec", "resources", number),
        )
        for number, data in enumerate(inline)
    ]
    own = config.ref() if config is not None else None
    eligible = [item for item in items if item.is_local_config and not _is_tool(item) and item.ref() != own]
    return found + [
        Candidate.of(item, _elsewhere(item.namespace, namespace)) for item in sorted(eligible, key=place_of)
    ]


def _elsewhere(own: str, namespace: str) -> str:
    """Return an object's namespace if it is not the variant's, else ""."""
    return "" if in_namespace(own, namespace) else own


def _is_tool(item: Resource) -> bool:
    if item.kind in ("Kptfile", "Pack"):
        return True
    if any(map(item.may_hold, _NO_OBJECT)) and not _NO_OBJECT.isdisjoint(item.annotations):
        return True
    return item.kind == "ConfigMap" and (
        item.name == CONTEXT_NAME or item.node("data", "pack.json") is not None
    )
