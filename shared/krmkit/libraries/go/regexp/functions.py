"""RE2 with the rules, the replacement templates and the error texts of Go's regexp."""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.go.core.limits import charge, check_items, check_length
from krmkit.libraries.go.core.text import is_letter, runes
from krmkit.libraries.go.core.values import NilStringList, StringList
from krmkit.libraries.go.errors import GoError, GoInputError
from krmkit.libraries.go.fmt.printing import can_backquote, quote
from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.go.regexp.size import end_of_atom
from krmkit.libraries.yaml.effort import EffortError

_MESSAGES = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "trailing \\": "trailing backslash at end of expression",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "pattern too large - compile failed": "expression too large",
}
"""RE2's words for what is wrong, and Go's."""
_STEPS = 256  # steps of the engine that count as one
_READ = 256  # bytes that the engine reads in one step, where it need not look back


def match(regex: str, text: str) -> bool:
    """regexMatch: false for a bad pattern."""
    try:
        return must_match(regex, text)
    except GoInputError:
        return False


def must_match(regex: str, text: str) -> bool:
    """mustRegexMatch."""
    return _search(_compile(regex), text) is not None


def quote_meta(text: str) -> str:
    """regexQuoteMeta."""
    charge(len(text) // 4)
    return pattern.quote(text)


def _find(regex: pattern.Pattern, text: str) -> str:
    found = _search(regex, text)
    return "" if found is None else found.group() or ""


def _find_all(regex: pattern.Pattern, text: str, count: int) -> StringList:
    check_items(len(text) if count < 0 else min(count, len(text)))
    with _costs(regex, text):
        found = regex.find_all(text, count, _searched)
    # Without a match Go returns a nil slice.
    return StringList([one.group() or "" for one in found]) if found else NilStringList()


def _split(regex: pattern.Pattern, text: str, count: int) -> StringList:
    if count == 0:
        return NilStringList()
    check_items(len(text) if count < 0 else min(count, len(text)))
    with _costs(regex, text):
        pieces = regex.split(text, count, _searched)
    return StringList(pieces)


def _replace(regex: pattern.Pattern, text: str, replacement: str) -> str:
    if "$" not in replacement:
        return _replace_with(regex, text, lambda _: replacement)
    template = parse_template(replacement)
    names = group_names(regex.text) if regex.names else []
    return _replace_with(regex, text, lambda found: expand_template(template, found, names))


def _replace_with(
    regex: pattern.Pattern, text: str, replacement: Callable[[pattern.PatternMatch], str]
) -> str:
    length = len(text)

    def counted(found: pattern.PatternMatch) -> str:
        nonlocal length
        piece = replacement(found)
        length += len(piece)
        check_length(length)
        return piece

    with _costs(regex, text):
        return regex.replace(text, counted, _searched)


def _both(work: Callable[..., object]) -> tuple[Callable[..., object], Callable[..., object]]:
    """Return two functions of a pattern text: one panics for an invalid pattern, the other is `must`."""
    return (
        lambda regex, *rest: work(_must_compile(regex), *rest),
        lambda regex, *rest: work(_compile(regex), *rest),
    )


# By their names in sprig: regexFind(regex, text) is the leftmost match, "" for none; regexFindAll(regex,
# text, count) and regexSplit(regex, text, count) give at most `count` matches or pieces, all if negative; in
# the replacement of regexReplaceAll(regex, text, replacement), $1, ${1} and ${name} mean groups, in that of
# regexReplaceAllLiteral nothing does.
find, must_find = _both(_find)
find_all, must_find_all = _both(_find_all)
replace_all, must_replace_all = _both(_replace)
replace_all_literal, must_replace_all_literal = _both(
    lambda regex, text, replacement: _replace_with(regex, text, lambda _: replacement)
)
split, must_split = _both(_split)


def parse_template(template: str) -> list[str | int | tuple[str]]:
    """Return the parts of a replacement: text (str), group numbers (int) and group names (tuple of one)."""
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


def expand_template(
    template: list[str | int | tuple[str]], found: pattern.PatternMatch, names: list[str]
) -> str:
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
    """Turn the error of a text that is too costly to search into a failed call."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, pattern.PatternError | EffortError):
            raise GoError(str(error)) from None


_guard = _Guard()


def _costs(regex: pattern.Pattern, text: str) -> _Guard:
    """Charge the highest cost of a search, and return its guard."""
    charge(regex.cost(len(text)) // _STEPS)
    return _guard


def _searched(size: int) -> None:
    """Charge one of several searches in a text."""
    charge(size // _READ)


def _search(regex: pattern.Pattern, text: str) -> pattern.PatternMatch | None:
    with _costs(regex, text):
        return regex.search(text)


def _compile(regex: str) -> pattern.Pattern:
    charge(len(regex) // 4)
    with _guard:
        try:
            return pattern.draw(pattern.compile(regex))
        except pattern.PatternError as error:
            raise _failure(regex, error) from None


def _must_compile(regex: str) -> pattern.Pattern:
    try:
        return _compile(regex)
    except GoError as error:
        shown = f"`{regex}`" if can_backquote(regex) else quote(regex)
        raise GoError(f"regexp: Compile({shown}): {error}") from None


def _failure(regex: str, error: pattern.PatternError) -> GoError:
    if runes(regex) == regex and not error.problem:
        return GoError(str(error))  # the engine is missing; the message says how to get it
    return GoInputError(go_message(regex, error))


def go_message(regex: str, error: pattern.PatternError) -> str:
    """Return regexp.Compile's message on a bad pattern: ``error parsing regexp: missing closing ): `(` ``."""
    if runes(regex) != regex:
        return f"error parsing regexp: invalid UTF-8: `{regex}`"
    if not error.problem:
        return str(error)
    what, _, where = error.problem.partition(": ")
    return f"error parsing regexp: {_MESSAGES.get(what, what)}: `{where}`"


def group_names(regex: str) -> list[str]:
    """SubexpNames: the name of each group, "" for none. Several groups may share a name."""
    names = [""]
    at = 0
    while at < len(regex):
        if regex[at] == "(":
            opening = "(?P<" if regex.startswith("(?P<", at) else "(?<"
            if regex.startswith(opening, at):
                names.append(regex[at + len(opening) : regex.index(">", at)])
            elif not regex.startswith("(?", at):
                names.append("")
        at = end_of_atom(regex, at)
    return names
