"""Write the folder of rendered variants, with a record of the written files.

`.krmkit-variants` (JSON) lists, for each package, its set, the set's file, and its files with the SHA-256 of
the written content. Only listed, unchanged files are overwritten or removed. The record is written together
with the files (krmkit.storage.disk.write), so the two never differ.

A run that makes only a part of the packages writes its own record, `.krmkit-variants-2-of-3`, so that
machines can make the parts independently. If several records name a package, the highest `generation`
counts, and null marks a removed package. A run over all packages merges the records into one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from sys import intern

from krmkit.krm.errors import Refused
from krmkit.storage.disk.folders import files, read_file
from krmkit.storage.disk.primitives import digest
from krmkit.storage.disk.write import FileEdit

# No suffix: a package around the folder would read *.json and *.yaml as its resources.
RECORD = ".krmkit-variants"
_BROKEN = (OSError, Refused, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)


@dataclass(slots=True, eq=False)
class WrittenPackage:
    """A written package: its set, the set's file, its files' digests; an `orphan` outlives its variant."""

    owner: str
    files: dict[str, str]
    source: str = ""
    orphan: bool = False

    def __post_init__(self) -> None:
        self.files = dict(sorted(self.files.items()))


class VariantFolder:
    """The folder `path`, and its records' entries by package (`<repo>/<package>`). Raises Refused.

    `part`: the part of the packages to make, such as `2-of-3`; "" for all.
    """

    def __init__(self, path: str, part: str = "") -> None:
        self.path = os.path.abspath(path)
        self.part = part
        self.entries: dict[str, WrittenPackage] = {}
        self._written: set[str] | None = None  # paths of all files that were written
        if os.path.lexists(self.path) and not os.path.isdir(self.path):
            raise Refused(f"{path} is not a folder")
        self._records = {name: self._read(name) for name in self._names()}
        self._generation = max((number for number, _ in self._records.values()), default=0)
        self.entries = _merged(self._records.values())

    def _names(self) -> list[str]:
        try:
            return sorted(name for name in os.listdir(self.path) if _is_record(name))
        except FileNotFoundError:
            return []

    def _read(self, name: str) -> tuple[int, dict[str, WrittenPackage | None]]:
        place = os.path.join(self.path, name)
        try:
            data = json.loads(read_file(place, name, self.path) or b"", object_hook=_shared)
            entries = {_plain(package): _entry(entry) for package, entry in data["packages"].items()}
            return int(data.get("generation", 0)), entries
        except _BROKEN as error:
            raise Refused(
                f"{place} cannot be read ({error}); it says which files may be overwritten"
            ) from None

    def refusal(self, package: str) -> str:
        """Return why a package must not be written, or "": its folder may hold files of no run."""
        target = os.path.join(self.path, package)
        first = package.split("/", maxsplit=1)[0]
        if _is_record(first):
            return f"{first} is the name of the record of what was written"
        elsewhere = self.elsewhere(package)
        if elsewhere:
            return elsewhere
        if os.path.lexists(target) and not os.path.isdir(target):
            return f"{target} is there already, and is not a folder"
        if package in self.entries or not os.path.isdir(target):
            return ""
        if self._written is None:
            self._written = {f"{name}/{file}" for name, entry in self.entries.items() for file in entry.files}
        try:
            strange = next((path for path in files(target) if f"{package}/{path}" not in self._written), "")
        except Refused as error:
            return str(error)
        if strange:
            return f"{target} is there already, with files that krmkit did not write ({package}/{strange}); move it away"
        return ""

    def elsewhere(self, path: str) -> str:
        """Return the target of a path through a link, else "": links are never followed."""
        target = os.path.join(self.path, path)
        real = os.path.realpath(target)
        if real == os.path.join(os.path.realpath(self.path), *path.split("/")):
            return ""
        return f"{target} leads elsewhere through a link ({real})"

    def edited(self, package: str, wanted: dict[str, str] | None = None) -> list[str]:
        """Return a package's files that changed since they were written, and unknown files in the way.

        wanted: the digests of the content to be written; a file that has it already does not count as
        changed.
        """
        entry = self.entries.get(package)
        known = entry.files if entry is not None else {}
        edited = []
        for path in sorted({*known, *(wanted or ())}):
            try:
                now = digest(os.path.join(self.path, package, path))
            except (OSError, Refused):
                now = "something that is not a file"
            if now not in {"", known.get(path), (wanted or {}).get(path)}:
                edited.append(path)
        return edited

    def removal(self, package: str) -> tuple[list[FileEdit], list[str]]:
        """Return the steps that remove a package's files, and the folders that may become empty."""
        return self.gone(package, self.entries[package].files)

    def gone(self, package: str, paths: Iterable[str]) -> tuple[list[FileEdit], list[str]]:
        """Return the steps that remove given files of a package, and their folders; never through a link."""
        changes = []
        folders = set()
        for path in paths:
            place = f"{package}/{path}"
            folder = place.rpartition("/")[0]
            if not self.elsewhere(folder):
                changes.append(FileEdit(place, None, None))
                folders.add(folder)
        return changes, sorted(folders, reverse=True)

    def refuse_links(self, paths: Iterable[str]) -> None:
        """Raise Refused if a file to be written is a link, or lies behind one."""
        checked = set()
        for path in paths:
            folder = path.rpartition("/")[0]
            elsewhere = self.elsewhere(folder) if folder not in checked else ""
            checked.add(folder)
            if not elsewhere and os.path.islink(os.path.join(self.path, path)):
                elsewhere = self.elsewhere(path)
            if elsewhere:
                raise Refused(elsewhere)

    def record(
        self, entries: Mapping[str, WrittenPackage], takes: Callable[[str], bool], work: str
    ) -> list[FileEdit]:
        """Return the steps that write the record of these entries, for the packages that `takes` names.

        The text is written to the folder `work`, package by package: the record of a large fleet has
        megabytes.
        """
        if not self.part:
            gone = [FileEdit(name, None, None) for name in self._records if name != RECORD]
            return [_written(work, RECORD, _pieces(sorted(entries), entries, 0)), *gone]
        name = f"{RECORD}-{self.part}"
        mine = {package for package in entries if takes(package)}
        known = {package for package in self.entries if takes(package)}
        if mine == known and all(_data(entries[one]) == _data(self.entries[one]) for one in mine):
            return []
        others = _merged(record for other, record in self._records.items() if other != name)
        mine.update(package for package in others if takes(package))
        return [_written(work, name, _pieces(sorted(mine), entries, self._generation + 1))]


def _is_record(name: str) -> bool:
    if name == RECORD:
        return True
    number, of, count = name.removeprefix(f"{RECORD}-").partition("-of-")
    return name.startswith(f"{RECORD}-") and bool(of) and number.isdecimal() and count.isdecimal()


def _merged(records: Iterable[tuple[int, dict[str, WrittenPackage | None]]]) -> dict[str, WrittenPackage]:
    """Merge several records: the highest generation counts."""
    merged: dict[str, WrittenPackage | None] = {}
    for _, entries in sorted(records, key=lambda record: record[0]):
        merged.update(entries)
    return {package: entry for package, entry in sorted(merged.items()) if entry is not None}


def _written(work: str, name: str, pieces: Iterable[str]) -> FileEdit:
    """Return the step that writes a record; its text lies in the folder `work` until then."""
    place = os.path.join(work, f"text-of{name}")
    with open(place, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(pieces)
    edit = FileEdit(name, None, "", place)
    edit.like = ""  # it keeps the rights that it has
    return edit


def _pieces(packages: list[str], entries: Mapping[str, WrittenPackage], generation: int) -> Iterator[str]:
    """Yield a record as JSON, one piece for each package; a package without an entry was removed."""
    yield "{\n" + (f' "generation": {generation},\n' if generation else "") + ' "packages": {'
    for number, package in enumerate(packages):
        yield f"{',' if number else ''}\n  {_json(package)}: {_json(_data(entries.get(package)))}"
    yield ("\n }" if packages else "}") + "\n}\n"


def _json(data: object) -> str:
    """Return data as JSON, indented for two levels."""
    return json.dumps(data, indent=1, ensure_ascii=False).replace("\n", "\n  ")


def _data(entry: WrittenPackage | None) -> dict[str, object] | None:
    if entry is None:
        return None
    return {
        "set": entry.owner,
        "from": entry.source,
        **({"deletionPolicy": "orphan"} if entry.orphan else {}),
        "files": entry.files,
    }


def _shared(data: dict[str, object]) -> dict[str, object]:
    """Return an object of a record with equal texts shared: most files are equal in all packages."""
    return {name: intern(value) if type(value) is str else value for name, value in data.items()}


def _entry(data: dict[str, object] | None) -> WrittenPackage | None:
    if data is None:
        return None
    names = data["files"]
    if not isinstance(names, dict):
        raise TypeError("files must be a map")
    return WrittenPackage(
        str(data["set"]),
        {_plain(name): str(value) for name, value in names.items()},
        str(data.get("from", "")),
        data.get("deletionPolicy") == "orphan",
    )


def _plain(path: object) -> str:
    """Check a path of the record. Raises ValueError if it leads out of the folder."""
    if not isinstance(path, str) or "\0" in path or any(part in {"", ".", ".."} for part in path.split("/")):
        raise ValueError(f"{path!r} is not a path inside the folder")
    return path
