"""Messages on the wire: bytes written by hand from the encoding's rules, unknown fields, what is cut off or broken."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krmkit.cli.evaluator import messages
from krmkit.cli.evaluator.messages import MessageError


def read(data: bytes) -> tuple[bytes, str]:
    content, image = messages.decode_request(data)
    return bytes(content), image


# Field 1 and 2 with a length before their bytes have the keys 0x0a and 0x12.
LIST = b"\x0a\x02[]"
IMAGE = b"\x12\x01i"

REQUESTS: list[tuple[str, bytes, tuple[bytes, str]]] = [
    ("nothing", b"", (b"", "")),
    ("both fields", b"\x0a\x04a: 1\x12\x06x/y:v1", (b"a: 1", "x/y:v1")),
    ("in the other order", IMAGE + LIST, (b"[]", "i")),
    ("without an image", LIST, (b"[]", "")),
    ("without a list", IMAGE, (b"", "i")),
    ("fields of no length", b"\x0a\x00\x12\x00", (b"", "")),
    ("the last of two counts", LIST + b"\x0a\x01x" + IMAGE + b"\x12\x01j", (b"x", "j")),
    ("bytes that are no text", b"\x0a\x02\xff\x00" + IMAGE, (b"\xff\x00", "i")),
    ("an image outside ASCII", b"\x12\x02\xc3\xa4", (b"", "ä")),
    ("a length of two bytes", b"\x0a\xac\x02" + b"x" * 300 + IMAGE, (b"x" * 300, "i")),
    ("a length with needless bytes", b"\x0a\x82\x80\x00[]" + IMAGE, (b"[]", "i")),
    ("an unknown number", LIST + b"\x18\xac\x02" + IMAGE, (b"[]", "i")),
    ("an unknown negative number", LIST + b"\x18" + b"\xff" * 9 + b"\x01" + IMAGE, (b"[]", "i")),
    ("unknown bytes", LIST + b"\x1a\x03abc" + IMAGE, (b"[]", "i")),
    ("four unknown bytes", LIST + b"\x1d\x0a\x12\x0a\x12" + IMAGE, (b"[]", "i")),
    ("eight unknown bytes", LIST + b"\x19\x0a\x12\x0a\x12\x0a\x12\x0a\x12" + IMAGE, (b"[]", "i")),
    ("an unknown group", LIST + b"\x1b\x08\x01\x1c" + IMAGE, (b"[]", "i")),
    ("a known field in an unknown group", LIST + b"\x1b\x0a\x01x\x1c" + IMAGE, (b"[]", "i")),
    ("a group in a group", LIST + b"\x1b\x23\x12\x01x\x24\x1c" + IMAGE, (b"[]", "i")),
    ("the highest field", LIST + b"\xf8\xff\xff\xff\x0f\x01" + IMAGE, (b"[]", "i")),
    ("a known field of another type", LIST + b"\x10\x05" + IMAGE, (b"[]", "i")),
]

BROKEN: list[tuple[str, bytes, str]] = [
    ("a key that is cut off", b"\x8a", "the message ends inside a number (at byte 0)"),
    ("a length that is cut off", b"\x0a\x80", "the message ends inside a number (at byte 1)"),
    ("bytes that are cut off", b"\x0a\x05abc", "the message ends 2 bytes before field 1 does (at byte 0)"),
    (
        "a length that nothing could have",
        b"\x0a" + b"\xff" * 9 + b"\x01",
        "the message ends 18446744073709551615 bytes before field 1 does (at byte 0)",
    ),
    (
        "four bytes that are cut off",
        LIST + b"\x1d\x00",
        "the message ends 3 bytes before field 3 does (at byte 4)",
    ),
    ("eight bytes that are cut off", b"\x19" + b"\x00" * 7, "the message ends 1 bytes before field 3 does"),
    (
        "a number of eleven bytes",
        b"\x18" + b"\x80" * 10 + b"\x01",
        "a number has more than 64 bits (at byte 1)",
    ),
    ("a number of 65 bits", b"\x18" + b"\xff" * 9 + b"\x02", "a number has more than 64 bits (at byte 1)"),
    ("field 0", b"\x02\x00", "there is no field 0 (at byte 0)"),
    ("a field above the highest", b"\x80\x80\x80\x80\x10\x00", "there is no field 536870912 (at byte 0)"),
    ("wire type 6", b"\x0e", "field 1 has the unknown wire type 6 (at byte 0)"),
    ("a group without an end", b"\x1b\x08\x01", "the message ends inside the group 3"),
    ("an end without a group", b"\x1c", "the group 3 ends where none began (at byte 0)"),
    ("the end of another group", b"\x1b\x24", "the group 4 ends where none began (at byte 1)"),
    ("groups without an end", b"\x1b" * 5000, "groups are nested more than 100 deep (at byte 100)"),
    ("an image that is no text", b"\x12\x01\xff", "the field image (2) is not UTF-8: invalid start byte"),
]


@pytest.mark.parametrize(
    ("data", "expected"), [case[1:] for case in REQUESTS], ids=[case[0] for case in REQUESTS]
)
def test_request(data: bytes, expected: tuple[bytes, str]) -> None:
    """A request is read as every implementation of protocol buffers reads it."""
    assert read(data) == expected


@pytest.mark.parametrize(("data", "message"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_broken_request(data: bytes, message: str) -> None:
    """What is no message is an error that says what is wrong, and where."""
    with pytest.raises(MessageError) as caught:
        read(data)

    assert str(caught.value).startswith(message)


def test_written_as_everybody_writes_it() -> None:
    """Fields in their order, empty ones left out."""
    assert messages.encode_request(b"[]", "i") == LIST + IMAGE
    assert messages.encode_request(b"", "") == b""
    assert messages.encode_request(b"x" * 300, "ä") == b"\x0a\xac\x02" + b"x" * 300 + b"\x12\x02\xc3\xa4"
    assert messages.encode_response(b"[]", b"") == LIST
    assert messages.encode_response(b"", b"\xff") == b"\x12\x01\xff"


@given(st.binary(max_size=400), st.text(max_size=200))
def test_request_comes_back(content: bytes, image: str) -> None:
    """What is written is read; of a message that is cut off, never more than was there is read."""
    data = messages.encode_request(content, image)

    assert read(data) == (content, image)
    for end in range(len(data)):
        try:
            found = read(data[:end])
        except MessageError:
            continue
        assert found in {(b"", ""), (content, "")}, "a message can only be cut between two fields"


@given(st.binary(max_size=400), st.binary(max_size=400))
def test_response_comes_back(content: bytes, log: bytes) -> None:
    """What is written is read."""
    assert messages.decode_response(messages.encode_response(content, log)) == (content, log)


@given(st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    """Any bytes are a message or a MessageError."""
    for decode in (messages.decode_request, messages.decode_response, messages.decode_health_request):
        with suppress(MessageError):
            decode(data)


def test_health() -> None:
    """The health service's messages."""
    assert messages.decode_health_request(b"") == ""
    assert messages.decode_health_request(b"\x0a\x03a.b") == "a.b"
    assert messages.encode_health_response(messages.SERVING) == b"\x08\x01"
    assert messages.encode_health_response(messages.NOT_SERVING) == b"\x08\x02"
    assert messages.encode_health_response(messages.SERVICE_UNKNOWN) == b"\x08\x03"
    with pytest.raises(MessageError, match="the field service"):
        messages.decode_health_request(b"\x0a\x01\xff")
