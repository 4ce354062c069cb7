"""`krmkit serve evaluator`: serve Porch's function runner protocol from warm processes."""

from __future__ import annotations

import argparse

from krmkit.cli import serveoptions
from krmkit.cli.arguments import CommandParser, count, seconds
from krmkit.cli.running import add_in_process
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.extras import lacking

EPILOG = """
Speaks the gRPC service evaluator.FunctionEvaluator, as Porch's function runner does, and grpc.health.v1.Health. Functions of
this catalog answer for the images of kpt's catalog, of krmkit, and of the registries that --in-process names; any other image is
answered NOT_FOUND, or by the function runner that --forward names.
Without --tls-cert the port is unencrypted and open to every client that can reach it, as Porch expects. SIGTERM and
SIGINT stop the server as soon as the running calls have ended. docs/porch.md shows how to run it beside Porch.
"""


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit serve",
        description="Offer the functions of the catalog as a service.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "service",
        choices=["evaluator", "topology-extension"],
        help="what to serve; the options of topology-extension: krmkit serve topology-extension --help",
    )
    serveoptions.add_address(made, 9445)
    serveoptions.add_workers(made)
    made.add_argument(
        "--queue",
        type=count,
        default=32,
        metavar="N",
        help="callers that may wait for a worker; more are refused (default: %(default)s)",
    )
    made.add_argument(
        "--max-request-body-size",
        type=serveoptions.size,
        default=6 << 20,
        metavar="BYTES",
        help="the limit for messages both ways; Porch's server, function runner and wrapper have the same flag,"
        " and all must agree (default: %(default)s)",
    )
    made.add_argument(
        "--timeout",
        type=seconds,
        default=300.0,
        metavar="SECONDS",
        help="a function that runs for longer is ended (default: %(default)g)",
    )
    made.add_argument(
        "--forward",
        default="",
        metavar="HOST:PORT",
        help="send images of other functions to this function runner, for instance Porch's own",
    )
    add_in_process(made)
    serveoptions.add_connections(made, "more are refused")
    made.add_argument(
        "--idle",
        type=serveoptions.duration,
        default=300.0,
        metavar="SECONDS",
        help="a connection without a call is closed after so long (default: %(default)g)",
    )
    made.add_argument(
        "--worker-memory",
        type=count,
        default=2048,
        metavar="MIB",
        help="memory that a worker may have; a run that needs more fails (default: %(default)s)",
    )
    made.add_argument(
        "--recycle",
        type=count,
        default=10_000,
        metavar="N",
        help="calls after which a worker is replaced (default: %(default)s)",
    )
    made.add_argument(
        "--reflection", action="store_true", help="tell clients such as grpcurl what the port offers"
    )
    serveoptions.add_certificates(made, "--tls-client-ca")
    return made


def main(words: list[str]) -> int:
    """Run `krmkit serve ...`; return 0 after a requested stop, 1 if it could not start."""
    if words[1:2] == ["topology-extension"]:
        from krmkit.cli.serveextension import main as serve_extension

        return serve_extension(words[1:])
    arguments = parser().parse_args(words[1:])
    try:
        from krmkit.services.evaluator.server import EvaluatorSettings, serve
        from krmkit.services.settings import ServiceSettings
    except ImportError as error:
        raise Refused(lacking(error, "serve")) from None
    settings = EvaluatorSettings(
        service=ServiceSettings.of(arguments),
        queue=arguments.queue,
        message_limit=arguments.max_request_body_size,
        timeout=arguments.timeout,
        forward=arguments.forward,
        idle=arguments.idle,
        memory=arguments.worker_memory << 20,
        recycle=arguments.recycle,
        reflection=arguments.reflection,
        registries=tuple(arguments.in_process),
    )
    serve(settings)
    return 0
