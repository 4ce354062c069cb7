"""Find unknown names in a pack's files: a typing error silently disables a check or a part of a preset.

Palette has more fields in pack.json than krmkit knows, so at its top level only names close to a known one
are reported. The known names are those of the files' JSON Schemas.
"""

from __future__ import annotations

from krmkit.krm.finding import WARNING, Finding
from krmkit.libraries.json.paths import join
from krmkit.libraries.schema.fields import mapping
from krmkit.libraries.yaml.data import core_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.systems.palette.packs.findings import METADATA, SCHEMA, pack_finding
from krmkit.systems.palette.packs.pack import Pack
from krmkit.systems.palette.packs.packfileschemas import (
    CLOUDS,
    PACK_JSON,
    PRESETS_YAML,
    SCHEMA_YAML,
    pack_json_schema,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.libraries.yaml.limits import Limits
    from krmkit.systems.palette.packs.packfileschemas import Schema

PRESETS = "presets.yaml"


def unknown_names(
    pack: Pack, limits: Limits = DEFAULT_LIMITS, right: set[tuple[str, str]] | None = None
) -> list[Finding]:
    """Return warnings about probable typing errors, unknown clouds, and presets of one name.

    right: files and their texts in which nothing was found before; it gets those of this pack. Many packs
    have the same.
    """
    checked = _Names(pack, METADATA)
    checked.walk(pack.metadata, PACK_JSON, "")
    checked.clouds()
    found = checked.found
    for file, text, schema in ((PRESETS, pack.presets, PRESETS_YAML), (SCHEMA, pack.schema, SCHEMA_YAML)):
        if right is not None and (file, text) in right:
            continue
        try:
            if file == SCHEMA:
                root = pack.schema_root(limits)
            else:
                root = parse(text, limits, duplicates="keep").root if text else None
            data = core_data(root, limits) if root is not None else None
        except YamlError:
            continue  # The reader of the file reports it.
        checked = _Names(pack, file)
        checked.walk(data, schema, "")
        if file == PRESETS:
            _duplicates(checked, data)
        if right is not None and text and not checked.found:
            right.add((file, text))
        found += checked.found
    return found


def metadata_problems(pack: Pack, whole: bool = False) -> list[Finding]:
    """Return what in pack.json breaks its schema; unless `whole`, without constraints, which have own checks.

    A field that is missing is a warning, as a package may render without it; Palette takes no pack without
    it, so it is an error in a `whole` check.
    """
    from krmkit.libraries.schema.violations import validate

    found = validate(pack_json_schema(), pack.metadata)[1]
    if not whole:
        found = [one for one in found if not one.path.startswith("constraints")]
    return [
        pack_finding(
            "incomplete"
            if not whole and one.path in PACK_JSON["required"] and one.path not in pack.metadata
            else "pack-json",
            f"{METADATA}: {one}",
            (one.path,),
            pack.label,
            METADATA,
            one.path,
            one.current,
        )
        for one in found
    ]


class _Names:
    """The names of one file, compared with those of its schema."""

    def __init__(self, pack: Pack, file: str) -> None:
        self.pack = pack
        self.file = file
        self.found: list[Finding] = []

    def add(
        self, path: str, message: str, current: object = None, rule: str = "unknown-name", severity: str = ""
    ) -> None:
        """Add a finding."""
        about, label = (path,), self.pack.label
        found = pack_finding(rule, message, about, label, self.file, path, current, severity=severity)
        self.found.append(found)

    def clouds(self) -> None:
        """Warn of clouds that Palette does not have; anybody may register one."""
        from krmkit.libraries.messages.nearest import did_you_mean

        listed = self.pack.metadata.get("cloudTypes")
        for number, cloud in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(cloud, str) and cloud not in CLOUDS:
                message = f'Palette has no cloud "{cloud}"' + did_you_mean(cloud, CLOUDS)
                self.add(f"cloudTypes[{number}]", message, cloud, "unknown-cloud")

    def walk(self, data: object, schema: Schema, path: str) -> None:
        """Look at the names of maps, and of the maps in them, as far as the schema describes them."""
        if isinstance(data, list):
            inner = schema.get("items")
            for number, one in enumerate(data if inner else ()):
                self.walk(one, inner or {}, f"{path}[{number}]")
        if not isinstance(data, dict):
            return
        known = mapping(schema, "properties")
        others = schema.get("additionalProperties")
        for name, value in data.items():
            place = join(path, name) if path else name
            if name in known:
                self.walk(value, known[name], place)
            elif isinstance(others, dict):
                self.walk(value, others, place)
            elif known:
                from krmkit.libraries.messages.nearest import did_you_mean, proposal

                near = did_you_mean(name, known) if others is False else proposal(name, known)
                if near:
                    self.add(place, f'{self.file} has no field "{name}"' + near)


def _duplicates(checked: _Names, data: object) -> None:
    """Report presets with the name of an earlier one, an error once a preset of the file is selected."""
    listed = data.get("presets") if isinstance(data, dict) else None
    seen: set[str] = set()
    for number, preset in enumerate(listed if isinstance(listed, list) else ()):
        name = preset.get("name") if isinstance(preset, dict) else None
        if not isinstance(name, str):
            continue
        if name in seen:
            message = f'{PRESETS} has more than one preset named "{name}"; give each a name of its own'
            checked.add(f"presets[{number}].name", message, rule="duplicate-name", severity=WARNING)
        seen.add(name)
