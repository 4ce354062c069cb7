"""The objects that may be injected: those of the config, and items that are marked as local config."""

from __future__ import annotations

from krmkit.krm import annotations as names
from krmkit.krm.identity import holding
from krmkit.porch.generatevariants import in_namespace
from krmkit.porch.injection import INJECTION, Candidate
from krmkit.porch.packageview import CONTEXT_NAME, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from krmkit.krm.resource import Resource


def candidates(
    inline: Sequence[dict[str, Any]], items: Iterable[Resource], namespace: str, config: Resource | None
) -> list[Candidate]:
    """Objects of the variant's namespace or of none: those of the config first, then items by file and position.

    Items count when they are marked local-config and are nothing that the package itself works with: injection points, Kptfiles, the
    package context, packs, and the functionConfig (which kpt also passes as an item).
    """
    found = [
        Candidate(data)
        for data in inline
        if in_namespace(str(_metadata(data).get("namespace") or ""), namespace)
    ]
    own = config.ref() if config is not None else None
    eligible = [
        (*place_of(item), position, item)
        for position, item in holding(items, names.LOCAL_CONFIG)
        if item.is_local_config
        and in_namespace(item.namespace, namespace)
        and not _is_tool(item)
        and item.ref() != own
    ]
    return found + [Candidate.of(item) for *_, item in sorted(eligible, key=lambda entry: entry[:4])]


def _is_tool(item: Resource) -> bool:
    if INJECTION in item.annotations or item.kind in ("Kptfile", "Pack"):
        return True
    return item.kind == "ConfigMap" and (
        item.name == CONTEXT_NAME or item.node("data", "pack.json") is not None
    )


def _metadata(data: dict[str, Any]) -> dict[str, Any]:
    metadata = data.get("metadata")
    return metadata if isinstance(metadata, dict) else {}
