"""The descriptions of rules, for formats that include them."""

from __future__ import annotations

from krmkit.fn import loader
from krmkit.fn.help import COMMON_RULES
from krmkit.kpt.kptfile import image_name
from krmkit.libraries.schema.fields import mapping
from krmkit.render.findings.model import NOT_RENDERED

# Rules of commands, without a function.
OWN_RULES = {
    NOT_RENDERED: "error: a file of the package would change: the package was not rendered since it was edited",
    "unreadable": "error: a file of the package cannot be read",
    "function-failed": "error: a function of the pipeline failed without a result that gives the reason",
    "order": "info: a function of the pipeline runs before one whose output it needs",
    "annotation": "warning: an annotation is not a text, and an API server refuses it",
    "installation": "error: an Installation cannot be read or ordered",
    "refused": "error: a Cluster or class is refused, so that nothing is planned for it",
    "plan-warning": "warning: the plan of a Cluster is incomplete",
    "no-plan": "info: there is no earlier state to compare Clusters with",
    "variant": "warning: something about a PackageVariant",
    "variant-failed": "error: the package of a variant cannot be made",
    "conflict": "warning: the upstream and the local package change the same value",
    "last-render": "info: what the last render in place wrote into the Kptfile",
    "left-over": "warning: a package that no variant makes any more",
}


class RuleText:
    """One rule.

    `short` is a sentence, `full` names its function, `help` points to more, `level` is error, warning or
    info.
    """

    def __init__(self, rule: str, function: str) -> None:
        program = function.partition(" ")[0]  # the flags of an exec follow
        name = image_name(program) if "/" in program else program
        known = name in loader.names()
        meanings = OWN_RULES
        if known:
            definition = loader.load(name).definition
            meanings = {**COMMON_RULES, **mapping(definition.about, "rules")}
        level, colon, meaning = str(meanings.get(rule, "")).partition(": ")
        self.level = level.partition(",")[0] if colon else ""
        text = meaning or rule.replace("-", " ")
        self.short = text[:1].upper() + text[1:].rstrip(".") + "."
        self.full = f"{self.short} A rule of {name}: {definition.summary}" if known else self.short
        self.help = (
            f"krmkit doc {name} lists all its rules and its config; krmkit render --explain shows what it did and why."
            if known
            else "krmkit render shows it in a table; the file and line are those of the result."
        )
