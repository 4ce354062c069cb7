"""The texts of `--help`, `--schema` and `--version`, made from function.yaml."""

from __future__ import annotations

import json
from typing import Any

from krmkit.fn.commandline import FLAGS
from krmkit.fn.definition import FunctionDefinition
from krmkit.fn.rules import COMMON, own_rules

COLUMNS = 80


def text_for(definition: FunctionDefinition, what: str) -> str:
    """Return the text for "help", "schema" or "version"."""
    if what == "schema":
        return json.dumps(definition.config_schema(), indent=2) + "\n"
    if what == "version":
        return f"{definition.name} (krmkit {version()})\n"
    return help_text(definition)


def version() -> str:
    """Return the version of krmkit."""
    from krmkit import __version__

    return __version__


def help_text(definition: FunctionDefinition) -> str:
    """Return all of --help."""
    lines = [f"{definition.name}: {definition.summary}", ""]
    description = str(definition.about.get("description") or "").strip()
    if description:
        lines += [description, ""]
    lines += [
        "Usage:",
        f"  {definition.name} [FILE] [--explain] [--debug] [--tag\xa0TAG] [--crds\xa0DIR] [--limit\xa0NAME=N] [--jobs\xa0N]",
        f"  {definition.name} --help | --schema | --version",
        "",
        "Reads a ResourceList from FILE or stdin, writes one to stdout. Exit code 1 and a result of severity error"
        " always come together; then the items are those of the input.",
        "",
        *(f"  {flag:<15} {meaning}" for flag, meaning in FLAGS.items()),
        "",
        *_config(definition),
    ]
    common = {name: f"{rule.level}: {rule.meaning}" for name, rule in own_rules(COMMON).items()}
    rules = {**(definition.about.get("rules") or {}), **common}
    lines += ["", "Results (tags.rule):"]
    lines += [f"  {name}: {meaning}" for name, meaning in rules.items()]
    return "\n".join(_fitting(lines)).replace("\xa0", " ") + "\n"


def _config(definition: FunctionDefinition) -> list[str]:
    meaning = "  Which results fail the run: error (the default), warning (and errors), never."
    if definition.own_config:
        lines = [f"Config: kind {definition.kind} ({definition.api_version}), fields beside metadata."]
        lines += ["", *fields(definition.about["schema"], "")]
        return [*lines, "Annotation krmkit.dev/fail-on: error | warning | never", meaning]
    lines = [
        f"Config: kind {definition.kind} ({definition.api_version}), fields under spec; or a ConfigMap, fields as texts under data."
    ]
    lines += [f"Also taken as it is: kind {kind} ({group})." for group, kind, _ in definition.accepts]
    lines += ["", *fields(definition.about["schema"], "spec"), "spec.failOn: error | warning | never"]
    return [*lines, meaning]


def _fitting(lines: list[str]) -> list[str]:
    """Wrap lines that are too long for a terminal; fill paragraphs."""
    from textwrap import wrap

    fitted: list[str] = []
    for text in lines:
        for paragraph in text.split("\n\n"):
            fitted += [""] * (paragraph is not text and text.index(paragraph) > 0)
            if all(len(line) <= COLUMNS for line in paragraph.split("\n")):
                fitted += paragraph.split("\n")
                continue
            for block in _blocks(paragraph):
                indent = block[: len(block) - len(block.lstrip())]
                first = block.split(maxsplit=1)[0]
                inner = indent + "  " * (first in {"-", "*"} or (bool(indent) and first.endswith(":")))
                inner += " " * 18 * first.startswith("--")
                fitted += wrap(
                    block, COLUMNS, subsequent_indent=inner, break_long_words=False, break_on_hyphens=False
                )
    return fitted


def _blocks(paragraph: str) -> list[str]:
    """Split a paragraph into blocks that are filled apart: a list entry or an indented line starts one."""
    blocks: list[str] = []
    for line in paragraph.split("\n"):
        inside = bool(blocks) and blocks[-1].startswith("- ") and line.startswith("  ")
        if not blocks or not line.strip() or (line.startswith(("- ", "  ")) and not inside):
            blocks.append(line)
        else:
            blocks[-1] += f" {line.strip()}"
    return blocks


def fields(schema: dict[str, Any], path: str) -> list[str]:
    """Return two lines for each field: path and type, then the description."""
    lines: list[str] = []
    required = schema.get("required") or ()
    for key, field in (schema.get("properties") or {}).items():
        lines += _field(field, f"{path}.{key}" if path else key, key in required)
    return lines


def _field(schema: dict[str, Any], path: str, required: bool) -> list[str]:
    notes = [_kind(schema)]
    if required:
        notes.append("required")
    if "default" in schema:
        notes.append(f"default {json.dumps(schema['default'])}")
    lines = [f"{path}: {', '.join(notes)}"]
    description = " ".join(str(schema.get("description") or "").split())
    if description:
        lines.append(f"  {description}")
    items = schema.get("items")
    if isinstance(items, dict):
        lines += fields(items, f"{path}[]")
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        lines += fields(others, f"{path}.<name>")
    return lines + fields(schema, path)


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    if schema.get("x-kubernetes-int-or-string"):
        return "integer or string"
    items, others = schema.get("items"), schema.get("additionalProperties")
    if schema.get("type") == "array" and isinstance(items, dict):
        return f"list of {_kind(items)}"
    if isinstance(others, dict):
        return f"map of {_kind(others)}"
    return str(schema.get("type", "any"))
