"""apply-setters: set fields whose line comment names a setter: `image: nginx:1 # kpt-set: nginx:${tag}`.

Setters of a pattern that the config lacks keep their values from the current text. Source: applysetters.go of
apply-setters.
"""

from __future__ import annotations

from krmkit.krm.apart import apart
from krmkit.krm.cause import CauseLog, config_cause
from krmkit.krm.errors import Refused
from krmkit.krm.fields import CommentedField, fields
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.go.fmt.printing import quote as go_quoted
from krmkit.libraries.json.paths import join
from krmkit.libraries.messages.nearest import proposal
from krmkit.libraries.yaml.data import is_null
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Node, Scalar, Seq
from krmkit.systems.everyday.common.findings import refused, reporting, wrong_config
from krmkit.systems.everyday.common.kptconfig import data_entries, described
from krmkit.systems.everyday.fields.comments import printed, put_text
from krmkit.systems.everyday.setters.patterns import derived, filled, is_array_pattern, names_in, pattern_of

MARK = "kpt-set"


@reporting
def apply_setters(resources: ResourceList, config: Resource | None) -> list[Finding]:
    """Set the fields with the config's setters in their comments.

    Example: data `{tag: v2}` makes `image: nginx:v2` of `image: nginx:v1 # kpt-set: nginx:${tag}`.
    """
    setters = _Setters(config)

    def one(item: Resource) -> tuple[list[Finding], set[str]]:
        found: list[Finding] = []
        named: set[str] = set()
        for field in fields(item, MARK):
            pattern = pattern_of(field.comment)
            named.update(names_in(pattern))
            found += _set(field, pattern, setters)
        return found, named

    said = apart(resources, list(resources.containing(MARK)) if setters else [], one)
    results = [finding for found, _ in said for finding in found]
    if resources.causes is not None and config is not None:
        _explain(resources, setters, config, resources.causes)
    results = results or [Finding("setters", "no matches for input setter(s)")]
    return [*results, *_unused({name for _, named in said for name in named}, setters, config)]


def _unused(named: set[str], setters: _Setters, config: Resource | None) -> list[Finding]:
    """Warn of setters that no comment names if there are other comments; the original is silent."""
    root = "data" if config is not None and config.node("data") is not None else ""
    return [
        Finding(
            "unused-setter", f"no comment names the setter{proposal(name, named)}", config, join(root, name)
        )
        for name in setters
        if named and name not in named
    ]


class _Setters(dict[str, str]):
    """The values of a config's setters. `refused`: errors of setters that are not scalars.

    Public packages keep other functions' lists beside setters: a list is an error only if a comment names it.
    """

    def __init__(self, config: Resource | None) -> None:
        super().__init__()
        self.refused: dict[str, Refused] = {}
        for name, node in data_entries(config) if config is not None else ():
            try:
                self[name] = _value(config, name, node)
            except Refused as error:
                self.refused[name] = error

    def __bool__(self) -> bool:
        return bool(len(self) or self.refused)

    def has_one_of(self, pattern: str) -> bool:
        """Return True if a pattern names any setter of the config. Raises Refused for a list, map or null."""
        names = names_in(pattern)
        for name in names:
            if name in self.refused:
                raise self.refused[name]
        return any(name in self for name in names)


def _explain(resources: ResourceList, values: _Setters, config: Resource, causes: CauseLog) -> None:
    for item in resources.containing(MARK) if values else ():
        for field in fields(item, MARK):
            names = [name for name in names_in(pattern_of(field.comment)) if name in values]
            if names and field.is_written:
                causes.set(item, field.path, *(config_cause(config, "data", name) for name in names))


def setter_values(config: Resource | None, may_be_null: bool = False) -> dict[str, str]:
    """Return the setters of a config of any kind: the entries of `data`.

    may_be_null: null counts as an empty text instead of an error. Raises Refused for a list or map.
    """
    entries = data_entries(config) if config is not None else []
    return {
        name: "" if may_be_null and is_null(node) else _value(config, name, node) for name, node in entries
    }


def _value(config: Resource | None, name: str, node: Node) -> str:
    if isinstance(node, Scalar) and (node.style or not is_null(node)):
        return node.text
    hint = "; a list goes in quotes, or behind `|`" if isinstance(node, Seq) else ""
    message = f"must be a text, a number or true or false, got {described(node)}{hint}"
    raise wrong_config(message, config, join("data", name))


def _set(field: CommentedField, pattern: str, values: _Setters) -> list[Finding]:
    """Set one field if its pattern uses any of the values."""
    node = field.node
    if isinstance(node, Scalar) and not field.is_written:
        return []
    if not isinstance(node, (Scalar, Seq)) or (isinstance(node, Seq) and field.entry is None):
        return []
    if not pattern or not values.has_one_of(pattern):
        return []
    if isinstance(node, Seq):
        return _set_list(field, pattern, values)
    text, doubt = _filled(pattern, node.text, values, field.item, printed(field.path))
    put_text(field, text)
    return _said(field.item, printed(field.path), text, doubt)


def _filled(pattern: str, current: str, values: dict[str, str], item: Resource, path: str) -> tuple[str, str]:
    """Return a scalar's new text, and a warning or "" about setters read from the old text.

    Raises Refused.
    """
    text, guessed = _new_text(pattern, current, values, item, path)
    left = names_in(text)
    if left:
        raise _unset(left, item, path)
    who = f"the setters {', '.join(guessed)} are not given, and"
    try:
        if not guessed or _new_text(pattern, text, values, item, path)[0] == text:
            return text, ""
    except Refused:
        return text, f"{who} the next run cannot read them from the new text; give them a value"
    return text, f"{who} what the text shows for them changes with every run; give them a value"


def _said(item: Resource, path: str, text: str, doubt: str) -> list[Finding]:
    said = [Finding("setters", f"set field value to {go_quoted(text)}", item, path)]
    return [*said, Finding("guessed", doubt, item, path)] if doubt else said


def _new_text(
    pattern: str, current: str, values: dict[str, str], item: Resource, path: str
) -> tuple[str, list[str]]:
    """Return a scalar's new text, and the setters whose values come from the current text. Raises Refused."""
    missing = [name for name in names_in(pattern) if name not in values]
    if not missing:
        return filled(pattern, values), []
    shown = derived(pattern, current)
    left = [name for name in missing if name not in shown]
    if left:
        raise _unset(left, item, path)
    return filled(pattern, {**shown, **values}), missing


def _unset(names: list[str], item: Resource, path: str) -> Refused:
    listed = " ".join(f"${{{name}}}" for name in names)
    message = f"failed to apply setters: values for setters [{listed}] must be provided"
    return refused("unset", message, item, path)


def _set_list(field: CommentedField, pattern: str, values: dict[str, str]) -> list[Finding]:
    if not is_array_pattern(pattern):
        message = f"failed to apply setters: invalid setter pattern for array node: {go_quoted(pattern)}"
        raise refused("list-setter", message, field.item, printed(field.path))
    text = values[names_in(pattern)[0]]
    new = _list(text)
    if new is None:
        message = f"input to array setter must be an array of values, but found {go_quoted(text)}"
        raise refused("list-setter", f"failed to apply setters: {message}", field.item, printed(field.path))
    if not _same(field.node, new):
        field.put(new)
    return [Finding("setters", f"set field value to {go_quoted(text)}", field.item, printed(field.path))]


def _list(text: str) -> Seq | None:
    """Return the list in a setter's value, in block style; None if it is not a list."""
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
