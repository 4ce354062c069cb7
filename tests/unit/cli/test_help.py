"""Help texts fit the terminal that most people have: 80 columns."""

from __future__ import annotations

import argparse

import pytest

from krmkit.cli import main, usage
from krmkit.cli.run import HELP
from krmkit.fn import loader
from krmkit.fn.help import help_text
from tests.unit.views.test_outcome import parsers

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


@pytest.mark.parametrize("name", ["completion", "why"])
def test_lists_of_commands_keep_their_lines(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one line is too long, the others do not run together."""
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    epilog = str(PARSERS[name].epilog)
    commands = [line for line in epilog.splitlines() if "krmkit " in line and len(line) <= COLUMNS - 2]

    shown = PARSERS[name].format_help().splitlines()
    assert commands
    assert [line for line in commands if line not in shown] == []


def test_doc_of_a_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """`krmkit doc` takes the kind of a config, as explain and schema do."""
    assert main(["doc", "ApplyPresets"]) == 0
    assert capsys.readouterr().out == help_text(loader.load("apply-presets").definition)
    assert main(["doc", "apply-preset"]) == 1
    assert 'there is no function "apply-preset"; did you mean "apply-presets"?' in capsys.readouterr().err
