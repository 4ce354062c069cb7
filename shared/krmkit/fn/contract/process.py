"""Rules about the program: what a run may touch, and its output and exit code when kpt starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import FrameType
from unittest.mock import patch

from krmkit.fn import loader, testing
from krmkit.fn import run as core
from krmkit.fn.contract.contractrules import each_example, each_function, folder_of, rule
from krmkit.fn.contract.inputs import BYSTANDERS
from krmkit.fn.run import RunOptions
from krmkit.fn.testing import Example

_LIBRARY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


class Watch:
    """Python's audit events while the watch is on. A hook cannot be removed, so it is switched."""

    def __init__(self) -> None:
        self.on = False
        self.seen: list[str] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.on:
            return
        path = str(arguments[0]) if arguments else ""
        if event == "open":
            # The function's code, whose place depends on the Python version.
            if not path.endswith((".py", ".pyc", ".so")) and "__pycache__" not in path:
                self._see(f"open {path}")
        elif event.startswith(("socket.", "subprocess.", "os.", "shutil.", "tempfile.", "urllib.", "http.")):
            # An import lists folders.
            if event not in {"os.listdir", "os.scandir"}:
                self._see(f"{event} {path}")

    def _see(self, what: str) -> None:
        if not _is_of_a_child():
            self.seen.append(what)


def _is_of_a_child() -> bool:
    """Return True for events of krmkit.libraries.process.child, which limits a function's memory."""
    frame: FrameType | None = sys._getframe(3)
    while frame is not None:
        if frame.f_globals.get("__name__") == "krmkit.libraries.process.child":
            return True
        if frame.f_globals.get("__name__") == "krmkit.fn.run":
            return False
        frame = frame.f_back
    return False


_watch: list[Watch] = []  # made once: Python cannot take a hook back


def watch() -> Watch:
    """Return this process's only watch."""
    if not _watch:
        _watch.append(Watch())
    return _watch[0]


@rule(each_example)
def touches_nothing_outside(example: Example) -> None:
    """Check that a run needs no network, disk, other process or environment."""
    function = loader.at(str(folder_of(example)))
    text = example.render_list()
    definition, process = function.definition, function.process
    expected = core.run(definition, process, text, RunOptions()).stdout
    seen = watch().seen
    seen.clear()
    with patch.dict(os.environ, {"LOG_TO_STDERR": "true", "TZ": "Asia/Kathmandu"}, clear=True):
        watch().on = True
        try:
            outcome = core.run(definition, process, text, RunOptions())
        finally:
            watch().on = False

    assert outcome.stdout == expected
    assert not seen


def start(folder: Path, text: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the function's main.py as a process that has only this environment."""
    return subprocess.run(
        [sys.executable, str(folder / "main.py")],
        input=text.encode(),
        capture_output=True,
        check=False,
        env={"PYTHONPATH": _LIBRARY, **environment},
        timeout=60,
    )


@rule(each_example)
def program_says_the_same(example: Example) -> None:
    """Check that the program, under another hash seed, gives the bytes and code of a run here."""
    folder = folder_of(example)
    text = example.render_list(BYSTANDERS)
    expected = testing.run_function(folder, text)

    done = start(folder, text, PYTHONHASHSEED="1", TZ="Asia/Kathmandu", LANG="C")

    assert done.stdout.decode() == expected.stdout
    assert (done.returncode, done.stderr.decode()) == (expected.exit_code, expected.stderr)


@rule(each_function)
def no_output_is_no_success(folder: Path) -> None:
    """Check that an empty stdout never comes with exit code 0: kpt would delete the files."""
    done = start(folder, "")

    assert done.returncode == 1
    assert done.stdout.startswith(b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")


@rule(each_function)
def full_disk_is_a_failure(folder: Path) -> None:
    """Check that the exit code is 1 if the output could not be written whole."""
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, str(folder / "main.py")],
            input=testing.resource_list(BYSTANDERS).encode(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env={"PYTHONPATH": _LIBRARY},
            timeout=60,
        )

    assert done.returncode == 1
    assert b"cannot write the output" in done.stderr
