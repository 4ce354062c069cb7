"""The errors of packs, pools and macros."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource

KEPT = "kept"


class MacroError(Refused):
    """A macro without a value, with the rule of the finding; KEPT: it stays, which is no error."""

    def __init__(self, rule: str, message: str, severity: str = "") -> None:
        super().__init__(Finding(rule, message, severity=severity))


class PackError(Refused):
    """An item is not a readable pack, a name does not lead to one, or a pool cannot be read.

    `resource`: the item, if any. `field`: the place in it, or in the config's spec.
    """

    def __init__(self, message: str, resource: Resource | None = None, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.resource = resource
        self.field = field
