"""Define the error of an installation; its `rule` is the code of the result."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding


class InstallationError(Refused):
    """One problem that stops an installation: `("target-not-found", 'targets "a" not found')`.

    `rule` is one of the rules in the functions' function.yaml, `field` the path in the Installation, or "".
    `message` may contain output of a template: mask secrets (`redact`) before you show it. `word` is the
    wrong text of the blueprint, such as `.values.deployitems.database`. `source` is the object that holds the
    wrong value, if known: kind, namespace, name and path.
    """

    source: tuple[str, str, str, str] | None = None

    def __init__(self, rule: str, message: str, field: str = "", word: str = "") -> None:
        super().__init__(Finding(rule, message, field=field))
        self.rule = rule
        self.message = message
        self.field = field
        self.word = word
