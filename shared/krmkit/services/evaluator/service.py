"""Answer the evaluator's calls: functions and health.

The status codes are those of Porch's function runner, so its callers need no change:

- NOT_FOUND: not a function of this catalog, so that the caller tries its next runtime;
  with `forward`, the call goes there.
- INTERNAL: the function failed; the text holds its results and its stderr. Also for a malformed request.
- RESOURCE_EXHAUSTED: the answer is above the limit for messages, or too many callers wait.
- DEADLINE_EXCEEDED: the function exceeded the limit of a run.
"""

from __future__ import annotations

import asyncio

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1 import health
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

from krmkit.fn import loader
from krmkit.fn.standin import stood_in
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.services.evaluator.evaluator_pb2 import (
    DESCRIPTOR,
    EvaluateFunctionRequest,
    EvaluateFunctionResponse,
)
from krmkit.services.evaluator.pool import WorkerPool

Context = grpc.aio.ServicerContext[bytes, bytes]
HealthContext = grpc.aio.ServicerContext[HealthCheckRequest, HealthCheckResponse]
Method = grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]

EVALUATOR: str = DESCRIPTOR.services_by_name["FunctionEvaluator"].full_name
_LONGEST_IMAGE = 200  # characters of its name in an error's text, which must fit into a header


class Evaluator:
    """Service evaluator.FunctionEvaluator.

    `forward`: the address of this service for images outside the catalog. `registries`: more registries that
    hold the catalog's images.
    """

    def __init__(
        self,
        pool: WorkerPool,
        message_limit: int,
        forward: grpc.aio.Channel | None = None,
        registries: tuple[str, ...] = (),
    ) -> None:
        self._pool = pool
        self._forward: Method | None = None
        if forward is not None:
            self._forward = forward.unary_unary(f"/{EVALUATOR}/EvaluateFunction")
        self._message_limit = message_limit
        self._names = loader.names()
        self._registries = registries

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handler for the server to register."""
        methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
            "EvaluateFunction": grpc.unary_unary_rpc_method_handler(self.evaluate)
        }
        return grpc.method_handlers_generic_handler(EVALUATOR, methods)

    async def evaluate(self, request: bytes, context: Context) -> bytes:
        """EvaluateFunction: the output list of the function `image`, and its stderr."""
        try:
            asked = EvaluateFunctionRequest.FromString(request)
        except DecodeError:
            await context.abort(grpc.StatusCode.INTERNAL, "the request is not an EvaluateFunctionRequest")
        image = asked.image
        name = stood_in(image, self._registries)
        if name not in self._names and self._forward is not None:
            return await self._forwarded(self._forward, request, context)
        image = image if len(image) <= _LONGEST_IMAGE else f"...{image[-_LONGEST_IMAGE:]}"
        if name not in self._names:
            await context.abort(
                grpc.StatusCode.NOT_FOUND,
                f'the image "{image}" is not a function of this catalog{did_you_mean(name, self._names)}'
                " (--in-process PREFIX names a registry that mirrors it)",
            )
        try:
            answer = await self._pool.run(name, asked.resource_list, asked.image)
        except asyncio.QueueFull:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many callers wait; try again")
        except TimeoutError:
            await context.abort(
                grpc.StatusCode.DEADLINE_EXCEEDED,
                f'the function "{image}" was ended after {self._pool.longest:g} s; --timeout of the evaluator gives it longer',
            )
        except ChildProcessError as error:
            await context.abort(
                grpc.StatusCode.INTERNAL,
                f'failed to evaluate the function "{image}": {error}; was it out of memory?',
            )
        if answer.exit_code:
            await context.abort(
                grpc.StatusCode.INTERNAL, f'failed to evaluate the function "{image}":\n{answer.log.decode()}'
            )
        response = EvaluateFunctionResponse(resource_list=answer.output, log=answer.log).SerializeToString()
        if len(response) > self._message_limit:
            await context.abort(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                f'the answer of the function "{image}" has {len(response)} bytes, and a message may have'
                f" {self._message_limit}; --max-request-body-size raises the limit, here and in all parts of Porch",
            )
        return response

    async def _forwarded(self, method: Method, request: bytes, context: Context) -> bytes:
        """Return the other service's answer or status, within the caller's remaining time."""
        try:
            return await method(request, timeout=context.time_remaining())
        except grpc.aio.AioRpcError as error:
            await context.abort(error.code(), error.details() or "")


class Health(health.aio.HealthServicer):
    """Service grpc.health.v1.Health: SERVING from `start` to `leave`."""

    def __init__(self) -> None:
        super().__init__()
        self._leaving = asyncio.Event()
        self._known = {health.OVERALL_HEALTH, health.SERVICE_NAME, EVALUATOR}

    async def start(self) -> None:
        """Report SERVING."""
        for service in self._known:
            await self.set(service, HealthCheckResponse.SERVING)

    async def leave(self) -> None:
        """Report NOT_SERVING: clients should send no new call."""
        await self.enter_graceful_shutdown()
        self._leaving.set()

    async def Watch(self, request: HealthCheckRequest, context: HealthContext) -> None:  # noqa: N802  # the name in the protocol
        """Yield the status now, and once more when it changes.

        The inherited method never returns, and a server waits for open streams before it stops.
        """
        known = request.service in self._known
        serving = HealthCheckResponse.NOT_SERVING if self._leaving.is_set() else HealthCheckResponse.SERVING
        status = serving if known else HealthCheckResponse.SERVICE_UNKNOWN
        await context.write(HealthCheckResponse(status=status))
        await self._leaving.wait()
        if status == HealthCheckResponse.SERVING:
            await context.write(HealthCheckResponse(status=HealthCheckResponse.NOT_SERVING))
