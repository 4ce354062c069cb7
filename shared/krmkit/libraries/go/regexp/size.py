"""Compute the size of a pattern with its repeats expanded, before the engine expands them."""

from __future__ import annotations

_MOST = 1000  # the largest count that RE2 takes
_MANY = 1_000_000_000  # more than any pattern may have


def written_out(text: str) -> tuple[int, int]:
    """Return the number of atoms and of optional atoms of a pattern with its repeats expanded.

    Example: `(a?b){3}` is `a?ba?ba?b`: 6 atoms, 3 of them optional. For an invalid pattern the numbers are
    arbitrary.
    """
    if "{" not in text and "?" not in text:
        return len(text), 0
    outer: list[tuple[int, int]] = []  # of each open group: the part before it
    atoms = optional = 0
    last = (0, 0)  # what a repeat applies to
    at = 0
    while at < len(text):
        sign = text[at]
        end = at + 1
        if sign == "(":
            outer.append((atoms, optional))
            atoms = optional = 0
        elif sign == ")":
            last = (atoms, optional)
            before = outer.pop() if outer else (0, 0)
            atoms, optional = atoms + before[0], optional + before[1]
        elif sign in "?*":
            optional += 1
        elif sign == "{" and (repeat := _repeat(text, at)):
            least, most, end = repeat
            left_out = most - least
            repeated = (min(last[0] * most, _MANY), min(last[1] * most + left_out, _MANY))
            atoms += repeated[0] - last[0]
            optional += repeated[1] - last[1]
            last = repeated
        else:
            end = end_of_atom(text, at)
            last = (end - at if text.startswith("\\Q", at) else 1, 0)
            atoms += last[0]
        at = end
    return atoms + sum(one[0] for one in outer), optional + sum(one[1] for one in outer)


def _repeat(text: str, at: int) -> tuple[int, int, int] | None:
    """Return minimum, maximum and end of `{2}`, `{2,}` or `{2,5}`; None if the brace is literal."""
    end = text.find("}", at, at + 12)
    least, _, most = text[at + 1 : max(end, at)].partition(",")
    if not least.isdecimal() or (most and not most.isdecimal()):
        return None
    return min(int(least), _MOST), min(int(most or least), _MOST), end + 1


def end_of_atom(text: str, at: int) -> int:
    """Return the end of the character, escape, class or quoted text that begins at `at`."""
    end = at + 1
    if text[at] == "\\":
        if text.startswith("Q", at + 1):
            found = text.find("\\E", at + 2)
            return found + 2 if found >= 0 else len(text)
        named = text[at + 1 : at + 3] in ("x{", "p{", "P{")
        return text.find("}", at) + 1 or len(text) if named else at + 2
    if text[at] == "[":
        end += text.startswith("^", end)
        end += text.startswith("]", end)
        while end < len(text) and text[end] != "]":
            if text.startswith("[:", end):
                found = text.find(":]", end, end + 20)
                end = found + 1 if found >= 0 else end
            end += 2 if text[end] == "\\" else 1
        end += 1
    return end
