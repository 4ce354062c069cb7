"""Index the objects that variants select and inject, by namespace and name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from krmkit.krm.resource import Resource
from krmkit.systems.porch.api.apinames import REPOSITORY_KIND, REPOSITORY_VERSION, in_namespace

DEFAULT_NAMESPACE = "default"


class FleetObjects:
    """The objects in their order. `repositories`: Porch's Repositories among them.

    Example: `FleetObjects(objects).of("shops")` has the objects in the namespace shops and without a
    namespace.
    """

    def __init__(self, objects: Iterable[Resource]) -> None:
        self._by_namespace: dict[str, list[tuple[int, Resource]]] = defaultdict(list)
        self._repositories: dict[str, list[Resource]] = defaultdict(list)
        self._named: dict[str, dict[tuple[str, str], list[Resource]]] = defaultdict(dict)
        self.repositories: list[Resource] = []
        for number, one in enumerate(objects):
            self._by_namespace[one.namespace].append((number, one))
            if (one.api_version, one.kind) == (REPOSITORY_VERSION, REPOSITORY_KIND):
                self.repositories.append(one)
                self._repositories[one.name].append(one)
            # Two of different namespaces are enough: one of them is outside the namespace in question.
            alike = self._named[one.name].setdefault((one.api_version, one.kind), [])
            if one.namespace and len(alike) < 2 and all(other.namespace != one.namespace for other in alike):
                alike.append(one)

    def of(self, namespace: str) -> list[Resource]:
        """Return the objects that belong to a namespace by the rule of `in_namespace`."""
        own = self._by_namespace.get(namespace or DEFAULT_NAMESPACE, [])
        return [one for _, one in sorted([*self._by_namespace.get("", ()), *own], key=lambda entry: entry[0])]

    def elsewhere(self, name: str, namespace: str) -> list[Resource]:
        """Return objects of this name outside the namespace, one of each type."""
        kinds = self._named.get(name, {}).values()
        away = ([one for one in alike if not in_namespace(one.namespace, namespace)] for alike in kinds)
        return [found[0] for found in away if found]

    def repository(self, name: str, namespace: str) -> Resource | None:
        """Return the first Repository of this name that belongs to the namespace."""
        named = self._repositories.get(name, ())
        return next((one for one in named if in_namespace(one.namespace, namespace)), None)
