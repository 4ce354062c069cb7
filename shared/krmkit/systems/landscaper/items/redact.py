"""Mask the values of Secrets and of Targets' configs in messages and rendered objects.

secrets = Secrets(world)
secrets.scrub("password: hunter22")   # "password: (secret)"

Each value is found unchanged, in upper and lower case, quoted, in base64 (alone or inside a longer text), in
hexadecimal digits and by its digests; see secretforms. Texts of fewer than four characters do not count as
secrets, and parts of a value are not found.
"""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import dataclass, field

from krmkit.krm.secretwords import SECRET
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.schema.fields import leaves, mapping, text, texts
from krmkit.systems.landscaper.apinames import HASH_ANNOTATION
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.items.hashes import data_hash, target_hash
from krmkit.systems.landscaper.items.objects import World
from krmkit.systems.landscaper.items.secretforms import SHORTEST, SecretForms, forms, number_forms
from krmkit.systems.landscaper.yaml import load

_SHORTEST_LINE = 8
_COMMON = frozenset(("true", "false", "null", "none", "default", "v1", "kind", "config", "kubeconfig"))
# Go's JSON names the character that it stumbled over, the first one of a secret that is not JSON.
_CHARACTER = "invalid character "
_QUOTED = re.compile(_CHARACTER + r"'(?:\\.[^']*|[^\\])'")
_IDENTITY = ("name", "namespace", "ownerReferences")
"""The fields of metadata that stay: a name that equals a secret must remain a name."""


@dataclass(slots=True)
class Secrets:
    """The secret texts of a world, each with a placeholder that names its source.

    They are collected on first use; secrets that rendering added before that are included.
    """

    world: World
    placeholders: dict[str, str] = field(default_factory=dict)
    _forms: SecretForms | None = None

    def scrub(self, message: str) -> str:
        """Mask secrets in a message; a short secret only as a whole word."""
        found = self._found()
        if found.known and _CHARACTER in message:
            message = _QUOTED.sub(f"{_CHARACTER}{SECRET}", message)
        return found.replaced(message, lambda placeholder: SECRET, message=True)

    def redacted(self, item: Data) -> Data:
        """Mask every secret in an object, and update its hash."""
        metadata = mapping(item.get("metadata"))
        identity = {key: metadata[key] for key in _IDENTITY if key in metadata}
        rest = {key: value for key, value in metadata.items() if key not in identity}
        kept: Data = {key: item[key] for key in ("apiVersion", "kind") if key in item}
        body = {key: value for key, value in item.items() if key not in kept and key != "metadata"}
        clean = {**identity, **mapping(self._replaced(rest))}
        found: Data = {**kept, "metadata": clean, **mapping(self._replaced(body))}
        annotations = mapping(clean.get("annotations"))
        for key, value in texts(metadata.get("annotations")).items():
            if key.startswith("krmkit.dev/"):
                annotations[key] = value
        if HASH_ANNOTATION in annotations:
            if found.get("kind") == "Target":
                annotations[HASH_ANNOTATION] = target_hash(mapping(found.get("spec")))
            else:
                annotations[HASH_ANNOTATION] = data_hash(found.get("data"))
        return found

    def _replaced(self, value: object) -> object:
        if isinstance(value, dict):
            return {self._text(str(key)): self._replaced(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._replaced(item) for item in value]
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            known = self._found().known
            return next((known[one] for one in number_forms(value) if one in known), value)
        return value

    def _text(self, value: str) -> str:
        return self._found().replaced(value, lambda placeholder: placeholder)

    def _found(self) -> SecretForms:
        if self._forms is None:
            self._collect()
            known = {form: said for value, said in self.placeholders.items() for form in forms(value)}
            known.update(self.placeholders)
            self._forms = SecretForms(known)
        return self._forms

    def _collect(self) -> None:
        for item in self.world.of_kind("Secret"):
            name = text(mapping(item.get("metadata")).get("name"))
            for key, value in texts(item.get("data")).items():
                self._add_data(_decoded(value), f"(secret {name}/{key})")
            for key, value in texts(item.get("stringData")).items():
                self._add_data(value, f"(secret {name}/{key})")
        for item in self.world.of_kind("Target"):
            name = text(mapping(item.get("metadata")).get("name"))
            self._add_leaves(mapping(item.get("spec")).get("config"), f"(config of target {name})")

    def _add_data(self, value: str, placeholder: str) -> None:
        """Add a value of a Secret: its text, and its parts if it is YAML."""
        self._add(value, placeholder)
        try:
            self._add_leaves(load(value), placeholder)
        except GoInputError:
            pass  # a value that is not YAML has no parts

    def _add_leaves(self, value: object, placeholder: str) -> None:
        for node in leaves(value):
            if isinstance(node, str):
                self._add(node, placeholder)
            elif isinstance(node, int | float) and not isinstance(node, bool):
                for one in number_forms(node):
                    self._add(one, placeholder)

    def _add(self, value: str, placeholder: str) -> None:
        for one in (value, value.strip()):
            if len(one) >= SHORTEST and one.lower() not in _COMMON:
                self.placeholders.setdefault(one, placeholder)
        lines = [line.strip() for line in value.split("\n")]
        if len(lines) > 1:
            for line in lines:
                for part in (line, line.partition(": ")[2]):
                    if len(part) >= _SHORTEST_LINE:
                        self.placeholders.setdefault(part, placeholder)


def _decoded(value: str) -> str:
    try:
        return b64decode("".join(value.split()), validate=True).decode("utf-8", "surrogateescape")
    except ValueError:
        return value
