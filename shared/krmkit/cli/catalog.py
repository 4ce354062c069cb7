"""Run `krmkit list`, `krmkit doc NAME` and `krmkit version`: list the functions and describe each."""

from __future__ import annotations

import argparse
import sys

from krmkit import __version__
from krmkit.analysis.systems.followed import followed
from krmkit.cli.arguments import CommandParser, add_functions, add_output
from krmkit.cli.running import add_running, options_of, resolver_of
from krmkit.cli.schema import find
from krmkit.fn.fieldtexts import explained
from krmkit.fn.help import help_text
from krmkit.fn.knownfunctions import catalog
from krmkit.fn.loader import Function
from krmkit.render.package import read
from krmkit.views.formats import json_of
from krmkit.views.terminal import Table, Terminal

FORMATS = ("table", "json")


def main(words: list[str]) -> int:
    arguments = parser(words[0]).parse_args(words[1:])
    if words[0] == "version":
        print(f"krmkit {__version__}")
        return _systems() if arguments.systems else 0
    known = catalog(arguments.functions)
    if words[0] == "list":
        if arguments.package:
            return _answerers(arguments)
        return _list(known, arguments.format, Terminal.of(arguments))
    kind, _, path = arguments.function.partition(".")
    definition = find(kind, known)
    print(explained(definition, path.split(".")) if path else help_text(definition), end="")
    return 0


def _answerers(arguments: argparse.Namespace) -> int:
    """List who runs each entry of a package's pipelines; return 1 if nobody can run one."""
    resolver = resolver_of(arguments, options_of(arguments))
    table = Table(["PACKAGE", "FIELD", "NAMED", "ANSWERED BY", "NOTE"])
    steps = []
    for package in read(arguments.package).walk():
        for entry in package.functions:
            named = f"image {entry.image}" if entry.image else f"exec {entry.exec}"
            who, note = resolver.answers(entry)
            table.add([package.folder or ".", entry.field, named, who or "nobody", note])
            steps.append(
                {
                    "package": package.folder,
                    "field": entry.field,
                    "named": named,
                    "answeredBy": who,
                    "note": note,
                }
            )
    terminal = Terminal.of(arguments)
    json = arguments.format == "json"
    terminal.stream.write(json_of("Answers", steps=steps) if json else table.text(terminal))
    return int(any(not step["answeredBy"] for step in steps))


def _systems() -> int:
    table = Table(["SYSTEM", "FOLLOWED", "COMMIT", "NEWEST SEEN", "CHECKED BY"])
    for one in followed():
        table.add([one["name"], one["followed"], str(one.get("commit", "-")), one["newest"], one["checked"]])
    terminal = Terminal(sys.stdout)
    terminal.stream.write(table.text(terminal))
    return 0


def parser(command: str) -> CommandParser:
    """Return the command line of `krmkit list`, `doc` or `version`."""
    if command == "list":
        made = CommandParser(prog="krmkit list", description="List the functions of the catalog.")
        made.add_argument(
            "--for",
            dest="package",
            metavar="PKG",
            help="say for each function of a package's pipeline who answers it",
        )
        add_running(made)
        add_output(made, FORMATS, results=False, does=False)
        return made
    if command == "version":
        made = CommandParser(prog="krmkit version", description="Say which version this is.")
        made.add_argument(
            "--systems", action="store_true", help="list the versions of the systems it follows"
        )
        return made
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
