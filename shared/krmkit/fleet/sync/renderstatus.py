"""Read what a render in place wrote into the Kptfiles of a variant's revisions."""

from __future__ import annotations

from krmkit.fleet.sync.drafts import kptfile_in, version_number
from krmkit.fleet.sync.store import HEADS, Store, short_ref
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.status import last_render


def rendered(store: Store, owned: list[str]) -> str:
    """Return what the draft, else the newest version, says of its last render, or "". Raises GitError.

    `owned`: the refs of the revisions. Example: `drafts/web/v1: Rendered is True (RenderSuccess)`.
    """
    there = [ref for ref in owned if ref in store.seen]
    drafts = [ref for ref in there if ref.startswith(HEADS)]
    ref = (drafts or sorted(there, key=version_number) or [""])[-1]
    content = kptfile_in(store, store.package_of(ref), ref) if ref else None
    if content is None or (b"Rendered" not in content and b"renderStatus" not in content):
        return ""
    try:
        said = last_render(Resource(content.decode("utf-8", "replace")))
    except (Refused, YamlError):
        return ""
    return f"{short_ref(ref)}: {said}" if said else ""
