"""apply-setters: set the fields whose line comment names a setter, as in `image: nginx:1 # kpt-set: nginx:${tag}`.

Setters of a pattern that the config lacks keep their values from the current text. Source: applysetters.go of
apply-setters.
"""

from __future__ import annotations

from krmkit.krm.cause import CauseLog, config_cause
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.go.fmt.printing import quote as go_quoted
from krmkit.libraries.json.paths import join
from krmkit.libraries.yaml.data import is_null
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.scalars import go_resolve
from krmkit.libraries.yaml.tree import Node, Scalar, Seq
from krmkit.systems.everyday.common.findings import (
    EverydayConfigError,
    EverydayError,
    info,
    reporting,
    warning,
)
from krmkit.systems.everyday.common.kptconfig import data_entries, described
from krmkit.systems.everyday.fields.comments import CommentedField, fields, printed, wants_text
from krmkit.systems.everyday.setters.patterns import derived, filled, is_array_pattern, names_in, pattern_of

MARK = "kpt-set"


@reporting
def apply_setters(resources: ResourceList, config: Resource | None) -> list[Finding]:
    """Set the fields with the config's setters in their comments.

    Example: data `{tag: v2}` makes `image: nginx:v2` of `image: nginx:v1 # kpt-set: nginx:${tag}`.
    """
    values = setter_values(config)
    results: list[Finding] = []
    for item in list(resources.containing(MARK)) if values else ():
        plain = _set_plainly(item, values)
        if plain is not None:
            results += plain
            continue
        for field in fields(item):
            results += _set(field, values)
    if resources.causes is not None and config is not None:
        _explain(resources, values, config, resources.causes)
    return results or [info("setters", "no matches for input setter(s)")]


def _explain(resources: ResourceList, values: dict[str, str], config: Resource, causes: CauseLog) -> None:
    """Record the setters of each field as its causes."""
    for item in resources.containing(MARK) if values else ():
        for field in fields(item):
            names = [name for name in names_in(pattern_of(field.comment)) if name in values]
            if names and field.is_written:
                causes.set(item, field.path, *(config_cause(config, "data", name) for name in names))


def setter_values(config: Resource | None, may_be_null: bool = False) -> dict[str, str]:
    """The setters of a config: the entries of `data`, of a config of any kind.

    `may_be_null`: null counts as an empty text, else it is an error. Raises EverydayConfigError for a list or map.
    """
    values = {}
    for name, node in data_entries(config) if config is not None else ():
        if may_be_null and is_null(node):
            values[name] = ""
            continue
        if not isinstance(node, Scalar) or (is_null(node) and not node.style):
            what = described(node)
            hint = "; a list goes in quotes, or behind `|`" if isinstance(node, Seq) else ""
            raise EverydayConfigError(
                f"must be a text, a number or true or false, got {what}{hint}", config, join("data", name)
            )
        values[name] = node.text
    return values


def _set(field: CommentedField, values: dict[str, str]) -> list[Finding]:
    """Set one field, if it has a pattern that needs one of the values."""
    node = field.node
    if isinstance(node, Scalar) and not field.is_written:
        return []
    if not isinstance(node, (Scalar, Seq)) or (isinstance(node, Seq) and field.entry is None):
        return []
    pattern = pattern_of(field.comment)
    if not pattern or not any(name in values for name in names_in(pattern)):
        return []
    if isinstance(node, Seq):
        return _set_list(field, pattern, values)
    text, growing = _filled(pattern, node.text, values, field.item, field.dotted)
    field.put_text(text)
    return _said(field.item, field.dotted, text, growing)


def _set_plainly(item: Resource, values: dict[str, str]) -> list[Finding] | None:
    """Set the fields of a resource without a parse; None, and nothing changed, if a parse is needed."""
    places = item.fields_with(MARK)
    if places is None:
        return None
    filled_in = []
    changes = []
    for path, span, comment in places:
        pattern = pattern_of(comment)
        if not pattern or not any(name in values for name in names_in(pattern)):
            continue
        old = item.text_at(span)
        if old is None:
            return None
        text, growing = _filled(pattern, old, values, item, printed(path))
        filled_in.append((printed(path), text, growing))
        if "\n" in text or not text:
            return None
        if text != old:
            changes.append((span, text, go_resolve(text)[0] not in ("str", "merge") and not wants_text(path)))
    for span, text, is_raw in reversed(changes):
        item.put_at(span, text, is_raw)
    return [finding for path, text, growing in filled_in for finding in _said(item, path, text, growing)]


def _filled(
    pattern: str, current: str, values: dict[str, str], item: Resource, path: str
) -> tuple[str, list[str]]:
    """The new text of a scalar, and the setters that make it grow with every run. Raises EverydayError."""
    text, guessed = _new_text(pattern, current, values, item, path)
    left = names_in(text)
    if left:
        raise _unset(left, item, path)
    grows = bool(guessed) and _new_text(pattern, text, values, item, path)[0] != text
    return text, guessed if grows else []


def _said(item: Resource, path: str, text: str, growing: list[str]) -> list[Finding]:
    said = [info("setters", f"set field value to {go_quoted(text)}", item, path)]
    if growing:
        message = (
            f"the setters {', '.join(growing)} are not given, and what the text shows for them changes with every run;"
            " give them a value"
        )
        said.append(warning("guessed", message, item, path))
    return said


def _new_text(
    pattern: str, current: str, values: dict[str, str], item: Resource, path: str
) -> tuple[str, list[str]]:
    """The new text of a scalar, and the setters whose values were read from the current one. Raises EverydayError."""
    missing = [name for name in names_in(pattern) if name not in values]
    if not missing:
        return filled(pattern, values), []
    shown = derived(pattern, current)
    left = [name for name in missing if name not in shown]
    if left:
        raise _unset(left, item, path)
    return filled(pattern, {**shown, **values}), missing


def _unset(names: list[str], item: Resource, path: str) -> EverydayError:
    listed = " ".join(f"${{{name}}}" for name in names)
    message = f"failed to apply setters: values for setters [{listed}] must be provided"
    return EverydayError("unset", message, item, path)


def _set_list(field: CommentedField, pattern: str, values: dict[str, str]) -> list[Finding]:
    if not is_array_pattern(pattern):
        message = f"failed to apply setters: invalid setter pattern for array node: {go_quoted(pattern)}"
        raise EverydayError("list-setter", message, field.item, field.dotted)
    text = values[names_in(pattern)[0]]
    new = _list(text)
    if new is None:
        message = f"input to array setter must be an array of values, but found {go_quoted(text)}"
        raise EverydayError("list-setter", f"failed to apply setters: {message}", field.item, field.dotted)
    if not _same(field.node, new):
        field.put(new)
    return [info("setters", f"set field value to {go_quoted(text)}", field.item, field.dotted)]


def _list(text: str) -> Seq | None:
    """The list in a setter's value, in block style; None if it is not a list."""
    if not text.strip():
        return Seq()
    try:
        root = parse(text).root
    except YamlError:
        return None
    if not isinstance(root, Seq):
        return None
    if not root.flow:
        return root
    made = Seq()
    made.items = list(root.items)
    return made


def _same(old: Node, new: Node) -> bool:
    from krmkit.libraries.yaml.data import go_data, same_data

    return same_data(go_data(old), go_data(new))
