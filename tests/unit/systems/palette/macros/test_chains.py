"""Macros that need each other in long chains: what they cost, and how often one cause is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from krmkit.fn.testing import resource_list, run_function
from krmkit.systems.palette.macros import values
from tests.costs import check_shape

FUNCTION = Path(__file__).parents[5] / "functions/resolve-macros"
CONFIG = "apiVersion: krmkit.dev/v1alpha1\nkind: ResolveMacros\nmetadata: {name: m}\nspec: {}\n"
PACK = (
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: store\n  annotations:\n    config.kubernetes.io/local-config: "true"\ndata:\n'
    '  pack.json: |\n    {"name": "store", "version": "1.0.0", "layer": "addon"}\n  values.yaml: |\n    chain:\n'
)


def chain(count: int, link: str = "") -> str:
    """A pack in which each key needs the next one."""
    keys = [
        f'      c{number}: "{{{{ .spectro.pack.store.chain.c{number + 1} }}}}{link}"\n'
        for number in range(count)
    ]
    return resource_list([PACK + "".join(keys) + f"      c{count}: end\n"], CONFIG)


def test_one_error_for_one_cause() -> None:
    """A chain that is too long is said once, and not once for each of its keys."""
    outcome = run_function(FUNCTION, chain(150))

    said = [one for one in outcome.results if one.rule == "cycle"]
    assert [one.message.partition(": ")[0] for one in said] == ["line 2, column 8 of store/values.yaml"]


def test_the_cost_of_many_findings() -> None:
    """Lines of the file are found once, and not from its start for each finding."""

    def make(size: int) -> Callable[[], object]:
        text = chain(size)
        return lambda: run_function(FUNCTION, text)

    check_shape(make, 400, 2.5)


def test_values_that_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each value is short enough, all together are not."""
    monkeypatch.setattr(values, "MAX_VALUES", 10_000)

    outcome = run_function(FUNCTION, chain(90, link="x" * 10))

    assert "the values of all macros have more than 10,000 characters" in outcome.results[0].message
