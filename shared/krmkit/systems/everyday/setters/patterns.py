"""Read patterns of setters: `${image}:${tag}` in the comment `# kpt-set: ${image}:${tag}`."""

from __future__ import annotations

from krmkit.libraries.go.regexp import pattern as patterns

_MARK = "# kpt-set:"


def pattern_of(comment: str) -> str:
    """Return the pattern of a comment `# kpt-set: PATTERN`, else ""; one space follows the `#`."""
    if not comment.startswith(_MARK) or comment[len(_MARK) : len(_MARK) + 1] not in (" ", "\t"):
        return ""
    return comment[len(_MARK) :].strip()


def names_in(pattern: str) -> list[str]:
    """Return the names of the setters in a pattern, in order: `["image", "tag"]` for `${image}:${tag}`."""
    return [text for is_name, text in _parts(pattern) if is_name]


def is_array_pattern(pattern: str) -> bool:
    """Return True if a pattern is exactly one setter, as a list requires."""
    return [is_name for is_name, _ in _parts(pattern)] == [True]


def filled(pattern: str, values: dict[str, str]) -> str:
    """Replace known setters in a pattern, in one pass: setters inside values stay."""
    return "".join(values.get(text, f"${{{text}}}") if is_name else text for is_name, text in _parts(pattern))


def derived(pattern: str, text: str) -> dict[str, str]:
    """Return the setter values for which a pattern gives a text; {} without a match or with an empty value.

    A text matches if it contains the pattern with any text for setters; the last separator counts.
    Example: `derived("${image}:${tag}", "nginx:1.2") == {"image": "nginx", "tag": "1.2"}`.
    """
    parts = _parts(pattern)
    if not any(is_name for is_name, _ in parts):
        return {}
    expression = "".join("(.*)" if is_name else patterns.quote(literal) for is_name, literal in parts)
    match = patterns.compile(expression).search(text)
    if match is None:
        return {}
    values: dict[str, str] = {}
    names = [name for is_name, name in parts if is_name]
    for name, value in zip(names, match.groups()[1:], strict=True):
        if not value:
            return {}
        values[name] = value  # the last of equal setters counts
    return values


def _parts(pattern: str) -> list[tuple[bool, str]]:
    """Split a pattern: (False, text) and (True, setter's name)."""
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
