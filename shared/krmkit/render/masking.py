"""Secrets in what is shown: what a config marks as secret, and how texts are struck out of messages, results and diffs."""

from __future__ import annotations

from math import isfinite

from krmkit.krm.errors import ListError
from krmkit.render.diff import SECRET, parts
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from krmkit.krm.resource import Resource
    from krmkit.render.resultlist import FunctionRun

SHORTEST = 3  # characters; shorter secrets would strike out half of a page
_KEPT = ("severity", "file")


class Mask:
    """Hides secrets: `Mask({"hush"}).value({"a": "hush!"}) == {"a": "(secret)!"}`."""

    __slots__ = ("_hidden", "_whole")

    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret for secret in secrets if secret}
        self._whole = frozenset(known)
        self._hidden = parts(known)

    def text(self, text: str) -> str:
        """A text without secrets."""
        for secret in self._hidden:
            if secret in text:
                text = text.replace(secret, SECRET)
        return text

    def value(self, value: object) -> object:
        """A text, a number, or data that holds such, without secrets."""
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
    """Return the texts that a config marks as secret: the value of each mapping that has `secret: true` beside `value`.

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


def mask_said(runs: Iterable[FunctionRun], secrets: set[str], configs: Iterable[Resource | None]) -> Mask:
    """Strike secrets out of what the functions of a package said, results and stderr; return the mask for what else is said.

    Secrets are what functions made of them, and what the configs mark as such, which is added to `secrets`.
    """
    for config in configs:
        if config is None or "secret" not in config.text:
            continue
        try:
            found = marked(config.get())
            secrets.update(secret for secret in found if len(secret) >= SHORTEST)
        except (YamlError, ListError):
            continue  # the function that has it says what is wrong with it
    mask = Mask(secret for secret in secrets if len(secret) >= SHORTEST)
    if secrets:
        for run in runs:
            run.stderr = mask.text(run.stderr)
            run.results = [_masked(result, mask) for result in run.results]
    return mask


def _masked(result: Mapping[str, object], mask: Mask) -> dict[str, object]:
    """A result without secrets; severity and file stay, they are none of the function's words."""
    return {name: value if name in _KEPT else mask.value(value) for name, value in result.items()}
