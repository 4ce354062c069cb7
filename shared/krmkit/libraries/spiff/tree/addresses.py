"""Arithmetic with IP addresses and networks, as the operators and the functions on addresses need it."""

from __future__ import annotations

import ipaddress

from krmkit.libraries.go.net import parse_ip as address
from krmkit.libraries.spiff.tree.errors import Failure, Info

__all__ = ["Address", "Network", "address", "distance", "divided", "following", "moved", "network"]

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def network(text: str) -> Network | None:
    """The network of a CIDR such as 10.1.2.3/24, None for other texts."""
    if "/" not in text:
        return None
    base, _, length = text.partition("/")
    if not length.isdigit():
        return None
    try:
        return ipaddress.ip_network(f"{base}/{length}", strict=False)
    except ValueError:
        return None


def moved(text: str, offset: int, info: Info) -> str:
    """The address (or the CIDR, inside its net) that lies `offset` further; `text` is one of both."""
    found = address(text)
    if found is not None:
        total = (_wide(found) + offset) % (1 << 128)
        short = ipaddress.IPv6Address(total).ipv4_mapped
        return str(short or ipaddress.IPv6Address(total))
    net = ipaddress.ip_network(text, strict=False)
    base = ipaddress.ip_address(text.partition("/")[0])
    target = int(base) + offset
    if not int(net.network_address) <= target <= int(net.broadcast_address):
        raise Failure("resulting ip address not in CIDR range", info)
    return f"{type(base)(target)}/{net.prefixlen}"


def distance(left: str, right: str) -> int:
    """How many addresses lie between two addresses or CIDRs, of either kind."""
    first, second = (ipaddress.ip_address(text.partition("/")[0]) for text in (left, right))
    return _wide(first) - _wide(second)


def _wide(one: Address) -> int:
    """An address as Go holds it, in 128 bits: one of version 4 begins with ::ffff."""
    return int(one) | 0xFFFF << 32 if one.version == 4 else int(one)


def following(net: Network, count: int, info: Info) -> str:
    """The network of the same size that is `count` networks further."""
    start = int(net.network_address) + count * net.num_addresses
    if not 0 <= start < 1 << net.max_prefixlen:
        raise Failure("network address out of range", info)
    return f"{type(net.network_address)(start)}/{net.prefixlen}"


def divided(net: Network, parts: int, info: Info) -> str:
    """The first of `parts` equal parts of a network."""
    length = net.prefixlen
    rest = False
    while parts > 1:
        rest = rest or parts % 2 == 1
        parts //= 2
        length += 1
    length += rest
    if length > net.max_prefixlen:
        raise Failure("divisor too large for CIDR network size", info)
    return f"{net.network_address}/{length}"
