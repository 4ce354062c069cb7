"""Presets: named sets of values that are removed from and merged into a pack's values text.

Source: specs of Palette's presets.yaml. A preset has a name, an optional group (one preset of a group at a time), a
list of key paths to remove and a YAML text to add. All paths of a preset are removed before its values are merged,
presets take effect in the order of their selection, and every line they do not touch stays as it is.
"""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.palette import marker as marker_comment
from krmkit.palette.keypath import FOUND, KeyPath, KeyPathError, find, is_null
from krmkit.palette.packfinding import pack_finding
from krmkit.yaml.copies import detached
from krmkit.yaml.data import core_data, lookup, same_data
from krmkit.yaml.document import parse
from krmkit.yaml.errors import YamlError
from krmkit.yaml.limits import DEFAULT_LIMITS
from krmkit.yaml.tree import Alias, Document, Entry, Map, Node, Scalar, Seq, deref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.palette.keypath import Step
    from krmkit.yaml.limits import Limits

PRESETS = "presets.yaml"
VALUES = "values.yaml"

# Keys behind which more may stand than they say themselves: merge keys, and those that are no plain text.


class Preset:
    """One preset: `remove` as key paths; `add` as a mapping of its own text, None where nothing is added."""

    __slots__ = ("add", "group", "name", "remove")

    def __init__(self, name: str, group: str, remove: list[KeyPath], add: Map | None) -> None:
        self.name = name
        self.group = group
        self.remove = remove
        self.add = add

    @property
    def label(self) -> str:
        """`Group:name`, or the name alone, as the marker comment writes it."""
        return f"{self.group}:{self.name}" if self.group else self.name


class AppliedSelection:
    """What applying a selection gave: the values text, the findings, and the presets in their order.

    `text` is the text that came in wherever a finding is an error, and wherever the values already say what the
    presets ask for.
    """

    __slots__ = ("findings", "presets", "text")

    def __init__(self, text: str, findings: list[Finding], presets: list[Preset]) -> None:
        self.text = text
        self.findings = findings
        self.presets = presets


def apply_presets(
    values: str,
    presets: str | None,
    select: list[str] | None = None,
    write_marker: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> AppliedSelection:
    """Apply presets to a values text.

    `select` holds `name` or `Group:name`; None takes the selection from the marker comment in the values. With
    `write_marker` a values text without marker gets one; one that is there is kept up to date in any case.
    """
    marker = marker_comment.read(values)
    wanted = marker.entries if select is None and marker is not None else select or []
    if not wanted:
        return AppliedSelection(values, [], [])
    from_marker = select is None
    try:
        catalog = _Catalog.parse(presets or "", limits)
    except YamlError as error:
        return AppliedSelection(
            values, [_finding("schema", f"{PRESETS} cannot be read", "", error=error)], []
        )
    findings, chosen = catalog.choose(wanted, from_marker)
    if any(finding.severity == "error" for finding in findings) or not chosen:
        return AppliedSelection(values, findings, [])
    text, problems = _apply(values, chosen, limits)
    if problems:
        return AppliedSelection(values, findings + problems, [])
    if not from_marker and (marker is not None or write_marker):
        text = marker_comment.write(text, [(preset.group, preset.name) for preset in chosen])
    return AppliedSelection(text, findings, chosen)


def _finding(
    code: str,
    message: str,
    about: str,
    file: str = PRESETS,
    path: str = "",
    proposed: object = None,
    error: YamlError | None = None,
) -> Finding:
    return pack_finding(code, message, (about,), file=file, path=path, proposed=proposed, error=error)


_MOST_NAMED = 100  # presets that a message about an unknown one looks at


class _Catalog:
    """The presets of one presets.yaml, each read when it is chosen."""

    __slots__ = ("_by_label", "_by_name", "entries", "limits", "text")

    def __init__(self, entries: list[tuple[str, str, Map]], limits: Limits, text: str) -> None:
        self.text = text
        self.entries = entries
        self.limits = limits
        self._by_name: dict[str, int] = {}  # the first of each name
        self._by_label: dict[tuple[str, str], int] = {}  # of each (group, name)
        for number, (name, group, _) in enumerate(entries):
            self._by_name.setdefault(name, number)
            self._by_label.setdefault((group, name), number)

    @classmethod
    def parse(cls, text: str, limits: Limits) -> _Catalog:
        root = parse(text, limits).root
        if root is None or is_null(root):
            return cls([], limits, text)
        if not isinstance(root, Map):
            raise YamlError("a mapping with the key presets is expected", 1, 1)
        listed = root.get("presets")
        if listed is None or is_null(listed):
            return cls([], limits, text)
        if not isinstance(listed, Seq):
            raise YamlError("presets must be a list")
        entries = []
        for number, item in enumerate(listed.items):
            node = deref(item)
            name = _text(node.get("name")) if isinstance(node, Map) else None
            if not isinstance(node, Map) or not name:
                raise YamlError(f"presets[{number}] must be a mapping with a name")
            entries.append((name, _text(node.get("group")) or "", node))
        return cls(entries, limits, text)

    def choose(self, wanted: list[str], from_marker: bool) -> tuple[list[Finding], list[Preset]]:
        """The presets that are asked for, each once, in the order of asking."""
        findings: list[Finding] = []
        seen: dict[str, int] = {}
        for name, _, _ in self.entries:
            seen[name] = seen.get(name, 0) + 1
            if seen[name] == 2:
                findings.append(
                    _finding(
                        "duplicate-name",
                        f'{PRESETS} has more than one preset named "{name}"; give each a name of its own',
                        name,
                        path=f"presets.{name}",
                    )
                )
        numbers: dict[int, None] = {}
        for entry in wanted:
            found = self.lookup(entry)
            if found is None:
                findings.append(self.unknown(entry, from_marker))
            else:
                numbers[found] = None
        chosen = [self.entries[number] for number in numbers]
        groups: dict[str, str] = {}
        for name, group, _ in chosen:
            if group and groups.setdefault(group, name) != name:
                findings.append(
                    _finding(
                        "group-conflict",
                        f'the presets "{groups[group]}" and "{name}" are both of the group "{group}";'
                        " select one of them",
                        name,
                    )
                )
        presets: list[Preset] = []
        if not any(finding.severity == "error" for finding in findings):
            for name, group, node in chosen:
                preset = self.read(name, group, node, findings)
                if preset is not None:
                    presets.append(preset)
        return findings, presets

    def lookup(self, entry: str) -> int | None:
        """The number of the preset called `Group:name` (split at the last colon) or `name`: the first that fits."""
        group, colon, name = entry.rpartition(":")
        found = [self._by_name.get(entry)]
        if colon:
            found.append(self._by_label.get((group.strip(), name.strip())))
        return min((number for number in found if number is not None), default=None)

    def unknown(self, entry: str, from_marker: bool) -> Finding:
        if from_marker:
            return _finding(
                "stale-marker",
                f'the marker comment names the preset "{entry}", which {PRESETS} does not have; nothing is applied for it',
                entry,
                file=VALUES,
            )
        if not self.entries:
            return _finding("unknown-preset", f'there is no preset "{entry}": the pack has no presets', entry)
        from krmkit.lang.nearest import nearest

        some = self.entries[:_MOST_NAMED]
        labels = [f"{group}:{name}" if group else name for name, group, _ in some]
        best = nearest(entry, labels) or nearest(entry, [name for name, _, _ in some])
        more = len(self.entries) - len(some)
        listed = ", ".join(labels) + (f" and {more} more" if more else "")
        has = f"? The pack has: {listed}" if best else f"; the pack has: {listed}"
        hint = f'; did you mean "{best}"' if best else ""
        return _finding("unknown-preset", f'there is no preset "{entry}"{hint}{has}', entry, proposed=best)

    def read(self, name: str, group: str, node: Map, findings: list[Finding]) -> Preset | None:
        remove: list[KeyPath] = []
        listed = node.get("remove")
        if listed is not None and not is_null(listed):
            if not isinstance(listed, Seq):
                findings.append(
                    _finding("schema", f'the preset "{name}": remove must be a list of key paths', name)
                )
                return None
            for item in listed.items:
                path = _text(item)
                try:
                    remove.append(KeyPath.parse(path or ""))
                except KeyPathError as error:
                    findings.append(_finding("schema", f'the preset "{name}": remove: {error}', name))
                    return None
        try:
            return Preset(name, group, remove, self.added(node.get("add")))
        except YamlError as error:
            message = f'the preset "{name}": add is no YAML mapping'
            self.shift(error, node.get("add"))
            findings.append(_finding("bad-add", message, name, error=error))
            return None

    def shift(self, error: YamlError, node: Node | None) -> None:
        """Make the place of an error in the text of an `add` one in presets.yaml, as far as it can be told."""
        if isinstance(node, Scalar) and node.style in ("|", ">") and error.line is not None:
            error.line += self.text.count("\n", 0, node.start) + 1
            error.column = None
        else:
            error.line = error.column = None

    def added(self, node: Node | None) -> Map | None:
        if isinstance(node, Scalar) and not is_null(node):
            document = parse(node.text, self.limits)
            node = document.root
            if document.aliases:
                # One that leads into itself has no end.
                core_data(node, self.limits)
        if node is None or is_null(node):
            return None
        if not isinstance(node, Map):
            raise YamlError(
                f"a mapping is expected, not a {'list' if isinstance(node, Seq) else 'single value'}"
            )
        return node


def _text(node: Node | None) -> str | None:
    node = deref(node) if node is not None else None
    return node.text if isinstance(node, Scalar) else None


def _apply(values: str, presets: list[Preset], limits: Limits) -> tuple[str, list[Finding]]:
    try:
        document = parse(values, limits)
        empty = document.root is None or is_null(document.root)
        if empty:
            document = _start(values, document)
        root = document.root
        if not isinstance(root, Map):
            raise YamlError("values.yaml must contain a mapping at the top level", 1, 1)
        # A merge changes what differs and nothing else; only what was removed may come back the same.
        may_return = not empty and any(preset.remove for preset in presets)
        before = core_data(root, limits) if may_return else None
        for preset in presets:
            for path in preset.remove:
                remove(root, path)
            if preset.add is not None:
                merge(root, preset.add, limits)
        if not document.changed or (empty and not root.entries):
            return values, []
        if may_return and same_data(core_data(root, limits), before):
            return values, []
        from krmkit.yaml.edit import render

        return render(document), []
    except YamlError as error:
        return values, [_finding("schema", f"{VALUES} cannot be changed", "", VALUES, error=error)]


def _start(values: str, empty: Document) -> Document:
    """A document with an empty mapping in place of a null, or behind the comments of a text without anything else."""
    null = empty.root
    if null is not None:
        if isinstance(null, Scalar) and values.startswith(null.text, null.start):
            return parse(values[: null.start] + "{}" + values[null.start + len(null.text) :], empty.limits)
        return parse("{}" + empty.newline, empty.limits)
    if values and not values.endswith("\n"):
        values += empty.newline
    return parse(values + "{}" + empty.newline, empty.limits)


def remove(root: Map, path: KeyPath) -> bool:
    """Remove what a key path leads to; False where that is nothing. Emptied mappings and lists stay, as {} and []."""
    matches = [match.steps for match in find(root, path) if match.state == FOUND and match.steps]
    for steps in reversed(matches):
        parent = _writable(root, steps[:-1])
        last = steps[-1]
        if isinstance(parent, Map) and isinstance(last, str):
            if not parent.remove(last):
                _expand_merges(parent)
                parent.remove(last)
        elif isinstance(parent, Seq) and isinstance(last, int):
            parent.remove(last)
    return bool(matches)


def _writable(root: Map, steps: tuple[Step, ...]) -> Node:
    """The collection at `steps`; aliases and merged values on the way become copies of their own."""
    node: Node = root
    for step in steps:
        if isinstance(node, Map) and isinstance(step, str):
            entry = node.entry(step)
            if entry is None:
                inherited = lookup(node, step)
                assert inherited is not None
                node = node.set(step, detached(inherited))
            elif isinstance(entry.value, Alias):
                node = node.replace(entry, detached(entry.value))
            else:
                node = entry.value
        elif isinstance(node, Seq) and isinstance(step, int):
            item = node.items[step]
            node = node.replace(step, detached(item)) if isinstance(item, Alias) else item
    return node


def _expand_merges(node: Map) -> None:
    """Write out what merge keys bring, so that one of these keys can be taken away."""
    for entry in [entry for entry in node.entries if entry.name == "<<"]:
        source = deref(entry.value)
        node.remove("<<")
        for merged in source.items if isinstance(source, Seq) else [source]:
            target = deref(merged)
            for inherited in target.entries if isinstance(target, Map) else ():
                if inherited.name is not None and node.entry(inherited.name) is None:
                    node.set(inherited.name, detached(inherited.value))


def merge(target: Map, add: Map, limits: Limits = DEFAULT_LIMITS) -> None:
    """Merge `add` into `target`: mappings key by key, everything else replaces; new keys go to the end."""
    # Looked up in the order of the text: the first entry of a name counts.
    entries: dict[str, Entry] = {}
    for own in target.entries:
        if own.name is not None:
            entries.setdefault(own.name, own)
    for entry in add.entries:
        name = entry.name
        if name is None:
            raise YamlError("add has a key that is no plain text")
        value = deref(entry.value)
        known = entries.get(name)
        if known is None:
            # Without a merge key there is nothing to inherit.
            inherited = lookup(target, name) if "<<" in entries else None
            if isinstance(inherited, Map) and isinstance(value, Map):
                copy = target.set(name, detached(inherited))
                assert isinstance(copy, Map)
                merge(copy, value, limits)
            else:
                entries[name] = Entry(entry.key, entry.value)
                target.append_entry(entries[name])
            continue
        have: Node = known.value
        if isinstance(value, Map) and isinstance(deref(have), Map):
            if isinstance(have, Alias):
                have = target.replace(known, detached(have))
            assert isinstance(have, Map)
            merge(have, value, limits)
        elif isinstance(deref(have), Map) or isinstance(value, Map):
            target.replace(known, value)
        elif not same_data(core_data(have, limits), core_data(value, limits)):
            target.replace(known, value)
