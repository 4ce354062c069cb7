"""Apply safe fixes to a package's findings (`krmkit check --fix`), each of which removes one finding.

Fixes that overlap are applied in separate rounds. A fix is left out if its finding stays, or if it causes
another error.
"""

from __future__ import annotations

import os
from bisect import bisect_left, insort
from collections import Counter
from dataclasses import dataclass, field

from krmkit.analysis.package import judge
from krmkit.krm.errors import Refused
from krmkit.render.diff import diff
from krmkit.render.findings.fixes import edited, overlaps
from krmkit.render.findings.model import Edit, PackageReport, Result
from krmkit.render.findings.places import shown_path
from krmkit.render.package import Package, read
from krmkit.render.resolve import ProgramResolver
from krmkit.storage.disk.write import FileEdit

MOST_RENDERS = 32
"""Renders of a package for its fixes; those that are left need another run."""

Key = tuple[str, str, str]


@dataclass(slots=True)
class Mending:
    """A package with the texts of its fixed files, and the `count` of fixes.

    `found`: the findings before the fixes. `left`: the findings after.
    """

    package: Package
    found: PackageReport
    left: PackageReport
    secrets: set[str]
    texts: dict[str, str] = field(default_factory=dict)
    count: int = 0

    @property
    def edits(self) -> list[FileEdit]:
        """Return the changed files, with paths in the package."""
        before = _texts(self.package)
        return [FileEdit(path, before[path], text) for path, text in sorted(self.texts.items())]

    def report(self, written: bool, colour: bool) -> PackageReport:
        """Return the report on the fixed files, with the fixes as its diff."""
        report = self.left if written else self.found
        if self.count:
            did = "mended" if written else "can be mended; --write does it"
            report.notes.append(f"{report.path}: {self.count} finding{'s' * (self.count > 1)} {did}")
        folder = "" if report.path == "." else f"{report.path.lstrip('/')}/"
        edits = [FileEdit(folder + one.path, one.before, one.after) for one in self.edits]
        report.diff = diff(edits, colour, self.secrets)
        return report


def mend(path: str, resolver: ProgramResolver, against: str = "") -> Mending:
    """Apply the safe fixes to a package in memory. Raises Refused."""
    package = read(path, resolver.options.limits)
    found, secrets = judge(package, resolver, against)
    made = Mending(package, found, found, secrets)
    tried: set[tuple[Key, Edit]] = set()
    chosen = _chosen(found.results, tried)
    for _ in range(MOST_RENDERS):
        if not chosen:
            break
        # Together first, as most fixes are independent; where something goes wrong, half of them.
        if not _apply(made, chosen, path, resolver, against):
            if len(chosen) > 1:
                chosen = chosen[: len(chosen) // 2]
                continue
            tried |= {(_key(chosen[0]), edit) for edit in _edits(chosen[0])}
        chosen = _chosen(made.left.results, tried)
    return made


def _chosen(results: list[Result], tried: set[tuple[Key, Edit]]) -> list[Result]:
    """Return the findings with safe fixes that do not overlap and were not tried alone before."""
    chosen: list[Result] = []
    taken: dict[str, list[Edit]] = {}  # by path, in order
    for one in results:
        if one.fix is None or not one.fix.safe:
            continue
        new = _edits(one)
        near = [edit for each in new for edit in _beside(each, taken.get(each.path, []))]
        if any((_key(one), edit) in tried for edit in new) or any(overlaps(a, b) for a in new for b in near):
            continue
        chosen.append(one)
        for edit in new:
            insort(taken.setdefault(edit.path, []), edit, key=_begin)
    return chosen


def _begin(edit: Edit) -> tuple[int, int]:
    return edit.line, edit.column


def _beside(edit: Edit, others: list[Edit]) -> list[Edit]:
    """Return the edits before and behind an edit, of edits in order that do not overlap."""
    place = bisect_left(others, _begin(edit), key=_begin)
    return others[max(place - 1, 0) : place + 1]


def _apply(made: Mending, chosen: list[Result], path: str, resolver: ProgramResolver, against: str) -> bool:
    """Apply fixes if all their findings disappear and no error appears; return whether they were applied."""
    folder = shown_path(path)
    texts = dict(made.texts)
    known = _texts(made.package) | made.texts
    edits: dict[str, set[Edit]] = {}
    for one in chosen:
        for edit in _edits(one):
            edits.setdefault(os.path.relpath(edit.path, folder).replace(os.sep, "/"), set()).add(edit)
    for name, some in edits.items():
        texts[name] = edited(known[name], some)
    try:
        unsaved = {name: text.encode() for name, text in texts.items()}
        after, secrets = judge(read(path, resolver.options.limits, unsaved=unsaved), resolver, against)
    except Refused:
        return False
    ran = {step.name for step in made.left.steps}
    old, new = (Counter(map(_key, report.results)) for report in (made.left, after))
    # A function that did not run before, as one failed, may find what nobody could see.
    come = [
        one for one in after.results if one.severity == "error" and (one.function in ran or not one.function)
    ]
    if any(new[key] >= old[key] for key in map(_key, chosen)) or any(
        new[_key(one)] > old[_key(one)] for one in come
    ):
        return False
    made.texts, made.left = texts, after
    made.secrets |= secrets
    made.count += len(chosen)
    return True


def _edits(finding: Result) -> list[Edit]:
    return finding.fix.edits if finding.fix is not None else []


def _key(finding: Result) -> Key:
    return finding.rule, finding.subject, finding.message


def _texts(package: Package) -> dict[str, str]:
    return {each.place(file.path): file.text for each in package.walk() for file in each.files}
