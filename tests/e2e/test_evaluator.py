"""`krmkit serve evaluator` as a process of its own, called over loopback as Porch calls it, and compared with Porch's wrapper."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import socket
from threading import Semaphore
from time import sleep

import pytest
import yaml

pytest.importorskip(
    "grpc", reason="grpcio is not installed; the extra `serve` and requirements/dev.txt have it"
)

from krmkit.fn import loader, testing
from tests.contract.checks import REPRESENTATIVES
from tests.e2e.porch import CHECK, LIMIT, Caller, request, wrapper
from tests.waiting import MOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from grpc import _CallFuture as CallFuture

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = loader.names()
EXAMPLES = [example for name in FUNCTIONS for example in testing.examples(ROOT / "functions" / name)]
FIRST = list({example.function: example for example in reversed(EXAMPLES)}.values())
SELECT = (
    testing.Example(ROOT / "functions/apply-presets/examples/select", "apply-presets").render_list().encode()
)
EVALUATOR = b"\x0a\x1bevaluator.FunctionEvaluator"  # as a HealthCheckRequest


class Server:
    """A running evaluator."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """(exit code, stderr) after a signal."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=MOST)
        return self.process.returncode, errors


@contextmanager
def serving(*flags: str, program: Sequence[str] = ("-m", "krmkit.cli")) -> Iterator[Server]:
    """A server on a free port; `program` is what Python runs in the place of `krmkit`."""
    process = subprocess.Popen(
        [
            sys.executable,
            *program,
            "serve",
            "evaluator",
            "--port",
            "0",
            "--in-process",
            "registry.example:5000/team",
            *flags,
        ],
        cwd=ROOT / "shared",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"krmkit evaluator: (\d+) workers, listening on 127\.0\.0\.1:(\d+)\n", line)
        assert found, line + process.communicate()[1]
        yield Server(process, int(found[2]))
    finally:
        # A worker that a test has stopped would outlive the server, and keep its streams open.
        workers = (children(process) or []) if process.poll() is None else []
        process.kill()
        for pid in workers:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.communicate()


def children(process: subprocess.Popen[str]) -> list[int] | None:
    """The processes that a process has started; None where the system does not say."""
    try:
        return [
            int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        ]
    except OSError:
        return None


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("--workers", "2") as running:
        yield running
        assert running.stop() == (0, "")


@pytest.fixture(scope="module")
def porch(server: Server) -> Iterator[Caller]:
    with Caller(server.port) as caller:
        yield caller


def entry_point(name: str) -> list[str]:
    """What an image starts."""
    return [sys.executable, "-I", "-S", str(ROOT / "functions" / name / "main.py")]


def large_list(size: int) -> bytes:
    """A list of about `size` bytes that is nobody's business, with a config for apply-presets."""
    item = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: n{}\ndata:\n  text: " + "x" * 50_000 + "\n"
    items = [item.format(number) for number in range(size // 50_070)]
    config = (
        "apiVersion: krmkit.dev/v1alpha1\nkind: ApplyPresets\nmetadata:\n  name: p\nspec:\n  selections: []\n"
    )
    text = testing.resource_list(items, config).encode()
    return text + b"#" * (size - len(text) - 1) + b"\n"


@pytest.mark.parametrize(
    "example", EXAMPLES, ids=[f"{example.function}/{example.folder.name}" for example in EXAMPLES]
)
def test_example_as_porch_runs_it(example: testing.Example, porch: Caller) -> None:
    """The evaluator, and with a function's first example the wrapper in front of the entry point: both give what the function gives;
    failures in full."""
    image = f"registry.example:5000/team/{example.function}"
    text = example.render_list()
    expected = testing.run_function(ROOT / "functions" / example.function, text)

    answers = [porch.evaluate(image, text.encode())]
    if example in FIRST:
        with wrapper(entry_point(example.function)) as port, Caller(port) as caller:
            answers.append(caller.evaluate(image, text.encode()))

    for answer in answers:
        if expected.exit_code:
            assert answer.code == "INTERNAL"
            assert image in answer.text
            assert expected.stderr.strip() in answer.text
            for result in expected.results:
                assert f"[{result.severity}] " in answer.text
                assert result.message in answer.text
        else:
            assert (answer.code, answer.text) == ("OK", "")
            assert answer.resource_list.decode() == expected.stdout
            assert answer.log.decode() == expected.stderr


@pytest.mark.parametrize("name", [*(folder.name for folder in REPRESENTATIVES), "upsert-resource"])
def test_entry_point_at_the_limit(name: str) -> None:
    """A list just below 6 MiB comes back, or its failure does; one above is refused before any process starts."""
    image = f"example.dev/{name}:v1"
    # A list grows by its results; key and length of the fields take some bytes too.
    below, above = large_list(LIMIT - 2000), large_list(LIMIT + 1)

    with wrapper(entry_point(name)) as port, Caller(port, 2 * LIMIT) as caller:
        inside = caller.evaluate(image, below)
        outside = caller.evaluate(image, above)

    if inside.code == "OK":
        output = yaml.load(inside.resource_list, yaml.CBaseLoader)
        items = yaml.load(below, yaml.CBaseLoader)["items"]
        # upsert-resource puts its config among the items, whatever its kind.
        assert output["items"][: len(items)] == items
    else:
        assert inside.code == "INTERNAL"
        assert "[error]" in inside.text
    assert outside.code == "RESOURCE_EXHAUSTED"
    assert str(LIMIT) in outside.text


def test_limit_of_the_evaluator(server: Server, porch: Caller) -> None:
    """The same limit, and the server goes on."""
    with Caller(server.port, 2 * LIMIT) as caller:
        inside = caller.evaluate("apply-presets", large_list(LIMIT - 100))
        outside = caller.evaluate("apply-presets", large_list(LIMIT + 1))

    assert inside.code == "OK"
    assert inside.resource_list.count(b"kind: ConfigMap") == (LIMIT - 100) // 50_070
    assert outside.code == "RESOURCE_EXHAUSTED"
    assert str(LIMIT) in outside.text
    assert porch.evaluate("apply-presets", SELECT).code == "OK"


def test_other_limit() -> None:
    """--max-request-body-size counts both ways: an answer above it names the flag."""
    example = testing.Example(ROOT / "functions/set-package-context/examples/site", "set-package-context")
    text = example.render_list().replace("    site: north\n    zone", f"    site: {'x' * 900}\n    zone")
    grown = text.encode()
    limit = len(grown) + 100

    with (
        serving("--workers", "1", "--max-request-body-size", str(limit)) as small,
        Caller(small.port) as caller,
    ):
        answer = caller.evaluate("set-package-context", grown)
        refused = caller.evaluate("set-package-context", grown + b"#" * 100 + b"\n")

    assert answer.code == "RESOURCE_EXHAUSTED"
    assert re.search(rf"has \d+ bytes, and a message may have {limit}; --max-request-body-size", answer.text)
    assert refused.code == "RESOURCE_EXHAUSTED"
    assert "--max-request-body-size" not in refused.text


UNKNOWN = [
    ("another function", "ghcr.io/kptdev/krm-functions-catalog/test-set-namespace:v0.4", ""),
    ("nearly the same", "ghcr.io/krmkit/apply-preset:v1", '; did you mean "apply-presets"?'),
    ("none", "", ""),
    ("a name in the middle", "apply-presets/other:apply-presets", ""),
    ("a way out", "../apply-presets/..", ""),
]


@pytest.mark.parametrize(("image", "hint"), [case[1:] for case in UNKNOWN], ids=[case[0] for case in UNKNOWN])
def test_unknown_image(porch: Caller, image: str, hint: str) -> None:
    """NOT_FOUND, by which Porch knows to ask its next runtime."""
    answer = porch.evaluate(image, SELECT)

    assert answer.code == "NOT_FOUND"
    assert answer.text.startswith(f'the image "{image}" is not a function of this catalog{hint}')


def test_forward() -> None:
    """With --forward, images of other functions go to another function runner, and its answers come back as they are."""
    folder = ROOT / "tests/functions/test-set-namespace"
    text = testing.examples(folder)[0].render_list()
    expected = testing.run_function(folder, text)
    command = [sys.executable, "-I", "-S", str(folder / "main.py")]

    with (
        wrapper(command) as other,
        serving("--workers", "1", "--forward", f"127.0.0.1:{other}") as running,
        Caller(running.port) as caller,
    ):
        theirs = caller.evaluate("example.dev/test-set-namespace:v1", text.encode())
        failing = caller.evaluate("example.dev/test-set-namespace:v1", b"garbage")
        ours = caller.evaluate("ghcr.io/krmkit/apply-presets", SELECT)

    assert theirs.resource_list.decode() == expected.stdout
    assert failing.code == "INTERNAL"
    assert failing.text.startswith("example.dev/test-set-namespace:v1 failed; results: [error]")
    assert ours.code == "OK"


def test_forward_to_nobody() -> None:
    """A function runner that is not there is said to be unavailable; functions of this catalog go on."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))  # bound and not listening: nobody else gets it, and nobody answers
        address = f"127.0.0.1:{free.getsockname()[1]}"
        with serving("--workers", "1", "--forward", address) as running, Caller(running.port) as caller:
            assert caller.evaluate("example.dev/test-set-namespace:v1", SELECT).code == "UNAVAILABLE"
            assert caller.evaluate("ghcr.io/krmkit/apply-presets", SELECT).code == "OK"
            assert running.stop() == (0, "")


def test_name_of_an_image_that_is_too_long(porch: Caller) -> None:
    """What does not fit into a header is shortened, so that the status arrives."""
    unknown = porch.evaluate("ä" * 100_000, SELECT)
    failing = porch.evaluate("ä" * 100_000 + "/apply-presets", b"\xff")

    assert unknown.code == "NOT_FOUND"
    assert failing.code == "NOT_FOUND"
    assert porch.evaluate("apply-presets", b"\xff").code == "INTERNAL"


def test_failure_with_more_results_than_a_header_holds(porch: Caller) -> None:
    """As many as fit, the count of the others, and the line on stderr."""
    fields = "".join(f"  größe{number}: 1\n" for number in range(500))
    config = f"apiVersion: krmkit.dev/v1alpha1\nkind: ApplyPresets\nmetadata:\n  name: p\nspec:\n  selections: []\n{fields}"

    answer = porch.evaluate("apply-presets", testing.resource_list([], config).encode())

    assert answer.code == "INTERNAL"
    assert re.search(r"\n\(and \d+ more results\)\nstderr: apply-presets: ", answer.text)
    assert answer.text.count("[error]") > 10


BROKEN = [
    ("cut off", b"\x0a\x05abc"),
    ("an image that is not text", b"\x12\x01\xff"),
    ("an end of nothing", b"\x1c"),
    ("no field at all", b"\x02\x00"),
]


@pytest.mark.parametrize("broken", [case[1] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_no_request(porch: Caller, broken: bytes) -> None:
    """Bytes that are no request are INTERNAL, as with every gRPC server."""
    answer = porch.send(broken)

    assert (answer.code, answer.text) == ("INTERNAL", "the request is not an EvaluateFunctionRequest")


def test_fields_of_a_newer_porch(porch: Caller) -> None:
    """A field that this version does not know changes nothing."""
    known = request(SELECT, "apply-presets")

    assert porch.send(known + b"\x1a\x03new\x20\x01").resource_list == porch.send(known).resource_list != b""


def test_unknown_method(porch: Caller) -> None:
    """gRPC's own answer."""
    assert porch.send(b"", "/evaluator.FunctionEvaluator/Other").code == "UNIMPLEMENTED"


HEALTH = [
    ("the server", b"", "OK", b"\x08\x01"),
    ("the evaluator", EVALUATOR, "OK", b"\x08\x01"),
    ("another service", b"\x0a\x05other", "NOT_FOUND", b""),
    ("no request", b"\x0a\x05", "UNKNOWN", b""),
]


@pytest.mark.parametrize(
    ("request_", "code", "response"), [case[1:] for case in HEALTH], ids=[case[0] for case in HEALTH]
)
def test_health(porch: Caller, request_: bytes, code: str, response: bytes) -> None:
    """The health service that probes ask."""
    answer = porch.send(request_, CHECK)

    assert (answer.code, answer.resource_list) == (code, response)


def test_clients_at_once(server: Server) -> None:
    """Eight clients, each with a channel of its own, get each their own answer."""

    def work(number: int) -> list[bool]:
        text = SELECT.replace(b"kind: ResourceList\n", b"kind: ResourceList # client %d\n" % number, 1)
        with Caller(server.port) as caller:
            return [
                b"# client %d\n" % number in caller.evaluate("apply-presets", text).resource_list
                for _ in range(25)
            ]

    with ThreadPoolExecutor(8) as threads:
        assert all(map(all, threads.map(work, range(8))))


def test_caller_that_gives_up(porch: Caller) -> None:
    """A deadline ends the run, and the next caller is served."""
    import grpc

    call = porch.method()
    with pytest.raises(grpc.RpcError) as caught:
        call(request(large_list(LIMIT - 100), "validate-pack-constraints"), timeout=0.001)

    assert isinstance(caught.value, grpc.Call)
    assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    assert porch.evaluate("apply-presets", SELECT).code == "OK"


def workers_of(server: Server) -> list[int]:
    found = children(server.process)
    if found is None:
        pytest.skip("this system does not say which processes a process has started")
    return found


def calls_in_a_full_line(caller: Caller, count: int) -> list[CallFuture[bytes]]:
    """Calls to a server that has one worker and lets one caller wait: when all others are refused, one is with the worker."""
    call = caller.method()
    futures = [call.future(request(SELECT, "apply-presets"), timeout=MOST) for _ in range(count)]
    answered = Semaphore(0)
    for future in futures:
        future.add_done_callback(lambda _: answered.release())
    for _ in range(count - 2):
        assert answered.acquire(timeout=MOST)
    return futures


def test_worker_that_dies() -> None:
    """The caller learns what happened; the one in line is served by another process."""
    with serving("--workers", "1", "--queue", "1") as running, Caller(running.port) as caller:
        (pid,) = workers_of(running)
        os.kill(pid, signal.SIGSTOP)
        futures = calls_in_a_full_line(caller, 3)
        os.kill(pid, signal.SIGKILL)

        died, served, _ = sorted(futures, key=lambda future: future.code().name)
        assert died.code().name == "INTERNAL"
        assert "ended by signal 9" in died.details()
        assert served.code().name == "OK"
        assert workers_of(running) != [pid]


def test_function_that_hangs() -> None:
    """It is ended after --timeout, its caller is told so, and the next call finds another process."""
    with serving("--workers", "1", "--timeout", "0.2") as running, Caller(running.port) as caller:
        (pid,) = workers_of(running)
        os.kill(pid, signal.SIGSTOP)
        answer = caller.evaluate("apply-presets", SELECT)

        assert answer.code == "DEADLINE_EXCEEDED"
        assert answer.text == (
            'the function "apply-presets" was ended after 0.2 s; --timeout of the evaluator gives it longer'
        )
        while pid in workers_of(running):
            sleep(0.01)
        assert caller.evaluate("no-function-of-ours", SELECT).code == "NOT_FOUND"
        assert running.stop() == (0, "")


def test_line_that_is_full() -> None:
    """More callers than may wait are refused at once; those in line are served."""
    with serving("--workers", "1", "--queue", "1") as running, Caller(running.port) as caller:
        (pid,) = workers_of(running)
        os.kill(pid, signal.SIGSTOP)
        futures = calls_in_a_full_line(caller, 5)
        os.kill(pid, signal.SIGCONT)
        codes = sorted(future.code().name for future in futures)

    assert codes == ["OK", "OK"] + ["RESOURCE_EXHAUSTED"] * 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_graceful_stop(number: signal.Signals) -> None:
    """After a signal: the health turns, running calls end well, new ones are refused, no process is left, exit code 0."""
    import grpc

    with serving("--workers", "1") as running, Caller(running.port) as caller:
        (pid,) = workers_of(running)
        health = caller.watch_health()
        assert next(health) == b"\x08\x01"
        os.kill(pid, signal.SIGSTOP)
        call = caller.method()
        future = call.future(request(SELECT, "apply-presets"), timeout=MOST)
        # A call that came later has been answered, so the first has reached the server.
        assert caller.evaluate("unknown", b"").code == "NOT_FOUND"
        running.process.send_signal(number)
        assert next(health) == b"\x08\x02"
        os.kill(pid, signal.SIGCONT)

        assert b"kind: ResourceList" in future.result()
        assert running.process.wait(MOST) == 0
        assert running.process.communicate()[1] == ""
        assert not Path(f"/proc/{pid}").exists()
        with pytest.raises(grpc.RpcError):
            call(b"", timeout=MOST)


def test_second_signal_cuts_off() -> None:
    """Who signals twice does not wait for the running calls."""
    with serving("--workers", "1", "--grace", "1000") as running, Caller(running.port) as caller:
        (pid,) = workers_of(running)
        health = caller.watch_health()
        next(health)
        os.kill(pid, signal.SIGSTOP)
        call = caller.method()
        future = call.future(request(SELECT, "apply-presets"), timeout=MOST)
        assert caller.evaluate("unknown", b"").code == "NOT_FOUND"
        running.process.send_signal(signal.SIGINT)
        assert next(health) == b"\x08\x02"

        assert running.stop(signal.SIGINT) == (0, "krmkit evaluator: calls are cut off\n")
        assert future.code().name in {"CANCELLED", "UNAVAILABLE"}
        assert not Path(f"/proc/{pid}").exists()


def test_port_that_is_taken(server: Server) -> None:
    """A second server on a port says so."""
    done = subprocess.run(
        [sys.executable, "-m", "krmkit.cli", "serve", "evaluator", "--port", str(server.port)],
        cwd=ROOT / "shared",
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert f"krmkit serve: cannot listen on 127.0.0.1:{server.port}" in done.stderr
    assert "Traceback" not in done.stderr
