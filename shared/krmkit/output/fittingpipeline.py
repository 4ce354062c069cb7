"""The pipeline that fits the resources of a folder, for `krmkit init`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from krmkit.fn.definition import GROUP_VERSION
from krmkit.krm.annotations import LOCAL_CONFIG
from krmkit.krm.finding import ERROR
from krmkit.krm.resource import Resource
from krmkit.output.pipelineorder import RIGHT_ORDER
from krmkit.palette.packs.items import place
from krmkit.yaml import emit

MUTATORS, VALIDATORS = "mutators", "validators"
_CAPI = "cluster.x-k8s.io/"
_LANDSCAPER = "landscaper.gardener.cloud/"


@dataclass(slots=True)
class FittingFunction:
    """A function that fits: its stage, its name, and the kind, the file and the spec of its config."""

    stage: str
    name: str
    kind: str
    file: str
    spec: dict[str, Any] = field(default_factory=dict)

    def config(self) -> str:
        """The text of the config file."""
        return emit.document(
            {
                "apiVersion": GROUP_VERSION,
                "kind": self.kind,
                "metadata": {
                    "name": self.file.removesuffix(".yaml"),
                    "annotations": {LOCAL_CONFIG: "true"},
                },
                "spec": self.spec,
            }
        )


def fitting(resources: list[Resource]) -> tuple[list[FittingFunction], list[str]]:
    """The functions that fit the resources, in the order in which they run, and why others were left out.

    Functions that render are tried first: one that fails on these very resources is left out, with its first error.
    """
    chosen = [*_for_packs(resources), *_for_topologies(resources), *_for_installations(resources)]
    chosen += [*_for_bindings(resources), *_for_platforms(resources)]
    chosen.sort(key=lambda function: RIGHT_ORDER.index(function.name))
    notes: list[str] = []
    for function in list(chosen):
        if function.name.startswith("render-"):
            problem = _problem(function, resources)
            if problem:
                chosen.remove(function)
                notes.append(
                    f"{function.name} is left out of the pipeline, as it would fail: {problem};"
                    f" add it when that is mended (krmkit doc {function.name})"
                )
    return chosen, notes


def _for_packs(resources: list[Resource]) -> list[FittingFunction]:
    found = []
    packs = [
        resource
        for resource in resources
        if resource.kind == "Pack" or (resource.kind == "ConfigMap" and resource.string("data", "pack.json"))
    ]
    if any(pack.string(*place(pack.kind, "presets.yaml")) for pack in packs):
        found.append(
            FittingFunction(MUTATORS, "apply-presets", "ApplyPresets", "presets.yaml", {"selections": []})
        )
    if any(".spectro." in resource.text for resource in resources):
        found.append(
            FittingFunction(
                MUTATORS, "resolve-macros", "ResolveMacros", "macros.yaml", {"onUndefined": "keep"}
            )
        )
    if packs:
        found.append(
            FittingFunction(
                VALIDATORS,
                "validate-pack-constraints",
                "ValidatePackConstraints",
                "constraints.yaml",
                {"scope": "profile"},
            )
        )
    return found


def _for_topologies(resources: list[Resource]) -> list[FittingFunction]:
    def of(kind: str) -> list[Resource]:
        return [one for one in resources if one.kind == kind and one.api_version.startswith(_CAPI)]

    classes, clusters = of("ClusterClass"), of("Cluster")
    if not classes or not clusters:
        return []
    # Only a management cluster with this gate takes classes with external patches.
    gates = {"featureGates": {"RuntimeSDK": True}} if any(map(_has_external_patch, classes)) else {}
    found = [
        FittingFunction(
            MUTATORS, "default-cluster-topology", "DefaultClusterTopology", "topology.yaml", dict(gates)
        ),
        FittingFunction(
            VALIDATORS,
            "validate-cluster-topology",
            "ValidateClusterTopology",
            "validate-topology.yaml",
            dict(gates),
        ),
    ]
    if any(cluster.get("spec", "topology") for cluster in clusters):
        found.insert(
            1,
            FittingFunction(
                MUTATORS,
                "render-cluster-topology",
                "RenderClusterTopology",
                "render-topology.yaml",
                dict(gates),
            ),
        )
    return found


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
    """apply-replacements with the table that lies there: with several, nobody knows their order."""
    tables = [one.path for one in resources if one.kind == "ApplyReplacements"]
    if len(tables) != 1 or not tables[0]:
        return []
    return [FittingFunction(MUTATORS, "apply-replacements", "ApplyReplacements", tables[0])]


def _for_platforms(resources: list[Resource]) -> list[FittingFunction]:
    """validate-platform, where two systems say something of one thing."""
    kinds = {one.kind for one in resources if one.api_version.startswith((_CAPI, _LANDSCAPER))}
    has_packs = any(one.kind == "ConfigMap" and one.string("data", "pack.json") for one in resources)
    if sum((has_packs, "Cluster" in kinds, "Installation" in kinds or "Target" in kinds)) < 2:
        return []
    return [FittingFunction(VALIDATORS, "validate-platform", "ValidatePlatform", "validate-platform.yaml")]


def _problem(function: FittingFunction, resources: list[Resource]) -> str:
    """The first error of a function on the resources, "" where it has none. The resources stay as they are."""
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
