"""krmkit.libraries.schema.kubernetes.formats: the formats of texts, as kube-openapi's strfmt has them."""

from __future__ import annotations

import pytest

from krmkit.libraries.schema.kubernetes.formats import known_format, valid_format

GOOD_AND_BAD = {
    "bsonobjectid": (["507f1f77bcf86cd799439011"], ["507f1f77bcf86cd79943901", "x" * 24]),
    "uri": (
        ["https://example.com/a?b#c", "/a/b", "mailto:ann@example.com"],
        ["", "not a URI", "a/b", "http://[::1"],
    ),
    "email": (
        ["ann@example.com", "Ann <ann@example.com>", '"a b"@example.com'],
        ["ann", "@example.com", "a b@c.d"],
    ),
    "hostname": (
        ["example.com", "a-b.example.com", "localhost"],
        ["", "-a.com", "a_b.com", "a" * 64 + ".com"],
    ),
    "ipv4": (["10.0.0.1"], ["10.0.0.256", "010.0.0.1", "::1", "10.0.0"]),
    "ipv6": (["::1", "fe80::1", "::ffff:10.0.0.1"], ["10.0.0.1", "fe80::1%eth0", "::g"]),
    "cidr": (["10.0.0.0/8", "10.1.2.3/8", "::/0"], ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/+8"]),
    "mac": (
        ["00:00:5e:00:53:01", "00-00-5E-00-53-01", "0000.5e00.5301"],
        ["00:00:5e:00:53", "0:0:0:0:0:0", "zz:00:5e:00:53:01"],
    ),
    "uuid": (["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"], ["123e4567"]),
    "uuid3": (["123e4567-e89b-32d3-a456-426614174000"], ["123e4567-e89b-12d3-a456-426614174000"]),
    "uuid4": (["123e4567-e89b-42d3-a456-426614174000"], ["123e4567-e89b-42d3-c456-426614174000"]),
    "uuid5": (["123e4567-e89b-52d3-b456-426614174000"], ["123e4567-e89b-42d3-b456-426614174000"]),
    "isbn": (["3401013319", "978-3-16-148410-0"], ["3401013310"]),
    "isbn10": (["3-8362-2119-5", "0-8044-2957-X"], ["978-3-16-148410-0", "X-8044-2957-0"]),
    "isbn13": (["978 3 16 148410 0"], ["9783161484101", "3401013319"]),
    "creditcard": (["4111 1111 1111 1111"], ["4111 1111 1111 1112", "1234"]),
    "ssn": (["111-22-3333", "111 22 3333"], ["111-22-333"]),
    "hexcolor": (["#FFF", "c0ffee"], ["#FFFF", "blue"]),
    "rgbcolor": (["rgb(0, 31,255)"], ["rgb(1,349,275)", "rgb(01,31,255)"]),
    "byte": (["aGVsbG8="], ["", "aGVsbG8", "a b="]),
    "password": (["anything"], []),
    "date": (["2024-02-29"], ["2023-02-29", "2024-2-29", "2024-13-01", "x"]),
    "date-time": (
        ["2014-12-15T19:30:20.000Z", "2014-12-15t19:30:20+01:00"],
        ["2014-12-15", "2014-12-15T24:30:20Z", "2014-02-30T10:00:00Z"],
    ),
    "duration": (["1h30m", "22 ns", "3 days 4 hours", "1w"], ["", "soon", "5"]),
    "k8s-short-name": (["md-0"], ["MD", "-a", "a" * 64]),
    "k8s-long-name": (["md-0.example"], ["md..0", "a" * 254]),
}


@pytest.mark.parametrize("name", GOOD_AND_BAD)
def test_format(name: str) -> None:
    """Each format accepts what it describes, and nothing else."""
    good, bad = GOOD_AND_BAD[name]

    assert known_format(name)
    assert [text for text in good if not valid_format(name, text)] == []
    assert [text for text in bad if valid_format(name, text)] == []


def test_names() -> None:
    """Dashes in a name do not count, and formats of numbers are none of texts."""
    assert known_format("datetime")
    assert known_format("uuid-4")
    assert not known_format("int32")
    assert not known_format("")
