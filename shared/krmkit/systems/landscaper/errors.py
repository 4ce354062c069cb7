"""The error of an installation: one class, whose `rule` is the code of the result."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding


class InstallationError(Refused):
    """One thing that stops an installation, for example `("target-not-found", 'targets "a" not found', "spec.imports")`.

    `rule` is one of the rules in the functions' function.yaml, `field` the path in the Installation ("" if none fits).
    `message` may contain output of a template: remove secrets (`redact`) before you show it. `word` is what is wrong in the text of the
    blueprint, where the error is about that: `.values.deployitems.database`. `source` is the object with the wrong value, where it came
    from one: kind, namespace, name and path.
    """

    source: tuple[str, str, str, str] | None = None

    def __init__(self, rule: str, message: str, field: str = "", word: str = "") -> None:
        super().__init__(Finding(rule, message, field=field))
        self.rule = rule
        self.message = message
        self.field = field
        self.word = word
