"""The Kptfile as the pipeline needs it: which functions run, in which order, on which resources, with which config.

Scalars resolve as Go's yaml.v3 hands them to text fields: what stands there, whatever it looks like (`a: 010` is the
text 010), and nothing for null. Unknown fields are errors where a typing error would change what runs: at the top, in
the pipeline, in functions and selectors. The rest (info, status, upstream, inventory) is not looked into.
(Fields: kpt.dev/v1 of kpt 1.0.0-beta.56, and `tag` of newer versions.)
"""

from __future__ import annotations

from krmkit.krm.annotations import LOCAL_CONFIG
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.lang.schema import read_schema
from krmkit.lang.violations import validate
from krmkit.yaml.data import text_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    Node = dict[str, Any]

API_VERSION = "kpt.dev/v1"
KIND = "Kptfile"
STAGES = ("mutators", "validators")

_TEXT: Node = {"type": "string", "nullable": True}
_TEXTS: Node = {"type": "object", "nullable": True, "additionalProperties": _TEXT}
_ANYTHING: Node = {"nullable": True, "x-kubernetes-preserve-unknown-fields": True}


def _map(texts: str, **others: Node) -> Node:
    properties = {**dict.fromkeys(texts.split(), _TEXT), **others}
    return {"type": "object", "nullable": True, "properties": properties}


def _list(items: Node) -> Node:
    return {"type": "array", "nullable": True, "items": items}


_SELECTORS = _list(_map("apiVersion kind name namespace", labels=_TEXTS, annotations=_TEXTS))
_FUNCTIONS = _list(
    _map("image exec tag configPath name", configMap=_TEXTS, selectors=_SELECTORS, exclude=_SELECTORS)
)
_SCHEMA = _map(
    "apiVersion kind",
    pipeline=_map("", **dict.fromkeys(STAGES, _FUNCTIONS)),
    **dict.fromkeys(("metadata", "upstream", "upstreamLock", "info", "inventory", "status"), _ANYTHING),
)
_IMAGE_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@")


def new_kptfile(name: str, pipeline: dict[str, Any] | None = None) -> str:
    """The text of a Kptfile for a new package: `new_kptfile("shop")` has no pipeline."""
    from krmkit.yaml import emit

    data: Node = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": name, "annotations": {LOCAL_CONFIG: "true"}},
    }
    return emit.document({**data, "pipeline": pipeline} if pipeline else data)


def image_name(image: str) -> str:
    """`apply-presets` of `registry.example:5000/team/apply-presets:v1.2@sha256:...`."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0]


def program_name(program: str) -> str:
    """`apply-presets` of `bin/apply-presets` and of `functions/apply-presets/main.py`."""
    segments = [segment for segment in program.split("/") if segment not in {"", "."}]
    if len(segments) > 1 and segments[-1] == "main.py":
        return segments[-2]
    return segments[-1] if segments else ""


class KptfileError(ListError):
    """The Kptfile cannot be used; `problems` lists all that is wrong with it, each with its path."""

    def __init__(self, where: str, problems: list[str]) -> None:
        super().__init__(f"{where}: " + "; ".join(problems))
        self.where = where
        self.problems = problems


class ResourceSelector:
    """Which resources are meant: those that have all of what is given. "" and {} ask for nothing."""

    __slots__ = ("annotations", "api_version", "kind", "labels", "name", "namespace")

    def __init__(
        self,
        api_version: str = "",
        kind: str = "",
        name: str = "",
        namespace: str = "",
        labels: dict[str, str] | None = None,
        annotations: dict[str, str] | None = None,
    ) -> None:
        self.api_version = api_version
        self.kind = kind
        self.name = name
        self.namespace = namespace
        self.labels = labels or {}
        self.annotations = annotations or {}

    @classmethod
    def read(cls, data: object) -> Self:
        """The selector that data of a Kptfile says."""
        return cls(
            _text(data, "apiVersion"),
            _text(data, "kind"),
            _text(data, "name"),
            _text(data, "namespace"),
            _texts(data, "labels"),
            _texts(data, "annotations"),
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for. Such a selector takes every resource; such an exclusion excludes none."""
        return not (
            self.api_version or self.kind or self.name or self.namespace or self.labels or self.annotations
        )

    def matches(self, resource: Resource) -> bool:
        """Whether the resource has all that is asked for."""
        return (
            (not self.kind or resource.kind == self.kind)
            and (not self.name or resource.name == self.name)
            and (not self.namespace or resource.namespace == self.namespace)
            and (not self.api_version or resource.api_version == self.api_version)
            and (not self.labels or _covers(resource.labels, self.labels))
            and (not self.annotations or _covers(resource.annotations, self.annotations))
        )


def _covers(found: dict[str, str], asked: dict[str, str]) -> bool:
    return all(found.get(key) == value for key, value in asked.items())


class PipelineFunction:
    """One entry of the pipeline. Either `image` or `exec` is given, and at most one of `config_path` and `config_map`.

    `config_path` is relative to the package and as it stands in the Kptfile, `config_file` the same without `.`
    segments; `config_map` is {} where there is none. `field` is the entry's path in the Kptfile, for messages.
    """

    __slots__ = (
        "config_file",
        "config_map",
        "config_path",
        "exclude",
        "exec",
        "field",
        "image",
        "name",
        "selectors",
        "tag",
    )

    def __init__(self, field: str, data: object = None) -> None:
        self.field = field
        self.image = _text(data, "image")
        self.exec = _text(data, "exec")
        self.tag = _text(data, "tag")
        self.name = _text(data, "name")
        self.config_path = _text(data, "configPath")
        self.config_file = "/".join(part for part in self.config_path.split("/") if part not in ("", "."))
        self.config_map = _texts(data, "configMap")
        self.selectors = [ResourceSelector.read(entry) for entry in _items(data, "selectors")]
        self.exclude = [ResourceSelector.read(entry) for entry in _items(data, "exclude")]

    def problems(self) -> list[str]:
        """What the schema cannot say, each with its path."""
        found = []
        if self.config_path:
            segments = self.config_file.split("/")
            if self.config_path.startswith("/") or ".." in segments or not "".join(segments).strip():
                found.append(
                    f'{self.field}.configPath: "{self.config_path}" must be a path inside the package,'
                    " relative to its Kptfile"
                )
        if not self.image and not self.exec:
            found.append(f"{self.field}: names no function; give image or exec")
        elif self.image and self.exec:
            found.append(f"{self.field}: image and exec exclude each other; give one of them")
        if self.config_path and self.config_map:
            found.append(f"{self.field}: configPath and configMap exclude each other; give one of them")
        name = image_name(self.image)
        if self.image and (not name or name != name.lower() or not _IMAGE_SIGNS.issuperset(self.image)):
            found.append(f'{self.field}.image: "{self.image}" is not the name of an image')
        return found

    @property
    def function_name(self) -> str:
        """The name by which a catalog would know it: `apply-presets` of `image: ghcr.io/krmkit/apply-presets:v1`."""
        return image_name(self.image) if self.image else program_name(self.exec.partition(" ")[0])

    @property
    def narrows(self) -> bool:
        """Whether the function gets a part of the resources only."""
        return bool(self.selectors or self.exclude)

    def takes(self, resource: Resource) -> bool:
        """Whether the function gets the resource: one selector must match, and no exclusion."""
        if self.selectors and not any(selector.matches(resource) for selector in self.selectors):
            return False
        return not any(not other.is_empty and other.matches(resource) for other in self.exclude)


class Kptfile:
    """A Kptfile: the package's `name` and its `mutators` and `validators` in order."""

    __slots__ = ("mutators", "name", "resource", "validators")

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
        self.name = resource.name
        self.mutators: list[PipelineFunction] = []
        self.validators: list[PipelineFunction] = []

    @classmethod
    def parse(cls, text: str, where: str = "Kptfile") -> Kptfile:
        """Read a Kptfile. Raises KptfileError, and YamlError where the text is no YAML."""
        return cls.of(Resource(text, label=where), where)

    @classmethod
    def of(cls, resource: Resource, where: str = "Kptfile") -> Kptfile:
        """Read the Kptfile that a resource is; `where` names it in errors. Raises KptfileError, YamlError."""
        kind, version = resource.kind, resource.api_version
        if kind != KIND or version != API_VERSION:
            found = f"{kind or 'no kind'} ({version or 'no apiVersion'})"
            raise KptfileError(where, [f"this is {found}; a Kptfile ({API_VERSION}) must stand here"])
        data, violations = validate(read_schema(_SCHEMA), text_data(resource.root, resource.limits))
        problems = [str(violation) for violation in violations]
        kptfile = cls(resource)
        pipeline = _entries(data, "pipeline")
        for stage, functions in (("mutators", kptfile.mutators), ("validators", kptfile.validators)):
            for index, entry in enumerate(_items(pipeline, stage)):
                functions.append(PipelineFunction(f"pipeline.{stage}[{index}]", entry))
                problems += functions[-1].problems()
        if problems:
            raise KptfileError(where, problems)
        return kptfile


# Of data that does not fit the schema, what does is read, so that all that is wrong is said at once.


def _entries(data: object, name: str) -> dict[str, object]:
    value = data.get(name) if isinstance(data, dict) else None
    return value if isinstance(value, dict) else {}


def _items(data: object, name: str) -> list[object]:
    value = data.get(name) if isinstance(data, dict) else None
    return value if isinstance(value, list) else []


def _text(data: object, name: str) -> str:
    value = data.get(name) if isinstance(data, dict) else None
    return value if isinstance(value, str) else ""


def _texts(data: object, name: str) -> dict[str, str]:
    found = _entries(data, name)
    return {key: _text(found, key) for key in found}
