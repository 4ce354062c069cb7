"""The functions encrypt and decrypt: a value as YAML, with its HMAC, in triple DES.

The key is an argument of the call, or SPIFF_ENCRYPTION_KEY of the environment given to the run.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Any

from krmkit.libraries.go.core.values import decode, encode
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.spiff.expressions.output import to_yaml
from krmkit.libraries.spiff.functions.documents import parsed
from krmkit.libraries.spiff.functions.registry import FUNCTIONS, chance, needed, text_of
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, fail_if
from krmkit.libraries.spiff.tree.nodes import Node

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.modes import CBC

METHOD = "3DES"
VARIABLE = "SPIFF_ENCRYPTION_KEY"
_BLOCK = 8
_MAC = 32
_SECRET = b"spiff is a cool tool"
"""The key of the HMAC, which finds a wrong key, and protects nothing."""


def encrypt(args: list[Any], env: Env, info: Info) -> Any:
    key = _key(args, "encrypt", env)
    start = chance("encrypt", env).take(_BLOCK)
    message = encode(to_yaml(Node(args[0], ""), env))
    message += hmac.digest(_SECRET, message, "sha256")
    padding = -(len(message) + 1) % _BLOCK
    message += bytes([padding]) * (padding + 1)
    work = _cipher(key, start, "encrypt").encryptor()
    return (start + work.update(message) + work.finalize()).hex()


def decrypt(args: list[Any], env: Env, info: Info) -> Any:
    key = _key(args, "decrypt", env)
    value = text_of("decrypt", args[0])
    try:
        data = bytes.fromhex(value)
    except ValueError:
        raise Failure("decrypt: the text must be hexadecimal, as encrypt makes it") from None
    if len(data) <= _BLOCK or len(data) % _BLOCK:
        raise Failure(
            f"decrypt: the text must be two or more blocks of {_BLOCK} bytes, got {len(data)} bytes"
        )
    work = _cipher(key, data[:_BLOCK], "decrypt").decryptor()
    plain = work.update(data[_BLOCK:]) + work.finalize()
    end = len(plain) - (plain[-1] + 1)
    message, code = plain[: max(end - _MAC, 0)], plain[max(end - _MAC, 0) : max(end, 0)]
    if not message or not hmac.compare_digest(hmac.digest(_SECRET, message, "sha256"), code):
        raise Failure("invalid key")
    return parsed("<decrypt>", decode(message), "import", env)


def _key(args: list[Any], name: str, env: Env) -> bytes:
    fail_if(not 1 <= len(args) <= 3, f"{name} expects one, two or three arguments")
    key = (env.run.environment or {}).get(VARIABLE, "")
    method = METHOD
    second = text_of(f"{name}: 2nd argument", args[1]) if len(args) > 1 else METHOD
    if len(args) == 3:
        # spiff drops the second of three arguments.
        method = text_of(f"{name}: method", args[2])
    elif second != METHOD:
        key = second
    fail_if(method != METHOD, f"invalid encyption method {quote(method)}")
    fail_if(not key, "invalid empty encyption key")
    return encode(key)


def _cipher(key: bytes, start: bytes, name: str) -> Cipher[CBC]:
    with needed("cryptography", name):
        from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
        from cryptography.hazmat.primitives.ciphers import Cipher
        from cryptography.hazmat.primitives.ciphers.modes import CBC
    # spiff means to hash the key, and appends the hash of nothing to it instead.
    filled = (key + hashlib.md5(usedforsecurity=False).digest())[:16]
    return Cipher(TripleDES(filled + filled[:8]), CBC(start))


FUNCTIONS.update(decrypt=decrypt, encrypt=encrypt)
