"""The functions between data and texts: asjson, asyaml, asjcs, parse."""

from __future__ import annotations

import posixpath
from typing import Any

from krmkit.libraries.spiff.expressions.literals import truth
from krmkit.libraries.spiff.expressions.marking import TemplateValue
from krmkit.libraries.spiff.expressions.output import to_json, to_yaml
from krmkit.libraries.spiff.functions.registry import With, function
from krmkit.libraries.spiff.tree.embedded import embedded
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, Issue, SpiffError, fail_if
from krmkit.libraries.spiff.tree.nodes import Node, copy_tree, list_merge
from krmkit.libraries.spiff.tree.reading import read_stream


@function("asjson", "asjson takes at least one argument, and optionally a second one")
def asjson(env: Env, value: Any, canonically: Any = False) -> str:
    text = to_json(Node(value, ""), env)
    return canonical(text) if truth(canonically) else text


@function("asjcs", "asjson takes exactly one argument")
def asjcs(env: Env, value: Any) -> str:
    return canonical(to_json(Node(value, ""), env))


def canonical(text: str) -> str:
    """Write JSON as RFC 8785 does: without Go's escapes for HTML."""
    for escaped, plain in (("\\u003c", "<"), ("\\u003e", ">"), ("\\u0026", "&")):
        text = text.replace(escaped, plain)
    return text


@function("asyaml", "asyaml takes exactly one argument")
def asyaml(env: Env, value: Any) -> str:
    return to_yaml(Node(value, ""), env)


@function(
    "parse",
    "parse takes one or two arguments",
    text="first argument for parse must be a string",
    mode="second argument for parse must be a string",
)
def parse(env: Env, text: str, mode: str = "import") -> Any:
    return parsed(".".join(env.path), text, mode, env)


def _documents(name: str, text: str, env: Env) -> list[Node]:
    try:
        return read_stream(text, name, env.run.interpolation)
    except SpiffError as error:
        reason = error.message.partition("]: ")[2] or error.message
        raise Failure(f"error parsing file [{posixpath.normpath(name)}]: {reason}") from None


def _document(name: str, text: str, env: Env) -> Node:
    nodes = _documents(name, text, env)
    fail_if(len(nodes) > 1, f"error parsing file [{posixpath.normpath(name)}]: multi document not possible")
    return nodes[0]


def parsed(name: str, text: str, mode: str, env: Env) -> Any:
    """Read a text in a mode: text, yaml, multiyaml, template, templates, import, importmulti.

    The document of a mode with a dot in front, such as `.yaml`, has its own root.
    """
    rooted = env
    if mode.startswith("."):
        rooted = env.with_new_root()
        mode = mode[1:]
    info = Info(source=name, raw=mode in ("import", "importmulti"))
    if mode == "text":
        return With(text, info)
    if mode == "template":
        return With(as_template(_document(name, text, env), env), info)
    if mode == "templates":
        nodes = _documents(name, text, env)
        return With([Node(as_template(node, env), name) for node in nodes], info)
    if mode == "import":
        return With(_document(name, text, env).value, info)
    if mode == "importmulti":
        return With(_documents(name, text, env), info)
    fail_if(mode not in ("yaml", "multiyaml"), f"invalid file type [{posixpath.normpath(name)}] {mode}")
    node = _document(name, text, env) if mode == "yaml" else Node(_documents(name, text, env), name)
    try:
        with env.run:
            result: Node = env.run.parts.flow(node, rooted, f"resolution of yaml file '{name}' failed")
    except Failure as failure:
        raise Failure(Issue(failure.issue.text, failure.issue.nested), failure.info) from None
    return With(result.value, info)


def as_template(node: Node, env: Env) -> TemplateValue:
    """Make a template of a document."""
    origin = copy_tree(node)
    marker = Node("(( &template ))", node.source)
    if type(origin.value) is dict:
        origin.value.setdefault("<<<", marker)
    elif type(origin.value) is list and not any(_is_template_entry(entry) for entry in origin.value):
        origin = Node([Node({"<<<": marker}, node.source), *origin.value], node.source)
    return TemplateValue(env.path, node, origin, env)


def _is_template_entry(entry: Node) -> bool:
    key = list_merge(entry)
    if not key:
        return False
    text = embedded(entry.value[key].value, False)
    return text is not None and "&template" in text
