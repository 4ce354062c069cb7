"""Find secrets in files of packages, and mask them in messages about conflicts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from krmkit.fn.masking import Mask, secrets_in
from krmkit.kpt.merge.conflict import ResourceConflict, said_value
from krmkit.kpt.source import has_content, split_documents
from krmkit.krm.errors import Refused
from krmkit.krm.secretwords import may_hold_secrets
from krmkit.libraries.schema.fields import MISSING
from krmkit.libraries.yaml.errors import YamlError
from krmkit.storage.git.upstream import sign_ins


def secrets_in_file(text: str | None) -> set[str]:
    """Return the secrets in the documents of a file, as `secrets_in` does; none if it is not YAML."""
    if not text or not may_hold_secrets(text):
        return set()
    try:
        return secrets_in(body for _, body in split_documents(text, "") if has_content(body))
    except (Refused, YamlError):
        return set()


def secrets_of(contents: Iterable[bytes]) -> set[str]:
    """Return the secrets in the files of packages, as `secrets_in` does, and credentials in addresses."""
    secrets: set[str] = set()
    for content in set(contents):
        text = content.decode("utf-8", "replace")
        secrets |= secrets_in_file(text) | sign_ins(text)
    return secrets


def masked_conflicts(conflicts: list[ResourceConflict], secrets: set[str]) -> list[ResourceConflict]:
    mask = Mask(secrets)
    return [_masked(one, mask) for one in conflicts]


def _masked(one: ResourceConflict, mask: Mask) -> ResourceConflict:
    local, upstream = (
        value if value is MISSING else mask.value(value) for value in (one.local, one.upstream)
    )
    message = one.message
    for before, after in ((one.local, local), (one.upstream, upstream)):
        if (
            before is not after and before != after
        ):  # first, as a message shows only the start of a long value, which the mask would miss
            message = message.replace(said_value(before), said_value(after))
    return replace(one, message=mask.message(message), local=local, upstream=upstream)
