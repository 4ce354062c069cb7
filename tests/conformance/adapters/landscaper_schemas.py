"""Records of JSON schemas: whether a value is valid, what is said about it, and which schemas are refused.

Lines are compared as sets, because a line that would stand twice stands once here. A refused schema passes whatever the words: they are
the library's where the fault is one of the draft's own schema.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from krmkit.landscaper.blueprint.schema import JsonSchemaError, violations

Judged = tuple[bool, str]
Record = dict[str, Any]


def judge_schema(record: Record, folder: Path) -> Judged:
    """One schema with one value."""
    wanted = record.get("expect_error")
    try:
        lines = violations(record["schema"], record["data"])
    except JsonSchemaError as error:
        return wanted is not None, f"refuses the schema: {error}"
    if wanted is not None:
        return False, f"says {lines!r}, wanted the error {wanted!r}"
    expected = record["expect"]["errors"]
    return set(lines) == set(expected), f"says {lines!r}, wanted {expected!r}"


FILES: dict[str, Callable[[Record, Path], Judged]] = {"jsonschema_real.jsonl": judge_schema}
