"""Markers `&temporary ( expr )`, template values, and `*template`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from krmkit.libraries.spiff.tree import nodes
from krmkit.libraries.spiff.tree.environment import SELF, Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, Path, Result, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression, Node

FLAGS = {
    "&temporary": nodes.TEMPORARY,
    "&local": nodes.LOCAL,
    "&inject": nodes.INJECT,
    "&default": nodes.DEFAULT | nodes.INJECT,
    "&state": nodes.STATE,
    "&dynamic": nodes.DYNAMIC,
}


@dataclass(frozen=True, slots=True, eq=False)
class Marker(Expression):
    """`&m1 &m2 ( expr )`; `contents` is the text of the expression with its parentheses."""

    names: list[str]
    inner: Expression | None
    contents: str

    @property
    def is_template(self) -> bool:
        """True for `&template`."""
        return "&template" in self.names

    @property
    def flags(self) -> int:
        flags = 0
        for name in self.names:
            flags |= FLAGS.get(name, 0)
        return flags

    @property
    def tag(self) -> str:
        """The name after `&tag:`, "" for none."""
        return next((name[5:] for name in self.names if name.startswith("&tag:")), "")

    def evaluate(self, env: Env, locally: bool) -> Result:
        fail_if(self.is_template, "&template only usable as marker for templates")
        marked = Info(flags=self.flags)
        if self.inner is None:
            return None, marked
        try:
            value, info = nodes.evaluate_last(self.inner, env)
        except Failure as failure:
            raise Failure(failure.issue, marked.join(failure.info)) from None
        return value, marked.join(info)

    def template(self, origin: Node) -> Node | None:
        """Return the marked node of a template: its expression as a string."""
        if self.inner is None:
            return None
        return Node(f"(( {self.contents} ))", origin.source).with_flags(self.flags)

    def __str__(self) -> str:
        text = " ".join(self.names)
        return text if self.inner is None else f"{text} ({self.contents})"


@dataclass(frozen=True, slots=True, eq=False)
class TemplateValue:
    """A template: instances copy `prepared`; `origin` is the source node, `resolver` its environment."""

    path: Path
    prepared: Node
    origin: Node
    resolver: Env
    type_name = "template"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TemplateValue) and self.path == other.path

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        return f"{{template {'.'.join(self.path)}}}"  # in braces, as Go prints a struct


@dataclass(frozen=True, slots=True, eq=False)
class Substitution(Expression):
    """`*template`: a copy of a template, whose names are resolved here."""

    inner: Expression

    def evaluate(self, env: Env, locally: bool) -> Result:
        value, info = self.inner.evaluate(env, False)
        if isinstance(value, Expression):
            return self, info
        if not isinstance(value, TemplateValue):
            raise Failure("template value required", info)
        return instantiate(value, env)

    def __str__(self) -> str:
        return f"*({self.inner})"


def instantiate(template: TemplateValue, env: Env) -> tuple[Any, Info]:
    """Return the value of a template in an environment."""
    run = env.run
    with run:
        self_node = Node(template, env.source).noted(resolver=template.resolver)
        here = env.with_names({SELF: self_node})
        name = ".".join(template.path)
        copy = nodes.copy_tree(template.prepared)
        result: Node = run.parts.flow(copy, here, f"resolution of template '{name}' failed")
    return result.value, Info(source=result.source, undefined=result.note.undefined)
