"""Find the secret values of a package: those in its files, and those in its rendered resources."""

from __future__ import annotations

from krmkit.fn.masking import secrets_in
from krmkit.render.package import Package
from krmkit.render.rendering import Rendering
from krmkit.render.secrets.files import secrets_in_file


def secrets_of(package: Package, rendering: Rendering) -> set[str]:
    """Return the texts to mask in diffs of a rendered package.

    These are what functions and configs mark, and the secrets in the resources before and after.
    """
    texts = {item.original for each in package.walk() for file in each.files for item in file.items}
    texts.update(item.text for _, item in rendering.items)
    secrets = rendering.secrets | secrets_in(texts)
    for change in rendering.proposed:
        secrets |= secrets_in_file(change.after)
    return secrets
