"""Find the effects of a ClusterClass's variables, and the variables that every Cluster must set."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from krmkit.krm.finding import ERROR
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import entries, find, mapping, sequence
from krmkit.libraries.yaml import emit
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject, Key
from krmkit.systems.clusterapi.api.labels import API_VERSION
from krmkit.systems.clusterapi.api.roles import WORKER_KINDS
from krmkit.systems.clusterapi.desired.topologies import Topologies, TopologyOptions
from krmkit.systems.clusterapi.hooks.extensionitems import package_extensions
from krmkit.systems.clusterapi.patches.causes import references

_ABSENT = re.compile(r'variable "([^"]+)" does not exist|required variable "([^"]+)" must be set')
_VERSION = "v1.34.0"
_MOST = 1000
_NETWORK = {
    "pods": {"cidrBlocks": ["192.168.0.0/16"]},
    "services": {"cidrBlocks": ["10.128.0.0/12"]},
    "serviceDomain": "cluster.local",
}


@dataclass(slots=True)
class ClassVariable:
    """A variable. `acts`: kind of template, group, field and patch. `needed`: every Cluster must set it."""

    name: str
    schema: Object
    required: bool
    needed: bool = False
    acts: list[tuple[str, str, str, str]] = field(default_factory=list)


@dataclass(slots=True)
class ClassTable:
    """The variables of a class, a minimal Cluster of it, and why that cannot be rendered, or ""."""

    variables: list[ClassVariable]
    cluster: Object
    problem: str = ""

    def text(self) -> str:
        """Return the Cluster as YAML, with the variables' schemas as comments."""
        said = {one.name: str(one.schema.get("description", "")) for one in self.variables}
        lines = []
        for line in emit.document(self.cluster).splitlines():
            match = re.match(r"( *)- name: (\S+)$", line)
            text = said.get(match[2], "") if match else ""
            lines += [f"{match[1]}# {one}" for one in text.splitlines() if match and one]
            lines.append(line)
        return "\n".join(lines) + "\n"

    def data(self, name: str) -> Object:
        """Return the table as JSON. name: `namespace/name` of the class."""
        keys = ("kind", "group", "field", "patch")
        variables = [
            {
                "name": one.name,
                "schema": one.schema,
                "required": one.required,
                "needed": one.needed or one.required,
                "acts": [dict(zip(keys, act, strict=True)) for act in one.acts],
            }
            for one in self.variables
        ]
        return {"class": name, "variables": variables, "problem": self.problem}


def class_tables(collected: Collected) -> list[Object]:
    """Return the tables of all classes with variables, as JSON."""
    tables = {key: class_table(collected, key, "example") for key in collected.classes}
    return [table.data("/".join(key)) for key, table in tables.items() if table.variables]


def class_table(collected: Collected, key: Key, name: str) -> ClassTable:
    """Return a class's table, with a minimal Cluster of a name. Raises KeyError if there is no such class."""
    extensions, _ = package_extensions(collected)
    cluster = _minimal(key, name)
    options = TopologyOptions(feature_gates={"RuntimeSDK": True, "MachineTaintPropagation": True})
    needed: list[str] = []
    found: dict[str, ClassVariable] = {}
    problem = ""
    spec: Object = {}
    while True:
        package = replace(collected, clusters=[CollectedObject(Resource(emit.document(cluster)), cluster)])
        topologies = Topologies(package, options, extensions)
        work = topologies.class_work(key)
        if work is None:
            raise KeyError(key)
        if not found:
            spec = mapping(work.decoded.data, "spec")
            found = {
                one.name: one for one in map(_variable, work.variables or entries(spec.get("variables")))
            }
            _add_workers(cluster, spec)
        one = topologies.render(topologies.managed()[0])
        texts = [each.message for each in topologies.findings if each.severity == ERROR]
        problem = "" if one is not None else "; ".join(dict.fromkeys(texts))
        missing = [names[0] or names[1] for names in _ABSENT.findall(problem)]
        new = [
            each
            for each in dict.fromkeys(part.partition(".")[0] for part in missing)
            if each in found and each not in needed
        ]
        if not new:
            break
        needed += new
        values = cluster["spec"]["topology"].setdefault("variables", [])
        values += [{"name": each, "value": sample(found[each].schema)} for each in new]
    for each in needed:
        found[each].needed = True
    for patch in entries(spec.get("patches")):
        handler = str(find(patch, ("external", "generatePatchesExtension"), ""))
        for acting in (patch, *extensions.patches_of(handler)):
            _add_acts(found, acting)
    return ClassTable(list(found.values()), cluster, problem)


def _variable(data: Object) -> ClassVariable:
    definition = data
    if "definitions" in data:
        definition = next(iter(entries(data.get("definitions"))), {})
    schema = mapping(definition, "schema", "openAPIV3Schema")
    return ClassVariable(str(data.get("name", "")), schema, definition.get("required") is True)


def _minimal(key: Key, name: str) -> Object:
    reference = {"name": key[1], "namespace": key[0]}
    topology: Object = {"classRef": reference, "version": _VERSION, "controlPlane": {"replicas": 1}}
    return {
        "apiVersion": API_VERSION,
        "kind": "Cluster",
        "metadata": {"name": name, "namespace": key[0]},
        "spec": {"clusterNetwork": _NETWORK, "topology": topology},
    }


def _add_workers(cluster: Object, spec: Object) -> None:
    """Give a Cluster one group of each worker class, and a version that the class allows."""
    topology = cluster["spec"]["topology"]
    topology["version"] = next(iter(sequence(spec.get("kubernetesVersions"))), _VERSION)
    for kind in WORKER_KINDS:
        groups = [
            {"class": one.get("class", ""), "name": f"group-{number}", "replicas": 1}
            for number, one in enumerate(entries(find(spec, ("workers", kind.listing))))
        ]
        if groups:
            topology.setdefault("workers", {})[kind.listing] = groups


def _add_acts(variables: dict[str, ClassVariable], patch: Object) -> None:
    """Record a patch's effects on each variable."""
    for definition in entries(patch.get("definitions")):
        selector = mapping(definition, "selector")
        for change in entries(definition.get("jsonPatches")):
            path = str(change.get("path", "")).removeprefix("/spec/template/spec/").replace("/", ".")
            names = {one.partition(".")[0] for one in references(change, patch.get("enabledIf"))}
            for name in names & variables.keys():
                act = (str(selector.get("kind", "")), _group(selector), path, str(patch.get("name", "")))
                if act not in variables[name].acts:
                    variables[name].acts.append(act)


def _group(selector: Object) -> str:
    """Return the parts of a Cluster whose templates a selector matches: `controlPlane, workers small`."""
    resources = mapping(selector, "matchResources")
    groups = [one for one in ("infrastructureCluster", "controlPlane") if resources.get(one)]
    for words, name in (("workers", "machineDeploymentClass"), ("pools", "machinePoolClass")):
        classes = sequence(find(resources, (name, "names")))
        groups += [f"{words} {' '.join(map(str, classes))}"] if classes else []
    return ", ".join(groups)


def sample(schema: Object) -> Any:
    """Return a value that a schema accepts: its default, its example, or the least of its type."""
    for name in ("default", "example"):
        if name in schema:
            return schema[name]
    values = sequence(schema.get("enum"))
    if values:
        return values[0]
    kind = schema.get("type")
    if kind == "object":
        properties = mapping(schema, "properties")
        return {one: sample(mapping(properties, one)) for one in sequence(schema.get("required"))}
    if kind == "array":
        return [sample(mapping(schema, "items")) for _ in range(_least(schema, "minItems", 0))]
    if kind in ("integer", "number"):
        least = schema.get("minimum", min(1, schema.get("maximum", 1)))
        return least + 1 if schema.get("exclusiveMinimum") is True else least
    return False if kind == "boolean" else "x" * max(1, _least(schema, "minLength", 1))


def _least(schema: Object, name: str, default: int) -> int:
    """Return a lower limit of a schema, capped for use in an example."""
    value = schema.get(name)
    return min(value, _MOST) if isinstance(value, int) else default
