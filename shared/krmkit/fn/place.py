"""Where resources go: the file, index and package that annotations ask for, and what each file becomes.

The rules are kpt's. A resource without a path goes to `<kind>_<name>.yaml`, below a folder for its namespace. One may
move by another path. None may leave its package, and two may not have the same place.
"""

from __future__ import annotations

import posixpath

from krmkit.fn.package import Package
from krmkit.fn.source import Item, SourceFile, joined, may_hold_orchestration, strip_orchestration
from krmkit.fn.write import Change
from krmkit.krm import annotations as names
from krmkit.krm.resource import Location, Resource


class PlaceError(ValueError):
    """A function asks for a place that cannot be."""


class Places:
    """Keeps the places of all resources during a pipeline."""

    def __init__(self, root: Package) -> None:
        self.root = root
        self.packages = {package.path: package for package in root.walk()}
        # Resources that got no index from anybody; kpt puts them behind the others.
        self._unnumbered: dict[int, Item] = {}

    def settle(self, resources: list[Resource], package: Package) -> list[Item]:
        """After a function ran in `package`: turn what annotations say about places into places. Raises PlaceError."""
        items: list[Item] = []
        for resource in resources:
            if not isinstance(resource, Item):
                items.append(self._place_new(resource, package))
                continue
            if resource.changed and may_hold_orchestration(resource.text):
                self._move(resource)
            items.append(resource)
        self._check(items)
        return items

    def _place_new(self, resource: Resource, package: Package) -> Item:
        path, index = _asked(resource)
        owner = resource.annotations.get(names.PACKAGE_PATH) or package.path
        if not path:
            path = posixpath.join(resource.namespace, f"{resource.kind.lower()}_{resource.name}.yaml")
        strip_orchestration(resource)
        item = Item.made(resource, Location(_inside(path), index or 0, owner))
        if index is None:
            self._unnumbered[id(item)] = item
        return item

    def _move(self, item: Item) -> None:
        path, index = _asked(item, item.location)
        place = item.location
        strip_orchestration(item)
        if path and _inside(path) != place.path:
            place.path = _inside(path)
        if index is not None:
            place.index = index

    def _check(self, items: list[Item]) -> None:
        seen: dict[tuple[str, str, int | None], Item] = {}
        for item in items:
            place = item.location
            index = None if id(item) in self._unnumbered else place.index
            key = (place.package, place.path, index)
            other = seen.get(key)
            if other is not None:
                what = "no index" if index is None else f"index {index}"
                raise PlaceError(
                    f"{_who(item)} and {_who(other)} are both put at {place.path} with {what};"
                    f" give one another path or another {names.INDEX}"
                )
            seen[key] = item

    def contents(self, items: list[Item]) -> dict[str, str]:
        """What each file holds at the end, by path relative to the root package, sorted. Raises PlaceError."""
        files: dict[str, SourceFile] = {}
        ignored: set[str] = set()
        for package in self.packages.values():
            files.update((package.place(file.path), file) for file in package.files)
            ignored.update(package.place(path) for path in package.ignored)
        wanted: dict[str, list[Item]] = {}
        for item in items:
            path = self.path(item)
            if path in ignored:
                raise PlaceError(
                    f"{_who(item)} is put at {path}, where a file stands that does not belong to the package"
                    " (.krmignore leaves it out, or it is no YAML); choose another path"
                )
            wanted.setdefault(path, []).append(item)
        return {path: self._text(path, files.get(path), wanted[path]) for path in sorted(wanted)}

    def path(self, item: Item) -> str:
        """An item's path relative to the root package. Raises PlaceError."""
        owner = self.packages.get(item.location.package)
        if owner is None:
            raise PlaceError(
                f"{_who(item)} is put into {item.location.package}, which is no package of this run"
            )
        return owner.place(item.location.path)

    def changes(self, contents: dict[str, str]) -> list[Change]:
        """The files that differ from what is on disk, sorted by path; a file that lost all its resources goes."""
        before = {
            package.place(file.path): file for package in self.packages.values() for file in package.files
        }
        found = []
        for path in sorted({*contents, *(path for path, file in before.items() if file.items)}):
            old = before[path].text if path in before else None
            new = contents.get(path)
            if old != new:
                found.append(Change(path, old, new))
        return found

    def _text(self, path: str, file: SourceFile | None, items: list[Item]) -> str:
        ordered = sorted(items, key=self._order)
        if file is not None and ordered == file.items and not any(item.changed for item in ordered):
            return file.text
        if path.endswith(".json") and len(ordered) == 1:
            return _json(ordered[0].get())
        return file.joined(ordered) if file is not None else joined(ordered)

    def _order(self, item: Item) -> tuple[bool, int]:
        return id(item) in self._unnumbered, item.location.index


def _asked(item: Resource, place: Location | None = None) -> tuple[str, int | None]:
    """The path and index that the text's annotations ask for, where they differ from `place`. Raises PlaceError."""
    data = item.get("metadata", "annotations")
    said = {key: str(value) for key, value in data.items()} if isinstance(data, dict) else {}
    found: list[str] = []
    for legacy, name, now in (
        (names.LEGACY_PATH, names.PATH, place.path if place else ""),
        (names.LEGACY_INDEX, names.INDEX, str(place.index) if place else ""),
    ):
        values = {said[key] for key in (legacy, name) if said.get(key)} - {now}
        if len(values) > 1:
            raise PlaceError(
                f"{_who(item)}: {legacy} and {name} say different things ({', '.join(sorted(values))}); set both alike"
            )
        found.append(values.pop() if values else "")
    path, index = found
    if index and not (index.isascii() and index.isdecimal()):
        raise PlaceError(f'{_who(item)}: its index is "{index}"; it must be a whole number')
    return path, int(index) if index else None


def _inside(path: str) -> str:
    """A path inside a package, without detours. Raises PlaceError."""
    clean = posixpath.normpath(path)
    if clean in {"..", "."} or clean.startswith(("../", "/")):
        raise PlaceError(
            f'a function must not write outside of the package, and the path "{path}" leads there;'
            " paths are relative to the package"
        )
    return clean


def _who(item: Resource) -> str:
    namespace = f"{item.namespace}/" if item.namespace else ""
    return f"{item.kind} {namespace}{item.name}"


def _json(data: object) -> str:
    """A resource as kpt writes it to a .json file."""
    import json

    text = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text + "\n"
