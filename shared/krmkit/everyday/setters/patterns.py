"""Patterns of setters: `${image}:${tag}` in the comment `# kpt-set: ${image}:${tag}`."""

from __future__ import annotations

from krmkit.go.regexp import pattern as patterns

_MARK = "# kpt-set:"


def pattern_of(comment: str) -> str:
    """The pattern in a line comment, "" where it is none: `# kpt-set: ` with one blank after `#`, then the pattern."""
    if not comment.startswith(_MARK) or comment[len(_MARK) : len(_MARK) + 1] not in (" ", "\t"):
        return ""
    return comment[len(_MARK) :].strip()


def names_in(pattern: str) -> list[str]:
    """The names of the setters in a pattern, in their order: `["image", "tag"]` of `${image}:${tag}`."""
    return [text for is_name, text in _parts(pattern) if is_name]


def is_array_pattern(pattern: str) -> bool:
    """Whether a pattern is one setter alone, as a list has it."""
    return [is_name for is_name, _ in _parts(pattern)] == [True]


def filled(pattern: str, values: dict[str, str]) -> str:
    """The pattern with the setters that have a value replaced, in one pass: values are not looked through."""
    return "".join(values.get(text, f"${{{text}}}") if is_name else text for is_name, text in _parts(pattern))


def derived(pattern: str, text: str) -> dict[str, str]:
    """The values of a pattern's setters that a text shows; {} where it does not fit, or a value would be empty.

    A text fits if the pattern, with anything in the places of the setters, occurs in it; the last separator counts.
    Example: `derived("${image}:${tag}", "nginx:1.2") == {"image": "nginx", "tag": "1.2"}`.
    """
    parts = _parts(pattern)
    if not any(is_name for is_name, _ in parts):
        return {}
    expression = "".join("(.*)" if is_name else patterns.quote(literal) for is_name, literal in parts)
    match = patterns.compile(expression).search(text)
    if match is None:
        return {}
    found: dict[str, str] = {}
    names = [name for is_name, name in parts if is_name]
    for name, value in zip(names, match.groups()[1:], strict=True):
        if not value:
            return {}
        found.setdefault(name, value)
    return found


def _parts(pattern: str) -> list[tuple[bool, str]]:
    """The pattern in pieces: (False, text) and (True, name of a setter)."""
    parts = []
    position = 0
    while True:
        start = pattern.find("${", position)
        end = pattern.find("}", start + 2) if start >= 0 else -1
        if end < 0:
            break
        if start > position:
            parts.append((False, pattern[position:start]))
        parts.append((True, pattern[start + 2 : end]))
        position = end + 1
    if position < len(pattern):
        parts.append((False, pattern[position:]))
    return parts
