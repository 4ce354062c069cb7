"""An injection point: a resource of a package that asks for the data of an object of the cluster."""

from __future__ import annotations

from krmkit.krm.resource import Resource


class InjectionPoint:
    """A resource that is annotated for injection, and what became of it.

    `errors` holds first what is wrong with the annotation, later why nothing was injected. `explained` says which injector was
    tried with which outcome.
    """

    __slots__ = (
        "condition_type",
        "errors",
        "explained",
        "file",
        "hint",
        "injected",
        "injected_name",
        "required",
        "resource",
    )

    def __init__(
        self, file: str, condition_type: str, required: bool, resource: Resource | None = None
    ) -> None:
        self.file = file
        self.condition_type = condition_type
        self.required = required
        self.resource = resource
        self.errors: list[str] = []
        self.injected = False
        self.injected_name = ""
        self.explained: list[str] = []
        self.hint = ""
