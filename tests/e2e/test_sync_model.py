"""Random histories of a fleet beside a plain model of them: nobody's change is lost in silence, and nothing else conflicts.

The model knows, of each package, what upstream says, what people wrote and what the pipeline sets. A package has the people's values, else
the pipeline's, else the upstream's; where two of them disagree, a conflict names the field. KRMKIT_HISTORIES sets how many are tried.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from krmkit.fleet.sync.outcome import SyncOutcome
from tests.unit.fleet.sync.memorygit import Fleet, MemoryRepository

HISTORIES = int(os.environ.get("KRMKIT_HISTORIES", "40"))
MARK = "internal.kpt.dev/upstream-identifier"

FUNCTION = """\
name: {name}
kind: {kind}
summary: {name}
description: For a test.
tags: [mutator]
idempotent: true
touches: all
rules: {{}}
runtime:
  requires: []
schema:
  type: object
  properties: {{}}
"""
PROGRAMS = {
    # Renames what has not its name yet, as a prefix does; a second run changes nothing.
    "rename": 'if not item.name.startswith("shop-"):\n            item.set(("metadata", "name"), "shop-" + item.name)',
    "move": 'item.set(("metadata", "namespace"), "shops")',
    "set-c": 'if item.get("data", "c") != "set":\n            item.set(("data", "c"), "set")',
}
MAIN = """\
from krmkit.fn import Config, ResourceList, Results


def process(resources: ResourceList, config: Config, results: Results) -> None:
    for item in resources.items:
        if item.kind != "ConfigMap" or item.name == "pack" or "kptfile" in item.name:
            continue
        {body}
"""
VARIANT = """\
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {{name: {name}, namespace: default}}
spec:
  upstream: {{repo: up, package: web, revision: {revision}}}
  downstream: {{repo: down, package: {name}}}
  injectors: [{{kind: ConfigMap, name: settings}}]
"""
RESOURCES = ("app", "cache", "settings", "pack")
OWN = ("presets", "macros")  # functions of the catalog, for the pack's values
MACRO = "{{ .spectro.system.cluster.name }}"
PACK = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: pack
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  pack.json: |
    {"name": "pack", "displayName": "Pack", "layer": "addon", "version": "1.0.0", "cloudTypes": ["all"]}
  presets.yaml: |
    presets:
      - name: small
        displayName: Small
        group: Size
        remove: []
        add: |
          c: 'set'
  values.yaml: |
    # what people may change
"""
MACROS = """\
apiVersion: krmkit.dev/v1alpha1
kind: ResolveMacros
metadata:
  name: tool-macros
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  system: {cluster.name: shop}
"""
_CONFLICT = re.compile(r'(\w+)\.yaml(?::\d+:\d+)? data\.(?:"values\.yaml"\.)?(\w+): ')
KEYS = ("a", "b", "c")
NAMES = ("north", "south")
values = st.sampled_from(["1", "2", "3", "4"])
Fields = dict[tuple[str, str], str | None]


def resource(name: str, data: dict[str, str]) -> str:
    notes = "  annotations:\n    kpt.dev/config-injection: optional\n" if name == "settings" else ""
    if name == "pack":
        return PACK + "".join(f"    {key}: '{value}' # {key} of {name}\n" for key, value in data.items())
    lines = "".join(f"  {key}: '{value}' # {key} of {name}\n" for key, value in data.items())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{notes}data:\n{lines}"


def fields_of(text: str, name: str) -> dict[str, str | None]:
    """The fields of a resource's text; of the pack, those in its values."""
    data = yaml.safe_load(text)["data"] or {}
    return (yaml.safe_load(data["values.yaml"]) or {}) if name == "pack" else data


class Package:
    """What the model knows of one downstream package.

    `human` are the fields that people wrote, None for one that they removed; `given_up` those that gave way in a conflict. `named` are conflicts that wait for a person; `version` is
    the upstream's that was merged last.
    """

    def __init__(self) -> None:
        self.human: Fields = {}
        self.given_up: set[tuple[str, str]] = set()
        self.named: list[str] = []
        self.version = 0


class FleetMachine(RuleBasedStateMachine):
    functions = ""  # the folder of the functions; set by the test

    @initialize(pipeline=st.lists(st.sampled_from(sorted([*PROGRAMS, *OWN])), unique=True, max_size=4))
    def begin(self, pipeline: list[str]) -> None:
        self.pipeline = pipeline
        self.up, self.down = MemoryRepository(), MemoryRepository()
        self.fleet = Fleet({"up": self.up, "down": self.down}, (self.functions,))
        self.versions: list[dict[str, dict[str, str]]] = []
        self.packages: dict[str, Package] = {}
        self.injected: dict[str, str] = {}
        self.wanted: list[str] = [NAMES[0]]
        self.revision = 1
        self.down.refs["refs/heads/drafts/other/mine"] = self.down.commit("refs/heads/x", "other", {"a": "b"})
        self.others = dict(self.down.refs)
        first = {name: dict.fromkeys(KEYS, "0") for name in RESOURCES}
        first["pack"]["b"] = MACRO
        self.publish_upstream(first)
        self.run("never")

    def publish_upstream(self, resources: dict[str, dict[str, str]]) -> None:
        own: dict[str, dict[str, Any]] = {
            "presets": {"image": "example.com/apply-presets", "configMap": {"pack": "small"}},
            "macros": {"image": "example.com/resolve-macros", "configPath": "tool-macros.yaml"},
        }
        mutators = [own.get(name, {"image": f"example.com/{name}"}) for name in self.pipeline]
        kptfile: dict[str, Any] = {"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": "web"}}
        if mutators:
            kptfile["pipeline"] = {"mutators": mutators}
        files = {f"{name}.yaml": resource(name, data) for name, data in resources.items()}
        files["tool-macros.yaml"] = MACROS
        self.up.commit("refs/heads/main", "web", {"Kptfile": yaml.safe_dump(kptfile), **files})
        self.versions.append(resources)
        self.up.refs[f"refs/tags/web/v{len(self.versions)}"] = self.up.refs["refs/heads/main"]

    # What happens

    @rule(name=st.sampled_from(RESOURCES), key=st.sampled_from([*KEYS, "d"]), value=values)
    def upstream_changes(self, name: str, key: str, value: str) -> None:
        now = {one: dict(data) for one, data in self.versions[-1].items()}
        now[name][key] = value
        self.publish_upstream(now)

    @rule()
    def follow(self) -> None:
        self.revision = len(self.versions)

    @rule(key=st.sampled_from(KEYS), value=values)
    def inject(self, key: str, value: str) -> None:
        """The object that `settings` gets changes."""
        self.injected = {**self.injected, key: value}
        self.fleet.objects = resource("settings", self.injected).replace(
            "  annotations:\n    kpt.dev/config-injection: optional\n", ""
        )

    @rule(package=st.sampled_from(NAMES), name=st.sampled_from(RESOURCES), key=st.sampled_from([*KEYS, "e"]),
          value=st.one_of(values, st.none()))  # fmt: skip
    def edit_draft(self, package: str, name: str, key: str, value: str | None) -> None:
        """A person writes or removes a field in a draft."""
        ref = self.draft(package)
        if ref:
            self.edit(ref, ref, package, name, key, value)

    @rule(
        package=st.sampled_from(NAMES),
        name=st.sampled_from(RESOURCES),
        key=st.sampled_from(KEYS),
        value=values,
    )
    def edit_published(self, package: str, name: str, key: str, value: str) -> None:
        """A person publishes a change of what is published, without a draft."""
        tags = self.tags(package)
        if tags and not self.draft(package):
            branch = "refs/heads/work"
            self.down.refs[branch] = self.down.refs[tags[-1]]
            self.edit(branch, f"refs/tags/{package}/v{len(tags) + 1}", package, name, key, value)
            self.down.refs.pop(branch, None)

    @rule(package=st.sampled_from(NAMES))
    def look_at_draft(self, package: str) -> None:
        """A person agrees with what a draft says."""
        ref = self.draft(package)
        if ref:
            self.down.commit(ref, package, self.down.files(ref, package))
            self.packages[package].named.clear()

    @rule(package=st.sampled_from(NAMES))
    def propose(self, package: str) -> None:
        ref = self.draft(package)
        if "/drafts/" in ref:
            self.down.refs[ref.replace("/drafts/", "/proposed/")] = self.down.refs.pop(ref)

    @rule(names=st.lists(st.sampled_from(NAMES), unique=True, min_size=1))
    def choose(self, names: list[str]) -> None:
        """The file gets other variants. What it lost stays, until somebody prunes."""
        self.wanted = names

    @rule(approve=st.sampled_from(["never", "never", "ready", "auto"]))
    def sync(self, approve: str) -> None:
        self.run(approve)

    @rule()
    def killed_sync(self) -> None:
        before = dict(self.down.refs)
        self.fleet.sync(self.files(), killed=lambda name: name == "down")
        assert self.down.refs == before

    @rule()
    def prune(self) -> None:
        """Drafts of variants that are gone go; what is published stays."""
        gone = [name for name in self.packages if name not in self.wanted]
        tags = {name: self.tags(name) for name in gone}
        sync = self.fleet.sync(self.files(), prune=True)
        self.check(sync.outcomes)
        for name in gone:
            assert not self.draft(name) and self.tags(name) == tags[name]
            del self.packages[name]
            for ref in [
                ref for ref in self.down.refs if f"/{name}/" in ref and not ref.startswith("refs/krmkit")
            ]:
                del self.down.refs[ref]  # a person approves the deletion

    # What must be so

    @invariant()
    def others_are_as_they_were(self) -> None:
        if hasattr(self, "others"):
            assert self.others.items() <= self.down.refs.items()

    def run(self, approve: str) -> None:
        sync = self.fleet.sync(self.files(), approve=approve)
        self.check(sync.outcomes)
        before = dict(self.down.refs)
        again = self.fleet.sync(self.files(), approve=approve)
        assert self.down.refs == before, [one.actions for one in again.outcomes]
        assert not any(one.actions for one in again.outcomes)

    def check(self, outcomes: list[SyncOutcome]) -> None:
        for outcome in outcomes:
            if outcome.name == "-":
                assert not outcome.error, outcome
                continue
            name = outcome.name.rpartition("/")[2]
            self.check_package(name, outcome, self.packages.setdefault(name, Package()))

    def check_package(self, name: str, outcome: SyncOutcome, package: Package) -> None:
        assert not outcome.error, outcome.error
        now, stuck = self.content(name), outcome.stuck
        before = self.versions[(package.version or self.revision) - 1]
        conflicts = {text: self.field_of(text) for text in outcome.conflicts}
        for text, (resource_name, key) in conflicts.items():
            moved = before[resource_name].get(key) != self.versions[self.revision - 1][resource_name].get(key)
            written = {*package.human, *package.given_up}
            two = (resource_name, key) in written and (moved or self.set_by_pipeline(resource_name, key))
            assert two or text in package.named, (text, outcome)
        if stuck:
            assert outcome.conflicts
        else:
            package.version = self.revision
        for field in {*package.human, *((one, key) for one in RESOURCES for key in (*KEYS, "d", "e"))}:
            resource_name, key = field
            upstream = self.versions[self.revision - 1][resource_name].get(key)
            made = self.set_by_pipeline(resource_name, key)
            got = now[resource_name].get(key)
            conflict = field in conflicts.values()
            if field in package.human:
                person = package.human[field]
                assert got == person or (conflict and not stuck), (field, got, person, outcome)
                if stuck:
                    continue
                if got != person:
                    assert got == (made[0] if made else upstream), (field, got, outcome)
                if got != person or (got == upstream and not made):
                    package.given_up |= {field} if got != person else set()
                    del package.human[field]  # given up with a conflict, or what upstream says as well
            elif not stuck:
                assert got == (made[0] if made else upstream), (field, got, upstream, made, outcome)
        package.named = [] if stuck or not self.draft(name) else list(outcome.conflicts)

    # How to find out

    def files(self) -> dict[str, str]:
        texts = (VARIANT.format(name=name, revision=self.revision) for name in self.wanted)
        return {"fleet.yaml": "".join(texts)}

    def field_of(self, conflict: str) -> tuple[str, str]:
        """The resource and the key that a conflict names."""
        found = _CONFLICT.match(conflict)
        assert found is not None, conflict
        return found[1], found[2]

    def set_by_pipeline(self, name: str, key: str) -> tuple[str | None, ...]:
        """The value that the variant or its pipeline sets, None where it removes the field; () where it leaves it alone."""
        if name == "pack":
            upstream = self.versions[self.revision - 1]["pack"].get(key)
            if key == "b" and upstream == MACRO and "macros" in self.pipeline:
                return ("shop",)
            return ("set",) if key == "c" and "presets" in self.pipeline else ()
        if key == "c" and "set-c" in self.pipeline:
            return ("set",)
        return (self.injected.get(key),) if name == "settings" and self.injected else ()

    def draft(self, package: str) -> str:
        kinds = ("proposed", "drafts")
        return next(
            (
                ref
                for kind in kinds
                for ref in self.down.refs
                if ref.startswith(f"refs/heads/{kind}/{package}/")
            ),
            "",
        )

    def tags(self, package: str) -> list[str]:
        found = [ref for ref in self.down.refs if ref.startswith(f"refs/tags/{package}/v")]
        return sorted(found, key=lambda ref: int(ref.rpartition("/v")[2]))

    def content(self, package: str) -> dict[str, dict[str, str | None]]:
        """The data of each resource of the newest revision, by the upstream's names."""
        ref = self.draft(package) or self.tags(package)[-1]
        found: dict[str, dict[str, str | None]] = {name: {} for name in RESOURCES}
        for path, text in self.down.files(ref, package).items():
            name = path.removesuffix(".yaml")
            if name in found:
                one = yaml.safe_load(text)
                renamed = "rename" in self.pipeline and name != "pack"
                assert one["metadata"]["name"] == ("shop-" if renamed else "") + name
                found[name] = fields_of(text, name)
        return found

    def edit(self, branch: str, ref: str, package: str, name: str, key: str, value: str | None) -> None:
        """Change one field on a branch as a person does, and let `ref` name that commit."""
        files = self.down.files(branch, package)
        blanks = "    " if name == "pack" else "  "
        old = files[f"{name}.yaml"]
        if fields_of(old, name).get(key) == value:
            return
        lines = [line for line in old.splitlines() if not line.startswith(f"{blanks}{key}: ")]
        if value is not None:
            lines.append(f"{blanks}{key}: '{value}'")
        text = "".join(f"{line}\n" for line in lines)
        if not fields_of(text, name):
            return
        files[f"{name}.yaml"] = text
        self.down.refs[ref] = self.down.commit(branch, package, files)
        known = self.packages[package]
        known.human[name, key] = value
        if ref == branch:
            known.named.clear()


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("functions")
    for name, body in PROGRAMS.items():
        (folder / name).mkdir()
        kind = name.title().replace("-", "")
        (folder / name / "function.yaml").write_text(FUNCTION.format(name=name, kind=kind), encoding="utf-8")
        (folder / name / "main.py").write_text(MAIN.format(body=body), encoding="utf-8")
    return folder


def test_histories(functions: Path) -> None:
    """Nobody's change is lost without a conflict that names it, nothing else conflicts, a second sync does nothing."""
    FleetMachine.functions = str(functions)
    run_state_machine_as_test(
        FleetMachine,
        settings=settings(
            max_examples=HISTORIES,
            stateful_step_count=20,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            phases=[
                Phase.generate
            ],  # a history of 20 steps can be read as it is, and to shorten it takes minutes
        ),
    )
