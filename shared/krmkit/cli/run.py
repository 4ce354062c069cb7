"""`krmkit run NAME [FILE] [flags]`: run one function as its own program does; --format: only results."""

from __future__ import annotations

import os
import sys

from krmkit.cli.refusing import answered
from krmkit.fn import loader
from krmkit.fn.entry import command, run_function
from krmkit.krm.errors import Refused

# Imports for --format, --functions and wrong calls are local: a run of one function starts as fast
# as the function's own program.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.cli.arguments import CommandParser
    from krmkit.fn.loader import Function
    from krmkit.render.findings.model import Result
    from krmkit.render.package import Package

HELP = """krmkit run [--functions DIR] NAME [FILE] [flags]

       krmkit run NAME PKG [--fn-config FILE | -- KEY=VALUE...] [--diff]
                  [--write]

Runs the function NAME (see `krmkit list`; or a folder with a function.yaml) on
the ResourceList in FILE or on stdin, and prints the ResourceList that comes
out. With --functions DIR it knows the functions in DIR too. With -f FORMAT
(table, text, json, sarif, junit, github) it prints the results alone. On a
package PKG it writes the files that change, as `kpt fn eval` does, with the
flags of `krmkit render`; --diff shows them and writes nothing.
`krmkit run NAME --help` lists the function's flags and its config.
"""
_FLAGS = ("-f", "--format", "--color")


def parser() -> CommandParser:
    """Return the command line of `krmkit run`, for completion and --format; functions read their flags."""
    from krmkit.cli.arguments import CommandParser, add_functions, add_output
    from krmkit.views.formats import FORMATS

    made = CommandParser(prog="krmkit run", description="Run one function on a ResourceList.")
    made.add_argument("function", metavar="NAME", help="a function, or a folder with a function.yaml")
    made.add_argument("file", nargs="?", metavar="FILE", help="a ResourceList; stdin where it is absent")
    for flag in ("--schema", "--version", "--explain", "--debug"):
        made.add_argument(flag, action="store_true")
    made.add_argument("--limit", action="append", default=[], metavar="NAME=N")
    made.add_argument("--crds", default="", metavar="DIR")
    add_functions(made)
    add_output(made, FORMATS)
    return made


def main(words: list[str]) -> int:
    """Run `krmkit run ...`; returns the function's exit code."""
    folders, words = _folders(words[1:])
    if not words or words[0] in {"-h", "--help"}:
        print(HELP, end="")
        return 0 if words else 1
    name = words[0]
    known = None
    if folders:
        from krmkit.fn.knownfunctions import catalog

        known = catalog(folders)
    function = loader.at(name) if "/" in name else loader.load(name, known)
    try:
        _ = function.process
    except Exception as error:  # noqa: BLE001  # whatever stands in the main.py of others
        raise Refused(loader.unloadable(function, error)) from None
    places = (word for before, word in zip(words, words[1:], strict=False) if before not in _VALUED)
    if any(os.path.isdir(word) for word in places if not word.startswith("-")):
        return _on_package(function, words[1:], folders)
    if any(word.partition("=")[0] in _FLAGS or word[:2] == "-f" for word in words[1:]):
        return _formatted(function, words)
    return run_function(function.folder, function.process, words[1:])


_VALUED = frozenset(("--crds", "--limit", "--format", "-f"))  # flags of functions with a value


def _on_package(function: Function, words: list[str], folders: list[str]) -> int:
    """Run the function alone on a package, like `kpt fn eval`.

    words: the flags of render, --fn-config, and `-- key=value`.
    """
    from krmkit.cli.render import main as render
    from krmkit.kpt.kptfile import PipelineFunction
    from krmkit.krm.resource import Resource

    at = words.index("--") if "--" in words else len(words)
    flags, pairs, path = [], words[at + 1 :], ""
    left = iter(words[:at])
    for word in left:
        name, equals, value = word.partition("=")
        if name == "--fn-config":
            path = value if equals else next(left, "")
        else:
            flags.append(word)
    wrong = next((pair for pair in pairs if not pair.partition("=")[1]), "")
    if wrong or (path and pairs):
        raise Refused(
            f'after -- must be key=value, got "{wrong}"' if wrong else "give --fn-config or -- key=value"
        )
    name = function.name
    entry = PipelineFunction(f"krmkit run {name}", {"exec": name})
    entry.config_map = dict(pair.split("=", 1) for pair in pairs)
    try:
        if path:
            with open(path, encoding="utf-8") as file:
                entry.given = Resource(file.read(), label=path)
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"--fn-config {path}: {getattr(error, 'strerror', None) or error}") from None

    def alone(package: Package) -> None:
        for each in package.walk():
            each.kptfile.mutators, each.kptfile.validators = [], []
            config = [
                one
                for one in each.files
                if path and os.path.samefile(os.path.join(each.path, one.path), path)
            ]
            each.files = [one for one in each.files if one not in config]  # as kpt, the config is no item
            each.ignored |= {one.path for one in config}
        package.kptfile.mutators = [entry]

    more = [word for folder in folders for word in ("--functions", folder)]
    line = ["render", *flags, *more]
    return answered(line, lambda: render(line, alone))


def _folders(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the values of --functions, and all other arguments, which are the function's."""
    folders, rest = [], []
    left = iter(words)
    for word in left:
        name, equals, value = word.partition("=")
        if name != "--functions":
            rest.append(word)
        elif value or not equals:
            folders.append(value or next(left, ""))
    return folders, rest


def _formatted(function: Function, words: list[str]) -> int:
    """Run the function, and show its results instead of the list."""
    import io

    from krmkit.krm.resource import Resource
    from krmkit.libraries.yaml.limits import Limits
    from krmkit.render.findings.model import PackageReport, PipelineStep, Report
    from krmkit.views.formats import shown
    from krmkit.views.terminal import Terminal, unread_is_fine

    arguments = parser().parse_args(words)
    for flag in ("schema", "version"):  # what they show has one form
        if getattr(arguments, flag):
            return run_function(function.folder, function.process, [f"--{flag}"])
    flags = [f"--{flag}" for flag in ("explain", "debug") if getattr(arguments, flag)]
    flags += [f"--limit={limit}" for limit in arguments.limit]
    flags += [f"--crds={arguments.crds}"] if arguments.crds else []
    flags += [arguments.file] if arguments.file else []
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    code = command(function.folder, function.process, flags, sys.stdin, stdout, sys.stderr)
    stdout.flush()
    text = stdout.buffer.getvalue().decode("utf-8") if isinstance(stdout.buffer, io.BytesIO) else ""
    if not text:
        return code
    name = function.definition.name
    report = PackageReport(arguments.file or "stdin", steps=[PipelineStep(name, "function", exit_code=code)])
    results = Resource(text, limits=Limits(item_size=len(text) + 1)).get("results")
    for data in results if isinstance(results, list) else []:
        report.results.append(_result(data, name))
    terminal = Terminal.of(arguments)
    with unread_is_fine(terminal.stream):
        terminal.stream.write(shown(Report("run", [report], written=False), arguments.format, terminal))
    return code


def _result(data: object, function: str) -> Result:
    """Return a result of a ResourceList. Its annotations name the file; the line is unknown."""
    from krmkit.render.findings.model import Result

    result = _map(data)
    tags, file, place = _map(result.get("tags")), _map(result.get("file")), _map(result.get("field"))
    return Result(
        str(result.get("severity", "info")),
        str(tags.get("rule", "")),
        str(result.get("message", "")),
        path=str(file.get("path", "")),
        resource={key: str(value) for key, value in _map(result.get("resourceRef")).items()},
        field=str(place.get("path", "")),
        function=function,
        current=place.get("currentValue"),
        proposed=place.get("proposedValue"),
    )


def _map(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
