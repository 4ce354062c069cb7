"""Hashes of texts and values."""

from __future__ import annotations

import hashlib
from typing import Any

from krmkit.libraries.go.core.values import encode
from krmkit.libraries.spiff.expressions.output import to_json
from krmkit.libraries.spiff.functions.documents import canonical
from krmkit.libraries.spiff.functions.registry import function
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import fail_if
from krmkit.libraries.spiff.tree.nodes import Node

_KINDS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512/224", "sha512/256")
_MD4_OF_NOTHING = "31d6cfe0d16ae931b73c59d7e0c089c0"
"""What spiff appends to the text for md4: it never hashes the text."""


@function("md5", "md5 takes exactly one argument", text="first argument for md5 must be a string")
def md5(env: Env, text: str) -> str:
    return hashlib.md5(encode(text), usedforsecurity=False).hexdigest()


@function("hash", "hash takes one or two arguments", kind="second argument for hash must be a string")
def hashed(env: Env, value: Any, kind: str = "") -> str:
    if kind.startswith("*"):
        value = canonical(to_json(Node(value, ""), env))
    fail_if(type(value) is not str, "first argument for hash must be a string")
    kind = kind.removeprefix("*") or "sha256"
    data = encode(value)
    if kind == "md4":
        return data.hex() + _MD4_OF_NOTHING
    fail_if(kind not in _KINDS, f"invalid hash type '{kind}'")
    return hashlib.new(kind.replace("/", "_"), data, usedforsecurity=False).hexdigest()
