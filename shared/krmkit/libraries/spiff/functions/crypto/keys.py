"""Keys in PEM and WireGuard keys: made from the run's chance, and read."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.spiff.functions.crypto.pem import parse_private_key, parse_public_key
from krmkit.libraries.spiff.functions.registry import chance, function, needed
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, fail_if

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec, rsa

SMALLEST, LARGEST = 1024, 4096
"""The sizes of RSA keys."""
EXPONENT = 65537
_CURVES = {"P224": "SECP224R1", "P256": "SECP256R1", "P384": "SECP384R1", "P521": "SECP521R1"}


@function("x509genkey", "invalid argument count for x509genkey([<bitsize>|<ecdsaCurve>])")
def x509genkey(env: Env, kind: Any = 2048) -> str:
    if type(kind) is str and kind.isascii() and kind.isdigit() and len(kind) < 10:
        kind = int(kind)
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
    if type(kind) is int:
        key = _rsa_key(kind, env)
    elif type(kind) is str:
        key = _curve_key(kind, env)
    else:
        raise Failure("argument for x509genkey must be a string or integer")
    from cryptography.hazmat.primitives import serialization

    made = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    return made.decode("ascii")


def _rsa_key(bits: int, env: Env) -> rsa.RSAPrivateKey:
    """Make an RSA key of two primes from the run's chance, because the library uses the machine's."""
    if not SMALLEST <= bits <= LARGEST or bits % 16:
        raise Failure(
            f"failed to generate private key: the size must be {SMALLEST} to {LARGEST} bits in steps of 16, got {bits}"
        )
    numbers = chance("x509genkey", env)
    with needed("cryptography", "x509genkey"):
        from cryptography.hazmat.primitives.asymmetric import rsa
    env.run.step((bits // 128) ** 3 * 16)  # the cost of testing primes: 65,536 steps for 2048 bits
    first = _factor(numbers, bits // 2)
    two = _factor(numbers, bits // 2)
    exponent = pow(EXPONENT, -1, (first - 1) * (two - 1))
    parts = (rsa.rsa_crt_dmp1(exponent, first), rsa.rsa_crt_dmq1(exponent, two), rsa.rsa_crt_iqmp(first, two))
    made = rsa.RSAPrivateNumbers(first, two, exponent, *parts, rsa.RSAPublicNumbers(EXPONENT, first * two))
    return made.private_key()


def _factor(numbers: Any, bits: int) -> int:
    while True:
        found: int = numbers.prime(bits)
        if (found - 1) % EXPONENT:
            return found


def _curve_key(name: str, env: Env) -> ec.EllipticCurvePrivateKey:
    fail_if(name not in _CURVES, f"Unrecognized elliptic curve: {quote(name)}")
    numbers = chance("x509genkey", env)
    with needed("cryptography", "x509genkey"):
        from cryptography.hazmat.primitives.asymmetric import ec
    curve: ec.EllipticCurve = getattr(ec, _CURVES[name])()
    # With 64 bits more than the order has, the remainders are almost equally likely.
    length = (curve.key_size + 7) // 8 + 8
    number = 1 + int.from_bytes(numbers.take(length), "big") % (curve.group_order - 1)
    return ec.derive_private_key(number, curve)


@function(
    "x509publickey",
    "invalid argument count for x509publickey",
    form="format argument for x509publickey must be a string",
)
def x509publickey(env: Env, key: Any, form: str = "pem") -> str:
    fail_if(form.lower() not in ("pem", "ssh", "pkix"), f"invalid format for x509publickey: {form}")
    fail_if(type(key) is not str, "argument for x509publickey must be a private key in pem format")
    with needed("cryptography", "x509publickey"):
        from cryptography.hazmat.primitives.asymmetric import ec, rsa
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    try:
        public: Any = parse_private_key(key).public_key()
    except ValueError as error:
        try:
            public = parse_public_key(key)
        except ValueError:
            raise Failure(
                f"argument for x509publickey must be a private key in pem format: {error}"
            ) from None
    if not isinstance(public, (rsa.RSAPublicKey, ec.EllipticCurvePublicKey)):
        raise Failure("x509publickey: the key must be an RSA or ECDSA key")
    if form.lower() == "ssh":
        return public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode("ascii") + "\n"
    if form.lower() == "pem" and isinstance(public, rsa.RSAPublicKey):
        return public.public_bytes(Encoding.PEM, PublicFormat.PKCS1).decode("ascii")
    text = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode("ascii")
    # spiff's name for the same bytes.
    return text if form.lower() == "pkix" else text.replace(" PUBLIC KEY", " ECDSA PUBLIC KEY")


@function(
    "wggenkey",
    "a maximum of one argument expected for wggenkey",
    kind="argument for wggenkey must be a string (private or preshared)",
)
def wggenkey(env: Env, kind: str = "private") -> str:
    fail_if(kind not in ("private", "preshared"), f"invalid key type {quote(kind)}, use private or preshared")
    key = bytearray(chance("wggenkey", env).take(32))
    if kind == "private":  # the fixed bits of private keys of the curve
        key[0] &= 248
        key[31] = key[31] & 127 | 64
    return base64.b64encode(key).decode("ascii")


@function(
    "wgpublickey",
    "one argument expected for wgpublickey",
    text="argument for wgpublickey must be a string (private key)",
)
def wgpublickey(env: Env, text: str) -> str:
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        raise Failure("wgpublickey: the key must be base64") from None
    fail_if(len(key) != 32, f"wgpublickey: incorrect key size: {len(key)}")
    with needed("cryptography", "wgpublickey"):
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    public = X25519PrivateKey.from_private_bytes(key).public_key()
    return base64.b64encode(public.public_bytes_raw()).decode("ascii")
