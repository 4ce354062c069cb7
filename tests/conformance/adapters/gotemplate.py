"""Template vectors: output or failure, and the phase of a failure. Exact messages are counted, not judged."""

from __future__ import annotations

import base64
from pathlib import Path

from krmkit.libraries.gotemplate import TemplateError, parse

OPTIONAL = "crypto"
"""The family of functions that a deterministic run refuses; its records pass when they end in output or in an error."""


class Messages:
    """How many messages of one file are Go's to the letter."""

    def __init__(self) -> None:
        self.exact = 0
        self.failures = 0
        self.other: list[str] = []


_messages: dict[str, Messages] = {}


def run(record: dict[str, object]) -> tuple[str, TemplateError | None]:
    """The output of a record, or the error."""
    options = record.get("options") or []
    delims = record.get("delims") or ["{{", "}}"]
    templates = record.get("templates") or {}
    order = record.get("order") or []
    assert isinstance(options, list) and isinstance(delims, list)
    assert isinstance(templates, dict) and isinstance(order, list)
    functions = str(record.get("funcs") or "none")
    try:
        template = parse(
            str(record["template"]),
            name=str(record.get("name", "t")),
            functions=None if functions == "none" else functions,
            delims=(delims[0], delims[1]),
            options=options,
        )
        for name in order:
            template.parse_associated(name, templates[name])
        name = record.get("exec")
        numbers = str(record.get("numbers") or "float64")
        return template.execute(record.get("data"), None if name is None else str(name), numbers), None
    except TemplateError as error:
        return "", error


def judge(file: str, record: dict[str, object]) -> tuple[bool, str]:
    messages = _messages.setdefault(file, Messages())
    output, error = run(record)
    optional = record.get("family") == OPTIONAL
    if record.get("expect_error"):
        messages.failures += 1
        if error is None:
            return optional, f"gives {output!r}, wanted the error {record['error']!r}"
        if error.message == record["error"]:
            messages.exact += 1
        else:
            messages.other.append(f"{record['id']}: {error.message!r}, not {record['error']!r}")
        if error.phase != record["error_phase"]:
            return False, f"fails in phase {error.phase}, wanted {record['error_phase']}: {error.message}"
        wanted = str(record.get("partial") or "")
        return error.partial == wanted, f"had written {error.partial!r}, wanted {wanted!r}"
    if error is not None:
        return optional, f"fails: {error.message}"
    data = output.encode("utf-8", "surrogateescape")
    expected = record.get("expect_b64")
    wanted_data = str(record["expect"]).encode() if expected is None else base64.b64decode(str(expected))
    return data == wanted_data, f"gives {data!r}, wanted {wanted_data!r}"


def template_exec(record: dict[str, object], folder: Path) -> tuple[bool, str]:
    return judge("template_exec.jsonl", record)


def sprig(record: dict[str, object], folder: Path) -> tuple[bool, str]:
    return judge("sprig.jsonl", record)


FILES = {"template_exec.jsonl": template_exec, "sprig.jsonl": sprig}


def notes() -> list[str]:
    """The number of exact messages of each file."""
    return [
        f"{file}: {one.exact} of {one.failures} messages are Go's to the letter"
        for file, one in _messages.items()
    ]
