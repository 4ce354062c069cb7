"""Rules of the contract: each is a check, run for every function or example and for each of some words.

@rule(each_example)
def second_run_changes_nothing(example: Example) -> None:
    ...
    assert without_results(twice.stdout) == without_results(once.stdout)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from krmkit.fn.testing import Example
from krmkit.fn.testing import examples as read_examples

Case = tuple[str, tuple[Any, ...]]  # a test's name in brackets, and the arguments of its check
Cases = Callable[[Path], Iterable[Case]]
Check = Callable[..., None]


@dataclass(frozen=True)
class Rule:
    """A check, and a function that lists the cases of a function's folder."""

    check: Check
    cases: Cases


RULES: list[Rule] = []  # in the order in which they are written down


def rule(cases: Cases) -> Callable[[Check], Check]:
    """Make a check part of the contract."""

    def add(check: Check) -> Check:
        RULES.append(Rule(check, cases))
        return check

    return add


@cache
def examples(folder: Path) -> list[Example]:
    """Return the example packages of a function, read once for all rules. Raises LookupError."""
    return read_examples(folder)


def each_function(folder: Path) -> Iterator[Case]:
    """Yield the function's folder, once."""
    yield "", (folder,)


def each_example(folder: Path) -> Iterator[Case]:
    """Yield each example package."""
    for example in examples(folder):
        yield example.folder.name, (example,)


def function_with(words: Iterable[str]) -> Cases:
    """Return cases of the function's folder with each of the words."""
    each = list(words)

    def cases(folder: Path) -> Iterator[Case]:
        for word in each:
            yield word, (folder, word)

    return cases


def example_with(words: Iterable[str]) -> Cases:
    """Return one case for each pair of an example package and a word."""

    def cases(folder: Path) -> Iterator[Case]:
        for example in examples(folder):
            for word in words:
                yield f"{example.folder.name}-{word}", (example, word)

    return cases


def folder_of(example: Example) -> Path:
    """Return the function's folder of an example."""
    return example.folder.parents[1]
