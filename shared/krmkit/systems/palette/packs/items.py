"""Packs among the items of a ResourceList, and how a changed values text goes back.

A pack is a ConfigMap marked `config.kubernetes.io/local-config: "true"` whose data has the key pack.json,
with values.yaml, presets.yaml, schema.yaml and defaults.yaml as present; or a resource of kind Pack with
spec.metadata (pack.json as a map) and the texts spec.values, presets, schema, defaults.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.tree import Map, Scalar
from krmkit.systems.palette.errors import PackError
from krmkit.systems.palette.packs.lines import FileLines, block_place, said_place
from krmkit.systems.palette.packs.pack import Pack, read_metadata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from krmkit.krm.finding import Finding
    from krmkit.krm.resource import Resource
    from krmkit.krm.resourcelist import ResourceList

PACK_FILE = "pack.json"
FOLDER = "krmkit.dev/pack-folder"  # on an imported pack: the name of its folder, or its path in the package
CARRIERS = ("ConfigMap", "Pack")  # kinds that may hold a pack
FILES = ("values.yaml", "presets.yaml", "schema.yaml", "defaults.yaml")


_MOST_NAMED = 500  # packs that a message about an unknown one looks at


class Carrier:
    """A pack and the item that it came in."""

    def __init__(self, resource: Resource, pack: Pack, lines: FileLines) -> None:
        self.lines = lines
        self.resource = resource
        self.pack = pack
        self._places: dict[str, tuple[int, int] | None] = {}

    @classmethod
    def of(cls, resource: Resource, lines: FileLines) -> Carrier:
        """Read the pack of an item that `is_pack`. Raises PackError."""
        kind = resource.kind
        texts = [_text(resource, place(kind, file)) for file in FILES]
        if kind == "Pack":
            metadata = resource.get("spec", "metadata")
            if not isinstance(metadata, dict):
                raise PackError(
                    "spec.metadata must be a map, what pack.json holds", resource, "spec.metadata"
                )
        else:
            text = _text(resource, ("data", PACK_FILE))
            try:
                metadata = read_metadata(text or "")
            except Refused as error:
                raise PackError(str(error), resource, f'data."{PACK_FILE}"') from None
        pack = Pack(metadata, *texts)
        if not pack.name:
            raise PackError(f"{PACK_FILE} has no name", resource, "name")
        return cls(resource, pack, lines)

    def located(self, finding: Finding) -> Finding:
        """Return a finding with the pack's item as resource, and its place before the message.

        The place is that in the item's file; for an imported pack also that in the file of the pack's folder.
        """
        if finding.line:
            self._locate(finding, finding.tags.get("file", FILES[0]))
        return finding.at(self.resource, pack=self.pack.label)

    def _locate(self, finding: Finding, file: str) -> None:
        item = self.resource
        if file not in self._places:
            self._places[file] = block_place(item.text, item.column, place(item.kind, file))
        found = self._places[file]
        first, indent = found or (0, 0)
        line = self.lines.of(item, first + finding.line - 1) if found else None
        inside = said_place(finding.line, finding.column)
        folder = item.annotations.get(FOLDER)
        if line is None:
            where = f"{inside} of {folder or self.pack.label}/{file}"
        else:
            where = said_place(line, finding.column and finding.column + indent - item.column)
            where += f" ({inside} of {folder}/{file})" if folder else ""
        finding.message = f"{where}: {finding.message}"

    def write_values(self, text: str) -> None:
        """Give the item another values text; nothing else of it changes."""
        if text != self.pack.values:
            self.resource.set(place(self.resource.kind, FILES[0]), text)
            self.pack.values = text


class Packs:
    """The packs of a list, in its order, and the items that should be packs and cannot be read."""

    def __init__(self, carriers: list[Carrier], problems: list[PackError], lines: FileLines) -> None:
        self.lines = lines
        self.carriers = carriers
        self.problems = problems
        self._by_pack: dict[str, list[Carrier]] = {}
        self._by_item: dict[str, list[Carrier]] = {}
        for carrier in carriers:
            self._by_pack.setdefault(carrier.pack.name, []).append(carrier)
            self._by_item.setdefault(carrier.resource.name, []).append(carrier)

    @classmethod
    def read(cls, items: ResourceList) -> Packs:
        """All packs. Items that cannot be one are not parsed."""
        carriers: list[Carrier] = []
        problems: list[PackError] = []
        lines = FileLines(items)
        for resource in candidates(items):
            try:
                carriers.append(Carrier.of(resource, lines))
            except PackError as error:
                problems.append(error)
        _label(carriers)
        return cls(carriers, problems, lines)

    def named(self, name: str) -> Carrier:
        """Return the pack with a name of pack.json, else that of an item of this name. Raises PackError."""
        by_item, by_pack = self._by_item.get(name, []), self._by_pack.get(name, [])
        if len(by_pack) == 1:
            return by_pack[0]
        if len(by_item) == 1:
            return by_item[0]
        if by_pack or by_item:
            items = ", ".join(carrier.resource.name for carrier in by_pack or by_item)
            raise PackError(
                f'the pack name "{name}" fits several items ({items}): write the name of one of them'
            )
        from krmkit.libraries.messages.nearest import did_you_mean

        # The nearest of thousands is not worth a search through all of them for every unknown name.
        hint = (
            did_you_mean(name, list(self._by_pack)[:_MOST_NAMED])
            if self._by_pack
            else ", nor any other among the items"
        )
        raise PackError(f'there is no pack "{name}"' + hint)


def candidates(items: ResourceList) -> list[Resource]:
    """Return the items that are packs, in their order."""
    found = items.containing(PACK_FILE, "local-config", alternative=("Pack", "spec"))
    return [item for item in found if is_pack(item)]


def is_pack(resource: Resource) -> bool:
    """Return whether an item carries a pack."""
    kind = resource.kind
    if kind == "Pack":
        return resource.api_version.startswith("krmkit.dev/") or isinstance(
            resource.node("spec", "metadata"), Map
        )
    return (
        kind == "ConfigMap"
        and resource.api_version == "v1"
        and resource.node("data", PACK_FILE) is not None
        and resource.is_local_config
    )


def place(kind: str, file: str) -> tuple[str, str]:
    """Return the path at which an item of a kind keeps the text of a pack's file."""
    return ("spec", file.removesuffix(".yaml")) if kind == "Pack" else ("data", file)


def _text(resource: Resource, path: tuple[str, str]) -> str | None:
    node = resource.node(*path)
    if node is None:
        return None
    if not isinstance(node, Scalar):
        field = path[1] if "." not in path[1] else f'"{path[1]}"'
        raise PackError(
            f"{path[1]} must be a text: put it after `{path[1]}: |`, indented", resource, f"{path[0]}.{field}"
        )
    return node.text


def _label(carriers: Sequence[Carrier]) -> None:
    """Packs of one name differ by their items."""
    counts: dict[str, int] = {}
    for carrier in carriers:
        counts[carrier.pack.name] = counts.get(carrier.pack.name, 0) + 1
    for carrier in carriers:
        if counts[carrier.pack.name] > 1:
            carrier.pack.label = f"{carrier.pack.name} ({carrier.resource.name})"
