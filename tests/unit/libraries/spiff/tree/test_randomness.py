"""Chance and the environment as values: what a run gives with them, and what it needs for that."""

from __future__ import annotations

import base64
import io
import sys
import tarfile
from typing import Any

import pytest

from krmkit.libraries.spiff import Options, SpiffError, SpiffLimits, merge
from krmkit.libraries.spiff.tree.randomness import Chance


def result(template: str, **options: Any) -> Any:
    return merge(template, [], Options(**options)).documents[0]


def value(call: str, **options: Any) -> Any:
    return result(f"a: (( {call} ))", **{"chance": b"seed", **options})["a"]


def test_same_seed_same_bytes() -> None:
    """The seed alone decides."""
    template = 'a: (( rand() ))\nb: (( md5crypt("x") ))\nc: (( wggenkey() ))\nd: (( x509genkey(1024) ))\n'
    once = result(template, chance=b"1")

    assert result(template, chance=b"1") == once
    again = result(template, chance=b"2")
    assert all(again[key] != once[key] for key in "abcd")


def test_stream() -> None:
    """Bytes do not depend on the sizes in which they are taken, and differ from call to call."""
    one, two = Chance(b"s"), Chance(b"s")

    assert one.take(3) + one.take(70) == two.take(73)
    assert len({one.take(16) for _ in range(100)}) == 100


def test_below() -> None:
    """Every number below the limit comes, and no other."""
    numbers = Chance(b"s")

    assert {numbers.below(5) for _ in range(200)} == {0, 1, 2, 3, 4}
    assert numbers.below(1) == 0


def test_primes() -> None:
    """A number is prime and as long as wanted: 16 bits, checked by division."""
    numbers = Chance(b"s")

    for _ in range(20):
        # Every odd number below 2000 divides a number of 16 bits too often to be right by chance.
        prime = numbers.prime(32)
        assert prime.bit_length() == 32 and all(prime % odd for odd in range(3, 65536, 2))


CALLS: dict[str, tuple[str, Any]] = {
    "an int below": ("rand(3) < 3", True),
    "an int of 63 bits": ("sum[map[[1..64]|x|->rand()]|0|most,x|->x > most ? x :most] / 4611686018427387904", 1),
    "a negative int": ("rand(-3) > -3", True),
    "a bool": ('type(rand(true)) == "bool"', True),
    "a set of characters": ('sort(uniq(split("", rand("a-c", 300))))', ["a", "b", "c"]),
    "a named set": ('length(rand("[:alnum:]", 10))', 10),
    "one value, however often it is used": ("( $r = rand() ) r == r", True),
    "md5crypt": ('md5crypt_check("x", md5crypt("x"))', True),
    "md5crypt of another password": ('md5crypt_check("y", md5crypt("x"))', False),
    "bcrypt": ('bcrypt_check("x", bcrypt("x", 4))', True),
    "bcrypt of another password": ('bcrypt_check("y", bcrypt("x", 4))', False),
    "a text that is no bcrypt hash": ('bcrypt_check("y", "$2a$10$x")', False),
    "encrypt": ('decrypt(encrypt({ $a = [1, true] }, "k"), "k")', {"a": [1, True]}),
    "a wireguard key": ("length(base64_decode(wggenkey()))", 32),
    "an ECDSA key": ('split("\\n", x509genkey("P256"))[0]', "-----BEGIN EC PRIVATE KEY-----"),
    "the public key of an ECDSA key": (
        'split("\\n", x509publickey(x509genkey("P384")))[0]', "-----BEGIN ECDSA PUBLIC KEY-----",
    ),
    "a public key for ssh": ('split(" ", x509publickey(x509genkey("P256"), "ssh"))[0]', "ecdsa-sha2-nistp256"),
    "a key is one": ('check(x509genkey("P521"), "privatekey")', True),
    "and its public key": ('check(x509publickey(x509genkey("P224")), "publickey", "!privatekey")', True),
}  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), CALLS.values(), ids=CALLS.keys())
def test_with_a_seed(call: str, expected: Any) -> None:
    """What comes from chance has the form that it should have."""
    assert value(call) == expected


def test_rsa_key() -> None:
    """A key of the chosen size, which the library finds consistent."""
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    key = load_pem_private_key(value("x509genkey(1024)").encode(), None)

    assert isinstance(key, RSAPrivateKey) and key.key_size == 1024


KNOWN: dict[str, tuple[str, Any]] = {
    "a public key of wireguard": (
        'wgpublickey("dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo=")',
        "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=",
    ),
    "md5crypt as openssl makes it": ('md5crypt_check("password", "$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/")', True),
    "no certificate": ('catch(validate("x", "certificate")).error', "is no certificate: invalid certificate format"),
    "another block": (
        'catch(validate("-----BEGIN A-----\\nYQ==\\n-----END A-----\\n", "privatekey")).error',
        'is no private key: invalid pem block type "A"',
    ),
    "a block that is no key": (
        'catch(validate("-----BEGIN PUBLIC KEY-----\\nYQ==\\n-----END PUBLIC KEY-----\\n", "publickey")).error',
        "failed to parse DER encoded public key",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), KNOWN.values(), ids=KNOWN.keys())
def test_without_a_seed(call: str, expected: Any) -> None:
    """What only reads keys and hashes needs no seed."""
    made = value(call, chance=None)

    assert made == expected if expected is True else expected in made


ERRORS = {
    'rand("x", 0)': "rand length must be positive, found 0",
    "rand(0)": "zero range not possible for integer random values",
    'rand("z-a", 1)': "invalid rand character set specification",
    'rand("一", 1)': "no character below U",
    'bcrypt("x", 32)': "cost 32 is outside allowed inclusive range 4..31",
    'encrypt("x")': "invalid empty encyption key",
    'encrypt("x", "k", "AES")': 'invalid encyption method "AES"',
    'decrypt("zz", "k")': "must be hexadecimal",
    'decrypt("00", "k")': "two or more blocks of 8 bytes, got 1 bytes",
    'decrypt(encrypt("x", "k"), "other")': "invalid key",
    "x509genkey(512)": "the size must be 1024 to 4096 bits",
    "x509genkey(1000000)": "the size must be 1024 to 4096 bits",
    'x509genkey("P1")': 'Unrecognized elliptic curve: "P1"',
    'x509publickey("x")': "must be a private key in pem format: invalid private key format",
    'wggenkey("x")': 'invalid key type "x", use private or preshared',
    'wgpublickey("YQ==")': "incorrect key size: 1",
    "x509cert({})": "depends on the clock",
    'archive({}, "zip")': "invalid archive type 'zip'",
    'archive([{ $data = "x" }])': "path field required",
}


@pytest.mark.parametrize(("call", "message"), ERRORS.items(), ids=ERRORS.keys())
def test_errors(call: str, message: str) -> None:
    """A wrong argument is named."""
    with pytest.raises(SpiffError) as caught:
        value(call)

    assert message in caught.value.message


COSTLY = ['bcrypt("x", 31)', 'rand("a", 100000000)', "sum[[1..40]|0|s,i|-> s length(x509genkey(4096))]"]


@pytest.mark.parametrize("call", COSTLY)
def test_work_is_counted(call: str) -> None:
    """What takes long counts as many evaluations."""
    with pytest.raises(SpiffError, match="more than 100000 evaluations"):
        value(call, limits=SpiffLimits(steps=100_000))


ENVIRONMENT = {"A": "1", "B": "2"}
VARIABLES: dict[str, Any] = {
    'env("A")': "1",
    'env("A", "B", "C")': {"A": "1", "B": "2"},
    'env(["A", "B"])': {"A": "1", "B": "2"},
    'env("C") || "-"': "-",
    'eval("env(\\"B\\")")': "2",
}


@pytest.mark.parametrize(("call", "expected"), VARIABLES.items(), ids=VARIABLES.keys())
def test_environment(call: str, expected: Any) -> None:
    """env answers from the variables given."""
    assert value(call, environment=ENVIRONMENT) == expected


def test_missing_variable() -> None:
    """A variable that is not given is not set, whatever the machine has."""
    with pytest.raises(SpiffError, match="environment variable 'PATH' not set"):
        value('env("PATH")', environment={})


def test_key_in_the_environment() -> None:
    """SPIFF_ENCRYPTION_KEY is the key of calls without one."""
    call = 'decrypt(encrypt("x"), "k")'

    assert value(call, environment={"SPIFF_ENCRYPTION_KEY": "k"}) == "x"


def test_archive() -> None:
    """Paths, modes and contents; the same files give the same bytes."""
    template = """
files:
  plain: text
  "#coded": YWI=
  "*run": { data: "#!/bin/sh" }
  "map": { data: { a: 1 }, path: dir/map.yaml, mode: "0600" }
tar: (( archive(files) ))
gz: (( archive(files, "targz") ))
"""
    made = result(template)

    for name, mode in (("tar", "r:"), ("gz", "r:gz")):
        data = base64.b64decode(made[name])
        with tarfile.open(fileobj=io.BytesIO(data), mode=mode) as archive:  # type: ignore[call-overload]
            found = {
                entry.name: (oct(entry.mode), entry.mtime, archive.extractfile(entry).read())
                for entry in archive
            }
        assert found == {
            "coded": ("0o644", 0, b"ab"), "run": ("0o744", 0, b"#!/bin/sh"),
            "dir/map.yaml": ("0o600", 0, b"a: 1\n"), "plain": ("0o644", 0, b"text"),
        }  # fmt: skip
    assert result(template) == made
    assert max(map(len, made["tar"].split("\n"))) == 60


WITHOUT = {
    'bcrypt("x")': "bcrypt", 'encrypt("x", "k")': "cryptography", "x509genkey(1024)": "cryptography",
    'x509genkey("P256")': "cryptography", 'x509publickey("x")': "cryptography", 'validate("x", "ca")': "cryptography",
}  # fmt: skip


@pytest.mark.parametrize(("call", "package"), WITHOUT.items(), ids=WITHOUT.keys())
def test_without_the_extra(call: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package is named together with the extra that has it."""
    for name in [*sys.modules]:
        if name.partition(".")[0] == package:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(SpiffError, match=rf"needs the package {package}.*pip install '\.\[spiff\]'"):
        value(call)


def test_wireguard_bits() -> None:
    """A private key has the bits that every private key of the curve has; a preshared one is as chance gives it."""
    for seed in (b"1", b"2", b"3", b"4", b"5", b"6"):
        taken = Chance(seed).take(32)
        private = bytearray(base64.b64decode(value("wggenkey()", chance=seed)))

        assert private[1:31] == taken[1:31]
        assert (private[0], private[31]) == (taken[0] & 0b11111000, taken[31] & 0b01111111 | 0b01000000)
        assert base64.b64decode(value('wggenkey("preshared")', chance=seed)) == taken


@pytest.mark.parametrize("call", ["rand(true)", "rand(5)", 'rand("a-z")'])
def test_one_argument_is_enough(call: str) -> None:
    """A second argument is only an error where it is given."""
    assert value(call) is not None
