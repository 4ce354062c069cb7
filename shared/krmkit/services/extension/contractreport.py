"""The report of the contract test."""

from __future__ import annotations

from dataclasses import dataclass, field

VIOLATION, WARNING = "violation", "warning"


@dataclass(slots=True)
class ContractReport:
    """Findings as (severity, handler, rule, message); (handler, calls, p50, p99) in seconds under load."""

    findings: dict[tuple[str, str, str, str], None] = field(default_factory=dict)
    times: list[tuple[str, int, float, float]] = field(default_factory=list)
    handlers: int = 0
    calls: int = 0

    def add(self, handler: str, rule: str, message: str, severity: str = VIOLATION) -> None:
        """Add a finding, once."""
        self.findings[severity, handler, rule, message[:600]] = None

    @property
    def violations(self) -> int:
        """Return the number of findings that break the contract."""
        return sum(one[0] == VIOLATION for one in self.findings)
