"""Write a set's PackageVariants as `krmkit.libraries.yaml.emit` does, but each repeated part only once."""

from __future__ import annotations

from typing import Any

from krmkit.krm import annotations as names
from krmkit.libraries.yaml import emit
from krmkit.systems.porch.api.apinames import (
    FINALIZER,
    OWNER_LABEL,
    SET_KIND,
    SET_VERSION,
    VARIANT_KIND,
    VARIANT_VERSION,
)
from krmkit.systems.porch.variants.decodevariants import DecodedVariant

_MOST_REMEMBERED = 20_000


def owner_of(packages: DecodedVariant) -> str:
    """Return the annotation of a set's variants: `PackageVariantSet/<namespace>/<name>`."""
    return f"{SET_KIND}/{packages.namespace}/{packages.name}"


class VariantWriter:
    """Write the variants of one set. Shared metadata and frequent scalars are composed once."""

    def __init__(self, packages: DecodedVariant, finalizer: bool = False) -> None:
        self._keys: dict[str, str] = {}
        self._scalars: dict[str, str] = {}
        metadata: dict[str, Any] = {"namespace": packages.namespace} if packages.namespace else {}
        tail: dict[str, Any] = {}
        if packages.uid:
            metadata["labels"] = {OWNER_LABEL: packages.uid}
            owner = {"apiVersion": SET_VERSION, "kind": SET_KIND, "name": packages.name, "uid": packages.uid}
            tail["ownerReferences"] = [{**owner, "controller": True}]
        if finalizer:
            tail["finalizers"] = [FINALIZER]
        metadata["annotations"] = {names.GENERATED_BY: owner_of(packages)}
        self._metadata = self._block(metadata, 2)
        self._tail = self._block(tail, 2)

    def document(self, name: str, path: str, index: int, spec: dict[str, Any]) -> str:
        """Return a whole variant, with the annotations that tell kpt its file."""
        return (
            f"apiVersion: {VARIANT_VERSION}\nkind: {VARIANT_KIND}\nmetadata:\n  name: {self._scalar(name, 2)}{self._metadata}\n"
            f'    {names.INDEX}: "{index}"\n    {names.PATH}: {self._scalar(path, 4)}{self._tail}\n{self.spec(spec)}\n'
        )

    def spec(self, spec: dict[str, Any]) -> str:
        """Return `spec:` and its block, at column 0, without a final newline."""
        return "spec:" + self._block(spec, 2)

    def _block(self, mapping: dict[str, Any], column: int) -> str:
        """Return the lines of a mapping, keys at `column`, each line with a newline in front."""
        pad = "\n" + " " * column
        keys, scalars = self._keys, self._scalars
        parts: list[str] = []
        for name, value in mapping.items():
            key = keys.get(name) or self._key(name)
            if type(value) is str:
                parts.append(f"{pad}{key}: {scalars.get(value) or self._scalar(value, column)}")
            elif type(value) is dict and value:
                parts.append(f"{pad}{key}:{self._block(value, column + 2)}")
            elif type(value) is list and value:
                parts.append(f"{pad}{key}:")
                parts += [f"{pad}-{self._item(item, column)}" for item in value]
            else:
                parts.append(f"{pad}{key}:{emit.after_key(value, column)}")
        return "".join(parts)

    def _item(self, item: object, column: int) -> str:
        if type(item) is dict and item:
            return " " + self._block(item, column + 2)[column + 3 :]
        if type(item) is str:
            return " " + self._scalar(item, column)
        return emit.after_dash(item, column)

    def _key(self, name: str) -> str:
        text = emit.key(name)
        if len(self._keys) < _MOST_REMEMBERED:
            self._keys[name] = text
        return text

    def _scalar(self, value: str, column: int) -> str:
        text = self._scalars.get(value)
        if text is not None:
            return text
        text = emit.scalar(value, column)
        # A text of several lines is indented by its column, so it is not the same everywhere.
        if len(self._scalars) < _MOST_REMEMBERED and "\n" not in text:
            self._scalars[value] = text
        return text
