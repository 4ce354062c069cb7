"""`krmkit serve topology-extension`: extensions as Cluster API's controllers call them."""

from __future__ import annotations

import argparse
import os
import sys

EPILOG = """
Serves the TopologyExtensions in files and folders, and extensions that Python modules hold, by Cluster API's Runtime SDK: discovery,
generatepatches, validatetopology, discovervariables. All of them answer below /, and each one alone below /<name>, for
ExtensionConfigs with a path. /healthz and /readyz answer GET on the same port, /metrics on the other one.
Files of extensions and certificates are loaded again when they change; where a new version is broken, the old one stays.
SIGTERM and SIGINT stop the server as soon as the running calls have ended. docs/topology-extensions.md says more.
"""


def parser() -> argparse.ArgumentParser:
    """The command line of `krmkit serve topology-extension`."""
    made = argparse.ArgumentParser(
        prog="krmkit serve topology-extension",
        description="Serve runtime extensions of Cluster API.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("paths", nargs="*", metavar="DIR|FILE", help="where TopologyExtensions are")
    made.add_argument(
        "--module",
        action="append",
        default=[],
        metavar="NAME",
        help="a Python module with an Extension (repeatable)",
    )
    made.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: %(default)s)")
    made.add_argument("--port", type=int, default=9443, help="0 for any that is free (default: %(default)s)")
    made.add_argument(
        "--metrics-port", type=int, default=8080, help="the port of /metrics (default: %(default)s)"
    )
    made.add_argument("--tls-cert", default="", metavar="FILE", help="serve with this certificate (PEM)")
    made.add_argument("--tls-key", default="", metavar="FILE", help="the certificate's key (PEM)")
    made.add_argument(
        "--client-ca",
        default="",
        metavar="FILE",
        help="serve only clients with a certificate of this authority (PEM)",
    )
    made.add_argument(
        "--workers",
        type=int,
        default=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        metavar="N",
        help="processes that answer, each one call at a time (default: one per core, here %(default)s)",
    )
    made.add_argument(
        "--grace",
        type=float,
        default=25.0,
        metavar="SECONDS",
        help="time for running calls to end (default: %(default)g)",
    )
    made.add_argument("--no-access-log", action="store_true", help="write no line for each call to stderr")
    return made


def main(words: list[str]) -> int:
    """Run the server; returns 0 when it was asked to stop, 1 when it could not start."""
    asked = parser()
    arguments = asked.parse_args(words[1:])
    if not arguments.paths and not arguments.module:
        asked.error("name a file or folder with TopologyExtensions, or --module")
    try:
        from krmkit.cli.extension.server import ServerSettings, serve
        from krmkit.cli.extension.sources import ExtensionError
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("hypercorn", "prometheus_client"):
            raise
        print(
            f"krmkit serve: {error.name} is missing; pip install 'krmkit[extension]' brings it",
            file=sys.stderr,
        )
        return 1
    settings = ServerSettings(
        paths=arguments.paths,
        modules=arguments.module,
        host=arguments.host,
        port=arguments.port,
        metrics_port=arguments.metrics_port,
        certificate=arguments.tls_cert,
        key=arguments.tls_key,
        client_ca=arguments.client_ca,
        workers=max(1, arguments.workers),
        grace=arguments.grace,
        log=not arguments.no_access_log,
    )
    try:
        serve(settings)
    except ExtensionError as error:
        print(f"krmkit serve: {error}", file=sys.stderr)
        return 1
    return 0
