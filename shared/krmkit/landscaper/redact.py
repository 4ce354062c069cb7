"""Secrets: the values of Secrets and of Targets' configs, taken out of messages, and out of rendered objects.

    secrets = Secrets.of(world)
    secrets.scrub("password: hunter22")   # "password: (secret)"

Texts of fewer than four characters are no secrets here; a value that a template changes (upper case, parts of it) is not found.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode, b64encode
from dataclasses import dataclass, field

from krmkit.landscaper.components import Data
from krmkit.landscaper.data import mapping, text, texts
from krmkit.landscaper.goyaml import GoYamlError, load
from krmkit.landscaper.hashes import data_hash, target_hash
from krmkit.landscaper.names import HASH_ANNOTATION
from krmkit.landscaper.world import World

_SHORTEST = 4
_SHORTEST_LINE = 8
_SECRET = "(secret)"
_COMMON = frozenset(("true", "false", "null", "none", "default", "v1", "kind", "config", "kubeconfig"))


@dataclass(slots=True)
class Secrets:
    """Secret texts, each with the placeholder that stands for it: where it comes from."""

    placeholders: dict[str, str] = field(default_factory=dict)
    _pattern: re.Pattern[str] | None = None

    @classmethod
    def of(cls, world: World) -> Secrets:
        """The secrets of a world."""
        found = cls()
        for item in world.of_kind("Secret"):
            name = text(mapping(item.get("metadata")).get("name"))
            for key, value in texts(item.get("data")).items():
                found.add_data(_decoded(value), f"(secret {name}/{key})")
            for key, value in texts(item.get("stringData")).items():
                found.add_data(value, f"(secret {name}/{key})")
        for item in world.of_kind("Target"):
            name = text(mapping(item.get("metadata")).get("name"))
            found.add_leaves(mapping(item.get("spec")).get("config"), f"(config of target {name})")
        return found

    def add_data(self, value: str, placeholder: str) -> None:
        """A value of a Secret: its text, and what it holds as YAML."""
        self.add(value, placeholder)
        try:
            self.add_leaves(load(value), placeholder)
        except GoYamlError:
            pass  # a value that is no YAML has no parts

    def add_leaves(self, value: object, placeholder: str) -> None:
        """All texts inside of a value."""
        pending = [value]
        while pending:
            node = pending.pop()
            if isinstance(node, dict):
                pending += node.values()
            elif isinstance(node, list):
                pending += node
            elif isinstance(node, str):
                self.add(node, placeholder)

    def add(self, value: str, placeholder: str) -> None:
        """A text, its base64 form, and its long lines."""
        lines = [line.strip() for line in value.split("\n")]
        for one in (value, value.strip(), b64encode(value.encode("utf-8", "surrogateescape")).decode()):
            if len(one) >= _SHORTEST and one.lower() not in _COMMON:
                self.placeholders.setdefault(one, placeholder)
        if len(lines) > 1:
            for line in lines:
                parts = [line, line.partition(": ")[2]]
                for part in parts:
                    if len(part) >= _SHORTEST_LINE:
                        self.placeholders.setdefault(part, placeholder)
        self._pattern = None

    def scrub(self, message: str) -> str:
        """A message without secrets."""
        return self._compiled().sub(_SECRET, message) if self.placeholders else message

    def redacted(self, item: Data) -> Data:
        """An object with a placeholder for every secret, and the hash of what it holds then."""
        found = mapping(self._replaced(item))
        annotations = mapping(mapping(found.get("metadata")).get("annotations"))
        if HASH_ANNOTATION in annotations:
            if found.get("kind") == "Target":
                annotations[HASH_ANNOTATION] = target_hash(mapping(found.get("spec")))
            else:
                annotations[HASH_ANNOTATION] = data_hash(found.get("data"))
        return found

    def _replaced(self, value: object) -> object:
        if isinstance(value, dict):
            return {key: self._replaced(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._replaced(item) for item in value]
        if isinstance(value, str) and self.placeholders:
            return self._compiled().sub(lambda match: self.placeholders[match.group()], value)
        return value

    def _compiled(self) -> re.Pattern[str]:
        """All secrets, longest first, as one expression."""
        if self._pattern is None:
            ordered = sorted(self.placeholders, key=lambda one: (-len(one), one))
            self._pattern = re.compile("|".join(map(re.escape, ordered)) or r"(?!)")
        return self._pattern


def _decoded(value: str) -> str:
    try:
        return b64decode("".join(value.split()), validate=True).decode("utf-8", "surrogateescape")
    except (binascii.Error, ValueError):
        return value
