"""Whole installations: objects in, objects, phases and errors out, as the controllers gave them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from krmkit.systems.landscaper.apinames import (
    CONTEXT_LABEL,
    ENCOMPASSED_BY_LABEL,
    HASH_ANNOTATION,
    SUBINSTALLATION_NAME_ANNOTATION,
    hashed_name,
)
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components.descriptors import ComponentRepository
from krmkit.systems.landscaper.components.schemarefs import SchemaScope
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.deployitems import DeployItem
from krmkit.systems.landscaper.flow.landscape import Landscape
from krmkit.systems.landscaper.flow.outcome import LandscapeOptions, RenderedInstallation
from krmkit.systems.landscaper.flow.sources import prerequisites
from krmkit.systems.landscaper.items.objects import World
from krmkit.systems.landscaper.templates.executors import Templater, template_values
from tests.conformance.adapters.landscaper_function import through_function

Record = dict[str, Any]
Verdict = tuple[bool, str]

SERVER_FIELDS = ("creationTimestamp", "resourceVersion", "uid", "generation")
"""What the API server writes into objects; templates that print a whole Target show them."""
RUNTIME = ("landscaper.gardener.cloud/touch",)
"""What a controller sets to wake itself up."""
VALUE = re.compile(r'Invalid value: (?:"(?:[^"\\]|\\.)*"|[-\w.+]+|(?:map\[|\[\]).*?\}+): (?=[A-Z\w])')
"""The value in a field error, which ours leave out: it may be a secret."""
VIOLATION = re.compile(r", (?!given: )(?=(?:\(root\)|[\w.-]+): )")
"""What stands between two violations in a list of the reference."""


def repository_of(record: Record) -> ComponentRepository:
    """Components and blobs of a record."""
    repository = ComponentRepository()
    for descriptor in record["components"]:
        repository.add(descriptor)
    for name, files in record["blobs"].items():
        repository.blobs[name] = files[""] if list(files) == [""] else Files(files)
    return repository


def installations(record: Record, folder: Path) -> Verdict:
    """A record of the controllers, through the engine; where all succeeds, through the function, too."""
    expect = record["expect"]
    options = LandscapeOptions(
        deploy_item_exports=record["deployItemExports"], names=recorded_names(expect), unknown_is_nil=True
    )
    landscape = Landscape(World.of(record["objects"]), repository_of(record), options)
    found = [one for root in landscape.run() for one in root.tree()]
    problems = compare_phases(expect["installations"], found)
    made = [item for one in found for item in one.objects]
    wanted = [one["object"] for one in expect["installations"] if "object" in one]
    wanted += [*expect["deployItems"], *expect["dataObjects"], *expect["targets"]]
    problems += compare_objects(wanted, made)
    problems += compare_state(expect["stateSecrets"], found)
    if not problems and all(one["phase"] == "Succeeded" for one in expect["installations"]):
        made, problems = through_function(record, options.names)
        problems += compare_objects([one for one in map(ownerless, wanted) if not empty_execution(one)], made)
    return not problems, "; ".join(problems[:6])


def empty_execution(one: Record) -> bool:
    """Whether this is the DataObject of an execution without exports: for the function they are unknown."""
    context = one["metadata"].get("labels", {}).get(CONTEXT_LABEL, "")
    return context.startswith("Exec.") and not any(one["data"].values())


def recorded_names(expect: Record) -> dict[str, str]:
    """The names of nested installations by path: the API server's random part is in the record."""
    nested = {one["name"]: one["object"]["metadata"] for one in expect["installations"] if "object" in one}

    def path(name: str) -> str:
        metadata = nested.get(name)
        if metadata is None:
            return name
        parent = path(metadata["labels"][ENCOMPASSED_BY_LABEL])
        return f"{parent}/{metadata['annotations'][SUBINSTALLATION_NAME_ANNOTATION]}"

    return {path(name): name for name in nested}


def compare_phases(wanted: list[Record], found: list[RenderedInstallation]) -> list[str]:
    """Phases, and the inner text of errors."""
    problems = []
    known = {one.name: one for one in found}
    for one in wanted:
        rendered = known.get(one["name"])
        if rendered is None:
            problems.append(f"installation {one['name']} was not rendered")
            continue
        messages = [error.message for error in rendered.errors]
        if rendered.phase != one["phase"]:
            problems.append(
                f"{one['name']} is {rendered.phase}, wanted {one['phase']}: {messages or one.get('lastError')}"
            )
        elif "lastError" in one and not same_error(one["lastError"]["message"], rendered.errors):
            problems.append(f"{one['name']} says {messages}, wanted {one['lastError']['message'][:500]!r}")
    return problems


def same_error(wanted: str, errors: list[InstallationError]) -> bool:
    """Whether the first of our errors has the reference's text without its wrapping; ours also names the others.

    Left out are values (they may be secrets) and hints behind a semicolon. Two texts are other ones: a cycle of nested
    installations is named here, where the controller makes none, and fails on an export that is then without a value; and
    an artifact in a registry that is no blueprint is an artifact that is not among the items.
    """
    if not errors:
        return False
    if errors[0].message.startswith("the subinstallations have a cycle: "):
        return 'template "export execution" contains fields with "no value"' in wanted
    if "is not among the items" in errors[0].message:
        return "artifact does not match blueprint downloader" in wanted
    said = VALUE.sub("", wanted)
    ours = errors[0].message.partition(" (the target ")[0]
    if "unresolved nodes" in ours:
        lines = {line.partition("; did you mean")[0].strip() for line in ours.split("\n")[1:]}
        return bool(lines) and lines <= set(map(str.strip, said.split("\n")))
    for same in (
        'contains fields with "no value"',
        "file does not exist",
        "error converting YAML to JSON: yaml: ",
    ):
        if same in ours:
            return ours[: ours.index(same)] + same in said
    if "needs a cluster" in ours:
        return ours[: ours.index(": error calling")] in said
    ours = ours.partition("; ")[0]
    for part in ("does not have the expected schema: ", "does not satisfy the configured schema: "):
        if part in ours:
            head, _, tail = ours.partition(part)
            if tail.endswith(")") and " (export " in tail:
                return head + part + tail.rpartition(" (export ")[0] in said
            tails = [
                error.message[len(head + part) :] for error in errors if error.message.startswith(head + part)
            ]
            tails = list(dict.fromkeys(tails))
            # Every violation of the value, in any order: that of the reference is by chance.
            _, there, listed = said.partition(head + part)
            if listed.startswith("["):
                return sorted(tails) == sorted(
                    VIOLATION.split(listed.strip().removeprefix("[").removesuffix("]"))
                )
            return bool(there) and len(tails) == 1 and listed.startswith(tails[0])
    return ours in said


def compare_objects(wanted: list[Record], made: list[Record]) -> list[str]:
    """The same objects by kind and name, apart from what the API server writes."""
    expected = {(one["kind"], one["metadata"]["name"]): plain(one) for one in wanted}
    got = {(one["kind"], one["metadata"]["name"]): plain(one) for one in made}
    problems = [f"missing {' '.join(key)}" for key in expected.keys() - got.keys()]
    problems += [f"not expected: {' '.join(key)}" for key in got.keys() - expected.keys()]
    for key in sorted(expected.keys() & got.keys()):
        if expected[key] != got[key]:
            problems.append(f"{' '.join(key)}: {difference(expected[key], got[key])}")
    return problems


def plain(value: object) -> object:
    """Without what the API server writes, and without the owner of deploy items, which are made by an Execution."""
    if isinstance(value, dict):
        found = {key: plain(item) for key, item in value.items()}
        metadata = found.get("metadata")
        if isinstance(metadata, dict):
            for name in SERVER_FIELDS:
                metadata.pop(name, None)
            for annotation in RUNTIME:
                metadata.get("annotations", {}).pop(annotation, None)
            if found.get("kind") == "DeployItem":
                metadata.pop("ownerReferences", None)
        return found
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def difference(wanted: object, got: object, path: str = "") -> str:
    """Where two values differ first."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in sorted(wanted.keys() | got.keys()):
            if key not in got:
                return f"{path}.{key} is missing, wanted {json.dumps(wanted[key])[:200]}"
            if key not in wanted:
                return f"{path}.{key} is not expected: {json.dumps(got[key])[:200]}"
            if wanted[key] != got[key]:
                return difference(wanted[key], got[key], f"{path}.{key}")
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, (one, other) in enumerate(zip(wanted, got, strict=True)):
            if one != other:
                return difference(one, other, f"{path}[{index}]")
    return f"{path} is {json.dumps(got)[:200]}, wanted {json.dumps(wanted)[:200]}"


def compare_state(wanted: list[Record], found: Iterable[RenderedInstallation]) -> list[str]:
    """The state of executors, by the names of the controller's Secrets."""
    import yaml

    got = {hashed_name(f"{one.name}/{key}"): value for one in found for key, value in one.state.items()}
    expected = {one["metadata"]["name"]: yaml.safe_load(one["data"]["config"]) for one in wanted}
    return [] if got == expected else [f"state {got}, wanted {expected}"]


class Fixture(Landscape):
    """One installation as the fixtures have it: only its first phases, or only its exports."""

    mode = ""

    def _exports(
        self, rendered: RenderedInstallation, templater: Templater, values: Record, scope: SchemaScope
    ) -> None:
        if self.mode != "render":
            super()._exports(rendered, templater, values, scope)

    def _children(self, rendered: RenderedInstallation, made: list[Record], depth: int) -> None:
        pass

    def only_exports(self, rendered: RenderedInstallation, told: dict[str, Record]) -> None:
        known = prerequisites(self.world, self.repository, rendered.installation)
        rendered.deploy_items = [DeployItem(name, "mock", {"export": value}) for name, value in told.items()]
        scope = SchemaScope(
            known.blueprint.local_types, known.blueprint.files, known.component, self.repository
        )
        templater = Templater(known.blueprint, known.component, known.closure, self.repository)
        self._exports(rendered, templater, template_values(templater, {}, rendered.spec), scope)


def scenarios(record: Record, folder: Path) -> Verdict:
    """One installation of a set of objects, as the fixtures of the reference have them."""
    landscape = Fixture(
        World.of(record["objects"]),
        repository_of(record),
        LandscapeOptions(names=Templates(), unknown_is_nil=True),
    )
    landscape.mode = record["mode"]
    (installation,) = [
        one for one in landscape.world.of_kind("Installation") if meta(one)["name"] == record["installation"]
    ]
    if record["mode"] == "export_only":
        found = RenderedInstallation(installation, record["installation"])
        landscape.options.deploy_item_exports = record.get("deployItemExports", {})
        landscape.only_exports(found, record.get("deployItemExports", {}))
    else:
        found = landscape.render(installation, record["installation"], [])
    wanted = record.get("expect_error")
    if wanted is not None:
        if not found.errors:
            return False, f"no error, wanted {wanted}"
        error = found.errors[0]
        rule = "".join(
            f"-{letter.lower()}" if letter.isupper() else letter for letter in wanted["class"]
        ).lstrip("-")
        return error.rule == rule and wanted[
            "message_contains"
        ] in error.message, f"{error.rule}: {error.message}"
    if found.errors:
        return False, f"{[(one.rule, one.message) for one in found.errors]}"
    return compare_scenario(record["expect"], found)


class Templates(dict[str, str]):
    """Names of nested installations that are their templates' names."""

    def get(self, key: str, default: object = None) -> str:
        return key.rpartition("/")[2]


def compare_scenario(expect: Record, found: Any) -> Verdict:
    """The entries of a scenario."""
    imports = expect["imports"]
    problems = (
        []
        if plain(imports) == plain(found.values) or not found.values
        else [difference(plain(imports), plain(found.values), "imports")]
    )
    items = [item_data(item) for item in found.deploy_items if expect.get("deployItems")]
    if items != expect["deployItems"]:
        problems.append(difference(expect["deployItems"], items, "deployItems"))
    copies = [
        one
        for one in found.objects
        if meta(one)["labels"].get("data.landscaper.gardener.cloud/sourceType") == "import"
    ]
    problems += compare_objects(expect["scopedImports"], [bare(one) for one in copies])
    nested = [one for one in found.objects if one["kind"] == "Installation"]
    for one, other in zip(expect["subinstallations"], nested, strict=True):
        spec = {key: value for key, value in other["spec"].items() if value or key in one["spec"]}
        if plain(one["spec"]) != plain(spec):
            problems.append(difference(one["spec"], spec, f"subinstallation {one['name']}"))
    if "exports" in expect:
        if found.exports != expect["exports"]:
            problems.append(difference(expect["exports"], found.exports, "exports"))
        problems += compare_objects(expect["exportedObjects"], [bare(one) for one in found.exported])
    return not problems, "; ".join(problems[:5])


def item_data(item: DeployItem) -> Record:
    """A deploy item as scenarios write it."""
    data: Record = {
        "name": item.name,
        "type": item.type,
        "config": item.config,
        "dependsOn": item.depends_on,
        "labels": item.labels,
    }
    if item.target:
        data["target"] = item.target
    return {**data, **item.options}


def meta(item: Any) -> Record:
    """metadata of an object."""
    found: Record = item["metadata"]
    return found


def ownerless(one: Record) -> Record:
    """The object without its owner."""
    metadata = {key: value for key, value in one["metadata"].items() if key != "ownerReferences"}
    return {**one, "metadata": metadata}


def bare(one: Record) -> Record:
    """The object without its owner, and a Target without its hash: scenarios leave both out."""
    found = ownerless(one)
    if one["kind"] == "Target" and list(found["metadata"]["annotations"]) == [HASH_ANNOTATION]:
        del found["metadata"]["annotations"]
    return found
