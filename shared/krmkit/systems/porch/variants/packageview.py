"""View a package as the engines do: its resources by file, and the two files with fixed names."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import YamlError
from krmkit.systems.porch.api.apinames import PorchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

KPTFILE = "Kptfile"
CONTEXT_FILE = "package-context.yaml"
CONTEXT_NAME = "kptfile.kpt.dev"
_PATTERNS = (".yaml", ".yml", ".json")


class PackageView:
    """A package and the subpackages that came with it.

    The root is the package of the Kptfile with the shortest path. `kpt fn render` gives every resource the
    path of its own package, and file paths relative to that; `kpt fn eval` gives no package path, and file
    paths relative to the root. Resources that a function has just made have no package path; they are the
    root's.
    """

    def __init__(self, resources: Iterable[Resource]) -> None:
        self.resources = list(resources)
        self._found: dict[str, list[tuple[tuple[str, str, int], int]]] = {}
        with_kptfile = [package for (package, path, _), _ in self._named(KPTFILE) if path == KPTFILE]
        packages = with_kptfile or [place_of(resource)[0] for resource in self.resources]
        self.root = min(packages, key=lambda path: (len(path), path), default="")

    def _named(self, file: str) -> list[tuple[tuple[str, str, int], int]]:
        """Return place and position of the resources that a file may have.

        Resources do not move while a package is processed, so each name is looked up once.
        """
        name = file.rpartition("/")[2]
        found = self._found.get(name)
        if found is None:
            resources = self.resources
            found = self._found[name] = [
                (place_of(resource), position)
                for position, resource in enumerate(resources)
                if resource.location is not None or resource.may_hold(name)
            ]
        return found

    def _file(self, package: str, path: str) -> str:
        if package and package != self.root and package.startswith(self.root):
            return package[len(self.root) :].lstrip("/") + "/" + path
        return path

    def at(self, file: str) -> list[Resource]:
        found = [
            (index, position)
            for (package, path, index), position in self._named(file)
            if path == file and package in ("", self.root)
        ]
        return [self.resources[position] for _, position in sorted(found)]

    def single(self, file: str, kind: str = "", name: str = "") -> Resource:
        """Return the only resource of a file of the root.

        Raises PorchError for any other number, kind or name.
        """
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
        except (YamlError, Refused) as error:
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
        """Return (file, resource) of all resource files in all folders, by file and position."""
        found = [
            (self._file(package, path), index, position)
            for position, (package, path, index) in enumerate(map(place_of, self.resources))
        ]
        return [
            (file, self.resources[position])
            for file, _, position in sorted(found)
            if not file or is_resource_file(file)
        ]


def place_of(resource: Resource) -> tuple[str, str, int]:
    """Return (package path, file path, index) of a resource, parsed only as far as needed."""
    return resource.package_path.rstrip("/"), resource.path or "", resource.index


def empty_document(text: str) -> int:
    """Return the line of a `---` without content, which Porch refuses; 0 if there is none."""
    marker = 0
    for number, line in enumerate(text.split("\n") if "---" in text else (), 1):
        head, content = line[:3], line[3:].strip()
        ends = head in ("---", "...") and line[3:4] in ("", " ", "\t", "\r")
        if ends and marker:
            return marker
        if ends:
            marker = number if head == "---" and content[:1] in ("", "#") else 0
        elif line.strip() and line.strip()[0] != "#":
            marker = 0
    return marker


def is_resource_file(path: str) -> bool:
    """Return whether kpt and Porch read resources from a file with this name."""
    name = path.rpartition("/")[2]
    return name == KPTFILE or name.endswith(_PATTERNS)
