"""Findings of the pack rules as results of a function."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.resource import Resource
    from krmkit.krm.sink import Sink
    from krmkit.palette.finding import Finding


def report(results: Sink, finding: Finding, resource: Resource | None, pack: str = "") -> None:
    """One finding about a pack, with its item as the resource; the tags name the pack and the pack's file."""
    tags: dict[str, str] = {}
    if finding.file:
        tags["file"] = finding.file
    if finding.pack or pack:
        tags["pack"] = finding.pack or pack
    results.add(
        finding.severity,
        finding.code,
        finding.message,
        resource,
        finding.path or None,
        finding.current,
        finding.proposed,
        tags=tags,
    )
