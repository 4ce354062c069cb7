"""Dependency constraints: which other packs, of which versions, a pack wants in its profile (pack.json).

Match is by exact name and layer; a duplicated pack appears in a profile as `<display name>--<pack name>`.
Bounds are inclusive, and versions compare leniently (`1.21` is 1.21.0; a pre-release comes before its
release).
"""

from __future__ import annotations

from krmkit.krm.finding import WARNING, Finding
from krmkit.libraries.versions import LenientKey, lenient_key
from krmkit.systems.palette.constraints.dependencyentry import Dependency
from krmkit.systems.palette.packs.findings import METADATA, pack_finding, suggestion
from krmkit.systems.palette.packs.packfileschemas import DEPENDENCY_TYPES, LAYERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from krmkit.libraries.versions import LenientKey
    from krmkit.systems.palette.packs.pack import Pack

CLUSTER, PROFILE = "cluster", "profile"


# A pack `a--b--c` is found as `b--c` and `c` too. A name of thousands of dashes must not fill as many lists.
_MOST_PREFIXES = 16


class Profile:
    """The packs of a cluster, looked up by name; a duplicate is found under the name of its pack as well."""

    def __init__(self, packs: Sequence[Pack]) -> None:
        self._by_name: dict[str, list[Pack]] = {}
        for pack in packs:
            name = pack.name
            self._by_name.setdefault(name, []).append(pack)
            for _ in range(_MOST_PREFIXES):
                name = name.partition("--")[2]
                if not name:
                    break
                self._by_name.setdefault(name, []).append(pack)

    def members(self, name: str) -> list[Pack]:
        """Return the packs called `name`, and its duplicates, in the order of the profile."""
        return self._by_name.get(name, [])


def check(
    owner: Pack,
    dependencies: object,
    profile: Profile,
    scope: str = CLUSTER,
    previous: Profile | None = None,
    satisfied: list[Finding] | None = None,
) -> list[Finding]:
    """Return the findings of one pack's dependencies, in their order.

    profile: all packs of the cluster, the owner among them. scope "profile": a part of a cluster's packs, so
    what is missing may be elsewhere, and is a warning. previous: the packs before an upgrade, for rules of
    type `upgrade`. satisfied: takes one finding for each dependency that holds, with the reason.
    """
    return _Check(owner, profile, scope, previous, satisfied).run(dependencies)


def check_previous(previous: Sequence[Pack], profile: Profile) -> list[Finding]:
    """Return the findings of the old packs' own rules of type `upgrade` about the new profile."""
    findings: list[Finding] = []
    before = Profile(previous)
    for old in previous:
        findings += _Check(old, profile, CLUSTER, before, None).run(upgrades(old))
    return findings


def upgrades(pack: Pack) -> list[object]:
    """Return a pack's dependencies of type `upgrade`, not checked."""
    dependencies = pack.constraint("dependencies")
    if not isinstance(dependencies, list):
        return []
    return [entry for entry in dependencies if isinstance(entry, dict) and entry.get("type") == "upgrade"]


class _Check:
    def __init__(
        self,
        owner: Pack,
        profile: Profile,
        scope: str,
        previous: Profile | None,
        satisfied: list[Finding] | None,
    ) -> None:
        self.owner = owner
        self.profile = profile
        self.scope = scope
        self.previous = previous
        self.satisfied = satisfied
        self.findings: list[Finding] = []

    def run(self, dependencies: object) -> list[Finding]:
        if dependencies is None:
            return self.findings
        path = "constraints.dependencies"
        if not isinstance(dependencies, list):
            self.add("schema", "", path, "dependencies must be a list")
            return self.findings
        for index, entry in enumerate(dependencies):
            before = len(self.findings)
            dependency = self.read(entry, f"{path}[{index}]")
            if dependency is None:
                continue
            if dependency.type == "upgrade":
                self.upgrade(dependency)
            elif dependency.type == "notSupported":
                self.unsupported(dependency)
            else:
                self.wanted(dependency)
            if self.satisfied is not None and len(self.findings) == before:
                self.explain(dependency, self.satisfied)
        return self.findings

    def explain(self, dependency: Dependency, satisfied: list[Finding]) -> None:
        """Record why a dependency has no finding."""
        members = [
            member for member in self.profile.members(dependency.name) if member.layer == dependency.layer
        ]
        if members:
            versions = ", ".join(member.effective_version or "without a version" for member in members)
            message = f"{dependency.type} {dependency.name}: {versions} is fine"
        else:
            message = (
                f"{dependency.type} {dependency.name}: not in the layer {dependency.layer} of the profile"
            )
        satisfied.append(
            pack_finding(
                "satisfied", message, (dependency.name,), self.owner.label, METADATA, dependency.path
            )
        )

    def add(
        self, code: str, name: str, path: str, message: str, current: object = None, severity: str = ""
    ) -> None:
        self.findings.append(
            pack_finding(code, message, (name,), self.owner.label, METADATA, path, current, severity=severity)
        )

    def read(self, entry: object, path: str) -> Dependency | None:
        """Check an entry and return it; None, with findings, for an invalid one."""
        if not isinstance(entry, dict):
            self.add(
                "schema",
                "",
                path,
                "a dependency must be an object with packName, layer, minVersion, maxVersion, type",
            )
            return None
        name, layer, kind = entry.get("packName"), entry.get("layer"), entry.get("type")
        if not isinstance(name, str) or not name:
            self.add(
                "schema", "", f"{path}.packName", "a dependency needs packName, the name of the other pack"
            )
            return None
        if not isinstance(layer, str) or layer not in LAYERS:
            hint = suggestion(layer, LAYERS)
            self.add(
                "schema",
                name,
                f"{path}.layer",
                f"the dependency {name} needs the layer of the other pack" + hint,
                layer,
            )
            return None
        if kind is None or kind == "":
            self.add(
                "default-type",
                name,
                path,
                f"the dependency {name} has no type and is taken as optional; write one of {', '.join(DEPENDENCY_TYPES)}",
            )
            kind = "optional"
        if not isinstance(kind, str) or kind not in DEPENDENCY_TYPES:
            hint = suggestion(kind, DEPENDENCY_TYPES)
            self.add(
                "schema",
                name,
                f"{path}.type",
                f"the dependency {name} has a type that does not exist" + hint,
                kind,
            )
            return None
        low = self.bound(entry, "minVersion", name, path)
        high = self.bound(entry, "maxVersion", name, path)
        if low is None or high is None:
            return None
        if low[1] is not None and high[1] is not None and high[1] < low[1]:
            message = f"the dependency {name} has a minVersion {low[0]} above its maxVersion {high[0]}: no version fits"
            self.add("schema", name, path, message)
            return None
        return Dependency(name, layer, kind, path, (low, high))

    def bound(
        self, entry: dict[str, object], key: str, name: str, path: str
    ) -> tuple[str, LenientKey | None] | None:
        """Return the bound as written and as a key; None, with a finding, if it is not a version."""
        value = entry.get(key)
        if value is None or value == "":
            return "", None
        version = lenient_key(value) if isinstance(value, str) else None
        if version is None:
            what = "no version" if isinstance(value, str) else "no text"
            message = f"the {key} of the dependency {name} is {what}: write a version in quotes, as in 1.18.6"
            self.add("schema", name, f"{path}.{key}", message, value)
            return None
        assert isinstance(value, str)
        return value, version

    def wanted(self, dependency: Dependency) -> None:
        name = dependency.name
        everywhere = self.profile.members(name)
        members = [member for member in everywhere if member.layer == dependency.layer]
        if dependency.type == "required" and not members:
            wanted = f" ({dependency.range()})" if dependency.bounded else ""
            if everywhere:
                layers = ", ".join(dict.fromkeys(member.layer or "none" for member in everywhere))
                self.add(
                    "wrong-layer",
                    name,
                    dependency.path,
                    f"{self.who()} requires the pack {name}{wanted} in the layer {dependency.layer}, and it is in {layers}",
                )
                return
            partial = self.scope == PROFILE
            self.add(
                "missing",
                name,
                dependency.path,
                f"{self.who()} requires the pack {name}{wanted} in the layer {dependency.layer}: add it"
                + (" here, or in another profile of the cluster" if partial else ""),
                severity=WARNING if partial else "",
            )
        for member in members:
            version = self.version(dependency, member)
            if version is not None and not dependency.holds(version):
                self.add(
                    "version",
                    name,
                    dependency.path,
                    f"{self.who()} needs the pack {name} in version {dependency.range()}, "
                    f"not {member.effective_version}",
                    member.effective_version,
                )

    def unsupported(self, dependency: Dependency) -> None:
        name = dependency.name
        for member in self.profile.members(name):
            if member.layer != dependency.layer:
                continue
            if not dependency.bounded:
                self.add(
                    "unbounded-not-supported",
                    name,
                    dependency.path,
                    f"{self.who()} names the pack {name} as not supported, without minVersion and maxVersion: "
                    "nothing is checked; give it a bound",
                )
                return
            version = self.version(dependency, member)
            if version is not None and dependency.holds(version):
                self.add(
                    "not-supported",
                    name,
                    dependency.path,
                    f"{self.who()} does not support the pack {name} in version {dependency.range()}, "
                    f"and here is {member.effective_version}: choose a version outside, or leave it out",
                    member.effective_version,
                )

    def upgrade(self, dependency: Dependency) -> None:
        """Test the rule of the pack's old version on the new one; only an upgrade asks for it.

        If the old pack's rules are not at hand, those of the new one are used.
        """
        name = dependency.name
        if self.previous is None:
            self.add(
                "not-checked",
                name,
                dependency.path,
                f"{self.who()} restricts upgrades of {name} to {dependency.range() if dependency.bounded else 'any version'}: "
                "checked when the config gives the previousProfile",
            )
            return
        if not any(member.layer == dependency.layer for member in self.previous.members(name)):
            return
        old_ones = self.previous.members(self.owner.name)
        if any(old is not self.owner and old.name == self.owner.name and upgrades(old) for old in old_ones):
            return
        for member in self.profile.members(name):
            if member.layer != dependency.layer or not dependency.bounded:
                continue
            version = self.version(dependency, member)
            if version is not None and not dependency.holds(version):
                self.add(
                    "version",
                    name,
                    dependency.path,
                    f"{self.who()} may be moved only to version {dependency.range()} of {name}, "
                    f"not to {member.effective_version}",
                    member.effective_version,
                )

    def version(self, dependency: Dependency, member: Pack) -> LenientKey | None:
        """Return a member's version; None, with a warning, where bounds cannot be checked against it."""
        if not dependency.bounded:
            return None
        text = member.effective_version
        version = lenient_key(text)
        if version is None:
            what = f'the version "{text}" of the pack' if text else "the pack has no version:"
            self.add(
                "unparseable",
                dependency.name,
                dependency.path,
                f"{what} {dependency.name} cannot be compared with {dependency.range()}: pin one such as 1.18.6",
                text or None,
            )
        return version

    def who(self) -> str:
        owner = self.owner
        return f"{owner.label or 'the pack'} {owner.effective_version}".rstrip()
