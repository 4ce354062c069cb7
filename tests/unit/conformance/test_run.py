"""The conformance runner, on vectors and adapters written here."""

from __future__ import annotations

import gzip
import importlib
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conformance import run as runner

ADAPTER = """
def even(record, folder):
    if record["n"] < 0:
        raise ValueError("a negative\\nnumber")
    return record["n"] % 2 == 0, f"{record['n']} is odd"

def beside(record, folder):
    return (folder / "beside.txt").exists(), "the file beside the vectors is not found"

FILES = {"even.jsonl": even, "deep/beside.jsonl": beside}

def notes():
    return ["seven records were drawn by lot"]
"""


class Bench:
    """A folder of vectors, a package of adapters and a list of deviations, all made for one test."""

    def __init__(self, folder: Path, package: str) -> None:
        self.vectors = folder / "vectors"
        self.adapters = folder / package
        self.deviations = folder / "deviations.yaml"
        self.package = package
        self.vectors.mkdir()
        self.adapters.mkdir()

    def add(self, name: str, text: str) -> None:
        path = self.vectors / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def adapter(self, system: str, text: str) -> None:
        (self.adapters / f"{system}.py").write_text(text, "utf-8")
        importlib.invalidate_caches()

    def run(self, only: str = "") -> tuple[int, list[str]]:
        out = io.StringIO()
        code = runner.run(self.vectors, out, only, self.package, self.deviations)
        return code, out.getvalue().splitlines()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.syspath_prepend(tmp_path)
    yield Bench(tmp_path, "adapters_of_a_test")
    for name in [name for name in sys.modules if name.split(".")[0] == "adapters_of_a_test"]:
        del sys.modules[name]


def records(*numbers: int) -> str:
    return "".join(f'{{"id": "n{number}", "n": {number}}}\n' for number in numbers)


def test_counts_and_exit_code(bench: Bench) -> None:
    """A failure is named above the line of its file, and the last line counts everything."""
    bench.adapter("numbers", ADAPTER)
    bench.add("numbers/even.jsonl", records(2, 3, 4))
    bench.add("numbers/other.jsonl", records(1, 2))

    assert bench.run() == (
        1,
        [
            "FAILED numbers/even.jsonl n3: 3 is odd",
            "numbers/even.jsonl passed 2 failed 1 deviations 0 not-implemented 0",
            "numbers/other.jsonl passed 0 failed 0 deviations 0 not-implemented 2",
            "note: numbers: seven records were drawn by lot",
            "2 passed, 1 failed",
        ],
    )


def test_system_without_adapter_does_not_fail(bench: Bench) -> None:
    """Vectors that nobody has an adapter for are counted, and the exit code stays 0."""
    bench.add("letters/a.jsonl", records(1, 2))

    assert bench.run() == (
        0,
        ["letters/a.jsonl passed 0 failed 0 deviations 0 not-implemented 2", "0 passed, 0 failed"],
    )


def test_files_of_a_record_lie_beside_its_file(bench: Bench) -> None:
    """The judge is handed the folder of the record's own file, in folders below the system's too."""
    bench.adapter("numbers", ADAPTER)
    bench.add("numbers/deep/beside.jsonl", records(1))
    bench.add("numbers/deep/beside.txt", "")

    code, lines = bench.run()

    assert code == 0
    assert lines[0] == "numbers/deep/beside.jsonl passed 1 failed 0 deviations 0 not-implemented 0"


def test_exception_is_one_line(bench: Bench) -> None:
    """What an adapter raises fails that record alone, and names the place."""
    bench.adapter("numbers", ADAPTER)
    bench.add("numbers/even.jsonl", records(-2, 2))

    code, lines = bench.run()

    assert code == 1
    assert lines[0] == "FAILED numbers/even.jsonl n-2: ValueError at numbers.py:4: a negative number"
    assert lines[-1] == "1 passed, 1 failed"


def test_broken_adapter_fails_its_records(bench: Bench) -> None:
    """An adapter that cannot be imported is a failure of every record, never a silence."""
    bench.adapter("numbers", "import no_such_module_anywhere\n")
    bench.adapter("letters", "1 / 0\n")
    bench.add("numbers/even.jsonl", records(2, 4))
    bench.add("letters/a.jsonl", records(1))

    code, lines = bench.run()

    assert code == 1
    assert (
        lines[0]
        == "FAILED letters/a.jsonl n1: the adapter cannot be loaded: ZeroDivisionError: division by zero"
    )
    assert "no_such_module_anywhere" in lines[2]
    assert lines[-1] == "0 passed, 3 failed"


DEVIATIONS: list[tuple[str, str, int, str]] = [
    ("accounts for a failing record", "even.jsonl, id: n3", 0, "passed 1 failed 0 deviations 1"),
    ("fails when its record passes", "even.jsonl, id: n2", 1, "passed 0 failed 2 deviations 0"),
    ("fails when it names no record", "even.jsonl, id: n99", 1, "passed 1 failed 2 deviations 0"),
    ("fails when it names no file", "odd.jsonl, id: n3", 1, "passed 1 failed 1 deviations 0"),
]


@pytest.mark.parametrize(
    ("entry", "code", "line"), [case[1:] for case in DEVIATIONS], ids=[case[0] for case in DEVIATIONS]
)
def test_deviation(bench: Bench, entry: str, code: int, line: str) -> None:
    """An entry of deviations.yaml accounts for a difference as long as there is one."""
    bench.adapter("numbers", ADAPTER)
    bench.add("numbers/even.jsonl", records(2, 3))
    bench.deviations.write_text(f"- {{file: numbers/{entry}, reason: numbers are hard}}\n", "utf-8")

    got, lines = bench.run()

    assert got == code
    assert any(line in text for text in lines)


def test_deviation_named_twice(bench: Bench) -> None:
    """Two entries for one record are a failure."""
    bench.adapter("numbers", ADAPTER)
    bench.add("numbers/even.jsonl", records(3))
    bench.deviations.write_text("- {file: numbers/even.jsonl, id: n3, reason: odd}\n" * 2, "utf-8")

    code, lines = bench.run()

    assert code == 1
    assert "twice" in lines[0]


@pytest.mark.parametrize(
    "entry",
    ["{file: a.jsonl, id: x}", "{file: a.jsonl, id: x, reason: ''}", "just words"],
    ids=["no reason", "empty", "text"],
)
def test_deviation_needs_a_reason(bench: Bench, entry: str) -> None:
    """An entry without a reason is refused."""
    bench.deviations.write_text(f"- {entry}\n", "utf-8")

    with pytest.raises(runner.VectorError, match="reason"):
        bench.run()


LINES: list[tuple[str, str, str]] = [
    ("not JSON", "{oops\n", "line 1: not JSON"),
    ("no id", '{"n": 2}\n', "line 1: not a record with an id"),
    ("id twice", records(2, 2), "n2: the id occurs twice"),
]


@pytest.mark.parametrize(("text", "message"), [case[1:] for case in LINES], ids=[case[0] for case in LINES])
def test_line_that_is_no_record(bench: Bench, text: str, message: str) -> None:
    """A line that is no record of its own is a failure, not a record less."""
    bench.adapter("numbers", ADAPTER)
    bench.add("numbers/even.jsonl", text)

    code, lines = bench.run()

    assert code == 1
    assert message in lines[0]


def test_only(bench: Bench) -> None:
    """--only runs the files whose name holds the text, and their deviations."""
    bench.adapter("numbers", ADAPTER)
    bench.add("numbers/even.jsonl", records(3))
    bench.add("letters/a.jsonl", records(1))
    bench.deviations.write_text("- {file: numbers/even.jsonl, id: n3, reason: odd}\n", "utf-8")

    assert bench.run("letters")[1] == [
        "letters/a.jsonl passed 0 failed 0 deviations 0 not-implemented 1",
        "0 passed, 0 failed",
    ]


MISUSES: list[tuple[str, Callable[[Path], list[str]], str]] = [
    ("folder is not there", lambda folder: [str(folder / "none")], "is not a folder"),
    ("unknown flag", lambda folder: ["--all"], "usage"),
]


@pytest.mark.parametrize(
    ("arguments", "message"), [case[1:] for case in MISUSES], ids=[case[0] for case in MISUSES]
)
def test_misuse(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: Callable[[Path], list[str]], message: str
) -> None:
    """A wrong command line ends with exit code 2 and says what is right."""
    assert runner.main(arguments(tmp_path)) == 2
    assert message in capsys.readouterr().err


def test_records_of_the_project() -> None:
    """Each tenth record of the real systems' answers passes, or differs on purpose; each system names its reference."""
    out = io.StringIO()

    assert runner.run(runner.RECORDS, out, every=10) == 0, out.getvalue()

    passed = int(out.getvalue().splitlines()[-1].split()[0])
    counts = runner.expected_counts()
    assert passed > sum(same for _, same, _ in counts.values()) / 12
    assert len(runner.table(counts).splitlines()) == len(counts) + 2


def test_packed_records(bench: Bench) -> None:
    """A file with the suffix .gz counts under its name without it."""
    bench.adapter("numbers", ADAPTER)
    (bench.vectors / "numbers").mkdir()
    (bench.vectors / "numbers/even.jsonl.gz").write_bytes(
        gzip.compress(b'{"id": "a", "n": 2}\n{"id": "b", "n": 3}\n')
    )

    code, lines = bench.run()

    assert (code, lines[0]) == (1, "FAILED numbers/even.jsonl b: 3 is odd")
    assert lines[1] == "numbers/even.jsonl passed 1 failed 1 deviations 0 not-implemented 0"
