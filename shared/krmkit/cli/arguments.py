"""What the command lines of all commands share: a parser, and the types of its values.

made = CommandParser(prog="krmkit render", description="Run the pipeline of a kpt package.")
add_output(made, FORMATS)
"""

from __future__ import annotations

import argparse
import os
import sys

from krmkit.cli.terminal import COLOURS
from krmkit.lang.nearest import did_you_mean
from krmkit.render.external import TIMEOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, NoReturn

    from krmkit.fn.run import RunOptions
    from krmkit.render.resolve import ProgramResolver


class Fitting(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of a text as they are, but for paragraphs with a line that is too long for the terminal."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        from textwrap import fill

        paragraphs = text.strip("\n").split("\n\n")
        return "\n\n".join(
            paragraph
            if all(len(line) <= width for line in paragraph.split("\n"))
            else fill(" ".join(paragraph.split()), width, break_long_words=False, break_on_hyphens=False)
            for paragraph in paragraphs
        )


class CommandParser(argparse.ArgumentParser):
    """A parser that names the nearest flag or command, and ends a wrong call with exit code 1: 2 says that something
    would change. Half a flag is none."""

    def __init__(self, *words: Any, **settings: Any) -> None:
        settings.setdefault("allow_abbrev", False)
        if settings.get("formatter_class") in (None, argparse.RawDescriptionHelpFormatter):
            settings["formatter_class"] = Fitting
        super().__init__(*words, **settings)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, and end the process with 1."""
        end = " " if message.endswith("?") else "; "
        self.exit(1, f"{self.prog}: error: {message}{end}{self.prog} --help lists its flags\n")

    # Typeshed overloads this one for every kind of namespace, which says nothing here.
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and refuse what is unknown where it stands: only the parser of a subcommand knows that one's flags."""
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            flag = next((word for word in rest if word.startswith("-")), "")
            if not flag:
                self.error(f'unexpected argument "{rest[0]}"')
            known = [name for action in self._actions for name in action.option_strings]
            name = flag.partition("=")[0]
            self.error(
                f'unknown flag "{name}"{did_you_mean(name, [one for one in known if one[:2] == name[:2]])}'
            )
        return found, rest

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is no choice, with the nearest one."""
        choices: Iterable[Any] | None = action.choices
        if choices is not None and value not in choices:
            raise argparse.ArgumentError(
                action, f'there is no "{value}"{did_you_mean(str(value), map(str, choices))}'
            )


def add_output(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Add --format and --color, which say how a command shows what it found."""
    parser.add_argument(
        "-f",
        "--format",
        choices=formats,
        default=formats[0],
        metavar="FORMAT",
        help=f"how results are shown: {', '.join(formats)} (default: %(default)s)",
    )
    add_color(parser)


def add_color(parser: argparse.ArgumentParser) -> None:
    """Add --color."""
    parser.add_argument(
        "--color",
        choices=COLOURS,
        default=COLOURS[0],
        metavar="WHEN",
        help=f"{', '.join(COLOURS)} (default: %(default)s, where a terminal watches and NO_COLOR is not set)",
    )


def add_functions(parser: argparse.ArgumentParser) -> None:
    """Add --functions, which brings functions of others into the catalog."""
    parser.add_argument(
        "--functions",
        action="append",
        default=[],
        metavar="DIR",
        help="know the functions in DIR too: the folder of a function, or one that holds such folders",
    )


def add_running(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say which functions are known, and how others run."""
    add_functions(parser)
    parser.add_argument("--allow-exec", action="store_true", help="let programs outside the catalog run")
    parser.add_argument("--allow-network", action="store_true", help="let containers reach the network")
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=TIMEOUT,
        metavar="SECONDS",
        help="how long a function outside the catalog may take (default: %(default)g)",
    )
    parser.add_argument(
        "--image-pull-policy",
        choices=["Always", "IfNotPresent", "Never"],
        default="IfNotPresent",
        help="when to pull images (default: %(default)s)",
    )


def resolver_of(arguments: argparse.Namespace, options: RunOptions) -> ProgramResolver:
    """Who finds the functions, as the flags of `add_running` say. Raises CatalogError."""
    from krmkit.fn.knownfunctions import catalog
    from krmkit.render.resolve import ProgramResolver

    return ProgramResolver(
        options,
        arguments.allow_exec,
        arguments.allow_network,
        arguments.image_pull_policy,
        arguments.timeout,
        catalog(arguments.functions) if arguments.functions else None,
    )


def seconds(text: str) -> float:
    """The value of --timeout. Raises argparse's error. Example: `seconds("2.5") == 2.5`."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f'must be a number of seconds above 0, got "{text}"')
    return value


def count(text: str) -> int:
    """The value of --jobs. Raises argparse's error. Example: `count("4") == 4`."""
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f'must be a whole number above 0, got "{text}"')
    return int(text)


def cores() -> int:
    """How many processes can work at a time on this machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def say(command: str, message: object) -> None:
    """Write one line to stderr: `krmkit render: message`. An error of the disk names its file."""
    if isinstance(message, OSError) and message.filename:
        message = f"{message.filename}: {message.strerror}"
    print(f"krmkit {command}: {message}", file=sys.stderr)
