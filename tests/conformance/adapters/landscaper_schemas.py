"""Records of JSON schemas: whether a value is valid, the messages, and refused schemas.

Lines are compared as sets, because duplicate lines occur once here. A refused schema passes with any message: for
faults by the draft's own schema, the text is the library's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from krmkit.libraries.go.errors import GoInputError
from krmkit.systems.landscaper.jsonschema.schema import violations

Judged = tuple[bool, str]
Record = dict[str, Any]


def judge_schema(record: Record, folder: Path) -> Judged:
    """One schema with one value."""
    wanted = record.get("expect_error")
    try:
        lines = violations(record["schema"], record["data"])
    except GoInputError as error:
        return wanted is not None, f"refuses the schema: {error}"
    if wanted is not None:
        return False, f"says {lines!r}, wanted the error {wanted!r}"
    expected = record["expect"]["errors"]
    return set(lines) == set(expected), f"says {lines!r}, wanted {expected!r}"


FILES: dict[str, Callable[[Record, Path], Judged]] = {"jsonschema_real.jsonl": judge_schema}
