"""Secrets in what is shown: which texts are secret, and how they are struck out of a report."""

from __future__ import annotations

from math import isfinite

from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.palette.overview import passwords
from krmkit.palette.packitems import Packs
from krmkit.render.diff import SECRET, parts
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORTEST = 3  # characters; shorter passwords would strike out half of a page
_MARKS = (
    "Secret",
    "secret",
    "password",
)  # without one of these words a text says of nothing that it is secret


class Mask:
    """Hides secrets: `Mask({"hush"}).value({"a": "hush!"}) == {"a": "(secret)!"}`."""

    __slots__ = ("_hidden", "_whole")

    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret for secret in secrets if secret}
        self._whole = frozenset(known)
        self._hidden = parts(known)

    def value(self, value: object) -> object:
        """A text, a number, or data that holds such, without secrets."""
        if isinstance(value, str):
            for secret in self._hidden:
                if secret in value:
                    value = value.replace(secret, SECRET)
            return value
        if isinstance(value, dict):
            return {key: self.value(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(one) for one in value]
        if str(value) in self._whole:
            return SECRET
        # JSON has no form for infinity and not-a-number, nor for times.
        is_plain = (
            value is None or isinstance(value, (bool, int)) or (isinstance(value, float) and isfinite(value))
        )
        return value if is_plain else str(value)


def secrets_in(texts: Iterable[str]) -> set[str]:
    """What is secret in resources: the data of Secrets, the values of secret variables, and those of keys that a pack's
    schema calls passwords."""
    found: set[str] = set()
    packs = []
    for text in texts:
        if not any(mark in text for mark in _MARKS):
            continue
        resource = Resource(text)
        try:
            if resource.kind == "Secret":
                data = list(_scalars(resource.get("data")))
                found.update(data, map(_decoded, data), _scalars(resource.get("stringData")))
            elif resource.kind == "ResolveMacros":
                found |= set(_variables(resource.get("spec", "variables")))
            else:
                packs.append(resource)
        except (ListError, YamlError):
            continue
    for pack in Packs.read(ResourceList.of(packs)).carriers if packs else ():
        found |= passwords(pack.pack)
    return {secret for secret in found if len(secret) >= _SHORTEST}


def _scalars(value: object) -> Iterable[str]:
    values = value.values() if isinstance(value, dict) else ()
    return [str(one) for one in values if isinstance(one, (str, int, float)) and not isinstance(one, bool)]


def _decoded(text: str) -> str:
    """The text behind base64, "" where it is none."""
    from base64 import b64decode

    try:
        return b64decode(text, validate=True).decode("utf-8")
    except ValueError:
        return ""


def _variables(value: object) -> Iterable[str]:
    for one in value if isinstance(value, list) else ():
        if isinstance(one, dict) and one.get("secret") is True and one.get("value") is not None:
            yield str(one["value"])
