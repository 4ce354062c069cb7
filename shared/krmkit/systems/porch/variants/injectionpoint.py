"""An injection point: a resource of a package that receives data of an object of the cluster."""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.krm.resource import Resource


@dataclass(slots=True)
class InjectionPoint:
    """A resource annotated for injection, and the result.

    `errors`: first those of the annotation, later the reasons why nothing was injected. `explained`: the outcome of
    each tried injector.
    """

    file: str
    condition_type: str
    required: bool
    resource: Resource | None = None
    errors: list[str] = field(init=False, default_factory=list)
    injected: bool = field(init=False, default=False)
    injected_name: str = field(init=False, default="")
    explained: list[str] = field(init=False, default_factory=list)
    hint: str = field(init=False, default="")
