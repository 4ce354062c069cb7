"""Choose the pipeline that fits the resources of a folder, for `krmkit init`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from krmkit.fn.definition import GROUP_VERSION
from krmkit.krm.annotations import LOCAL_CONFIG
from krmkit.krm.finding import ERROR
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.render.findings.pipelineorder import RIGHT_ORDER
from krmkit.systems.palette.packs.items import Packs, place
from krmkit.systems.palette.presets.catalog import PresetCatalog

MUTATORS, VALIDATORS = "mutators", "validators"
_MOST_PRESETS = 20  # of a pack
_CAPI = "cluster.x-k8s.io/"
_RENDER = "render-cluster-topology"
_LANDSCAPER = "landscaper.gardener.cloud/"


@dataclass(slots=True)
class FittingFunction:
    """A function that fits: its stage, its name, and the kind, the file and the spec of its config.

    `choices`: commented entries for the last list of the spec, from which a person chooses.
    """

    stage: str
    name: str
    kind: str
    file: str
    spec: dict[str, Any] = field(default_factory=dict)
    choices: list[str] = field(default_factory=list)

    def config(self) -> str:
        text = emit.document(
            {
                "apiVersion": GROUP_VERSION,
                "kind": self.kind,
                "metadata": {"name": self.file.removesuffix(".yaml"), "annotations": {LOCAL_CONFIG: "true"}},
                "spec": self.spec,
            }
        )
        if not self.choices:
            return text
        return text.removesuffix(" []\n") + "".join(f"\n  # {choice}" for choice in self.choices) + "\n"


def fitting(resources: list[Resource], rendered: bool) -> tuple[list[FittingFunction], list[str]]:
    """Return the functions that fit the resources, in the order of their run, and why others do not.

    Rendering functions are tried first. One that fails on these resources is left out, with its first error,
    unless the validator of its system fails, too: then the resources are wrong, and the pipeline is right.
    rendered: Clusters are rendered; else they are only validated, and a note names the plan.
    """
    topologies = _for_topologies(resources, rendered)
    chosen = [*_for_packs(resources), *topologies, *_for_installations(resources)]
    chosen += [*_for_bindings(resources), *_for_platforms(resources)]
    chosen.sort(key=lambda function: RIGHT_ORDER.index(function.name))
    notes: list[str] = []
    if topologies and not rendered:
        notes.append(
            "the pipeline validates the Clusters and changes no file: krmkit topology plan shows what a change does to"
            " them, and krmkit init --render writes their objects too"
        )
        problems = [
            _problem(one, resources) for one in _for_topologies(resources, True) if one.name == _RENDER
        ]
        notes += [f"the Clusters do not render yet: {problem}" for problem in problems if problem]
    for function in list(chosen):
        if function.name.startswith("render-"):
            problem = _problem(function, resources)
            validator = function.name.replace("render-", "validate-")
            refused = [one for one in chosen if one.name == validator and _problem(one, resources)]
            if problem and refused:
                notes.append(f"the package does not render yet: {problem}")
            elif problem:
                chosen.remove(function)
                notes.append(
                    f"{function.name} is left out of the pipeline, as it would fail: {problem};"
                    f" add it when that is fixed (krmkit doc {function.name})"
                )
    return chosen, notes


def _for_packs(resources: list[Resource]) -> list[FittingFunction]:
    functions = []
    packs = [
        resource
        for resource in resources
        if resource.kind == "Pack" or (resource.kind == "ConfigMap" and resource.string("data", "pack.json"))
    ]
    if any(pack.string(*place(pack.kind, "presets.yaml")) for pack in packs):
        functions.append(
            FittingFunction(
                MUTATORS,
                "apply-presets",
                "ApplyPresets",
                "presets.yaml",
                {"selections": []},
                _preset_choices(resources),
            )
        )
    if any(".spectro." in resource.text for resource in resources):
        functions.append(
            FittingFunction(
                MUTATORS, "resolve-macros", "ResolveMacros", "macros.yaml", {"onUndefined": "keep"}
            )
        )
    if packs:
        functions.append(
            FittingFunction(
                VALIDATORS,
                "validate-pack-constraints",
                "ValidatePackConstraints",
                "constraints.yaml",
                {"scope": "profile"},
            )
        )
    return functions


def _preset_choices(resources: list[Resource]) -> list[str]:
    """Return a selection of each preset of the packs, with a hint; none for unreadable presets."""
    lines = []
    for carrier in Packs.read(ResourceList.of(resources)).carriers:
        try:
            entries = PresetCatalog.parse(carrier.pack.presets or "", DEFAULT_LIMITS).entries
        except YamlError:
            continue  # apply-presets reports its error
        for name, group, _ in entries[:_MOST_PRESETS]:
            label = emit.scalar(f"{group}:{name}" if group else name, 0, flow=True)
            lines.append(f"- {{pack: {emit.scalar(carrier.pack.name, 0, flow=True)}, presets: [{label}]}}")
        if len(entries) > _MOST_PRESETS:
            lines.append(f"and {len(entries) - _MOST_PRESETS} more presets of {carrier.pack.name}")
    return ["Take away the # of the presets to apply, one of each group and pack.", *lines] if lines else []


def _for_topologies(resources: list[Resource], rendered: bool) -> list[FittingFunction]:
    def of(kind: str) -> list[Resource]:
        return [one for one in resources if one.kind == kind and one.api_version.startswith(_CAPI)]

    classes, clusters = of("ClusterClass"), of("Cluster")
    if not classes or not clusters:
        return []
    # Only management clusters with this feature gate accept classes with external patches.
    gates = {"featureGates": {"RuntimeSDK": True}} if any(map(_has_external_patch, classes)) else {}
    steps = [(VALIDATORS, "validate", "Validate", "validate-topology.yaml")]
    if rendered:
        steps.append((MUTATORS, "default", "Default", "topology.yaml"))
    if rendered and any(cluster.get("spec", "topology") for cluster in clusters):
        steps.append((MUTATORS, "render", "Render", "render-topology.yaml"))
    return [
        FittingFunction(stage, f"{name}-cluster-topology", f"{kind}ClusterTopology", file, dict(gates))
        for stage, name, kind, file in steps
    ]


def _has_external_patch(owner: Resource) -> bool:
    patches = owner.get("spec", "patches")
    return isinstance(patches, list) and any(
        isinstance(patch, dict) and patch.get("external") for patch in patches
    )


def _for_installations(resources: list[Resource]) -> list[FittingFunction]:
    if not any(one.kind == "Installation" and one.api_version.startswith(_LANDSCAPER) for one in resources):
        return []
    return [
        FittingFunction(MUTATORS, "render-installation", "RenderInstallation", "render-installations.yaml"),
        FittingFunction(
            VALIDATORS, "validate-installation", "ValidateInstallation", "validate-installations.yaml"
        ),
    ]


def _for_bindings(resources: list[Resource]) -> list[FittingFunction]:
    """Return apply-replacements for the folder's table; none for several tables, whose order is unknown."""
    tables = [one.path for one in resources if one.kind == "ApplyReplacements"]
    if len(tables) != 1 or not tables[0]:
        return []
    return [FittingFunction(MUTATORS, "apply-replacements", "ApplyReplacements", tables[0])]


def _for_platforms(resources: list[Resource]) -> list[FittingFunction]:
    """Return validate-platform if two systems define the same thing."""
    kinds = {one.kind for one in resources if one.api_version.startswith((_CAPI, _LANDSCAPER))}
    has_packs = any(one.kind == "ConfigMap" and one.string("data", "pack.json") for one in resources)
    if sum((has_packs, "Cluster" in kinds, "Installation" in kinds or "Target" in kinds)) < 2:
        return []
    return [FittingFunction(VALIDATORS, "validate-platform", "ValidatePlatform", "validate-platform.yaml")]


def _problem(function: FittingFunction, resources: list[Resource]) -> str:
    """Return a function's first error on the resources, or ""; the resources stay unchanged."""
    from krmkit.fn.loader import load
    from krmkit.fn.run import apply
    from krmkit.krm.resource import Resource
    from krmkit.krm.resourcelist import ResourceList

    known = load(function.name)
    config = Resource(function.config())
    listed = ResourceList.of([Resource(resource.text) for resource in resources], config)
    for finding in apply(known.definition, known.process, listed, config):
        if finding.severity == ERROR:
            return f"{finding} [{finding.rule}]" if finding.rule else str(finding)
    return ""
