"""References `a.b.[0]`, `.a`, `tag::a`, and the fields, indexes, slices and projections of expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.spiff.expressions.literals import ListExpression, Range
from krmkit.libraries.spiff.tree.environment import DOCUMENT, Env
from krmkit.libraries.spiff.tree.errors import NOTHING, Failure, Info, Issue, Path, Result, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression, Node, step_into
from krmkit.libraries.spiff.tree.places import update
from krmkit.libraries.spiff.tree.resolved import is_locally_resolved, is_resolved, is_resolved_node


@dataclass(frozen=True, slots=True, eq=False)
class Reference(Expression):
    """`a.b` in enclosing scopes, `.a.b` (first step "") from the document's root, `t::a.b` below a tag."""

    path: Path
    tag: str = ""

    def evaluate(self, env: Env, locally: bool) -> Result:
        path = self.path
        if self.tag:
            steps = path[1:] if path[0] == "" else path
            tagged = env.run.tags.find(self.tag, steps, env.run.control)
            if not steps:
                return tagged.value, NOTHING
            return walk(self, tagged, steps, env, locally, False)
        first = path[0]
        if first == "":
            root = env.root_node()
            if path[1:2] == ("__map",) and type(root.value) is list:
                return walk(self, env.outermost_map(), path[2:], env, locally, True, 2)
            return walk(self, root, path[1:], env, locally, True, 1)
        node = _reached(env.find_first(first), env, path[:1])
        pending = _pending(self, node, env, path[:1])
        if pending is not None:
            return pending
        if len(path) > 1 and node.note.resolver is not None:
            return _inside(self, node.note.resolver.find_first, env, locally)
        if len(path) > 1 and first == DOCUMENT and node.source == "__ctx":
            return _inside(self, env.find_in_host, env, locally)
        return walk(self, node, path[1:], env, locally, True, 1)

    def __str__(self) -> str:
        return (self.tag + "::" if self.tag else "") + (".".join(self.path) if self.path != ("",) else ".")


def _inside(ref: Reference, find: Callable[[str], Node | None], env: Env, locally: bool) -> Result:
    """Return the value of `_.a.b` or `__.a.b`; `find` returns the node of the second step."""
    path = ref.path
    node = find(path[1])
    if node is None:
        raise Failure(f"'{path[0]}.{path[1]}' not found")
    node = update(node, env)
    pending = _pending(ref, node, env, path[:2])
    if pending is not None:
        return pending
    return walk(ref, node, path[2:], env, locally, True, 2)


def _reached(found: Node | None, env: Env, path: Path) -> Node:
    node = None if found is None else update(found, env)
    if node is None or node.note.undefined:
        raise Failure(f"'{'.'.join(path)}' not found")
    return node


def walk(
    ref: Expression, node: Node, steps: Path, env: Env, locally: bool, raw: bool, done: int = 0
) -> Result:
    """Return the value at `steps` below a node; `done` steps of the reference led to the node."""
    path = ref.path if isinstance(ref, Reference) else steps
    for index, step in enumerate(steps):
        here = path[: done + index + 1]
        node = _reached(step_into(node, step, raw, env.run.control), env, here)
        pending = _pending(ref, node, env, here)
        if pending is not None:
            return pending
    note = node.note
    if not locally and not is_resolved_node(node, env.run):
        return ref, Info(Issue(f"'{'.'.join(path)}' unresolved"), note.failed or note.error)
    return node.value, Info(None, False, note.key_name) if note.key_name else NOTHING


def _pending(ref: Expression, node: Node, env: Env, path: Path) -> Result | None:
    """Return a reference's value while a node on its path is pending; None if all are ready."""
    value = node.value
    if is_locally_resolved(value, env.run):
        return None
    word = "unresolved" if isinstance(value, Expression) else "not complete"
    note = node.note
    return ref, Info(Issue(f"'{'.'.join(path)}' {word}"), note.failed or note.error)


def _ready(value: Any, env: Env, locally: bool) -> bool:
    return is_locally_resolved(value, env.run) and (locally or is_resolved(value, env.run))


def _below(ref: Reference, root: Any, info: Info, env: Env, locally: bool) -> Result:
    node = Node(root, "dynaml")
    if info.key_name:
        node = node.noted(key_name=info.key_name)
    return walk(ref, node, ref.path, env, locally, False)


class Qualified(Expression):
    """`(expr).a.b`."""

    def __init__(self, base: Expression, path: Path) -> None:
        self.base = base
        self.reference = Reference(path)

    def evaluate(self, env: Env, locally: bool) -> Result:
        root, info = self.base.evaluate(env, locally)
        locally = locally or info.raw
        if not _ready(root, env, locally):
            return self, info
        value, found = _below(self.reference, root, info, env, locally)
        if value is self.reference:
            return self, found
        if info.raw:
            found = Info(found.issue, found.failed, found.key_name, raw=True)
        return value, found

    def __str__(self) -> str:
        return f"({self.base}).{self.reference}"


@dataclass(frozen=True, slots=True, eq=False)
class Dynamic(Expression):
    """`a.[expr]`: the index is an int, a name, or a list of both."""

    base: Expression
    index: ListExpression

    def evaluate(self, env: Env, locally: bool) -> Result:
        root, info = self.base.evaluate(env, True)
        if not is_locally_resolved(root, env.run):
            return self, info
        parts = self.index.parts
        if len(parts) == 1:
            index, found = parts[0].evaluate(env, locally)
        else:
            index, found = self.index.evaluate(env, locally)
        if not is_resolved(index, env.run):
            return self, info
        reference = Reference(_steps(root, index))
        value, found = _below(reference, root, info, env, locally or info.raw)
        return (self if value is reference else value), found

    def __str__(self) -> str:
        return f"{self.base}.[{', '.join(map(str, self.index.parts))}]"


def _steps(root: Any, index: Any) -> Path:
    if type(index) is int:
        fail_if(type(root) is not list, "index requires array expression")
        return (f"[{index}]",)
    if type(index) is str:
        return (index,)
    if type(index) is list:
        steps = []
        for entry in index:
            if type(entry.value) is int:
                steps.append(f"[{entry.value}]")
            elif type(entry.value) is str:
                steps.append(entry.value)
            else:
                break
        else:
            return tuple(steps)
    raise Failure("index or field name required for reference qualifier")


@dataclass(frozen=True, slots=True, eq=False)
class Slice(Expression):
    """`list.[1..3]`; negative numbers count from the end."""

    base: Expression
    range: Range

    def evaluate(self, env: Env, locally: bool) -> Result:
        value, info = self.base.evaluate(env, False)
        if isinstance(value, Expression):
            return self, info
        fail_if(type(value) is not list, "slice requires array expression", info)
        size = len(value)
        found = self.range.bounds(env, size)
        if isinstance(found, Info):
            return self, found
        start, end, _ = found
        if start > end:
            return [], info
        if start >= 0:
            if end >= size:
                raise Failure(f"slice out of range ({end} >= length {size})", info)
            return value[start : end + 1], info
        fail_if(end >= 0, "mixed negative and non-negative range not possible for slice", info)
        if start < -size:
            raise Failure(f"slice out of range ({start} < -length {size})", info)
        return value[start + size : end + size + 1], info

    def __str__(self) -> str:
        return f"{self.base}.[{self.range}]"


@dataclass(slots=True, eq=False)
class Projected(Expression):
    """The current entry of a projection, at which the chain after `[*]` starts."""

    value: Any = field(init=False, default=None)

    def evaluate(self, env: Env, locally: bool) -> Result:
        return self.value, NOTHING

    def __str__(self) -> str:
        return ""


@dataclass(frozen=True, slots=True, eq=False)
class Projection(Expression):
    """`list.[*].a`: the rest of the chain for every list entry or map value."""

    base: Expression
    entry: Projected
    rest: Expression

    def evaluate(self, env: Env, locally: bool) -> Result:
        value, info = self.base.evaluate(env, False)
        if isinstance(value, Expression):
            raise Failure(info.issue or Issue(""), info)
        if type(value) is dict:
            entries = [value[key] for key in sorted(value)]
        elif type(value) is list:
            entries = value
        else:
            raise Failure("only map or list allowed for projection", info)
        if self.rest is self.entry:
            return list(entries), info
        made = []
        for entry in entries:
            self.entry.value = entry.value
            try:
                projected, found = self.rest.evaluate(env, locally)
            except Failure:
                # spiff's message names neither the entry that fails nor the reason.
                raise Failure("", info) from None
            if isinstance(projected, Expression):
                return self, found
            made.append(env.node(projected))
        env.run.count(len(made))
        return made, info

    def __str__(self) -> str:
        return f"{self.base}.[*] {self.rest}"
