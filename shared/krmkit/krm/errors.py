"""The failure that ends a run."""

from __future__ import annotations

from krmkit.krm.finding import Finding

UNNAMED = "refused"  # the rule of a failure that no rule of a function describes


class Refused(Exception):  # noqa: N818  # what the run is
    """An error that ends a run. Its finding tells what is wrong and what would be right.

    A text becomes a finding without a rule: `Refused("site: holds no Kptfile").finding.message`.
    """

    def __init__(self, problem: Finding | str) -> None:
        super().__init__(problem)
        self.finding = problem if isinstance(problem, Finding) else Finding(UNNAMED, problem)

    def __str__(self) -> str:
        return self.finding.message
