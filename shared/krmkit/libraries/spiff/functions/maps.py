"""Functions on maps."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.spiff.expressions.literals import simple_text
from krmkit.libraries.spiff.expressions.marking import TemplateValue
from krmkit.libraries.spiff.functions.registry import FUNCTIONS, function
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, SpiffError, fail_if
from krmkit.libraries.spiff.tree.nodes import Node, copy_tree, type_name


@function("keys", "keys takes exactly 1 argument", fields="map argument required for keys")
def keys(env: Env, fields: dict[str, Node]) -> list[Node]:
    return [env.node(key) for key in sorted(fields)]


def makemap(args: list[Any], env: Env, info: Info) -> Any:
    made: dict[str, Node] = {}
    if len(args) == 1:
        fail_if(type(args[0]) is not list, "single argument flavor of mapentry requires a list")
        for number, node in enumerate(args[0]):
            entry = node.value
            if type(entry) is not dict:
                raise Failure(f"entry {number} is no map entry")
            if "key" not in entry:
                raise Failure(f"entry {number} has no entry 'key'")
            key = simple_text(entry["key"].value)
            if key is None:
                raise Failure(f"invalid type for 'key' value of entry {number}")
            if "value" not in entry:
                raise Failure(f"entry {number} has no entry 'value'")
            made[key] = entry["value"]
        return made
    fail_if(len(args) % 2, "mapentry takes one or two arguments")
    for at in range(0, len(args), 2):
        key = simple_text(args[at])
        if key is None:
            raise Failure(f"invalid type for key value of arument pair {at // 2}")
        made[key] = env.node(args[at + 1])
    return made


def list_to_map(args: list[Any], env: Env, info: Info) -> Any:
    key = info.key_name or "name"
    fail_if(not 1 <= len(args) <= 2, "list_to_map takes 1 or 2 arguments")
    fail_if(type(args[0]) is not list, "list_to_map requires a list as first argument")
    if len(args) == 2:
        fail_if(type(args[1]) is not str, "second argument of list_to_map must be a key name")
        key = args[1]
    made: dict[str, Node] = {}
    for node in args[0]:
        if type(node.value) is not dict:
            # spiff's format has no place for the key, which Go adds as EXTRA.
            raise Failure(f"list entries must by maps%!(EXTRA string={key})")
        if key not in node.value:
            raise Failure(f"key field '{key}' not found")
        name = node.value[key].value
        if type(name) is not str:
            raise Failure(f"key field '{key}' contains no string value")
        made[name] = Node({field: entry for field, entry in node.value.items() if field != key}, node.source)
    return made


def _maps(args: list[Any], name: str) -> list[Any]:
    """Return the maps among the arguments, or in the only argument, a list."""
    fail_if(not args, "at least one argument required for merge function")
    word = "argument "
    if len(args) == 1 and type(args[0]) is list:
        args = [node.value for node in args[0]]
        word = "entry of list argument: "
        fail_if(not args, f"{name}: no map found for merge")
    for number, arg in enumerate(args, 1):
        if type(arg) is not dict and not (name == "merge" and isinstance(arg, TemplateValue)):
            raise Failure(f"{name}: {word}{number}: no map or map template, but {type_name(arg)}")
    return args


def merge(args: list[Any], env: Env, info: Info) -> Any:
    nodes = [
        copy_tree(arg.prepared if isinstance(arg, TemplateValue) else Node(arg, "dynaml"))
        for arg in _maps(args, "merge")
    ]
    try:
        with env.run:
            return env.run.parts.cascade(env.run, env, nodes[0], nodes[1:]).value
    except SpiffError as error:
        raise Failure(f"merging failed: {error.message}") from None


def deepmerge(args: list[Any], env: Env, info: Info) -> Any:
    made: dict[str, Node] = {}
    for arg in _maps(args, "deepmerge"):
        _merge_into(made, arg)
    return made


def _merge_into(made: dict[str, Node], other: dict[str, Node]) -> None:
    for key, node in other.items():
        old = made.get(key)
        if old is not None and type(old.value) is dict and type(node.value) is dict:
            inner = dict(old.value)
            _merge_into(inner, node.value)
            node = Node(inner, "<deepmerge>")
        made[key] = node


FUNCTIONS.update(makemap=makemap, list_to_map=list_to_map, merge=merge, deepmerge=deepmerge)
