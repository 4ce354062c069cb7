"""Help texts fit the terminal that most people have: 80 columns."""

from __future__ import annotations

import argparse

import pytest

from krmkit.cli import usage
from krmkit.cli.run import HELP
from krmkit.fn import loader
from krmkit.fn.help import help_text
from tests.unit.cli.report.test_told import parsers

COLUMNS = 80
PARSERS = dict(parsers())


def long_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if len(line) > COLUMNS]


@pytest.mark.parametrize("name", PARSERS)
def test_help(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line of a command's help is wrapped by the terminal."""
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    parser: argparse.ArgumentParser = PARSERS[name]

    assert long_lines(parser.format_help()) == []


def test_list_of_commands() -> None:
    """So is it for the help of krmkit itself, and of krmkit run."""
    assert long_lines(usage()) == []
    assert long_lines(HELP) == []


@pytest.mark.parametrize("name", loader.names())
def test_help_of_a_function(name: str) -> None:
    """And for each function."""
    assert long_lines(help_text(loader.load(name).definition)) == []
