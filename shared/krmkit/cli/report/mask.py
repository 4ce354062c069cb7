"""Secrets in what is shown: which texts of resources are secret."""

from __future__ import annotations

import re

from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.palette.overview import passwords
from krmkit.palette.packitems import Packs
from krmkit.render.masking import SHORTEST, marked
from krmkit.render.source import has_content, split_documents
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krmkit.render.package import Package
    from krmkit.render.rendering import Rendering

_MARKS = (
    "Secret",
    "secret",
    "password",
)  # without one of these words a text says of nothing that it is secret
# What only names a variable is no secret, and says in a diff where one comes from; a text in quotes may be one.
_NAMES = re.compile(r"\s*\{\{[\w\s.|()-]*\}\}\s*")


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
                found |= set(marked(resource.get("spec", "variables")))
            else:
                packs.append(resource)
        except (ListError, YamlError):
            continue
    for pack in Packs.read(ResourceList.of(packs)).carriers if packs else ():
        found |= passwords(pack.pack)
    return {secret for secret in found if len(secret) >= SHORTEST and not _NAMES.fullmatch(secret)}


def secrets_in_file(text: str | None) -> set[str]:
    """What is secret in the documents of a file, as `secrets_in` finds it; nothing in what is no YAML."""
    if not text or not any(mark in text for mark in _MARKS):
        return set()
    try:
        return secrets_in(body for _, body in split_documents(text, "") if has_content(body))
    except (ListError, YamlError):
        return set()


def secrets_of(package: Package, rendering: Rendering) -> set[str]:
    """What no diff of a rendered package may show: what functions and configs mark, and the secrets in the resources before and
    after."""
    texts = {item.original for each in package.walk() for file in each.files for item in file.items}
    texts.update(item.text for _, item in rendering.items)
    found = rendering.secrets | secrets_in(texts)
    for change in rendering.proposed:
        found |= secrets_in_file(change.after)
    return found


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
