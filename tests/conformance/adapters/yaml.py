"""Records of Go's yaml.v3, judged by the reader that the functions call.

README.md beside the vectors describes the records.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse_all
from krmkit.libraries.yaml.errors import YamlError

Record = dict[str, Any]
Judge = Callable[[Record, Path], tuple[bool, str]]


def _values(record: Record, _: Path) -> tuple[bool, str]:
    """Whether a record's documents are read with Go's values, or are refused where Go refuses them."""
    try:
        found = [_shown(go_data(document.root)) for document in parse_all(record["text"])]
    except YamlError as error:
        refused = "error" in record or "interface_error" in record
        return refused, f"error: {error}; expected {record.get('oracle_json')}"
    if "error" in record:
        return False, f"got {found}; expected the error {record['error']}"
    expected = record["oracle_json"]
    return found == expected, f"got {found}, expected {expected}"


def _shown(value: object) -> object:
    """A value in the records' notation: `["i","12"]` for 12, `["m",[["a",null]]]` for `{a: null}`."""
    if isinstance(value, dict):
        return ["m", [[name, _shown(item)] for name, item in value.items()]]
    if isinstance(value, list):
        return ["l", [_shown(item) for item in value]]
    if isinstance(value, float):
        return ["f", "nan" if value != value else struct.pack(">d", value).hex()]
    if isinstance(value, int) and not isinstance(value, bool):
        return ["i", str(value)]
    return value


FILES: dict[str, Judge] = {"values.jsonl": _values}
