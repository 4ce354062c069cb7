"""Store component descriptors, resource contents and executor states as ConfigMaps marked local-config.

Their keys are escaped paths: `_`, and every character that a ConfigMap key may not have, becomes `_` and two
hex digits: `subinst/one.yaml` is `subinst_2Fone.yaml`. data has the texts, binaryData all other bytes.
"""

from __future__ import annotations

from base64 import b64decode, b64encode

from krmkit.krm import annotations as names
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.schema.fields import mapping, text, texts
from krmkit.systems.landscaper.apinames import hashed_name
from krmkit.systems.landscaper.blueprint.files import Content, Files
from krmkit.systems.landscaper.components.descriptors import Component, Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.yaml import load

DESCRIPTOR = "krmkit.dev/component"
"""The annotation of a descriptor: `<name>:<version>`."""
BLOB = "krmkit.dev/component-blob"
"""The annotation of a content: `<name>:<version>/<resource>`, a file name, or a digest."""
STATE = "krmkit.dev/executor-state"
"""The annotation of a state: the installation."""
DESCRIPTOR_KEY = "component-descriptor.yaml"
_SINGLE = "content"
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")
_HEX = frozenset("0123456789abcdefABCDEF")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


def descriptor_item(component: Component, source: str) -> Data:
    """Return the ConfigMap of a descriptor; `source` is its text."""
    version = f"{component.name}:{component.version}"
    return _config_map(f"component-{version}", {DESCRIPTOR: version}, {DESCRIPTOR_KEY: source}, {})


def blob_item(key: str, content: Files | Content) -> Data:
    """Return the ConfigMap of a resource's content: a folder, or a single file."""
    files = content.all() if isinstance(content, Files) else {"": content}
    data: dict[str, str] = {}
    binary: dict[str, str] = {}
    for path, one in sorted(files.items()):
        name = escape(path) if path else _SINGLE
        if isinstance(one, str):
            data[name] = one
        else:
            binary[name] = b64encode(one).decode()
    annotations = {BLOB: key}
    if not isinstance(content, Files):
        annotations[f"{BLOB}-kind"] = "file"
    return _config_map(f"blob-{key}", annotations, data, binary)


def state_item(installation: str, namespace: str, state: dict[str, object]) -> Data:
    """Return the ConfigMap of the states of an installation's executors."""
    from krmkit.libraries.go.yaml import to_yaml

    data = {escape(key): to_yaml(value) + "\n" for key, value in sorted(state.items())}
    found = _config_map(f"state-{installation}", {STATE: installation}, data, {})
    mapping(found["metadata"])["namespace"] = namespace
    return found


def descriptor_of(item: Data) -> object:
    """Return the descriptor in a ConfigMap. Raises InstallationError."""
    content = texts(item.get("data")).get(DESCRIPTOR_KEY)
    if content is None:
        raise InstallationError("invalid", f"must have the key {DESCRIPTOR_KEY}", "data")
    try:
        return load(content)
    except GoInputError as error:
        raise InstallationError("invalid", str(error), f'data."{DESCRIPTOR_KEY}"') from None


def content_of(item: Data) -> Files | Content:
    """Return the content in a ConfigMap. Raises InstallationError for bad base64."""
    files: dict[str, Content] = {unescape(key): value for key, value in texts(item.get("data")).items()}
    for key, value in texts(item.get("binaryData")).items():
        try:
            files[unescape(key)] = b64decode("".join(value.split()), validate=True)
        except ValueError:
            raise InstallationError("invalid", "must be base64", f'binaryData."{key}"') from None
    annotations = texts(mapping(item.get("metadata")).get("annotations"))
    if annotations.get(f"{BLOB}-kind") == "file":
        return files.get(_SINGLE, "")
    return Files(files)


def state_of(item: Data) -> dict[str, object]:
    """Return the states in a ConfigMap; invalid YAML counts as absent."""
    found: dict[str, object] = {}
    for key, value in texts(item.get("data")).items():
        try:
            found[unescape(key)] = load(value)
        except GoInputError:
            continue
    return found


def escape(path: str) -> str:
    """Escape a path for use as a ConfigMap key."""
    return "".join(
        char if char in _SAFE else "".join(f"_{byte:02X}" for byte in char.encode()) for char in path
    )


def unescape(key: str) -> str:
    first, *rest = key.split("_")
    out = [first.encode()]
    for part in rest:
        escaped = _HEX.issuperset(part[:2]) and len(part) >= 2
        out.append(bytes.fromhex(part[:2]) + part[2:].encode() if escaped else f"_{part}".encode())
    return b"".join(out).decode("utf-8", "replace")


def _config_map(
    title: str, annotations: dict[str, str], data: dict[str, str], binary: dict[str, str]
) -> Data:
    found: Data = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": item_name(title), "annotations": {names.LOCAL_CONFIG: "true", **annotations}},
    }
    if data:
        found["data"] = data
    if binary:
        found["binaryData"] = binary
    return found


def item_name(title: str) -> str:
    """Return a valid name from a title's letters and digits, and a hash that keeps similar titles apart."""
    plain = "".join(char if char in _NAME else "-" for char in text(title).lower()).strip("-")
    return f"{plain[:50].rstrip('-')}-{hashed_name(title)[:8]}"
