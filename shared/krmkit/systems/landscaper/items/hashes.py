"""Compute the hash annotations of DataObjects and Targets: SHA-1 sums of Go's JSON."""

from __future__ import annotations

import hashlib

from krmkit.libraries.go.json.functions import must_to_json, must_to_pretty_json


def data_hash(data: object) -> str:
    """Return the hash of a DataObject's data: JSON indented by two blanks, `<>&` escaped.

    >>> data_hash("example")
    '5b4c0623ded1480c3d8c3c2df1be09ce1756a67f'
    """
    return _sha1(must_to_pretty_json(data))


def target_hash(spec: dict[str, object]) -> str:
    """Return the hash of a Target: compact JSON of its config, or of `{"secretRef": ...}`."""
    if "secretRef" in spec:
        return _sha1(must_to_json({"secretRef": spec["secretRef"]}))
    return _sha1(must_to_json(spec.get("config")))


def raw_hash(data: object) -> str:
    """Return the hash of data as compact JSON. Objects without a hash annotation have it.

    >>> raw_hash({"a": 1}) == raw_hash({"a": 1.0})
    True
    """
    return _sha1(must_to_json(data))


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()
