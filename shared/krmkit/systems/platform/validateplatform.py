"""All rules across systems, by their ids: the rule of the function validate-platform."""

from __future__ import annotations

from typing import Any

from krmkit.krm.finding import Finding
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.platform.bindings import binding_targets
from krmkit.systems.platform.clusterrules import (
    class_versions,
    cluster_name,
    kubernetes_version,
    pack_variable,
    pools,
    targets,
)
from krmkit.systems.platform.facts import PlatformFacts
from krmkit.systems.platform.namespaces import unknown_namespaces
from krmkit.systems.platform.variantpackages import variant_packages

RULES = (
    *(kubernetes_version, class_versions, pack_variable, cluster_name, pools, targets),
    *(binding_targets, unknown_namespaces, variant_packages),
)


def validate_platform(resources: ResourceList, spec: dict[str, Any]) -> list[Finding]:
    """Return a ValidatePlatform's findings, without those of the rules in `skip`; change nothing."""
    facts = PlatformFacts(resources, spec)
    skipped = set(spec["skip"])
    return [finding for rule in RULES for finding in rule(facts) if finding.rule not in skipped]
