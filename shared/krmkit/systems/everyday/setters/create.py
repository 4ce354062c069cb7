"""create-setters: add comments that name setters to every field whose value contains a setter's value."""

from __future__ import annotations

from krmkit.krm.fields import fields
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.go.fmt.printing import quote as go_quoted
from krmkit.libraries.json.paths import join
from krmkit.libraries.yaml.data import is_null
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Scalar, Seq, deref
from krmkit.systems.everyday.common.findings import reporting, wrong_config
from krmkit.systems.everyday.common.kptconfig import data_entries, described
from krmkit.systems.everyday.fields.comments import printed, put_comments

_PREFIX = "failed to create setters: "


class _Setters:
    """Setters by their values: texts, the longest first, and sorted lists of texts."""

    def __init__(self) -> None:
        self.scalars: list[tuple[str, str]] = []
        self.lists: dict[tuple[str, ...], str] = {}

    def pattern(self, text: str) -> str:
        """Replace values in a text by their setters; values inside a longer match stay."""
        parts: list[tuple[str, bool]] = [(text, False)]
        for value, name in self.scalars:
            parts = [
                piece
                for part, is_setter in parts
                for piece in ([(part, True)] if is_setter else _split(part, value, name))
            ]
        return "".join(part for part, _ in parts)


def _split(text: str, value: str, name: str) -> list[tuple[str, bool]]:
    pieces: list[tuple[str, bool]] = []
    for number, piece in enumerate(text.split(value)):
        if number:
            pieces.append((f"${{{name}}}", True))
        pieces.append((piece, False))
    return pieces


@reporting
def create_setters(resources: ResourceList, config: Resource | None) -> list[Finding]:
    """Add comments with setters.

    Example: data `{tag: v1}` makes `image: nginx:v1 # kpt-set: nginx:${tag}` of `image: nginx:v1`.
    """
    setters = _decoded(config)
    results: list[Finding] = []
    for item in resources:
        if setters.lists or any(item.may_hold(value) for value, _ in setters.scalars):
            results += _comment(item, setters)
    if not results:
        return [Finding("no-match", f"{_PREFIX}no matches for the input list of setters")]
    return results


def _comment(item: Resource, setters: _Setters) -> list[Finding]:
    comments: dict[tuple[str | int, ...], str] = {}
    results: list[Finding] = []
    for field in fields(item):
        node = field.node
        pattern = shown = ""
        if isinstance(node, Seq) and setters.lists and field.entry is not None:
            values = _values(node)
            if values is not None and values in setters.lists:
                pattern, shown = f"${{{setters.lists[values]}}}", f"[{' '.join(values)}]"
        elif isinstance(node, Scalar) and node.text and "\n" not in node.text:
            shown = node.text
            pattern = setters.pattern(node.text)
        if pattern and pattern != shown:
            comments[field.path] = f"kpt-set: {pattern}"
            message = f"Added line comment {go_quoted(comments[field.path])} for field with value {go_quoted(shown)}"
            results.append(Finding("created", message, item, printed(field.path)))
    skipped = put_comments(item, comments) if comments else []
    kept = [one for one in results if one.field not in skipped]
    message = "gets no setter, because other values follow on its line; write each on a line of its own"
    return [*kept, *(Finding("no-place", message, item, path) for path in skipped)]


def _values(node: Seq) -> tuple[str, ...] | None:
    """Return the sorted texts of a list; None if it holds other values."""
    items = [deref(item) for item in node.items]
    texts = [item.text for item in items if isinstance(item, Scalar)]
    return tuple(sorted(texts)) if len(texts) == len(items) else None


def _decoded(config: Resource | None) -> _Setters:
    entries = data_entries(config) if config is not None and config.root.entries else []
    if not entries:
        raise wrong_config(f"{_PREFIX}config map cannot be empty", config)
    setters = _Setters()
    for name, node in entries:
        if not isinstance(node, Scalar):
            raise wrong_config(f"must be a text, got {described(node)}", config, join("data", name))
        try:
            root = parse(node.text).root if not is_null(node) else None
        except YamlError:
            root = None
        if root is None:
            raise wrong_config(f"{_PREFIX}parsing error", config, join("data", name))
        if isinstance(root, Seq):
            values = _values(root)
            if values is not None:
                setters.lists.setdefault(values, name)
        elif isinstance(root, Scalar):
            setters.scalars.append((node.text.strip("\n"), name))
    setters.scalars.sort(key=lambda setter: (-len(setter[0]), setter[1]))
    return setters
