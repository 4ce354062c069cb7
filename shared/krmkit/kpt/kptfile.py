"""The Kptfile's pipeline: functions, their order, their resources and their configs.

Text fields have their source text, as Go's yaml.v3 reads them (`a: 010` is the text 010), and "" for null.
An unknown field is an error where a typing error would change what runs: at the top, in the pipeline, in
functions and selectors, and in status, whose unknown fields make kpt refuse the Kptfile. The rest (info,
upstream, inventory) is not checked. (Fields: kpt.dev/v1 of kpt 1.0.0-beta.67, and `when` and `configRef` of
its next version.)
"""

from __future__ import annotations

from krmkit.krm.annotations import BLUEPRINT_MARK, LOCAL_CONFIG
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.json.paths import steps_of
from krmkit.libraries.schema.fields import find, mapping, sequence, text
from krmkit.libraries.schema.openapi import read_schema
from krmkit.libraries.schema.violations import validate
from krmkit.libraries.yaml.data import text_data
from krmkit.libraries.yaml.tree import Map, Seq, deref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from krmkit.libraries.yaml.tree import Node

    Schema = dict[str, Any]

API_VERSION = "kpt.dev/v1"
KIND = "Kptfile"
STAGES = ("mutators", "validators")

_IDENTITY = ("apiVersion", "kind", "name", "namespace")
_TEXT: Schema = {"type": "string", "nullable": True}
_TEXTS: Schema = {"type": "object", "nullable": True, "additionalProperties": _TEXT}
_ANYTHING: Schema = {"nullable": True, "x-kubernetes-preserve-unknown-fields": True}


def _map(texts: str, **others: Schema) -> Schema:
    properties = {**dict.fromkeys(texts.split(), _TEXT), **others}
    return {"type": "object", "nullable": True, "properties": properties}


def _list(items: Schema) -> Schema:
    return {"type": "array", "nullable": True, "items": items}


_SELECTORS = _list(_map("apiVersion kind name namespace", labels=_TEXTS, annotations=_TEXTS))
_FUNCTIONS = _list(
    _map(
        "image exec tag configPath name when",
        configMap=_TEXTS,
        configRef=_map("apiVersion kind name namespace"),
        selectors=_SELECTORS,
        exclude=_SELECTORS,
    )
)
_SCHEMA = _map(
    "apiVersion kind",
    pipeline=_map("", **dict.fromkeys(STAGES, _FUNCTIONS)),
    status=_map("", conditions=_ANYTHING, renderStatus=_ANYTHING),
    **dict.fromkeys(("metadata", "upstream", "upstreamLock", "info", "inventory"), _ANYTHING),
)
_READ: list[Any] = []  # the schema, once it is read
_IMAGE_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@")


def new_kptfile(name: str, pipeline: dict[str, Any] | None = None) -> str:
    """Return the text of a Kptfile for a new package: `new_kptfile("shop")` has no pipeline."""
    from krmkit.libraries.yaml import emit

    data: Schema = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": name, "annotations": {LOCAL_CONFIG: "true"}},
    }
    return emit.document({**data, "pipeline": pipeline} if pipeline else data)


def image_name(image: str) -> str:
    """Return `apply-presets` of `registry.example:5000/team/apply-presets:v1.2@sha256:...`."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0]


def image_tag(image: str) -> str:
    """Return `v1.2` of `registry.example:5000/team/apply-presets:v1.2@sha256:...`; "" without a tag."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[2]


def program_name(program: str) -> str:
    """Return `apply-presets` of `bin/apply-presets` and of `functions/apply-presets/main.py`."""
    segments = [segment for segment in program.split("/") if segment not in {"", "."}]
    if len(segments) > 1 and segments[-1] == "main.py":
        return segments[-2]
    return segments[-1] if segments else ""


class ResourceSelector:
    """A selector of resources that match all given fields. "" and {} match everything."""

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
        """Return the selector in data of a Kptfile."""
        version, kind, name, namespace = (_text(data, key) for key in _IDENTITY)
        return cls(version, kind, name, namespace, _texts(data, "labels"), _texts(data, "annotations"))

    def __str__(self) -> str:
        """Return `ConfigMap "conf"`, the text of a reference in messages."""
        version = f" ({self.api_version})" if self.api_version else ""
        namespace = f" in namespace {self.namespace}" if self.namespace else ""
        return f'{self.kind}{version} "{self.name}"{namespace}'

    @property
    def is_empty(self) -> bool:
        """Return True if the selector has no field.

        In `selectors` it matches every resource; in `exclude` it excludes none.
        """
        return not (
            self.api_version or self.kind or self.name or self.namespace or self.labels or self.annotations
        )

    def matches(self, resource: Resource) -> bool:
        """Return True if the resource matches every field of the selector."""
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
    """One entry of the pipeline.

    Either `image` or `exec` is given, and at most one of the configs.

    - `config_path`: relative to the package, as the Kptfile has it; `config_file` is the path without `.`
      segments.
    - `config_map`: {} without one. `config_ref`: a selector of one resource of the package.
    - `when`: a CEL condition over the function's input, `resources`; "" if the function always runs.
    - `field`: the entry's path in the Kptfile, for messages.
    """

    __slots__ = (
        "config_file", "config_map", "config_path", "config_ref", "exclude", "exec", "field", "given", "image",
        "name", "selectors", "tag", "when",
    )  # fmt: skip

    def __init__(self, field: str, data: object = None) -> None:
        self.field = field
        self.image = _text(data, "image")
        self.exec = _text(data, "exec")
        self.tag = _text(data, "tag")
        self.name = _text(data, "name")
        self.config_path = _text(data, "configPath")
        self.config_file = "/".join(part for part in self.config_path.split("/") if part not in ("", "."))
        self.config_map = _texts(data, "configMap")
        reference = mapping(mapping(data).get("configRef"))
        self.config_ref = ResourceSelector.read(reference) if reference else None
        self.given: Resource | None = None  # from outside of the package
        self.when = _text(data, "when").strip()
        self.selectors = [ResourceSelector.read(entry) for entry in sequence(find(data, ("selectors",)))]
        self.exclude = [ResourceSelector.read(entry) for entry in sequence(find(data, ("exclude",)))]

    def problems(self) -> list[str]:
        """Return violations that the schema cannot express, each with its path."""
        found = []
        if self.config_path:
            segments = self.config_file.split("/")
            # kpt refuses two dots anywhere, also in a name.
            if self.config_path.startswith("/") or ".." in self.config_path or not "".join(segments).strip():
                found.append(
                    f'{self.field}.configPath: "{self.config_path}" must be a path inside the package,'
                    " relative to its Kptfile, without two dots in a row"
                )
        if not self.image and not self.exec:
            found.append(f"{self.field}: names no function; give image or exec")
        elif self.image and self.exec:
            found.append(f"{self.field}: image and exec exclude each other; give one of them")
        given = {"configPath": self.config_path, "configMap": self.config_map, "configRef": self.config_ref}
        names = [name for name, value in given.items() if value]
        if len(names) > 1:
            found.append(f"{self.field}: {' and '.join(names)} exclude each other; give one of them")
        if self.config_ref is not None:
            for name, value in (("kind", self.config_ref.kind), ("name", self.config_ref.name)):
                if not value:
                    place = f"{self.field}.configRef.{name}"
                    found.append(f"{place}: must name the {name} of a resource, got nothing")
        name = image_name(self.image)
        if self.image and (not name or name != name.lower() or not _IMAGE_SIGNS.issuperset(self.image)):
            found.append(f'{self.field}.image: "{self.image}" is not the name of an image')
        return found

    @property
    def function_name(self) -> str:
        """Return the name in a catalog: `apply-presets` of `image: registry.example/apply-presets:v1`."""
        return image_name(self.image) if self.image else program_name(self.exec.partition(" ")[0])

    @property
    def narrows(self) -> bool:
        """Return True if the entry has selectors or exclusions."""
        return bool(self.selectors or self.exclude)

    def takes(self, resource: Resource) -> bool:
        """Return True if a selector matches the resource, and no exclusion does."""
        if self.selectors and not any(selector.matches(resource) for selector in self.selectors):
            return False
        return not any(not other.is_empty and other.matches(resource) for other in self.exclude)


class Kptfile:
    """A Kptfile: the package's `name` and its `mutators` and `validators` in order.

    `line` is the Kptfile's first line in its file, 0 if unknown.
    """

    __slots__ = ("line", "mutators", "name", "resource", "validators")

    def __init__(self, resource: Resource, line: int = 0) -> None:
        self.resource = resource
        self.line = line
        self.name = resource.name
        self.mutators: list[PipelineFunction] = []
        self.validators: list[PipelineFunction] = []

    @property
    def is_blueprint(self) -> bool:
        """Return True if the package is marked as a blueprint and has no upstream.

        A clone keeps its original's mark, so the upstream decides.
        """
        marked = self.resource.annotations.get(BLUEPRINT_MARK) == "true"
        return marked and self.resource.node("upstream") is None

    @classmethod
    def parse(cls, text: str, where: str = "Kptfile", line: int = 1) -> Kptfile:
        """Read a Kptfile that begins at `line` of its file. Raises Refused and YamlError."""
        return cls.of(Resource(text, label=where), where, line)

    @classmethod
    def of(cls, resource: Resource, where: str = "Kptfile", line: int = 0) -> Kptfile:
        """Read a resource as a Kptfile; `where` names it in errors. Raises Refused, YamlError."""
        kptfile, kind, version = cls(resource, line), resource.kind, resource.api_version
        if kind != KIND or version != API_VERSION:
            found = f"{kind or 'no kind'} ({version or 'no apiVersion'})"
            wrong = "apiVersion" if kind == KIND else "kind"
            problem = f"{wrong}: must be a Kptfile ({API_VERSION}), got {found}"
            raise Refused(f"{where}: {kptfile.located(problem)}")
        if not _READ:
            _READ.append(read_schema(_SCHEMA))  # once: a fleet reads thousands of Kptfiles
        data, violations = validate(_READ[0], text_data(resource.root, resource.limits))
        problems = [str(violation) for violation in violations]
        for stage, functions in (("mutators", kptfile.mutators), ("validators", kptfile.validators)):
            for index, entry in enumerate(sequence(find(data, ("pipeline", stage)))):
                functions.append(PipelineFunction(f"pipeline.{stage}[{index}]", entry))
                problems += functions[-1].problems()
        if problems:
            raise Refused("\n".join(f"{where}: {kptfile.located(problem)}" for problem in problems))
        return kptfile

    def located(self, problem: str) -> str:
        """Return a problem that begins with a field's path, prefixed with the field's line.

        Example: `line 8, column 5: pipeline.mutators[0].image: ...`. If the field is absent, the line is its
        nearest parent's.
        """
        if not self.line:
            return problem
        offset = _offset(self.resource.root, steps_of(problem.partition(": ")[0]))
        text = self.resource.text
        line = self.line + text.count("\n", 0, offset)
        return f"line {line}, column {offset - text.rfind(chr(10), 0, offset)}: {problem}"


def _offset(node: Node, steps: list[str | int]) -> int:
    """Return the start of a path's deepest key or element that exists in the tree."""
    found = 0
    for step in steps:
        if isinstance(node, Map):
            entry = next((entry for entry in node.entries if entry.name == step), None)
            if entry is None or entry.key.start < 0:
                return found
            found, node = entry.key.start, deref(entry.value)
        elif isinstance(node, Seq) and isinstance(step, int) and 0 <= step < len(node.items):
            node = deref(node.items[step])
            found = max(found, node.start)
        else:
            return found
    return found


# The valid parts of invalid data are read, so that all violations are reported at once.
def _text(data: object, name: str) -> str:
    return text(mapping(data).get(name))


def _texts(data: object, name: str) -> dict[str, str]:
    return {key: text(value) for key, value in mapping(data, name).items()}
