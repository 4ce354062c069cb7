"""Places for editors: the file, line and column of what a result is about.

A result names a file, a document of it, and a field. The line is that of the file on disk: of the field, else of what
holds it, else of the document. A message that begins with `line 7, column 3: ` knows better, because it is about a line of
a text inside the document.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from krmkit.cli.report.macrowords import MACRO, without_macros
from krmkit.cli.report.model import CHANGED, CREATED, REMOVED, FileChange, PackageReport, PipelineStep, Result
from krmkit.krm.errors import ListError
from krmkit.lang.dottedpath import steps_of
from krmkit.palette.filelines import LineIndex, block_place
from krmkit.palette.packitems import CARRIERS, place
from krmkit.render.package import KPTFILE
from krmkit.render.resultlist import normalized
from krmkit.yaml.errors import YamlError
from krmkit.yaml.tree import Map, Seq, deref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.disk.write import FileEdit
    from krmkit.render.package import Package
    from krmkit.render.rendering import Rendering
    from krmkit.render.resultlist import FunctionRun
    from krmkit.render.source import FileResource
    from krmkit.yaml.tree import Entry, Node

_SAID = re.compile(r"line ([0-9]{1,9})(?:, column ([0-9]{1,9}))?(?P<more> \([^)]*\))?: ")
_CONTENT = re.compile(r"^[^\S\n]*[^\s#]", re.MULTILINE)  # the first line that is neither empty nor a comment


def shown_path(path: str) -> str:
    """A path as a user would write it here: relative where it lies below the working directory, else whole."""
    real, here = os.path.realpath(path), os.path.realpath(os.curdir)
    inside = os.path.commonpath([real, here]) == here
    return (os.path.relpath(real, here) if inside else real).replace(os.sep, "/")


class PackageFiles:
    """The files of one package as they are on disk, for looking up places."""

    def __init__(self, package: Package) -> None:
        self.folder = shown_path(package.path)
        self._packages = {each.folder: each for each in package.walk()}
        self._items: dict[str, list[FileResource]] = {}
        self._by_name: dict[tuple[str, str, str], tuple[str, FileResource]] = {}
        for each in self._packages.values():
            for file in each.files:
                path = each.place(file.path)
                self._items[path] = file.items
                for item in file.items:
                    self._by_name.setdefault((item.kind, item.namespace, item.name), (path, item))

    def path(self, inner: str) -> str:
        """A path relative to the package as a user would write it."""
        return inner if self.folder == "." else f"{self.folder}/{inner}"

    def place(
        self, inner: str, index: int, resource: dict[str, str], field: str, file: str = ""
    ) -> tuple[str, int, int]:
        """Path, line and column of a field of a document; zeros where the file does not have it."""
        items = self._items.get(inner, [])
        item = items[index] if 0 <= index < len(items) else None
        if resource and (item is None or not _is(item, resource)):
            # A function before this one may have moved it, or put others before it.
            key = (resource.get("kind", ""), resource.get("namespace", ""), resource.get("name", ""))
            known = self._by_name.get(key)
            if known is not None and (known[0] == inner or not inner or inner not in self._items):
                inner, item = known
        if not inner:
            return "", 0, 0
        if item is None:
            return self.path(inner), 0, 0
        line, column = position(item, field, file)
        return self.path(inner), line, column

    def changes(self, changes: list[FileEdit]) -> list[FileChange]:
        """What becomes of files, for a report."""
        return [FileChange(self.path(change.path), action_of(change)) for change in changes]

    def entry(self, run: FunctionRun, field: str = "") -> tuple[str, int, int]:
        """Path, line and column of a function in its Kptfile, or of a field of its configMap."""
        inner = f"{run.package}/{KPTFILE}" if run.package else KPTFILE
        inside = field.removeprefix("data").lstrip(".")
        path = f"{run.field}.configMap{'.' + inside if inside else ''}" if field else run.field
        return self.place(inner, 0, {}, path)

    def place_of(self, run: FunctionRun) -> str:
        """The place of a function in its Kptfile as `path:line:col`."""
        path, line, column = self.entry(run)
        return f"{path}:{line}:{column}"


class TextPlaces:
    """The keys of one YAML text by their paths, and the lines and columns of its offsets."""

    __slots__ = ("_entries", "_root", "at")

    def __init__(self, text: str) -> None:
        """Raises ListError, YamlError."""
        from krmkit.krm.resource import Resource

        self._root = Resource(text).root
        self._entries: dict[int, dict[str | None, Entry]] = {}
        self.at = LineIndex(text).at

    def offset(self, steps: list[str | int]) -> int:
        """Where the deepest key or element of the path starts that the text has; 0 for none of them."""
        return self._offset(self._root, steps)

    def _offset(self, node: Node, steps: list[str | int]) -> int:
        found = 0
        for number, step in enumerate(steps):
            if isinstance(node, Map):
                # A key may hold dots itself, as `data.values.yaml` shows.
                entries, entry = self._named(node), None
                for stop in range(len(steps), number, -1):
                    entry = entries.get(".".join(map(str, steps[number:stop])))
                    if entry is not None:
                        break
                if entry is None or entry.key.start < 0:
                    return found
                found = entry.key.start
                if stop > number + 1:
                    return self._offset(deref(entry.value), steps[stop:]) or found
                node = deref(entry.value)
            elif isinstance(node, Seq) and isinstance(step, int) and 0 <= step < len(node.items):
                node = deref(node.items[step])
                found = node.start if node.start >= 0 else found
            else:
                return found
        return found

    def _named(self, node: Map) -> dict[str | None, Entry]:
        found = self._entries.get(id(node))
        if found is None:
            found = self._entries[id(node)] = {entry.name: entry for entry in reversed(node.entries)}
        return found


# A report asks for many places in the same text.
_places = lru_cache(maxsize=8)(TextPlaces)


def _is(item: FileResource, resource: dict[str, str]) -> bool:
    return (item.kind, item.name) == (resource.get("kind", ""), resource.get("name", ""))


def position(item: FileResource, field: str, file: str = "") -> tuple[int, int]:
    """Line and column in the item's file of a field's key, or of the nearest key above it; from 1.

    A field that the item does not have is looked for in the text of a pack that it holds: values.yaml, or `file`.
    """
    text = item.original
    line, column = 0, 0
    if field:
        steps = steps_of(field)
        try:
            places = _places(text)
            offset = places.offset(steps)
            if offset:
                line, column = places.at(offset)
            elif item.kind in CARRIERS:
                inner = _inner_places(text, item.kind, file or "values.yaml")
                if inner is not None:
                    line, column = inner.at(field)
        except (ListError, YamlError):
            line = 0
    if not line:
        # The document itself: its first line with content.
        first = _CONTENT.search(text)
        line, column = text.count("\n", 0, first.start() if first else len(text)) + 1, 1
    return item.location.line + line - 1, column


class InnerPlaces:
    """The places of a pack's text inside an item: `line` is the item's where the text begins, `indent` that of its lines."""

    __slots__ = ("_indent", "_line", "_places", "_words")

    def __init__(self, text: str, line: int, indent: int) -> None:
        """Raises ListError, YamlError."""
        bare, self._words = without_macros(text)
        self._places = TextPlaces(bare)
        self._line, self._indent = line, indent

    def at(self, field: str) -> tuple[int, int]:
        """Line and column of a field in the item, as `position` gives them."""
        # A key may hold a macro, too.
        bare = MACRO.sub(lambda match: self._words.get(match[0], match[0]), field)
        line, column = self._places.at(self._places.offset(steps_of(bare)))
        return self._line + line - 1, self._indent + column


@lru_cache(maxsize=8)
def _inner_places(text: str, kind: str, file: str) -> InnerPlaces | None:
    """The places of the text `file` that an item holds; None where it holds no such text as a block.

    Raises ListError, YamlError.
    """
    from krmkit.krm.resource import Resource

    path = place(kind, file)
    found = block_place(text, 0, path)
    inner = Resource(text).string(*path)
    return InnerPlaces(inner, *found) if found is not None and inner else None


def report_of(
    package: Package, rendering: Rendering, sources: PackageFiles | None = None, explained: bool = True
) -> PackageReport:
    """The report of a rendered package; without `explained`, what is there only because of --explain is left out."""
    sources = sources or PackageFiles(package)
    report = PackageReport(sources.folder, rendering.packages, failure=rendering.failure)
    for run in rendering.runs:
        report.steps.append(
            PipelineStep(run.name, run.kind, run.package, run.exit_code, run.seconds, sources.place_of(run))
        )
        report.results += [
            result_of(normalized(result), run, sources)
            for number, result in enumerate(run.results)
            if explained or number not in run.explained
        ]
        if run.reason:
            path, line, column = sources.entry(run)
            report.results.append(
                Result("error", "function-failed", run.reason, path, line, column, function=run.name)
            )
    report.changes = sources.changes(rendering.shown)
    return report


def action_of(change: FileEdit) -> str:
    """`created`, `changed` or `removed`."""
    return CREATED if change.before is None else REMOVED if change.after is None else CHANGED


def result_of(result: dict[str, object], run: FunctionRun, sources: PackageFiles) -> Result:
    """A result of the specification, in kpt's order, with its place."""
    file, reference, place = result.get("file"), result.get("resourceRef"), result.get("field")
    tags = result.get("tags")
    found = Result(
        str(result.get("severity", "info")),
        str(tags.get("rule", "")) if isinstance(tags, dict) else "",
        str(result["message"]),
        function=run.name,
    )
    if isinstance(reference, dict):
        found.resource = {key: str(value) for key, value in reference.items()}
    if isinstance(place, dict):
        found.field = str(place.get("path", ""))
        found.current, found.proposed = place.get("currentValue"), place.get("proposedValue")
    inner, index = "", 0
    if isinstance(file, dict) and file.get("path"):
        inner = f"{run.package}/{file['path']}" if run.package else str(file["path"])
        number = file.get("index", 0)
        index = number if isinstance(number, int) else 0
    if not inner and found.resource.get("name") == "function-input":
        found.path, found.line, found.column = sources.entry(run, found.field)
    else:
        found.path, found.line, found.column = sources.place(
            inner,
            index,
            found.resource,
            found.field,
            str(tags.get("file", "")) if isinstance(tags, dict) else "",
        )
    said = _SAID.match(found.message)
    if said and found.path:
        found.line, found.column = int(said[1]), int(said[2] or 1)
        if not said["more"]:
            found.message = found.message[said.end() :]  # the place says it
    return found
