"""Collect the findings of a run, and put them in order.

A finding's severity decides the exit code (`error` <=> 1), and a config's `failOn` moves the border between
errors and warnings before anything is counted. Every result carries the id of its rule in `tags.rule`.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR, EXPLAIN, IDENTITY, INFO, SEVERITIES, WARNING, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from krmkit.fn.definition import FunctionDefinition
    from krmkit.krm.finding import Subject


class FunctionError(Refused):
    """The function cannot do its work: the run ends with this error, and the items stay unchanged.

    For a problem that others may accompany, add a finding instead. `resource`, `field` and `rule` are those
    of the result.

        raise FunctionError("must be among the items", "no-pack", config.resource, "spec.pack")
    """

    def __init__(
        self, message: str, rule: str = "failed", resource: Subject | None = None, field: str = ""
    ) -> None:
        super().__init__(Finding(rule, message, resource, field))


class Results:
    """The findings of a run. `explaining`: --explain was given. `definition` states the rules' severities.

    results.error("bad-port", "must be above 1023, got 80", item, "spec.port", current=80)
    """

    __slots__ = ("_definition", "_found", "explaining")

    def __init__(self, explaining: bool = False, definition: FunctionDefinition | None = None) -> None:
        self.explaining = explaining
        self._definition = definition
        self._found: list[Finding] = []

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found)

    def add(self, finding: Finding) -> None:
        """Add one finding, with the severity that function.yaml states for its rule."""
        stated = self._definition.severities(finding.rule) if self._definition is not None else ()
        if stated and finding.severity not in (*stated, EXPLAIN):
            finding.severity = stated[0]
        if finding.severity == EXPLAIN:
            if not self.explaining:
                return
            finding.severity, finding.explained = INFO, True
        self._found.append(finding)

    def extend(self, findings: Iterable[Finding]) -> None:
        """Add several findings."""
        for finding in findings:
            self.add(finding)

    def error(
        self, rule: str, message: str, resource: Subject | None = None, field: str = "", **more: Any
    ) -> None:
        """Add an error: the user must change something. `more`: current, proposed, tags."""
        self.add(Finding(rule, message, resource, field, severity=ERROR, **more))

    def warning(
        self, rule: str, message: str, resource: Subject | None = None, field: str = "", **more: Any
    ) -> None:
        """Add a warning: it may be a mistake."""
        self.add(Finding(rule, message, resource, field, severity=WARNING, **more))

    def info(
        self, rule: str, message: str, resource: Subject | None = None, field: str = "", **more: Any
    ) -> None:
        """Add a note."""
        self.add(Finding(rule, message, resource, field, severity=INFO, **more))

    def explain(self, rule: str, message: str, resource: Subject | None = None, field: str = "") -> None:
        """Add why a rule, preset, macro or selector did or did not apply; dropped without --explain."""
        self.add(Finding(rule, message, resource, field, severity=EXPLAIN))

    def fail_on(self, what: str) -> None:
        """Move severities: "warning" turns warnings into errors, "never" errors into warnings."""
        source, target = {"warning": (WARNING, ERROR), "never": (ERROR, WARNING)}.get(what, (ERROR, ERROR))
        for finding in self._found:
            if finding.severity == source:
                finding.severity = target

    def finish(self) -> list[Finding]:
        """Return the distinct findings, by severity, file, index, resource, and order of addition."""
        once: dict[tuple[object, ...], Finding] = {}
        for finding in self._found:
            once.setdefault(_said(finding), finding)
        return sorted(once.values(), key=_order)


def _said(finding: Finding) -> tuple[object, ...]:
    reference, file, tags = finding.resource_ref, finding.file, finding.tags
    values = finding.current, finding.proposed
    return (
        finding.severity,
        finding.message,
        finding.field,
        finding.rule,
        tuple(reference.items()) if reference is not None else None,
        tuple(file.items()) if file is not None else None,
        tuple(tags.items()),
        repr(values) if values != (None, None) else "",
    )


def _order(finding: Finding) -> tuple[int, str, int, str]:
    file = finding.file or {}
    reference = finding.resource_ref or {}
    index = file.get("index")
    return (
        SEVERITIES.index(finding.severity),
        str(file.get("path") or ""),
        index if isinstance(index, int) else 0,
        "\0".join(reference.get(key, "") for key in IDENTITY),
    )
