"""The error that stops the computation of a topology."""

from __future__ import annotations


class TopologyError(Exception):
    """A desired state cannot be computed. The message is the one that Cluster API's topology controller logs."""

    def wrapped(self, context: str) -> TopologyError:
        """Return the same error with a context in front. `TopologyError("b").wrapped("a")` reads `a: b`."""
        return TopologyError(f"{context}: {self}")
