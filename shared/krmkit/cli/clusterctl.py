"""`krmkit clusterctl generate TEMPLATE` substitutes the `${VARIABLE}`s of a Cluster API template, as
clusterctl does, and `migrate PKG` converts a package to v1beta2.

The environment is not read: the same template and values give the same text everywhere.
"""

from __future__ import annotations

import argparse
import sys

from krmkit.cli.arguments import CommandParser, add_output, add_package, add_place, package_above
from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR
from krmkit.libraries.envsubst import SubstitutionError
from krmkit.libraries.process.stderr import say
from krmkit.render.conversion.variablevalues import add_values, read_values
from krmkit.storage.disk.folders import read_file
from krmkit.storage.disk.write import write, write_file
from krmkit.systems.clusterapi.api.templatevariables import cluster_template
from krmkit.systems.clusterapi.plan.model import SAME
from krmkit.views.migration import FORMATS, told, told_json
from krmkit.views.terminal import Terminal, unread_is_fine

_LARGEST = 64 * 1024 * 1024

EPILOG = """
krmkit clusterctl generate cluster-template.yaml --list-variables
krmkit clusterctl generate cluster-template.yaml --values lyon.yaml --set WORKER_MACHINE_COUNT=5 -o clusters/lyon.yaml

Values are a YAML map, such as `CLUSTER_NAME: lyon`. Forms: ${V}, ${V:=default}, ${V:-default}, ${V^^}, ${V/text/other} and the others of
drone/envsubst; $$ is a dollar sign.
"""


def parser() -> CommandParser:
    made = CommandParser(prog="krmkit clusterctl", description="Templates of Cluster API, offline.")
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    generate = commands.add_parser(
        "generate",
        help="put values in place of ${VARIABLE}s",
        description="Print a template of Cluster API with values in place of its variables, as `clusterctl generate yaml` does, but from a"
        " file: the environment does not count. The text is kept otherwise, comments too.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    generate.add_argument("template", metavar="TEMPLATE", help="the template; - is stdin")
    generate.add_argument("--values", metavar="FILE", help="a YAML map of names and values")
    generate.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="one value; it wins over --values"
    )
    generate.add_argument(
        "--list-variables",
        action="store_true",
        help="print the variables and their defaults, and nothing else",
    )
    add_place(generate, "FILE", "where the text goes (default: stdout)", default="")
    migrate = commands.add_parser(
        "migrate",
        help="convert the Cluster API objects of a package from v1beta1 to v1beta2",
        description="Convert Clusters, ClusterClasses and templates of the core, kubeadm and Docker kinds to v1beta2 in their files: fields, references"
        " and the paths and values of patches. Comments and order stay. What cannot be converted alone is named with its line. A plan between before"
        " and after shows whether any Cluster changes.",
        epilog="Exit code: 0 done or nothing to do, 2 files would change (--check), 1 something is left to do, or a Cluster would change.",
    )
    add_package(migrate)
    add_output(migrate, FORMATS, results=False, does=False)
    migrate.add_argument("--check", action="store_true", help="write nothing; exit 2 if files would change")
    migrate.add_argument(
        "--diff", action="store_true", help="show the changes and write nothing, without --write"
    )
    migrate.add_argument(
        "--write",
        action="store_true",
        help="write, with --diff as well (the default without --check and --diff)",
    )
    return made


def main(words: list[str]) -> int:
    arguments = parser().parse_args(words[1:])
    if arguments.command == "migrate":
        return _migrate(arguments)
    name = "stdin" if arguments.template == "-" else arguments.template
    try:
        text = _made(arguments, name)
    except SubstitutionError as error:
        raise Refused(f"{name}: {error}") from None
    if arguments.output and not arguments.list_variables:
        write_file(arguments.output, text)
        text = ""
    with unread_is_fine(sys.stdout):
        sys.stdout.write(text)
    return 0


def _made(arguments: argparse.Namespace, name: str) -> str:
    """Return the text to print or write."""
    content = (
        sys.stdin.buffer.read(_LARGEST + 1)
        if arguments.template == "-"
        else read_file(name, name, limit=_LARGEST)
    )
    if content is None or len(content) > _LARGEST:
        raise Refused(f"{name} must have at most {_LARGEST:,} bytes")
    try:
        template = cluster_template(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Refused(f"{name} must be UTF-8; byte {error.start} is not") from None
    if arguments.list_variables:
        return "".join(
            f"{one.name}  (required)\n" if one.required else f"{one.name}  (default: {one.default!r})\n"
            for one in template.variables
        )
    return template.filled(
        add_values(read_values(arguments.values) if arguments.values else {}, arguments.set)
    )


def _migrate(arguments: argparse.Namespace) -> int:
    from krmkit.analysis.plans.migration import migrated

    package = arguments.package or package_above()
    found = migrated(package)
    if arguments.write or not (arguments.check or arguments.diff):
        write(package, found.edits)
    changed = [one for one in found.plan.clusters if one.action != SAME]
    if arguments.format == "json":
        text = told_json(found)
    else:
        text = told(found, changed, arguments.diff, Terminal.of(arguments))
    with unread_is_fine(sys.stdout):
        sys.stdout.write(text)
    for problem in found.plan.errors:
        say("clusterctl migrate", problem)
    if found.plan.errors or changed or any(one.severity == ERROR for one, _ in found.findings):
        return 1
    return 2 if arguments.check and found.edits else 0
