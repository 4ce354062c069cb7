"""Records of the spiff language: templates merged, expressions parsed and evaluated.

A failing merge passes when it fails with the same lines, in any order: the reference lists unresolved nodes at random.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from krmkit.libraries.spiff import Options, SpiffError, merge
from krmkit.libraries.spiff.engine import new_run, outer_bindings
from krmkit.libraries.spiff.expressions.output import HIDDEN, data, without
from krmkit.libraries.spiff.flow.cascade import flow_document, prepare_stubs
from krmkit.libraries.spiff.flow.unresolved import unresolved_error
from krmkit.libraries.spiff.parsing.grammar import Parser
from krmkit.libraries.spiff.tree.environment import Env, Scope
from krmkit.libraries.spiff.tree.errors import Failure
from krmkit.libraries.spiff.tree.nodes import Expression, Node
from krmkit.libraries.spiff.tree.reading import read_all

Judged = tuple[bool, str]
Record = dict[str, Any]


def options_of(record: Record) -> Options:
    """The options of a record, as the engine takes them."""
    given = record.get("options") or {}
    access = given.get("access", "full")
    return Options(
        bindings=given.get("bindings"),
        files=given.get("files"),
        access="none" if access == "none" else "files",
        features=given.get("features", ()),
        partial=given.get("partial", False),
        preserve_escapes=given.get("preserve_escapes", False),
        preserve_temporary=given.get("preserve_temporary", False),
        source_name=given.get("source_name", "test"),
        stub_names=given.get("stub_names", ()),
        environment=environment_of(record),
        chance=b"records",
    )


def environment_of(record: Record) -> dict[str, str]:
    """The environment in which a record was made, as far as its tags tell: `access:env NAME=value`, or that of the tests."""
    for tag in record.get("tags") or ():
        if tag.startswith("access:env"):
            words = tag.split()[1:] or ["TEST1=alice", "TEST2=bob"]
            return dict(word.split("=", 1) for word in words)
    return {}


def plain(text: str) -> list[Any]:
    """The documents of a YAML text as data."""
    run = new_run(Options())
    return [data(node, run) for node in read_all(text, "expected")]


def flowed(record: Record, options: Options) -> Any:
    """The result of a record that flows one document only: stubs as they are, without unescaping."""
    run = new_run(options)
    outer = outer_bindings(run, options)
    names = options.stub_names
    stubs = [
        read_all(text, names[index] if index < len(names) else f"stub{index + 1}", run.interpolation)[0]
        for index, text in enumerate(record["stubs"])
    ]
    if record["options"].get("stubs_preflowed"):
        stubs = prepare_stubs(run, outer, stubs, True)
    result, left = flow_document(
        run, outer, read_all(record["template"], options.source_name, run.interpolation)[0], stubs
    )
    if left:
        raise unresolved_error(left)
    return data(without(result, HIDDEN), run)


def judge_merge(record: Record, folder: Path) -> Judged:
    """One template with its stubs."""
    options = options_of(record)
    try:
        if record["options"].get("mode") == "flow":
            documents = [flowed(record, options)]
            state = None
        else:
            merged = merge(record["template"], record["stubs"], options)
            if merged.error is not None:
                raise merged.error
            documents, state = merged.documents, merged.state
    except SpiffError as error:
        wanted = record.get("expect_error")
        if wanted is None:
            return False, f"fails: {error.message}"
        return same_error(error, wanted), f"says {error.message!r}, wanted {wanted!r}"
    if record.get("expect_error") is not None:
        return False, f"gives {documents!r}, wanted the error {record['expect_error']!r}"
    if "expect_docs" in record:
        texts = record["expect_docs"]
        expected = [document for text in texts for document in plain(text)]
    else:
        expected = plain(record["expect"])
    if documents != expected:
        return False, f"gives {documents!r}, wanted {expected!r}"
    if "expect_state" in record:
        wanted_state = plain(record["expect_state"])[0]
        return state == wanted_state, f"keeps the state {state!r}, wanted {wanted_state!r}"
    return True, ""


def same_error(error: SpiffError, wanted: str) -> bool:
    """Whether an error is the recorded one: the same lines in any order.

    A text that is not YAML (`PARSE: ...`) fails at the same place, with the YAML reader's message.
    """
    if wanted.startswith("PARSE: "):
        places = [re.findall(r"line (\d+), column (\d+)", text)[:1] for text in (error.message, wanted)]
        return error.kind == "syntax" and places[0] == places[1]
    return sorted(error.message.split("\n")) == sorted(SpiffError(wanted).message.split("\n"))


def judge_parse(record: Record, folder: Path) -> Judged:
    """The canonical text of one expression."""
    path = tuple(record["path"])
    text = str(Parser().parse(record["expr"], path, path))
    return text == record["canonical"], f"reads {text!r}, wanted {record['canonical']!r}"


def judge_eval(record: Record, folder: Path) -> Judged:
    """The value of one expression among the references and stubs of a made-up place.

    `{}` is an expression that fails, and the index of a dynamic reference without brackets: both are not dynaml, but
    the form in which the reference's tests print their trees. References to the printed form of a merge are to an open
    expression.
    """
    run = new_run(Options())
    env = Env(run, _tree(record.get("stubs")), "test")
    roots, names = _tree(record.get("root")), _tree(record.get("refs"))
    root = Scope(None, (), roots[0].value if roots else {})
    env = env.with_scope(Scope(root, (), names[0].value if names else {}))
    path = tuple(record.get("path", _PATHS.get(record["node_type"], ())))
    env.path = env.stub_path = path
    text = record["expr"].replace("{}", 'error("fails")')
    if record["node_type"] == "dynaml.DynamicExpr":
        base, _, index = text.partition(".")
        text = f"{base}.[{index.strip('[]')}]"
    try:
        value, _ = Parser().parse(text, path, path).evaluate(env, False)
    except Failure as failure:
        return bool(record.get("expect_fail")), f"fails: {failure.issue.text}"
    if isinstance(value, Expression):
        return bool(record.get("expect_unresolved") or record.get("expect_fail")), f"waits: {value}"
    if "expect" not in record:
        return False, f"gives {value!r}"
    made = data(Node(value, "test"), run)
    expected = plain(record["expect"])[0]
    if record.get("expect_unresolved"):
        expected = expected["Value"]
    return made == expected, f"gives {made!r}, wanted {expected!r}"


_PATHS = {"dynaml.MergeExpr": ("foo", "bar"), "dynaml.AutoExpr": ("resource_pools", "some_pool", "size")}
"""Where the tests have put expressions that depend on their place."""


def _tree(texts: Any) -> list[Node]:
    """One document in which each dotted path has its value, if there is any."""
    root: dict[str, Node] = {}
    for path, text in (texts or {}).items():
        here = root
        *steps, last = path.split(".")
        for step in steps:
            if not isinstance(here.setdefault(step, Node({}, "test")).value, dict):
                here[step] = Node({}, "test")
            here = here[step].value
        here[last] = _value(text)
    return [Node(root, "test")] if root else []


def _value(text: str) -> Node:
    node = read_all(text, "test")[0]
    if isinstance(node.value, dict) and "Redirect" in node.value:
        return Node(Parser().parse("merge"), "test")
    if isinstance(node.value, dict) and set(node.value) == {"Value"}:
        value: Node = node.value["Value"]
        return value
    return node


FILES: dict[str, Callable[[Record, Path], Judged]] = {
    "spiff_flow.jsonl": judge_merge,
    "spiff_readme.jsonl": judge_merge,
    "spiff_real.jsonl": judge_merge,
    "spiff_random.jsonl": judge_merge,
    "spiff_dynaml_parse.jsonl": judge_parse,
    "spiff_dynaml_eval.jsonl": judge_eval,
}
