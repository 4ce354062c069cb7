"""Entries of a RenderInstallation that fit nothing: deployItemExports, exportTemplates and names.

An export by a wrong path would be one that nobody tells, so the installations that need it would wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.json.paths import join
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.flow.exporttemplates import INSTALLATIONS
from krmkit.systems.landscaper.flow.outcome import SUCCEEDED, RenderedInstallation

RULE = "unused-entry"


def unused_entries(
    roots: Iterable[RenderedInstallation], spec: Data, config: Resource | None
) -> Iterator[Finding]:
    """Yield a warning for each entry that fits no deploy item or installation, with the nearest path.

    spec: that of the RenderInstallation. Entries below installations whose inside is not known are left
    alone: they wait or fail, or a template gives their exports.
    """
    tree = [one for root in roots for one in root.tree()]
    selectors = _selectors(spec)
    replaced = [expression for _, kind, expression in selectors if kind == INSTALLATIONS]
    unknown = [
        one
        for one in tree
        if not (one.phase == SUCCEEDED or one.deploy_items or one.children)
        or any(other.search(one.path) for other in replaced)
    ]
    items = [(one, item.name) for one in tree for item in one.deploy_items]
    paths = [f"{one.path}/{name}" for one, name in items]
    places = [one.path for one in tree]
    keys = {key for one, name in items for key in (f"{one.path}/{name}", f"{one.name}/{name}", name)}
    for key in _unfit(spec, "deployItemExports", keys, unknown):
        message = f"{key} is the path of no deploy item, so its exports go nowhere" + did_you_mean(key, paths)
        yield Finding(RULE, message, config, join("spec.deployItemExports", key), key)
    nested = [place for place in places if "/" in place]
    for key in _unfit(spec, "names", set(places), unknown):
        message = f"{key} is the path of no nested Installation, so the name is not used" + did_you_mean(
            key, nested
        )
        yield Finding(RULE, message, config, join("spec.names", key), key)
    for number, kind, expression in selectors:
        known, what = (places, "Installation") if kind == INSTALLATIONS else (paths, "deploy item")
        if not any(expression.search(path) for path in known) and (kind == INSTALLATIONS or not unknown):
            message = f"the selector fits no {what}, so the template is not used; there are: {listed(known) or 'none'}"
            yield Finding(RULE, message, config, f"spec.exportTemplates[{number}].selector")


def _unfit(spec: Data, field: str, known: set[str], unknown: list[RenderedInstallation]) -> Iterator[str]:
    """Yield the unknown keys of a config's field that cannot be inside of an unknown installation."""
    for key in mapping(spec.get(field)):
        if key not in known and not _is_below(key, unknown):
            yield key


def _selectors(spec: Data) -> list[tuple[int, str, pattern.Pattern]]:
    """Return position, kind and expression of each export template; all are valid since the render."""
    return [
        (number, text(one.get("for")), pattern.compile(text(one.get("selector"))))
        for number, one in enumerate(entries(spec.get("exportTemplates")))
    ]


def _is_below(key: str, unknown: list[RenderedInstallation]) -> bool:
    """Return whether a key can be about the inside of an installation, as any bare name can be."""
    return any("/" not in key or key.startswith((f"{one.path}/", f"{one.name}/")) for one in unknown)
