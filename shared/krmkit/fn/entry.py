"""The entry point of every function: its command line, its streams, its exit code.

A function's main.py ends in `main(__file__, process)`; a linked program, `krmkit run`, an image and a
pipeline load the same main.py (`krmkit.fn.loader`) and run its `process` the same way. What a function is
called with:

    main.py [FILE] [--explain] [--debug] [--crds DIR] [--limit NAME=N] [--jobs N]
    main.py --help | --schema | --version
"""

from __future__ import annotations

import gc
import os
import sys

from krmkit.fn.loader import definition
from krmkit.fn.run import RunOptions, run, unreadable
from krmkit.krm.errors import Refused
from krmkit.libraries.yaml import _libyaml
from krmkit.process import buffer_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn, TextIO

    from krmkit.fn.definition import FunctionDefinition
    from krmkit.fn.run import Outcome, Process


_AT_ONCE = 1 << 20
"""Characters that are encoded at once to be written."""


def main(file: str, process: Process) -> NoReturn:
    """Run the function of the main.py `file` with the process's arguments and streams, then exit."""
    buffer_streams()
    prepare()
    leave(run_function(os.path.dirname(os.path.realpath(file)), process, sys.argv[1:]))


def run_function(folder: str, process: Process, arguments: list[str]) -> int:
    """Run the function in `folder` on the process's streams, and return the exit code."""
    # A print that was left in a function must not end up inside the ResourceList.
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        return command(folder, process, arguments, sys.stdin, stdout, sys.stderr)
    except KeyboardInterrupt:
        return 130
    finally:
        sys.stdout = stdout


def prepare() -> None:
    """Prepare a process that exits after its runs."""
    # Nothing that a run makes is garbage before the run ends, so looking for garbage is time lost: half of
    # all time on a list of thousands.
    gc.disable()
    _libyaml.lean = True
    add_dependencies()


def leave(code: int) -> NoReturn:
    """Exit without the interpreter's cleanup, which would take as long as a small run."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except OSError:
                code = code or 1
    os._exit(code)


def add_dependencies() -> None:
    """Add the dependencies of a checkout or an image to sys.path, without site-packages.

    An image has them in `site` beside `shared`, a checkout in its virtual environments. They are appended, so
    that the interpreter's own packages win.
    """
    root, found, _ = __file__.replace("\\", "/").rpartition("/shared/krmkit/")
    if found:
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        for folder in (
            "site",
            f".venv/lib/{version}/site-packages",
            f".venv-run/lib/{version}/site-packages",
        ):
            path = f"{root}/{folder}"
            if path not in sys.path:
                sys.path.append(path)


def command(
    folder: str,
    process: Process,
    arguments: list[str],
    stdin: TextIO | None,
    stdout: TextIO | None,
    stderr: TextIO | None,
) -> int:
    """Call the function in `folder` once with these streams (None: closed), and return the exit code."""
    name = folder.rpartition("/")[2]
    file = show = ""
    options = RunOptions()
    options.jobs = 0
    if arguments:
        from krmkit.fn.commandline import parse_arguments

        try:
            parsed = parse_arguments(arguments, jobs=0)
        except Refused as error:
            said = str(error)
            said += " " if said.endswith("?") else "; "
            return _write("", f"{_called(folder)}: {said}--help lists its flags\n", 1, stdout, stderr)
        file, show, options = parsed.file, parsed.show, parsed.options
    try:
        about = definition(folder)
    except ImportError as error:
        outcome = unreadable(name, str(error), "missing-dependency")
    except (OSError, ValueError) as error:
        outcome = unreadable(name, f"the function itself is broken: {folder}/function.yaml: {error}")
    else:
        if show:
            from krmkit.fn.help import text_for

            return _write(text_for(about, show), "", 0, stdout, stderr)
        try:
            content = _read(file, stdin, stderr, name)
            outcome = evaluate(about, process, content, options)
        except OSError as error:
            outcome = unreadable(name, f"cannot read {file or 'stdin'}: {error.strerror or error}")
    return _write(outcome.stdout, outcome.stderr, outcome.exit_code, stdout, stderr)


def evaluate(
    definition: FunctionDefinition, process: Process, content: bytes, options: RunOptions
) -> Outcome:
    """Run the function on the bytes of a list."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        place = f"byte 0x{content[error.start]:02x} at offset {error.start}, on line {line}"
        return unreadable(definition.name, f"the input is not UTF-8: {place}")
    return run(definition, process, text, options)


def _called(folder: str) -> str:
    """Return the function's name, or its folder's name if function.yaml cannot be read."""
    try:
        return definition(folder).name
    except (ImportError, OSError, ValueError):
        return folder.rpartition("/")[2]


def _read(file: str, stdin: TextIO | None, stderr: TextIO | None, name: str) -> bytes:
    if file:
        with open(file, "rb") as stream:
            return stream.read()
    if stdin is None:
        return b""
    if stderr is not None and stdin.isatty():
        stderr.write(f"{name}: reading a ResourceList from the terminal (--help says more)\n")
    return stdin.buffer.read()


def _write(text: str, errors: str, code: int, stdout: TextIO | None, stderr: TextIO | None) -> int:
    """Write everything, and return the exit code: 1 if the output could not be written whole."""
    if text:
        try:
            if stdout is None:
                raise OSError("stdout is closed")
            # In parts: the bytes of a large list would take as much memory again.
            for start in range(0, len(text), _AT_ONCE):
                stdout.buffer.write(text[start : start + _AT_ONCE].encode("utf-8", "replace"))
            stdout.buffer.flush()
        except BrokenPipeError:
            code = 1  # the reader has gone, so no message would arrive
        except OSError as error:
            code, errors = 1, f"{errors}cannot write the output: {error.strerror or error}\n"
    if errors and stderr is not None:
        try:
            stderr.write(errors)
            stderr.flush()
        except OSError:
            pass
    return code
