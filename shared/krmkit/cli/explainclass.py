"""`krmkit topology explain CLASS`: what the variables of a ClusterClass do, and a minimal Cluster of it."""

from __future__ import annotations

import sys

from krmkit.analysis.plans.classtable import class_table
from krmkit.analysis.plans.sources import collected, read_items
from krmkit.cli.arguments import CommandParser, add_output, add_package, package_above
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.process.stderr import say
from krmkit.views.classtable import FORMATS, shown
from krmkit.views.terminal import Terminal, unread_is_fine


def parser() -> CommandParser:
    """Return the command line of `krmkit topology explain`."""
    made = CommandParser(
        prog="krmkit topology explain",
        description="Show the variables of a ClusterClass: type, default, whether a Cluster can do without, and the fields that patches set from"
        " them. With --cluster, print a minimal Cluster instead.",
    )
    made.add_argument("cluster_class", metavar="CLASS", help="the class, `name` or `namespace/name`")
    add_package(made)
    made.add_argument("--cluster", default="", metavar="NAME", help="print a minimal Cluster of this name")
    add_output(made, FORMATS, results=False, does=False)
    return made


def main(words: list[str]) -> int:
    """Run `krmkit topology explain`; returns the exit code."""
    arguments = parser().parse_args(words)
    wanted = arguments.cluster_class
    package = collected(read_items(arguments.package or package_above()))
    keys = [key for key in package.classes if wanted in (key[1], "/".join(key))]
    if len(keys) != 1:
        names = ["/".join(key) for key in package.classes]
        hint = (
            did_you_mean(wanted, names)
            if not keys
            else f"; there are {', '.join(map('/'.join, keys))}: name one"
        )
        raise Refused(f"CLASS must be one ClusterClass of the package, got {wanted}{hint}")
    table = class_table(package, keys[0], arguments.cluster or "example")
    name = "/".join(keys[0])
    text = table.text() if arguments.cluster else shown(table, name, arguments.format, Terminal.of(arguments))
    with unread_is_fine(sys.stdout):
        sys.stdout.write(text)
    if table.problem:
        say("topology explain", f"a minimal Cluster cannot be rendered: {table.problem}")
    return 1 if table.problem else 0
