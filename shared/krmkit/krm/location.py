"""Where a resource lives."""

from __future__ import annotations

from krmkit.krm import annotations as names


class Location:
    """Where a resource lives: file path relative to its package, index in the file, path of the package.

    One that is not `numbered` got no index from anybody, and stands behind those of its file that have one.
    `line` is its first line in the file, from 1; 0 where nobody knows. `digits` is the index as a function wrote it, as in
    "01", which kpt tells from "1"; "" where nobody wrote one.
    """

    __slots__ = ("digits", "index", "line", "numbered", "package", "path")

    def __init__(
        self, path: str, index: int = 0, package: str = "", numbered: bool = True, line: int = 0
    ) -> None:
        self.line = line
        self.digits = ""
        self.path = path
        self.index = index
        self.package = package
        self.numbered = numbered

    def copy(self) -> Location:
        copy = Location(self.path, self.index, self.package, self.numbered, self.line)
        copy.digits = self.digits
        return copy

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations that kpt adds to say so, in its order."""
        number = (self.digits or str(self.index)) if self.numbered else ""
        said = {
            names.LEGACY_INDEX: number,
            names.LEGACY_PATH: self.path,
            names.INDEX: number,
            names.PACKAGE_PATH: self.package,
            names.PATH: self.path,
        }
        return {name: value for name, value in said.items() if value}
