"""Hold the outcome of a pipeline: the functions that ran, the final resources, and the file changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.kpt.resultlist import FunctionRun
from krmkit.kpt.source import FileResource
from krmkit.krm.annotations import Location
from krmkit.storage.disk.write import FileEdit

_OF_THE_PACKAGE = ("Kptfile", "ResourceGroup")  # kinds that kpt does not apply


@dataclass(slots=True, eq=False)
class Rendering:
    """The outcome of a pipeline.

    `runs`: the functions that ran, in order; `failure`: why the pipeline ended early, else "". `items`: the
    final resources with their files, `contents`: the text of each file, `changes`: the files that differ from
    the disk; all empty after a failure. After a validator's failure, `proposed`: the changes of the mutators.
    `saved`: the changes before the failed function, without deletions, if the package asks for them. Paths
    are relative to the root package.
    """

    runs: list[FunctionRun] = field(default_factory=list)
    failure: str = ""
    items: list[tuple[str, FileResource]] = field(default_factory=list)
    contents: dict[str, str] = field(default_factory=dict)
    changes: list[FileEdit] = field(default_factory=list)
    proposed: list[FileEdit] = field(default_factory=list)
    saved: list[FileEdit] = field(default_factory=list)
    packages: int = 0
    secrets: set[str] = field(default_factory=set, init=False)  # texts that functions marked as secret

    @property
    def exit_code(self) -> int:
        """Return 0, or 1 after a failure."""
        return 1 if self.failure else 0

    @property
    def shown(self) -> list[FileEdit]:
        """Return the changes to show: the made ones, or the ones that a validator refused."""
        return self.changes or self.proposed

    def listed(self) -> str:
        """Return the resources as a ResourceList, each with its file's annotations."""
        from krmkit.krm.resourcelist import ResourceList
        from krmkit.render.programs.external import annotated

        # The path is relative to the root package; items without an index get none, as in kpt.
        return ResourceList.of(
            [
                annotated(item, Location(path, place.index, digits=place.digits).annotations)
                for path, item in self.items
                for place in (item.location,)
            ]
        ).render()

    def unwrapped(self) -> str:
        return _documents([item for _, item in self.items])

    def applied(self) -> str:
        """Return the resources that kpt would apply to a cluster, as documents."""
        return _documents([item for _, item in self.items if _is_applied(item)])


def _documents(items: list[FileResource]) -> str:
    from krmkit.render.programs.external import bare

    return "---\n".join(bare(item.text) for item in items)


def _is_applied(item: FileResource) -> bool:
    if item.api_version.startswith("kpt.dev/") and item.kind in _OF_THE_PACKAGE:
        return False
    return not item.is_local_config
