"""Selectors of an extension that select nothing: a patch that does nothing, without a word, in every render."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from krmkit.go.fmt.printing import quote
from krmkit.json import Object
from krmkit.messages.nearest import did_you_mean


class Unmatched(NamedTuple):
    """A definition that no template fits. `whole`: no other definition of its patch fits one either."""

    field: str
    message: str
    whole: bool


def unmatched_message(patch: str, selector: Object, seen: Iterable[tuple[str, str]]) -> str:
    """Return what a selector looks for in vain, and what is there. `seen`: (kind, apiVersion) of the templates.

    >>> unmatched_message("p", {"kind": "T", "apiVersion": "i/v1"}, [("T", "i/v2")])
    'patch "p" selects no template, so it changes nothing: T is there in i/v2, not in i/v1'
    """
    kind, versions = str(selector.get("kind", "")), selector.get("apiVersion")
    wanted = [str(one) for one in versions] if isinstance(versions, list) else [str(versions)]
    present = sorted({version for other, version in seen if other == kind})
    start = f"patch {quote(patch)} selects no template, so it changes nothing:"
    if not present:
        kinds = sorted({other for other, _ in seen})
        return f"{start} no template is a {kind}{did_you_mean(kind, kinds)}"
    if not set(present) & set(wanted):
        return f"{start} {kind} is there in {', '.join(present)}, not in {', '.join(wanted)}"
    places = sorted((selector.get("matchResources") or {}).keys())
    return f"{start} {kind} is there, but not where matchResources looks ({', '.join(places)})"
