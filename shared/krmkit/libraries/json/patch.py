"""JSON patch (RFC 6902) and JSON merge patch (RFC 7386) as github.com/evanphx/json-patch/v5 applies them.

    patched([{"op": "add", "path": "/a", "value": 1}], {"b": 2})   # {"b": 2, "a": 1}
    merged({"b": 2, "c": 3}, {"c": None})                          # {"b": 2}

Go's defaults: a missing parent is an error, and so is removing a missing key; list indexes may be negative;
`-` appends. Messages are that library's, because Cluster API shows them to its users. Python's libraries copy
the whole document and word their errors differently.

Documents are never changed in place. A Draft copies each container once, at its first change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.json.equal import json_equal
from krmkit.libraries.json.text import JsonError
from krmkit.libraries.yaml.effort import charge

Operation = Mapping[str, Any]

MAX_DEPTH = 400
"""Nesting of a merge patch that is followed."""

MAX_COPIED = 1_000_000
"""Values that all copies of one draft may hold: copies of copies double."""
_COPIED = 2  # steps of effort for each of them
_CLONED = 16  # entries of a container that cost one step to copy

_MISSING = "missing value"
_BAD_INDEX = "invalid index referenced"


@dataclass(slots=True)
class Draft:
    """A document under change: `apply` changes `document`. The original stays unchanged."""

    document: Any
    _copied: int = field(init=False, default=0)
    # Containers that are copies already. The values keep them alive, so that no id is used twice.
    _own: dict[int, object] = field(init=False, default_factory=dict)

    def apply(self, operations: Iterable[Operation]) -> None:
        """Apply operations in order. After a JsonError the draft is unusable."""
        for operation in operations:
            kind = operation.get("op")
            work = _KINDS.get(kind) if isinstance(kind, str) else None
            if work is None:
                raise JsonError(f"Unexpected kind: {kind if isinstance(kind, str) else 'unknown'}")
            work(self, operation)

    def _add(self, operation: Operation) -> None:
        path = _path(operation, "path", "add operation failed to decode path")
        value = operation.get("value")
        if path == "":
            self.document = value
            return
        container, key = self._ready(path, f'add operation does not apply: doc is missing path: "{path}"')
        with _worded(f"error in add for path: '{path}'"):
            _insert(container, key, value)

    def _remove(self, operation: Operation) -> None:
        path = _path(operation, "path", "remove operation failed to decode path")
        container, key = self._ready(path, f'remove operation does not apply: doc is missing path: "{path}"')
        with _worded(f"error in remove for path: '{path}'"):
            _delete(container, key)

    def _replace(self, operation: Operation) -> None:
        path = _path(operation, "path", "replace operation failed to decode path")
        value = operation.get("value")
        if path == "":
            if not isinstance(value, (dict, list)):
                raise JsonError("replace operation value must be object or array")
            self.document = value
            return
        container, key = self._ready(path, f"replace operation does not apply: doc is missing path: {path}")
        try:
            _read(container, key)
        except JsonError:
            raise JsonError(
                f"replace operation does not apply: doc is missing key: {path}: {_MISSING}"
            ) from None
        if isinstance(container, list):
            container[_index(key, len(container))] = value
        else:
            container[key] = value

    def _move(self, operation: Operation) -> None:
        source = _path(operation, "from", "move operation failed to decode from")
        if source == "":
            raise JsonError("unable to move entire document to another path: invalid state detected")
        missing = f"move operation does not apply: doc is missing from path: {source}"
        container, key = self._ready(source, missing)
        with _worded(f"error in move for path: '{key}'"):
            value = _read(container, key)
            _delete(container, key)
        self._place(operation, value, "move")

    def _copy(self, operation: Operation) -> None:
        source = _path(operation, "from", "copy operation failed to decode from")
        missing = f'copy operation does not apply: doc is missing from path: "{source}"'
        container, key = self._ready(source, missing)
        with _worded(f"error in copy for path: '{key}'"):
            value = _read(container, key)
        self._count(value)
        # Both places share the value from now on, so neither may change it in place.
        self._own.clear()
        self._place(operation, value, "copy")

    def _count(self, value: Any) -> None:
        """Count the values of a copy: copies of copies share memory here, but double in a text."""
        before = self._copied
        pending = [value]
        while pending:
            self._copied += 1
            if self._copied > MAX_COPIED:
                raise JsonError(
                    f"error in copy: all copies hold more than {MAX_COPIED:,} values (krmkit.libraries.json.patch.MAX_COPIED)"
                )
            item = pending.pop()
            if isinstance(item, dict | list):
                pending += item.values() if isinstance(item, dict) else item
        charge((self._copied - before) * _COPIED)

    def _place(self, operation: Operation, value: Any, kind: str) -> None:
        path = _path(operation, "path", f"{kind} operation failed to decode path")
        missing = f"{kind} operation does not apply: doc is missing destination path: {path}"
        container, key = self._ready(path, missing)
        with _worded(f"error in {kind} for path: '{path}'"):
            _insert(container, key, value)

    def _test(self, operation: Operation) -> None:
        path = _path(operation, "path", "test operation failed to decode path")
        if path == "":
            value = self.document
        else:
            container, key = self._ready(path, f"test operation does not apply: is missing path: {path}")
            try:
                value = _read(container, key)
            except JsonError as error:
                if isinstance(container, list):
                    raise JsonError(f"error in test for path: '{path}': {error}") from None
                value = None
        if not json_equal(value, operation.get("value")):
            raise JsonError(f"testing value {path} failed: test failed")

    def _ready(self, path: str, missing: str) -> tuple[Any, str]:
        """Return the result of `_find`. Raises JsonError with the text `missing` without a container."""
        container, key = self._find(path)
        if container is None:
            raise JsonError(f"{missing}: {_MISSING}")
        return container, key

    def _find(self, path: str) -> tuple[Any, str]:
        """Return the changeable container at a path, and the last key; (None, "") if there is none."""
        parts = path.split("/")
        if len(parts) < 2:
            return None, ""
        document = self.document
        container = self._owned(document)
        if container is None:
            return None, ""
        if container is not document:
            self.document = container
        for part in parts[1:-1]:
            key: Any = _unescape(part)
            if key == "":
                # Go's library answers an empty key with the container itself.
                continue
            if isinstance(container, list):
                try:
                    key = _index(key, len(container))
                except JsonError:
                    return None, ""
            elif key not in container:
                return None, ""
            inner = container[key]
            own = self._owned(inner)
            if own is None:
                return None, ""
            if own is not inner:
                container[key] = own
            container = own
        return container, _unescape(parts[-1])

    def _owned(self, container: Any) -> Any:
        if id(container) in self._own:
            return container
        if isinstance(container, (dict, list)):
            charge(len(container) // _CLONED)
            copy = container.copy()
            self._own[id(copy)] = copy
            return copy
        return None


_KINDS = {
    "add": Draft._add,
    "remove": Draft._remove,
    "replace": Draft._replace,
    "move": Draft._move,
    "copy": Draft._copy,
    "test": Draft._test,
}


def patched(operations: Iterable[Operation], document: Any) -> Any:
    """Apply a JSON patch: `patched([{"op": "remove", "path": "/a"}], {"a": 1})` is {}. Raises JsonError."""
    draft = Draft(document)
    draft.apply(operations)
    return draft.document


def merged(document: Any, patch: Any, depth: int = 0) -> Any:
    """Apply a JSON merge patch: null removes a key, maps merge, all else replaces. Raises JsonError."""
    if depth > MAX_DEPTH:
        raise JsonError(f"the merge patch is nested more than {MAX_DEPTH} levels deep")
    if not isinstance(patch, dict):
        return patch
    result = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value, depth + 1)
    return result


@contextmanager
def _worded(where: str) -> Iterator[None]:
    try:
        yield
    except JsonError as error:
        raise JsonError(f"{where}: {error}") from None


def _path(operation: Operation, name: str, complaint: str) -> str:
    path = operation.get(name)
    if not isinstance(path, str):
        raise JsonError(f"{complaint}: {_MISSING}")
    return path


def _unescape(key: str) -> str:
    return key.replace("~1", "/").replace("~0", "~") if "~" in key else key


def _number(key: str) -> int:
    digits = key[1:] if key[:1] in ("-", "+") else key
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 18):
        raise JsonError(f'strconv.Atoi: parsing "{key}": invalid syntax')
    return int(key)


def _index(key: str, length: int) -> int:
    number = _number(key)
    if number >= length or number < -length:
        raise JsonError(f"Unable to access invalid index: {number}: {_BAD_INDEX}")
    return number + length if number < 0 else number


def _read(container: Any, key: str) -> Any:
    if key == "":
        return container
    if isinstance(container, list):
        return container[_index(key, len(container))]
    if key not in container:
        raise JsonError(f"unable to get nonexistent key: {key}: {_MISSING}")
    return container[key]


def _insert(container: Any, key: str, value: Any) -> None:
    if isinstance(container, dict):
        container[key] = value
        return
    if key == "-":
        container.append(value)
        return
    with _worded(f"value was not a proper array index: '{key}'"):
        number = _number(key)
    size = len(container) + 1
    if number >= size or number < -size:
        raise JsonError(f"Unable to access invalid index: {number}: {_BAD_INDEX}")
    container.insert(number + size if number < 0 else number, value)


def _delete(container: Any, key: str) -> None:
    if isinstance(container, list):
        del container[_index(key, len(container))]
        return
    if key not in container:
        raise JsonError(f"unable to remove nonexistent key: {key}: {_MISSING}")
    del container[key]
