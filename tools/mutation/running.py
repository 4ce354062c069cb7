"""Runs tests against changes in memory, each in a forked process, so that no file of the checkout changes.

A change inside a function becomes its code in a process that has collected the tests already, and only the tests that call the function
run. Any other change takes a process that imports the changed text.
"""

from __future__ import annotations

import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import pytest

from tools.definitions import ROOT
from tools.mutation.mutants import Mutant

# The tests of `make test`.
_MARKS = "not kpt and not images and not browser and not slow"
_WORDS = ("-p", "no:cacheprovider", "-p", "no:xdist", "-q", "--no-header", "-m", _MARKS)
_MOST = 900.0  # seconds of all tests without a change
_Place = tuple[str, str, int]  # file, qualified name and first line of a function


def module_name(path: str) -> str:
    """The name by which a file of the library is imported."""
    return ".".join(Path(path).with_suffix("").parts[1:]).removesuffix(".__init__")


class _Changed(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):  # type: ignore[misc]
    """Imports one module from a changed text."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(module_name(mutant.path), str(ROOT / mutant.path))
        self._text = mutant.text

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._text, self.path, "exec", dont_inherit=True)


def _in_child(work: Callable[[], object], most: float, silent: bool = True) -> object:
    """What a function returns in a forked process; None where it does not end in time, or dies."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        if silent:
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        try:
            with os.fdopen(writing, "wb") as stream_out:
                pickle.dump(work(), stream_out)
        finally:
            os._exit(0)
    os.close(writing)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, most)
    with os.fdopen(reading, "rb") as stream_in:
        said = stream_in.read()
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.waitpid(child, 0)
    return pickle.loads(said) if said else None


def _codes(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _codes(one)


def _place(code: CodeType) -> _Place:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _code_of(text: str, mutant: Mutant) -> CodeType:
    return compile(text, str(ROOT / mutant.path), "exec", dont_inherit=True)


def changed_functions(mutant: Mutant) -> dict[_Place, CodeType]:
    """The functions that a change changes, with their new code; none where it is outside of functions."""
    before = _by_place(_code_of((ROOT / mutant.path).read_text("utf-8"), mutant))
    after = _by_place(_code_of(mutant.text, mutant))
    # A comprehension that is gone is part of what held it.
    pairs = [
        (old, new)
        for place, codes in before.items()
        if len(codes) == len(after.get(place, ()))
        for old, new in zip(codes, after[place], strict=True)
    ]
    changed = {_place(new): new for old, new in pairs if old != new}
    # A class's body runs when its module is imported.
    return {} if any(not code.co_flags & 0x1 for code in changed.values()) else changed


def _by_place(module: CodeType) -> dict[_Place, list[CodeType]]:
    found: dict[_Place, list[CodeType]] = {}
    for code in _codes(module):
        found.setdefault(_place(code), []).append(code)
    return found


class _Loop:
    """In place of pytest's loop over the tests: which test calls which function, and then each change with those that call it."""

    def __init__(
        self, changes: list[Mutant], modules: Sequence[str], told: Callable[[Mutant, bool], None]
    ) -> None:
        self.changes, self.modules, self.told = changes, modules, told
        self.failed = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = session.items
        files = {str(ROOT / mutant.path) for mutant in self.changes}
        found = self._callers(session, files)
        if found[0] or not items:
            return True
        self.failed = False
        _, callers, seconds = found
        for module in self.modules:
            importlib.import_module(module)
        functions: dict[_Place, list[FunctionType]] = {}
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__.co_filename in files:
                functions.setdefault(_place(one.__code__), []).append(one)
        for mutant in self.changes:
            codes = changed_functions(mutant)
            numbers = sorted(
                {number for place in codes for number in callers.get(place, ())},
                key=lambda number: seconds[number],
            )
            most = 20 + 10 * sum(seconds[number] for number in numbers)
            self.told(mutant, self._is_killed(session, functions, codes, numbers, most))
        return True

    def _is_killed(
        self,
        session: pytest.Session,
        functions: dict[_Place, list[FunctionType]],
        codes: dict[_Place, CodeType],
        numbers: list[int],
        most: float,
    ) -> bool:
        def work() -> bool:
            for place, code in codes.items():
                for function in functions.get(place, ()):
                    function.__code__ = code
            return any(self._fails(session, number) for number in numbers)

        return bool(numbers) and _in_child(work, most) is not False

    @staticmethod
    def _fails(session: pytest.Session, number: int) -> bool:
        item = session.items[number]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return session.testsfailed > 0

    def _callers(
        self, session: pytest.Session, files: set[str]
    ) -> tuple[bool, dict[_Place, set[int]], dict[int, float]]:
        """Which tests call a function, with their seconds; what dies under the recording, such as a deep recursion, is left out."""
        callers: dict[_Place, set[int]] = {}
        seconds = {}
        for number in range(len(session.items)):
            found: Any = _in_child(partial(self._record, session, number, files), _MOST)
            if found is None:
                continue
            failed, places, seconds[number] = found
            if failed:
                return True, callers, seconds
            for place in places:
                callers.setdefault(place, set()).add(number)
        return False, callers, seconds

    def _record(
        self, session: pytest.Session, number: int, files: set[str]
    ) -> tuple[bool, set[_Place], float]:
        places: set[_Place] = set()

        def note(frame: FrameType, event: str, _: object) -> None:
            if event == "call" and frame.f_code.co_filename in files:
                places.add(_place(frame.f_code))

        begun = time.monotonic()
        sys.setprofile(note)
        failed = self._fails(session, number)
        sys.setprofile(None)
        return failed, places, time.monotonic() - begun


def run(changes: list[Mutant], tests: Sequence[str], told: Callable[[Mutant, bool], None]) -> bool:
    """Run the tests against each change, and tell whether one failed; returns whether the tests pass without a change."""
    inside = [mutant for mutant in changes if changed_functions(mutant)]
    outside = [mutant for mutant in changes if not changed_functions(mutant)]
    modules = sorted({module_name(mutant.path) for mutant in changes})
    words = [*_WORDS, *tests]
    answers: list[bool] = []

    def session() -> tuple[bool, list[bool], float]:
        begun = time.monotonic()
        loop = _Loop(inside, modules, lambda _, killed: answers.append(killed))
        pytest.main(words, plugins=[loop])
        return loop.failed, answers, time.monotonic() - begun

    found: Any = _in_child(session, 100 * _MOST)
    if found is None or found[0]:
        return False
    for mutant, killed in zip(inside, found[1], strict=True):
        told(mutant, killed)
    for mutant in outside:

        def imported(one: Mutant = mutant) -> int:
            # What this tool itself has loaded is imported again.
            for name in [name for name in sys.modules if name.partition(".")[0] in ("krmkit", "tools")]:
                del sys.modules[name]
            sys.meta_path.insert(0, _Changed(one))
            return int(pytest.main([*words, "-x"]))

        told(mutant, _in_child(imported, _MOST) != 0)
    return True
