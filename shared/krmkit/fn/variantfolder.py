"""The folder that rendered variants are written to, and its record of what was written there.

`.krmkit-variants` (JSON) lists, for each package, the set that it belongs to, that set's file, and its files. Only what is listed is ever overwritten or
removed. The record is written before the first file and after the last one, so that a run that was killed knows its own files again.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Without a suffix, because a package around the folder would read *.json and *.yaml as its resources.
RECORD = ".krmkit-variants"
_MARK = ".krmkit-new"


class FolderError(OSError):
    """Something is in the way; the message says what, and nothing of it was touched."""


class Entry:
    """One package that was written: its set, the file of that set, and its files relative to its folder, sorted."""

    __slots__ = ("files", "owner", "source")

    def __init__(self, owner: str, files: Iterable[str], source: str = "") -> None:
        self.owner = owner
        self.source = source
        self.files = sorted(files)


class VariantFolder:
    """The folder `path`, and the entries of its record by package (`<repo>/<package>`)."""

    __slots__ = ("entries", "path")

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        self.entries: dict[str, Entry] = {}
        if os.path.lexists(self.path) and not os.path.isdir(self.path):
            raise FolderError(f"{path} is not a folder")
        record = os.path.join(self.path, RECORD)
        if not os.path.exists(record):
            return
        try:
            with open(record, encoding="utf-8") as file:
                packages = json.load(file)["packages"]
            for package, entry in packages.items():
                self.entries[_plain(package)] = Entry(
                    str(entry["set"]),
                    [_plain(name) for name in entry["files"]],
                    str(entry.get("from", "")),
                )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise FolderError(
                f"{record} cannot be read ({error}); it says which files may be overwritten"
            ) from None

    def refusal(self, package: str) -> str:
        """Why a package must not be written, "" where it may: its folder holds files that no earlier run wrote."""
        target = os.path.join(self.path, package)
        if package.split("/", maxsplit=1)[0] == RECORD:
            return f"{RECORD} is the name of the record of what was written"
        elsewhere = self.elsewhere(package)
        if elsewhere:
            return elsewhere
        if os.path.lexists(target) and not os.path.isdir(target):
            return f"{target} is there already, and is no folder"
        if package in self.entries or not os.path.isdir(target):
            return ""
        known = {f"{name}/{file}" for name, entry in self.entries.items() for file in entry.files}
        for folder, _, files in os.walk(target):
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), self.path).replace(os.sep, "/")
                if path not in known:
                    return f"{target} is there already, with files that krmkit did not write ({path}); move it away"
        return ""

    def elsewhere(self, path: str) -> str:
        """Where a path below the folder really leads, "" where no link is on the way: links are never followed."""
        target = os.path.join(self.path, path)
        real = os.path.realpath(target)
        if real == os.path.join(os.path.realpath(self.path), *path.split("/")):
            return ""
        return f"{target} leads elsewhere through a link ({real})"

    def remember(self, entries: dict[str, Entry]) -> None:
        """Write the record."""
        self.entries = entries
        data = {
            "packages": {
                package: {"set": entry.owner, "from": entry.source, "files": entry.files}
                for package, entry in sorted(entries.items())
            }
        }
        os.makedirs(self.path, exist_ok=True)
        path = os.path.join(self.path, RECORD)
        _replace(path, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))

    def write(self, package: str, contents: dict[str, bytes]) -> int:
        """Bring a package's folder to these files; those of an earlier run that are none of them go. Returns how many changed."""
        root = os.path.join(self.path, package)
        folders: set[str] = set()
        changed = 0
        for path, content in sorted(contents.items()):
            target = os.path.join(root, path)
            folder = os.path.dirname(target)
            if folder not in folders:
                self._refuse_link(folder)
                os.makedirs(folder, exist_ok=True)
                folders.add(folder)
            if _read(target) != content:
                _replace(target, content)
                changed += 1
        entry = self.entries.get(package)
        gone = [path for path in entry.files if path not in contents] if entry is not None else []
        return changed + self._remove(root, gone)

    def remove(self, package: str) -> int:
        """Remove a package's files, and its folder where nothing else is in it. Returns how many files went."""
        count = self._remove(os.path.join(self.path, package), self.entries[package].files)
        self._prune(os.path.join(self.path, package))
        return count

    def _refuse_link(self, folder: str) -> None:
        elsewhere = self.elsewhere(os.path.relpath(folder, self.path).replace(os.sep, "/"))
        if elsewhere:
            raise FolderError(elsewhere)

    def _remove(self, root: str, paths: list[str]) -> int:
        count = 0
        for path in paths:
            target = os.path.join(root, path)
            if self.elsewhere(os.path.relpath(os.path.dirname(target), self.path).replace(os.sep, "/")):
                continue
            if os.path.lexists(target) and not os.path.isdir(target):
                os.remove(target)
                count += 1
            self._prune(os.path.dirname(target))
        return count

    def _prune(self, folder: str) -> None:
        """Remove a folder and those above it, as long as they are empty and below the variants' folder."""
        while folder.startswith(self.path + os.sep):
            try:
                os.rmdir(folder)
            except OSError:
                return
            folder = os.path.dirname(folder)


def _plain(path: str) -> str:
    """A path of the record, which must stay inside the folder."""
    if not isinstance(path, str) or any(segment in ("", ".", "..") for segment in path.split("/")):
        raise ValueError(f"{path!r} is no path inside the folder")
    return path


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _replace(path: str, content: bytes) -> None:
    """A file as it was or as it should be, never half."""
    temporary = path + _MARK
    with open(temporary, "wb") as file:
        file.write(content)
    os.replace(temporary, path)
