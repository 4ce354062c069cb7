"""Random histories of two fleets in one repository beside a plain model of them: nobody's change is lost in silence, and nothing else conflicts.

The model knows, of each package, what upstream says, what people wrote and what the pipeline sets. A package has the people's values, else
the pipeline's, else the upstream's; where two of them disagree, a conflict names the field. KRMKIT_HISTORIES sets how many are tried.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from krmkit.fleet.sync.outcome import SyncOutcome
from tests.e2e.fleetmodel import (
    MACRO,
    OWN,
    PROGRAMS,
    RESOURCES,
    SET,
    Fields,
    Upstream,
    conflict_field,
    fields_of,
    objects_text,
    upstream_files,
    with_field,
    write_functions,
)
from tests.unit.fleet.sync.memorygit import Fleet, MemoryRepository

HISTORIES = int(os.environ.get("KRMKIT_HISTORIES", "25"))
KEYS = ("a", "b", "c")
OFTEN = ("a", "a", *KEYS)
# The sets of each fleet, with the packages that they may have.
FLEETS: dict[str, dict[str, tuple[str, ...]]] = {
    "fleet.yaml": {"shops": ("north", "south"), "inns": ("inn",)},
    "other.yaml": {"cafes": ("cafe",)},
}
SETS = {name: (fleet, packages) for fleet, sets in FLEETS.items() for name, packages in sets.items()}
PACKAGES = tuple(package for _, packages in SETS.values() for package in packages)
fleets = st.sampled_from(["fleet.yaml", "fleet.yaml", "other.yaml"])
packages = st.sampled_from([*PACKAGES, "north", "north"])
approvals = st.sampled_from(["never", "never", "ready", "auto"])
resources = st.sampled_from(["app", "app", "pack", "pack", "settings", "cache"])
values = st.sampled_from(["1", "2", "3", "4"])
choices = st.integers(0, 255)  # of changes, by their bits
happened: Counter[str] = Counter()


class Package:
    """What the model knows of one downstream package.

    `human` are the fields that people wrote, None for one that they removed; `given_up` those that gave way in a conflict.
    `named` are conflicts that wait for a person; `waiting` are the fields of people that gave way in them: they may come back until
    somebody looks at the draft. `versions` are those of the upstream that may have been merged last. `killed`: nobody has seen what the
    last sync said.
    """

    def __init__(self) -> None:
        self.human: Fields = {}
        self.given_up: set[tuple[str, str]] = set()
        self.named: list[str] = []
        self.waiting: Fields = {}
        self.versions: set[int] = set()
        self.killed = False


class FleetMachine(RuleBasedStateMachine):
    functions = ""  # the folder of the functions; set by the test

    @initialize(pipeline=st.lists(st.sampled_from(sorted([*PROGRAMS, *OWN])), unique=True, max_size=4),
                published=st.booleans())  # fmt: skip
    def begin(self, pipeline: list[str], published: bool) -> None:
        happened["histories"] += 1
        self.pipeline = pipeline
        self.up, self.down = MemoryRepository(), MemoryRepository()
        self.fleet = Fleet({"up": self.up, "down": self.down}, (self.functions,), objects_text({}))
        self.versions: list[Upstream] = []
        self.packages: dict[str, Package] = {}
        self.injected: dict[str, str] = {}
        self.wanted: dict[str, tuple[str, ...]] = {"shops": ("north",), "cafes": ("cafe",)}
        self.revision = dict.fromkeys(FLEETS, 1)
        self.down.refs["refs/heads/drafts/other/mine"] = self.down.commit("refs/heads/x", "other", {"a": "b"})
        self.others = dict(self.down.refs)
        first: Upstream = {name: dict.fromkeys(KEYS, "0") for name in RESOURCES}
        first["pack"]["b"] = MACRO
        self.publish_upstream(first)
        for fleet in FLEETS:
            self.run(fleet, "auto" if published else "never")

    def publish_upstream(self, resources: Upstream) -> None:
        self.up.commit("refs/heads/main", "web", upstream_files(resources, self.pipeline))
        self.versions.append(resources)
        self.up.refs[f"refs/tags/web/v{len(self.versions)}"] = self.up.refs["refs/heads/main"]

    # What happens

    @rule(
        name=resources,
        key=st.sampled_from([*OFTEN, "d"]),
        value=st.one_of(values, values, st.none()),
    )
    def upstream_changes(self, name: str, key: str, value: str | None) -> None:
        happened["upstream changes"] += 1
        now = {one: dict(data) for one, data in self.versions[-1].items()}
        if value is not None:
            now[name][key] = value
        elif len(now[name]) > 1:
            now[name].pop(key, None)
        self.publish_upstream(now)

    @rule(fleet=fleets)
    def follow(self, fleet: str) -> None:
        happened["new versions wanted"] += 1
        self.revision[fleet] = len(self.versions)

    @rule(key=st.sampled_from(OFTEN), value=values)
    def inject(self, key: str, value: str) -> None:
        """The object that `settings` gets changes."""
        happened["injected objects changed"] += 1
        self.injected = {**self.injected, key: value}
        self.fleet.objects = objects_text(self.injected)

    @rule(package=packages, name=resources, key=st.sampled_from([*OFTEN, "e"]),
          value=st.one_of(values, st.none()), amend=st.booleans())  # fmt: skip
    def edit_draft(self, package: str, name: str, key: str, value: str | None, amend: bool) -> None:
        """A person writes or removes a field in a draft, with a commit of its own or in place of the last one."""
        ref = self.draft(package)
        if ref and not self.is_behind(package, ref):
            happened["edits of drafts"] += 1
            self.edit(ref, ref, package, name, key, value, amend)

    @rule(package=packages, name=resources, key=st.sampled_from(OFTEN), value=values, in_main=st.booleans())
    def edit_published(self, package: str, name: str, key: str, value: str, in_main: bool) -> None:
        """A person publishes a change of what is published, without a draft: on top of the version, or of the branch main."""
        tags = self.tags(package)
        if tags and not self.draft(package):
            happened["edits of published packages"] += 1
            branch = "refs/heads/work"
            self.down.refs[branch] = self.down.refs[tags[-1]]
            if in_main and "refs/heads/main" in self.down.refs:
                files = self.down.files(branch, package)
                self.down.refs[branch] = self.down.refs["refs/heads/main"]
                self.down.commit(branch, package, files)
            self.edit(branch, f"refs/tags/{package}/v{len(tags) + 1}", package, name, key, value)
            self.down.refs.pop(branch, None)

    @rule(package=packages)
    def look_at_draft(self, package: str) -> None:
        """A person agrees with what a draft says."""
        ref = self.draft(package)
        if ref and not self.is_behind(package, ref):
            self.see(package, ref)
            self.down.commit(ref, package, self.down.files(ref, package))

    @rule(package=packages)
    def propose(self, package: str) -> None:
        ref = self.draft(package)
        if "/drafts/" in ref and not self.is_behind(package, ref):
            happened["approvals"] += 1
            self.down.refs[ref.replace("/drafts/", "/proposed/")] = self.down.refs.pop(ref)

    @rule(package=packages)
    def publish(self, package: str) -> None:
        ref = self.draft(package)
        if ref and not self.is_behind(package, ref):
            happened["approvals"] += 1
            self.see(package, ref)
            self.down.refs[f"refs/tags/{package}/v{len(self.tags(package)) + 1}"] = self.down.refs.pop(ref)

    @rule(sets=st.lists(st.sampled_from(["shops", "inns"]), unique=True, min_size=1), both=st.booleans())
    def choose(self, sets: list[str], both: bool) -> None:
        """The file gets other sets and variants. What it lost stays, until somebody prunes."""
        happened["sets added and removed"] += 1
        self.wanted = {"cafes": self.wanted["cafes"]}
        for name in sets:
            self.wanted[name] = SETS[name][1] if both else SETS[name][1][:1]

    @rule(fleet=fleets, approve=approvals)
    def sync(self, fleet: str, approve: str) -> None:
        happened["syncs"] += 1
        self.run(fleet, approve)

    @rule(fleet=fleets, approve=approvals, some=choices)
    def killed_sync(self, fleet: str, approve: str, some: int) -> None:
        """Git stops between two refs."""
        self.complete()
        before = dict(self.down.refs)
        self.fleet.sync(
            self.files(fleet), killed=lambda number: bool(some >> number % 8 & 1), approve=approve
        )
        happened["kills between two refs" if before != self.down.refs and self.down.journal else "kills"] += 1
        for name in self.wanted_of(fleet):
            package = self.packages.setdefault(name, Package())
            package.versions.add(self.revision[fleet])
            package.killed = True

    @rule(some=choices)
    def killed_completion(self, some: int) -> None:
        """Whoever completes it is killed as well."""
        if self.down.journal:
            happened["kills of completions"] += 1
            self.down.complete(lambda number: bool(some >> number % 8 & 1))

    @rule()
    def prune(self) -> None:
        """Drafts of variants that are gone go; what is published stays."""
        fleet = "fleet.yaml"
        self.complete()
        gone = [name for one in FLEETS[fleet].values() for name in one if name not in self.wanted_of(fleet)]
        tags = {name: self.tags(name) for name in gone}
        sync = self.fleet.sync(self.files(fleet), prune=True)
        self.check(fleet, sync.outcomes)
        for name in gone:
            assert not self.draft(name) and self.tags(name) == tags[name]
            self.packages.pop(name, None)
            for ref in [
                ref for ref in self.down.refs if f"/{name}/" in ref and not ref.startswith("refs/krmkit")
            ]:
                del self.down.refs[ref]  # a person approves the deletion

    # What must be so

    @invariant()
    def others_are_as_they_were(self) -> None:
        if hasattr(self, "others"):
            assert self.others.items() <= self.down.refs.items()

    def run(self, fleet: str, approve: str) -> None:
        self.complete()
        before = self.refs_outside(fleet)
        sync = self.fleet.sync(self.files(fleet), approve=approve)
        assert self.refs_outside(fleet) == before
        self.check(fleet, sync.outcomes)
        before = dict(self.down.refs)
        again = self.fleet.sync(self.files(fleet), approve=approve)
        assert self.down.refs == before, [one.actions for one in again.outcomes]
        assert not any(one.actions for one in again.outcomes)

    def refs_outside(self, fleet: str) -> dict[str, str]:
        """The refs that belong to no set of a fleet, but for what all fleets share."""
        own = [package for packages in FLEETS[fleet].values() for package in packages]
        shared = ("refs/heads/main", "refs/krmkit/main")
        return {
            ref: oid
            for ref, oid in self.down.refs.items()
            if ref not in shared and not any(f"/{name}/" in ref or ref.endswith(f"-{name}") for name in own)
        }

    def check(self, fleet: str, outcomes: list[SyncOutcome]) -> None:
        told = set()
        for outcome in outcomes:
            if outcome.name == "-":
                assert not outcome.error, outcome
                continue
            name = outcome.name.rpartition("-")[2]
            told.add(name)
            self.check_package(fleet, name, outcome, self.packages.setdefault(name, Package()))
        assert told == set(self.wanted_of(fleet))

    def check_package(self, fleet: str, name: str, outcome: SyncOutcome, package: Package) -> None:
        assert not outcome.error, outcome.error
        now, stuck = self.content(name), outcome.stuck
        package.human = {**package.waiting, **package.human}
        version = self.revision[fleet]
        upstream_now = self.versions[version - 1]
        before = [self.versions[number - 1] for number in package.versions or {version}]
        conflicts = {text: conflict_field(text) for text in outcome.conflicts}
        for text, (resource_name, key) in conflicts.items():
            values = {one[resource_name].get(key) for one in [*before, upstream_now]}
            written = {*package.human, *package.given_up}
            two = (resource_name, key) in written and (
                len(values) > 1 or self.made(upstream_now, resource_name, key)
            )
            assert two or text in package.named, (text, outcome)
        if conflicts:
            happened["conflicts"] += 1
        if stuck:
            assert outcome.conflicts
        elif not conflicts:
            package.versions = set()
        package.versions.add(version)
        package.waiting = {}
        for field in {*package.human, *((one, key) for one in RESOURCES for key in (*KEYS, "d", "e"))}:
            resource_name, key = field
            upstream = upstream_now[resource_name].get(key)
            made = self.made(upstream_now, resource_name, key)
            got = now[resource_name].get(key)
            conflict = field in conflicts.values()
            if field in package.human:
                person = package.human[field]
                assert got == person or (conflict and not stuck), (field, got, person, outcome)
                if stuck:
                    continue
                if got != person:
                    assert got == (made[0] if made else upstream), (field, got, outcome)
                if got != person:
                    package.waiting[field] = person
                if got != person or (got == upstream and not made):
                    package.given_up |= {field} if got != person else set()
                    del package.human[field]  # given up with a conflict, or what upstream says as well
            elif not stuck:
                assert got == (made[0] if made else upstream), (field, got, upstream, made, outcome)
        package.named = [] if stuck or not self.draft(name) else list(outcome.conflicts)
        package.waiting = package.waiting if package.named else {}
        package.killed = False

    # How to find out

    def wanted_of(self, fleet: str) -> list[str]:
        return [
            package
            for name, packages in self.wanted.items()
            if SETS[name][0] == fleet
            for package in packages
        ]

    def files(self, fleet: str) -> dict[str, str]:
        texts = (
            SET.format(name=name, packages=", ".join(packages), revision=self.revision[fleet])
            for name, packages in self.wanted.items()
            if SETS[name][0] == fleet
        )
        return {fleet: "".join(texts)}

    def made(self, upstream: Upstream, name: str, key: str) -> tuple[str | None, ...]:
        """The value that the variant or its pipeline sets, None where it removes the field; () where it leaves it alone."""
        if name == "pack":
            if key == "b" and upstream["pack"].get(key) == MACRO and "macros" in self.pipeline:
                return ("shop",)
            return ("set",) if key == "c" and "presets" in self.pipeline else ()
        if key == "c" and "set-c" in self.pipeline:
            return ("set",)
        return (self.injected.get(key),) if name == "settings" and self.injected else ()

    def draft(self, package: str) -> str:
        found = (
            ref
            for kind in ("proposed", "drafts")
            for ref in self.down.refs
            if ref.startswith(f"refs/heads/{kind}/{package}/")
        )
        return next(found, "")

    def tags(self, package: str) -> list[str]:
        found = [ref for ref in self.down.refs if ref.startswith(f"refs/tags/{package}/v")]
        return sorted(found, key=lambda ref: int(ref.rpartition("/v")[2]))

    def is_behind(self, package: str, draft: str) -> bool:
        """Whether something was published since the draft was made: nobody works on it before the next sync."""
        tags = self.tags(package)
        commits = [self.down.refs[draft]]
        for commit in commits:
            commits += self.down.objects.commit(commit)[1].parents
        return bool(tags) and self.down.refs[tags[-1]] not in commits

    def content(self, package: str) -> dict[str, dict[str, str | None]]:
        """The data of each resource of the newest revision, by the upstream's names."""
        found = self.fields_in(self.draft(package) or self.tags(package)[-1], package)
        for path, text in self.down.files(self.draft(package) or self.tags(package)[-1], package).items():
            name = path.removesuffix(".yaml")
            if name in RESOURCES:
                renamed = "rename" in self.pipeline and name != "pack"
                assert yaml.safe_load(text)["metadata"]["name"] == ("shop-" if renamed else "") + name
        return found

    def fields_in(self, ref: str, package: str) -> dict[str, dict[str, str | None]]:
        files = self.down.files(ref, package)
        return {
            name: fields_of(files[f"{name}.yaml"], name) if f"{name}.yaml" in files else {}
            for name in RESOURCES
        }

    # How people work

    def complete(self) -> None:
        """A sync of any fleet completes what a killed one began, before it looks at the refs."""
        self.down.complete()

    def see(self, package: str, ref: str) -> None:
        """A person looks at a draft, also one whose conflicts were told to nobody, and takes what it says."""
        known = self.packages[package]
        if known.killed:
            known.human = {**known.waiting, **known.human}
            now = self.fields_in(ref, package)
            for (name, key), value in list(known.human.items()):
                if now[name].get(key) != value:
                    known.given_up.add((name, key))
                    del known.human[name, key]
        known.waiting = {}
        known.named = []

    def edit(
        self, branch: str, ref: str, package: str, name: str, key: str, value: str | None, amend: bool = False
    ) -> None:
        """Change one field on a branch as a person does, and let `ref` name that commit."""
        files = self.down.files(branch, package)
        if fields_of(files[f"{name}.yaml"], name).get(key) == value:
            return
        text = with_field(files[f"{name}.yaml"], name, key, value)
        if not text:
            return
        self.see(package, branch)
        files[f"{name}.yaml"] = text
        self.down.refs[ref] = self.down.commit(branch, package, files, amend=amend)
        self.packages[package].human[name, key] = value


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("functions")
    write_functions(folder)
    return folder


def test_histories(functions: Path) -> None:
    """Nobody's change is lost without a conflict that names it, nothing else conflicts, a second sync does nothing."""
    FleetMachine.functions = str(functions)
    happened.clear()
    run_state_machine_as_test(
        FleetMachine,
        settings=settings(
            max_examples=HISTORIES,
            stateful_step_count=20,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            # A history of 20 steps can be read as it is, and to shorten it takes minutes.
            phases=[Phase.generate],
        ),
    )
    print(", ".join(f"{count:,} {what}" for what, count in happened.most_common()))


Step = tuple[str, dict[str, object]]
AUTO, READY, SHOPS = "auto", "ready", "fleet.yaml"
REPLAYED: dict[str, list[Step]] = {
    "a version published from main beside the draft of a killed sync": [
        ("begin", {"pipeline": ["rename"], "published": True}),
        ("sync", {"approve": AUTO, "fleet": SHOPS}),
        ("inject", {"key": "b", "value": "1"}),
        ("killed_sync", {"approve": READY, "fleet": SHOPS, "some": 118}),
        ("killed_completion", {"some": 22}),
        ("edit_published", {"in_main": True, "key": "a", "name": "settings", "package": "north", "value": "4"}),
        ("sync", {"approve": READY, "fleet": SHOPS}),
    ],
    "a version published before a killed sync could publish its own": [
        ("begin", {"pipeline": ["rename"], "published": True}),
        ("edit_published", {"in_main": True, "key": "a", "name": "pack", "package": "north", "value": "3"}),
        ("sync", {"approve": AUTO, "fleet": SHOPS}),
        ("inject", {"key": "b", "value": "3"}),
        ("killed_sync", {"approve": AUTO, "fleet": SHOPS, "some": 114}),
        ("edit_published", {"in_main": False, "key": "b", "name": "pack", "package": "north", "value": "1"}),
        ("killed_completion", {"some": 23}),
        ("sync", {"approve": "never", "fleet": SHOPS}),
    ],
    "an amended draft whose publication was killed halfway": [
        ("begin", {"pipeline": ["rename"], "published": False}),
        ("killed_sync", {"approve": AUTO, "fleet": "other.yaml", "some": 206}),
        ("edit_draft", {"amend": True, "key": "a", "name": "pack", "package": "cafe", "value": None}),
        ("killed_sync", {"approve": "never", "fleet": "other.yaml", "some": 69}),
        ("sync", {"approve": READY, "fleet": "other.yaml"}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", REPLAYED)
def test_a_replayed_history(functions: Path, name: str) -> None:
    """Kills between two refs, after which people go on from what they see."""
    FleetMachine.functions = str(functions)
    machine = FleetMachine()
    for step, given in REPLAYED[name]:
        getattr(machine, step)(**given)
        machine.others_are_as_they_were()
