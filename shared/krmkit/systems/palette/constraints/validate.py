"""All constraints of all packs of a profile at once: schema, dependencies, resources."""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.systems.palette.constraints.effort import Effort
from krmkit.systems.palette.packs.findings import DEFAULTS, METADATA, VALUES, pack_finding
from krmkit.systems.palette.packs.macrotext import are_manifests
from krmkit.systems.palette.packs.pack import DISPLAY_NAME, Pack
from krmkit.systems.palette.packs.values import PackValues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from krmkit.krm.resource import Resource
    from krmkit.libraries.yaml.limits import Limits
    from krmkit.systems.palette.constraints.demands import ResourceReport
    from krmkit.systems.palette.constraints.pools import MachinePool
    from krmkit.systems.palette.constraints.schema import PackSchema


class ValidationOptions:
    """The fields of a ValidatePackConstraints config, with pools and packs already read.

    pools: None where the machine pools are not known. effort: what the formats of this run may still cost.
    schemas: those that this run has read, by their text, as many packs have the same. previous: the packs
    before an upgrade, None where none is asked.
    """

    def __init__(
        self,
        pools: Sequence[MachinePool] | None = None,
        scope: str = "cluster",
        previous: Sequence[Pack] | None = None,
        aggregate: str = "sum",
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
        self.effort = Effort()
        self.schemas: dict[str, PackSchema] = {}

    @classmethod
    def of(
        cls,
        spec: dict[str, Any],
        limits: Limits = DEFAULT_LIMITS,
        items: Iterable[Resource] = (),
        config: Resource | None = None,
    ) -> ValidationOptions:
        """Read the decoded spec of a ValidatePackConstraints config. Raises PackError.

        items: where the pools of `poolsOfCluster` are looked for, and the config itself as the pipeline has
        it now.
        """
        pools, previous = spec.get("machinePools"), spec.get("previousProfile")
        if pools is not None:
            from krmkit.systems.palette.constraints.pools import read_pools

            pools = read_pools(pools, spec.get("instanceTypes"))
        if spec.get("poolsOfCluster"):
            from krmkit.systems.palette.constraints.poolitems import PoolSource, cluster_named
            from krmkit.systems.palette.errors import PackError

            if pools is not None:
                raise PackError("give machinePools or poolsOfCluster, not both", field="poolsOfCluster")
            source = PoolSource(items, spec.get("instanceTypes"), spec.get("machineTemplates"))
            pools = source.pools(cluster_named(spec["poolsOfCluster"], source.items, config))
        if previous is not None:
            # An entry may hold the dependencies of its pack.json.
            previous = [Pack({**member, "constraints": member}) for member in previous]
        return cls(
            pools,
            spec["scope"],
            previous,
            spec["aggregate"],
            spec["useMinSize"],
            spec["mergeDefaults"],
            limits,
        )


class CheckedPack:
    """A pack under validation. Texts are parsed once; `values` is None, with a finding, if they cannot be."""

    def __init__(self, pack: Pack, options: ValidationOptions) -> None:
        self.pack = pack
        self.findings: list[Finding] = []
        self.defaults = (
            self.read(pack.defaults, DEFAULTS, options.limits) if pack.defaults is not None else None
        )
        text = pack.values or ""
        # A manifest layer's text is no values; nothing in it has a rule.
        self.values = None if are_manifests(text) else self.read(text, VALUES, options.limits)
        if options.merge_defaults and self.values is not None and self.defaults is not None:
            self.values = self.values.over(self.defaults)

    def read(self, text: str, file: str, limits: Limits) -> PackValues | None:
        try:
            return PackValues.parse(text, limits)
        except YamlError as error:
            what = "is over a limit" if isinstance(error, LimitError) else "is not YAML"
            hint = "; an unquoted macro may be why: run resolve-macros first" if ".spectro." in text else ""
            error.message += hint
            self.findings.append(
                pack_finding("schema", f"{file} {what}", ("",), self.pack.label, file, error=error)
            )
            return None

    def check_schema(self, options: ValidationOptions, satisfied: list[Finding] | None) -> None:
        """Check schema constraints; add findings to the errors of the texts."""
        text = self.pack.schema
        if text is None or self.values is None:
            return
        from krmkit.systems.palette.constraints.schema import PackSchema, check

        rules = options.schemas.get(text)
        if rules is None:
            rules = PackSchema.of(self.pack, options.limits, options.effort)
            options.schemas[text] = rules
        try:
            self.findings += check(rules, self.values, self.defaults, self.pack.label, satisfied)
        except LimitError as error:
            self.findings.append(
                pack_finding("schema", "the values are over a limit", ("",), self.pack.label, error=error)
            )


def twins(packs: Sequence[Pack]) -> list[Finding]:
    """Errors about packs of one name that nothing tells apart: all but one need a name of their own."""
    findings: list[Finding] = []
    seen: set[tuple[str, str]] = set()
    for pack in packs:
        key = pack.name, pack.own_name if pack.label != pack.name else ""
        if key in seen:
            what = f'with the {DISPLAY_NAME} "{key[1]}"' if key[1] else f"without a {DISPLAY_NAME}"
            message = f"the profile has another pack {pack.name} {what}: give it a {DISPLAY_NAME} of its own in its values"
            findings.append(pack_finding("twin", message, (pack.name,), pack.label, VALUES, "pack"))
        seen.add(key)
    return findings


def validate(
    packs: Sequence[Pack], options: ValidationOptions, satisfied: list[Finding] | None = None
) -> list[Finding]:
    """Return findings pack by pack (schema, dependencies), then of resources, then totals of pools.

    A list given as `satisfied` takes one finding for each rule that holds, with the reason.
    """
    findings = twins(packs)
    asking: list[CheckedPack] = []
    profile: Profile | None = None
    previous = options.previous
    before: Profile | None = None
    if previous is not None or any(pack.constraint("dependencies") for pack in packs):
        from krmkit.systems.palette.constraints.dependencies import Profile, check, check_previous

        profile = Profile(packs)
        before = None if previous is None else Profile(previous)
    for pack in packs:
        subject = CheckedPack(pack, options)
        subject.check_schema(options, satisfied)
        findings += subject.findings
        if pack.constraints is not None and not isinstance(pack.constraints, dict):
            message = "constraints must be an object with dependencies and resources"
            findings.append(pack_finding("schema", message, ("",), pack.label, METADATA, "constraints"))
        dependencies = pack.constraint("dependencies")
        if dependencies and profile is not None:
            findings += check(pack, dependencies, profile, options.scope, before, satisfied)
        if pack.constraint("resources"):
            asking.append(subject)
    if previous is not None and profile is not None:
        findings += check_previous(previous, profile)
    if options.pools is not None:
        from krmkit.systems.palette.constraints.resources import totals

        report = _report(asking, options.pools, options)
        findings += report.findings + totals(report, options.pools, options.use_min_size)
    elif asking:
        labels = tuple(subject.pack.label for subject in asking)
        message = (
            f"the resource constraints of {', '.join(labels)} are not checked: the config has no machinePools"
        )
        findings.append(pack_finding("pools-unknown", message, labels, file=""))
        # Checking the constraints themselves needs no pools.
        report = _report(asking, [], options)
        findings += [finding for finding in report.findings if finding.rule == "schema"]
    return findings


def _report(
    asking: list[CheckedPack], pools: Sequence[MachinePool], options: ValidationOptions
) -> ResourceReport:
    from krmkit.systems.palette.constraints.demands import Demand
    from krmkit.systems.palette.constraints.resources import check

    demands = [
        Demand(subject.pack.label, subject.pack.constraint("resources"), subject.values) for subject in asking
    ]
    return check(demands, pools, options.aggregate, options.use_min_size)
