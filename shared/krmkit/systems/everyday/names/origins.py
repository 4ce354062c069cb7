"""Upstream origins: the annotation in which kpt records a resource's upstream identity."""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.systems.everyday.common.findings import refused

ORIGIN = "internal.kpt.dev/upstream-identifier"
CLUSTER = "~C"


def origin_namespace(item: Resource) -> str:
    """Return the upstream namespace: "~C" if cluster-scoped, "" without the annotation. Raises Refused."""
    text = item.annotation(ORIGIN) if item.may_hold(ORIGIN) else ""
    if not text:
        return ""
    parts = text.split("|")
    if len(parts) != 4:
        message = f'annotation {ORIGIN}: {text} is in bad format. expect "<GROUP>|<KIND>|<NAMESPACE>|<NAME>"'
        raise refused("origin", message)
    return parts[2].strip()


def check_origins(items: list[tuple[Resource, bool]], has_matcher: bool) -> list[Finding]:
    """Return errors for resources with origins in several namespaces. `items`: (item, is namespaced)."""
    findings: list[Finding] = []
    seen: list[str] = []
    for item, is_namespaced in items:
        origin = origin_namespace(item)
        if not is_namespaced or not origin:
            continue
        if origin == CLUSTER:
            who = f"Resource(apiVersion={item.api_version}, kind={item.kind}, namespace={item.namespace}, name={item.name})"
            message = f"{who} is namespace-scoped, but has cluster-scoped or unknown scoepd origin"
            findings.append(Finding("origin", f"{message} {item.annotation(ORIGIN)}", item))
        elif origin not in seen:
            seen.append(origin)
    if len(seen) > 1 and not has_matcher:
        message = f"the resources come from the namespaces {', '.join(seen)}; say in namespaceMatcher which one to replace"
        findings.append(Finding("origin", message))
    return findings
