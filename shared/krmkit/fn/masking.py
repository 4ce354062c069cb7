"""Find secret values in resources and configs, and mask them in everything that is printed.

Every output of every command passes here: results as a function ends (`hide`), the output of programs,
reports, conflicts, diffs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.krm.secretwords import SECRET, can_be_struck, may_hold_secrets, parts, without_secrets
from krmkit.libraries.schema.fields import leaves
from krmkit.libraries.yaml.errors import YamlError


class Mask:
    """Hide secrets: `Mask({"blue"}).value({"a": "blueprint"}) == {"a": "(secret)print"}`.

    Messages also contain krmkit's own words; masking part of one would reveal the secret. So
    `message("blueprint blue")` is "blueprint (secret)".
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret for secret in secrets if secret}
        self._whole = frozenset(known)
        self._hidden = parts(known)

    @classmethod
    def of_values(cls, data: object) -> Mask:
        """Return a mask of every value in data, except expressions of spiff such as `(( a + 1 ))`."""
        return cls(value for value in _scalars(data) if can_be_struck(value) and "((" not in value)

    def __bool__(self) -> bool:
        return bool(self._hidden)

    def text(self, text: str) -> str:
        """Return a value without secrets."""
        return without_secrets(text, self._hidden)

    def message(self, text: str) -> str:
        """Return a message without secrets; a short secret is masked only as a whole word."""
        return without_secrets(text, self._hidden, in_message=True)

    def messages(self, texts: Iterable[str]) -> list[str]:
        return [self.message(text) for text in texts]

    def value(self, value: object) -> object:
        """Return data without the secrets in its texts and numbers."""
        if isinstance(value, str):
            return self.text(value)
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


def marked(data: object) -> Iterator[str]:
    """Yield the texts that a config marks as secret: `value` of each mapping with `secret: true`.

    Example: `[*marked({"variables": [{"name": "pw", "value": "hush", "secret": True}]})] == ["hush"]`.
    """
    pending = [data]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            if one.get("secret") is True and isinstance(one.get("value"), str | int | float):
                yield str(one["value"])
            pending += one.values()
        elif isinstance(one, list):
            pending += one


def secrets_in(texts: Iterable[str]) -> set[str]:
    """Return the secrets in the texts of resources; see `secrets_among`."""
    return secrets_among(Resource(text) for text in texts if may_hold_secrets(text))


def secrets_among(items: Iterable[Resource]) -> set[str]:
    """Return the secrets in resources.

    Secret are the data of Secrets, the values of secret variables, values that a pack's schema marks as
    passwords, and defaults of a profile's sensitive variables. Not secret are booleans, numbers of up to
    three digits, and names of variables.
    """
    found: set[str] = set()
    packs = []
    for item in items:
        try:
            if not may_hold_secrets(item.text):
                continue
            if item.kind == "Secret":
                data, plain = list(_scalars(item.get("data"))), list(_scalars(item.get("stringData")))
                found.update(data, map(_decoded, data), plain, map(_encoded, filter(can_be_struck, plain)))
            elif item.kind == "ResolveMacros":
                found |= set(marked(item.get("spec", "variables")))
            else:
                packs.append(item)
        except (Refused, YamlError):
            continue
    if packs:
        found |= _passwords(packs)
    return {secret for secret in found if can_be_struck(secret)}


def hide(findings: list[Finding], items: Iterable[Resource]) -> None:
    """Mask the secrets of resources in findings; severity, rule, file and the resource's name stay."""
    mask = Mask(secrets_among(items))
    if not mask:
        return
    for finding in findings:
        finding.message = mask.message(finding.message)
        finding.current, finding.proposed = (
            value if value is None else mask.value(value) for value in (finding.current, finding.proposed)
        )


def _passwords(packs: list[Resource]) -> set[str]:
    from krmkit.systems.palette.constraints.overview import passwords
    from krmkit.systems.palette.packs.items import Packs
    from krmkit.systems.palette.profiles.items import is_profile, profile_of
    from krmkit.systems.palette.profiles.variables import sensitive_defaults

    found: set[str] = set()
    for item in packs:
        try:
            if is_profile(item):
                found |= sensitive_defaults(profile_of(item).variables())
            for carrier in Packs.read(ResourceList.of([item])).carriers:
                found |= passwords(carrier.pack)
        except (Refused, YamlError):
            continue  # an item that no function had to read
    return found


def _scalars(data: object) -> Iterator[str]:
    """Yield each text and number in data: `_scalars({"a": ["x", {"b": 1}]})` gives "x" and "1"."""
    return (
        str(one) for one in leaves(data) if isinstance(one, str | int | float) and not isinstance(one, bool)
    )


def _encoded(text: str) -> str:
    from base64 import b64encode

    return b64encode(text.encode("utf-8", "surrogatepass")).decode()


def _decoded(text: str) -> str:
    """Decode a text from base64; return "" if it is not base64."""
    from base64 import b64decode

    try:
        return b64decode(text, validate=True).decode("utf-8")
    except ValueError:
        return ""
