"""The view that the engines have of a package: its resources by file, and the two files that they know by name."""

from __future__ import annotations

from krmkit.krm.errors import ListError
from krmkit.porch.api import PorchError
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krmkit.krm.resource import Resource

KPTFILE = "Kptfile"
CONTEXT_FILE = "package-context.yaml"
CONTEXT_NAME = "kptfile.kpt.dev"
_PATTERNS = (".yaml", ".yml", ".json")


class Package:
    """A package and the subpackages that came with it.

    The root is the package with the shortest path: `kpt fn render` gives every resource the path of its own package, and file paths
    relative to that; `kpt fn eval` gives no package path, and file paths relative to the root.
    """

    __slots__ = ("resources", "root")

    def __init__(self, resources: Iterable[Resource]) -> None:
        self.resources = list(resources)
        paths = {resource.package_path.rstrip("/") for resource in self.resources}
        self.root = min(paths, key=lambda path: (len(path), path), default="")

    def file_of(self, resource: Resource) -> str:
        """The resource's file, relative to the root; "" where nothing tells."""
        path = resource.path or ""
        package = resource.package_path.rstrip("/")
        if package != self.root and package.startswith(self.root):
            return package[len(self.root) :].lstrip("/") + "/" + path
        return path

    def at(self, file: str) -> list[Resource]:
        """The resources of a file of the root package, in order."""
        found = [
            resource
            for resource in self.resources
            if resource.path == file and resource.package_path.rstrip("/") == self.root
        ]
        return sorted(found, key=lambda resource: resource.index)

    def single(self, file: str, kind: str = "", name: str = "") -> Resource:
        """The one resource of a file of the root. PorchError where it is missing, not alone, or not of that kind and name."""
        found = self.at(file)
        where = "in PackageRevisionResources"
        if not found:
            raise PorchError(f'"{file}" not found {where}: the package has no such file at its root')
        if len(found) > 1:
            raise PorchError(
                f'failed to parse "{file}" of PackageRevisionResources: expected exactly one object, got {len(found)}'
            )
        resource = found[0]
        try:
            found_kind, found_name = resource.kind, resource.name
        except (YamlError, ListError) as error:
            raise PorchError(f'failed to parse "{file}" of PackageRevisionResources: {error}') from None
        if kind and found_kind != kind:
            raise PorchError(
                f'"{file}" does not contain kind "{kind}" {where} (it is a {found_kind or "resource without kind"})'
            )
        if name and found_name != name:
            raise PorchError(
                f'"{file}" does not contain resource named "{name}" {where} (it is named "{found_name}")'
            )
        return resource

    def by_file(self) -> list[tuple[str, Resource]]:
        """(file, resource) of all resource files in all folders, by file and position."""
        found = [(self.file_of(resource), resource.index, resource) for resource in self.resources]
        found.sort(key=lambda entry: entry[:2])
        return [(file, resource) for file, _, resource in found if not file or is_resource_file(file)]


def is_resource_file(path: str) -> bool:
    """Whether kpt and Porch read resources from a file of this name."""
    name = path.rpartition("/")[2]
    return name == KPTFILE or name.endswith(_PATTERNS)
