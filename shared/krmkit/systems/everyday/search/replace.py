"""search-replace: find fields by value or path, and set another value or a line comment.

Source: searchreplace.go of search-replace. The annotations with a resource's path and index are not changed.
"""

from __future__ import annotations

from krmkit.krm import annotations as names
from krmkit.krm.apart import apart
from krmkit.krm.errors import Refused
from krmkit.krm.fields import fields
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.printing import quote as go_quoted
from krmkit.libraries.go.regexp import pattern as patterns
from krmkit.libraries.go.regexp.pattern import Pattern, PatternError
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.editing.linecomments import is_one_line
from krmkit.libraries.yaml.tree import Alias, Map, Scalar, Seq
from krmkit.systems.everyday.common.findings import refused, reporting
from krmkit.systems.everyday.common.kptconfig import described
from krmkit.systems.everyday.fields.comments import flow_text, printed, put_comments, scalar_like
from krmkit.systems.everyday.search.paths import PathPattern, glob
from krmkit.systems.everyday.setters.apply import setter_values

_KEYS = ("by-value", "by-file-path", "by-value-regex", "by-path", "put-value", "put-comment")
_PLACES = frozenset((names.PATH, names.INDEX, names.LEGACY_PATH, names.LEGACY_INDEX))
_INTERNAL = "internal.config.kubernetes.io/"
_SPELLED = frozenset(" \t\n'\"\\")  # characters that quoted or folded scalars escape


class _Search:
    """The matchers, and the new value and comment; absent ones are "" and None."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.value = texts.get("by-value", "")
        expression, path, files = (
            texts.get(key, "") for key in ("by-value-regex", "by-path", "by-file-path")
        )
        if self.value and expression:
            raise _failed('only one of ["by-value", "by-value-regex"] can be provided')
        try:
            self.expression: Pattern | None = patterns.compile(expression) if expression else None
        except PatternError as error:
            raise _failed(f"error parsing regexp: {error.problem or error}") from None
        try:
            self.files = glob(files) if files else None
        except (GoInputError, PatternError) as error:
            raise _failed(str(error)) from None
        self.path = PathPattern(path) if path else None
        # A text on the line of every match, "" if unknown: a value with spaces can span several lines.
        self.word = self.path.last_word if self.path is not None else ""
        if self.value:
            self.word = "" if _SPELLED.intersection(self.value) else self.value
        self.put_value = texts.get("put-value", "")
        self.put_comment = texts.get("put-comment", "")
        if not is_one_line(self.put_comment):
            raise _failed("put-comment must be of one line")

    @property
    def is_by_path_only(self) -> bool:
        return self.path is not None and not self.value and self.expression is None

    @property
    def puts(self) -> bool:
        return bool(self.put_value or self.put_comment)

    def takes(self, item: Resource) -> bool:
        """Return True if a resource may hold a match, without parsing it."""
        if self.files is not None and self.files.search(item.path or "") is None:
            return False
        return not self.word or self.makes_fields or item.may_hold(self.word)

    @property
    def makes_fields(self) -> bool:
        """Return True if a missing field is created."""
        path = self.path
        return path is not None and path.is_absolute and bool(self.put_value) and self.is_by_path_only

    def fits(self, path: tuple[str | int, ...], text: str) -> bool:
        """Return True if a scalar matches by its value, its path, or both."""
        if self.path is not None and not self.path.fits(path):
            return False
        if self.value:
            return text == self.value
        if self.expression is not None:
            return self.expression.search(text) is not None
        return True

    def resolved(self, text: str, value: str) -> str:
        """Replace `${1}` and so on by the groups of the expression. Raises Refused."""
        if self.expression is None or "${" not in text:
            return text
        match = self.expression.search(value)
        groups = match.groups() if match is not None else []
        parts = text.split("${")
        written = parts[0]
        for part in parts[1:]:
            number, closed, rest = part.partition("}")
            if not closed or not (number.isascii() and number.isdecimal()):
                written += "${" + part
                continue
            index = int(number[:6])
            if not 0 < index < len(groups):
                raise _failed("unable to resolve capture groups")
            written += (groups[index] or "") + rest
        return written


def _failed(message: str, item: Resource | None = None, field: str = "") -> Refused:
    return refused("search", f"failed to perform search-replace operation: {go_quoted(message)}", item, field)


@reporting
def search_replace(resources: ResourceList, config: Resource | None) -> list[Finding]:
    """Search and replace. Example: data `{by-value-regex: "nginx:(.*)", put-value: "apache:${1}"}`."""
    texts = setter_values(config, may_be_null=True)
    for key in texts:
        if key not in _KEYS:
            listed = " ".join(f'"{known}"' for known in _KEYS)
            raise _failed(f'invalid matcher "{key}", must be one of [{listed}]')
    search = _Search(texts)
    if not (search.path is not None or search.value or search.expression is not None):
        return [Finding("search", "no matches")]

    def one(item: Resource) -> list[Finding]:
        return _search(item, search) if search.takes(item) else []

    results = [finding for found in apart(resources, resources.items, one) for finding in found]
    return results or [Finding("search", "no matches")]


def _search(item: Resource, search: _Search) -> list[Finding]:
    path = search.path
    if path is not None and search.makes_fields:
        return _put_at(item, path, search)
    found: list[tuple[tuple[str | int, ...], str, str]] = []  # path, value and comment
    comments: dict[tuple[str | int, ...], str] = {}
    for field in fields(item, "" if search.put_comment else search.word):
        if _is_place(field.path):
            continue
        node = field.node
        if (
            isinstance(node, Seq)
            and search.is_by_path_only
            and search.put_comment
            and field.entry is not None
        ):
            if path is not None and path.fits(field.path):
                comments[field.path] = search.put_comment
                found.append((field.path, flow_text(node), ""))
            continue
        if not isinstance(node, Scalar) or not search.fits(field.path, node.text):
            continue
        comment = field.comment
        if search.put_comment:
            comments[field.path] = search.resolved(search.put_comment, node.text)
            comment = "# " + comments[field.path]
        text = node.text
        if search.put_value:
            text = search.resolved(search.put_value, node.text)
            if text != node.text:
                field.put(scalar_like(node, text))
        found.append((field.path, _shown(node, text), comment))
    skipped = put_comments(item, comments) if comments else []
    results = [
        _said(
            item, place, f"{shown} {comment if printed(place) not in skipped else ''}".rstrip(), search.puts
        )
        for place, shown, comment in found
        if search.put_value or printed(place) not in skipped
    ]
    message = "gets no comment, because other values follow on its line; write each on a line of its own"
    return [*results, *(Finding("no-place", message, item, path) for path in skipped)]


def _is_place(path: tuple[str | int, ...]) -> bool:
    """Return True if a field is kpt's path or index annotation."""
    if len(path) != 3 or path[:2] != ("metadata", "annotations"):
        return False
    return path[2] in _PLACES or str(path[2]).startswith(_INTERNAL)


def _steps(item: Resource, names: tuple[str, ...], field: str) -> tuple[str | int, ...] | None:
    """Return the path of `spec.ports.0.port` or None; numbers are list entries, `-` is the last.

    Raises Refused for a path that needs a map where a list is.
    """
    steps: tuple[str | int, ...] = ()
    for number, name in enumerate(names):
        node = item.node(*steps) if steps else item.root
        if not isinstance(node, Seq):
            steps += (name,)
            continue
        if number == len(names) - 1 or not (name == "-" or (name.isascii() and name.isdecimal())):
            message = (
                f"{'.'.join(names[:number])} is a list; its entries are written as {names[number - 1]}[0]"
            )
            raise _failed(message, item, field)
        index = len(node.items) - 1 if name == "-" else int(name[:9])
        if not 0 <= index < len(node.items):
            return None
        steps += (index,)
    return steps


def _put_at(item: Resource, pattern: PathPattern, search: _Search) -> list[Finding]:
    """Set the field at a path; make it if it is missing."""
    names = tuple(pattern.text.split("."))
    steps = _steps(item, names, pattern.text) if all(names) else None
    if steps is None:
        return []
    _ = item.text  # written first: the quotes that an earlier function's value has count
    old = item.node(*steps)
    holder = item.node(*steps[:-1])
    entry = holder.entry(names[-1]) if isinstance(holder, Map) else None
    if entry is not None and isinstance(entry.value, Alias) and isinstance(old, Scalar):
        old = Scalar(old.text, old.style)  # the replacement of an alias has no anchor
    if isinstance(old, (Map, Seq)):
        message = f"{pattern.text} is {described(old)}, which put-value would replace by a single value"
        raise _failed(message, item, pattern.text)
    if not isinstance(old, Scalar):
        old = Scalar("")
    if old.text != search.put_value or old.source is None:
        item.set(steps, scalar_like(old, search.put_value))
    shown = _shown(old, search.put_value)
    if search.put_comment:
        put_comments(item, {steps: search.put_comment})
        shown += f" # {search.put_comment}"
    return [_said(item, steps, shown, True)]


def _shown(old: Scalar, text: str) -> str:
    """Print a scalar as YAML in the style of the old one, without the comment."""
    if not old.style and not text:
        shown = ""  # `key:` without a value
    elif old.style == '"':
        shown = emit.double_quoted(text)
    elif old.style == "'":
        shown = "'" + text.replace("'", "''") + "'"
    else:
        made = scalar_like(old, text)
        shown = (
            text if made.source is None and made.text == text and _stays_plain(text) else emit.scalar(text, 0)
        )
    return f"&{old.anchor} {shown}" if old.anchor is not None else shown


def _stays_plain(text: str) -> bool:
    return bool(text) and emit.scalar(text, 0)[:1] not in ("'", "|") and "\n" not in text


def _said(item: Resource, path: tuple[str | int, ...], shown: str, mutated: bool) -> Finding:
    what = "Mutated field value to" if mutated else "Matched field value"
    return Finding("search", f"{what} {go_quoted(shown)}", item, printed(path))
