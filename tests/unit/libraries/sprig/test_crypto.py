"""What is deterministic works, the rest is refused with a reason and a remedy."""

from __future__ import annotations

from base64 import b64encode

import pytest

from krmkit.libraries.go.errors import GoError
from krmkit.libraries.sprig import call
from krmkit.libraries.sprig.crypto import Certificate

PEM = "-----BEGIN X-----\nAAAA\n-----END X-----\n"


def test_derive_password() -> None:
    """The same arguments give the same password of the shape asked for; the counter changes it."""
    first = call("derivePassword", 1, "pin", "secret", "admin", "cluster.example")

    assert isinstance(first, str)
    assert len(first) == 4
    assert first.isdigit()
    assert call("derivePassword", 1, "pin", "secret", "admin", "cluster.example") == first
    assert call("derivePassword", 2, "maximum", "secret", "admin", "cluster.example") != first
    assert call("derivePassword", 1, "huge", "p", "u", "s") == "cannot find password template huge"


def test_htpasswd() -> None:
    """With sha the line is the same each time; bcrypt salts it."""
    assert call("htpasswd", "joe", "pod", "sha") == "joe:{SHA}ke3UAJxK3rXAzp0ylz8sScAS0d0="
    assert call("htpasswd", "a:b", "pod") == "invalid username: a:b"
    with pytest.raises(GoError, match="new key or salt"):
        call("htpasswd", "joe", "pod")


def test_build_custom_cert() -> None:
    """Certificate and key come back as PEM."""
    encoded = b64encode(PEM.encode()).decode()
    cert = call("buildCustomCert", encoded, encoded)

    assert isinstance(cert, Certificate)
    assert cert.go_fields["Cert"](cert) == PEM
    assert cert.go_fields["Key"](cert) == PEM
    for args, message in (
        (("#", encoded), "unable to decode base64 certificate"),
        ((encoded, "#"), "unable to decode base64 private key"),
        (("AAAA", encoded), "unable to decode certificate"),
        ((encoded, "AAAA"), "error parsing private key: no PEM data in input"),
    ):
        with pytest.raises(GoError) as caught:
            call("buildCustomCert", *args)
        assert caught.value.message == message


def test_decrypt_aes() -> None:
    """There is no cipher; bad base64 is told first."""
    assert call("decryptAES", "k", "") == ""
    with pytest.raises(GoError, match=r"^illegal base64 data at input byte 0$"):
        call("decryptAES", "k", "#")
    with pytest.raises(GoError, match="decrypt outside"):
        call("decryptAES", "k", "AAAA")


@pytest.mark.parametrize(
    ("name", "args", "remedy"),
    [
        pytest.param("uuidv4", (), "pass the value in", id="uuidv4"),
        pytest.param("randInt", (1, 9), "pass the value in", id="randInt"),
        pytest.param("randAlphaNum", (5,), "pass the value in", id="randAlphaNum"),
        pytest.param("shuffle", ("ab",), "pass the value in", id="shuffle"),
        pytest.param("bcrypt", ("x",), "keep it in a Secret", id="bcrypt"),
        pytest.param("encryptAES", ("k", "x"), "keep it in a Secret", id="encryptAES"),
        pytest.param("genPrivateKey", ("rsa",), "keep it in a Secret", id="genPrivateKey"),
        pytest.param("genCA", ("ca", 365), "keep it in a Secret", id="genCA"),
        pytest.param("getHostByName", ("example.com",), "pass the address in", id="getHostByName"),
    ],
)
def test_refused(name: str, args: tuple[object, ...], remedy: str) -> None:
    """Chance, fresh keys and the network fail with a reason and what to do."""
    with pytest.raises(GoError, match=f"the same input must give the same output; .*{remedy}"):
        call(name, *args)


def test_what_is_not_random_after_all() -> None:
    """One character cannot be shuffled, and an unknown type makes no key."""
    assert call("shuffle", "aaa") == "aaa"
    assert call("genPrivateKey", "x") == "Unknown type x"
