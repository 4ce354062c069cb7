"""The table of a ClusterClass's variables, for people and for programs."""

from __future__ import annotations

import json

from krmkit.analysis.plans.classtable import ClassTable, ClassVariable
from krmkit.views.terminal import Table, Terminal

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
