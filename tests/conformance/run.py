"""Runs conformance vectors: python tests/conformance/run.py [DIR] [--only TEXT] [--every N]

DIR (default: records/ beside this file) holds <system>/<file>.jsonl, or <file>.jsonl.gz, one record a line, each with an `id` that is unique in its file. The module
adapters/<system>.py has the judge for each file:

    FILES: dict[str, Judge]      file name -> (record, folder of the file) -> (passed, detail)
    notes() -> list[str]         optional: lines worth reading beside the figures

A file without an adapter counts as not implemented, not as failed. deviations.yaml lists what is known to differ, each with its reason;
an entry that no longer differs is a failure itself, and one that names nothing where DIR is given. `--every N` takes each Nth record.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TextIO

import yaml

SUFFIXES = (".jsonl", ".jsonl.gz")
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RECORDS = HERE / "records"
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
    packed = path.suffix == ".gz"
    with gzip.open(path, "rt", encoding="utf-8") if packed else path.open(encoding="utf-8") as lines:
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


def judge_file(
    path: Path,
    judge: Judge | None,
    broken: str,
    deviations: list[Deviation],
    every: int = 1,
    whole: bool = True,
) -> Tally:
    """Judges each record of a file, or each of so many. `broken` is the reason why the adapter cannot be loaded, which fails every record.

    `whole`: a deviation that no record of the file has is a failure.
    """
    tally = Tally()
    known = {deviation.id: deviation for deviation in deviations}
    if len(known) < len(deviations):
        tally.failures.append("deviations.yaml names a record twice")
    for number, (name, record, error) in enumerate(read_records(path)):
        if number % every:
            continue
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
    if whole:
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
    every: int = 1,
) -> int:
    """Judges all files below `folder`, writes the report, and returns the exit code: 1 when anything failed."""
    if not folder.is_dir():
        raise VectorError(f"{folder} is not a folder of test vectors")
    left = [deviation for deviation in read_deviations(deviations) if only in deviation.file]
    whole = folder != RECORDS  # the project's own records are a part of those that the deviations are about
    passed = failed = 0
    counts: dict[str, list[int]] = {}
    for system in sorted(path.name for path in folder.iterdir() if path.is_dir()):
        files = sorted(path for path in (folder / system).rglob("*") if path.name.endswith(SUFFIXES))
        names = [path.relative_to(folder).as_posix().removesuffix(".gz") for path in files]
        if not any(only in name for name in names):
            continue
        module, broken = adapter(system, package)
        judges: dict[str, Judge] = getattr(module, "FILES", {})
        count = counts.setdefault(system, [0, 0, 0])
        for path, name in zip(files, names, strict=True):
            if only not in name:
                continue
            mine = [deviation for deviation in left if deviation.file == name]
            left = [deviation for deviation in left if deviation.file != name]
            judge = judges.get(name.removeprefix(f"{system}/"))
            tally = judge_file(path, judge, broken, mine, every, whole and every == 1)
            for failure in tally.failures:
                print(f"FAILED {name} {failure}", file=out)
            print(tally.line(name), file=out, flush=True)
            passed += tally.passed
            failed += len(tally.failures)
            records = tally.passed + len(tally.failures) + tally.deviations + tally.missing
            count[:] = [count[0] + records, count[1] + tally.passed, count[2] + tally.deviations]
        for note in module.notes() if module is not None and hasattr(module, "notes") else []:
            print(f"note: {system}: {note}", file=out)
    for deviation in left if whole else ():
        print(
            f"FAILED deviations.yaml names {deviation.file}, which is not there (id {deviation.id})", file=out
        )
        failed += 1
    if not whole and every == 1:
        print(table(counts), end="", file=out)
    print(f"{passed} passed, {failed} failed", file=out)
    return 1 if failed else 0


def expected_counts() -> dict[str, list[int]]:
    """What a run of the project's own records comes to if none fails: by system the records, those alike, the deviations."""
    known = {(one.file, one.id) for one in read_deviations(HERE / "deviations.yaml")}
    counts: dict[str, list[int]] = {}
    for path in sorted(path for path in RECORDS.rglob("*") if path.name.endswith(SUFFIXES)):
        name = path.relative_to(RECORDS).as_posix().removesuffix(".gz")
        ids = [record for record, _, _ in read_records(path)]
        different = sum((name, record) in known for record in ids)
        count = counts.setdefault(name.partition("/")[0], [0, 0, 0])
        count[:] = [count[0] + len(ids), count[1] + len(ids) - different, count[2] + different]
    return counts


def table(counts: dict[str, list[int]]) -> str:
    """The table of docs/compatibility.md: the records of each system, those with the same answer, and the deviations."""
    references = yaml.safe_load((RECORDS / "references.yaml").read_text("utf-8"))
    lines = ["| System | Reference | Records | Same | Different on purpose |", "|---|---|---|---|---|"]
    for system, (records, same, different) in counts.items():
        lines.append(f"| {system} | {references[system]} | {records} | {same} | {different} |")
    return "".join(f"{line}\n" for line in lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests/conformance/run.py", description="Run conformance vectors.")
    parser.add_argument("folder", nargs="?", type=Path, default=RECORDS, metavar="DIR")
    parser.add_argument("--only", default="", metavar="TEXT", help="files whose name holds this")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each Nth record of a file")
    try:
        given = parser.parse_args(arguments)
    except SystemExit as left:  # wrong, or --help
        return 2 if left.code else 0
    try:
        return run(given.folder, sys.stdout, given.only, every=max(given.every, 1))
    except VectorError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "shared"), str(ROOT)]
    raise SystemExit(main(sys.argv[1:]))
