"""What the engines write results to, as a type only: `krmkit.fn.results.Results`, which lies above them, has this form."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from krmkit.krm.resource import Resource

    class Sink(Protocol):
        """Where results go."""

        def add(
            self,
            severity: str,
            rule: str,
            message: str,
            resource: Resource | None = None,
            field: str | None = None,
            current: object = None,
            proposed: object = None,
            file: dict[str, object] | None = None,
            tags: dict[str, str] | None = None,
        ) -> None: ...

        def explain(
            self, rule: str, message: str, resource: Resource | None = None, field: str | None = None
        ) -> None: ...
