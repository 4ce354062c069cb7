"""`krmkit spiff merge TEMPLATE [STUB...]`: merge a spiff++ template with stubs, without spiff."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import Any

from krmkit.cli.arguments import CommandParser
from krmkit.fn.commandline import parse_arguments
from krmkit.fn.masking import Mask
from krmkit.krm.errors import Refused
from krmkit.libraries.go.json.functions import must_to_json
from krmkit.libraries.spiff import Options, SpiffError, merge, plain_documents
from krmkit.libraries.yaml import effort, emit
from krmkit.storage.disk.write import write_file
from krmkit.views.terminal import unread_is_fine

LARGEST = 64 * 1024 * 1024
"""How many bytes a template, a stub and a folder of files may have."""

_INDEX = re.compile("-?[0-9]{1,9}")


_FILES_HINT = "\nfiles are read only with --files DIR: the folder that read(...) then sees as /"

_OF_THE_SHELL = ("/dev/", "/proc/self/fd/")  # pipes that somebody writes to, as of `<(command)`


def parser() -> CommandParser:
    made = CommandParser(prog="krmkit spiff", description="Process spiff++ templates.", allow_abbrev=False)
    commands = made.add_subparsers(dest="command", required=True, metavar="merge")
    one = commands.add_parser(
        "merge",
        help="merge a template with stubs",
        description="Print what a template gives with its stubs, as YAML. Functions that run programs, write"
        " files or reach the network fail. Files are those of --files, variables those of --env, and random values need"
        " --random or --seed.",
    )
    one.add_argument("template", metavar="TEMPLATE", help="the template; - is stdin")
    one.add_argument("stubs", nargs="*", default=[], metavar="STUB", help="stubs; the first one counts most")
    one.add_argument("--json", action="store_true", help="print JSON, a document a line")
    one.add_argument(
        "--path", default="", metavar="PATH", help="print only what is at a path such as a.b.[0]"
    )
    one.add_argument(
        "--select", action="append", default=[], metavar="FIELD", help="print only these fields of the result"
    )
    one.add_argument("--split", action="store_true", help="print each entry of a list as a document")
    one.add_argument(
        "--state", metavar="FILE", help="the file of the values marked &state: read if it exists, and written"
    )
    one.add_argument("--bindings", metavar="FILE", help="a YAML map of names that templates and stubs see")
    one.add_argument(
        "--define",
        "-D",
        action="append",
        default=[],
        metavar="NAME=TEXT",
        help="one such name; a.b=x is inside a map",
    )
    one.add_argument(
        "--files", metavar="DIR", help="the folder that read, lookup_file and list_files see as /"
    )
    one.add_argument(
        "--env",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="a variable that env finds; without a value, the one that the environment has; may be given several times",
    )
    chance = one.add_mutually_exclusive_group()
    chance.add_argument(
        "--random", action="store_true", help="let rand, salts and keys differ from run to run"
    )
    chance.add_argument(
        "--seed",
        metavar="HEX",
        help="bytes from which rand, salts and keys come: the same bytes give the same result. They are as secret as"
        " the keys made from them",
    )
    one.add_argument(
        "--features", default="", metavar="NAMES", help="interpolation, control, or both with a comma"
    )
    one.add_argument(
        "--partial", action="store_true", help="print expressions that have no value, and exit 0"
    )
    one.add_argument(
        "--preserve-temporary", action="store_true", help="keep what is marked &temporary or &local"
    )
    one.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=N",
        help="raise a limit: effort limits the work of a merge",
    )
    one.add_argument("--preserve-escapes", action="store_true", help="keep the ! of ((! ... ))")
    return made


def main(words: list[str]) -> int:
    arguments = parser().parse_args(words[1:])
    try:
        limits = parse_arguments([f"--limit={limit}" for limit in arguments.limit]).options.limits
    except Refused as error:
        parser().error(str(error))
    effort.begin(limits.effort)
    try:
        text = _merged(arguments)
    except SpiffError as error:
        wants_files = "no OS operations supported" in error.message and not arguments.files
        raise Refused(error.message + (_FILES_HINT if wants_files else "")) from None
    finally:
        effort.end()
    with unread_is_fine(sys.stdout):
        sys.stdout.write(text)
    return 0


def _merged(arguments: argparse.Namespace) -> str:
    """Return the text to print. The state file is written before this returns."""
    if [arguments.template, *arguments.stubs].count("-") > 1:
        raise Refused("stdin can only be one of the template and the stubs")
    template, *stubs = (_text(name) for name in (arguments.template, *arguments.stubs))
    try:
        result = merge(template, stubs, _options(arguments))
    except SpiffError as error:
        effort.end()
        error.message = Mask.of_values([plain_documents(stub, "") for stub in stubs]).message(error.message)
        raise
    documents = [_selected(document, arguments) for document in result.documents]
    if arguments.state:
        write_file(arguments.state, emit.document(result.state if result.state is not None else {}))
    if arguments.split:
        documents = [entry for one in documents for entry in (one if isinstance(one, list) else [one])]
    if arguments.json:
        return "".join(must_to_json(document) + "\n" for document in documents)
    return "---\n".join(emit.document(document) for document in documents)


def _options(arguments: argparse.Namespace) -> Options:
    features = [name.strip() for name in arguments.features.split(",") if name.strip()]
    state = None
    if arguments.state and os.path.exists(arguments.state):
        state = _document(arguments.state)
    try:
        return Options(
            bindings=_bindings(arguments),
            files=_files(arguments.files) if arguments.files else None,
            access="files" if arguments.files else "none",
            features=features,
            partial=arguments.partial,
            preserve_escapes=arguments.preserve_escapes,
            preserve_temporary=arguments.preserve_temporary,
            state=state,
            source_name=arguments.template,
            stub_names=arguments.stubs,
            floats=False,
            environment=_environment(arguments.env),
            chance=_chance(arguments),
        )
    except ValueError as error:
        raise Refused(str(error)) from None


def _environment(names: list[str]) -> dict[str, str] | None:
    """Return the variables of --env; a name without a value that the environment lacks is skipped."""
    if not names:
        return None
    variables: dict[str, str] = {}
    for text in names:
        name, sign, value = text.partition("=")
        if not name:
            raise Refused(f"--env must be NAME or NAME=VALUE, got {text}")
        if sign:
            variables[name] = value
        elif name in os.environ:
            variables[name] = os.environ[name]
    return variables


def _chance(arguments: argparse.Namespace) -> bytes | None:
    """Return the seed of --seed, or a new one for --random."""
    if arguments.random:
        return os.urandom(32)
    if arguments.seed is None:
        return None
    try:
        seed = bytes.fromhex(arguments.seed)
    except ValueError:
        seed = b""
    if not seed:
        raise Refused(f'--seed must be hexadecimal digits in pairs, such as 00ff, got "{arguments.seed}"')
    return seed


def _text(name: str) -> str:
    try:
        if name == "-":
            content = sys.stdin.buffer.read(LARGEST + 1)
        elif os.path.exists(name) and not os.path.isfile(name) and not name.startswith(_OF_THE_SHELL):
            raise Refused(f"{name} must be a regular file, or - for stdin")
        else:
            with open(name, "rb") as file:
                content = file.read(LARGEST + 1)
    except OSError as error:
        raise Refused(f"cannot read {name}: {error.strerror}") from None
    if len(content) > LARGEST:
        raise Refused(f"{name} must have at most {LARGEST} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"{name} must be UTF-8; byte {error.start} is not") from None


def _document(name: str) -> Any:
    documents = plain_documents(_text(name), name)
    if len(documents) > 1:
        raise Refused(f"{name} must be one document, got {len(documents)}")
    return documents[0]


def _bindings(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """Return the names of --bindings and --define."""
    if not arguments.bindings and not arguments.define:
        return None
    names = _document(arguments.bindings) if arguments.bindings else {}
    names = {} if names is None else names
    if not isinstance(names, dict):
        raise Refused(f"{arguments.bindings} must be a map of names")
    for text in arguments.define:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise Refused(f"--define must be NAME=TEXT, got {text}")
        here = names
        *steps, last = name.split(".")
        for step in steps:
            inner = here.get(step)
            here[step] = inner if isinstance(inner, dict) else {}
            here = here[step]
        here[last] = value
    return names


def _files(folder: str) -> dict[str, bytes]:
    """Return the files below a folder, by their paths in it; links are left out."""
    contents: dict[str, bytes] = {}
    size = 0
    if not os.path.isdir(folder):
        raise Refused(f"--files: {folder} is not a folder")
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(place, name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            size += os.path.getsize(path)
            if size > LARGEST:
                raise Refused(f"--files: {folder} must have at most {LARGEST} bytes")
            try:
                with open(path, "rb") as file:
                    contents["/" + os.path.relpath(path, folder).replace(os.sep, "/")] = file.read()
            except OSError as error:
                raise Refused(f"cannot read {path}: {error.strerror}") from None
    return contents


def _selected(document: Any, arguments: argparse.Namespace) -> Any:
    """Return the part of a document at --path and --select."""
    if arguments.path:
        document = _at(document, arguments.path)
    if not arguments.select:
        return document
    if not isinstance(document, dict):
        raise Refused("--select needs a result that is a map")
    chosen: dict[str, Any] = {}
    for path in arguments.select:
        here = chosen
        *steps, last = path.split(".")
        for step in steps:
            here = here.setdefault(step, {})
        here[last] = _at(document, path)
    return chosen


def _at(document: Any, path: str) -> Any:
    here = document
    for step in path.split("."):
        digits = step.removeprefix("[").removesuffix("]")
        if isinstance(here, dict) and step in here:
            here = here[step]
        elif isinstance(here, list) and _INDEX.fullmatch(digits) and -len(here) <= int(digits) < len(here):
            here = here[int(digits)]
        else:
            raise Refused(f"there is no {path} in the result ({step} is not there)")
    return here
