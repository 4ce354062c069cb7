"""RULES.md of each function, from function.yaml and rules.yaml."""

from __future__ import annotations

from krmkit.fn.rules import rules_of, sentence
from tools.definitions import Definition, DefinitionError
from tools.documents import NOTE


def rules_page(function: Definition) -> str:
    """RULES.md of a function: why each rule is there, an example, and how to mend."""
    lines = [f"# Rules of {function.name}", "", f"<!-- {NOTE} -->", ""]
    lines += ["What `krmkit explain RULE` says about the results of [the function](README.md).", ""]
    for rule in rules_of(function.runtime).values():
        if not (rule.why and rule.mend):
            raise DefinitionError(
                f"functions/{function.name}/rules.yaml must explain {rule.name}: why, wrong, right and mend"
            )
        lines += [f"## {rule.name}", "", f"{rule.level}: {sentence(rule.meaning)}", ""]
        lines += [f"{rule.why} {rule.mend}", ""]
        for title, example in (("Wrong:", rule.wrong), ("Right:", rule.right)):
            if example:
                lines += [title, "", "```text", example, "```", ""]
    return "\n".join(lines)
