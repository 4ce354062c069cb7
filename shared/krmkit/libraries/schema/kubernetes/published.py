"""CRDs that a program ships, packed by tools/crdschemas.py.

Their form: `{"kinds": {"group/version/Kind": schema}, "shared": [schema]}`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


class PublishedCrds:
    """The schemas as data, unpacked on first use in a process.

    >>> packed = '{"kinds": {"a.b/v1/T": {"items": {"$shared": 0}}}, "shared": [{"type": "string"}]}'
    >>> PublishedCrds(lambda: packed).data("a.b/v1/T")
    {'items': {'type': 'string'}}
    """

    def __init__(self, text: Callable[[], str | bytes]) -> None:
        """text: returns the output of the tool."""
        self._text = text
        self._kinds: dict[str, Any] | None = None
        self._shared: list[Any] = []
        self._unpacked: dict[int, Any] = {}

    def data(self, name: str) -> Any:
        """Return the schema of `<apiVersion>/<kind>`, or None. A shared subtree is one object."""
        if self._kinds is None:
            packed = json.loads(self._text())
            self._kinds, self._shared = packed["kinds"], packed["shared"]
        return self._resolved(self._kinds.get(name))

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._resolved(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "$shared" not in value:
            return {name: self._resolved(inner) for name, inner in value.items()}
        number = value["$shared"]
        if number not in self._unpacked:
            self._unpacked[number] = self._resolved(self._shared[number])
        return self._unpacked[number]
