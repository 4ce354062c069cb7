"""The functions that Kubernetes adds to CEL: name, signature, first Kubernetes version, implementation.

The receiver, if any, stands first: `quantity.add(int) quantity` is a member function of quantities. Types:
string, int, double, bool, strings (a list of them), query (a map of such lists), the kinds of `objects`, and
`T` for a list's element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from krmkit.libraries.cel.kubernetes import types as celvalues
from krmkit.libraries.cel.kubernetes.types import accepts
from krmkit.libraries.go.net.url import escape
from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.kube.quantity import NANO

ALWAYS = (1, 0)
_ORDERED = ("int", "double", "bool", "string")
_ADDED = ("int", "double")


@dataclass(frozen=True, slots=True)
class Overload:
    """One overload: types by name, `member` if the first is the receiver."""

    name: str
    parameters: tuple[str, ...]
    result: str
    member: bool
    since: tuple[int, int]
    run: Callable[..., Any]


def find(text: str, regex: str) -> str:
    """Return the first match, or "" without one."""
    match = pattern.compile(regex).search(text)
    return "" if match is None else str(match.group())


def find_all(text: str, regex: str, limit: int = -1) -> list[str]:
    """Return all matches, at most `limit` unless it is negative."""
    read = 0

    def searched(length: int) -> None:
        nonlocal read
        read += length
        if read > _READ_AGAIN * (len(text) + _SHORT):
            raise ValueError("findAll reads too much text")

    return [str(match.group()) for match in pattern.compile(regex).find_all(text, limit, searched)]


# How often one findAll may read its text, all its searches together; a short text counts as this long.
_READ_AGAIN = 10
_SHORT = 10_000


def is_sorted(items: list[Any]) -> bool:
    return all(not items[at] < items[at - 1] for at in range(1, len(items)))


def _of_some(pick: Callable[[list[Any]], object], name: str) -> Callable[[list[Any]], object]:
    def run(items: list[Any]) -> object:
        if not items:
            raise ValueError(f"{name} called on empty list")
        return pick(items)

    return run


def _sum(value: Any, other: Any) -> object:
    return celvalues.new(celvalues.QUANTITY, celvalues.amount(value) + celvalues.amount(other))


def _difference(value: Any, other: Any) -> object:
    return celvalues.new(celvalues.QUANTITY, celvalues.amount(value) - celvalues.amount(other))


def functions() -> list[Overload]:
    tables = ((ALWAYS, _TEXTS), (ALWAYS, _LISTS), (_V28, _QUANTITIES), (_V30, _ADDRESSES), (_V33, _VERSIONS))
    return [_function(signature, since, run) for since, table in tables for signature, run in table.items()]


def _function(signature: str, since: tuple[int, int], run: Callable[..., Any]) -> Overload:
    """Read a signature such as `quantity.add(int) quantity`."""
    call, _, result = signature.rpartition(" ")
    head, _, inside = call.removesuffix(")").rpartition("(")
    receiver, dot, name = head.rpartition(".")
    parameters = [part for part in inside.split(",") if part]
    static = head in ("ip.isCanonical",)
    if dot and not static:
        parameters.insert(0, receiver)
    return Overload(head if static else name, tuple(parameters), result, bool(dot) and not static, since, run)


_V28, _V30, _V33 = (1, 28), (1, 30), (1, 33)
_TEXTS: dict[str, Callable[..., Any]] = {
    "string.find(string) string": find,
    "string.findAll(string) strings": find_all,
    "string.findAll(string,int) strings": find_all,
    "url(string) url": celvalues.url,
    "isURL(string) bool": accepts(celvalues.url),
    "url.getScheme() string": lambda url: celvalues.url_of(url).scheme,
    "url.getHost() string": lambda url: celvalues.url_of(url).host,
    "url.getHostname() string": lambda url: celvalues.url_of(url).hostname(),
    "url.getPort() string": celvalues.url_port,
    "url.getEscapedPath() string": lambda url: escape(celvalues.url_of(url).path, "path"),
    "url.getQuery() query": celvalues.url_query,
}
_LISTS: dict[str, Callable[..., Any]] = {
    **{f"list({kind}).isSorted() bool": is_sorted for kind in _ORDERED},
    **{f"list({kind}).min() {kind}": _of_some(min, "min") for kind in _ORDERED},
    **{f"list({kind}).max() {kind}": _of_some(max, "max") for kind in _ORDERED},
    **{f"list({kind}).sum() {kind}": sum for kind in _ADDED},
}
_QUANTITIES: dict[str, Callable[..., Any]] = {
    "quantity(string) quantity": celvalues.make_quantity,
    "isQuantity(string) bool": accepts(celvalues.make_quantity),
    "quantity.sign() int": lambda value: (celvalues.amount(value) > 0) - (celvalues.amount(value) < 0),
    "quantity.isInteger() bool": lambda value: celvalues.amount(value) % NANO == 0,
    "quantity.asInteger() int": celvalues.quantity_as_integer,
    "quantity.asApproximateFloat() double": lambda value: celvalues.amount(value) / NANO,
    "quantity.add(quantity) quantity": _sum,
    "quantity.add(int) quantity": _sum,
    "quantity.sub(quantity) quantity": _difference,
    "quantity.sub(int) quantity": _difference,
    "quantity.isGreaterThan(quantity) bool": lambda a, b: celvalues.compare(a, b) > 0,
    "quantity.isLessThan(quantity) bool": lambda a, b: celvalues.compare(a, b) < 0,
    "quantity.compareTo(quantity) int": celvalues.compare,
}
_ADDRESSES: dict[str, Callable[..., Any]] = {
    "ip(string) ip": celvalues.ip,
    "isIP(string) bool": accepts(celvalues.ip),
    "ip.isCanonical(string) bool": lambda text: str(celvalues.address(text)) == text,
    "ip.family() int": lambda ip: celvalues.address(ip["value"]).version,
    "ip.isUnspecified() bool": lambda ip: celvalues.address(ip["value"]).is_unspecified,
    "ip.isLoopback() bool": lambda ip: celvalues.address(ip["value"]).is_loopback,
    "ip.isLinkLocalMulticast() bool": celvalues.ip_is_link_local_multicast,
    "ip.isLinkLocalUnicast() bool": celvalues.ip_is_link_local_unicast,
    "ip.isGlobalUnicast() bool": celvalues.ip_is_global_unicast,
    "cidr(string) cidr": celvalues.cidr,
    "isCIDR(string) bool": accepts(celvalues.cidr),
    "cidr.containsIP(ip) bool": celvalues.cidr_contains_ip,
    "cidr.containsIP(string) bool": celvalues.cidr_contains_ip,
    "cidr.containsCIDR(cidr) bool": celvalues.cidr_contains_cidr,
    "cidr.containsCIDR(string) bool": celvalues.cidr_contains_cidr,
    "cidr.ip() ip": lambda cidr: celvalues.ip(cidr["value"].partition("/")[0]),
    "cidr.masked() cidr": lambda cidr: celvalues.new(celvalues.CIDR, celvalues.network_of(cidr)),
    "cidr.prefixLength() int": lambda cidr: celvalues.network_of(cidr).prefixlen,
}
_VERSIONS: dict[str, Callable[..., Any]] = {
    "semver(string) semver": celvalues.make_semver,
    "semver(string,bool) semver": celvalues.make_semver,
    "isSemver(string) bool": accepts(celvalues.make_semver),
    "isSemver(string,bool) bool": lambda text, normalize: accepts(
        lambda inner: celvalues.make_semver(inner, normalize)
    )(text),
    "semver.major() int": lambda version: celvalues.version_of(version).major,
    "semver.minor() int": lambda version: celvalues.version_of(version).minor,
    "semver.patch() int": lambda version: celvalues.version_of(version).patch,
    "semver.isGreaterThan(semver) bool": lambda a, b: celvalues.compare(a, b) > 0,
    "semver.isLessThan(semver) bool": lambda a, b: celvalues.compare(a, b) < 0,
    "semver.compareTo(semver) int": celvalues.compare,
}
