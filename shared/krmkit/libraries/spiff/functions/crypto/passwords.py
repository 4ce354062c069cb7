"""Hashes of passwords: md5crypt and bcrypt."""

from __future__ import annotations

import base64
import hashlib
import hmac

from krmkit.libraries.go.core.values import encode
from krmkit.libraries.spiff.functions.registry import chance, function, needed
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import fail_if

_ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BASE64 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
)
"""From base64 to the letters that bcrypt writes."""
_LONGEST = 72
"""The bytes of a password that bcrypt reads."""
_COST = 10


@function("md5crypt", "md5crypt takes one argument", password="first argument for md5crypt must be a string")
def md5crypt(env: Env, password: str) -> str:
    salt = "".join(_ALPHABET[byte & 63] for byte in chance("md5crypt", env).take(8))
    return _md5crypt(encode(password), salt, "$apr1$", env)


@function(
    "md5crypt_check",
    "md5crypt_check takes two arguments",
    password="first argument for md5crypt_check must be a string",
    expected="second argument for md5crypt_check must be a string",
)
def md5crypt_check(env: Env, password: str, expected: str) -> bool:
    parts = expected.split("$")
    fail_if(len(parts) != 4, "invalid md5crypt hash: must contain three '$' characters")
    made = _md5crypt(encode(password), parts[2][:8], f"${parts[1]}$", env)
    return hmac.compare_digest(encode(made), encode(expected))


def _md5crypt(password: bytes, salt: str, magic: str, env: Env) -> str:
    """Hash as `openssl passwd -apr1` or, with the magic `$1$`, as `openssl passwd -1`."""
    env.run.step(200 + len(password))

    def digest(data: bytes) -> bytes:
        return hashlib.md5(data, usedforsecurity=False).digest()

    salted = encode(salt)
    inner = digest(password + salted + password)
    start = password + encode(magic) + salted
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


@function(
    "bcrypt",
    "brypt takes one or two arguments",
    text="first argument for bcrypt must be a string",
    cost="second argument for bcrypt must be an integer",
)
def bcrypt(env: Env, text: str, cost: int = _COST) -> str:
    password = encode(text)
    fail_if(len(password) > _LONGEST, "bcrypt error: bcrypt: password length exceeds 72 bytes")
    fail_if(cost > 31, f"bcrypt error: crypto/bcrypt: cost {cost} is outside allowed inclusive range 4..31")
    if cost < 4:
        cost = _COST
    salt = base64.b64encode(chance("bcrypt", env).take(16))[:22].decode().translate(_BASE64)
    return _bcrypt("bcrypt", password, f"$2a${cost:02}${salt}", cost, env)


@function(
    "bcrypt_check",
    "brypt_check takes two arguments",
    password="first argument for bcrypt_check must be a string",
    expected="second argument for bcrypt_check must be a string",
)
def bcrypt_check(env: Env, password: str, expected: str) -> bool:
    cost = expected[4:6]
    if len(expected) != 60 or not expected.startswith("$2") or not (cost.isascii() and cost.isdigit()):
        return False
    if not 4 <= int(cost) <= 31:
        return False
    made = _bcrypt("bcrypt_check", encode(password)[:_LONGEST], expected, int(cost), env)
    return hmac.compare_digest(made.encode(), encode(expected))


def _bcrypt(name: str, password: bytes, salt: str, cost: int, env: Env) -> str:
    """Hash with the salt and cost at the start of a hash; "" if there is none."""
    with needed("bcrypt", name):
        from bcrypt import hashpw
    env.run.step(8 << cost)
    try:
        return hashpw(password, encode(salt)).decode("ascii")
    except ValueError:
        return ""
