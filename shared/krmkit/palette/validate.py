"""All constraints of all packs of a profile at once: schema, dependencies, resources."""

from __future__ import annotations

from krmkit.palette import dependency, resources
from krmkit.palette.finding import DEFAULTS, METADATA, VALUES, Finding
from krmkit.palette.resources import Demand
from krmkit.palette.schema import Schema
from krmkit.palette.schema import check as check_schema
from krmkit.palette.values import Values
from krmkit.yaml.errors import LimitError, YamlError
from krmkit.yaml.limits import DEFAULT_LIMITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from krmkit.palette.pack import Pack
    from krmkit.palette.pools import Pool
    from krmkit.yaml.limits import Limits


class Options:
    """How to validate; the fields are those of a ValidatePackConstraints config, pools and packs already read.

    pools: None where the machine pools are not known. previous: the packs before an upgrade, None where none is asked.
    """

    __slots__ = ("aggregate", "limits", "merge_defaults", "pools", "previous", "scope", "use_min_size")

    def __init__(
        self,
        pools: Sequence[Pool] | None = None,
        scope: str = dependency.CLUSTER,
        previous: Sequence[Pack] | None = None,
        aggregate: str = resources.SUM,
        use_min_size: bool = False,
        merge_defaults: bool = False,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.pools = pools
        self.scope = scope
        self.previous = previous
        self.aggregate = aggregate
        self.use_min_size = use_min_size
        self.merge_defaults = merge_defaults
        self.limits = limits


class Subject:
    """A pack under validation. Its texts are parsed once; `values` is None, with a finding, where they cannot be."""

    __slots__ = ("defaults", "findings", "pack", "values")

    def __init__(self, pack: Pack, options: Options) -> None:
        self.pack = pack
        self.findings: list[Finding] = []
        self.defaults = (
            self.read(pack.defaults, DEFAULTS, options.limits) if pack.defaults is not None else None
        )
        self.values = self.read(pack.values or "", VALUES, options.limits)
        if options.merge_defaults and self.values is not None and self.defaults is not None:
            self.values = self.values.over(self.defaults)

    def read(self, text: str, file: str, limits: Limits) -> Values | None:
        try:
            return Values.parse(text, limits)
        except YamlError as error:
            what = "is over a limit" if isinstance(error, LimitError) else "is no YAML"
            hint = "; an unquoted macro may be why: run resolve-macros first" if ".spectro." in text else ""
            self.findings.append(
                Finding("invalid-values", f"{file} {what}: {error}{hint}", (file,), self.pack.label, file)
            )
            return None

    def check_schema(self, options: Options, satisfied: list[Finding] | None) -> None:
        """Schema constraints, whose findings stay beside what is wrong with the texts."""
        if self.pack.schema is None or self.values is None:
            return
        schema = Schema.parse(self.pack.schema, options.limits)
        try:
            self.findings += check_schema(schema, self.values, self.defaults, self.pack.label, satisfied)
        except LimitError as error:
            self.findings.append(
                Finding("invalid-values", f"the values are over a limit: {error}", (VALUES,), self.pack.label)
            )


def validate(
    packs: Sequence[Pack], options: Options, satisfied: list[Finding] | None = None
) -> list[Finding]:
    """Findings pack by pack (schema, then dependencies), then those of the resources, then the totals of the pools.

    A list given as `satisfied` takes what there is to say about rules without findings.
    """
    findings: list[Finding] = []
    demands: list[Demand] = []
    for pack in packs:
        subject = Subject(pack, options)
        subject.check_schema(options, satisfied)
        findings += subject.findings
        if pack.constraints is not None and not isinstance(pack.constraints, dict):
            message = "constraints must be an object with dependencies and resources"
            findings.append(Finding("schema", message, ("",), pack.label, METADATA, "constraints"))
        findings += dependency.check(
            pack, pack.constraint("dependencies"), packs, options.scope, options.previous, satisfied
        )
        wanted = pack.constraint("resources")
        if wanted:
            demands.append(Demand(pack.label, wanted, subject.values))
    if options.previous is not None:
        findings += dependency.check_previous(options.previous, packs)
    pools = options.pools
    if pools is not None:
        report = resources.check(demands, pools, options.aggregate, options.use_min_size)
        findings += report.findings
        findings += resources.totals(report, pools, options.use_min_size)
    elif demands:
        names = ", ".join(demand.label for demand in demands)
        message = f"the resource constraints of {names} are not checked: the config has no machinePools"
        findings.append(Finding("pools-unknown", message, tuple(demand.label for demand in demands)))
    return findings
