"""What a rule is for, in words: for formats that describe the rules beside the results."""

from __future__ import annotations

from krmkit.fn import loader
from krmkit.fn.help import COMMON_RULES
from krmkit.krm.kptfile import image_name
from krmkit.output.model import NOT_RENDERED

# Rules of commands, and of what they find without a function.
OWN_RULES = {
    NOT_RENDERED: "error: a file of the package would change: the package was not rendered since it was edited",
    "unreadable": "error: a file of the package cannot be read",
    "function-failed": "error: a function of the pipeline failed without saying why in a result",
    "order": "info: a function of the pipeline runs before one whose work it needs",
    "annotation": "warning: an annotation is no text, which an API server refuses",
    "installation": "error: an Installation cannot be read or put in order",
    "refused": "error: a Cluster or class is refused, so that nothing is planned for it",
    "plan-warning": "warning: something that the plan of a Cluster does not know",
    "variant": "warning: something about a PackageVariant",
    "variant-failed": "error: the package of a variant cannot be made",
    "conflict": "warning: the upstream and the local package change the same",
    "left-over": "warning: a package that no variant makes any more",
}


class RuleText:
    """One rule: `short` is a sentence, `full` says which function it belongs to, `help` how to know more, `level` error, warning or info."""

    __slots__ = ("full", "help", "level", "short")

    def __init__(self, rule: str, function: str) -> None:
        program = function.partition(" ")[0]  # behind it the flags of an exec
        name = image_name(program) if "/" in program else program
        known = name in loader.names()
        meanings = OWN_RULES
        if known:
            definition = loader.load(name).definition
            meanings = {**COMMON_RULES, **(definition.about.get("rules") or {})}
        level, colon, meaning = str(meanings.get(rule, "")).partition(": ")
        self.level = level.partition(",")[0] if colon else ""
        text = meaning or rule.replace("-", " ")
        self.short = text[:1].upper() + text[1:].rstrip(".") + "."
        self.full = f"{self.short} A rule of {name}: {definition.summary}" if known else self.short
        self.help = (
            f"krmkit doc {name} lists all its rules and its config; krmkit render --explain says what it did and why."
            if known
            else "krmkit render shows it in a table; the file and line are those of the result."
        )
