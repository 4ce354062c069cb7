"""The nearest known name, for errors about unknown names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


_LONGEST = 64  # a longer name is not a typing error, and the distance costs the product of both lengths
_MOST_LISTED = 12


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that `name` was probably meant to be, None if none is near enough.

    Near enough means: equal but for case, dashes and underscores, or at most a third of the longer name's
    letters (and at least one) to insert, delete, replace or swap with the neighbour. Ties go to the first.
    """
    if len(name) > _LONGEST:
        return None
    best = None
    best_distance = 0
    plain = _plain(name)
    for candidate in known:
        if len(candidate) > _LONGEST:
            continue
        distance = 0 if _plain(candidate) == plain else _distance(name.lower(), candidate.lower())
        allowed = max(1, max(len(name), len(candidate)) // 3)
        if distance <= allowed and (best is None or distance < best_distance):
            best, best_distance = candidate, distance
    return best


class Proposal(str):
    """A text that proposes `right` in place of `wrong`; it stays one where other text is added with `+`.

    So a message says and carries what a program may write. A `right` of "" takes the wrong entry out.
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
    """Return `proposal`, or `; known: cpu, memory` if nothing is near and at most a dozen names are known."""
    names = list(known)
    listed = "; known: " + ", ".join(names) if 0 < len(names) <= _MOST_LISTED else ""
    return proposal(name, names) or listed


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _distance(a: str, b: str) -> int:
    """Return the optimal string alignment: Levenshtein's distance with swaps of neighbours as one edit."""
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
