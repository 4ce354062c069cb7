"""The evaluator stops: what runs is answered, who waits is answered, and nobody holds it up."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from time import sleep

import pytest

pytest.importorskip(
    "grpc", reason="grpcio is not installed; the extra `serve` and requirements/dev.txt have it"
)

from tests.e2e.porch import CHECK, WATCH, Caller, request
from tests.e2e.test_evaluator import SELECT, serving, workers_of
from tests.waiting import MOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from grpc import UnaryStreamMultiCallable

CLIENTS = 4
CALLS = 6  # of each client


@pytest.mark.parametrize("slow", [0.0, 1.5], ids=["at once", "slow"])
def test_no_call_is_lost(slow: float) -> None:
    """After SIGTERM two slow workers answer all 24 calls that had come: two that ran, and those in line."""
    with serving("--workers", "2", "--grace", "1000") as running, ExitStack() as stack:
        callers = [stack.enter_context(Caller(running.port)) for _ in range(CLIENTS)]
        # What is called before there is a connection goes out in any order.
        assert {caller.evaluate("unknown", b"").code for caller in callers} == {"NOT_FOUND"}
        workers = workers_of(running)
        for pid in workers:
            os.kill(pid, signal.SIGSTOP)
        futures = [
            caller.method().future(request(SELECT, "apply-presets"), timeout=MOST)
            for _ in range(CALLS)
            for caller in callers
        ]
        # On each connection a call that came later has been answered, so all before it are in the server.
        assert {caller.evaluate("unknown", b"").code for caller in callers} == {"NOT_FOUND"}
        running.process.send_signal(signal.SIGTERM)
        sleep(slow)
        for pid in workers:
            os.kill(pid, signal.SIGCONT)

        answers = [future.result() for future in futures]

        assert len(answers) == CLIENTS * CALLS
        assert all(b"kind: ResourceList" in answer for answer in answers)
        assert running.process.wait(MOST) == 0
        assert running.process.communicate()[1] == ""


def test_open_watches_hold_nobody_up() -> None:
    """Streams of the health service end when the server stops, also those about a service that it does not know."""
    # The grace is far longer than stop() waits.
    with serving("--workers", "1", "--grace", "1000") as running, Caller(running.port) as caller:
        watch: UnaryStreamMultiCallable[bytes, bytes] = caller.channel.unary_stream(WATCH)
        known, unknown = watch(b""), watch(b"\x0a\x05other")
        assert [next(known), next(unknown)] == [b"\x08\x01", b"\x08\x03"]

        assert running.stop() == (0, "")
        assert list(known) == [b"\x08\x02"]
        assert list(unknown) == []


def test_reflection_is_off() -> None:
    """A port tells what it offers only where --reflection asks for it."""
    from grpc import RpcError, StatusCode
    from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

    with serving("--workers", "1") as plain, Caller(plain.port) as caller:
        with pytest.raises(RpcError) as caught:
            ProtoReflectionDescriptorDatabase(caller.channel).get_services()
        assert caught.value.code() == StatusCode.UNIMPLEMENTED
        assert caller.send(b"", CHECK).code == "OK"
    with serving("--workers", "1", "--reflection") as open_, Caller(open_.port) as caller:
        database = ProtoReflectionDescriptorDatabase(caller.channel)
        services = sorted(database.get_services())
        file = database.FindFileContainingSymbol("evaluator.FunctionEvaluator")

    assert services == [
        "evaluator.FunctionEvaluator",
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
    ]
    assert [message.name for message in file.message_type] == [
        "EvaluateFunctionRequest",
        "EvaluateFunctionResponse",
    ]
