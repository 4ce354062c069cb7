"""The presets of one presets.yaml: which ones a selection means, and what each removes and adds."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.libraries.yaml.data import core_data, is_core_null
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import Limits
from krmkit.libraries.yaml.tree import Map, Node, Scalar, Seq, deref
from krmkit.systems.palette.packs.findings import VALUES, pack_finding
from krmkit.systems.palette.packs.keypath import KeyPath

PRESETS = "presets.yaml"


class Preset:
    """One preset: `remove` as key paths; `add` as a mapping of its own text, None where nothing is added.

    `number` is its position in presets.yaml, `asked` that of the entry of the selection that asks for it.
    """

    def __init__(
        self, name: str, group: str, remove: list[KeyPath], add: Map | None, number: int, asked: int
    ) -> None:
        self.name = name
        self.group = group
        self.remove = remove
        self.add = add
        self.number = number
        self.asked = asked

    @property
    def label(self) -> str:
        """`Group:name`, or the name alone, as the marker comment writes it."""
        return f"{self.group}:{self.name}" if self.group else self.name


def preset_finding(
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


class PresetCatalog:
    """The presets of one presets.yaml, each read when it is chosen. Packs may share a catalog."""

    def __init__(self, text: str, entries: list[tuple[str, str, Map]], limits: Limits) -> None:
        self.text = text
        self.entries = entries
        self.limits = limits
        self._by_name: dict[str, int] = {}  # the first of each name
        self._by_label: dict[tuple[str, str], int] = {}  # of each (group, name)
        for number, (name, group, _) in enumerate(entries):
            self._by_name.setdefault(name, number)
            self._by_label.setdefault((group, name), number)

    @classmethod
    def parse(cls, text: str, limits: Limits) -> PresetCatalog:
        root = parse(text, limits).root
        if root is None or is_core_null(root):
            return cls(text, [], limits)
        if not isinstance(root, Map):
            raise YamlError("a mapping with the key presets is expected", 1, 1)
        listed = root.get("presets")
        if listed is None or is_core_null(listed):
            return cls(text, [], limits)
        if not isinstance(listed, Seq):
            raise YamlError("presets must be a list")
        entries = []
        for number, item in enumerate(listed.items):
            node = deref(item)
            name = _text(node.get("name")) if isinstance(node, Map) else None
            if not isinstance(node, Map) or not name:
                raise YamlError(f"presets[{number}] must be a mapping with a name")
            entries.append((name, _text(node.get("group")) or "", node))
        return cls(text, entries, limits)

    def choose(self, wanted: list[str], from_marker: bool) -> tuple[list[Finding], list[Preset]]:
        """Return the presets that are asked for, each once, in the order of asking."""
        findings: list[Finding] = []
        seen: dict[str, int] = {}
        for name, _, _ in self.entries:
            seen[name] = seen.get(name, 0) + 1
            if seen[name] == 2:
                findings.append(
                    preset_finding(
                        "duplicate-name",
                        f'{PRESETS} has more than one preset named "{name}"; give each a name of its own',
                        name,
                        path=f"presets.{name}",
                    )
                )
        numbers: dict[int, int] = {}  # of the presets; of the first entry that asks for each
        for asked, entry in enumerate(wanted):
            found = self.lookup(entry)
            if found is None:
                findings.append(self.unknown(entry, from_marker))
            else:
                numbers.setdefault(found, asked)
        groups: dict[str, int] = {}
        for number in numbers:
            name, group, _ = self.entries[number]
            first = groups.setdefault(group, number) if group else number
            other = self.entries[first][0]
            if other != name:
                message = (
                    f'the presets "{other}" and "{name}" are both of the group "{group}"; select one of them'
                )
                both = preset_finding("group-conflict", message, name)
                both.beside(None, f"presets[{first}]", f'the preset "{other}"', PRESETS)
                findings.append(both.beside(None, f"presets[{number}]", f'the preset "{name}"', PRESETS))
        presets: list[Preset] = []
        if not any(finding.severity == "error" for finding in findings):
            for number, asked in numbers.items():
                preset = self.read(number, asked, findings)
                if preset is not None:
                    presets.append(preset)
        return findings, presets

    def lookup(self, entry: str) -> int | None:
        """Return the number of the first preset called `Group:name` (split at the last colon) or `name`."""
        group, colon, name = entry.rpartition(":")
        found = [self._by_name.get(entry)]
        if colon:
            found.append(self._by_label.get((group.strip(), name.strip())))
        return min((number for number in found if number is not None), default=None)

    def unknown(self, entry: str, from_marker: bool) -> Finding:
        if from_marker:
            return preset_finding(
                "stale-marker",
                f'the marker comment names the preset "{entry}", which {PRESETS} does not have; nothing is applied for it',
                entry,
                file=VALUES,
            )
        if not self.entries:
            return preset_finding(
                "unknown-preset", f'there is no preset "{entry}": the pack has no presets', entry
            )
        from krmkit.libraries.messages.nearest import nearest, proposing

        some = self.entries[:_MOST_NAMED]
        labels = [f"{group}:{name}" if group else name for name, group, _ in some]
        best = nearest(entry, labels) or nearest(entry, [name for name, _, _ in some])
        more = len(self.entries) - len(some)
        listed = ", ".join(labels) + (f" and {more} more" if more else "")
        has = f"? The pack has: {listed}" if best else f"; the pack has: {listed}"
        hint = proposing(f'; did you mean "{best}"', entry, best) if best else ""
        return preset_finding(
            "unknown-preset", f'there is no preset "{entry}"' + hint + has, entry, proposed=best
        )

    def read(self, number: int, asked: int, findings: list[Finding]) -> Preset | None:
        name, group, node = self.entries[number]
        if isinstance(node.get("add"), Map):
            # The next preset can edit merged values, so the tree must not be shared.
            node = PresetCatalog.parse(self.text, self.limits).entries[number][2]
        remove: list[KeyPath] = []
        listed = node.get("remove")
        if listed is not None and not is_core_null(listed):
            if not isinstance(listed, Seq):
                findings.append(
                    preset_finding("schema", f'the preset "{name}": remove must be a list of key paths', name)
                )
                return None
            for item in listed.items:
                path = _text(item)
                try:
                    remove.append(KeyPath.parse(path or ""))
                except Refused as error:
                    findings.append(preset_finding("schema", f'the preset "{name}": remove: {error}', name))
                    return None
        try:
            return Preset(name, group, remove, self.added(node.get("add")), number, asked)
        except YamlError as error:
            message = f'the preset "{name}": add is not a YAML mapping'
            self.shift(error, node.get("add"))
            findings.append(preset_finding("bad-add", message, name, error=error))
            return None

    def shift(self, error: YamlError, node: Node | None) -> None:
        """Make the place of an error in the text of an `add` one in presets.yaml, as far as it is known."""
        if isinstance(node, Scalar) and node.style in ("|", ">") and error.line is not None:
            text = node.source.text if node.source is not None else ""
            error.line += text.count("\n", 0, node.start) + 1
            error.column = None
        else:
            error.line = error.column = None

    def added(self, node: Node | None) -> Map | None:
        if isinstance(node, Scalar) and not is_core_null(node):
            document = parse(node.text, self.limits)
            node = document.root
            if document.aliases:
                # One that leads into itself has no end.
                core_data(node, self.limits)
        if node is None or is_core_null(node):
            return None
        if not isinstance(node, Map):
            raise YamlError(
                f"a mapping is expected, not a {'list' if isinstance(node, Seq) else 'single value'}"
            )
        return node


def _text(node: Node | None) -> str | None:
    node = deref(node) if node is not None else None
    return node.text if isinstance(node, Scalar) else None
