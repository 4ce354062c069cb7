"""The Kptfile as the pipeline needs it: which functions run, in which order, on which resources, with which config.

Scalars resolve as Go's yaml.v3 hands them to text fields: what stands there, whatever it looks like (`a: 010` is the
text 010), and nothing for null. Unknown fields are errors where a typing error would change what runs: at the top, in
the pipeline, in functions and selectors. The rest (info, status, upstream, inventory) is not looked into.
(Fields: kpt.dev/v1 of kpt 1.0.0-beta.56, and `tag` of newer versions.)
"""

from __future__ import annotations

from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.yaml.data import is_null
from krmkit.yaml.tree import Map, Scalar, Seq, deref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

API_VERSION = "kpt.dev/v1"
KIND = "Kptfile"
STAGES = ("mutators", "validators")

_FIELDS = (
    "apiVersion",
    "kind",
    "metadata",
    "upstream",
    "upstreamLock",
    "info",
    "pipeline",
    "inventory",
    "status",
)
_FUNCTION_FIELDS = ("image", "exec", "tag", "configPath", "configMap", "name", "selectors", "exclude")
_SELECTOR_FIELDS = ("apiVersion", "kind", "name", "namespace", "labels", "annotations")
_IMAGE_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@")


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

    def __init__(self, field: str) -> None:
        self.field = field
        self.image = ""
        self.exec = ""
        self.tag = ""
        self.name = ""
        self.config_path = ""
        self.config_file = ""
        self.config_map: dict[str, str] = {}
        self.selectors: list[ResourceSelector] = []
        self.exclude: list[ResourceSelector] = []

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
        reader = _Reader()
        kptfile = cls(resource)
        root = resource.root
        reader.known(root, _FIELDS, "")
        pipeline = reader.map(root, "pipeline", "")
        if pipeline is not None:
            reader.known(pipeline, STAGES, "pipeline")
            kptfile.mutators = list(reader.functions(pipeline, "mutators"))
            kptfile.validators = list(reader.functions(pipeline, "validators"))
        if reader.problems:
            raise KptfileError(where, reader.problems)
        return kptfile


class _Reader:
    """Strict reading that collects what is wrong."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def known(self, node: Map, names: tuple[str, ...], path: str) -> None:
        for name in _names(node):
            if name not in names:
                from krmkit.lang.nearest import did_you_mean

                where = f"{path}.{name}" if path else name
                self.problems.append(f'{where}: unknown field "{name}"{did_you_mean(name, names)}')

    def map(self, parent: Map, name: str, path: str) -> Map | None:
        node = parent.get(name)
        if node is None or isinstance(node, Map):
            return node
        if not is_null(node):
            self.problems.append(f"{path}.{name}".lstrip(".") + ": must be a map")
        return None

    def maps(self, parent: Map, name: str, path: str) -> list[tuple[Map, str]]:
        """The maps of a list, each with its path."""
        node = parent.get(name)
        found: list[tuple[Map, str]] = []
        if isinstance(node, Seq):
            for index, item in enumerate(node.items):
                item = deref(item)
                where = f"{path}.{name}[{index}]"
                if isinstance(item, Map):
                    found.append((item, where))
                elif not is_null(item):
                    self.problems.append(f"{where}: must be a map")
                else:
                    found.append((Map(), where))
        elif node is not None and not is_null(node):
            self.problems.append(f"{path}.{name}: must be a list")
        return found

    def text(self, parent: Map, name: str, path: str) -> str:
        node = parent.get(name)
        if node is None or is_null(node):
            return ""
        if isinstance(node, Scalar):
            return node.text
        self.problems.append(f"{path}.{name}: must be a text")
        return ""

    def texts(self, parent: Map, name: str, path: str) -> dict[str, str]:
        node = self.map(parent, name, path)
        if node is None:
            return {}
        return {key: self.text(node, key, f"{path}.{name}") for key in _names(node)}

    def functions(self, pipeline: Map, stage: str) -> Iterator[PipelineFunction]:
        for node, path in self.maps(pipeline, stage, "pipeline"):
            self.known(node, _FUNCTION_FIELDS, path)
            function = PipelineFunction(path)
            function.image = self.text(node, "image", path)
            function.exec = self.text(node, "exec", path)
            function.tag = self.text(node, "tag", path)
            function.name = self.text(node, "name", path)
            function.config_map = self.texts(node, "configMap", path)
            function.selectors = self.selectors(node, "selectors", path)
            function.exclude = self.selectors(node, "exclude", path)
            function.config_path = self.text(node, "configPath", path)
            function.config_file = self.config_file(function.config_path, path)
            self.check(function)
            yield function

    def selectors(self, node: Map, name: str, path: str) -> list[ResourceSelector]:
        found = []
        for selector, where in self.maps(node, name, path):
            self.known(selector, _SELECTOR_FIELDS, where)
            found.append(
                ResourceSelector(
                    self.text(selector, "apiVersion", where),
                    self.text(selector, "kind", where),
                    self.text(selector, "name", where),
                    self.text(selector, "namespace", where),
                    self.texts(selector, "labels", where),
                    self.texts(selector, "annotations", where),
                )
            )
        return found

    def config_file(self, text: str, path: str) -> str:
        if not text:
            return ""
        segments = [segment for segment in text.split("/") if segment not in {"", "."}]
        if text.startswith("/") or ".." in segments or not "".join(segments).strip():
            self.problems.append(
                f'{path}.configPath: "{text}" must be a path inside the package, relative to its Kptfile'
            )
        return "/".join(segments)

    def check(self, function: PipelineFunction) -> None:
        path = function.field
        if not function.image and not function.exec:
            self.problems.append(f"{path}: names no function; give image or exec")
        elif function.image and function.exec:
            self.problems.append(f"{path}: image and exec exclude each other; give one of them")
        if function.config_path and function.config_map:
            self.problems.append(f"{path}: configPath and configMap exclude each other; give one of them")
        name = function.image.partition("@")[0].rpartition("/")[2].partition(":")[0]
        if function.image and (
            not name or name != name.lower() or not _IMAGE_SIGNS.issuperset(function.image)
        ):
            self.problems.append(f'{path}.image: "{function.image}" is not the name of an image')


def _names(node: Map) -> list[str]:
    return [entry.name for entry in node if entry.name is not None]
