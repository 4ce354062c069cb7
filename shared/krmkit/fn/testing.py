"""Make ResourceLists as kpt and kustomize send them, from texts or examples, for tests of functions.

    example = Example(Path("functions/apply-presets/examples/basic"), "apply-presets")
    outcome = run_function("functions/apply-presets", example.render_list())

Each form reproduces what the orchestrator was seen to send; see its docstring.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from krmkit.fn.loader import at
from krmkit.fn.run import Outcome, RunOptions, run
from krmkit.kpt.kptfile import PipelineFunction
from krmkit.krm import annotations as names
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json import with_sorted_keys
from krmkit.libraries.yaml import emit

PACKAGE = "/package"  # where the packages of `render_list` pretend to be


def run_function(folder: str | Path, text: str, options: RunOptions | None = None) -> Outcome:
    """Run the function in `folder` on the text of a ResourceList, in this process."""
    function = at(str(folder))
    return run(function.definition, function.process, text, options or RunOptions())


def resource_list(items: Iterable[str], config: str | None = None) -> str:
    """Return a list of resource documents in kpt's layout: compact, functionConfig last."""
    listed = [Resource(text.strip("\n") + "\n") for text in items]
    given = None if config is None else Resource(config.strip("\n") + "\n")
    return ResourceList.of(listed, given).render()


@dataclass(frozen=True, slots=True)
class Member:
    """One resource of a package on disk: its text, file, index, and package."""

    text: str
    path: str  # relative to the example's folder
    index: int
    package: str  # the same; "" for the root package

    def annotated(self, values: dict[str, str]) -> str:
        """Return the text with more annotations; comments and layout stay."""
        resource = Resource(self.text)
        for key, value in values.items():
            resource.set(("metadata", "annotations", key), value)
        return resource.text


class Example:
    """An example package of a function: a kpt package whose pipeline names the function."""

    def __init__(self, folder: Path, function: str) -> None:
        self.folder = folder
        self.function = function
        self.members = list(_members(folder))
        self.config = self._config()
        self._of_kpt: list[str] = []  # the members with kpt's annotations, made on first use

    def _config(self) -> str | None:
        for member in self.members:
            if PurePosixPath(member.path).name != "Kptfile":
                continue
            pipeline = Resource(member.text).get("pipeline", default={})
            assert isinstance(pipeline, dict)
            for entry in [*(pipeline.get("mutators") or ()), *(pipeline.get("validators") or ())]:
                if PipelineFunction("", entry).function_name != self.function:
                    continue
                if "configMap" in entry:
                    return emit.document(config_map(entry["configMap"]))
                if "configPath" in entry:
                    path = f"{member.package}/{entry['configPath']}".lstrip("/")
                    return next(other.text for other in self.members if other.path == path)
                return None
        raise LookupError(f"no Kptfile in {self.folder} has {self.function} in its pipeline")

    def render_list(self, more: Iterable[str] = ()) -> str:
        """Return the list of `kpt fn render`: package-relative paths, all of kpt's annotations.

        `more` are texts inserted before, between and after the members.
        """
        if not self._of_kpt:
            self._of_kpt = list(self._annotated_as_kpt_does())
        return resource_list(_mixed(self._of_kpt, list(more)), self.config)

    def _annotated_as_kpt_does(self) -> Iterator[str]:
        for number, member in enumerate(self.members, 1):
            path = str(PurePosixPath(member.path).relative_to(member.package or "."))
            yield member.annotated(
                {
                    names.LEGACY_INDEX: str(member.index),
                    names.LEGACY_PATH: path,
                    names.INDEX: str(member.index),
                    names.PACKAGE_PATH: f"{PACKAGE}/{member.package}".rstrip("/"),
                    names.PATH: path,
                    "internal.config.kubernetes.io/seqindent": "compact",
                    "internal.config.kubernetes.io/id": str(number),
                    "config.k8s.io/id": str(number),
                }
            )

    def eval_list(self) -> str:
        """Return the list of `kpt fn eval DIR`: no package path, paths relative to DIR."""
        items = [
            member.annotated(
                {
                    names.LEGACY_INDEX: str(member.index),
                    names.LEGACY_PATH: member.path,
                    names.INDEX: str(member.index),
                    names.PATH: member.path,
                }
            )
            for member in self.members
        ]
        return resource_list(items, self.config)

    def kustomize_list(self) -> str:
        """Return kustomize's list: sorted keys, its annotations, no comments, paths or Kptfile."""
        items = []
        for member in self.members:
            resource = Resource(member.text)
            if resource.kind == "Kptfile":
                continue
            resource.set(
                ("metadata", "annotations", "kustomize.config.k8s.io/id"), f"kind: {resource.kind}\n"
            )
            resource.set(
                ("metadata", "annotations", "internal.config.kubernetes.io/previousNames"), resource.name
            )
            items.append(emit.document(with_sorted_keys(resource.get())))
        config = None
        if self.config is not None:
            given = Resource(self.config)
            given.set(("metadata", "annotations", names.LOCAL_CONFIG), "true")
            config = emit.document(with_sorted_keys(given.get()))
        return resource_list(items, config)


def examples(function_folder: Path) -> list[Example]:
    """Return all example packages of the function in a folder."""
    kptfiles = sorted(function_folder.glob("examples/*/Kptfile"))
    return [Example(path.parent, function_folder.name) for path in kptfiles]


def config_map(data: dict[str, object], name: str = "function-input") -> dict[str, object]:
    """Return the ConfigMap that kpt makes of `configMap:` in a Kptfile or of arguments of `kpt fn eval`."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def _members(folder: Path) -> Iterator[Member]:
    ignored = folder / ".krmignore"
    skipped = set(ignored.read_text("utf-8").split()) if ignored.exists() else set()
    packages = {path.parent.relative_to(folder).as_posix() for path in folder.rglob("Kptfile")}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if not path.is_file() or skipped.intersection(relative.parts) or ".expected" in relative.parts:
            continue
        if path.suffix not in {".yaml", ".yml"} and path.name != "Kptfile":
            continue
        package = next(parent.as_posix() for parent in relative.parents if parent.as_posix() in packages)
        documents = ("\n" + path.read_text("utf-8")).split("\n---")
        texts = [text.strip("\n") + "\n" for text in documents if _is_content(text)]
        for index, text in enumerate(texts):
            yield Member(text, relative.as_posix(), index, "" if package == "." else package)


def _is_content(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.split("\n"))


def _mixed(items: list[str], more: list[str]) -> list[str]:
    """Spread `more` evenly among the items; the last one goes to the end."""
    mixed = []
    for number, text in enumerate(more):
        start, end = number * len(items) // len(more), (number + 1) * len(items) // len(more)
        mixed += items[start:end] if number == len(more) - 1 else [text, *items[start:end]]
    return [*mixed, *more[-1:]] if more else items
