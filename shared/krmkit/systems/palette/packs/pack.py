"""A pack: its metadata (pack.json) and the texts that lie beside it."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.data import core_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import Limits
from krmkit.libraries.yaml.tree import Node

DISPLAY_NAME = "spectrocloud.com/display-name"


class Pack:
    """One pack as values.

    name, display_name, version, tag, layer: from pack.json, "" if absent. constraints: its `constraints`,
    unchecked. metadata: all of pack.json. values, presets, schema, defaults: the texts, None if the pack has
    no such file; `defaults` is the values text as the pack ships it. label: its name in findings.
    """

    def __init__(
        self,
        metadata: dict[str, object],
        values: str | None = None,
        presets: str | None = None,
        schema: str | None = None,
        defaults: str | None = None,
    ) -> None:
        self.metadata = metadata
        self.name = text_of(metadata, "name")
        self.display_name = text_of(metadata, "displayName")
        self.version = text_of(metadata, "version")
        self.tag = text_of(metadata, "tag")
        self.layer = text_of(metadata, "layer")
        self.constraints = metadata.get("constraints")
        self.values = values
        self.presets = presets
        self.schema = schema
        self.defaults = defaults
        self.label = self.name
        self._schema_root: Node | None = None

    def schema_root(self, limits: Limits) -> Node | None:
        """Return the tree of the schema's text, parsed once; keys may occur twice. Raises YamlError."""
        if self._schema_root is None and self.schema:
            self._schema_root = parse(self.schema, limits, duplicates="keep").root
        return self._schema_root

    def constraint(self, name: str) -> object:
        """`constraints.<name>` (dependencies, resources), not checked; None if there is none."""
        return self.constraints.get(name) if isinstance(self.constraints, dict) else None

    @property
    def own_name(self) -> str:
        """The spectrocloud.com/display-name in the values, which tells packs of one name apart; else ""."""
        if self.values is None or DISPLAY_NAME not in self.values:
            return ""
        try:
            data = core_data(parse(self.values, duplicates="keep").root)
        except YamlError:
            return ""
        section = data.get("pack") if isinstance(data, dict) else None
        return text_of(section, DISPLAY_NAME) if isinstance(section, dict) else ""

    @property
    def layer_name(self) -> str:
        """The name of the pack's layer in a profile: `<display-name>--<name>` with a name of its own."""
        return f"{self.own_name}--{self.name}" if self.own_name else self.name

    @property
    def effective_version(self) -> str:
        """The version, or the tag if there is no version."""
        return self.version or self.tag

    def is_version_of(self, other: Pack, or_same: bool = False) -> bool:
        """Return True if this is a different version of `other`; with `or_same`, the same version counts too.

        A display name makes it a different pack, unless `other` has the same one."""
        same = self.name == other.name and self.own_name in ("", other.own_name)
        return same and (or_same or self.effective_version != other.effective_version)


def read_metadata(text: str) -> dict[str, object]:
    """pack.json as data. Raises Refused."""
    from krmkit.libraries.json.text import JsonError  # most lists have no pack
    from krmkit.libraries.json.text import parse as parse_json

    try:
        data = parse_json(text)
    except JsonError as error:
        raise Refused(f"pack.json is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise Refused("pack.json must hold one JSON object")
    return data


def text_of(data: dict[str, object], key: str) -> str:
    """Return a text field; "" if it is absent or not a text."""
    value = data.get(key)
    return value if isinstance(value, str) else ""
