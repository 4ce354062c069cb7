"""Base64 and base32 report faults where Go does; checksums."""

from __future__ import annotations

import pytest

from krmkit.libraries.sprig import call


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param("b64enc", "pöd", "cMO2ZA==", id="base64 of UTF-8"),
        pytest.param("b64dec", "cMO2\r\nZA=\n=\n", "pöd", id="newlines are passed over, in padding too"),
        pytest.param(
            "b64dec", "cG9k-", "illegal base64 data at input byte 4", id="a sign of another alphabet"
        ),
        pytest.param(
            "b64dec", "cG9kZ", "illegal base64 data at input byte 4", id="a quantum that is not full"
        ),
        pytest.param("b64dec", "cA=x", "illegal base64 data at input byte 2", id="one padding sign of two"),
        pytest.param("b64dec", "cA=", "illegal base64 data at input byte 3", id="padding that ends early"),
        pytest.param("b64dec", "c===", "illegal base64 data at input byte 1", id="too much padding"),
        pytest.param(
            "b64dec", "cA==cA==", "illegal base64 data at input byte 4", id="more behind the padding"
        ),
        pytest.param("b64dec", "", "", id="nothing"),
        pytest.param("b32enc", "pod", "OBXWI===", id="base32"),
        pytest.param("b32dec", "OBXW\nI===", "pod", id="base32 with a newline"),
        pytest.param("b32dec", "obxwi===", "illegal base32 data at input byte 0", id="small letters"),
        pytest.param("b32dec", "OBXWI", "illegal base32 data at input byte 0", id="no padding"),
        pytest.param(
            "b32dec", "OBXWI==", "illegal base32 data at input byte 7", id="padding that ends early"
        ),
        pytest.param("b32dec", "OBXWI=A=", "illegal base32 data at input byte 5", id="padding with a hole"),
        pytest.param(
            "b32dec",
            "OBX=====",
            "illegal base32 data at input byte 3",
            id="padding of a length that cannot be",
        ),
        pytest.param("sha1sum", "pod", "91edd4009c4adeb5c0ce9d32973f2c49c012d1dd", id="sha1"),
        pytest.param("adler32sum", "pod", "43319620", id="adler32"),
    ],
)
def test_result(name: str, text: str, expected: str) -> None:
    """A fault comes back as text with the offset of the byte."""
    assert call(name, text) == expected


def test_long_digests() -> None:
    """sha256sum and sha512sum are hexadecimal."""
    import hashlib

    assert call("sha256sum", "é") == hashlib.sha256("é".encode()).hexdigest()
    assert call("sha512sum", "é") == hashlib.sha512("é".encode()).hexdigest()


def test_bytes_that_are_no_text_survive() -> None:
    """What is not UTF-8 is kept byte by byte."""
    assert call("b64enc", call("b64dec", "//79")) == "//79"
