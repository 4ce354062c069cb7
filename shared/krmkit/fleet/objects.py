"""The objects that variants select and inject, found by namespace and name without going through all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from krmkit.krm.resource import Resource
from krmkit.porch.apinames import REPOSITORY_KIND, REPOSITORY_VERSION
from krmkit.porch.sets.generate import in_namespace

DEFAULT_NAMESPACE = "default"


class FleetObjects:
    """The objects in their order; `repositories` are Porch's Repositories among them.

    Example: `FleetObjects(objects).of("shops")` are those in the namespace shops and those without one.
    """

    __slots__ = ("_by_namespace", "_named", "_repositories", "repositories")

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
            # Two of different namespaces are enough: one of them is not in the namespace that is asked for.
            alike = self._named[one.name].setdefault((one.api_version, one.kind), [])
            if one.namespace and len(alike) < 2 and all(other.namespace != one.namespace for other in alike):
                alike.append(one)

    def of(self, namespace: str) -> list[Resource]:
        """The objects that count as one of a namespace's, as `in_namespace` says."""
        own = self._by_namespace.get(namespace or DEFAULT_NAMESPACE, [])
        return [one for _, one in sorted([*self._by_namespace.get("", ()), *own], key=lambda entry: entry[0])]

    def elsewhere(self, name: str, namespace: str) -> list[Resource]:
        """Objects of this name that are not a namespace's, one of each type."""
        kinds = self._named.get(name, {}).values()
        away = ([one for one in alike if not in_namespace(one.namespace, namespace)] for alike in kinds)
        return [found[0] for found in away if found]

    def repository(self, name: str, namespace: str) -> Resource | None:
        """The first Repository of this name that counts as one of the namespace's."""
        named = self._repositories.get(name, ())
        return next((one for one in named if in_namespace(one.namespace, namespace)), None)
