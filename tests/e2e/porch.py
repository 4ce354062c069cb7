"""A model of Porch's wrapper for tests: it starts an image's entry point for each call over gRPC.

Written from the observed behaviour of Porch's wrapper. One process for each request, the list on stdin; an exit code
other than 0 is the status INTERNAL, whose text holds the results found on stdout, and stderr; an output that is not a
ResourceList is INTERNAL too; a message may have 6 MiB, either way.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
import yaml

from krmkit.services.evaluator.evaluator_pb2 import EvaluateFunctionRequest, EvaluateFunctionResponse
from tests.waiting import MOST

METHOD = "/evaluator.FunctionEvaluator/EvaluateFunction"
CHECK = "/grpc.health.v1.Health/Check"
WATCH = "/grpc.health.v1.Health/Watch"
LIMIT = 6 * 1024 * 1024


class Answer:
    """The answer to a caller: `code` and `text` of the status, and the response's two fields."""

    def __init__(self, code: str, text: str, resource_list: bytes, log: bytes) -> None:
        self.code = code
        self.text = text
        self.resource_list = resource_list
        self.log = log


def request(resource_list: bytes, image: str) -> bytes:
    """An EvaluateFunctionRequest."""
    return EvaluateFunctionRequest(resource_list=resource_list, image=image).SerializeToString()


class Caller:
    """Porch's side: calls with its limit, whatever the other side's is."""

    def __init__(self, port: int, limit: int = LIMIT) -> None:
        options = [("grpc.max_receive_message_length", limit), ("grpc.max_send_message_length", limit)]
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=options)

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *error: object) -> None:
        self.channel.close()

    def evaluate(self, image: str, resource_list: bytes) -> Answer:
        """One call of EvaluateFunction."""
        return self.send(request(resource_list, image))

    def send(self, request: bytes, method: str = METHOD) -> Answer:
        """Any bytes to any method that answers once."""
        call = self.method(method).future(request, timeout=MOST)
        if call.exception() is not None:
            return Answer(call.code().name, call.details() or "", b"", b"")
        if method != METHOD:
            return Answer("OK", "", call.result(), b"")
        response = EvaluateFunctionResponse.FromString(call.result())
        return Answer("OK", "", response.resource_list, response.log)

    def method(self, name: str = METHOD) -> grpc.UnaryUnaryMultiCallable[bytes, bytes]:
        """A method that answers once, to be called with a deadline or without waiting."""
        return self.channel.unary_unary(name)

    def watch_health(self) -> Iterator[bytes]:
        """The answers of the health service's Watch about the whole server."""
        watch: grpc.UnaryStreamMultiCallable[bytes, bytes] = self.channel.unary_stream(WATCH)
        yield from watch(b"")


@contextmanager
def wrapper(command: Sequence[str], limit: int = LIMIT) -> Iterator[int]:
    """Runs the wrapper in front of an entry point; gives the port."""
    with ThreadPoolExecutor(2) as threads:
        server = grpc.server(
            threads,
            options=[
                ("grpc.max_receive_message_length", limit),
                ("grpc.max_send_message_length", limit),
                ("grpc.so_reuseport", 0),
            ],
        )

        def evaluate(request: bytes, context: grpc.ServicerContext) -> bytes:
            return _evaluate(command, request, context)

        methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
            "EvaluateFunction": grpc.unary_unary_rpc_method_handler(evaluate)
        }
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("evaluator.FunctionEvaluator", methods),)
        )
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield port
        finally:
            server.stop(None).wait()


def _evaluate(command: Sequence[str], request: bytes, context: grpc.ServicerContext) -> bytes:
    asked = EvaluateFunctionRequest.FromString(request)
    image = asked.image
    done = subprocess.run(
        command, input=asked.resource_list, capture_output=True, check=False, cwd="/", env={}
    )
    stderr = done.stderr.decode()
    output = yaml.load(done.stdout, yaml.CBaseLoader)
    if not isinstance(output, dict) or output.get("kind") != "ResourceList":
        context.abort(grpc.StatusCode.INTERNAL, f"no ResourceList from {image}; stderr: {stderr}")
    if done.returncode:
        results = "; ".join(map(_result, output.get("results") or []))
        context.abort(grpc.StatusCode.INTERNAL, f"{image} failed; results: {results}; stderr: {stderr}")
    return EvaluateFunctionResponse(resource_list=done.stdout, log=done.stderr).SerializeToString()


def _result(result: dict[str, Any]) -> str:
    reference, field = result.get("resourceRef", {}), result.get("field", {})
    place = "/".join(
        reference[key] for key in ("apiVersion", "kind", "namespace", "name") if key in reference
    )
    return f"[{result['severity']}] {place} {field.get('path', '')}: {result['message']}"
