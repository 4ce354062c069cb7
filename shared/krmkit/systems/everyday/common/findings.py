"""Make the findings of kpt's functions, and the errors that end a run with one finding."""

from __future__ import annotations

from krmkit.krm.errors import UNNAMED, Refused
from krmkit.krm.finding import ERROR, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec

    from krmkit.krm.resource import Resource

    P = ParamSpec("P")


def refused(rule: str, message: str, resource: Resource | None = None, field: str = "") -> Refused:
    return Refused(Finding(rule, message, resource, field, severity=ERROR))


def wrong_config(message: str, config: Resource | None = None, field: str = "") -> Refused:
    """Return the failure for a config: `wrong_config("must be a text, got a list", config, "data.tag")`."""
    return refused("invalid-config", message, config, field)


def reporting(engine: Callable[P, list[Finding]]) -> Callable[P, list[Finding]]:
    """Make an engine return the finding of a raised Refused as its only finding."""

    def reported(*arguments: P.args, **named: P.kwargs) -> list[Finding]:
        try:
            return engine(*arguments, **named)
        except Refused as stopped:
            if stopped.finding.rule == UNNAMED:
                raise  # about an item that cannot be read, which every function reports alike
            return [stopped.finding]

    reported.__name__, reported.__doc__ = engine.__name__, engine.__doc__
    return reported
