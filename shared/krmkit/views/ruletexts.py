"""The descriptions of rules, for formats that include them."""

from __future__ import annotations

from krmkit.fn import loader
from krmkit.fn.rules import COMMANDS, COMMON, ExplainedRule, own_rules, rules_of, sentence
from krmkit.kpt.kptfile import image_name


class RuleText:
    """One rule.

    `short` is a sentence, `full` names its function, `help` says why the rule is there and how to mend, and
    points to more, `level` is error, warning or info.
    """

    def __init__(self, rule: str, function: str) -> None:
        program = function.partition(" ")[0]  # the flags of an exec follow
        name = image_name(program) if "/" in program else program
        known = name in loader.names()
        meanings = own_rules(COMMANDS)
        if known:
            definition = loader.load(name).definition
            meanings = {**own_rules(COMMON), **rules_of(definition)}
        said = meanings.get(rule, ExplainedRule(rule, "", "", "", rule.replace("-", " ")))
        self.level = said.severity
        self.short = sentence(said.meaning)
        self.full = f"{self.short} A rule of {name}: {definition.summary}" if known else self.short
        more = (
            f"krmkit explain {rule} has an example."
            if rule in meanings
            else "krmkit render shows it in a table."
        )
        self.help = " ".join(filter(None, (said.why, said.mend, more)))
