"""Runs conformance vectors: python tests/conformance/run.py DIR [--only TEXT]

DIR holds <system>/<file>.jsonl, one record a line, each with an `id` that is unique in its file. The module
adapters/<system>.py has the judge for each file:

    FILES: dict[str, Judge]      file name -> (record, folder of the file) -> (passed, detail)
    notes() -> list[str]         optional: lines worth reading beside the figures

A file without an adapter counts as not implemented, not as failed. deviations.yaml lists what is known to differ, each with its reason;
an entry that no longer differs, or that names nothing, is a failure itself.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TextIO

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ADAPTERS = "tests.conformance.adapters"

Record = dict[str, object]
Judge = Callable[[Record, Path], tuple[bool, str]]
LONGEST_DETAIL = 600


class VectorError(Exception):
    """The vectors or the list of deviations cannot be read."""


class Deviation:
    """One line of deviations.yaml: a record that is known to differ, and why."""

    __slots__ = ("file", "id", "reason")

    def __init__(self, file: str, id: str, reason: str) -> None:
        self.file = file
        self.id = id
        self.reason = reason


class Tally:
    """The outcome of one file: four counts, and one line for each failure."""

    __slots__ = ("deviations", "failures", "missing", "passed")

    def __init__(self) -> None:
        self.passed = 0
        self.deviations = 0
        self.missing = 0
        self.failures: list[str] = []

    def line(self, name: str) -> str:
        return (
            f"{name} passed {self.passed} failed {len(self.failures)}"
            f" deviations {self.deviations} not-implemented {self.missing}"
        )


def read_deviations(path: Path) -> list[Deviation]:
    """The entries of deviations.yaml in order; [] if there is no such file. Raises VectorError for an invalid one."""
    if not path.exists():
        return []
    data = yaml.safe_load(path.read_text("utf-8"))
    found: list[Deviation] = []
    for entry in data if isinstance(data, list) else []:
        keys = set(entry) if isinstance(entry, dict) else set()
        if keys != {"file", "id", "reason"} or not all(str(entry[key]).strip() for key in keys):
            raise VectorError(
                f"{path.name}: an entry is {{file, id, reason}}, all of them filled in, not {entry!r}"
            )
        found.append(Deviation(str(entry["file"]), str(entry["id"]), str(entry["reason"])))
    return found


def read_records(path: Path) -> Iterator[tuple[str, Record | None, str]]:
    """(id, record, error) of each line; a line that is not a record has its number as id, and the error."""
    seen: set[str] = set()
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                yield f"line {number}", None, f"not JSON: {error}"
                continue
            if not isinstance(record, dict) or "id" not in record:
                yield f"line {number}", None, "not a record with an id"
                continue
            name = str(record["id"])
            if name in seen:
                yield name, None, f"the id occurs twice in the file, again on line {number}"
                continue
            seen.add(name)
            yield name, record, ""


def judge_file(path: Path, judge: Judge | None, broken: str, deviations: list[Deviation]) -> Tally:
    """Judges every record of a file. `broken` is the reason why the adapter cannot be loaded, which fails every record."""
    tally = Tally()
    known = {deviation.id: deviation for deviation in deviations}
    if len(known) < len(deviations):
        tally.failures.append("deviations.yaml names a record twice")
    for name, record, error in read_records(path):
        if record is None:
            tally.failures.append(f"{name}: {error}")
            continue
        if judge is None and not broken:
            tally.missing += 1
            continue
        passed, detail = (False, broken) if judge is None else one(judge, record, path.parent)
        deviation = known.pop(name, None)
        if deviation is not None and passed:
            tally.failures.append(f"{name}: passes, but stands in deviations.yaml: take the entry out")
        elif deviation is not None:
            tally.deviations += 1
        elif passed:
            tally.passed += 1
        else:
            tally.failures.append(f"{name}: {shorten(detail)}")
    tally.failures += [f"{name}: stands in deviations.yaml, and no such record ran" for name in known]
    return tally


def one(judge: Judge, record: Record, folder: Path) -> tuple[bool, str]:
    """Judges a record; an exception is a failure with its place."""
    try:
        return judge(record, folder)
    except Exception as error:  # noqa: BLE001 - whatever an adapter or the code below it raises is this record's failure
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
        return False, f"{type(error).__name__}{where}: {error}"


def shorten(detail: str) -> str:
    line = " ".join(detail.split())
    return line if len(line) <= LONGEST_DETAIL else line[:LONGEST_DETAIL] + " ..."


def adapter(system: str, package: str) -> tuple[ModuleType | None, str]:
    """The adapter module of a system, or why there is none ('' if it does not exist)."""
    name = f"{package}.{system}"
    try:
        return importlib.import_module(name), ""
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            return None, ""
        return None, f"the adapter cannot be loaded: {error}"
    except Exception as error:  # noqa: BLE001 - a broken adapter fails its records and leaves the other systems alone
        return None, f"the adapter cannot be loaded: {type(error).__name__}: {error}"


def run(
    folder: Path,
    out: TextIO,
    only: str = "",
    package: str = ADAPTERS,
    deviations: Path = HERE / "deviations.yaml",
) -> int:
    """Judges all files below `folder`, writes the report, and returns the exit code: 1 when anything failed."""
    if not folder.is_dir():
        raise VectorError(f"{folder} is not a folder of test vectors")
    left = [deviation for deviation in read_deviations(deviations) if only in deviation.file]
    passed = failed = 0
    for system in sorted(path.name for path in folder.iterdir() if path.is_dir()):
        files = sorted((folder / system).rglob("*.jsonl"))
        names = [path.relative_to(folder).as_posix() for path in files]
        if not any(only in name for name in names):
            continue
        module, broken = adapter(system, package)
        judges: dict[str, Judge] = getattr(module, "FILES", {})
        for path, name in zip(files, names, strict=True):
            if only not in name:
                continue
            mine = [deviation for deviation in left if deviation.file == name]
            left = [deviation for deviation in left if deviation.file != name]
            judge = judges.get(path.relative_to(folder / system).as_posix())
            tally = judge_file(path, judge, broken, mine)
            for failure in tally.failures:
                print(f"FAILED {name} {failure}", file=out)
            print(tally.line(name), file=out, flush=True)
            passed += tally.passed
            failed += len(tally.failures)
        for note in module.notes() if module is not None and hasattr(module, "notes") else []:
            print(f"note: {system}: {note}", file=out)
    for deviation in left:
        print(
            f"FAILED deviations.yaml names {deviation.file}, which is not there (id {deviation.id})", file=out
        )
        failed += 1
    print(f"{passed} passed, {failed} failed", file=out)
    return 1 if failed else 0


def main(arguments: list[str]) -> int:
    only = ""
    if len(arguments) == 3 and arguments[1] == "--only":
        only = arguments.pop()
        arguments.pop()
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python tests/conformance/run.py DIR [--only TEXT]", file=sys.stderr)
        return 2
    try:
        return run(Path(arguments[0]), sys.stdout, only)
    except VectorError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "shared"), str(ROOT)]
    raise SystemExit(main(sys.argv[1:]))
