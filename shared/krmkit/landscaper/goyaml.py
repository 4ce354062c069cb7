"""YAML as sigs.k8s.io/yaml reads it: by way of JSON, with the rules of yaml.v2.

    load("a: yes\\nn: 1\\n")   # {"a": True, "false": 1}

`y`, `n`, `yes`, `no`, `on` and `off` are booleans; keys that are numbers or booleans become texts.
"""

from __future__ import annotations

from krmkit.yaml.data import line_of
from krmkit.yaml.document import parse
from krmkit.yaml.errors import YamlError
from krmkit.yaml.limits import DEFAULT_LIMITS
from krmkit.yaml.scalars import go_resolve
from krmkit.yaml.tree import Alias, Map, Node, Scalar, Seq, deref

_WORDS: dict[str, object] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF"), False),
}
_MOST = DEFAULT_LIMITS.aliases


class GoYamlError(ValueError):
    """The text is no YAML; the message begins as Go's does."""


def load(text: str) -> object:
    """The data of the one document of `text`; None for an empty text. Raises GoYamlError."""
    try:
        return _Reader().data(parse(text, duplicates="keep").root)
    except YamlError as error:
        raise GoYamlError(f"error converting YAML to JSON: yaml: {error}") from None
    except RecursionError:
        raise GoYamlError("error converting YAML to JSON: yaml: the text is nested too deeply") from None


class _Reader:
    __slots__ = ("aliased", "visited")

    def __init__(self) -> None:
        self.aliased = 0
        self.visited = 0

    def data(self, node: Node | None) -> object:
        if isinstance(node, Scalar):
            return _value(node)
        if isinstance(node, Alias):
            return self._alias(node)
        if self.aliased:
            self.visited += 1
            if self.visited > _MOST:
                raise YamlError(f"aliases stand for more than {_MOST:,} values")
        if isinstance(node, Map):
            return self._map(node)
        if isinstance(node, Seq):
            return [self.data(item) for item in node.items]
        return None

    def _alias(self, node: Alias) -> object:
        self.aliased += 1
        if self.aliased > DEFAULT_LIMITS.depth:
            raise YamlError("an anchor holds itself", *line_of(node))
        try:
            return self.data(node.target)
        finally:
            self.aliased -= 1

    def _map(self, node: Map) -> dict[str, object]:
        result: dict[str, object] = {}
        merged: list[Node] = []
        for entry in node.entries:
            key = deref(entry.key)
            if not isinstance(key, Scalar):
                raise YamlError("a key must be a scalar, not a collection", *line_of(entry.key))
            if key.text == "<<" and not key.style and key.tag in (None, "!!merge"):
                merged.append(entry.value)
            else:
                result[_key(key)] = self.data(entry.value)
        for value in merged:
            target = deref(value)
            for source in target.items if isinstance(target, Seq) else [value]:
                data = self.data(source)
                if not isinstance(data, dict):
                    raise YamlError(
                        "map merge requires map or sequence of maps as the value", *line_of(value)
                    )
                for name, item in data.items():
                    result.setdefault(name, item)
        return result


def _value(node: Scalar) -> object:
    tag, text = node.tag, node.text
    if tag is None:
        if node.style:
            return text
        word = _WORDS.get(text)
        return go_resolve(text)[1] if word is None else word
    if tag == "!!binary":
        import binascii
        from base64 import b64decode

        try:
            return b64decode(text).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            raise YamlError("!!binary value contains invalid base64 data", *line_of(node)) from None
    if tag in ("!!int", "!!float", "!!bool", "!!null"):
        found, value = go_resolve(text)
        if found == "int" and tag == "!!float" and isinstance(value, int):
            return float(value)
        if "!!" + found != tag:
            raise YamlError(f"cannot decode !!{found} `{text}` as a {tag}", *line_of(node))
        return value
    return text


def _key(node: Scalar) -> str:
    if node.style or node.tag == "!!str":
        return node.text
    value = _value(node)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        from krmkit.lang.sprig.jsonfns import json_float

        return json_float(value) if value == value and abs(value) != float("inf") else node.text
    return str(value) if isinstance(value, int) else node.text
