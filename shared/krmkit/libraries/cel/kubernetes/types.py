"""Values that have no CEL type: addresses, quantities, URLs, versions.

While a rule runs, such a value is a map {"type": its Kubernetes type, "value": its text}, so that equal
values are equal maps.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from krmkit.libraries.go.net.addresses import parse_cidr, parse_ip, parse_request_uri
from krmkit.libraries.go.net.url import Url, unescape
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
    """Return a value: new(IP, "10.0.0.1") is {"type": "net.IP", "value": "10.0.0.1"}."""
    return {"type": kind, "value": str(value)}


def accepts(make: Callable[[str], object]) -> Callable[[str], bool]:
    """Return a test that is False where the constructor `make` raises ValueError."""

    def check(text: str) -> bool:
        try:
            make(text)
        except ValueError:
            return False
        return True

    return check


def ip(text: str) -> Object:
    """Return ip("10.0.0.1"). An IPv4 address inside an IPv6 one is refused, as in Kubernetes."""
    return new(IP, address(text))


def address(text: str) -> IPv4Address | IPv6Address:
    """Parse an address. Raises ValueError."""
    found = parse_ip(text)
    if found is None:
        raise ValueError(f'IP Address "{text}" parse error during conversion from string')
    if getattr(found, "ipv4_mapped", None) is not None:
        raise ValueError(f'IPv4-mapped IPv6 address "{text}" is not allowed')
    return found


def ip_is_link_local_multicast(value: Object) -> bool:
    found = address(value["value"])
    if found.version == 4:
        return str(found).startswith("224.0.0.")
    return found.is_multicast and found.packed[1] & 0x0F == 2


def ip_is_link_local_unicast(value: Object) -> bool:
    found = address(value["value"])
    return found.is_link_local and not found.is_multicast


def ip_is_global_unicast(value: Object) -> bool:
    found = address(value["value"])
    return not (
        found.is_unspecified
        or found.is_loopback
        or found.is_multicast
        or found.is_link_local
        or str(found) == "255.255.255.255"
    )


def cidr(text: str) -> Object:
    """Return cidr("10.0.0.0/8"); the address before the slash is kept."""
    prefix = network_of(new(CIDR, text)).prefixlen
    return new(CIDR, f"{address(text.partition('/')[0])}/{prefix}")


def network_of(value: Object) -> IPv4Network | IPv6Network:
    """Return the network of a CIDR."""
    network = parse_cidr(value["value"])
    if network is None:
        raise ValueError(f'network address "{value["value"]}" parse error during conversion from string')
    return network


def cidr_contains_ip(value: Object, other: Object | str) -> bool:
    found = address(other if isinstance(other, str) else other["value"])
    network = network_of(value)
    return found.version == network.version and found in network


def cidr_contains_cidr(value: Object, other: Object | str) -> bool:
    inner = network_of(cidr(other) if isinstance(other, str) else other)
    outer = network_of(value)
    return (
        inner.version == outer.version
        and inner.prefixlen >= outer.prefixlen
        and inner.network_address in outer
    )


def make_quantity(text: str) -> Object:
    """Return quantity("1.5Gi") in nano units, in which equal amounts are equal."""
    return new(QUANTITY, quantity.parse(text))


def amount(value: Object | int) -> int:
    """Return a quantity or a number in nano units."""
    return value * NANO if isinstance(value, int) else int(value["value"])


def quantity_as_integer(value: Object) -> int:
    if amount(value) % NANO:
        raise ValueError("cannot convert value to integer")
    return amount(value) // NANO


def compare(value: Object, other: Object) -> int:
    """Return -1, 0 or 1 for two quantities or two versions."""
    if value["type"] != other["type"]:
        raise ValueError("no such overload")
    if value["type"] == QUANTITY:
        difference = amount(value) - amount(other)
        return (difference > 0) - (difference < 0)
    return version_of(value).compare(version_of(other))


def url(text: str) -> Object:
    """Return url("https://example.com/path?q=1"); an absolute URI or an absolute path."""
    found = parse_request_uri(text)
    if found is None:
        raise ValueError(
            f'URL parse error during conversion from string: parse "{text}": invalid URI for request'
        )
    return new(URL, text)


def url_port(value: Object) -> str:
    host = url_of(value).host
    after = host.rpartition("]")[2]
    return after.partition(":")[2]


def url_query(value: Object) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in url_of(value).query.split("&"):
        name, _, text = part.partition("=")
        if part:
            found.setdefault(_plain(name), []).append(_plain(text))
    return found


def _plain(text: str) -> str:
    """Decode a part of a query, in which a plus is a blank."""
    return unescape(text.replace("+", " "), "fragment")


def url_of(value: Object) -> Url:
    """Return the parts of a URL."""
    found = parse_request_uri(value["value"])
    if found is None:
        raise ValueError(f'parse "{value["value"]}": invalid URI for request')
    return found


def make_semver(text: str, normalize: bool = False) -> Object:
    """Return semver("1.2.3"); with `normalize` also "v1.2", which is 1.2.0."""
    version = semver.Version.parse(text) if normalize else semver.Version.parse_strict(text)
    return new(SEMVER, version.with_metadata(""))


def version_of(value: Object) -> semver.Version:
    """Return the version of a value."""
    return semver.Version.parse(value["value"])
