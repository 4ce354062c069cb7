"""The command line of a function."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.fn.run import RunOptions
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.yaml.limits import Limits

FLAGS = {
    "--explain": "add info results that say what applied, what did not, and why",
    "--debug": "print the traceback of an unexpected error",
    "--tag TAG": "answer as the release TAG of a function that has several, such as v0.4.1",
    "--crds DIR": "check objects by the CRDs in these files, too, in functions that check objects by CRDs",
    "--limit NAME=N": f"raise a limit: {', '.join(Limits.NAMES)} (Ki, Mi, Gi may follow N)",
    "--jobs N": "work on a large list with at most N processes (default: one for each core)",
    "--schema": "print the schema of the config as JSON",
    "--version": "print the version",
}
_UNITS = {"Ki": 1024, "Mi": 1024**2, "Gi": 1024**3}


@dataclass(frozen=True, slots=True)
class Arguments:
    """A command line. `show` is "help", "schema", "version", or "" to run; `file` is "" for stdin."""

    file: str
    show: str
    options: RunOptions


def parse_arguments(arguments: list[str], jobs: int = 1) -> Arguments:
    """Read a command line. `jobs` is the default of `--jobs`. Raises Refused."""
    file = show = ""
    options = RunOptions()
    options.jobs = jobs
    limits: dict[str, int] = {}
    rest = iter(arguments)
    for argument in rest:
        flag, equals, value = argument.partition("=")
        if argument in {"--help", "-h"}:
            show = "help"
        elif argument in {"--schema", "--version"}:
            show = show or argument[2:]
        elif argument == "--explain":
            options.explain = True
        elif argument == "--debug":
            options.debug = True
        elif flag == "--tag":
            options.tag = value if equals else next(rest, "")
        elif flag == "--crds":
            from krmkit.fn.crdfiles import read_crds

            options.crds = read_crds(value if equals else next(rest, ""))
        elif flag == "--jobs":
            options.jobs = _number("--jobs N: N", value if equals else next(rest, ""))
        elif flag == "--limit":
            name, number = _limit(value if equals else next(rest, ""))
            limits[name] = number
        elif argument.startswith("-") and argument != "-":
            known = ["--help", *(name.partition(" ")[0] for name in FLAGS)]
            raise Refused(f'unknown flag "{argument}"{did_you_mean(flag, known)}')
        elif file:
            raise Refused(f'too many arguments: expected at most one FILE, got "{file}" and "{argument}"')
        else:
            file = argument
    if limits:
        options.limits = Limits(**limits)
    return Arguments("" if file == "-" else file, show, options)


def _limit(text: str) -> tuple[str, int]:
    """Read `depth=1000` or `item-size=64Mi` as ("depth", 1000) or ("item-size", 67108864)."""
    name, _, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if name not in Limits.NAMES:
        raise Refused(f'--limit NAME=N: NAME must be one of {", ".join(Limits.NAMES)}, got "{text}"')
    number, factor = value, 1
    if value[-2:] in _UNITS:
        number, factor = value[:-2], _UNITS[value[-2:]]
    return name, _number(f"--limit {name}=N: N", number, value, " (Ki, Mi or Gi may follow)") * factor


def _number(what: str, number: str, given: str = "", hint: str = "") -> int:
    if not (number.isascii() and number.isdecimal() and len(number) < 19 and int(number) > 0):
        raise Refused(f'{what} must be a whole number above 0{hint}, got "{given or number}"')
    return int(number)
