"""The error that stops the computation of a topology."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from krmkit.krm.resource import Resource


class TopologyError(Exception):
    """A desired state cannot be computed. The message is the one that Cluster API's topology controller logs.

    `field` is where that is written: in `resource`, or in the ClusterClass where that is None. "" where it is not known. `hint` is what
    krmkit adds to the message.
    """

    field = ""
    hint = ""
    resource: Resource | None = None

    def at(self, field: str, resource: Resource | None = None) -> Self:
        """Add the place, unless there is one already."""
        if not self.field:
            self.field, self.resource = field, resource
        return self

    def wrapped(self, context: str) -> TopologyError:
        """Return the same error with a context in front. `TopologyError("b").wrapped("a")` reads `a: b`."""
        found = TopologyError(f"{context}: {self}").at(self.field, self.resource)
        found.hint = self.hint
        return found


class DefinitionsError(TopologyError):
    """The variables of a class cannot be used, so its controller stops reconciling it and its Clusters.

    `variables` is what status.variables shows all the same, with conflicts marked.
    """

    def __init__(self, message: str, variables: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(message)
        self.variables = list(variables)
