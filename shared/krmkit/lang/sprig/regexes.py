"""Regular expressions: RE2 with the rules, the replacement templates and the error texts of Go's regexp."""

from __future__ import annotations

from krmkit.lang import pattern
from krmkit.lang.gotemplate.functions import GoCallError
from krmkit.lang.gotemplate.printing import can_backquote, quote
from krmkit.lang.gotemplate.values import NilStringList, StringList
from krmkit.lang.sprig.limits import check_items, check_length
from krmkit.lang.sprig.text import is_letter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MESSAGES = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "trailing \\ at end of regexp": "trailing backslash at end of expression",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "pattern too large - compile failed": "expression too large",
}
"""RE2's words for what is wrong, and Go's."""


class _Regex:
    """A compiled pattern; `names` has the name of every group, "" for none, as Go's SubexpNames."""

    __slots__ = ("names", "pattern")

    def __init__(self, compiled: pattern.Pattern, names: list[str]) -> None:
        self.pattern = compiled
        self.names = names


def match(regex: str, text: str) -> bool:
    """regexMatch: false for a bad pattern."""
    try:
        compiled = _compile(regex)
    except GoCallError:
        return False
    with _guard:
        return compiled.pattern.search(text) is not None


def must_match(regex: str, text: str) -> bool:
    """mustRegexMatch."""
    compiled = _compile(regex)
    with _guard:
        return compiled.pattern.search(text) is not None


def find(regex: str, text: str) -> str:
    """regexFind: the leftmost match, "" for none."""
    return _find(_must_compile(regex), text)


def must_find(regex: str, text: str) -> str:
    """mustRegexFind."""
    return _find(_compile(regex), text)


def find_all(regex: str, text: str, count: int) -> StringList:
    """regexFindAll: at most `count` matches, all when negative."""
    return _find_all(_must_compile(regex), text, count)


def must_find_all(regex: str, text: str, count: int) -> StringList:
    """mustRegexFindAll."""
    return _find_all(_compile(regex), text, count)


def replace_all(regex: str, text: str, replacement: str) -> str:
    """regexReplaceAll: $1, ${1} and ${name} in the replacement stand for groups."""
    return _replace(_must_compile(regex), text, replacement)


def must_replace_all(regex: str, text: str, replacement: str) -> str:
    """mustRegexReplaceAll."""
    return _replace(_compile(regex), text, replacement)


def replace_all_literal(regex: str, text: str, replacement: str) -> str:
    """regexReplaceAllLiteral: nothing in the replacement has a meaning."""
    return _replace_with(_must_compile(regex), text, lambda _: replacement)


def must_replace_all_literal(regex: str, text: str, replacement: str) -> str:
    """mustRegexReplaceAllLiteral."""
    return _replace_with(_compile(regex), text, lambda _: replacement)


def split(regex: str, text: str, count: int) -> StringList:
    """regexSplit: at most `count` pieces, none for 0, all when negative."""
    return _split(_must_compile(regex), text, count)


def must_split(regex: str, text: str, count: int) -> StringList:
    """mustRegexSplit."""
    return _split(_compile(regex), text, count)


def quote_meta(text: str) -> str:
    """regexQuoteMeta."""
    return pattern.quote(text)


def _find(regex: _Regex, text: str) -> str:
    with _guard:
        found = regex.pattern.search(text)
    return "" if found is None else found.group() or ""


def _find_all(regex: _Regex, text: str, count: int) -> StringList:
    check_items(len(text) if count < 0 else min(count, len(text)))
    with _guard:
        found = regex.pattern.find_all(text, count)
    # Without a match Go returns a nil slice.
    return StringList([one.group() or "" for one in found]) if found else NilStringList()


def _split(regex: _Regex, text: str, count: int) -> StringList:
    if count == 0:
        return NilStringList()
    check_items(len(text) if count < 0 else min(count, len(text)))
    with _guard:
        return StringList(regex.pattern.split(text, count))


def _replace(regex: _Regex, text: str, replacement: str) -> str:
    if "$" not in replacement:
        return _replace_with(regex, text, lambda _: replacement)
    template = _parse_template(replacement)
    return _replace_with(regex, text, lambda found: _expand(template, found, regex.names))


def _replace_with(regex: _Regex, text: str, replacement: Callable[[pattern.Match], str]) -> str:
    length = len(text)

    def counted(found: pattern.Match) -> str:
        nonlocal length
        piece = replacement(found)
        length += len(piece)
        check_length(length)
        return piece

    with _guard:
        return regex.pattern.replace(text, counted)


def _parse_template(template: str) -> list[str | int | tuple[str]]:
    """Text (str), group numbers (int) and group names (tuple of one)."""
    out: list[str | int | tuple[str]] = []
    while True:
        before, dollar, template = template.partition("$")
        out.append(before)
        if not dollar:
            return out
        if template.startswith("$"):
            out.append("$")
            template = template[1:]
            continue
        brace = template.startswith("{")
        end = start = int(brace)
        while end < len(template) and _names(template[end]):
            end += 1
        name = template[start:end]
        if not name or (brace and not template.startswith("}", end)):
            out.append("$")  # malformed: the sign itself
            continue
        template = template[end + brace :]
        number = name.isascii() and name.isdigit() and len(name) <= 9 and (name[0] != "0" or name == "0")
        out.append(int(name) if number else (name,))


def _names(char: str) -> bool:
    return char == "_" or is_letter(char) or char.isdecimal()


def _expand(template: list[str | int | tuple[str]], found: pattern.Match, names: list[str]) -> str:
    groups = found.groups()
    out: list[str] = []
    for part in template:
        if isinstance(part, str):
            out.append(part)
        elif isinstance(part, int):
            out.append((groups[part] or "") if part < len(groups) else "")
        else:
            # The first group of that name that took part.
            out.append(
                next(
                    (text for text, name in zip(groups, names, strict=False) if name == part[0] and text), ""
                )
            )
    return "".join(out)


class _Guard:
    """A text too costly to search becomes a failed call."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, pattern.PatternError):
            raise GoCallError(str(error)) from None


_guard = _Guard()


def _compile(regex: str) -> _Regex:
    """regexp.Compile."""
    try:
        compiled = pattern.compile(regex)
    except pattern.PatternError as error:
        unique, names = _without_duplicate_names(regex)
        if unique != regex:
            return _Regex(_compile(unique).pattern, names)
        raise GoCallError(_go_message(regex) or str(error)) from None
    names = [""] * (compiled.groups + 1)
    for name, index in compiled.names.items():
        names[index] = name
    return _Regex(compiled, names)


def _must_compile(regex: str) -> _Regex:
    """regexp.MustCompile, whose panic quotes the pattern."""
    try:
        return _compile(regex)
    except GoCallError as error:
        shown = f"`{regex}`" if can_backquote(regex) else quote(regex)
        raise GoCallError(f"regexp: Compile({shown}): {error}") from None


def _go_message(regex: str) -> str:
    """What Go says about a pattern that does not compile."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(regex, options)
    except re2.error as error:
        problem = error.args[0]
        problem = problem.decode("utf-8", "replace") if isinstance(problem, bytes) else str(problem)
    else:
        # The engine knows \\C, a single byte; Go does not.
        problem = "invalid escape sequence: \\C"
    what, _, where = problem.partition(": ")
    return f"error parsing regexp: {_MESSAGES.get(what, what)}: `{where}`"


def _without_duplicate_names(regex: str) -> tuple[str, list[str]]:
    """Go lets a name stand for several groups, RE2 does not: later ones lose it here and keep it in the list."""
    names = [""]
    out: list[str] = []
    at = done = 0
    while at < len(regex):
        char = regex[at]
        if char == "\\":
            quoted = regex.startswith("\\Q", at)
            end = regex.find("\\E", at) if quoted else at
            at = len(regex) if end < 0 else end + 2
        elif char == "[":
            at = _class_end(regex, at)
        elif char == "(":
            opening = "(?P<" if regex.startswith("(?P<", at) else "(?<"
            close = regex.find(">", at)
            if regex.startswith(opening, at) and close > 0:
                name = regex[at + len(opening) : close]
                if name in names:
                    out.append(regex[done:at] + "(")
                    done = close + 1
                names.append(name)
            elif not regex.startswith("(?", at):
                names.append("")
            at += 1
        else:
            at += 1
    return "".join(out) + regex[done:], names


def _class_end(regex: str, at: int) -> int:
    at += 2 if regex.startswith("[^", at) else 1
    at += regex.startswith("]", at)
    while at < len(regex) and regex[at] != "]":
        if regex.startswith("[:", at) and ":]" in regex[at:]:
            at = regex.index(":]", at) + 2
        else:
            at += 2 if regex[at] == "\\" else 1
    return at + 1
