"""`krmkit serve topology-extension`: extensions as Cluster API's controllers call them."""

from __future__ import annotations

import argparse

from krmkit.cli import serveoptions
from krmkit.cli.arguments import CommandParser
from krmkit.libraries.messages.extras import lacking

EPILOG = """
Serves the TopologyExtensions in files and folders, and extensions that Python modules hold, by Cluster API's Runtime SDK: discovery,
generatepatches, validatetopology, discovervariables. All of them answer below /, and each one alone below /<name>, for
ExtensionConfigs with a path. /healthz and /readyz answer GET on the same port, /metrics on the other one.
Files of extensions and certificates are loaded again when they change; where a new version is broken, the old one stays.
SIGTERM and SIGINT stop the server as soon as the running calls have ended. See docs/topology-extensions.md.
"""


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit serve topology-extension",
        description="Serve runtime extensions of Cluster API.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("paths", nargs="*", metavar="DIR|FILE", help="where TopologyExtensions are")
    made.add_argument(
        "--module",
        action="append",
        default=[],
        metavar="NAME",
        help="a Python module with an Extension (repeatable)",
    )
    serveoptions.add_address(made, 9443)
    made.add_argument(
        "--metrics-port",
        type=serveoptions.port_number,
        default=8080,
        help="the port of /metrics (default: %(default)s)",
    )
    serveoptions.add_certificates(made, "--client-ca")
    serveoptions.add_workers(made)
    serveoptions.add_connections(made, "a new one replaces the oldest that is idle")
    made.add_argument("--no-access-log", action="store_true", help="write no line for each call to stderr")
    return made


def main(words: list[str]) -> int:
    """Run the server; return 0 after a requested stop, 1 if it could not start."""
    asked = parser()
    arguments = asked.parse_args(words[1:])
    if not arguments.paths and not arguments.module:
        asked.error("name a file or folder with TopologyExtensions, or --module")
    try:
        from krmkit.krm.errors import Refused
        from krmkit.services.extension.server import ServerSettings, serve
        from krmkit.services.settings import ServiceSettings
    except ImportError as error:
        raise Refused(lacking(error, "extension")) from None
    settings = ServerSettings(
        paths=arguments.paths,
        modules=arguments.module,
        service=ServiceSettings.of(arguments),
        metrics_port=arguments.metrics_port,
        log=not arguments.no_access_log,
    )
    serve(settings)
    return 0
