"""The functions that the tests here run: the catalog's, and those that exist for tests only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from krmkit.fn import testing

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = sorted(
    path.parent
    for path in [*ROOT.glob("functions/*/function.yaml"), *ROOT.glob("tests/functions/*/function.yaml")]
)


def examples() -> Iterator[testing.Example]:
    """Every example package of every function."""
    for folder in FUNCTIONS:
        yield from testing.examples(folder)


# One function for each way in which a program differs behind the same entry point: a mutator, a generator, a validator, another catalog's
# config with results that are handed on, and one that reads every item. What the entry point does is asked of these; what a function could
# do by itself is asked of all.
REPRESENTATIVES = [
    folder
    for folder in FUNCTIONS
    if folder.name
    in (
        "apply-presets",
        "render-cluster-topology",
        "validate-pack-constraints",
        "starlark",
        "list-setters",
        "set-namespace",
    )
]
