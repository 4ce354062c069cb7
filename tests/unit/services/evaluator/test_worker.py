"""A worker in this process: frames in, frames out; what it says about a failure."""

from __future__ import annotations

import gc
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from krmkit.fn import loader, testing
from krmkit.fn.loader import Function
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.services.evaluator import worker
from krmkit.services.evaluator.frames import ANSWER, CALL, Reply

ROOT = Path(__file__).resolve().parents[4]
EXAMPLE = testing.Example(ROOT / "functions/apply-presets/examples/select", "apply-presets").render_list()


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """A worker has the collector for itself; afterwards it is as it was."""
    yield
    gc.unfreeze()
    gc.enable()


def calls(*pairs: tuple[str, bytes]) -> io.BytesIO:
    return io.BytesIO(
        b"".join(CALL.pack(len(name), len(text)) + name.encode() + text for name, text in pairs)
    )


def answers(stream: io.BytesIO) -> list[Reply]:
    stream.seek(0)
    found = []
    while header := stream.read(ANSWER.size):
        code, output_length, log_length = ANSWER.unpack(header)
        found.append(Reply(code, stream.read(output_length), stream.read(log_length)))
    return found


def test_call_after_call() -> None:
    """First it says that it is ready, then each call has its answer, whatever came before."""
    expected = testing.run_function(ROOT / "functions/apply-presets", EXAMPLE)
    written = io.BytesIO()

    worker.work(
        calls(
            ("apply-presets", EXAMPLE.encode()),
            ("apply-presets", b"garbage"),
            ("apply-presets", EXAMPLE.encode()),
        ),
        written,
    )

    ready, first, failed, again = answers(written)
    assert (ready.exit_code, ready.output, ready.log) == (0, b"", b"")
    assert (first.exit_code, first.output, first.log) == (0, expected.stdout.encode(), b"")
    assert (again.exit_code, again.output, again.log) == (0, expected.stdout.encode(), b"")
    assert (failed.exit_code, failed.output) == (1, b"")
    assert failed.log.startswith(b"[error] no readable ResourceList: ")
    assert b"\nstderr: apply-presets: no readable ResourceList: " in failed.log


def test_every_function_is_loaded_before_the_first_call() -> None:
    """The first caller waits no longer than the others."""
    functions = worker.preloaded()

    assert sorted(functions) == loader.names()
    for function in functions.values():
        assert function._process is not None
        assert function._definition is not None


def test_nothing_is_left_of_a_run() -> None:
    """A run leaves no object behind: not a document, not a node."""
    written = io.BytesIO()
    content = EXAMPLE.encode()

    class Counted(io.BytesIO):
        """Counts the objects that are alive whenever the worker waits for its next call."""

        found: list[int] = []

        def read(self, size: int | None = -1, /) -> bytes:
            if size == CALL.size:
                self.found.append(len(gc.get_objects()))
            return super().read(size)

    stream = Counted(calls(*[("apply-presets", content)] * 12).getvalue())
    worker.work(stream, written)

    # The first runs fill the caches that there are.
    assert len(set(stream.found[4:])) == 1, stream.found


def test_function_that_cannot_be_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A broken function is an answer, not the end of the worker."""
    folder = tmp_path / "apply-presets"
    folder.mkdir()
    (folder / "function.yaml").write_text("name: [")

    answer = worker.answered({"apply-presets": Function(str(folder))}, "apply-presets", b"")

    assert (answer.exit_code, answer.output) == (1, b"")
    assert answer.log.startswith(b"apply-presets cannot be loaded: ")


def results(*messages: str) -> list[Finding]:
    return [Finding("r", message) for message in messages]


FAILURES: list[tuple[str, list[Finding], str, int, str]] = [
    (
        "with its place",
        [Finding("r", "too big", Resource("apiVersion: v1\nkind: A\nmetadata: {name: n}\n"), "spec.x")],
        "f: too big\n",
        1000,
        "[error] v1/A/n spec.x: too big\nstderr: f: too big",
    ),
    (
        "all that fit",
        results("a" * 20, "b" * 20),
        "f: x\n",
        200,
        f"[error] {'a' * 20}\n[error] {'b' * 20}\nstderr: f: x",
    ),
    (
        "the rest is counted",
        results("a" * 20, "b" * 20, "c" * 20),
        "f: x\n",
        110,
        f"[error] {'a' * 20}\n(and 2 more results)\nstderr: f: x",
    ),
    ("escapes count", results("ä" * 20), "f: x\n", 110, "(and 1 more results)\nstderr: f: x"),
]


@pytest.mark.parametrize(
    ("found", "stderr", "limit", "expected"),
    [case[1:] for case in FAILURES],
    ids=[case[0] for case in FAILURES],
)
def test_text_of_a_failure(found: list[Finding], stderr: str, limit: int, expected: str) -> None:
    """Results first, then stderr, as much as fits into a header."""
    text = worker.failure(found, stderr, limit)

    assert text == expected
    assert worker.escaped_size(text) <= limit


@pytest.mark.parametrize(
    ("text", "size"),
    [("abc ~", 5), ("%", 3), ("\n", 3), ("ä", 6), ("\ud800", 1), ("", 0)],
    ids=["plain", "percent", "newline", "two bytes", "a surrogate becomes ?", "nothing"],
)
def test_size_of_escaped_text(text: str, size: int) -> None:
    """As gRPC escapes a status message."""
    assert worker.escaped_size(text) == size


@pytest.mark.parametrize("name", ["prepend-pipeline/labels", "set-package-context/site"])
def test_another_release_is_told_and_the_work_done(name: str) -> None:
    """The warning about an image that the function does not follow keeps no function from its work."""
    function, example = name.split("/")
    given = testing.Example(ROOT / "functions" / function / "examples" / example, function).render_list()
    functions = {function: loader.load(function)}

    plain, pinned = (
        worker.answered(functions, function, given.encode(), image).output.decode()
        for image in ("", f"ghcr.io/krmkit/{function}@sha256:{'0' * 64}")
    )

    done = [text.partition("\nresults:")[0].rstrip("\n") for text in (plain, pinned)]
    assert done[0] == done[1]
    assert "not-the-image" in pinned and "not-the-image" not in plain
