"""`krmkit run NAME [FILE] [flags]`: one function, exactly as its own command runs it."""

from __future__ import annotations

import sys

from krmkit.cli.arguments import Parser
from krmkit.fn import loader
from krmkit.fn.entry import run_function

HELP = """krmkit run NAME [FILE] [flags]

Runs the function NAME (see `krmkit list`; or a folder with a function.yaml) on the ResourceList in FILE or on stdin.
`krmkit run NAME --help` lists the function's flags and its config.
"""


def parser() -> Parser:
    """The command line of `krmkit run`, for completion: a function reads its own."""
    made = Parser(prog="krmkit run", description="Run one function on a ResourceList.")
    made.add_argument("function", metavar="NAME", help="a function, or a folder with a function.yaml")
    made.add_argument("file", nargs="?", metavar="FILE", help="a ResourceList; stdin where it is absent")
    for flag in ("--schema", "--version", "--explain", "--debug"):
        made.add_argument(flag, action="store_true")
    made.add_argument("--limit", metavar="NAME=N")
    return made


def main(words: list[str]) -> int:
    """Run `krmkit run ...`; returns the function's exit code."""
    if len(words) < 2 or words[1] in {"-h", "--help"}:
        print(HELP, end="")
        return 0 if len(words) > 1 else 1
    name = words[1]
    try:
        function = loader.at(name) if "/" in name else loader.load(name)
    except LookupError as error:
        print(f"krmkit run: {error.args[0]}", file=sys.stderr)
        return 1
    return run_function(function.folder, function.process, words[2:])
