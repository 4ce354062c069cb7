"""Wrong lists: the examples' ResourceLists with random changes, and the properties that must hold for each of them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from krmkit.fn import loader, testing
from krmkit.fn.contract.contractrules import folder_of
from krmkit.fn.contract.runchecks import check, load
from tests.contract.checks import examples

ODD: list[Any] = [
    None, "", " ", "x", "a/b", "../x", "é漢🙂", "{{ .spectro.x }}", "[", "%", "`", "a\nb\n", "a\x00b", "1", "true", "v1", "~", "x" * 3000,
    0, -1, 1.5, 10**30, True, False, [], {}, [None], ["x"], {"": ""}, {"a": {"b": ["c"]}}, [[[[]]]],
]  # fmt: skip
KEYS = ["", "name", "spec", "metadata", "annotations", "pipeline", "x", "é", "a.b", "a/b", "1", "<<", "kind"]
NOISE = ["\t", "\r", "'", '"', ":", "-", "- ", "#", " #", "&a ", "*a", "!x ", "|\n", ">", "{", "}", "[", "]", ",", "\u2028", "\ufeff", "---\n", "?"]  # fmt: skip


class Case:
    """One mutated list: the function's folder, the text, and where it comes from."""

    def __init__(self, example: testing.Example, text: str, label: str) -> None:
        self.example = example
        self.folder = folder_of(example)
        self.text = text
        self.label = label


def cases(seed: int, only: Path | None = None) -> Iterator[Case]:
    """Mutated lists without end, the same ones for the same seed: of all functions, or `only` of the one in a folder."""
    dice = random.Random(seed)
    wanted = (example for example in examples() if only in (None, folder_of(example)))
    known = [(example, example.render_list()) for example in wanted]
    parsed = [yaml.load(text, Loader=yaml.CBaseLoader) for _, text in known]
    number = 0
    while True:
        at = dice.randrange(len(known))
        example, text = known[at]
        if dice.random() < 0.25:
            mutated = _noisy(text, dice)
        else:
            data = copy.deepcopy(parsed[at])
            for _ in range(dice.choice((1, 1, 1, 2, 3, 5))):
                _mutate(data, dice)
            if dice.random() < 0.3:
                data["results"] = dice.choice([[], None, "x", [{"message": "old", "severity": "error"}]])
            mutated = dice.choice(FORMS)(data)
        number += 1
        yield Case(
            example,
            mutated,
            f"{example.folder.parents[1].name}/{example.folder.name} #{number} of seed {seed}",
        )


def problem(case: Case) -> str:
    """The error of a case's run, "" if there is none."""
    try:
        return _problem(case)
    except AssertionError as error:
        return f"contract: {str(error)[:500]}"
    except Exception as error:  # noqa: BLE001  # a traceback is a finding like another
        return f"{type(error).__name__}: {str(error)[:500]}"


def _problem(case: Case) -> str:
    outcome = testing.run_function(case.folder, case.text)
    errors = [finding for finding in outcome.results if finding.severity == "error"]
    if outcome.exit_code != (1 if errors else 0):
        return f"exit code {outcome.exit_code} with {len(errors)} errors"
    if any("an error in the function itself" in error.message for error in errors):
        return f"an unexpected error: {errors[0].message[:300]}"
    again = testing.run_function(case.folder, case.text)
    if again.stdout != outcome.stdout:
        return "two runs on one input differ"
    try:
        yaml.compose(case.text, Loader=yaml.CBaseLoader)
    except (yaml.YAMLError, RecursionError):
        return ""  # an unused item is passed on unchanged, even if it is broken
    check(case.folder, case.text, outcome.stdout, outcome.stderr, outcome.exit_code)
    if outcome.exit_code:
        return ""
    about = loader.at(str(case.folder)).definition.about
    tags = about.get("tags") or []
    before, after = _identities(case.text), _identities(outcome.stdout)
    if "generator" not in tags and not about.get("removes") and len(after) < len(before):
        return f"{len(before) - len(after)} items lost"
    if any(finding.rule == "macro-in-value" for finding in outcome.results):
        return ""  # the next run sees a macro of the pack, which is what this warning is about
    if not about.get("idempotent", True):
        return ""
    second = testing.run_function(case.folder, outcome.stdout)
    if second.exit_code:
        message = second.results[0].message
        # Such a text is not edited (docs/limits.md), and the results of the first run would have to give way.
        return "" if "a line break to some readers" in message else f"the second run fails: {message[:300]}"
    if _items(second.stdout) != _items(outcome.stdout):
        return "the second run changes items"
    return ""


def _items(text: str) -> Any:
    return load(text).get("items")


def _identities(text: str) -> list[str]:
    items = _items(text)
    return [repr(item)[:200] for item in items] if isinstance(items, list) else []


def _paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield from _paths(value, (*path, key))


def _mutate(data: Any, dice: random.Random) -> None:
    """One change of structure somewhere in the items or the config."""
    paths = [path for path in _paths(data) if path[0] in ("items", "functionConfig")]
    if not paths:
        return
    *way, last = dice.choice(paths)
    holder = data
    for key in way:
        holder = holder[key]
    kind = dice.randrange(7)
    if kind == 0:
        holder[last] = copy.deepcopy(dice.choice(ODD))
    elif kind == 1:
        del holder[last]
    elif kind == 2 and isinstance(holder, list):
        holder.insert(dice.randrange(len(holder) + 1), copy.deepcopy(holder[last]))
    elif kind == 3 and isinstance(holder, dict):
        holder[dice.choice(KEYS)] = holder.pop(last)
    elif kind == 4:
        holder[last] = dice.choice(([holder[last]], {dice.choice(KEYS): holder[last]}))
    elif kind == 5 and isinstance(holder, dict):
        holder[dice.choice(KEYS)] = copy.deepcopy(dice.choice(ODD))
    else:
        *other, name = dice.choice(paths)
        source = data
        try:
            for key in other:
                source = source[key]
            holder[last] = copy.deepcopy(source[name])
        except (KeyError, IndexError, TypeError):
            return


def _noisy(text: str, dice: random.Random) -> str:
    """A change of the text that knows nothing of YAML."""
    lines = text.split("\n")
    at = dice.randrange(len(lines))
    kind = dice.randrange(6)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[dice.randrange(len(lines))])
    elif kind == 2:
        lines[at] = " " * dice.randrange(5) + lines[at]
    elif kind == 3:
        lines[at] = lines[at][dice.randrange(3) :]
    elif kind == 4:
        return text.replace("\n", "\r\n")
    else:
        place = dice.randrange(len(lines[at]) + 1)
        lines[at] = lines[at][:place] + dice.choice(NOISE) + lines[at][place:]
    return "\n".join(lines)


FORMS: list[Callable[[Any], str]] = [
    lambda data: json.dumps(data, ensure_ascii=False),
    lambda data: json.dumps(data, indent=1),
    lambda data: yaml.safe_dump(data, sort_keys=False, allow_unicode=True),
    lambda data: yaml.safe_dump(data, default_flow_style=None, width=60),
    lambda data: yaml.safe_dump(data, default_style='"', sort_keys=False),
]
