"""The error of a macro."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR, Finding

KEPT = "kept"


class MacroError(Refused):
    """A macro that has no value, with the rule of the finding; KEPT: it stays in the text, and that is no error."""

    def __init__(self, rule: str, message: str, severity: str = ERROR) -> None:
        super().__init__(Finding(rule, message, severity))
