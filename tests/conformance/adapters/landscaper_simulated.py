"""Executors by themselves, and the records of the reference's simulator."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from krmkit.libraries.schema.fields import entries, mapping
from krmkit.systems.landscaper.apinames import API_VERSION
from krmkit.systems.landscaper.blueprint.blueprints import Blueprint
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components.descriptors import Component, ComponentRepository, decode, defaulted
from krmkit.systems.landscaper.components.schemarefs import SchemaScope
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.exporttemplates import ExportTemplate, exporter, installation_exporter
from krmkit.systems.landscaper.flow.landscape import Landscape
from krmkit.systems.landscaper.flow.outcome import LandscapeOptions, RenderedInstallation
from krmkit.systems.landscaper.items.objects import World
from krmkit.systems.landscaper.templates.executors import Templater
from tests.conformance.adapters.landscaper_real import plain, repository_of, same_error

Record = dict[str, Any]
Verdict = tuple[bool, str]

PHASES = {
    "deploy": "deployExecutions",
    "subinst": "subinstallationExecutions",
    "import": "importExecutions",
    "export": "exportExecutions",
}


def executors(record: Record, folder: Path) -> Verdict:
    """The executors of one phase over given values."""
    kind = record["kind"]
    blueprint = Blueprint({PHASES[kind]: record["executors"]}, Files(record["files"]), [], [])
    component = decode(record["cd"]) if "cd" in record else None
    components = [decode(one) for one in record.get("components", [])]
    templater = Templater(
        blueprint, component, components, ComponentRepository(), dict(record.get("state", {}))
    )
    values = dict(record["values"])
    values["cd"], values["components"] = templater.descriptors()
    expect = record.get("expect")
    try:
        got = run(templater, kind, values, expect or {})
    except InstallationError as error:
        wanted = record.get("expect_error_full") or record.get("expect_error")
        return wanted is not None and same_error(str(wanted), [error]), f"{error.message}, wanted {wanted}"
    if got != expect:
        return False, f"got {got}, wanted {expect}"
    state = record.get("expect_state", {})
    return templater.state == state, f"state {templater.state}, wanted {state}"


def run(templater: Templater, kind: str, values: Record, expect: Record) -> Record:
    """The output in the shape of a record."""
    if kind == "deploy":
        return {"deployItems": templater.deploy_items(values)}
    if kind == "subinst":
        return {"subinstallations": templater.subinstallations(values)}
    if kind == "export":
        return {"exports": templater.exports(values)}
    (executor,) = templater.executors("import")
    output = templater.run("import", executor, values)
    return {key: output.get(key, wanted and None) for key, wanted in expect.items()}


def simulated(record: Record, folder: Path) -> Verdict:
    """A root blueprint with its imports, through the same engine: imports and targets become objects of the root scope."""
    root = record["rootComponent"]
    name, version = root.rsplit(":", 1) if isinstance(root, str) else (root["name"], root["version"])
    repository = Lenient()
    known = repository_of(record)
    repository.components, repository.blobs = known.components, known.blobs
    component = repository.find(name, version)
    objects, imports = root_objects(record["imports"])
    installation: Record = {
        "apiVersion": API_VERSION,
        "kind": "Installation",
        "metadata": {"name": "root", "namespace": "default"},
        "spec": {
            "componentDescriptor": {"ref": {"componentName": name, "version": version}},
            "blueprint": blueprint_of(record, component),
            "imports": imports,
        },
    }
    templates = [
        ExportTemplate(one["name"], kind, one["selector"], one["template"])
        for kind in ("deployItems", "installations")
        for one in record["exportTemplates"].get(kind) or []
    ]
    told = exporter(templates, repository)
    options = LandscapeOptions(
        # The simulator has no mock deployer: exports without a template are empty.
        exporter=lambda rendered, item: told(rendered, item) or {},
        installation_exporter=installation_exporter(templates),
        names=Short(),
        unknown_is_nil=True,
    )
    context: Record = {
        "apiVersion": API_VERSION,
        "kind": "Context",
        "metadata": {"name": "default", "namespace": "default"},
        "repositoryContext": {"type": "x"},
    }
    (found,) = Unchecked(World.of([*objects, installation, context]), repository, options).run()
    tree = {one.path: one for one in found.tree()}
    if "expect_error" in record:
        errors = [error for one in tree.values() for error in one.errors]
        return failed(
            record["expect_error"], tree
        ), f"{[one.message for one in errors]}, wanted {record['expect_error'][:500]!r}"
    return compare(record["expect"], found, tree)


class Lenient(ComponentRepository):
    """The simulator goes on where a component that is referred to is absent."""

    def closure(self, root: Component) -> list[Component]:
        found = [root]
        for reference in root.references:
            key = reference["componentName"], reference["version"]
            if key in self.components and self.components[key] not in found:
                found += self.closure(self.components[key])
        return found


class Short(dict[str, str]):
    """Names of nested installations that are their templates' names, as in the simulator."""

    def get(self, key: str, default: object = None) -> str:
        return key.replace("/", "-")


def root_objects(values: Record) -> tuple[list[Record], Record]:
    """DataObjects and Targets for the root's imports, and the imports."""
    objects: list[Record] = []
    imports: Record = {"data": [], "targets": []}

    def target(name: str, value: Record) -> str:
        metadata = {
            **value.get("metadata", {}),
            "name": value.get("metadata", {}).get("name") or name,
            "namespace": "default",
        }
        objects.append(
            {"apiVersion": API_VERSION, "kind": "Target", "metadata": metadata, "spec": value["spec"]}
        )
        return str(metadata["name"])

    for name, value in values.items():
        if is_target(value):
            imports["targets"].append({"name": name, "target": target(name, value)})
        elif isinstance(value, list) and value and all(map(is_target, value)):
            listed = [target(f"{name}-{index}", one) for index, one in enumerate(value)]
            imports["targets"].append({"name": name, "targets": listed})
        elif isinstance(value, dict) and value and all(map(is_target, value.values())):
            mapped = {key: target(f"{name}-{key}", one) for key, one in value.items()}
            imports["targets"].append({"name": name, "targetMap": mapped})
        else:
            key = f"#data-{name.lower()}"
            metadata = {"name": key[1:], "namespace": "default"}
            objects.append(
                {"apiVersion": API_VERSION, "kind": "DataObject", "metadata": metadata, "data": value}
            )
            imports["data"].append({"name": name, "dataRef": key})
    return objects, imports


def is_target(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("spec"), dict) and "type" in value["spec"]


def blueprint_of(record: Record, component: Component) -> Record:
    if "blueprint" in record:
        return {"inline": {"filesystem": nested(record["blueprint"])}}
    names = [one["name"] for one in component.resources if str(one["type"]).endswith("blueprint")]
    return {"ref": {"resourceName": names[0]}}


def nested(files: dict[str, str]) -> Record:
    """Files by path as an inline file system."""
    found: Record = {}
    for path, content in files.items():
        *folders, name = path.strip("/").split("/")
        folder = found
        for one in folders:
            folder = folder.setdefault(one, {})
        folder[name] = content
    return found


def failed(wanted: str, tree: dict[str, RenderedInstallation]) -> bool:
    """Whether an error of ours has the same text, about the same installation if it names one.

    The simulator has other texts for absent imports, and three known differences, each of which is checked.
    """
    errors = [error for one in tree.values() for error in one.errors]
    place = wanted.rpartition(" for installation ")[2].strip() if " for installation " in wanted else ""
    if wanted.startswith("either target, targets or targetListRef"):
        # It knows no target maps. Ours, and the controller, do: what fails then is an element that the map lacks, or further in.
        below = [
            error for path, one in tree.items() if not path.startswith(f"{place}/") for error in one.errors
        ]
        return has_target_map(tree[place], wanted) and all(lacks_element(error) for error in below)
    if wanted.startswith(("unable to find data import", "unable to find target import")):
        key = wanted.split(" import ")[1].split(" ", maxsplit=1)[0]
        if any(key in error.message for error in errors):
            return True
        return place in tree and (by_another_name(tree, place, key) or pruned(tree, place, key))
    if "exported by multiple" in wanted or "have a cycle" in wanted:
        rule = "cycle" if "have a cycle" in wanted else "duplicate-export"
        told = re.findall(r"'(\S+)' is exported by|(\S+) -\{depends_on\}", wanted)
        return (
            bool(errors)
            and errors[0].rule == rule
            and all(name in errors[0].message for pair in told for name in pair)
        )
    if "invalid imported value: " in wanted:
        head, lines = wanted.split("invalid imported value: ")
        wanted = f"imported datatype does not have the expected schema: {lines}"
        named = re.search(r'": ([\w.-]+): Invalid value: ', head)
        if not errors or not named or f".{named[1]}: " not in errors[0].message:
            return False
        same = [one for one in errors if f".{named[1]}: imported datatype" in one.message]
        ours = [InstallationError(one.rule, one.message.partition(".")[2].partition(": ")[2]) for one in same]
        return same_error(wanted, ours)
    return any(same_error(wanted, [error]) for error in errors)


def has_target_map(rendered: RenderedInstallation, wanted: str) -> bool:
    """Whether the import that the simulator's error names has the shape that it does not know."""
    name = wanted.partition(" for import ")[2].partition(" ")[0]
    targets = {one["name"]: one for one in entries(mapping(rendered.spec["imports"])["targets"])}
    return bool({"targetMap", "targetMapRef"} & targets[name].keys())


def lacks_element(error: InstallationError) -> bool:
    """Whether an error is about an element that an imported map lacks, or follows from one."""
    absent = error.rule == "target-not-found" and re.search(
        r"\(the target \S+\[\S+\] of scope ", error.message
    )
    return bool(absent) or error.rule == "predecessor-failed"


def by_another_name(tree: dict[str, RenderedInstallation], place: str, key: str) -> bool:
    """Whether a sibling exports the key under an export of another name: the simulator looks for the name, ours for dataRef."""
    parent = tree[place.rpartition("/")[0]]
    exported = [
        one for child in parent.children for one in entries(mapping(child.spec.get("exports")).get("data"))
    ]
    named = [one for one in exported if one["dataRef"] == key]
    return bool(named) and all(one["name"] != key for one in named)


def pruned(tree: dict[str, RenderedInstallation], place: str, key: str) -> bool:
    """Whether the key is an optional import of the parent without a value: the controller takes it out (spec 8.2)."""
    parent = tree[place.rpartition("/")[0]]
    known = parent.prerequisites
    optional = {one.name for one, _ in known.blueprint.all_imports() if not one.required} if known else set()
    return key in optional and key not in parent.values


class Unchecked(Landscape):
    """The simulator checks no export against its schema; ours, and the controller, do."""

    def _exports(
        self, rendered: RenderedInstallation, templater: Templater, values: Record, scope: SchemaScope
    ) -> None:
        for one in templater.blueprint.exports:
            if one.type == "data":
                one.schema = {}
        super()._exports(rendered, templater, values, scope)


def compare(expect: Record, root: Any, tree: dict[str, RenderedInstallation]) -> Verdict:
    """A field of a simulator's record, if present."""
    problems = []
    if "dataExports" in expect:
        errors = [error.message for one in tree.values() for error in one.errors]
        if errors:
            return False, str(errors)
        data = {key: value for key, value in root.exports.items() if key not in expect["targetExportTypes"]}
        types = {key: root.exports[key]["type"] for key in expect["targetExportTypes"]}
        problems += differs("data exports", expect["dataExports"], data) + differs(
            "targets", expect["targetExportTypes"], types
        )
        problems += differs("installations", sorted(expect["installations"]), sorted(tree))
        items = [f"{path}/{item.name}" for path, one in tree.items() for item in one.deploy_items]
        problems += differs("deploy items", sorted(expect["deployItems"]), sorted(items))
        for path, values in expect["imports_contains"].items():
            got = {key: tree[path].values.get(key) for key in values}
            problems += differs(f"imports of {path}", values, got)
        for path, state in expect["deployItemState"].items():
            problems += differs(f"state of {path}", state, tree[path].state)
        return not problems, "; ".join(problems)
    problems += differs("order", sorted(expect["order"]), sorted(tree))
    for path, values in expect.get("imports", {}).items():
        got = {key: tree[path].values.get(key) for key in values}
        problems += differs(f"imports of {path}", without_targets(plain(values)), without_targets(plain(got)))
    for path, items in expect.get("deployItems", {}).items():
        named = {
            item.name: item
            for item in tree[path.rpartition("/")[0] if path not in tree else path].deploy_items
        }
        listed = items if isinstance(items, dict) else {one["metadata"]["name"]: one for one in items}
        for name, item in listed.items():
            problems += differs(
                f"config of {path}/{name}", item.get("spec", {}).get("config"), named[name].config
            )
    return not problems, "; ".join(problems[:5])


def without_targets(values: object) -> object:
    """Values without the metadata of targets: those of the simulator have other names."""
    if isinstance(values, dict):
        return {
            key: without_targets(value)
            for key, value in values.items()
            if key not in ("metadata", "apiVersion", "kind")
        }
    return [without_targets(value) for value in values] if isinstance(values, list) else values


def differs(what: str, wanted: object, got: object) -> list[str]:
    return [] if wanted == got else [f"{what}: {got}, wanted {wanted}"]


def rendered(record: Record, folder: Path) -> Verdict:
    """The deploy items of a blueprint with its imports, as the former command `blueprints render` gave them."""
    repository = ComponentRepository()
    component = repository.add(record["componentDescriptor"]) if record.get("componentDescriptor") else None
    objects, imports = root_objects(record["imports"].get("imports", record["imports"]))
    definition = {"inline": {"filesystem": {"blueprint.yaml": record["blueprint"]}}}
    spec: Record = {"blueprint": definition, "imports": imports}
    if component is not None:
        spec["componentDescriptor"] = {"inline": component.original or defaulted(component.descriptor)}
    installation: Record = {
        "apiVersion": API_VERSION,
        "kind": "Installation",
        "metadata": {"name": "root"},
        "spec": spec,
    }
    (found,) = Landscape(World.of([*objects, installation]), repository).run()
    (item,), (wanted,) = found.deploy_items, record["expect_deploy"]["deployItems"]
    config = item.config
    assert isinstance(config, dict)
    # The command gave fewer values than the controller does; the template prints all that there are.
    config, wanted["config"] = without_targets(config), without_targets(wanted["config"])
    assert isinstance(config, dict)
    got = {
        "name": item.name,
        "type": item.type,
        "config": plain({key: config[key] for key in wanted["config"]}),
    }
    return got == {key: wanted[key] for key in got}, f"got {got}, wanted {wanted}"
