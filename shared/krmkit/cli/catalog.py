"""`krmkit list` and `krmkit doc NAME`: what functions there are, and what one does."""

from __future__ import annotations

import sys

from krmkit.cli.arguments import Parser
from krmkit.cli.terminal import Table, Terminal
from krmkit.fn import loader
from krmkit.fn.help import help_text


def main(words: list[str]) -> int:
    """Run `krmkit list` or `krmkit doc NAME`; returns the exit code."""
    return _list(words[1:]) if words[0] == "list" else _doc(words[1:])


def _list(words: list[str]) -> int:
    parser = Parser(prog="krmkit list", description="List the functions of the catalog.", allow_abbrev=False)
    parser.parse_args(words)
    terminal = Terminal(sys.stdout)
    table = Table(["FUNCTION", "KIND", "TAGS", "SUMMARY"])
    for name in loader.names():
        definition = loader.load(name).definition
        table.add([name, definition.kind, ", ".join(definition.tags), definition.summary])
    print(table.text(terminal), end="")
    return 0


def _doc(words: list[str]) -> int:
    parser = Parser(
        prog="krmkit doc",
        description="Show what a function does and how it is configured.",
        allow_abbrev=False,
    )
    parser.add_argument("function", metavar="NAME")
    name = parser.parse_args(words).function
    try:
        definition = loader.load(name).definition
    except LookupError as error:
        print(f"krmkit doc: {error.args[0]}", file=sys.stderr)
        return 1
    print(help_text(definition), end="")
    return 0
