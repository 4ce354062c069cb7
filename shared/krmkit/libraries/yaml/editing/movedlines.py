"""The lines of scalars that move to another column."""

from __future__ import annotations

from krmkit.libraries.yaml.lines import shift


def depth_of(text: str) -> int:
    """Return the smallest indentation of the lines with content."""
    return min((len(line) - len(line.lstrip(" ")) for line in text.split("\n") if line.strip(" ")), default=0)


def join_lines(text: str, column: int) -> str:
    """Indent the continuation lines of a quoted or plain scalar for their new place."""
    first, newline, rest = text.partition("\n")
    if not newline:
        return text
    lines = [" " * column + line.strip(" ") if line.strip(" ") else "" for line in rest.split("\n")]
    return "\n".join([first, *lines])


def moved_block_scalar(text: str, column: int) -> str | None:
    """Move a block scalar below another key; None if its indentation indicator forbids a shift."""
    header, newline, body = text.partition("\n")
    if any(character.isdigit() for character in header.partition("#")[0]):
        return None
    return header + newline + shift(body, depth_of(body), column + 2)
