"""The error that stops the computation of a topology."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource


class TopologyError(Refused):
    """A desired state cannot be computed. The message is the one that the topology controller logs.

    `field` is the place of the cause in `resource`, or in the ClusterClass if that is None; "" if unknown.
    `hint` is what krmkit adds to the message.
    """

    field = ""
    hint = ""
    resource: Resource | None = None

    def at(self, field: str, resource: Resource | None = None) -> Self:
        """Set the place of the error unless it has one."""
        if not self.field:
            self.field, self.resource = field, resource
        return self

    def wrapped(self, context: str) -> TopologyError:
        """Return a copy with a context in front. `TopologyError("b").wrapped("a")` reads `a: b`."""
        found = TopologyError(f"{context}: {self}").at(self.field, self.resource)
        found.hint = self.hint
        return found


class DefinitionsError(TopologyError):
    """The variables of a class cannot be used, so its controller stops reconciling it and its Clusters.

    `variables` is the list that status.variables still shows, with conflicts marked; [] if discovery failed.
    `details`: for each conflict, the definers of the variable and the differences.
    """

    def __init__(
        self, message: str, variables: Sequence[dict[str, Any]] = (), details: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.variables = list(variables)
        self.details = list(details)


class PatchValueError(Refused):
    """A value that cannot be calculated, in the reference's words. `not_found`: the variable is absent."""

    def __init__(self, message: str, not_found: bool = False) -> None:
        super().__init__(message)
        self.not_found = not_found
