"""The function archive: tar in base64. Files have the epoch as time, so that equal files give equal bytes."""

from __future__ import annotations

import base64
import zlib
from typing import Any

from krmkit.libraries.go.core.values import encode
from krmkit.libraries.spiff.expressions.literals import simple_text
from krmkit.libraries.spiff.expressions.output import to_yaml
from krmkit.libraries.spiff.functions.registry import function
from krmkit.libraries.spiff.functions.strings import decoded
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, fail_if
from krmkit.libraries.spiff.tree.nodes import Node, type_name

_BLOCK = 512
_WIDTH = 60
_MODE = 0o644
Entry = tuple[str, int, bytes]
"""Path, mode and content of a file."""


@function(
    "archive", "archive takes one or two arguments", mode="second argument for archive must be a string"
)
def archive(env: Env, files: Any, mode: str = "tar") -> str:
    entries = _entries(files, env)
    fail_if(mode not in ("tar", "targz"), f"invalid archive type '{mode}'")
    packed = _tar(entries)
    env.run.count(len(packed) // 64)
    text = base64.b64encode(packed if mode == "tar" else zlib.compress(packed, wbits=31)).decode("ascii")
    return "\n".join(text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH))


def _entries(files: Any, env: Env) -> list[Entry]:
    if files is None:
        return []
    if type(files) is dict:
        return [_entry(key, files[key].value, env) for key in sorted(files) if files[key].value is not None]
    if type(files) is not list:
        raise Failure(f"first argument for hash must be a file map or list, found {type_name(files)}")
    for node in files:
        if type(node.value) is not dict:
            raise Failure(f"invalid file content type {type_name(node.value)}")
    return [_described(None, node.value, env) for node in files]


def _entry(key: str, value: Any, env: Env) -> Entry:
    """Read a file named by its key: a map that describes it, or its content."""
    if type(value) is dict:
        return _described(key, value, env)
    tags, path = _tagged(key)
    return path, _MODE, _content(value, "#" in tags, f"invalid file content type {type_name(value)}", env)


def _described(key: str | None, fields: dict[str, Node], env: Env) -> Entry:
    for name in ("path", "mode", "base64", "data"):
        if name in fields and fields[name].value is None and not (name == "data" and "base64" in fields):
            raise Failure(f"{name} field must not be nil")
    tags, path = _tagged(key) if key is not None else ("", "")
    if "path" in fields:
        path = _string("path", fields["path"].value)
    elif key is None:
        raise Failure("path field required")
    mode, binary = _mode(fields["mode"].value) if "mode" in fields else (_MODE, False)
    content = b""
    if "base64" in fields:
        text = _string("base64", fields["base64"].value)
        data = decoded(text)
        if data is None:
            raise Failure("base64 field must be base64")
        content = data
    elif "data" in fields:
        content = _content(fields["data"].value, binary, "invalid data field", env)
    return path, mode | 0o100 if "*" in tags else mode, content


def _string(name: str, value: Any) -> str:
    if type(value) is not str:
        raise Failure(f"{name} field must be string, found {type_name(value)}")
    return value


def _tagged(key: str) -> tuple[str, str]:
    """Return the tags of a name, and the name: `*` is executable, `#` is base64; `:` ends the tags."""
    name = key.lstrip("*#")
    return key[: len(key) - len(name)], name.removeprefix(":")


def _mode(value: Any) -> tuple[int, bool]:
    """Read a mode such as 420, "0644" or "binary,0644"; return it, and True for base64 content."""
    if type(value) is int:
        return value, False
    fail_if(type(value) is not str, f"mode field must be an integer, found {type_name(value)}")
    words = [word.strip() for word in value.split(",")]
    rest = [word for word in words if word not in ("binary", "#")]
    if len(rest) > 1:
        raise Failure(
            f"permissions must be given as int or int string: invalid options [{' '.join(rest)}], expecting file mode"
        )
    mode = _MODE
    if rest:
        try:
            mode = int(rest[0], 8 if rest[0].startswith("0") else 10)
        except ValueError:
            raise Failure(f"permissions must be given as int or int string: got {rest[0]}") from None
    return mode, len(rest) < len(words)


def _content(value: Any, binary: bool, problem: str, env: Env) -> bytes:
    if type(value) in (dict, list):
        return encode(to_yaml(Node(value, ""), env))
    text = simple_text(value)
    if text is None:
        raise Failure(problem)
    data = decoded(text) if binary else None
    return encode(text) if data is None else data


def _tar(entries: list[Entry]) -> bytes:
    import tarfile

    parts: list[bytes] = []
    for path, mode, content in entries:
        header = tarfile.TarInfo(path)
        header.mode = mode
        header.size = len(content)
        parts += [header.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape"), content]
        parts.append(bytes(-len(content) % _BLOCK))
    return b"".join(parts) + bytes(2 * _BLOCK)
