"""Errors that end an engine of this system early, each with one finding."""

from __future__ import annotations

from functools import wraps

from krmkit.krm.finding import ERROR, INFO, WARNING, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec

    from krmkit.krm.resource import Resource

    P = ParamSpec("P")


class EverydayError(Exception):
    """The engine cannot run; `finding` is the error with the reason."""

    def __init__(self, rule: str, message: str, resource: Resource | None = None, field: str = "") -> None:
        super().__init__(message)
        self.finding = Finding(rule, message, ERROR, resource, field)


class EverydayConfigError(EverydayError):
    """The config cannot be used: `EverydayConfigError("must be a text, got a list", config, "data.namespace")`."""

    def __init__(self, message: str, config: Resource | None = None, field: str = "") -> None:
        super().__init__("invalid-config", message, config, field)


def reporting(engine: Callable[P, list[Finding]]) -> Callable[P, list[Finding]]:
    """Make an engine return the finding of a raised EverydayError as its only finding."""

    @wraps(engine)
    def reported(*arguments: P.args, **named: P.kwargs) -> list[Finding]:
        try:
            return engine(*arguments, **named)
        except EverydayError as error:
            return [error.finding]

    return reported


def info(rule: str, message: str, resource: Resource | None = None, field: str = "") -> Finding:
    """A finding of severity info."""
    return Finding(rule, message, INFO, resource, field)


def warning(rule: str, message: str, resource: Resource | None = None, field: str = "") -> Finding:
    """A finding of severity warning."""
    return Finding(rule, message, WARNING, resource, field)


def error(rule: str, message: str, resource: Resource | None = None, field: str = "") -> Finding:
    """A finding of severity error: the run fails, and nothing is written."""
    return Finding(rule, message, ERROR, resource, field)
