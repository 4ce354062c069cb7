"""Describe rules, for formats that include descriptions."""

from __future__ import annotations

from krmkit.fn import loader
from krmkit.fn.rules import COMMANDS, COMMON, ExplainedRule, rule_of, sentence


class RuleText:
    """The texts of one rule.

    `short` is a sentence, `full` names its function, `help` gives the reason, the fix and links, `level` is
    error, warning or info.
    """

    def __init__(self, rule: str, function: str) -> None:
        found = rule_of(rule, function)
        said = found or ExplainedRule(rule, "", "", "", rule.replace("-", " "))
        self.level = said.severities[0]
        self.short = sentence(said.meaning)
        known = said.owner not in (COMMON, COMMANDS, "")
        about = f" A rule of {said.owner}: {loader.load(said.owner).definition.summary}" if known else ""
        self.full = self.short + about
        more = f"krmkit explain {rule} has an example." if found else "krmkit render shows it in a table."
        self.help = " ".join(filter(None, (said.why, said.mend, more)))
