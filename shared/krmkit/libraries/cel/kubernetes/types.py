"""Values that CEL has no type for: addresses, quantities, URLs, versions.

While a rule runs, such a value is a map {"type": its Kubernetes type, "value": its text}, so that equal values are equal maps.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from krmkit.libraries.go.net import parse_cidr, parse_ip, parse_request_uri
from krmkit.libraries.go.urls import Url, escape, unescape
from krmkit.libraries.kube import quantity
from krmkit.libraries.kube.quantity import NANO
from krmkit.libraries.versions import semver

Object = dict[str, str]

IP = "net.IP"
CIDR = "net.CIDR"
QUANTITY = "kubernetes.Quantity"
URL = "kubernetes.URL"
SEMVER = "kubernetes.Semver"


def new(kind: str, value: object) -> Object:
    """One value: new(IP, "10.0.0.1") is {"type": "net.IP", "value": "10.0.0.1"}."""
    return {"type": kind, "value": str(value)}


def accepts(make: Callable[[str], object]) -> Callable[[str], bool]:
    """The test that belongs to a constructor: whether it would fail."""

    def check(text: str) -> bool:
        try:
            make(text)
        except ValueError:
            return False
        return True

    return check


def ip(text: str) -> Object:
    """ip("10.0.0.1"); an IPv4 address inside an IPv6 one is refused, as in Kubernetes."""
    return new(IP, _ip(text))


def _ip(text: str) -> IPv4Address | IPv6Address:
    address = parse_ip(text)
    if address is None:
        raise ValueError(f'IP Address "{text}" parse error during conversion from string')
    if getattr(address, "ipv4_mapped", None) is not None:
        raise ValueError(f'IPv4-mapped IPv6 address "{text}" is not allowed')
    return address


def ip_family(value: Object) -> int:
    return _ip(value["value"]).version


def ip_is_canonical(text: str) -> bool:
    return str(_ip(text)) == text


def ip_is_unspecified(value: Object) -> bool:
    return _ip(value["value"]).is_unspecified


def ip_is_loopback(value: Object) -> bool:
    return _ip(value["value"]).is_loopback


def ip_is_link_local_multicast(value: Object) -> bool:
    address = _ip(value["value"])
    if address.version == 4:
        return str(address).startswith("224.0.0.")
    return address.is_multicast and address.packed[1] & 0x0F == 2


def ip_is_link_local_unicast(value: Object) -> bool:
    address = _ip(value["value"])
    return address.is_link_local and not address.is_multicast


def ip_is_global_unicast(value: Object) -> bool:
    address = _ip(value["value"])
    return not (
        address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
        or str(address) == "255.255.255.255"
    )


def cidr(text: str) -> Object:
    """cidr("10.0.0.0/8"); the address before the slash is kept."""
    network = parse_cidr(text)
    if network is None:
        raise ValueError(f'network address "{text}" parse error during conversion from string')
    _ip(text.partition("/")[0])
    return new(CIDR, f"{parse_ip(text.partition('/')[0])}/{network.prefixlen}")


def _network(value: Object) -> IPv4Network | IPv6Network:
    network = parse_cidr(value["value"])
    if network is None:
        raise ValueError(f'network address "{value["value"]}" parse error during conversion from string')
    return network


def cidr_ip(value: Object) -> Object:
    return ip(value["value"].partition("/")[0])


def cidr_masked(value: Object) -> Object:
    return new(CIDR, _network(value))


def cidr_prefix_length(value: Object) -> int:
    return _network(value).prefixlen


def cidr_contains_ip(value: Object, other: Object | str) -> bool:
    address = _ip(other if isinstance(other, str) else other["value"])
    network = _network(value)
    return address.version == network.version and address in network


def cidr_contains_cidr(value: Object, other: Object | str) -> bool:
    inner = _network(cidr(other) if isinstance(other, str) else other)
    outer = _network(value)
    return (
        inner.version == outer.version
        and inner.prefixlen >= outer.prefixlen
        and inner.network_address in outer
    )


def make_quantity(text: str) -> Object:
    """quantity("1.5Gi"), kept in nano units: equal amounts are equal."""
    return new(QUANTITY, quantity.parse(text))


def _amount(value: Object | int) -> int:
    return value * NANO if isinstance(value, int) else int(value["value"])


def quantity_sign(value: Object) -> int:
    amount = _amount(value)
    return (amount > 0) - (amount < 0)


def quantity_is_integer(value: Object) -> bool:
    return _amount(value) % NANO == 0


def quantity_as_integer(value: Object) -> int:
    if not quantity_is_integer(value):
        raise ValueError("cannot convert value to integer")
    return _amount(value) // NANO


def quantity_as_float(value: Object) -> float:
    return _amount(value) / NANO


def quantity_add(value: Object, other: Object | int) -> Object:
    return new(QUANTITY, _amount(value) + _amount(other))


def quantity_sub(value: Object, other: Object | int) -> Object:
    return new(QUANTITY, _amount(value) - _amount(other))


def compare(value: Object, other: Object) -> int:
    """-1, 0 or 1 for two quantities or two versions."""
    if value["type"] != other["type"]:
        raise ValueError("no such overload")
    if value["type"] == QUANTITY:
        difference = _amount(value) - _amount(other)
        return (difference > 0) - (difference < 0)
    return _version(value).compare(_version(other))


def url(text: str) -> Object:
    """url("https://example.com/path?q=1"); an absolute URI or an absolute path."""
    found = parse_request_uri(text)
    if found is None:
        raise ValueError(
            f'URL parse error during conversion from string: parse "{text}": invalid URI for request'
        )
    return new(URL, text)


def url_scheme(value: Object) -> str:
    return _url(value).scheme


def url_host(value: Object) -> str:
    return _url(value).host


def url_hostname(value: Object) -> str:
    return _url(value).hostname()


def url_port(value: Object) -> str:
    host = _url(value).host
    after = host.rpartition("]")[2]
    return after.partition(":")[2]


def url_escaped_path(value: Object) -> str:
    return escape(_url(value).path, "path")


def url_query(value: Object) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in _url(value).query.split("&"):
        name, _, text = part.partition("=")
        if part:
            found.setdefault(_plain(name), []).append(_plain(text))
    return found


def _plain(text: str) -> str:
    """A part of a query without escapes; a plus is a blank."""
    return unescape(text.replace("+", " "), "fragment")


def _url(value: Object) -> Url:
    found = parse_request_uri(value["value"])
    if found is None:
        raise ValueError(f'parse "{value["value"]}": invalid URI for request')
    return found


def make_semver(text: str, normalize: bool = False) -> Object:
    """semver("1.2.3"); with `normalize` also "v1.2", which is 1.2.0."""
    version = semver.Version.parse(text) if normalize else semver.Version.parse_strict(text)
    return new(SEMVER, version.with_metadata(""))


def _version(value: Object) -> semver.Version:
    return semver.Version.parse(value["value"])


def semver_major(value: Object) -> int:
    return _version(value).major


def semver_minor(value: Object) -> int:
    return _version(value).minor


def semver_patch(value: Object) -> int:
    return _version(value).patch
