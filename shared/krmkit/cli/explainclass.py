"""Run `krmkit topology explain CLASS`: show a ClusterClass's variables, and a minimal Cluster of it."""

from __future__ import annotations

import json
import sys

from krmkit.analysis.plans.classtable import ClassTable, ClassVariable, class_table
from krmkit.analysis.plans.sources import collected, read_items
from krmkit.cli.arguments import CommandParser, add_output, add_package, package_above
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.process.stderr import say
from krmkit.views.terminal import Table, Terminal, unread_is_fine

FORMATS = ("table", "markdown", "json")
_COLUMNS = ("VARIABLE", "TYPE", "DEFAULT", "NEEDED", "GROUPS", "ACTS ON", "DESCRIPTION")


def shown(table: ClassTable, name: str, form: str, terminal: Terminal) -> str:
    """Return the table of the class `name` in one of FORMATS."""
    rows = [_row(one) for one in table.variables]
    if form == "json":
        return json.dumps(table.data(name), indent=2) + "\n"
    if form == "markdown":
        lines = [_COLUMNS, tuple("---" for _ in _COLUMNS), *rows]
        return "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines)
    made = Table(list(_COLUMNS))
    for row in rows:
        made.add(list(row))
    return made.text(terminal)


def _row(one: ClassVariable) -> tuple[str, ...]:
    needed = "required" if one.required else "yes, though optional" if one.needed else "no"
    acts = "; ".join(f"{kind} {path} ({patch})" for kind, _, path, patch in one.acts) or "-"
    groups = "; ".join(dict.fromkeys(group for _, group, _, _ in one.acts)) or "-"
    default = json.dumps(one.schema["default"]) if "default" in one.schema else "-"
    said = " ".join(str(one.schema.get("description", "")).split())
    return one.name, str(one.schema.get("type", "any")), default, needed, groups, acts, said or "-"


def parser() -> CommandParser:
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
