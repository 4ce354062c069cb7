"""`krmkit list`, `krmkit doc NAME` and `krmkit version`: which functions there are, and what each does."""

from __future__ import annotations

from krmkit import __version__
from krmkit.cli.arguments import CommandParser, add_functions, add_output
from krmkit.cli.schema import explained, find
from krmkit.fn.help import help_text
from krmkit.fn.knownfunctions import catalog
from krmkit.fn.loader import Function
from krmkit.libraries.process.stderr import say
from krmkit.views.formats import json_of
from krmkit.views.terminal import Table, Terminal

FORMATS = ("table", "json")


def main(words: list[str]) -> int:
    """Run one of the three; returns the exit code."""
    arguments = parser(words[0]).parse_args(words[1:])
    if words[0] == "version":
        print(f"krmkit {__version__}")
        return 0
    try:
        known = catalog(arguments.functions)
        if words[0] == "list":
            return _list(known, arguments.format, Terminal.of(arguments))
        kind, _, path = arguments.function.partition(".")
        definition = find(kind, known)
        print(explained(definition, path.split(".")) if path else help_text(definition), end="")
    except LookupError as error:
        say(words[0], error.args[0])
        return 1
    return 0


def parser(command: str) -> CommandParser:
    """The command line of `krmkit list`, `doc` or `version`."""
    if command == "list":
        made = CommandParser(prog="krmkit list", description="List the functions of the catalog.")
        add_functions(made)
        add_output(made, FORMATS)
        return made
    if command == "version":
        return CommandParser(prog="krmkit version", description="Say which version this is.")
    made = CommandParser(prog="krmkit doc", description="Show what a function does and how it is configured.")
    made.add_argument(
        "function",
        metavar="NAME",
        help="a function or the kind of its config (krmkit list names all), or a field, as in explain",
    )
    add_functions(made)
    return made


def _list(known: dict[str, Function], form: str, terminal: Terminal) -> int:
    if form == "json":
        functions = [
            {
                "name": name,
                "apiVersion": definition.api_version,
                "kind": definition.kind,
                "tags": definition.tags,
                "summary": definition.summary,
            }
            for name, definition in ((name, known[name].definition) for name in sorted(known))
        ]
        terminal.stream.write(json_of("Functions", functions=functions))
        return 0
    table = Table(["FUNCTION", "KIND", "TAGS", "SUMMARY"])
    for name in sorted(known):
        definition = known[name].definition
        table.add([name, definition.kind, ", ".join(definition.tags), definition.summary])
    terminal.stream.write(table.text(terminal))
    return 0
