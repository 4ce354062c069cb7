"""What function.yaml says about a function: the one source of its config's schema, its docs and its catalog entry.

Reading YAML costs more than half a millisecond, which a small run feels. `krmkit.fn.compile` therefore writes, beside
the .pyc files and with the same life, the same data in Python's own form. It is used only while it was made from
exactly the function.yaml that stands there, so it can be stale as little as a .pyc.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GROUP_VERSION = "krmkit.dev/v1alpha1"
FAIL_ON_SCHEMA: dict[str, Any] = {
    "type": "string",
    "enum": ["error", "warning", "never"],
    "description": "Which results fail the run: error (the default), warning (and errors), never.",
}


class Definition:
    """One function. `data` is function.yaml as plain data; the attributes are what a run needs of it.

    `schema` is the openAPIV3Schema of the config's spec (without failOn, which every config has). `accepts` lists
    kinds of other groups that are taken as they are: (apiVersion, kind, schema of their spec or None).
    `config_map` says how the flat data of a ConfigMap becomes a spec (see `krmkit.fn.config`).
    """

    __slots__ = ("accepts", "config_map", "data", "folder", "kind", "name", "schema")

    def __init__(self, data: dict[str, Any], folder: str = "") -> None:
        self.data = data
        self.folder = folder
        self.name: str = data["name"]
        self.kind: str = data["kind"]
        self.schema: dict[str, Any] = data["schema"]
        self.config_map: dict[str, Any] = data.get("configMap") or {}
        self.accepts: list[tuple[str, str, dict[str, Any] | None]] = [
            (other["apiVersion"], other["kind"], other.get("schema")) for other in data.get("accepts") or ()
        ]

    @classmethod
    def load(cls, folder: str) -> Definition:
        """The definition in `folder`/function.yaml. Raises OSError, or ValueError that says what is wrong in it."""
        with open(folder + "/function.yaml", encoding="utf-8") as file:
            text = file.read()
        data = _compiled(folder, text)
        return cls(data if data is not None else parse(text), folder)

    @property
    def summary(self) -> str:
        """One line."""
        return str(self.data.get("summary", ""))

    @property
    def tags(self) -> list[str]:
        """mutator, validator or generator, and whatever else describes the function."""
        return list(self.data.get("tags") or ())

    def config_schema(self) -> dict[str, object]:
        """The schema of the whole typed config, as a CustomResourceDefinition and the catalog have it."""
        spec = dict(self.schema)
        spec["properties"] = {**(spec.get("properties") or {}), "failOn": FAIL_ON_SCHEMA}
        required = ["apiVersion", "kind"]
        if self.schema.get("required"):
            required.append("spec")
        return {
            "type": "object",
            "description": self.summary,
            "required": required,
            "properties": {
                "apiVersion": {"type": "string", "enum": [GROUP_VERSION]},
                "kind": {"type": "string", "enum": [self.kind]},
                "metadata": {"type": "object"},
                "spec": spec,
            },
        }


def parse(text: str) -> dict[str, Any]:
    """function.yaml as plain data, checked to have what every function has. Raises ValueError."""
    from krmkit.yaml.data import go_data
    from krmkit.yaml.document import parse as parse_yaml

    root = parse_yaml(text).root
    data = go_data(root) if root is not None else None
    if not isinstance(data, dict):
        raise ValueError("function.yaml is not a map")
    for field, kind in (("name", str), ("kind", str), ("summary", str), ("schema", dict), ("tags", list)):
        if not isinstance(data.get(field), kind):
            raise ValueError(f"function.yaml has no usable {field}")
    return data


def compiled_path(folder: str) -> str:
    """Where the compiled form of `folder`/function.yaml stands: in __pycache__, one per Python version."""
    return f"{folder}/__pycache__/function.{sys.implementation.cache_tag}.bin"


def _compiled(folder: str, text: str) -> dict[str, Any] | None:
    try:
        with open(compiled_path(folder), "rb") as file:
            content = file.read()
    except OSError:
        return None
    import marshal

    try:
        source, data = marshal.loads(content)  # as trusted as the .pyc files next to it
    except (EOFError, ValueError, TypeError):
        return None
    return data if source == text else None
