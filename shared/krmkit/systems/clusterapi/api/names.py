"""Name generated objects. Source: internal/topology/names/names.go.

The reference ends names in five random characters. Here these are a hash of namespace, Cluster and role, so
the same topology always gets the same names.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.gotemplate import Template, TemplateError, parse
from krmkit.systems.clusterapi.api.errors import TopologyError

ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
MAX_NAME_LENGTH = 63
RANDOM_LENGTH = 5
_CUT = MAX_NAME_LENGTH - RANDOM_LENGTH


def stable_suffix(*what: str) -> str:
    """Hash the texts into five characters of the reference's alphabet."""
    number = int.from_bytes(sha256("\0".join(what).encode("utf-8", "surrogatepass")).digest()[:8], "big")
    characters = []
    for _ in range(RANDOM_LENGTH):
        number, rest = divmod(number, len(ALPHABET))
        characters.append(ALPHABET[rest])
    return "".join(characters)


def simple_name(base: str, suffix: str) -> str:
    """Join a base, cut to fit, and a suffix. `simple_name("c1-", "x7b2q")` is "c1-x7b2q"."""
    return base[:_CUT] + suffix


class NamingTemplate:
    """A naming template, parsed once. It has only Go's own functions; a missing key is an error."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._template: Template | None = None
        self._error = ""
        try:
            self._template = parse(text, name="template name generator", options=("missingkey=error",))
        except TemplateError as error:
            self._error = f"parsing template {quote(text)}: {error}"

    def name(self, data: Mapping[str, Any], fresh: str) -> str:
        """Return the rendered name; above 63 characters it is cut to end in `fresh`. Raises TopologyError.

        NamingTemplate("{{ .cluster.name }}-cp").name({"cluster": {"name": "c1"}}, "x7b2q")   # "c1-cp"
        """
        if self._template is None:
            raise TopologyError(self._error)
        try:
            name = self._template.execute(data)
        except TemplateError as error:
            raise TopologyError(f"rendering template: {error}") from None
        return name if len(name) <= MAX_NAME_LENGTH else simple_name(name, fresh)


class ClusterNames:
    """The names of one Cluster's objects, by role.

    pinned: names from the config by the roles of ClusterState.objects, `{"controlPlane": "my-cp"}`.
    """

    def __init__(self, namespace: str, cluster: str, pinned: Mapping[str, str] | None = None) -> None:
        self._namespace = namespace
        self._cluster = cluster
        self._pinned = pinned or {}

    def suffix(self, role: str, *more: str) -> str:
        return stable_suffix(self._namespace, self._cluster, role, *more)

    def is_pinned(self, role: str) -> bool:
        return role in self._pinned

    def templated(self, role: str, current: str, template: NamingTemplate, worker: Mapping[str, Any]) -> str:
        """Return the pinned name, else the current one, else the one that the naming template gives.

        worker: data beside cluster and random, `{"machineDeployment": {"topologyName": "md-0"}}`.
        """
        known = self._pinned.get(role) or current
        if known:
            return known
        data = {"cluster": {"name": self._cluster}, "random": self.suffix(role), **worker}
        return template.name(data, self.suffix(role, "cut"))

    def simple(self, role: str, current: str, base: str) -> str:
        """Return the pinned name of a template, else the current one, else `base` with a suffix."""
        return self._pinned.get(role) or current or simple_name(base, self.suffix(role))
