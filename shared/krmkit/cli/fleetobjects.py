"""The objects that variants select and inject, found by namespace and name without going through all of them."""

from __future__ import annotations

from collections import defaultdict

from krmkit.porch.apinames import REPOSITORY_KIND, REPOSITORY_VERSION
from krmkit.porch.generatevariants import in_namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krmkit.krm.resource import Resource

DEFAULT_NAMESPACE = "default"


class FleetObjects:
    """The objects in their order; `repositories` are Porch's Repositories among them.

    Example: `FleetObjects(objects).of("shops")` are those in the namespace shops and those without one.
    """

    __slots__ = ("_by_name", "_by_namespace", "repositories")

    def __init__(self, objects: Iterable[Resource]) -> None:
        self._by_namespace: dict[str, list[tuple[int, Resource]]] = defaultdict(list)
        self._by_name: dict[str, list[Resource]] = defaultdict(list)
        self.repositories: list[Resource] = []
        for number, one in enumerate(objects):
            self._by_namespace[one.namespace].append((number, one))
            if (one.api_version, one.kind) == (REPOSITORY_VERSION, REPOSITORY_KIND):
                self.repositories.append(one)
                self._by_name[one.name].append(one)

    def of(self, namespace: str) -> list[Resource]:
        """The objects that count as one of a namespace's, as `in_namespace` says."""
        own = self._by_namespace.get(namespace or DEFAULT_NAMESPACE, [])
        return [one for _, one in sorted([*self._by_namespace.get("", ()), *own], key=lambda entry: entry[0])]

    def repository(self, name: str, namespace: str) -> Resource | None:
        """The first Repository of this name that counts as one of the namespace's."""
        named = self._by_name.get(name, ())
        return next((one for one in named if in_namespace(one.namespace, namespace)), None)
