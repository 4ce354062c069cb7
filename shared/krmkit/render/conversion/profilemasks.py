"""Masks in profiles: Palette's exports hide passwords, and a mask is not a value."""

from __future__ import annotations

import re

from krmkit.kpt.source import split_documents
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import entries, text
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Map, Node, Scalar, Seq, deref
from krmkit.render.findings.fieldtable import key_pattern
from krmkit.systems.palette.constraints.schema import PackSchema
from krmkit.systems.palette.packs.macrotext import MacroText
from krmkit.systems.palette.profiles.forms import ClusterProfile, snake
from krmkit.systems.palette.profiles.items import MASK, PROFILE_FILE

_SURE = re.compile(r"\s*\*{2,}\s*")  # one asterisk alone is a common value


def without_masks(theirs: str, mine: str, file: str, schema: str) -> tuple[str, list[str]]:
    """Replace masks, and other passwords, by the package's values; return the text and their paths."""
    if file == PROFILE_FILE:
        return _definitions(theirs, mine)
    if MASK.fullmatch(theirs) and mine.strip():
        return mine, ["the text"]
    secret = (
        [key_pattern(rule.key) for rule in PackSchema.parse(schema).rules if rule.secret] if schema else []
    )
    parts: list[str] = []
    paths: list[str] = []
    here = split_documents(mine.replace("\r\n", "\n"), file)
    new = split_documents(theirs.replace("\r\n", "\n"), file)
    for (lead, one), (_, old) in zip(
        new, here if len(here) == len(new) else [("", "")] * len(new), strict=True
    ):
        try:
            one, kept = _unmasked(MacroText(one), MacroText(old), secret)
        except YamlError:
            kept = []
        parts += [lead, one]
        paths += kept
    return ("".join(parts) if paths else theirs), paths


def _unmasked(new: MacroText, old: MacroText, secret: list[re.Pattern[str]]) -> tuple[str, list[str]]:
    values = dict(_scalars(_root(old), ""))
    marked, kept = new.marked, []
    for path, node in reversed(_scalars(_root(new), "")):
        have = values.get(path)
        if have is None or have.text == node.text or not have.text or MASK.fullmatch(have.text):
            continue
        if MASK.fullmatch(node.text) or any(one.match(path) for one in secret):
            block = have.style in ("|", ">")
            value = emit.double_quoted(have.text) if block else old.marked[have.start : have.end]
            for mark, macro in old.macros.items():
                value = value.replace(mark, macro.raw)
            marked = marked[: node.start] + value + marked[node.end :]
            kept.append(path)
    for mark, macro in new.macros.items():
        marked = marked.replace(mark, macro.raw)
    return marked, kept[::-1]


def masks_in(theirs: str) -> list[str]:
    """Return the paths of a text's values that are masks and must be typed in again."""
    found: list[str] = []
    for _, one in split_documents(theirs, "") if "**" in theirs else ():
        try:
            found += [
                path for path, node in _scalars(_root(MacroText(one)), "") if _SURE.fullmatch(node.text)
            ]
        except YamlError:
            continue
    return ["the text"] if _SURE.fullmatch(theirs) else found


def _definitions(theirs: str, mine: str) -> tuple[str, list[str]]:
    """Do the same for definitions of variables: the default of a sensitive one is masked."""
    try:
        profile, old = (ClusterProfile.of(Resource(one).get(), PROFILE_FILE) for one in (theirs, mine))
    except (YamlError, Refused):
        return theirs, []
    known = {text(one.get("name")): one for one in old.variables()}
    name = snake("defaultValue") if profile.form.snake else "defaultValue"
    kept = []
    for one in entries(profile.get("variables")):
        before = known.get(text(one.get("name")), {})
        value, here = text(one.get(name)), text(before.get("defaultValue"))
        hidden = before.get("isSensitive") is True or MASK.fullmatch(value)
        if hidden and here and value != here and not MASK.fullmatch(here):
            one[name] = here
            kept.append(f"the default of {one.get('name')}")
    return (emit.document(profile.data) if kept else theirs), kept


def _root(text: MacroText) -> Node | None:
    document = text.document or parse(text.text, duplicates="keep")
    return document.root


def _scalars(node: Node | None, path: str) -> list[tuple[str, Scalar]]:
    """Return the scalars of a tree by path; list elements by place."""
    node = deref(node) if node is not None else None
    if isinstance(node, Scalar):
        return [(path, node)] if node.end >= 0 else []
    inner: list[tuple[str, Node]] = []
    if isinstance(node, Map):
        inner = [(f"{path}.{entry.name}" if path else str(entry.name), entry.value) for entry in node.entries]
    elif isinstance(node, Seq):
        inner = [(f"{path}.{number}", one) for number, one in enumerate(node.items)]
    return [found for step, one in inner for found in _scalars(one, step)]
