"""Hashes, and checks of password hashes."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

from krmkit.lang.spiff.environment import Env
from krmkit.lang.spiff.errors import Failure, Info
from krmkit.lang.spiff.functions.documents import canonical
from krmkit.lang.spiff.functions.strings import data_of
from krmkit.lang.spiff.functions.yamltext import to_json
from krmkit.lang.spiff.nodes import Node

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
    data = data_of(value) if type(value) is str else _json(value, env)
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def hashed(args: list[Any], env: Env, info: Info) -> Any:
    if not 1 <= len(args) <= 2:
        raise Failure("hash takes one or two arguments")
    kind = args[1] if len(args) > 1 else ""
    if type(kind) is not str:
        raise Failure("second argument for hash must be a string")
    as_json = kind.startswith("*")
    kind = kind.removeprefix("*") or "sha256"
    value = args[0]
    data = data_of(value) if type(value) is str and not as_json else _json(value, env)
    if kind == "md4":
        return data.hex() + _MD4_OF_NOTHING
    if kind not in _KINDS:
        raise Failure(f"invalid hash type '{kind}'")
    return hashlib.new(_KINDS[kind], data, usedforsecurity=False).hexdigest()


def _texts(args: list[Any], name: str) -> tuple[str, str]:
    if len(args) != 2:
        raise Failure(f"{name} takes exactly two arguments")
    for position, word in enumerate(("first", "second")):
        if type(args[position]) is not str:
            raise Failure(f"{word} argument for {name} must be a string")
    return args[0], args[1]


_ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def md5crypt_check(args: list[Any], env: Env, info: Info) -> Any:
    password, expected = _texts(args, "md5crypt_check")
    parts = expected.split("$")
    if len(parts) != 4 or parts[1] not in ("1", "apr1"):
        raise Failure("md5crypt_check: no md5crypt hash")
    made = _md5crypt(data_of(password)[:256], parts[2][:8], f"${parts[1]}$")
    return hmac.compare_digest(made.encode(), expected.encode())


def _md5crypt(password: bytes, salt: str, magic: str) -> str:
    """The hash that `openssl passwd -1` makes."""

    def digest(data: bytes) -> bytes:
        return hashlib.md5(data, usedforsecurity=False).digest()

    salted = salt.encode()
    inner = digest(password + salted + password)
    start = password + magic.encode() + salted
    start += (inner * (len(password) // 16 + 1))[: len(password)]
    count = len(password)
    while count:
        start += b"\x00" if count & 1 else password[:1]
        count >>= 1
    result = digest(start)
    for turn in range(1000):
        part = password if turn & 1 else result
        part += salted if turn % 3 else b""
        part += password if turn % 7 else b""
        part += result if turn & 1 else password
        result = digest(part)
    text = ""
    for one, two, three in ((0, 6, 12), (1, 7, 13), (2, 8, 14), (3, 9, 15), (4, 10, 5)):
        text += _encoded(result[one] << 16 | result[two] << 8 | result[three], 4)
    return f"{magic}{salt}${text}{_encoded(result[11], 2)}"


def _encoded(number: int, length: int) -> str:
    text = ""
    for _ in range(length):
        text += _ALPHABET[number & 63]
        number >>= 6
    return text


def bcrypt_check(args: list[Any], env: Env, info: Info) -> Any:
    _texts(args, "bcrypt_check")
    raise Failure("bcrypt_check: not supported: bcrypt is made to be slow")


def decrypt(args: list[Any], env: Env, info: Info) -> Any:
    if not args:
        raise Failure("decrypt requires at least one argument")
    if len(args) < 2:
        raise Failure("invalid empty encyption key")
    raise Failure("decrypt: not supported: keys do not belong into templates")


FUNCTIONS = {
    "bcrypt_check": bcrypt_check,
    "decrypt": decrypt,
    "hash": hashed,
    "md5": md5,
    "md5crypt_check": md5crypt_check,
}
