"""A blueprint's file system: read-only, in memory.

    Files({"blueprint.yaml": "..."}).text("/blueprint.yaml")

Paths are relative to its root, with or without a leading slash; `..` cannot leave it.
"""

from __future__ import annotations

from base64 import b64decode

from krmkit.krm.resource import Resource
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.schema.fields import mapping, text
from krmkit.systems.landscaper.errors import InstallationError

BLUEPRINT_FILE = "blueprint.yaml"
_TYPE = "$type"
_BINARY = ("---Start Binary---", "---End Binary---")
_DEEPEST = 50

Content = str | bytes


class Files:
    """Files by path, without a leading slash. `carrier`: the item that holds them, if one does."""

    def __init__(self, files: dict[str, Content]) -> None:
        self.carrier: Resource | None = None
        self._files = {clean(path): content for path, content in files.items()}

    def data(self, path: str) -> bytes:
        """Return the bytes of a file. Raises FileNotFoundError."""
        content = self._files.get(clean(path))
        if content is None:
            raise FileNotFoundError("file does not exist")
        return content.encode() if isinstance(content, str) else content

    def text(self, path: str) -> str:
        """Return the text of a file. Raises FileNotFoundError."""
        content = self._files.get(clean(path))
        if content is None:
            raise FileNotFoundError("file does not exist")
        return content.decode("utf-8", "surrogateescape") if isinstance(content, bytes) else content

    def entries(self, path: str) -> list[tuple[str, bool]]:
        """Return the sorted names in a folder, each with True for a folder. Raises FileNotFoundError."""
        folder = clean(path)
        prefix = f"{folder}/" if folder else ""
        found: dict[str, bool] = {}
        for known in self._files:
            if known.startswith(prefix):
                name, slash, _ = known[len(prefix) :].partition("/")
                found[name] = bool(slash)
        if not found:
            raise FileNotFoundError("file does not exist")
        return sorted(found.items())

    def all(self) -> dict[str, Content]:
        """Return every file by its path."""
        return self._files


def single_file(content: Files | Content | None) -> Content | None:
    """Return the content of a resource with exactly one file, else None."""
    if not isinstance(content, Files):
        return content
    files = list(content.all().values())
    return files[0] if len(files) == 1 else None


def clean(path: str) -> str:
    """Return the path from the root, without `.`, `..` and double slashes: `./a/../b` is `b`."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part and part != ".":
            parts.append(part)
    return "/".join(parts)


def inline_files(filesystem: object) -> Files:
    """Return the inline file system of an Installation: folders are mappings, files are texts.

    The blueprint may be an object instead of a text. Nodes with `$type` are folders (directory), or files
    whose content is data (json, yaml) or text.
    """
    if isinstance(filesystem, str):
        from krmkit.systems.landscaper.yaml import load

        try:
            filesystem = load(filesystem)
        except GoInputError as error:
            raise InstallationError(
                "blueprint-not-found", f"the inline filesystem is not YAML: {error}"
            ) from None
    if not isinstance(filesystem, dict):
        raise InstallationError(
            "blueprint-not-found", "the inline filesystem must be a mapping of file names to texts"
        )
    found: dict[str, Content] = {}
    _collect(filesystem, "", found, 0)
    return Files(found)


def _collect(folder: dict[str, object], prefix: str, found: dict[str, Content], depth: int) -> None:
    if depth > _DEEPEST:
        raise InstallationError("limit", f"the inline filesystem is nested more than {_DEEPEST} deep")
    for name, node in folder.items():
        path = f"{prefix}{name}"
        if path == BLUEPRINT_FILE and isinstance(node, dict) and _TYPE not in node:
            found[path] = _typed("yaml", {"value": node})  # the blueprint itself, and no folder of that name
        elif isinstance(node, dict) and _TYPE not in node:
            _collect(node, f"{path}/", found, depth + 1)
        elif isinstance(node, dict):
            kind = node.get(_TYPE)
            if kind == "directory":
                _collect(mapping(node.get("value")), f"{path}/", found, depth + 1)
            else:
                found[path] = _typed(text(kind), node)
        elif not isinstance(node, list):
            found[path] = _binary(node) if isinstance(node, str) else "" if node is None else str(node)


def _typed(kind: str, node: dict[str, object]) -> Content:
    value = node.get("value")
    if kind == "json":
        from krmkit.libraries.go.json.functions import must_to_json

        return must_to_json(value)
    if kind == "yaml":
        from krmkit.libraries.go.yaml import to_yaml

        return to_yaml(value) + "\n"
    return _binary(text(value if value is not None else node.get("binary")))


def _binary(content: str) -> Content:
    """Decode base64 between the reference's markers to bytes; any other text stays."""
    if _BINARY[0] not in content:
        return content
    lines = [line for line in content.split("\n") if line.strip()]
    if len(lines) <= 2 or (lines[0], lines[-1]) != _BINARY:
        return content
    try:
        return b64decode("".join(lines[1:-1]), validate=True)
    except ValueError as error:
        return str(error)
