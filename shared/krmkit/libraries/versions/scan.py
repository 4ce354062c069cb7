"""Scan version texts in one pass, without a pattern that could take exponential time."""

from __future__ import annotations

MAX_LENGTH = 1024
"""Longest version or constraint text that is looked at, in characters; assign a larger number to raise it."""
DIGITS = frozenset("0123456789")
IDENTIFIER = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-")
SEGMENT = frozenset("0123456789xX*|")  # Masterminds' own character class holds the bar, too
BLANK = " \t\n\f\r"
UINT64 = 1 << 64


def too_long(text: str) -> bool:
    """Return True if a text is over MAX_LENGTH."""
    return len(text) > MAX_LENGTH


class Scanned:
    """The pieces of a version text; `end` is the offset after it."""

    __slots__ = ("end", "metadata", "prerelease", "segments")

    def __init__(self, segments: list[str], prerelease: str, metadata: str, end: int) -> None:
        self.segments = segments
        self.prerelease = prerelease
        self.metadata = metadata
        self.end = end


def version_at(text: str, start: int, segment: frozenset[str]) -> Scanned | None:
    """Return the longest version at `start`: `v?SEG(.SEG)?(.SEG)?(-IDS)?(+IDS)?`."""
    at = start + 1 if text.startswith("v", start) else start
    end = end_of(text, at, segment)
    if end == at:
        return None
    segments = [text[at:end]]
    while len(segments) < 3 and text.startswith(".", end):
        stop = end_of(text, end + 1, segment)
        if stop == end + 1:
            break
        segments.append(text[end + 1 : stop])
        end = stop
    extras = {"-": "", "+": ""}
    for mark in extras:
        stop = _identifiers(text, end + 1) if text.startswith(mark, end) else end + 1
        if stop > end + 1:
            extras[mark] = text[end + 1 : stop]
            end = stop
    return Scanned(segments, extras["-"], extras["+"], end)


def end_of(text: str, at: int, chars: frozenset[str] | str) -> int:
    while at < len(text) and text[at] in chars:
        at += 1
    return at


def _identifiers(text: str, at: int) -> int:
    end = end_of(text, at, IDENTIFIER)
    while end > at and text.startswith(".", end):
        stop = end_of(text, end + 1, IDENTIFIER)
        if stop == end + 1:
            break
        end = stop
    return end


def consists_of(text: str, chars: frozenset[str]) -> bool:
    return text != "" and chars.issuperset(text)


def prerelease_key(prerelease: str, bound: int | None) -> tuple[int, tuple[tuple[int, int, str], ...]]:
    """Return a sort key: releases come last; numbers sort by value and before words.

    Go reads a number of at least `bound` (2^64) as a word.
    """
    if not prerelease:
        return (1, ())
    parts = []
    for part in prerelease.split("."):
        number = int(part) if consists_of(part, DIGITS) else None
        if number is None or (bound is not None and number >= bound):
            parts.append((1, 0, part))
        else:
            parts.append((0, number, ""))
    return (0, tuple(parts))
