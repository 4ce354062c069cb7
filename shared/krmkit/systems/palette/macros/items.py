"""Macros among the items of a list: packs refer to each other, other resources refer to packs."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR, Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json.paths import join
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.tree import Map, Node, Scalar, Seq, deref
from krmkit.systems.palette.macros.context import Context, Source
from krmkit.systems.palette.macros.resolve import MacroResolver, Resolved
from krmkit.systems.palette.packs.items import Carrier, Packs
from krmkit.systems.palette.packs.lines import FileLines, said_place
from krmkit.systems.palette.packs.macrotext import FIELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_MOST_LISTED = 20


def resolve_items(resources: ResourceList, spec: dict[str, Any], config: Resource | None) -> list[Finding]:
    """Resolve all texts from the original values of the packs, then write them. Raises Refused, YamlError."""
    packs = Packs.read(resources)
    findings = [Finding("bad-pack", one.message, one.resource, one.field) for one in packs.problems]
    sources = sources_of(packs.carriers)
    context = read_context(spec, config)
    profiles = [*resources.containing("profile.yaml", "local-config", alternative=("forProvider", "pack"))]
    layers: list[Source] = []
    if profiles:  # most lists have none
        from krmkit.systems.palette.macros.definitions import add_definitions, layer_sources

        findings += add_definitions(profiles, context, config)
        layers = layer_sources(profiles)
    resolver = MacroResolver([*sources, *layers], context, resources.limits)
    in_packs = list(resolve_packs(packs.carriers, resolver, sources))
    in_resources = list(resolve_resources(resources, packs.carriers, config, resolver))
    resources.secrets |= resolver.derived
    for carrier, resolved in in_packs:
        findings += resolved_findings(resolved, carrier.resource, packs.lines, carrier)
    for item, resolved in in_resources:
        findings += resolved_findings(resolved, item, packs.lines)
    if resources.causes is not None:
        from krmkit.systems.palette.macros.causes import MacroCauses, record_macros

        inputs = MacroCauses(resolver, config, packs.carriers, sources)
        record_macros(resources.causes, inputs, in_packs, in_resources)
    for carrier, resolved in in_packs:
        carrier.write_values(resolved.text)
    for item, resolved in in_resources:
        item.rewrite(resolved.text)
        _ = item.root  # it must be a resource of YAML again; raises YamlError or Refused
    return [*findings, *unused_findings(resolver, config)]


def read_context(spec: dict[str, Any], config: Resource | None) -> Context:
    """Return the context of a ResolveMacros config; values keep their text: 1.20 stays 1.20.

    Raises Refused.
    """
    for place in ("system", "macros", "variables"):
        _refuse_collections(place, spec[place], config)
    typed = config if config is not None and config.kind != "ConfigMap" else None
    variables = _texts(spec["variables"], typed.node("spec", "variables") if typed else None)
    return Context(
        system=_texts(spec["system"], typed.node("spec", "system") if typed else None),
        macros=_texts(spec["macros"], typed.node("spec", "macros") if typed else None),
        variables=variables,
        secrets=frozenset(entry["name"] for entry in spec["variables"] if entry.get("secret")),
        on_undefined=spec.get("onUndefined"),
    )


def _refuse_collections(place: str, given: Any, config: Resource | None) -> None:
    """Refuse maps and lists, which have no text to replace a macro."""
    if isinstance(given, dict):
        pairs = [(f"spec.{place}.{name}", value) for name, value in given.items()]
    else:
        pairs = [(f"spec.{place}[{number}].value", entry.get("value")) for number, entry in enumerate(given)]
    for field, value in pairs:
        if isinstance(value, (dict, list)):
            what = "map" if isinstance(value, dict) else "list"
            message = f"must be a single value, not a {what}: a macro stands for a piece of text"
            raise Refused(Finding("invalid-config", message, config, field))


def _texts(data: Any, node: Node | None) -> dict[str, str]:
    """Names and the texts of their values: from a map, or from a list of {name, value}."""
    if isinstance(node, Seq):
        pairs = [
            (item.get("name"), item.get("value")) for item in map(deref, node.items) if isinstance(item, Map)
        ]
        return {name.text: _text(value) for name, value in pairs if isinstance(name, Scalar)}
    if isinstance(node, Map):
        return {entry.name: _text(deref(entry.value)) for entry in node.entries if entry.name is not None}
    if isinstance(data, list):
        return {entry["name"]: _plain(entry.get("value")) for entry in data}
    return {name: _plain(value) for name, value in (data or {}).items()}


def _text(node: Node | None) -> str:
    if not isinstance(node, Scalar) or (not node.style and node.text in ("~", "null", "Null", "NULL")):
        return ""
    return node.text


def _plain(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else emit.scalar(value, 0)


def resolve_packs(
    carriers: list[Carrier], resolver: MacroResolver, sources: list[Source]
) -> Iterator[tuple[Carrier, Resolved]]:
    """Every pack whose values hold macros, with what became of them. Nothing is written."""
    for carrier, source in zip(carriers, sources, strict=True):
        if FIELD in source.text:
            yield carrier, resolver.resolve(source)


def sources_of(carriers: list[Carrier]) -> list[Source]:
    """Return the packs that macros refer to, by their names, display names and items' names."""
    return [
        Source(
            carrier.pack.label,
            (carrier.pack.name, carrier.pack.display_name, carrier.resource.name),
            carrier.pack.values or "",
        )
        for carrier in carriers
    ]


def resolve_resources(
    resources: ResourceList, carriers: list[Carrier], config: Resource | None, resolver: MacroResolver
) -> Iterator[tuple[Resource, Resolved]]:
    """Every other resource that holds macros in its scalars. Nothing is written."""
    packs = {id(carrier.resource) for carrier in carriers}
    for item in resources.containing(FIELD):
        if id(item) in packs or FIELD not in item.text or item.kind in ("Kptfile", "ResolveMacros"):
            continue
        if config is not None and item.ref() == config.ref():
            continue
        text = " " * item.column + item.text
        resolved = resolver.resolve(Source(item.name or item.label, (), text), file=item.path or "")
        resolved.text = resolved.text[item.column :]
        for finding in (*resolved.findings, *resolved.doubts):
            finding.tags.pop("pack", None)
        yield item, resolved


def resolved_findings(
    resolved: Resolved, item: Resource, lines: FileLines, carrier: Carrier | None = None
) -> Iterator[Finding]:
    """Return the findings about one text, with their places, and how many of its macros are resolved."""
    for finding in (*resolved.findings, *resolved.doubts):
        if carrier is not None:
            yield carrier.located(finding)
            continue
        if finding.line:
            line = lines.of(item, finding.line)
            where = said_place(line or finding.line, finding.column)
            finding.message = f"{where}{'' if line else ' of the resource'}: {finding.message}"
        yield finding.at(item)
    if not any(finding.severity == ERROR for finding in resolved.findings):
        macros = "macro" if resolved.count == 1 else "macros"
        found = Finding("resolved", f"{resolved.count} {macros} resolved", item)
        yield found.at(item, pack=carrier.pack.label) if carrier is not None else found


def unused_findings(resolver: MacroResolver, config: Resource | None) -> Iterator[Finding]:
    """Yield variables and user macros that no macro uses, and system macros that Palette does not have."""
    flat = config is not None and config.kind == "ConfigMap"
    root = "data" if flat else "spec"
    for name, near in resolver.unknown_system().items():
        message = f'"{name}" is not a system macro of Palette, and no macro refers to it' + near
        yield Finding("unknown-system-macro", message, config, join(f"{root}.system", name))
    for place, names in resolver.unused().items():
        if names:
            from krmkit.libraries.messages.listed import listed

            field = f"{root}.{place}"
            yield Finding(
                "unused-variable", f"no macro refers to {listed(names, _MOST_LISTED)}", config, field
            )
