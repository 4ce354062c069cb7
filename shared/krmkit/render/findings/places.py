"""Find the file, line and column of a result, for editors.

A result names a file, a document of it, and a field. The line is that of the field in the file on disk, else
of its nearest parent, else of the document. A message that begins with `line 7, column 3: ` is about a text
inside the document, and its line counts.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

from krmkit.kpt.resultlist import FunctionRun, normalized
from krmkit.kpt.source import FileResource
from krmkit.krm.finding import IDENTITY
from krmkit.krm.resource import Resource
from krmkit.libraries.json.paths import steps_of
from krmkit.libraries.schema.fields import entries
from krmkit.render.findings.annotationslips import annotation_results
from krmkit.render.findings.fieldtable import field_table, inner_mark
from krmkit.render.findings.fixes import add_fixes
from krmkit.render.findings.ignored import hide, ignore_comments
from krmkit.render.findings.model import (
    CHANGED,
    CREATED,
    REMOVED,
    FileChange,
    PackageReport,
    PipelineStep,
    RelatedPlace,
    Result,
)
from krmkit.render.findings.pipelineorder import order_results
from krmkit.render.package import KPTFILE, Package
from krmkit.render.rendering import Rendering
from krmkit.storage.disk.write import FileEdit
from krmkit.systems.palette.packs.items import CARRIERS, FILES

_SAID = re.compile(r"line ([0-9]{1,9})(?:, column ([0-9]{1,9}))?(?P<more> \([^)]*\))?: ")

_PLACE = re.compile(r"([^:\n]+\.ya?ml):([0-9]{1,9}):([0-9]{1,9}): ")
_OF_STEP = ("skipped", "condition-false")  # rules about an entry of a pipeline
BLOCK = re.compile(r"[|>][-+0-9]*(?: +#.*)?$")  # how a line ends that a block scalar follows


def shown_path(path: str) -> str:
    """Return a path as a user would write it: relative, unless it shares nothing with the working directory.

    So a report on `..` does not show the folders of this machine.
    """
    real, here = os.path.realpath(path), os.path.realpath(os.curdir)
    try:
        common = os.path.commonpath([real, here])
    except ValueError:  # another drive
        return real.replace(os.sep, "/")
    apart = os.path.dirname(common) == common != here
    return (real if apart else os.path.relpath(real, here)).replace(os.sep, "/")


class PackageFiles:
    """Files of one package as they are on disk, for looking up places."""

    def __init__(self, package: Package) -> None:
        self.folder = shown_path(package.path)
        self.slips: list[Result] = []  # findings in files on disk that no function reads
        self._packages = {each.folder: each for each in package.walk()}
        self.texts = {
            self.path(each.place(file.path)): file.text
            for each in self._packages.values()
            for file in each.files
        }
        self.comments = ignore_comments(self.texts)
        self._items: dict[str, list[FileResource]] = {}
        self._by_name: dict[tuple[str, str, str], tuple[str, FileResource]] = {}
        self._identities: dict[int, tuple[str, str]] = {}  # kind and name on disk
        for each in self._packages.values():
            for file in each.files:
                path = each.place(file.path)
                self._items[path] = file.items
                for item in file.items:
                    key = (item.kind, item.namespace, item.name)
                    self._identities[id(item)] = key[0], key[2]
                    self._by_name.setdefault(key, (path, item))
        for path, items in self._items.items():
            self.slips += annotation_results(path, items, self.place)

    def path(self, inner: str) -> str:
        """Return a path relative to the package as a user would write it."""
        return inner if self.folder == "." else f"{self.folder}/{inner}"

    def place(
        self, inner: str, index: int, resource: dict[str, str], field: str, file: str = ""
    ) -> tuple[str, int, int]:
        """Return path, line and column of a document's field; zeros if the file does not have it."""
        inner, item = self._found(inner, index, resource)
        if not inner:
            return "", 0, 0
        if item is None:
            return self.path(inner), 0, 0
        line, column = _position(item, self._identities[id(item)][0], field, file)
        return self.path(inner), line, column

    def said(
        self, inner: str, index: int, resource: dict[str, str], mark: tuple[int, int], text: str
    ) -> tuple[int, int] | None:
        """Return line and column on disk of what a function saw at `mark`; None if there is no such line.

        Functions before it may have moved the text, or brought it there, as presets do.
        """
        _, item = self._found(inner, index, resource)
        if item is None:
            return mark
        lines = item.original.split("\n")
        first = item.location.line
        if text:
            found = [(line, words.find(text) + 1) for line, words in enumerate(lines, first) if text in words]
            nearest = min(found, key=lambda place: abs(place[0] - mark[0]), default=mark)
            if nearest[0] != mark[0]:
                return nearest
        return mark if first <= mark[0] < first + len(lines) else None

    def inside(
        self, inner: str, index: int, resource: dict[str, str], line: int, text: str
    ) -> tuple[int, int] | None:
        """Return line and column of a text in a field's block; None unless it is there once."""
        _, item = self._found(inner, index, resource)
        if item is None or not text or "\n" in text:
            return None
        lines = item.original.split("\n")[line - item.location.line :]
        if not lines or not BLOCK.search(lines[0]):
            return None
        indent = len(lines[0]) - len(lines[0].lstrip(" -"))
        found = []
        for number, words in enumerate(lines[1:], line + 1):
            if words.strip() and len(words) - len(words.lstrip(" ")) <= indent:
                break
            if text in words:
                found.append((number, words.index(text) + 1))
        return found[0] if len(found) == 1 else None

    def _found(self, inner: str, index: int, resource: dict[str, str]) -> tuple[str, FileResource | None]:
        """Return the file and the item on disk of a document that a result names."""
        items = self._items.get(inner, [])
        item = items[index] if 0 <= index < len(items) else None
        named = (resource.get("kind", ""), resource.get("name", ""))
        if resource and (item is None or self._identities.get(id(item)) != named):
            # An earlier function may have moved it, or inserted others before it.
            key = (resource.get("kind", ""), resource.get("namespace", ""), resource.get("name", ""))
            known = self._by_name.get(key)
            if known is not None and (known[0] == inner or not inner or inner not in self._items):
                inner, item = known
        return inner, item

    def changes(self, changes: list[FileEdit]) -> list[FileChange]:
        """Return the changes of files, for a report."""
        return [FileChange(self.path(change.path), action_of(change)) for change in changes]

    def entry(self, run: FunctionRun, field: str = "") -> tuple[str, int, int]:
        """Return path, line and column of a function in its Kptfile, or of a field of its configMap."""
        inner = f"{run.package}/{KPTFILE}" if run.package else KPTFILE
        inside = field.removeprefix("data").lstrip(".")
        path = f"{run.field}.configMap{'.' + inside if inside else ''}" if field else run.field
        return self.place(inner, 0, {}, path)

    def place_of(self, run: FunctionRun) -> str:
        """Return the place of a function in its Kptfile as `path:line:col`."""
        path, line, column = self.entry(run)
        return f"{path}:{line}:{column}"


def _position(item: FileResource, kind: str, field: str, file: str = "") -> tuple[int, int]:
    """Return line and column, from 1, of a field's key in the item's file, or of the nearest key above it.

    A field that the item lacks is searched in its pack's text: values.yaml, or `file`.
    """
    text = item.original
    table = field_table(text, kind)
    steps = tuple(steps_of(field))
    mark = table.find(steps)
    if mark is None and steps and kind in CARRIERS:
        mark = inner_mark(text, kind, file or FILES[0], steps)
    line, column = mark or (table.first, 1)
    return item.location.line + line - 1, column


def position_in(folder: str, item: Resource, field: str = "") -> tuple[str, int, int]:
    """Return path, line and column of a resource or its field; ("", 0, 0) if it is in no file."""
    if not isinstance(item, FileResource):
        return "", 0, 0
    path = shown_path(os.path.join(item.location.package or folder, item.location.path))
    return path, *_position(item, item.kind, field)


def line_of(path: str, item: Resource, field: str = "") -> str:
    """Return the place of a resource or its field as `path:line:column`; only the path if no file has it."""
    if not isinstance(item, FileResource):
        return path
    line, column = _position(item, item.kind, field)
    return f"{path}:{line}:{column}"


def placed(severity: str, rule: str, message: str, path: str, resource: dict[str, str]) -> Result:
    """Return a result whose place is the prefix of the message (`fleet.yaml:9:5: ...`), or else `path`."""
    found = _PLACE.match(message)
    if found is None:
        return Result(severity, rule, message, path, resource=resource)
    return Result(severity, rule, message[found.end() :], found[1], int(found[2]), int(found[3]), resource)


def report_of(
    package: Package, rendering: Rendering, sources: PackageFiles | None = None, explained: bool = True
) -> PackageReport:
    """Return the report of a rendered package; without `explained`, omit the findings of --explain."""
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
    report.results += order_results(rendering.runs, sources.entry) + sources.slips
    report.changes = sources.changes(rendering.shown)
    hide(report, sources.comments)
    add_fixes(report.results, sources.texts)
    return report


def action_of(change: FileEdit) -> str:
    """Return `created`, `changed` or `removed`."""
    return CREATED if change.before is None else REMOVED if change.after is None else CHANGED


def _document(file: object, run: FunctionRun) -> tuple[str, int]:
    """Return path and index of the document that a result names, seen from the whole package."""
    if not isinstance(file, dict) or not file.get("path"):
        return "", 0
    number = file.get("index", 0)
    path = f"{run.package}/{file['path']}" if run.package else str(file["path"])
    return path, number if isinstance(number, int) else 0


def _related(
    tag: str, own: tuple[dict[str, str], str, int], run: FunctionRun, sources: PackageFiles
) -> Iterator[RelatedPlace]:
    """Yield the places of the tag that Finding.beside writes; one without a resource is in `own`."""
    try:
        listed = json.loads(tag)
    except ValueError:
        return
    for one in entries(listed):
        resource = {name: str(one[name]) for name in IDENTITY if name in one}
        document = (resource, *_document(one, run)) if resource else own
        said, field, text = (str(one.get(name, "")) for name in ("message", "field", "text"))
        path, line, column = sources.place(document[1], document[2], document[0], field, text)
        if path and line:
            yield RelatedPlace(path, line, column, said)


def result_of(result: dict[str, object], run: FunctionRun, sources: PackageFiles) -> Result:
    """Return a result of the specification, in kpt's order, with its place."""
    file, reference, place = result.get("file"), result.get("resourceRef"), result.get("field")
    tags = result.get("tags")
    place_result = Result(
        str(result.get("severity", "info")),
        str(tags.get("rule", "")) if isinstance(tags, dict) else "",
        str(result["message"]),
        function=run.name,
    )
    if isinstance(reference, dict):
        place_result.resource = {key: str(value) for key, value in reference.items()}
    if isinstance(place, dict):
        place_result.field = str(place.get("path", ""))
        place_result.current, place_result.proposed = place.get("currentValue"), place.get("proposedValue")
        if place_result.proposed is not None:
            place_result.instead = place_result.current, place_result.proposed
    if isinstance(tags, dict) and "right" in tags:
        place_result.instead = tags.get("wrong"), tags["right"]
    inner, index = _document(file, run)
    if isinstance(tags, dict) and "related" in tags:
        own = place_result.resource, inner, index
        place_result.related = tuple(_related(str(tags["related"]), own, run, sources))
    of_step = place_result.rule in _OF_STEP and not place_result.resource
    if of_step or (not inner and place_result.resource.get("name") == "function-input"):
        place_result.path, place_result.line, place_result.column = sources.entry(run, place_result.field)
    else:
        place_result.path, place_result.line, place_result.column = sources.place(
            inner,
            index,
            place_result.resource,
            place_result.field,
            str(tags.get("file", "")) if isinstance(tags, dict) else "",
        )
    if place_result.line and isinstance(place_result.current, str):
        mark = sources.inside(inner, index, place_result.resource, place_result.line, place_result.current)
        place_result.line, place_result.column = mark or (place_result.line, place_result.column)
    said = _SAID.match(place_result.message)
    if said and place_result.path:
        seen = place_result.current if isinstance(place_result.current, str) else ""
        mark = int(said[1]), int(said[2] or 1)
        on_disk = sources.said(inner, index, place_result.resource, mark, seen.split("\n")[0])
        if on_disk is not None:
            place_result.line, place_result.column = on_disk
        if not said["more"]:
            place_result.message = place_result.message[said.end() :]  # the place already contains it
    return place_result
