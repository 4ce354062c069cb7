"""`krmkit list`, `krmkit doc NAME` and `krmkit version`: what functions there are, and what one does."""

from __future__ import annotations

import sys

from krmkit import __version__
from krmkit.cli.arguments import CommandParser, add_color, say
from krmkit.cli.terminal import Table, Terminal
from krmkit.fn import loader
from krmkit.fn.help import help_text


def main(words: list[str]) -> int:
    """Run one of the three; returns the exit code."""
    arguments = parser(words[0]).parse_args(words[1:])
    if words[0] == "version":
        print(f"krmkit {__version__}")
        return 0
    return _list(arguments.color) if words[0] == "list" else _doc(arguments.function)


def parser(command: str) -> CommandParser:
    """The command line of `krmkit list`, `doc` or `version`."""
    if command == "list":
        made = CommandParser(prog="krmkit list", description="List the functions of the catalog.")
        add_color(made)
        return made
    if command == "version":
        return CommandParser(prog="krmkit version", description="Say which version this is.")
    made = CommandParser(prog="krmkit doc", description="Show what a function does and how it is configured.")
    made.add_argument("function", metavar="NAME", help="a function; krmkit list names all")
    return made


def _list(colour: str) -> int:
    terminal = Terminal(sys.stdout, colour)
    table = Table(["FUNCTION", "KIND", "TAGS", "SUMMARY"])
    for name in loader.names():
        definition = loader.load(name).definition
        table.add([name, definition.kind, ", ".join(definition.tags), definition.summary])
    print(table.text(terminal), end="")
    return 0


def _doc(name: str) -> int:
    try:
        definition = loader.load(name).definition
    except LookupError as error:
        say("doc", error.args[0])
        return 1
    print(help_text(definition), end="")
    return 0
