"""Find and edit the config of a pipeline's function."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.kpt.kptfile import PipelineFunction
from krmkit.kpt.source import FileResource
from krmkit.krm.errors import Refused
from krmkit.libraries.json.paths import steps_of
from krmkit.render.package import KPTFILE, Package

Path = tuple[str | int, ...]


class ChoiceError(Refused):
    """A choice that the page does not offer."""


@dataclass(frozen=True, slots=True)
class ConfigPlace:
    """The config of one function, at `prefix` of `item`: ("spec",), ("data",), or a Kptfile's configMap.

    `flat`: its values are texts, as in a ConfigMap. Edits change the text of the item.
    """

    package: Package
    function: PipelineFunction
    item: FileResource
    file: str
    prefix: Path
    flat: bool

    @classmethod
    def of(cls, package: Package, function: PipelineFunction) -> ConfigPlace | None:
        """Return the place of a function's config; None without one, or if its file holds other resources."""
        name = function.config_file if function.config_path else KPTFILE
        items = next((file.items for file in package.files if file.path == name), [])
        if function.config_path:
            if len(items) != 1:
                return None
            flat = items[0].kind == "ConfigMap"
            return cls(package, function, items[0], name, ("data",) if flat else ("spec",), flat)
        if not function.config_map or not items:
            return None
        return cls(package, function, items[0], name, (*steps_of(function.field), "configMap"), True)

    @property
    def id(self) -> str:
        """Return the function's id in requests: `pipeline.mutators[0]`, in a subpackage `sub:...`."""
        folder = self.package.folder
        return f"{folder}:{self.function.field}" if folder else self.function.field

    @property
    def path(self) -> str:
        """Return the file, relative to the root package."""
        return self.package.place(self.file)

    def get(self, *path: str | int) -> object:
        """Return the value at a path of the config, None if there is none."""
        return self.item.get(*self.prefix, *path)

    def set(self, path: Path, value: object) -> None:
        """Set the value at a path; comments and everything else stay."""
        self.item.set((*self.prefix, *path), value)

    def remove(self, path: Path) -> None:
        """Remove the value at a path."""
        self.item.remove((*self.prefix, *path))
