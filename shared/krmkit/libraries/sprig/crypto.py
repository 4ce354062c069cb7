"""The deterministic part of sprig's cryptography; functions that make keys or salts are in `refused`."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter

from krmkit.libraries.go.core.limits import charge
from krmkit.libraries.go.core.values import GoObject, decode, encode
from krmkit.libraries.go.errors import GoError, GoInputError
from krmkit.libraries.sprig.encoding import decode_base64
from krmkit.libraries.sprig.refused import keys as refuse_keys

_SEED = b"com.lyndir.masterpassword"
_TEMPLATES = {
    "maximum": "anoxxxxxxxxxxxxxxxxx axxxxxxxxxxxxxxxxxno",
    "long": (
        "CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv "
        "CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv "
        "CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno"
    ),
    "medium": "CvcnoCvc CvcCvcno",
    "short": "Cvcn",
    "basic": "aaanaaan aannaaan aaannaaa",
    "pin": "nnnn",
}
"""The Master Password algorithm: each letter of a template becomes one of a class of characters."""
_CLASSES = {
    "V": "AEIOU",
    "C": "BCDFGHJKLMNPQRSTVWXYZ",
    "v": "aeiou",
    "c": "bcdfghjklmnpqrstvwxyz",
    "A": "AEIOUBCDFGHJKLMNPQRSTVWXYZ",
    "a": "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
    "n": "0123456789",
    "o": "@&%?,=[]_:-+*$#!'^~;()/.",
    "x": "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
}


_SCRYPT = 500_000  # the cost of one key, in items


@dataclass(frozen=True, slots=True)
class Certificate(GoObject):
    """A certificate with its key, both PEM."""

    cert: str
    key: str
    go_type = "sprig.certificate"
    go_kind = "struct"

    def go_string(self) -> str:
        return f"{{{self.cert} {self.key}}}"

    def go_equal(self, other: GoObject) -> bool:
        return self == other


Certificate.go_fields = {"Cert": attrgetter("cert"), "Key": attrgetter("key")}


def derive_password(counter: int, kind: str, password: str, user: str, site: str) -> str:
    """Derive a password from its five arguments by scrypt and HMAC (the Master Password algorithm)."""
    templates = _TEMPLATES.get(kind, "").split()
    if not templates:
        return f"cannot find password template {kind}"
    if not 0 <= counter < 1 << 32:
        raise GoError(f"the counter is a uint32, not {counter}")
    charge(_SCRYPT)
    from hashlib import scrypt
    from hmac import digest

    name, place = encode(user), encode(site)
    salt = _SEED + len(name).to_bytes(4, "big") + name
    key = scrypt(encode(password), salt=salt, n=32768, r=8, p=2, maxmem=1 << 27, dklen=64)
    message = _SEED + len(place).to_bytes(4, "big") + place + counter.to_bytes(4, "big")
    seed = digest(key, message, "sha256")
    template = templates[seed[0] % len(templates)]
    return "".join(
        _CLASSES[letter][byte % len(_CLASSES[letter])]
        for letter, byte in zip(template, seed[1:], strict=False)
    )


def htpasswd(user: str, password: str, *algorithm: str) -> object:
    """Make a line of an Apache password file; only the algorithm `sha` is deterministic."""
    if ":" in user:
        return f"invalid username: {user}"
    if not algorithm or algorithm[0] != "sha":
        return refuse_keys()
    from binascii import b2a_base64
    from hashlib import sha1

    digest = sha1(encode(password), usedforsecurity=False).digest()
    return f"{user}:{{SHA}}{b2a_base64(digest, newline=False).decode('ascii')}"


def decrypt_aes(_: str, text: str) -> str:
    """Check the base64 of decryptAES, then fail, because the standard library has no cipher."""
    if text:
        decode_base64(text)
        raise GoError("there is no AES cipher here; decrypt outside of the template and pass the text in")
    return ""


def build_custom_cert(cert: str, key: str) -> Certificate:
    """Read certificate and key from base64 of PEM, without checking their contents (buildCustomCert)."""
    data = []
    for text, name in ((cert, "certificate"), (key, "private key")):
        try:
            data.append(decode_base64(text))
        except GoInputError:
            raise GoError(f"unable to decode base64 {name}") from None
    if not _is_pem(data[0]):
        raise GoError("unable to decode certificate")
    if not _is_pem(data[1]):
        raise GoError("error parsing private key: no PEM data in input")
    return Certificate(decode(data[0]), decode(data[1]))


def _is_pem(data: bytes) -> bool:
    _, begin, rest = data.partition(b"-----BEGIN ")
    kind, dashes, body = rest.partition(b"-----")
    return bool(begin and dashes) and b"-----END " + kind + b"-----" in body
