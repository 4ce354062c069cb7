r"""Edit fields inside a text of YAML or JSON, such as `data.app\.yaml.server.port` of a ConfigMap.

Only the value changes; the rest of the text stays byte for byte. JSON that cannot be edited in place is
written anew as kustomize does: sorted, and with an indentation of 2 if it had several lines.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Map, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_LIST = "list"


class InnerText:
    """A text of YAML or JSON, edited as a resource. `steps`: the path of its root in that resource."""

    __slots__ = ("_prefix", "_text", "resource", "steps")

    def __init__(self, text: str) -> None:
        root = parse(text).root
        if not isinstance(root, (Map, Seq)):
            raise YamlError("the text holds a single value")
        self._text = text
        # A resource is a map, so a list becomes a field of one.
        self._prefix = "" if isinstance(root, Map) else f"{_LIST}: " if root.flow else f"{_LIST}:\n"
        self.steps = (_LIST,) if self._prefix else ()
        self.resource = Resource(self._prefix + text)

    def edited(self) -> str:
        text = self.resource.text
        text = text.removeprefix(self._prefix)
        data = _json(self._text)
        return text if data is None or _json(text) is not None else self._as_json()

    def _as_json(self) -> str:
        import json

        data = self.resource.get(*self.steps)
        if "\n" in self._text and "  " in self._text:
            return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False)
        return json.dumps(data, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def _json(text: str) -> object:
    """Return the data of a JSON text; None for other texts."""
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def edit_inside(text: str, edit: Callable[[InnerText], bool]) -> str | None:
    """Return an edited text of YAML or JSON; None if it is neither, or the edit returns False."""
    try:
        inner = InnerText(text)
        return inner.edited() if edit(inner) else None
    except (YamlError, Refused):
        return None
