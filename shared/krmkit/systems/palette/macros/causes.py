"""The causes of texts with macros: variables and macros of the config, and the values of other packs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krmkit.krm.cause import Cause, CauseLog
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.tree import Map, Node, Scalar, Seq, deref
from krmkit.systems.palette.macros.context import Source
from krmkit.systems.palette.macros.resolve import MacroResolver, Resolved
from krmkit.systems.palette.packs.items import Carrier, place
from krmkit.systems.palette.packs.macrotext import MacroText

_FIELDS = {"var": "variables", "macro": "macros", "system": "system"}


def record_macros(
    log: CauseLog,
    causes: MacroCauses,
    in_packs: Iterable[tuple[Carrier, Resolved]],
    in_resources: Iterable[tuple[Resource, Resolved]],
) -> None:
    """Record the macros that were resolved in the values of packs and in other resources."""
    for carrier, resolved in in_packs:
        causes.record(log, carrier.resource, resolved, place(carrier.resource.kind, "values.yaml"))
    for item, resolved in in_resources:
        causes.record(log, item, resolved)


class MacroCauses:
    """Finds the inputs that macros refer to, each once."""

    def __init__(
        self,
        resolver: MacroResolver,
        config: Resource | None,
        carriers: Sequence[Carrier],
        sources: Sequence[Source],
    ) -> None:
        self._resolver = resolver
        self._config = config
        self._carriers = dict(zip(sources, carriers, strict=True))
        self._known: dict[str, Cause] = {}
        self._named: dict[str, dict[str, Path]] = {}

    def record(self, log: CauseLog, item: Resource, resolved: Resolved, inside: Path = ()) -> None:
        """Record the macros filled into a text: the item's own, or that at the path `inside` of it."""
        text = resolved.macros
        if text is None or text.document is None or not resolved.filled:
            return
        causes = log.of(item)
        for before, after, marks in _scalars(text.document.root, inside, inside, text, resolved.filled):
            names = dict.fromkeys(
                name for mark in marks for name in self._resolver.references(text.macros[mark])
            )
            found = [self._of(name) for name in names]
            for path in dict.fromkeys((before, after)):
                causes.set(path, *found)

    def _of(self, name: str) -> Cause:
        """Return what a reference such as `var.site` or `pack.k3s.cluster.name` names."""
        known = self._known.get(name)
        if known is None:
            kind, _, rest = name.partition(".")
            resource, field = self._pack(rest) if kind == "pack" else self._given(kind, rest)
            known = self._known[name] = Cause("macro", f".spectro.{name}", resource, field)
        return known

    def _pack(self, reference: str) -> tuple[Resource | None, Path]:
        found = self._resolver.pack_value(reference)
        carrier = self._carriers.get(found[0]) if found is not None else None
        if found is None or carrier is None:
            return None, ()
        return carrier.resource, (*place(carrier.resource.kind, "values.yaml"), *found[1])

    def _given(self, kind: str, name: str) -> tuple[Resource | None, Path]:
        """Return where the config gives a value; nowhere for a name without one."""
        field = _FIELDS.get(kind, "")
        if field not in self._named:
            self._named[field] = self._index(field)
        path = self._named[field].get(name)
        return (None, ()) if path is None else (self._config, path)

    def _index(self, field: str) -> dict[str, Path]:
        config = self._config
        if config is None or not field:
            return {}
        found: dict[str, Path] = {}
        if config.kind == "ConfigMap":
            given = {"variables": self._resolver.context.variables, "macros": self._resolver.context.macros}
            return dict.fromkeys(given.get(field, self._resolver.context.system), ("data", field))
        node = config.node("spec", field)
        if isinstance(node, Map):
            return {
                entry.name: ("spec", field, entry.name) for entry in node.entries if entry.name is not None
            }
        for number, item in enumerate(node.items if isinstance(node, Seq) else ()):
            variable = deref(item)
            name = variable.get("name") if isinstance(variable, Map) else None
            if isinstance(name, Scalar):
                found[name.text] = ("spec", field, number, "name")
        return found


def _scalars(
    node: Node | None, before: Path, after: Path, text: MacroText, filled: dict[str, str]
) -> Iterator[tuple[Path, Path, list[str]]]:
    """Yield old and new path of each scalar with macros, and the macros in it."""
    stem = next(iter(filled))[:-7]  # a text without it holds none of the marks
    if isinstance(node, Map):
        for entry in node.entries:
            name = entry.name or ""
            old, new = (*before, name), (*after, name)
            if stem in name:
                old = (*before, _restored(name, text, {}))
                new = (*after, _restored(name, text, filled))
                marks = [mark for mark in text.marks_in(name) if mark in filled]
                if marks:
                    yield old, new, marks
            yield from _scalars(entry.value, old, new, text, filled)
    elif isinstance(node, Seq):
        for number, item in enumerate(node.items):
            yield from _scalars(item, (*before, number), (*after, number), text, filled)
    elif isinstance(node, Scalar) and stem in node.text:
        marks = [mark for mark in text.marks_in(node.text) if mark in filled]
        if marks:
            yield before, after, marks


def _restored(name: str, text: MacroText, filled: dict[str, str]) -> str:
    """Return a key with its macros in place of the marks, or with their values."""
    for mark in text.marks_in(name):
        name = name.replace(mark, filled.get(mark, text.macros[mark].raw))
    return name
