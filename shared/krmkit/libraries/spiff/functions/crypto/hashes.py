"""Hashes of texts and values."""

from __future__ import annotations

import hashlib
from typing import Any

from krmkit.libraries.spiff.expressions.output import to_json
from krmkit.libraries.spiff.functions.documents import canonical
from krmkit.libraries.spiff.functions.strings import data_of
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info
from krmkit.libraries.spiff.tree.nodes import Node

_KINDS = {
    "md5": "md5", "sha1": "sha1", "sha224": "sha224", "sha256": "sha256", "sha384": "sha384", "sha512": "sha512",
    "sha512/224": "sha512_224", "sha512/256": "sha512_256",
}  # fmt: skip
_MD4_OF_NOTHING = "31d6cfe0d16ae931b73c59d7e0c089c0"
"""What the reference appends to the text where md4 is asked for: it never hashes the text."""


def _json(value: Any, env: Env) -> bytes:
    return canonical(to_json(Node(value, ""), env)).encode()


def md5(args: list[Any], env: Env, info: Info) -> Any:
    if len(args) != 1:
        raise Failure("md5 takes exactly one argument")
    value = args[0]
    if type(value) is not str:
        raise Failure("first argument for md5 must be a string")
    return hashlib.md5(data_of(value), usedforsecurity=False).hexdigest()


def hashed(args: list[Any], env: Env, info: Info) -> Any:
    if not 1 <= len(args) <= 2:
        raise Failure("hash takes one or two arguments")
    kind = args[1] if len(args) > 1 else ""
    if type(kind) is not str:
        raise Failure("second argument for hash must be a string")
    as_json = kind.startswith("*")
    kind = kind.removeprefix("*") or "sha256"
    value = args[0]
    if type(value) is not str and not as_json:
        raise Failure("first argument for hash must be a string")
    data = _json(value, env) if as_json else data_of(value)
    if kind == "md4":
        return data.hex() + _MD4_OF_NOTHING
    if kind not in _KINDS:
        raise Failure(f"invalid hash type '{kind}'")
    return hashlib.new(_KINDS[kind], data, usedforsecurity=False).hexdigest()


FUNCTIONS = {"hash": hashed, "md5": md5}
