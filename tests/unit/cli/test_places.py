"""-o is a place, in every command that writes one; the word of a format is refused, as kubectl and kpt have it."""

from __future__ import annotations

import argparse

import pytest

from tests.unit.views.test_outcome import parsers

WRITERS = {
    name: parser
    for name, parser in parsers()
    if any(
        "--output" in action.option_strings or "--out" in action.option_strings for action in parser._actions
    )
}
ARGUMENTS = {
    "pack import": ["app"],
    "pack export": ["pkg"],
    "variants render": ["set.yaml", "--packages", "p"],
    "landscaper import": ["archive"],
    "clusterctl generate": ["cluster-template.yaml"],
}


def test_there_are_writers() -> None:
    """The commands of today are among them."""
    assert {*ARGUMENTS, "render", "report"} <= set(WRITERS)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("word", ["json", "yaml", "table", "wide"])
def test_format_words(name: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They end the call with 1, and the message has both ways on."""
    with pytest.raises(SystemExit) as ended:
        WRITERS[name].parse_args([*ARGUMENTS.get(name, []), "-o", word])

    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert f'must be a place, got the format "{word}"; ' in said
    assert f"or -o ./{word} for a place of that name" in said
    assert (f"use -f {word} for the format" in said) == (word in {"json", "table"})


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("flag", ["-o", "--output", "--out"])
def test_one_flag(name: str, flag: str) -> None:
    """Three spellings, one place."""
    parser: argparse.ArgumentParser = WRITERS[name]
    assert parser.parse_args([*ARGUMENTS.get(name, []), flag, "./json"]).output == "./json"
