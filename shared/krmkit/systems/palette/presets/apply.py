"""Presets: named sets of values that are removed from and merged into a pack's values text.

Source: specs of Palette's presets.yaml. A preset has a name, an optional group (one preset of a group at a
time), a list of key paths to remove and a YAML text to add. All paths of a preset are removed before its
values are merged, presets take effect in the order of their selection, and every line they do not touch stays
as it is.
"""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.libraries.yaml.data import core_data, is_core_null, same_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.libraries.yaml.tree import Document, Map, Node, Scalar
from krmkit.systems.palette.packs.findings import VALUES
from krmkit.systems.palette.presets import marker as marker_comment
from krmkit.systems.palette.presets.catalog import PRESETS, Preset, PresetCatalog, preset_finding
from krmkit.systems.palette.presets.merge import Steps, merge, remove


class AppliedSelection:
    """The outcome of applying a selection: the values text, the findings, and the presets in their order.

    `text` is the input text if a finding is an error, and if the values already have what the presets set.
    `written`: the paths that each preset set or removed, in that order, if the caller explains.
    """

    def __init__(
        self,
        text: str,
        findings: list[Finding],
        presets: list[Preset],
        written: list[tuple[Preset, list[Steps]]] | None = None,
    ) -> None:
        self.text = text
        self.findings = findings
        self.presets = presets
        self.written = written or []


def apply_presets(
    values: str,
    presets: str | None,
    select: list[str] | None = None,
    write_marker: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    explain: bool = False,
    catalogs: dict[str, PresetCatalog] | None = None,
) -> AppliedSelection:
    """Apply presets to a values text.

    `select` holds `name` or `Group:name`; None takes the selection from the marker comment in the values.
    With `write_marker` a values text without marker gets one; one that is there is kept up to date in any
    case. With `explain` the outcome has what each preset wrote. `catalogs` holds what was read of presets
    texts before, and gets this one: of many packs most have the same.
    """
    marker = marker_comment.read(values)
    wanted = marker.entries if select is None and marker is not None else select or []
    if not wanted:
        return AppliedSelection(values, [], [])
    from_marker = select is None
    catalogs = {} if catalogs is None else catalogs
    presets = presets or ""
    try:
        if presets not in catalogs:
            catalogs[presets] = PresetCatalog.parse(presets, limits)
        catalog = catalogs[presets]
    except YamlError as error:
        return AppliedSelection(
            values, [preset_finding("schema", f"{PRESETS} cannot be read", "", error=error)], []
        )
    findings, chosen = catalog.choose(wanted, from_marker)
    if any(finding.severity == "error" for finding in findings) or not chosen:
        return AppliedSelection(values, findings, [])
    written: list[tuple[Preset, list[Steps]]] | None = [] if explain else None
    text, problems = _apply(values, chosen, limits, written)
    if problems:
        return AppliedSelection(values, findings + problems, [])
    if not from_marker and (marker is not None or write_marker):
        text = marker_comment.write(text, [(preset.group, preset.name) for preset in chosen])
    return AppliedSelection(text, findings, chosen, written)


def _apply(
    values: str, presets: list[Preset], limits: Limits, written: list[tuple[Preset, list[Steps]]] | None
) -> tuple[str, list[Finding]]:
    try:
        document = parse(values, limits)
        empty = document.root is None or is_core_null(document.root)
        if empty:
            document = _start(values, document)
        root = document.root
        if not isinstance(root, Map):
            raise YamlError("values.yaml must contain a mapping at the top level", 1, 1)
        # A merge changes what differs and nothing else; only what was removed may come back the same.
        may_return = not empty and any(preset.remove for preset in presets)
        before = core_data(root, limits) if may_return else None
        for preset in presets:
            paths: list[Steps] | None = None
            if written is not None:
                paths = []
                written.append((preset, paths))
            for path in preset.remove:
                remove(root, path, paths)
            if preset.add is not None:
                merge(root, preset.add, limits, paths)
        if not document.changed or (empty and not root.entries):
            return values, []
        if may_return and _still_says(root, before, limits):
            return values, []
        from krmkit.libraries.yaml.editing.edit import render

        return render(document), []
    except YamlError as error:
        return values, [preset_finding("schema", f"{VALUES} cannot be changed", "", VALUES, error=error)]


def _still_says(node: Node, before: object, limits: Limits) -> bool:
    """Whether a value is the same as before; the first key that is not settles it."""
    if not isinstance(node, Map) or not isinstance(before, dict):
        return same_data(core_data(node, limits), before)
    names = node.names()
    if "<<" in names or len(names) < len(node.entries):
        return same_data(core_data(node, limits), before)
    return before.keys() == set(names) and all(
        _still_says(entry.value, before[name], limits)
        for name, entry in zip(names, node.entries, strict=True)
    )


def _start(values: str, empty: Document) -> Document:
    """Return a document with an empty mapping in place of a null, or behind the comments of an empty text."""
    null = empty.root
    if null is not None:
        (start,) = empty.given_offsets([null.start])
        if isinstance(null, Scalar) and values.startswith(null.text, start):
            return parse(values[:start] + "{}" + values[start + len(null.text) :], empty.limits)
        return parse("{}" + empty.newline, empty.limits)
    if values and not values.endswith("\n"):
        values += empty.newline
    return parse(values + "{}" + empty.newline, empty.limits)
