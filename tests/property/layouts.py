"""The layouts that a list of items can have: dashes, comments, anchors, brackets, line ends, tabs. Each means the same data.

python -m tests.property.layouts --cases 20000 --seed 1      # many layouts of every function's examples
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from krmkit.fn import testing
from krmkit.fn.contract.contractrules import folder_of
from krmkit.fn.run import Outcome
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.lines import shift
from tests.contract.checks import examples

# Functions whose answers depend on the comments of items, which JSON has not.
COMMENTED = ("apply-setters", "create-setters", "list-setters", "search-replace")


class Layout:
    """A list in some layout: its text, the words for it, and whether it has the comments of the items."""

    def __init__(self, text: str, label: str, has_comments: bool) -> None:
        self.text = text
        self.label = label
        self.has_comments = has_comments


class Given:
    """An example's list in parts: its items as documents and as data, and its config."""

    def __init__(self, example: testing.Example) -> None:
        self.example = example
        self.folder = folder_of(example)
        self.text = example.render_list()
        rl = ResourceList.parse(self.text)
        self.items = [
            shift(" " * item.column + item.text.rstrip() + "\n", item.column, 0) for item in rl.items
        ]
        self.data = [go_data(parse(item).root) for item in self.items]
        lines = self.text.split("\n")
        start = next((at for at, line in enumerate(lines) if line.startswith("functionConfig:")), len(lines))
        rest = lines[start + 1 :]
        end = next((at for at, line in enumerate(rest) if line and line[0] not in " #-"), len(rest))
        self.config = "".join(f"{line}\n" for line in [*lines[start : start + 1], *rest[:end]] if line)

    @property
    def can_be_json(self) -> bool:
        """JSON has neither dates nor numbers such as .inf, and no anchors."""
        return not any("&" in item or "*" in item for item in self.items)

    def items_hold_blocks(self) -> bool:
        """Whether a tab behind a line could become a part of a text of several lines."""
        return any(sign in item for item in self.items for sign in (": |", ": >", "- |"))


def _item(
    text: str, data: object, dice: random.Random, pad: str, number: int, can_be_json: bool
) -> tuple[str, str]:
    """One item behind its dash, in a random layout, and the word for it."""
    kind = dice.choice(
        ("plain", "plain", "bare", "bare", "commented", "anchored", "deep", "json", "blank", "wide")
    )
    if kind == "json" and not can_be_json:
        kind = "bare"
    lines = shift(text, 0, 2)
    if kind == "plain":
        body = f"- {lines[2:]}"
    elif kind == "bare":
        body = "-\n" + dice.choice(("", "  # below\n", "\n")) + lines
    elif kind == "commented":
        body = dice.choice(("- # note\n", "-   # note\n\n")) + lines
    elif kind == "anchored":
        body = f"- &item{number}{dice.choice((' # note', '', '  '))}\n{lines}"
    elif kind == "deep":
        body = "-" + " " * 3 + shift(text, 0, 4)[4:]
    elif kind == "json":
        written = json.dumps(data, ensure_ascii=False, indent=dice.choice((None, 3)))
        body = "- " + written.replace("\n", "\n  ") + "\n"
    elif kind == "blank":
        body = "- " + lines[2:] + "\n  \n\n"
    else:
        body = "-\n" + shift(text, 0, 6)
    return "".join(f"{pad}{line}\n" if line else "\n" for line in body.removesuffix("\n").split("\n")), kind


def layout(given: Given, dice: random.Random) -> Layout:
    """The list of an example in a random layout."""
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
    words: list[str] = []
    pad = dice.choice(("", "", "  ", "    "))
    has_comments = True
    if given.can_be_json and dice.random() < 0.15:
        body = json.dumps(given.data, ensure_ascii=False, indent=dice.choice((None, 2)))
        items = "items: " + body.replace("\n", "\n  ") + "\n"
        words, has_comments = ["brackets"], False
    else:
        items = dice.choice(("items:\n", "items: # of the package\n", "items:\n\n"))
        for number, (text, data) in enumerate(zip(given.items, given.data, strict=True)):
            if dice.random() < 0.3:
                items += dice.choice(("# between\n", f"{pad}# between\n", f"{pad}    # deeper\n\n"))
            written, kind = _item(text, data, dice, pad, number, given.can_be_json)
            items += written
            words.append(kind)
            has_comments = has_comments and kind != "json"
        if not given.items:
            items = "items: []\n"
    order = [items, given.config] if dice.random() < 0.5 else [given.config, items]
    text = head + "".join(order)
    if dice.random() < 0.2:
        text = "---\n" + text
        words.append("document")
    if dice.random() < 0.3 and not given.items_hold_blocks():
        text = "".join(_tabbed(line, dice) for line in text.splitlines(keepends=True))
        words.append("tabs")
    ending = dice.random()
    if ending < 0.2 and not text.endswith("\n\n"):
        text = text.removesuffix("\n")
        words.append("no last break")
    if dice.random() < 0.2:
        text = text.replace("\n", "\r\n")
        words.append("CRLF")
    return Layout(text, " ".join((*words, f"pad {len(pad)}")), has_comments)


def _tabbed(line: str, dice: random.Random) -> str:
    """A line with a tab behind its value, now and then."""
    if dice.random() > 0.2 or not line.strip() or any(sign in line for sign in "#|>'\""):
        return line
    return line.rstrip("\n") + dice.choice(("\t", "\t# tab")) + "\n" * line.endswith("\n")


def problem(given: Given, made: Layout) -> str:
    """What is wrong with a function's answer for a layout, "" if nothing is."""
    try:
        root: Any = parse(made.text).root
        if go_data(root.get("items")) != given.data:
            return ""  # the layout means other data: a block scalar took a comment, or a tab
    except Exception:  # noqa: BLE001  # the layout cannot be read, so nothing is asked of it
        return ""
    plain = testing.run_function(given.folder, given.text)
    outcome = testing.run_function(given.folder, made.text)
    for finding in outcome.results:
        if "an error in the function itself" in finding.message:
            return f"an unexpected error: {finding.message[:300]}"
    try:
        items = _items(outcome)
    except Exception as error:  # noqa: BLE001  # whatever it is, the output is not a list that can be read
        return f"the output cannot be read: {type(error).__name__}: {str(error)[:200]}"
    if outcome.exit_code:
        if items != given.data:
            return "the items changed though the run failed"
        return "" if plain.exit_code else f"fails: {outcome.stderr[:300]}"
    if plain.exit_code or (not made.has_comments and given.folder.name in COMMENTED):
        return ""
    return "" if items == _items(plain) else "other items than in the plain layout"


def _items(outcome: Outcome) -> list[Any]:
    loaded = yaml.load(outcome.stdout, Loader=yaml.CBaseLoader)
    data: Any = go_data(parse(outcome.stdout).root)
    assert len(data["items"] or []) == len(loaded["items"] or []), "two readers see other items"
    return data["items"] if data["items"] is not None else [None]


def cases(seed: int, wanted: Callable[[Path], bool] = lambda _: True) -> Iterator[tuple[Given, Layout]]:
    """Layouts of the examples without end, the same ones for the same seed."""
    dice = random.Random(seed)
    known = [Given(example) for example in examples() if wanted(folder_of(example))]
    while True:
        for given in known:
            yield given, layout(given, dice)


def main() -> int:
    """Run some cases and print the findings; the exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("build/layouts"))
    words = parser.parse_args()
    found = 0
    for number, (given, made) in enumerate(cases(words.seed), 1):
        said = problem(given, made)
        if said:
            found += 1
            words.out.mkdir(parents=True, exist_ok=True)
            (words.out / f"{given.folder.name}.{words.seed}.{number}.yaml").write_text(
                made.text, "utf-8", newline=""
            )
            print(
                f"{given.folder.name}/{given.example.folder.name} #{number} ({made.label}): {said}",
                flush=True,
            )
        if number == words.cases:
            break
    print(f"{words.cases} layouts, {found} findings (seed {words.seed})")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
