"""Functions on IP addresses and networks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from krmkit.libraries.spiff.expressions.references import Reference
from krmkit.libraries.spiff.functions.registry import FUNCTIONS, PENDING, With, function
from krmkit.libraries.spiff.tree.addresses import Address, Network, address, network
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression, Node


def _on_cidr(name: str, work: Callable[[Network], Any]) -> None:
    @function(name, "only one argument expected for CIDR function")
    def found(env: Env, text: Any) -> Any:
        net = network(text) if type(text) is str else None
        if net is None:
            raise Failure("CIDR argument required")
        return work(net)


_on_cidr("min_ip", lambda net: str(net.network_address))
_on_cidr("max_ip", lambda net: str(net.broadcast_address))
_on_cidr("num_ip", lambda net: min(net.num_addresses, (1 << 63) - 1))


@function("contains_ip", "function contains_ip takes exactly two arguments")
def contains_ip(env: Env, cidr: Any, ip: Any) -> bool:
    net = network(cidr) if type(cidr) is str else None
    if net is None:
        raise Failure("CIDR argument required as first argument")
    found = address(ip) if type(ip) is str else None
    if found is None:
        shown = f": {ip}" if type(ip) is str else " as second argument"
        raise Failure(f"IP argument required{shown}")
    return found.version == net.version and found in net


Span = tuple[Address, int]
"""The first address of a range, and its size."""


def _span(text: str) -> Span:
    first, dash, last = text.partition("-")
    if not dash:
        net = network(text)
        if net is not None:
            return net.network_address, net.num_addresses
    start = address(first.strip(" "))
    if start is None:
        raise Failure(f"invalid IP '{first}'")
    if not dash:
        return start, 1
    end = address(last.strip(" "))
    if end is None:
        raise Failure(f"invalid IP '{last}'")
    if start.version != end.version or int(start) > int(end):
        raise Failure(f"invalid IP range: start ({first}) larger than end ({last})")
    return start, int(end) - int(start) + 1


def _at(spans: list[Span], index: int, shown: str, where: str = "") -> str:
    fail_if(index < 0, f"negative ip indices are not allowed: {index}")
    for start, size in spans:
        if index < size:
            return str(type(start)(int(start) + index))
        index -= size
    total = sum(size for _, size in spans)
    raise Failure(f"ip index {shown} out of range ({total} IP(s) available{where})")


def _numbers(args: list[Any]) -> list[int]:
    found: list[int] = []
    for arg in args:
        if type(arg) is int:
            found.append(arg)
        elif type(arg) is list:
            found += _numbers([node.value for node in arg if node.value is not None])
        else:
            raise Failure("arguments to static_ips must be integer or list of integers")
    return found


def ipset(args: list[Any], env: Env, info: Info) -> Any:
    fail_if(len(args) < 2, "at least 2 argument expected (ipranges, size, optional: ip indices")
    if type(args[0]) is str:
        spans = [_span(args[0])]
    elif type(args[0]) is list:
        for number, node in enumerate(args[0]):
            if type(node.value) is not str:
                raise Failure(f"string entry at ip range list index {number}")
        spans = [_span(node.value) for node in args[0]]
    else:
        raise Failure("ip range or range list expected as first argument")
    numbers = _numbers(args[2:])
    count = args[1]
    fail_if(type(count) is not int, "number of IPs in set expected as second argument")
    if len(args) > 2 and len(numbers) < count:
        raise Failure(f"too many required entries ({count} > {len(numbers)} available indices)")
    env.run.count(max(count, 0))
    made: list[Node] = []
    for position in range(count):
        index = numbers[position] if len(args) > 2 else position
        made.append(env.node(_at(spans, index, f"{position} ({index})", " in ranges")))
    return made


def static_ips(args: list[Any], env: Env, info: Info) -> Any:
    """Return addresses for the instances of a BOSH job, from the static ranges of its network."""
    numbers = _numbers(args)
    fail_if(not numbers, "static_ips requires at least one index")
    name, found = Reference(("name",)).evaluate(env, False)
    if isinstance(name, Expression):
        return With(PENDING, found)
    fail_if(type(name) is not str, "name field must be string")
    subnets, found = Reference(("", "networks", name, "subnets")).evaluate(env, False)
    if isinstance(subnets, Expression):
        return With(PENDING, found)
    fail_if(type(subnets) is not list, "subnets field must be a list")
    spans = [span for subnet in subnets for span in _static(subnet, name)]
    instances, found = Reference(("instances",)).evaluate(env, False)
    if isinstance(instances, Expression):
        return With(PENDING, found)
    fail_if(type(instances) is not int, "instances field must be an integer")
    made = [env.node(_at(spans, index, str(index))) for index in numbers]
    fail_if(len(made) < instances, f"too less static IPs for {instances} instances")
    return made[: max(instances, 0)]


def _static(subnet: Node, name: str) -> list[Span]:
    fail_if(type(subnet.value) is not dict, "subnet must be a map")
    static = subnet.value.get("static")
    if static is None:
        raise Failure(f"no static ips for network {name}")
    fail_if(type(static.value) is not list, f"static ips for network {name} must be a list")
    for node in static.value:
        if type(node.value) is not str:
            raise Failure(f"invalid entry for static ips for network {name}")
    return [_span(node.value) for node in static.value]


FUNCTIONS.update(ipset=ipset, static_ips=static_ips)
