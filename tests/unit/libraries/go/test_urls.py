"""URLs taken apart and put together as net/url does."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.errors import GoError
from krmkit.libraries.sprig import call

PARTS = ("scheme", "userinfo", "host", "hostname", "path", "query", "fragment", "opaque")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("oci://reg.example:5000/charts/a%20b?x=1#v%201",
                     ["oci", "", "reg.example:5000", "reg.example", "/charts/a b", "x=1", "v 1", ""], id="all parts"),
        pytest.param("HTTPS://me:p%40ss@h/", ["https", "me:p%40ss", "h", "h", "/", "", "", ""], id="userinfo"),
        pytest.param("http://[fe80::1%25eth0]:80", ["http", "", "[fe80::1%eth0]:80", "fe80::1%eth0", "", "", "", ""],
                     id="IPv6 with a zone"),
        pytest.param("urn:a:b?c", ["urn", "", "", "", "", "c", "", "a:b"], id="opaque"),
        pytest.param("a/b:c", ["", "", "", "", "a/b:c", "", "", ""], id="a path with a colon"),
        pytest.param("///a", ["", "", "", "", "///a", "", "", ""], id="three slashes"),
        pytest.param("file:///a", ["file", "", "", "", "/a", "", "", ""], id="an empty host"),
        pytest.param("*", ["", "", "", "", "*", "", "", ""], id="a star"),
        pytest.param("http://a%C3%A9/", ["http", "", "aé", "aé", "/", "", "", ""], id="an escaped host"),
    ],
)  # fmt: skip
def test_parse(url: str, expected: list[str]) -> None:
    """urlParse fills the eight parts."""
    parts = call("urlParse", url)

    assert isinstance(parts, dict)
    assert [parts[name] for name in PARTS] == expected


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        pytest.param(":x", "missing protocol scheme", id="no scheme"),
        pytest.param("a:b/c d:e\x01", "net/url: invalid control character in URL", id="control character"),
        pytest.param(
            "1:2", "first path segment in URL cannot contain colon", id="colon in the first segment"
        ),
        pytest.param("http://h/%2", 'invalid URL escape "%2"', id="half an escape"),
        pytest.param("http://a b/", 'invalid character " " in host name', id="blank in a host"),
        pytest.param("http://h%41/", 'invalid URL escape "%41"', id="needless escape in a host"),
        pytest.param("http://h:x/", 'invalid port ":x" after host', id="port"),
        pytest.param("http://::1/", 'invalid port "::1" after host', id="IPv6 without brackets"),
        pytest.param("http://[::1/", "missing ']' in host", id="open bracket"),
        pytest.param("http://[1.2.3.4]/", "invalid IP-literal", id="IPv4 in brackets"),
        pytest.param("http://a[::1]/", "invalid IP-literal", id="bracket inside of a host"),
        pytest.param("http://a\\b@h/", "net/url: invalid userinfo", id="userinfo"),
    ],
)
def test_parse_fails(url: str, problem: str) -> None:
    """urlParse fails with Go's error."""
    with pytest.raises(GoError) as caught:
        call("urlParse", url)

    assert caught.value.message.startswith("unable to parse url: parse ")
    assert caught.value.message.endswith(f": {problem}")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        pytest.param(
            {"scheme": "https", "host": "h", "path": "a b/ü"}, "https://h/a%20b/%C3%BC", id="escaped path"
        ),
        pytest.param({"path": "a:b"}, "./a:b", id="a path that looks like a scheme"),
        pytest.param({"path": "*"}, "*", id="a star"),
        pytest.param({"scheme": "s", "path": "/p"}, "s:///p", id="no host"),
        pytest.param({"host": "h", "userinfo": "u ", "query": "q"}, None, id="userinfo that cannot be"),
        pytest.param({"host": "h", "userinfo": "u%20v", "query": "a=b c"}, "//u%20v@h?a=b c", id="userinfo"),
        pytest.param({"fragment": "a(b) c"}, "#a(b)%20c", id="fragment"),
        pytest.param({"scheme": "mailto", "opaque": "a@b"}, "mailto:a@b", id="opaque"),
    ],
)
def test_join(parts: dict[str, object], expected: str | None) -> None:
    """urlJoin escapes what needs it."""
    if expected is None:
        with pytest.raises(GoError, match="unable to parse userinfo in dict: "):
            call("urlJoin", parts)
    else:
        assert call("urlJoin", parts) == expected


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        pytest.param(
            {"host": []}, "unable to parse host key, must be of type string, but slice found", id="list"
        ),
        pytest.param(
            {"path": None}, "runtime error: invalid memory address or nil pointer dereference", id="nil"
        ),
    ],
)
def test_join_fails(parts: dict[str, object], message: str) -> None:
    """Parts have to be strings."""
    with pytest.raises(GoError) as caught:
        call("urlJoin", parts)

    assert caught.value.message == message
