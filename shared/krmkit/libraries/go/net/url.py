"""urlParse and urlJoin: Go's net/url as a dict of parts and back."""

from __future__ import annotations

from krmkit.libraries.go.core.limits import charge
from krmkit.libraries.go.core.values import decode, encode, kind_of
from krmkit.libraries.go.errors import GoError, GoInputError
from krmkit.libraries.go.fmt.printing import quote

_UNRESERVED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~")
_HEX = frozenset("0123456789abcdefABCDEF")
# Which reserved characters each part of a URL may hold as they are.
_KEPT = {
    "path": frozenset("$&+,/:;=@"),
    "fragment": frozenset("$&+,/:;=?@!()*"),
    "userinfo": frozenset("$&+,;="),
    "host": frozenset("!$&'()*+,;=:[]<>\""),
    "zone": frozenset("!$&'()*+,;=:[]<>\""),
}


class Url:
    """The parts of a URL, unescaped, as in Go's url.URL. `user` is (name, password or None) or None."""

    def __init__(self) -> None:
        self.scheme = self.opaque = self.host = self.path = self.query = self.fragment = ""
        self.user: tuple[str, str | None] | None = None

    @classmethod
    def parse(cls, text: str) -> Url:
        """url.Parse. Raises GoInputError with Go's `parse "...": problem`."""
        rest, _, fragment = text.partition("#")
        try:
            url = _parse(rest)
        except GoInputError as error:
            raise GoInputError(f"parse {quote(rest)}: {error}") from None
        if fragment:
            try:
                url.fragment = unescape(fragment, "fragment")
            except GoInputError as error:
                raise GoInputError(f"parse {quote(text)}: {error}") from None
        return url

    def hostname(self) -> str:
        """Return the host without port and brackets."""
        host = self.host
        colon = host.rfind(":")
        if colon >= 0 and _valid_port(host[colon:]):
            host = host[:colon]
        return host[1:-1] if host.startswith("[") and host.endswith("]") else host

    def userinfo(self) -> str:
        """Return `name` or `name:password`, escaped."""
        if self.user is None:
            return ""
        name, password = self.user
        text = escape(name, "userinfo")
        return text if password is None else f"{text}:{escape(password, 'userinfo')}"

    def __str__(self) -> str:
        out = [f"{self.scheme}:"] if self.scheme else []
        if self.opaque:
            out.append(self.opaque)
        else:
            if (self.scheme and self.path) or self.host or self.user is not None:
                out.append("//")
            if self.user is not None:
                out.append(self.userinfo() + "@")
            out.append(escape(self.host, "host"))
            path = "*" if self.path == "*" else escape(self.path, "path")
            if path and path[0] != "/" and self.host:
                out.append("/")
            if not any(out) and ":" in path.split("/", 1)[0]:
                out.append("./")  # or the first segment would read as a scheme
            out.append(path)
        if self.query:
            out.append("?" + self.query)
        if self.fragment:
            out.append("#" + escape(self.fragment, "fragment"))
        return "".join(out)


def escape(text: str, part: str) -> str:
    """Percent-escape the characters that the part of a URL cannot contain."""
    kept = _KEPT[part]
    charge(len(text) * 4)
    out = []
    for byte in encode(text):
        char = chr(byte)
        out.append(char if char in _UNRESERVED or char in kept else f"%{byte:02X}")
    return "".join(out)


def unescape(text: str, part: str) -> str:
    """Undo percent-escapes. Raises GoInputError for invalid escapes, and invalid characters in hosts."""
    if "%" not in text and part not in ("host", "zone"):
        return text
    data = encode(text)
    charge(len(data) * 4)
    out = bytearray()
    at = 0
    while at < len(data):
        char = chr(data[at])
        if char == "%":
            digits = data[at + 1 : at + 3].decode("latin-1")
            if len(digits) < 2 or not all(digit in _HEX for digit in digits):
                raise GoInputError(f"invalid URL escape {quote(decode(data[at : at + 3]))}")
            value = int(digits, 16)
            if part == "host" and value < 0x80 and digits != "25":
                # Hosts may escape only bytes outside ASCII, and the percent sign before a zone.
                raise GoInputError(f"invalid URL escape {quote(decode(data[at : at + 3]))}")
            if part == "zone" and digits != "25" and chr(value) != " " and not _host_char(chr(value)):
                raise GoInputError(f"invalid URL escape {quote(decode(data[at : at + 3]))}")
            out.append(value)
            at += 3
            continue
        if part in ("host", "zone") and char < "\x80" and not _host_char(char):
            raise GoInputError(f"invalid character {quote(char)} in host name")
        out.append(data[at])
        at += 1
    return decode(bytes(out))


def _host_char(char: str) -> bool:
    return char in _UNRESERVED or char in _KEPT["host"]


def _parse(rest: str) -> Url:
    charge(len(rest) * 2)
    if any(char < " " or char == "\x7f" for char in rest):
        raise GoInputError("net/url: invalid control character in URL")
    url = Url()
    if rest == "*":
        url.path = "*"
        return url
    scheme, rest = _scheme(rest)
    url.scheme = scheme.lower()
    rest, _, url.query = rest.partition("?")
    if not rest.startswith("/"):
        if url.scheme:
            url.opaque = rest  # mailto:someone, for instance
            return url
        if ":" in rest.split("/", 1)[0]:
            raise GoInputError("first path segment in URL cannot contain colon")
    if rest.startswith("//") and (url.scheme or not rest.startswith("///")):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        url.user, url.host = _authority(url.scheme, authority)
    url.path = unescape(rest, "path")
    return url


def _scheme(text: str) -> tuple[str, str]:
    if text.startswith(":"):
        raise GoInputError("missing protocol scheme")
    scheme, colon, rest = text.partition(":")
    if colon and scheme.isascii() and scheme[0].isalpha() and all(map(_in_scheme, scheme)):
        return scheme, rest
    return "", text


def _in_scheme(char: str) -> bool:
    return char.isalnum() or char in "+-."


def _authority(scheme: str, authority: str) -> tuple[tuple[str, str | None] | None, str]:
    info, at, host = authority.rpartition("@")
    host = _host(scheme, host)
    if not at:
        return None, host
    if not all(char in _UNRESERVED or char in "!$&'()*+,;=:%@" for char in info):
        raise GoInputError("net/url: invalid userinfo")
    name, colon, password = info.partition(":")
    return (unescape(name, "userinfo"), unescape(password, "userinfo") if colon else None), host


def _host(scheme: str, host: str) -> str:
    bracket = host.rfind("[")
    if bracket > 0:
        raise GoInputError("invalid IP-literal")
    if bracket == 0:
        return _literal(host)
    # Several hosts with ports are a habit of PostgreSQL alone.
    colon = host.rfind(":") if scheme in ("postgres", "postgresql") else host.find(":")
    if colon >= 0 and not _valid_port(host[colon:]):
        raise GoInputError(f"invalid port {quote(host[colon:])} after host")
    return unescape(host, "host")


def _literal(host: str) -> str:
    """Check `[address]:port`: brackets hold an IPv6 address, perhaps with a zone after %25."""
    end = host.rfind("]")
    if end < 0:
        raise GoInputError("missing ']' in host")
    port = host[end + 1 :]
    if not _valid_port(port):
        raise GoInputError(f"invalid port {quote(port)} after host")
    literal = host[1:end]
    zone = literal.find("%25")
    if zone >= 0:
        address = unescape(literal[:zone], "host") + unescape(literal[zone:], "zone")
    else:
        address = unescape(literal, "host")
    from ipaddress import AddressValueError, IPv6Address

    try:
        IPv6Address(address)
    except AddressValueError:
        if ":" in address:
            raise GoInputError(f"invalid host: ParseAddr({quote(address)}): unable to parse IP") from None
        raise GoInputError("invalid IP-literal") from None
    return f"[{address}]{port}"


def _valid_port(port: str) -> bool:
    return port == "" or (port[0] == ":" and all("0" <= char <= "9" for char in port[1:]))


def url_parse(text: str) -> dict[str, object]:
    """urlParse: scheme, host, hostname, path, query, opaque, fragment, userinfo."""
    try:
        url = Url.parse(text)
    except GoInputError as error:
        raise GoError(f"unable to parse url: {error}") from None
    return {
        "scheme": url.scheme,
        "host": url.host,
        "hostname": url.hostname(),
        "path": url.path,
        "query": url.query,
        "opaque": url.opaque,
        "fragment": url.fragment,
        "userinfo": url.userinfo(),
    }


def url_join(parts: dict[str, object] | None) -> str:
    """urlJoin: the parts of urlParse as a URL."""
    parts = parts or {}
    url = Url()
    for name in ("scheme", "host", "path", "query", "opaque", "fragment"):
        setattr(url, name, _part(parts, name))
    userinfo = _part(parts, "userinfo")
    if userinfo:
        try:
            url.user = Url.parse(f"proto://{userinfo}@host").user
        except GoInputError as error:
            raise GoError(f"unable to parse userinfo in dict: {error}") from None
    return str(url)


def _part(parts: dict[str, object], key: str) -> str:
    value = parts.get(key, "")
    if value is None:
        raise GoError("runtime error: invalid memory address or nil pointer dereference")
    if not isinstance(value, str):
        raise GoError(f"unable to parse {key} key, must be of type string, but {kind_of(value)} found")
    return value
