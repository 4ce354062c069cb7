"""`krmkit link DIR [NAME...]`: write a program for each function, for `exec:` of a Kptfile."""

from __future__ import annotations

import argparse
import os

from krmkit.cli.arguments import CommandParser
from krmkit.fn import loader
from krmkit.storage.disk.programs import link

EPILOG = """
krmkit link ~/.local/bin
krmkit link bin apply-presets resolve-macros

With DIR on PATH, `exec: apply-presets` in a Kptfile runs the program under
`kpt fn render --allow-exec`. Programs that are there already are written anew.
"""


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit link",
        description="Write a program for each function, for `exec:` of a Kptfile.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("folder", metavar="DIR", help="the folder of the programs, made if it is missing")
    made.add_argument(
        "names", nargs="*", default=[], metavar="NAME", help="a function (default: all of the catalog)"
    )
    return made


def main(words: list[str]) -> int:
    arguments = parser().parse_args(words[1:])
    names = [loader.load(name).name for name in arguments.names] or loader.names()
    for path in link(arguments.folder, names):
        print(os.path.normpath(path))
    return 0
