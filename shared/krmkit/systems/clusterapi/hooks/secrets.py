"""Find values of sensitive variables, which no answer may contain."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import Any

from krmkit.libraries.schema.fields import leaves
from krmkit.systems.clusterapi.patches.request import Request


class SensitiveValues:
    """The texts and numbers of the sensitive variables of one request.

    >>> from krmkit.systems.clusterapi.patches.request import Request
    >>> secrets = SensitiveValues(["token"], Request([], {"token": "s3cr3t"}, {}))
    >>> secrets.held_by('"token" must be longer, got "s3cr3t"')
    'token'
    """

    def __init__(self, names: Iterable[str], request: Request) -> None:
        self._forms: list[tuple[str, str]] = []
        for name in names:
            places = (request.variables, *(item.variables for item in request.items))
            for text in dict.fromkeys(one for place in places for one in _texts(place.get(name))):
                quoted = json.dumps(text, ensure_ascii=False)[1:-1]
                encoded = b64encode(text.encode("utf-8", "surrogatepass")).decode()
                self._forms += [(name, form) for form in dict.fromkeys((text, quoted, encoded))]

    def held_by(self, text: str) -> str:
        """Return the variable whose value a text contains, or ""."""
        return next((name for name, form in self._forms if form in text), "")

    def written_by(self, value: Any) -> str:
        """Return the variable whose value a patch contains, in a text or a key, or ""."""
        if not self._forms:
            return ""
        for text in _texts(value, keys=True):
            for name, form in self._forms:
                if form == text or (len(form) >= _SHORTEST and form in text):
                    return name
        return ""


_SHORTEST = 4  # shorter ones occur in many texts by chance


def _texts(value: Any, keys: bool = False) -> Iterator[str]:
    """Yield the texts and numbers inside a value; `keys`: mapping keys too.

    Booleans and null are no secrets.
    """
    for one in leaves(value, keys):
        if one is not None and one != "" and not isinstance(one, bool):
            yield str(one)
