"""A package with choices: what it offers, a render with other choices, and their edits of files."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Any

from krmkit.analysis.package import WHOLE, describe
from krmkit.kpt.source import SourceFile
from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.findings.model import Report
from krmkit.render.findings.places import shown_path
from krmkit.render.findings.unreadable import unreadable
from krmkit.render.package import Package, read
from krmkit.render.resolve import ProgramResolver
from krmkit.services.preview.configs import ChoiceError, ConfigPlace
from krmkit.services.preview.macros import MacroChoices
from krmkit.services.preview.presets import PresetChoices
from krmkit.storage.disk.folders import WORK, stamps, walk
from krmkit.storage.disk.write import FileEdit, write

Choices = PresetChoices | MacroChoices

CHANGED = "changed-file"  # the rule of a failure about a file that has changed since the page was made


class PreviewPackage:
    """Package at `path`, read at each call, so that changes on disk are seen. The resolver must explain."""

    def __init__(self, path: str, resolver: ProgramResolver) -> None:
        self.path = path
        self._resolver = resolver

    def state(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Return the page's data. Raises Refused.

        The report with `wanted` applied, the choices on disk, the digests of their files, and `edits`, the
        files that saving would change.
        """
        mark = self.mark()
        try:
            package = read(self.path, self._resolver.options.limits)
            choices = choices_of(package)
            offered: list[object] = [one.offered() for one in choices.values()]
            digests = {one.place.path: _digest(_file(one.place).text) for one in choices.values()}
            edits = edited(package, choices, wanted)
            if edits:
                unsaved = {edit.path: (edit.after or "").encode() for edit in edits}
                package = read(self.path, self._resolver.options.limits, unsaved=unsaved)
            report, mask = describe(package, self._resolver, WHOLE, edits)
            offered = [mask.value(one) for one in offered]
        except ChoiceError:
            raise
        except Refused as error:
            report = unreadable(shown_path(self.path), str(error))
            offered, digests, edits = [], {}, []
        return {
            "report": Report("preview", [report], written=False).data(),
            "choices": offered,
            "files": digests,
            "edits": [edit.path for edit in edits],
            "mark": mark,
        }

    def save(self, wanted: dict[str, Any], digests: dict[str, Any]) -> list[str]:
        """Write the choices into the files of the package, all or none; return the paths.

        `digests`: as sent to the page. Raises Refused.
        """
        package = read(self.path, self._resolver.options.limits)
        choices = choices_of(package)
        edits = edited(package, choices, wanted)
        for edit in edits:
            if digests.get(edit.path) != _digest(edit.before or ""):
                message = f"{edit.path} was changed on disk since the page showed it; nothing was written"
                raise Refused(Finding(CHANGED, message))
        write(package.path, edits, careful=True)
        return [edit.path for edit in edits]

    def mark(self) -> str:
        """Return a text that changes when a file of the package does."""
        paths: list[str] = []
        for folder, folders, files in walk(self.path):
            folders[:] = [name for name in folders if name not in (".git", WORK)]
            paths += [os.path.join(folder, name) for name in files]
        return sha256(repr(stamps(sorted(paths))).encode()).hexdigest()


def choices_of(package: Package) -> dict[str, Choices]:
    """Return the functions of a package whose configs hold choices, by their ids."""
    choices: dict[str, Choices] = {}
    kinds: dict[str, type[PresetChoices] | type[MacroChoices]] = {
        "apply-presets": PresetChoices,
        "resolve-macros": MacroChoices,
    }
    for each in package.walk():
        items: list[Resource] = [item for one in each.walk() for item in one.items]
        for function in each.functions:
            kind = kinds.get(function.function_name)
            place = ConfigPlace.of(each, function) if kind is not None else None
            if kind is not None and place is not None:
                choices[place.id] = kind(place, items)
    return choices


def edited(package: Package, choices: dict[str, Choices], wanted: dict[str, Any]) -> list[FileEdit]:
    """Return the edits that `{id of a function: its choices}` asks for. Raises Refused."""
    touched: dict[str, ConfigPlace] = {}
    for name, values in wanted.items():
        one = choices.get(name)
        if one is None:
            raise ChoiceError(f'no function "{name}" has choices{did_you_mean(str(name), choices)}')
        try:
            one.choose(values)
        except ChoiceError:
            raise
        except (Refused, YamlError) as error:
            raise ChoiceError(f"{one.place.path} cannot be edited: {error}") from None
        touched.setdefault(one.place.path, one.place)
    edits = []
    for path, place in touched.items():
        file = _file(place)
        try:
            text = file.joined(file.items)
        except YamlError as error:
            raise ChoiceError(f"{path} cannot be edited: {error}") from None
        if text != file.text:
            edits.append(FileEdit(path, file.text, text))
    return edits


def _file(place: ConfigPlace) -> SourceFile:
    return next(file for file in place.package.files if file.path == place.file)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()
