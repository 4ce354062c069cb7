"""Place resources by the file, index and package in their annotations, and compute each file's text.

The rules are kpt's. A resource without a path goes to `<kind>_<name>.yaml`, below a folder for its namespace,
beside the config of the function that made it. Another path, index or package moves a resource. A resource
must not leave the root package, and two must not have the same place.
"""

from __future__ import annotations

import posixpath

from krmkit.kpt.source import FileResource, SourceFile, joined, may_hold_orchestration, strip_orchestration
from krmkit.krm import annotations as names
from krmkit.krm.annotations import Location
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.render.package import IGNORE_FILE, KPTFILE, Package
from krmkit.storage.disk.folders import is_leftover
from krmkit.storage.disk.write import FileEdit


class ResourcePlaces:
    """Track the places of all resources during a pipeline."""

    def __init__(self, root: Package) -> None:
        self.root = root
        self.packages = {package.path: package for package in root.walk()}

    def settle(self, resources: list[Resource], package: Package, folder: str = "") -> list[FileResource]:
        """Turn a function's place annotations into places; the default folder is `folder`. Raises Refused."""
        items: list[FileResource] = []
        for resource in resources:
            if not isinstance(resource, FileResource):
                items.append(self._place_new(resource, package, folder))
                self._refuse_kptfiles(items[-1], package)
                continue
            if resource.changed and may_hold_orchestration(resource.text):
                place = resource.location.package, resource.location.path
                self._move(resource, package, folder)
                if place != (resource.location.package, resource.location.path):
                    self._refuse_kptfiles(resource, package)
            items.append(resource)
        self._check(items)
        return items

    def _place_new(self, resource: Resource, package: Package, folder: str) -> FileResource:
        path, index, owner = _asked(resource)
        strip_orchestration(resource)
        place = Location(
            _inside(path or _default(resource, folder)),
            _number(resource, index or "0"),
            owner or package.path,
            digits=index or "",
        )
        return FileResource.made(resource, place)

    def _move(self, item: FileResource, package: Package, folder: str) -> None:
        path, index, owner = _asked(item, item.location)
        place = item.location
        strip_orchestration(item)
        if path is not None:
            place.path = _inside(path or _default(item, folder))
        if index is not None:
            place.index, place.digits = _number(item, index or "0"), index
        if owner is not None:
            place.package = owner or package.path

    def _refuse_kptfiles(self, item: FileResource, package: Package) -> None:
        """Refuse a Kptfile that replaces another package's; functions may make packages and edit Kptfiles."""
        path = self.path(item)
        folder, _, name = path.rpartition("/")
        if name == KPTFILE and folder != package.folder:
            if any(folder == each.folder for each in self.packages.values()):
                raise Refused(
                    f"{_who(item)} would overwrite {path}, the Kptfile of another package; choose another path"
                )

    def _check(self, items: list[FileResource]) -> None:
        seen: dict[tuple[str, str, str], FileResource] = {}
        for item in items:
            place = item.location
            key = (place.package, place.path, place.digits)
            other = seen.get(key)
            if other is not None:
                what = f"index {place.digits}" if place.digits else "no index"
                raise Refused(
                    f"{_who(item)} and {_who(other)} are both put at {place.path} with {what};"
                    f" give one another path or another {names.INDEX}"
                )
            seen[key] = item

    def contents(self, items: list[FileResource]) -> dict[str, str]:
        """Return each file's final text by its path relative to the root package, sorted. Raises Refused."""
        files: dict[str, SourceFile] = {}
        ignored: set[str] = set()
        for package in self.packages.values():
            files.update((package.place(file.path), file) for file in package.files)
            ignored.update(package.place(path) for path in package.ignored)
        wanted: dict[str, list[FileResource]] = {}
        for item in items:
            path = self.path(item)
            if path in ignored:
                raise Refused(
                    f"{_who(item)} would overwrite {path}, which is not part of the package"
                    " (.krmignore leaves it out, or it is not YAML); choose another path"
                )
            wanted.setdefault(path, []).append(item)
        return {path: self._text(path, files.get(path), wanted[path]) for path in sorted(wanted)}

    def path(self, item: FileResource) -> str:
        """Return an item's path relative to the root package. Raises Refused."""
        place = item.location
        owner = self.packages.get(place.package)
        if owner is not None:
            return owner.place(place.path)
        # A folder that is not a package yet: a new Kptfile there makes it one.
        folder = posixpath.relpath(place.package, self.root.path) if place.package.startswith("/") else ".."
        if folder.split("/")[0] == "..":
            raise Refused(
                f"{_who(item)} is put into {place.package}, outside of the package;"
                f" {names.PACKAGE_PATH} must be {self.root.path} or a folder below"
            )
        return posixpath.join(folder, place.path)

    def changes(self, contents: dict[str, str]) -> list[FileEdit]:
        """Return the files that differ from the disk, sorted; a file without resources left is removed."""
        before = {
            package.place(file.path): file for package in self.packages.values() for file in package.files
        }
        edits: list[FileEdit] = []
        for path in sorted({*contents, *(path for path, file in before.items() if file.items)}):
            old = before[path].text if path in before else None
            new = contents.get(path)
            if old != new:
                _writable(path)
                edits.append(FileEdit(path, old, new))
        return edits

    def _text(self, path: str, file: SourceFile | None, items: list[FileResource]) -> str:
        ordered = _ordered(items)
        if file is not None and ordered == file.items and not any(item.changed for item in ordered):
            return file.text
        if path.endswith(".json") and len(ordered) == 1:
            return _json(ordered[0].get())
        return file.joined(ordered) if file is not None else joined(ordered)


def _ordered(items: list[FileResource]) -> list[FileResource]:
    """Return the resources of one file by index.

    A resource without an index follows the earlier ones, whatever their indexes: as in kpt, it gets the
    highest given index.
    """
    following = max([0, *(item.location.index for item in items if item.location.digits)])
    numbers: list[int] = []
    for item in items:
        numbers.append(item.location.index if item.location.digits else following)
        following += not item.location.digits
    return [items[position] for position in sorted(range(len(items)), key=numbers.__getitem__)]


def folder_of(config: Resource | None) -> str:
    """Return the folder for a function's new resources, as kpt does: its config's, or above `functions`."""
    place = config.location if config is not None else None
    folder = posixpath.dirname(place.path) if place is not None else ""
    return posixpath.dirname(folder) if posixpath.basename(folder) == "functions" else folder


def _default(item: Resource, folder: str) -> str:
    return posixpath.join(folder, item.namespace.lstrip("/"), f"{item.kind.lower()}_{item.name}.yaml")


def _asked(item: Resource, place: Location | None = None) -> tuple[str | None, str | None, str | None]:
    """Return path, index and package in annotations: "" means the default, None the one of `place`.

    Raises Refused.
    """
    asked: list[str | None] = []
    now = place.annotations if place is not None else {}
    for legacy, name in (
        (names.LEGACY_PATH, names.PATH),
        (names.LEGACY_INDEX, names.INDEX),
        (names.PACKAGE_PATH, names.PACKAGE_PATH),
    ):
        said = {item.string("metadata", "annotations", key) for key in (legacy, name) if _says(item, key)}
        said.discard(now.get(name, ""))
        if len(said) > 1:
            raise Refused(
                f"{_who(item)}: {legacy} and {name} say different things ({', '.join(sorted(said))}); set both alike"
            )
        asked.append(said.pop() if said else None)
    return asked[0], asked[1], asked[2]


def _says(item: Resource, annotation: str) -> bool:
    return item.node("metadata", "annotations", annotation) is not None


def _writable(path: str) -> None:
    """Raise Refused for files of git, kpt or krmkit, which functions must not write."""
    segments = path.split("/")
    for segment in segments:
        if segment.lower() == ".git" or is_leftover(segment):
            raise Refused(f"a function must not write to {segment}, and {path} lies there")
    if segments[-1] == IGNORE_FILE:
        raise Refused(f"a function must not write {path}, which says what belongs to the package")


def _number(item: Resource, index: str) -> int:
    digits = index.removeprefix("-") if index.startswith("-") else index.removeprefix("+")
    number = names.number(digits)
    if number is None:
        raise Refused(f'{_who(item)}: its index is "{index[:40]}"; it must be a whole number')
    return -number if index.startswith("-") else number


def _inside(path: str) -> str:
    """Normalise a path inside a package; an absolute path starts at its root. Raises Refused."""
    if "\0" in path:
        raise Refused(f"a path must not hold the character NUL, got {path!r}")
    clean = posixpath.normpath(path).lstrip("/")
    if clean in {"", "..", "."} or clean.startswith("../"):
        raise Refused(
            f'a function must not write outside of the package, and the path "{path}" leads there;'
            " paths are relative to the package"
        )
    return clean


def _who(item: Resource) -> str:
    namespace = f"{item.namespace}/" if item.namespace else ""
    return f"{item.kind} {namespace}{item.name}"


def _json(data: object) -> str:
    """Return a resource as kpt writes it to a .json file."""
    import json

    text = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text + "\n"
