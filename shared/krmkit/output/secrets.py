"""Find the secret values of a package: those of its files, and those of what a render made of them."""

from __future__ import annotations

from krmkit.fn.masking import secrets_in
from krmkit.render.filesecrets import secrets_in_file
from krmkit.render.package import Package
from krmkit.render.rendering import Rendering


def secrets_of(package: Package, rendering: Rendering) -> set[str]:
    """What no diff of a rendered package may show: what functions and configs mark, and the secrets in the resources before and
    after."""
    texts = {item.original for each in package.walk() for file in each.files for item in file.items}
    texts.update(item.text for _, item in rendering.items)
    found = rendering.secrets | secrets_in(texts)
    for change in rendering.proposed:
        found |= secrets_in_file(change.after)
    return found
