"""Read blueprints: the imports and exports of an installation, and its executors.

blueprint = load(Files({"blueprint.yaml": "..."}))
blueprint.imports[0].name
"""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, mapping, text, texts
from krmkit.systems.landscaper.apinames import API_VERSION, GROUP
from krmkit.systems.landscaper.blueprint.files import BLUEPRINT_FILE, Files
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.yaml import load as load_yaml

BLUEPRINT_TYPES = (f"{GROUP}/blueprint", "blueprint")
MEDIA_TYPES = (
    "application/vnd.gardener.landscaper.blueprint.layer.v1.tar",
    "application/vnd.gardener.landscaper.blueprint.v1+tar",
)
SCHEMA_VERSION_ANNOTATION = "ocmSchemaVersion"

DATA, TARGET, TARGET_LIST, TARGET_MAP = "data", "target", "targetList", "targetMap"
IMPORT_TYPES = (DATA, TARGET, TARGET_LIST, TARGET_MAP)
EXPORT_TYPES = (DATA, TARGET)
GO_TEMPLATE, SPIFF = "GoTemplate", "Spiff"
EXECUTOR_TYPES = (GO_TEMPLATE, SPIFF)
EXECUTIONS = ("importExecutions", "subinstallationExecutions", "deployExecutions", "exportExecutions")
_DEEPEST = 50


@dataclass(slots=True)
class ImportOrExport:
    """An import or export. `default`: {value} or None. `imports`: only active if this import has a value."""

    name: str
    type: str
    schema: object = None
    target_type: str = ""
    required: bool = True
    default: dict[str, object] | None = None
    imports: list[ImportOrExport] = field(default_factory=list)


@dataclass(slots=True)
class Executor:
    """A template of a phase. `template`: a text or, for Spiff, data. `file`: its path if it is in a file."""

    name: str
    type: str
    template: object = None
    file: str = ""

    def text(self, files: Files) -> str:
        """Return the template of a GoTemplate executor. Raises InstallationError."""
        if self.template is not None:
            if not isinstance(self.template, str):
                raise InstallationError(
                    "template",
                    f'executor "{self.name}": template must be a text, got {type(self.template).__name__}',
                )
            return self.template
        if self.file:
            return read_file(files, self.file)
        raise InstallationError(
            "template", f'executor "{self.name}": no template found; template or file must be given'
        )


@dataclass(slots=True)
class Blueprint:
    """A loaded blueprint; `info` is the content of blueprint.yaml."""

    info: dict[str, object]
    files: Files
    imports: list[ImportOrExport]
    exports: list[ImportOrExport]

    @property
    def local_types(self) -> dict[str, object]:
        return mapping(self.info.get("localTypes"))

    @property
    def schema_version(self) -> str:
        """Return the blueprint's schema version for descriptors in templates, or ""."""
        return texts(self.info.get("annotations")).get(SCHEMA_VERSION_ANNOTATION, "")

    def executors(self, phase: str) -> list[Executor]:
        """Return the executors of a phase (see EXECUTIONS), in order. Raises InstallationError."""
        found = []
        for entry in entries(self.info.get(phase)):
            kind = text(entry.get("type"))
            if kind not in EXECUTOR_TYPES:
                raise InstallationError(
                    "template",
                    f"unknown template type {kind or '(none)'}" + did_you_mean(kind, EXECUTOR_TYPES),
                    phase,
                )
            found.append(
                Executor(text(entry.get("name")), kind, entry.get("template"), text(entry.get("file")))
            )
        return found

    def subinstallations(self) -> list[dict[str, object]]:
        """Return the static templates of nested installations, read from files. Raises InstallationError."""
        found = []
        for entry in entries(self.info.get("subinstallations")):
            file = text(entry.get("file"))
            if not file:
                found.append(entry)
                continue
            template = _decode(read_file(self.files, file), file)
            _check_kind(template, "InstallationTemplate", file)
            found.append(template)
        return found

    def all_imports(self) -> list[tuple[ImportOrExport, bool]]:
        """Return every import, with True if it may lack a value (optional or conditional)."""
        found: list[tuple[ImportOrExport, bool]] = []
        pending = [(one, False) for one in reversed(self.imports)]
        while pending:
            one, conditional = pending.pop()
            found.append((one, conditional or not one.required))
            pending += [(inner, True) for inner in reversed(one.imports)]
        return found


def load(files: Files) -> Blueprint:
    """Return the blueprint of a file system. Raises InstallationError: blueprint-not-found, or invalid."""
    try:
        content = files.text(BLUEPRINT_FILE)
    except FileNotFoundError:
        raise InstallationError(
            "blueprint-not-found", f"the blueprint has no file {BLUEPRINT_FILE}"
        ) from None
    info = _decode(content, BLUEPRINT_FILE)
    _check_kind(info, "Blueprint", BLUEPRINT_FILE)
    return Blueprint(
        info,
        files,
        [_definition(entry, 0) for entry in entries(info.get("imports"))],
        [_definition(entry, 0, is_export=True) for entry in entries(info.get("exports"))],
    )


def read_file(files: Files, path: str) -> str:
    """Return a file of the blueprint. Raises InstallationError, which names the nearest existing path."""
    try:
        return files.text(path)
    except FileNotFoundError:
        raise InstallationError(
            "template", f'file does not exist: "{path}"' + did_you_mean(path.lstrip("/"), files.all())
        ) from None


def _decode(content: str, path: str) -> dict[str, object]:
    try:
        data = load_yaml(content)
    except GoInputError as error:
        raise InstallationError("invalid", f"{path}: {error}") from None
    if not isinstance(data, dict):
        raise InstallationError("invalid", f"{path} must be a mapping with apiVersion and kind")
    return data


def _check_kind(data: dict[str, object], kind: str, path: str) -> None:
    found = data.get("apiVersion"), data.get("kind")
    if found != (API_VERSION, kind):
        raise InstallationError(
            "invalid",
            f"{path} must have apiVersion {API_VERSION} and kind {kind}, got {found[0]} and {found[1]}",
        )


def _definition(entry: dict[str, object], depth: int, is_export: bool = False) -> ImportOrExport:
    if depth > _DEEPEST:
        raise InstallationError("limit", f"imports are nested more than {_DEEPEST} deep")
    name = "" if entry.get("name") is None else entry["name"]
    if not isinstance(name, str):
        raise InstallationError("invalid", _no_name(name, is_export), "spec.blueprint")
    kind = text(entry.get("type"))
    target_type = text(entry.get("targetType"))
    if not kind:
        kind = TARGET if target_type else DATA
    if target_type and "/" not in target_type and (is_export or kind in (TARGET, TARGET_LIST)):
        target_type = f"{GROUP}/{target_type}"
    default = entry.get("default")
    return ImportOrExport(
        name,
        kind,
        entry.get("schema"),
        target_type,
        entry.get("required") is not False,
        default if isinstance(default, dict) and default.get("value") is not None else None,
        [] if is_export else [_definition(one, depth + 1) for one in entries(entry.get("imports"))],
    )


def _no_name(value: object, is_export: bool) -> str:
    got = str(value).lower() if isinstance(value, (bool, int, float)) else type(value).__name__
    hint = "; YAML 1.1 reads a plain n, y, no, yes, off and on as a boolean: quote it"
    what = "export" if is_export else "import"
    return (
        f"{BLUEPRINT_FILE}: the name of an {what} must be a text, got {got}{hint * isinstance(value, bool)}"
    )
