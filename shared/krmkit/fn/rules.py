"""The rules of findings: severity and meaning from function.yaml, reason and remedy from rules.yaml.

unknown-preset:
  why: a preset that does not exist cannot be applied
  wrong: |
    presets: [fats]
  right: |
    presets: [fast]
  mend: name a preset of the pack's presets.yaml
  fix: safe

`like: FUNCTION` replaces these fields by those of another function's rule with this name, and
`like: FUNCTION/RULE` by those of a rule with another name. Rules that any function or krmkit itself may
report are in rules.yaml of this folder, with their `meaning`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from krmkit.fn.definition import FunctionDefinition
from krmkit.fn.loader import Function, load, names
from krmkit.kpt.kptfile import image_name
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import mapping
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse

FILE = "rules.yaml"
_PLANNED = "render-cluster-topology"
COMMON, COMMANDS = "common", "commands"  # rules of every function, and of krmkit's commands


@dataclass(frozen=True)
class ExplainedRule:
    """One rule. `owner`: its function, COMMON or COMMANDS. `when`: a restriction such as `with --explain`.

    `wrong` and `right` are examples, "" for some infos. `fix` is `safe` if the nearest name of a closed set
    is the right one.
    """

    name: str
    owner: str
    severity: str
    when: str
    meaning: str
    why: str = ""
    wrong: str = ""
    right: str = ""
    mend: str = ""
    fix: str = ""

    @property
    def level(self) -> str:
        """Return `error`, or `info, with --explain`."""
        return f"{self.severity}, {self.when}" if self.when else self.severity

    @property
    def severities(self) -> tuple[str, ...]:
        """All severities, the default first: `error or warning` gives ("error", "warning")."""
        return tuple(self.severity.split(" or "))

    @classmethod
    def of(cls, name: str, owner: str, said: str, about: dict[str, Any]) -> ExplainedRule:
        """Return the rule of an entry `severity, when: meaning` and its explanation."""
        level, _, meaning = said.partition(": ")
        severity, _, when = level.partition(", ")
        texts = {
            field: str(about.get(field) or "").strip() for field in ("why", "wrong", "right", "mend", "fix")
        }
        return cls(name, owner, severity, when, " ".join(meaning.split()), **texts)


@cache
def _read(folder: str) -> dict[str, Any]:
    path = os.path.join(folder, FILE)
    if not os.path.isfile(path):
        return {}
    with open(path, encoding="utf-8") as file:
        root = parse(file.read()).root
    data = go_data(root) if root is not None else None
    return data if isinstance(data, dict) else {}


@cache
def own_rules(group: str) -> dict[str, ExplainedRule]:
    """Return the rules of the group COMMON or COMMANDS by name."""
    entries = mapping(_read(os.path.dirname(__file__)), group)
    return {name: ExplainedRule.of(name, group, about["meaning"], about) for name, about in entries.items()}


def rules_of(definition: FunctionDefinition) -> dict[str, ExplainedRule]:
    """Return a function's rules by name. Raises Refused if `like` names an unknown function."""
    explained = _read(definition.folder)
    return {
        name: ExplainedRule.of(name, definition.name, said, _explanation(name, mapping(explained, name)))
        for name, said in mapping(definition.about, "rules").items()
    }


def _explanation(name: str, about: dict[str, Any]) -> dict[str, Any]:
    function, _, other = str(about.get("like") or "").partition("/")
    return mapping(_read(load(function).folder), other or name) if function else about


@lru_cache(1000)
def rule_of(name: str, function: str) -> ExplainedRule | None:
    """Return the rule of a result. `function` is its image or program, or "" for a command."""
    program = function.partition(" ")[0]  # the flags of an exec follow
    short = image_name(program) if "/" in program else program
    if short not in names():
        # A plan warns of what the function that renders Clusters would warn of.
        return own_rules(COMMANDS).get(name) or rules_of(load(_PLANNED).definition).get(name)
    return rules_of(load(short).definition).get(name) or own_rules(COMMON).get(name)


def find(name: str, functions: dict[str, Function]) -> list[ExplainedRule]:
    """Return the rules called `name`, or the one rule `FUNCTION/name`.

    An unknown name with a dash or slash raises Refused with the nearest one; any other unknown name gives [].
    """
    function, slash, rule = name.rpartition("/")
    among = {function: load(function, functions)} if slash else functions
    known = [one for each in among.values() for one in rules_of(each.definition).values()]
    known += [one for group in (COMMON, COMMANDS) for one in own_rules(group).values()]
    found = [one for one in known if one.name == rule]
    if not found and ("-" in name or slash):
        raise Refused(
            f'there is no rule "{rule}"{did_you_mean(rule, sorted({*functions, *(one.name for one in known)}))}'
        )
    return found


def explained(rules: Iterable[ExplainedRule]) -> str:
    """Return the texts of rules for a terminal; rules with equal texts are merged."""
    alike: dict[tuple[str, ...], list[ExplainedRule]] = {}
    for one in rules:
        key = one.severity, one.when, one.meaning, one.why, one.wrong, one.right, one.mend
        alike.setdefault(key, []).append(one)
    return "\n".join("".join(f"{line}\n" for line in _lines(same)) for same in alike.values())


def _lines(same: list[ExplainedRule]) -> Iterator[str]:
    from textwrap import indent, wrap

    one = same[0]
    yield f"{one.name}  {one.level}"
    if one.owner not in (COMMON, COMMANDS):
        yield from wrap(f"of {', '.join(each.owner for each in same)}", 79)
    yield from ("", *wrap(sentence(one.meaning), 79))
    if one.why:
        yield from ("", *wrap(f"Why: {one.why}", 79))
    for title, example in (("Wrong:", one.wrong), ("Right:", one.right)):
        if example:
            yield from ("", title, indent(example, "  "))
    if one.mend:
        yield from ("", *wrap(f"Mend: {one.mend}", 79))
    if one.fix:
        yield "`krmkit check --fix` writes the nearest name."


def sentence(text: str) -> str:
    """Return a text with a capital and a full stop. Example: `sentence("it fails") == "It fails."`."""
    return text[:1].upper() + text[1:].rstrip(".") + "."
