"""The nearest known name, for errors about unknown names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


_LONGEST = 64  # a longer name is not a typing error, and the distance costs the product of both lengths
_MOST_LISTED = 12


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that `name` was probably meant to be, or None.

    Near are names that are equal but for case, dashes and underscores, or that differ by at most a third of
    the longer name's letters (at least one) to insert, delete, replace or swap with a neighbour. The first of
    equally near names wins.
    """
    if len(name) > _LONGEST:
        return None
    best = None
    best_distance = 0
    plain = _plain(name)
    for candidate in known:
        if len(candidate) > _LONGEST:
            continue
        allowed = max(1, max(len(name), len(candidate)) // 3)
        is_same = _plain(candidate) == plain
        if not is_same and abs(len(name) - len(candidate)) > allowed:
            continue  # the distance is at least that
        distance = 0 if is_same else _distance(name.lower(), candidate.lower())
        if distance <= allowed and (best is None or distance < best_distance):
            best, best_distance = candidate, distance
    return best


class Proposal(str):
    """A text that proposes `right` in place of `wrong`; adding text with `+` keeps the proposal.

    So a message also carries the fix for programs. A `right` of "" removes the wrong entry.
    """

    wrong: object = None
    right: object = None

    def __add__(self, after: str) -> Proposal:
        return proposing(str.__add__(self, after), self.wrong, self.right)

    def __radd__(self, before: str) -> Proposal:
        return proposing(str.__add__(before, self), self.wrong, self.right)


def proposing(text: str, wrong: object, right: object) -> Proposal:
    """Return a text with its proposal: `proposing('did you mean "pack"?', "pakc", "pack")`."""
    made = Proposal(text)
    made.wrong, made.right = wrong, right
    return made


def proposal(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean "pack"?`, a Proposal, or "" if nothing is near. Add it with `+`."""
    near = nearest(name, known)
    return proposing(f'; did you mean "{near}"?', name, near) if near is not None else ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `proposal`; if nothing is near, `; known: cpu, memory` for at most a dozen known names."""
    names = list(known)
    listed = "; known: " + ", ".join(names) if 0 < len(names) <= _MOST_LISTED else ""
    return proposal(name, names) or listed


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _distance(a: str, b: str) -> int:
    """Return the optimal string alignment distance: Levenshtein's, with a swap of neighbours as one edit."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
