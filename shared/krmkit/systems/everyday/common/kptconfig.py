"""Read the configs of kpt's functions: a ConfigMap's data, or the top-level fields of a fn.kpt.dev kind.

Unknown fields are ignored, as in kpt's functions; a value of a wrong type is an error naming the right one.
"""

from __future__ import annotations

from krmkit.krm.resource import Resource
from krmkit.libraries.json.paths import join
from krmkit.libraries.yaml.data import go_value, is_null
from krmkit.libraries.yaml.tree import Map, Node, Scalar, Seq, deref
from krmkit.systems.everyday.common.findings import wrong_config

GROUP = "fn.kpt.dev"
API_VERSION = f"{GROUP}/v1alpha1"


def group_of(api_version: str) -> str:
    """Return the group of an apiVersion: "" for v1."""
    return api_version.rpartition("/")[0]


def version_of(api_version: str) -> str:
    """Return the version of an apiVersion: v1 for apps/v1."""
    return api_version.rpartition("/")[2]


def described(node: Node | None) -> str:
    """Describe a value's type for messages: `a list`."""
    if is_null(node):
        return "nothing"
    if isinstance(node, Map):
        return "a map"
    return "a list" if isinstance(node, Seq) else "a single value"


def is_config_map(config: Resource) -> bool:
    """Return True if the config is a ConfigMap of Kubernetes' core group."""
    return config.kind == "ConfigMap" and config.api_version == "v1"


def is_nothing(config: Resource | None) -> bool:
    """Return True for no config: None, an empty map, or the empty ConfigMap that kpt passes for none."""
    if config is None or not config.root.entries:
        return True
    return config.kind == "ConfigMap" and config.name == "function-input" and not data_entries(config)


def texts_at(config: Resource, *path: str) -> dict[str, str]:
    """Return the map of texts at a path, {} if absent; numbers and booleans are their source text."""
    node = config.node(*path)
    where = ".".join(path)
    if is_null(node):
        return {}
    if not isinstance(node, Map):
        raise wrong_config(f"must be a map of texts, got {described(node)}", config, where)
    texts = {}
    for entry in node.entries:
        name, value = entry.name, deref(entry.value)
        if name is None:
            raise wrong_config("a key must be a text, got a list or a map", config, where)
        if not isinstance(value, Scalar):
            raise wrong_config(f"must be a text, got {described(value)}", config, join(where, name))
        texts[name] = "" if is_null(value) else value.text
    return texts


def text_at(config: Resource, *path: str) -> str:
    """Return the text at a path, "" if absent or null."""
    node = config.node(*path)
    if is_null(node):
        return ""
    if not isinstance(node, Scalar):
        raise wrong_config(f"must be a text, got {described(node)}", config, ".".join(path))
    return node.text


def string_at(config: Resource, *path: str) -> str:
    """Return the text at a path, "" if absent or null; a number or boolean is an error."""
    text, node = text_at(config, *path), config.node(*path)
    if isinstance(node, Scalar) and not is_null(node) and not isinstance(go_value(node), str):
        raise wrong_config(
            f"must be a text, got {text}, which needs quotes to be one", config, ".".join(path)
        )
    return text


def data_entries(config: Resource) -> list[tuple[str, Node]]:
    """Return the entries of `data` in a config of any kind; [] without `data`."""
    node = config.node("data")
    entries = node.entries if isinstance(node, Map) else []
    return [(entry.name, deref(entry.value)) for entry in entries if entry.name is not None]
