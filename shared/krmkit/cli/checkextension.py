"""Run `krmkit topology check-extension`: check that a runtime extension keeps the contract."""

from __future__ import annotations

import argparse
import math
import os
import sys
from typing import Any

from krmkit.analysis.plans.sources import read_items
from krmkit.cli.arguments import CommandParser
from krmkit.krm.errors import Refused
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find
from krmkit.services.extension.client import Caller, CallError, LocalCaller, caller
from krmkit.services.extension.contract import GUIDELINE, check_contract
from krmkit.services.extension.contractreport import WARNING, ContractReport
from krmkit.services.extension.live import GROUP, VERSION, read_object
from krmkit.services.extension.samples import of_our_own, of_package
from krmkit.services.extension.shown import as_json, table
from krmkit.services.extension.sources import items_of, load, read
from krmkit.systems.clusterapi.hooks.extensionconfig import hook_path
from krmkit.systems.clusterapi.hooks.responses import KIND as RESPONSES
from krmkit.systems.clusterapi.hooks.serving import Served
from krmkit.systems.clusterapi.hooks.topologyextension import TopologyExtension
from krmkit.systems.clusterapi.model.extensions import DISCOVER_VARIABLES, GENERATE_PATCHES
from krmkit.views.terminal import Terminal, unread_is_fine

EPILOG = """
Calls every handler: twice with the same request, with templates that it patched already, without variables and with wrong ones, with
unknown kinds and apiVersions, with malformed, empty and huge bodies, and with ten callers at a time. The requests are those of the
Clusters in the package that --package names; without it, small ones with a value for each variable that the extension defines.

Exit code: 0 the extension keeps the contract (there may be warnings), 1 it does not, or it cannot be called.
"""


def _milliseconds(text: str) -> float:
    """Return a time above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number of milliseconds above 0, got {text}")
    return number


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit topology check-extension",
        description="Test whether a runtime extension keeps Cluster API's contract.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "target",
        nargs="?",
        metavar="URL|FILE",
        help="https://..., exec:PROGRAM, or TopologyExtensions in a file or folder",
    )
    made.add_argument(
        "--module", action="append", default=[], metavar="NAME", help="a Python module with an Extension"
    )
    made.add_argument(
        "--package", default="", metavar="PKG", help="take requests from the Clusters of this package"
    )
    made.add_argument(
        "--recorded", default="", metavar="FILE", help="compare variables with those of an earlier --record"
    )
    made.add_argument(
        "--ca-file", default="", metavar="FILE", help="the authority of the server's certificate (PEM)"
    )
    made.add_argument("--client-cert", default="", metavar="FILE", help="the certificate to show (PEM)")
    made.add_argument("--client-key", default="", metavar="FILE", help="its key (PEM)")
    made.add_argument(
        "--max-ms",
        type=_milliseconds,
        default=GUIDELINE * 1000,
        metavar="MS",
        help="a call may take so long (default: %(default)g)",
    )
    made.add_argument(
        "-f", "--format", choices=["table", "json"], default="table", help="how to show the outcome"
    )
    return made


def main(words: list[str]) -> int:
    """Run the check; return 0 if the contract is kept, else 1."""
    asked = parser()
    arguments = asked.parse_args(words[1:])
    if bool(arguments.target) is bool(arguments.module):
        asked.error("name one of URL, FILE and --module")
    target = _target(arguments)
    recorded = _recorded(arguments.recorded) if arguments.recorded else []
    if arguments.package:
        requests, problems = of_package(arguments.package, target)
    else:
        requests, problems = of_our_own(_definitions(target)), []
    report = check_contract(
        target, requests, recorded, arguments.max_ms / 1000, is_real=bool(arguments.package)
    )
    for problem in problems:
        report.add("", "package", problem)
    if arguments.package and isinstance(target, LocalCaller):
        _find_unused_patches(report, _served(arguments), requests)
    with unread_is_fine(sys.stdout):
        print(as_json(report) if arguments.format == "json" else table(report, Terminal(sys.stdout)), end="")
    return 1 if report.violations else 0


def _find_unused_patches(report: ContractReport, served: Served, requests: list[Object]) -> None:
    """Report patches of TopologyExtensions that select no template of the package's Clusters."""
    for extension in served.extensions:
        if isinstance(extension, TopologyExtension):
            for handler in extension.discovery()["handlers"]:
                if handler["requestHook"]["hook"] == GENERATE_PATCHES:
                    for request in requests:
                        extension.answer(GENERATE_PATCHES, handler["name"], request)
            for one in extension.unmatched():
                report.add(extension.name, "unused-patch", f"{one.field}: {one.message}", WARNING)


def _served(arguments: argparse.Namespace) -> Served:
    name = arguments.target or ""
    return load(read([name] if name else [], arguments.module))


def _target(arguments: argparse.Namespace) -> Caller:
    name = arguments.target or ""
    if arguments.module or os.path.exists(name):
        return LocalCaller(_served(arguments))
    if ":" not in name:
        raise Refused(f"{name}: is neither a file nor https://... nor exec:PROGRAM")
    return caller(name, arguments.ca_file, arguments.client_cert, arguments.client_key)


def _recorded(path: str) -> list[Object]:
    """Return the answers to DiscoverVariables in recorded TopologyResponses. Raises Refused."""
    items: list[Any]
    if os.path.isdir(path):
        items = [item.get() for item in read_items(path) if item.kind == RESPONSES]
    else:
        items = items_of(path, RESPONSES, "krmkit.dev/")
    answers = []
    for item in items:
        listed = find(item, ("spec", "responses"), [])
        for one in listed if isinstance(listed, list) else []:
            if find(one, ("hook",)) == DISCOVER_VARIABLES:
                listed_variables = find(one, ("response", "variables"), [])
                if not isinstance(listed_variables, list) or not all(
                    isinstance(variable, dict) for variable in listed_variables
                ):
                    raise Refused(f"--recorded {path}: variables must be a list of definitions")
                answers.append(one["response"])
    if not answers:
        raise Refused(f"--recorded {path}: holds no recorded answer to {DISCOVER_VARIABLES}")
    return answers


def _definitions(target: Caller) -> list[Object]:
    """Return the variables that all handlers define. The check itself reports their errors."""
    definitions: list[Object] = []
    try:
        handlers = (
            read_object(target.call(hook_path(GROUP, VERSION, "Discovery"), b"{}", 10.0)).get("handlers")
            or []
        )
        for one in handlers:
            if one["requestHook"]["hook"] == DISCOVER_VARIABLES:
                path = hook_path(GROUP, VERSION, DISCOVER_VARIABLES, one["name"])
                definitions += read_object(target.call(path, b"{}", 10.0)).get("variables") or []
    except (CallError, KeyError, TypeError, AttributeError):
        pass
    return [one for one in definitions if isinstance(one, dict)]
