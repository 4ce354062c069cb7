"""The command line of `krmkit serve`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.cli import main, serve
from krmkit.libraries.messages.extras import how

SHARED = Path(__file__).resolve().parents[3] / "shared"


def test_defaults() -> None:
    """Porch's own port and limit, reachable from this machine only."""
    found = serve.parser().parse_args(["evaluator"])

    assert (found.host, found.port) == ("127.0.0.1", 9445)
    assert found.max_request_body_size == 6 * 1024 * 1024
    assert found.workers >= 1


WRONG = [
    ([], "the following arguments are required: service"),
    (["function"], 'argument service: there is no "function"'),
    (["evaluator", "--port", "65536"], 'argument --port: must be a port from 0 to 65535, got "65536"'),
    (["evaluator", "--port", "-1"], 'argument --port: must be a port from 0 to 65535, got "-1"'),
    (["evaluator", "--workers", "0"], 'argument --workers: must be a whole number above 0, got "0"'),
    (["evaluator", "--queue", "many"], 'argument --queue: must be a whole number above 0, got "many"'),
    (["evaluator", "--grace", "-1"], 'argument --grace: must be a number of seconds, got "-1"'),
    (
        ["evaluator", "--timeout", "never"],
        'argument --timeout: must be a number of seconds above 0, got "never"',
    ),
    (["evaluator", "--grace", "nan"], 'argument --grace: must be a number of seconds, got "nan"'),
    (
        ["evaluator", "--max-request-body-size", "6Mi"],
        "must be a number of bytes below 2 GiB, such as 6291456, got 6Mi",
    ),
    (
        ["evaluator", "--max-request-body-size", "2147483648"],
        "must be a number of bytes below 2 GiB, such as 6291456, got 2147483648",
    ),
]


@pytest.mark.parametrize(
    ("words", "message"), WRONG, ids=[" ".join(words) or "nothing" for words, _ in WRONG]
)
def test_wrong_call(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong call is exit code 1, with what is wrong about it."""
    with pytest.raises(SystemExit) as caught:
        main(["serve", *words])

    assert caught.value.code == 1
    assert message in capsys.readouterr().err


def test_without_grpcio() -> None:
    """Without the extra, one line says how to get it."""
    program = "import sys; sys.modules['grpc'] = None; from krmkit.cli import main; sys.exit(main())"

    done = subprocess.run(
        [sys.executable, "-c", program, "serve", "evaluator"],
        cwd=SHARED,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"krmkit serve: needs grpc: {how('serve')}\n"
