"""One entry of a pack's dependency constraints: which pack, of which layer and versions."""

from __future__ import annotations

from krmkit.libraries.versions import LenientKey


class Dependency:
    """One entry of `constraints.dependencies`, valid in itself. `low` and `high` are None where unbounded."""

    def __init__(self, name: str, layer: str, kind: str, path: str, bounds: Bounds) -> None:
        self.name = name
        self.layer = layer
        self.type = kind
        self.path = path
        (self.low_text, self.low), (self.high_text, self.high) = bounds

    @property
    def bounded(self) -> bool:
        return self.low is not None or self.high is not None

    def holds(self, version: LenientKey) -> bool:
        """Return whether a version lies inside the bounds."""
        return (self.low is None or self.low <= version) and (self.high is None or version <= self.high)

    def range(self) -> str:
        """`1.17.0 to 1.18.6`, `1.17.0 or newer`, `1.18.6 or older`."""
        if self.low is None:
            return f"{self.high_text} or older"
        return (
            f"{self.low_text} to {self.high_text}" if self.high is not None else f"{self.low_text} or newer"
        )


Bounds = tuple[tuple[str, "LenientKey | None"], tuple[str, "LenientKey | None"]]
