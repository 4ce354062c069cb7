"""Arithmetic with IP addresses and networks."""

from __future__ import annotations

import ipaddress

from krmkit.libraries.go.net.addresses import parse_ip as address
from krmkit.libraries.spiff.tree.errors import Failure, Info, fail_if

__all__ = ["Address", "Network", "address", "distance", "divided", "following", "moved", "network"]

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def network(text: str) -> Network | None:
    """Return the network of a CIDR such as 10.1.2.3/24, None for other texts."""
    try:
        return ipaddress.ip_network(text, strict=False) if text.partition("/")[2].isdigit() else None
    except ValueError:
        return None


def moved(text: str, offset: int, info: Info) -> str:
    """Return the address `offset` after `text`; a CIDR keeps its length and must contain the address."""
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
    """Return how many addresses lie between two addresses or CIDRs."""
    first, second = (ipaddress.ip_address(text.partition("/")[0]) for text in (left, right))
    return _wide(first) - _wide(second)


def _wide(one: Address) -> int:
    """Return an address in 128 bits, as Go stores it: IPv4 starts with ::ffff."""
    return int(one) | 0xFFFF << 32 if one.version == 4 else int(one)


def following(net: Network, count: int, info: Info) -> str:
    """Return the network of equal size `count` networks further."""
    start = int(net.network_address) + count * net.num_addresses
    fail_if(not 0 <= start < 1 << net.max_prefixlen, "network address out of range", info)
    return f"{type(net.network_address)(start)}/{net.prefixlen}"


def divided(net: Network, parts: int, info: Info) -> str:
    """Return the first part of a network divided into at least `parts` equal parts."""
    length = net.prefixlen + (parts - 1).bit_length()
    fail_if(length > net.max_prefixlen, "divisor too large for CIDR network size", info)
    return f"{net.network_address}/{length}"
