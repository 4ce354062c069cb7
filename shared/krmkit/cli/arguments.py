"""Share parts of all command lines: a parser, and the types of its values.

made = CommandParser(prog="krmkit render", description="Run the pipeline of a kpt package.")
add_output(made, FORMATS)
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.process.stderr import say
from krmkit.render.findings.model import SEVERITIES
from krmkit.render.package import KPTFILE
from krmkit.storage.disk.folders import settings_file
from krmkit.views.formats import FORMATS
from krmkit.views.terminal import COLOURS

# Formats of krmkit, and those that other tools know by -o.
_FORMAT_WORDS = frozenset((*FORMATS, "html", "markdown", "gitlab", "yaml", "yml", "name", "wide", "jsonpath"))

_EARLIER = frozenset(("--out",))  # names of flags that work and are not shown


class Fitting(argparse.RawDescriptionHelpFormatter):
    """Format help: keep the lines of a text, but fill paragraphs with lines too long for the terminal."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        from textwrap import fill

        def fitted(text: str, more: str = "") -> str:
            return fill(text, width, subsequent_indent=more, break_long_words=False, break_on_hyphens=False)

        paragraphs = []
        for paragraph in text.strip("\n").split("\n\n"):
            lines = paragraph.split("\n")
            if any(len(line) > width for line in lines):
                commands = all("krmkit " in line for line in lines)
                # A list of commands stays one, line by line.
                lines = (
                    [fitted(line, "    ") for line in lines]
                    if commands
                    else [fitted(" ".join(paragraph.split()))]
                )
            paragraphs.append("\n".join(lines))
        return "\n\n".join(paragraphs)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Show the value once, `-o, --output DIR`, as Python does from 3.13 on; hide old flag names."""
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, action.dest.upper())
        return ", ".join(name for name in action.option_strings if name not in _EARLIER) + f" {value}"


class CommandParser(argparse.ArgumentParser):
    """A parser that suggests the nearest flag or command.

    A wrong call exits with 1, as 2 means that something would change. Flags cannot be abbreviated.
    """

    def __init__(self, *words: Any, **settings: Any) -> None:
        settings.setdefault("allow_abbrev", False)
        if settings.get("formatter_class") in (None, argparse.RawDescriptionHelpFormatter):
            settings["formatter_class"] = Fitting
        super().__init__(*words, **settings)

    def error(self, message: str) -> NoReturn:
        """Print the error and where to find help, and exit with 1."""
        end = " " if message.endswith("?") else "; "
        self.exit(1, f"{self.prog}: error: {message}{end}{self.prog} --help lists its flags\n")

    # Typeshed overloads, as the next.
    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and fill missing flags from the repository's settings; `from_settings` names these."""
        found = super().parse_args(args, namespace)
        found.from_settings = _set_defaults(found, args or ())
        return found

    # Typeshed overloads this method for every kind of namespace; none of the overloads matters here.
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and let the subcommand's parser refuse unknown arguments: only it knows its flags."""
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
        """Refuse a value that is not one of the choices, and suggest the nearest."""
        choices: Iterable[Any] | None = action.choices
        if choices is not None and value not in choices:
            raise argparse.ArgumentError(
                action, f'there is no "{value}"{did_you_mean(str(value), map(str, choices))}'
            )


def _set_defaults(found: argparse.Namespace, words: Sequence[str]) -> frozenset[str]:
    """Put the repository's settings into options without a flag among the words; return their names."""
    given = vars(found)
    names = given.get("package"), given.get("setfile"), *given.get("sets", given.get("paths", ()))
    place = next((one for one in names if one and os.path.exists(one)), os.curdir)
    if "in_process" not in given and "exclude" not in given:
        return frozenset()  # no command that reads packages
    folder = place if os.path.isdir(place) else os.path.dirname(place) or os.curdir
    path = settings_file(folder)
    if not path:
        return frozenset()
    from krmkit.analysis.settings import read_settings
    from krmkit.render.findings.places import shown_path

    flags = {word.partition("=")[0] for word in words}
    meaningless = {"exclude": not given.get("recursive", True), "against": given.get("live", False)}
    new = {
        name: value
        for name, value in read_settings(path, shown_path(path)).items()
        if name in given and f"--{name.replace('_', '-')}" not in flags and not meaningless.get(name)
    }
    given.update(new)
    return frozenset(new)


def add_output(
    parser: argparse.ArgumentParser, formats: Sequence[str], results: bool = True, does: bool = True
) -> None:
    """Add --format and --color, --severity for a command with results, and --quiet for one that reports."""
    parser.add_argument(
        "-f",
        "--format",
        choices=formats,
        default=formats[0],
        metavar="FORMAT",
        help=f"how results are shown: {', '.join(formats)} (default: %(default)s)",
    )
    if results:
        parser.add_argument(
            "--severity",
            choices=SEVERITIES,
            default=SEVERITIES[-1],
            metavar="LEAST",
            help="the least severe results to show: error, warning or info (default: %(default)s)",
        )
    if does:
        parser.add_argument(
            "-q", "--quiet", action="store_true", help="show errors only, and not what was done"
        )
    add_color(parser)


def add_place(parser: argparse.ArgumentParser, metavar: str, text: str, **settings: Any) -> None:
    """Add -o/--output, the file or folder that a command writes; `settings` go to argparse.

    The name of a format is refused, as kubectl and kpt have `-o json`. --out is an old name of the flag.
    Example: `add_place(parser, "DIR", "where the packages go", required=True)`.
    """
    parser.add_argument(
        "-o", "--output", "--out", dest="output", type=output_place, metavar=metavar, help=text, **settings
    )


def output_place(text: str) -> str:
    """Parse the value of --output. Raises argparse's error for the name of a format."""
    if text.partition("=")[0] not in _FORMAT_WORDS:
        return text
    remedy = f"use -f {text} for the format" if text in FORMATS else "see -f for the formats that there are"
    raise argparse.ArgumentTypeError(
        f'must be a place, got the format "{text}"; {remedy}, or -o ./{text} for a place of that name'
    )


def add_color(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--color",
        choices=COLOURS,
        default=COLOURS[0],
        metavar="WHEN",
        help=f"{', '.join(COLOURS)} (default: %(default)s, where a terminal watches and NO_COLOR is not set)",
    )


def add_package(parser: argparse.ArgumentParser) -> None:
    """Add the package as an optional argument; the default is `package_above()`."""
    parser.add_argument(
        "package",
        nargs="?",
        default="",
        metavar="PKG",
        help="the package's folder (default: the package that the working directory is in)",
    )


def package_above(path: str = os.curdir) -> str:
    """Return the nearest folder with a Kptfile, from a path (default: `.`) upwards, else the path itself."""
    folder = os.path.realpath(path)
    while not os.path.exists(os.path.join(folder, KPTFILE)):
        above = os.path.dirname(folder)
        if above == folder:
            return path
        folder = above
    return os.path.relpath(folder)


def package_and_words(words: Iterable[str | None], most: int, default: str = "") -> tuple[str, list[str]]:
    """Split words into an optional package in front, and the rest. Raises ValueError beyond `most`.

    The first word is the package if it is a folder, or if there is neither a `default` nor a package around.
    Example: `package_and_words(["profile", "ConfigMap/app"], 2)` is `("profile", ["ConfigMap/app"])` if
    profile is a folder.
    """
    rest, above = [word for word in words if word], default or package_above()
    inside = default or os.path.exists(os.path.join(above, KPTFILE))
    named = rest and (os.path.isdir(rest[0]) or len(rest) > most or not inside)
    folder = rest.pop(0) if named else above
    if len(rest) > most:
        raise ValueError(f'unexpected argument "{rest[most]}"')
    return folder, rest


def add_open(parser: argparse.ArgumentParser) -> None:
    """Add --open, for commands that make a page."""
    parser.add_argument("--open", action="store_true", help="show the page in a browser")


def show_page(command: str, address: str) -> None:
    """Open an address in the user's browser. Without a browser, print the address."""
    import webbrowser

    try:
        opened = webbrowser.open(address)
    except webbrowser.Error:
        opened = False
    if not opened:
        say(command, f"no browser opens here; open {address} yourself")


def add_functions(parser: argparse.ArgumentParser) -> None:
    """Add --functions, for more folders of functions."""
    parser.add_argument(
        "--functions",
        action="append",
        default=[],
        metavar="DIR",
        help="know the functions in DIR too: the folder of a function, or one that holds such folders",
    )


def seconds(text: str) -> float:
    """Parse the value of --timeout. Raises argparse's error. Example: `seconds("2.5") == 2.5`."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f'must be a number of seconds above 0, got "{text}"')
    return value


def count(text: str) -> int:
    """Parse the value of --jobs. Raises argparse's error. Example: `count("4") == 4`."""
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f'must be a whole number above 0, got "{text}"')
    return int(text)


def cores() -> int:
    """Return the number of processes that this machine can run at a time."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def add_tree(parser: argparse.ArgumentParser, recursive: str = "", jobs_with: str = "with -r: ") -> None:
    """Add the flags of many packages: --since, --jobs, --exclude, and --recursive with this help text.

    Without `recursive`, the command always handles all packages below a folder.
    """
    if recursive:
        parser.add_argument("-r", "--recursive", action="store_true", help=recursive)
    parser.add_argument(
        "--since",
        default="",
        metavar="REVISION",
        help=f"{'with -r: ' * bool(recursive)}only packages in which something differs from a git revision",
    )
    add_jobs(parser, jobs_with if recursive else "")
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="PATTERN",
        help="leave out folders, by a pattern as in .krmignore: archive, /blueprints, site-*; can be given several times",
    )


def add_jobs(parser: argparse.ArgumentParser, when: str = "") -> None:
    parser.add_argument(
        "--jobs",
        type=count,
        default=0,
        metavar="N",
        help=f"{when}how many processes work (default: one for each core)",
    )


def check_tree(arguments: argparse.Namespace, *names: str) -> None:
    """Raise Refused for flags of many packages without --recursive."""
    for name in names:
        if getattr(arguments, name) and not arguments.recursive:
            raise Refused(f"--{name} is for --recursive; add -r")
