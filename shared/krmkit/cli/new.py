"""`krmkit new function DIR`: make the folder of a new function, which runs before you edit it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from krmkit.cli.arguments import CommandParser
from krmkit.fn import loader
from krmkit.fn.contract.expected import write
from krmkit.fn.definition import parse
from krmkit.krm.errors import Refused
from krmkit.libraries.process.stderr import say
from krmkit.storage.disk.scaffold import NAME, Place, files, make_folder

_COMMAND = "new function"
EPILOG = """
krmkit new function label-teams
cd label-teams && pytest
krmkit render examples/basic --functions . --diff

docs/sdk.md shows how to continue from here.
"""


def parser() -> CommandParser:
    made = CommandParser(prog="krmkit new", description="Make a function of your own.")
    commands = made.add_subparsers(dest="command", required=True, metavar="function")
    function = commands.add_parser(
        "function",
        help="the folder of a new function",
        description="Make the folder of a function: main.py, function.yaml, an example, a test, an image file.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    function.add_argument(
        "folder",
        metavar="DIR",
        help="the folder, named as the function: two words or more, as in label-teams",
    )
    function.add_argument(
        "--api-version",
        default="example.com/v1alpha1",
        metavar="GROUP/VERSION",
        help="that of the function's config (default: %(default)s)",
    )
    function.add_argument(
        "--registry",
        default="registry.example.com",
        metavar="NAME",
        help="where its image will be (default: %(default)s)",
    )
    return made


def main(words: list[str]) -> int:
    arguments = parser().parse_args(words[1:])
    folder = Path(os.path.abspath(arguments.folder))
    name = folder.name
    problem = _problem(folder, name)
    if problem:
        raise Refused(problem)
    made = files(name, Place(arguments.registry, arguments.api_version))
    try:
        parse(made["function.yaml"])
    except ValueError as error:
        raise Refused(f"--api-version: {error}") from None
    make_folder(folder, made)
    try:
        for kptfile in folder.glob("examples/*/Kptfile"):
            write(kptfile.parent, folder)
    except Refused as error:
        say(
            _COMMAND,
            f"the example has no .expected yet: {error}; pytest --krm-write-expected writes it later",
        )
    print(
        f"{arguments.folder} is made: edit function.yaml, main.py and the example; pytest there runs its tests"
    )
    return 0


def _problem(folder: Path, name: str) -> str:
    """Return why a function cannot have this name, or ""."""
    if not NAME.fullmatch(name):
        return f'the folder must be named in lower case, two words or more, such as label-teams; got "{name}"'
    if name in loader.names():
        return f"krmkit has a function {name} already; choose another name"
    if os.path.lexists(folder):
        return f"{folder.name} is there already; name a folder that does not exist yet"
    return ""
