"""Model an injection point: a resource of a package that receives data from an object of the cluster."""

from __future__ import annotations

from krmkit.krm.resource import Resource


class InjectionPoint:
    """A resource annotated for injection, and the result.

    `errors`: errors of the annotation, later the reasons why nothing was injected. `explained`: the outcome
    of each tried injector.
    """

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
