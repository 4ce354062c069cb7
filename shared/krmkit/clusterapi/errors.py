"""What stops the computation of a topology."""

from __future__ import annotations


class TopologyError(Exception):
    """A desired state that cannot be computed. The message is what Cluster API's topology controller would log."""

    def wrapped(self, context: str) -> TopologyError:
        """The same error below a context. `TopologyError("b").wrapped("a")` reads `a: b`."""
        return TopologyError(f"{context}: {self}")
