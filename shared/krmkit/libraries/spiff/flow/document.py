"""The flow of one document: passes over its tree until none changes it.

A pass walks the tree and replaces nodes: a string by an expression, an expression by its value, a value by a
stub's. An expression that another one needs is evaluated at once, out of turn, so that a chain of references
takes two passes and not one for each link.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.libraries.spiff.expressions.lambdas import Constant
from krmkit.libraries.spiff.expressions.marking import Marker, Substitution, TemplateValue
from krmkit.libraries.spiff.flow.lists import flow_list
from krmkit.libraries.spiff.flow.maps import flow_map
from krmkit.libraries.spiff.tree import nodes
from krmkit.libraries.spiff.tree.embedded import embedded
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import NOTHING, Failure, Info, Issue
from krmkit.libraries.spiff.tree.limits import exceeded
from krmkit.libraries.spiff.tree.nodes import EMPTY, STATIC, Expression, Node, Note
from krmkit.libraries.spiff.tree.places import Cell, FlowPlace
from krmkit.libraries.spiff.tree.resolved import is_locally_resolved, is_resolved

DEMANDS = 40
"""The depth of evaluations on demand; deeper ones wait for the next pass."""


@dataclass(slots=True)
class Flow:
    """The work on one document."""

    tick: int = field(init=False, default=0)
    changes: int = field(init=False, default=0)
    demands: int = field(init=False, default=0)

    def run(self, node: Node, env: Env, override: bool) -> Node:
        """Return the node after all passes."""
        interpolation = env.run.interpolation
        for _ in range(env.run.limits.passes):
            self.tick += 1
            before = self.changes
            node = self.node(node, env, override)
            if node.note.undefined:
                self.tick += 1
                return Node(None, "__ctx").noted(undefined=True)
            if self.changes == before or self.is_settled(node, interpolation):
                self.tick += 1
                return node
        raise exceeded("passes", env.run.limits.passes)

    def node(self, root: Node, env: Env, override: bool) -> Node:
        value = root.value
        kind = type(value)
        note = root.note
        if (kind is dict or kind is list) and not note.replace:
            return self._container(root, env, kind is dict)
        if note.redirect is not None:
            env = env.redirected(note.redirect)
        if not note.replace:
            if isinstance(value, Expression):
                before = self.changes
                return self._tagged(self._expression(root, env, override), root, env, before)
            # A dynamic template of a stub gets its value here; one of this document's maps stays a template.
            if (
                isinstance(value, TemplateValue)
                and note.flags & nodes.DYNAMIC
                and env.final
                and value.resolver.stubs is not env.stubs
            ):
                self.changes += 1
                substituted = Substitution(Constant(value))
                root = Node(substituted, root.source, note._replace(flags=note.flags & ~nodes.DYNAMIC))
                return self._expression(root, env, False)
            if note.merged:
                return root
            if kind is str:
                parsed = self._parsed(root, env, override)
                if parsed is not root:
                    self.changes += 1
                    return parsed
        if env.stubs:
            root = self.overridden(root, env, override)
        return self._tagged(root, root, env) if note.tag else root

    def _container(self, root: Node, env: Env, is_map: bool) -> Node:
        state = root.state
        if state is not None and state.settled:
            if type(state) is FlowPlace:
                if state.flow is self and state.path == env.path:
                    return root
            elif not env.is_in_stubs(env.stub_path):
                return root
        note = root.note
        if note.redirect is not None:
            env = env.redirected(note.redirect)
        if note.merged:
            return root
        env.run.step()
        result = flow_map(self, root, env) if is_map else flow_list(self, root, env)
        return self._tagged(result, root, env) if result.note.tag else result

    def _parsed(self, root: Node, env: Env, override: bool) -> Node:
        """Return the expression that a string contains, or the string if it has no valid one."""
        text = embedded(root.value, env.run.interpolation)
        if text is None:
            return root
        try:
            expression = env.run.parts.parse(text, env.path, env.stub_path)
        except Failure:
            return root
        return Node(expression, root.source, root.note, Cell(self, env, override))

    def demand(self, node: Node, cell: Cell) -> Node:
        if self.demands >= DEMANDS:
            return node
        self.demands += 1
        try:
            return self._expression(node, cell.env, cell.override)
        finally:
            self.demands -= 1

    def _expression(self, root: Node, env: Env, override: bool) -> Node:
        cell = root.state
        if type(cell) is not Cell or cell.flow is not self or cell.env.path != env.path:
            cell = Cell(self, env, override)
            root = Node(root.value, root.source, root.note, cell)
        elif cell.tick == self.tick:
            return cell.outcome or root
        cell.env = env
        cell.override = override
        cell.tick = self.tick
        cell.outcome = None
        cell.busy = True
        env.run.step()
        try:
            result = self._evaluated(root, env, override, cell)
        finally:
            cell.busy = False
        cell.outcome = result
        return result

    def _evaluated(self, root: Node, env: Env, override: bool, cell: Cell) -> Node:
        """Evaluate an expression; while it is pending or fails, the node keeps it."""
        expression: Expression = root.value
        note = root.note
        if root.source != env.source:
            env = env.with_source(root.source)
        if isinstance(expression, Marker) and expression.tag and not note.tag:
            note = note._replace(tag=expression.tag)
        flags = note.flags
        failure: Failure | None = None
        value: object = None
        info = NOTHING
        if isinstance(expression, Marker) and expression.is_template:
            template = expression.template(root)
            if template is None:
                failure = Failure("empty template value")
            else:
                flags |= expression.flags
                value = TemplateValue(env.path, template, root, env)
        else:
            try:
                value, info = expression.evaluate(env, False)
            except Failure as found:
                failure = found
                info = found.info
        flags |= info.flags
        if info.flags & nodes.DYNAMIC and not isinstance(value, TemplateValue):
            failure = Failure("dynamic marker for non-template value node", info)
        if failure is not None:
            kept = Node(expression, root.source, note, cell)
            return self._kept(kept, failure.issue, env, override, flags)
        if isinstance(value, TemplateValue) and flags & nodes.DYNAMIC and env.final:
            value = Substitution(Constant(value))
            flags &= ~nodes.DYNAMIC
        note = note._replace(flags=flags, replace=note.replace or info.replace)
        result = self._result(value, info, root, note, env, cell)
        if isinstance(result.value, Expression):
            if result.value is not expression or result.note != root.note:
                self.changes += 1
            return result
        self.changes += 1
        return result if result.note.preferred else self.overridden(result, env, override)

    def _kept(self, root: Node, issue: Issue, env: Env, override: bool, flags: int) -> Node:
        """Return a node whose expression failed, or a stub's value for it."""
        before = root.note
        root = root.noted(issue=issue, error=True, failed=False, original=env.path)
        if override and env.stubs:
            other = self.overridden(Node(root.value, root.source, root.note._replace(flags=flags)), env, True)
            if other.value is not root.value:
                self.changes += 1
                return other
        if root.note != before:
            self.changes += 1
        return root

    def _result(self, value: object, info: Info, root: Node, note: Note, env: Env, cell: Cell) -> Node:
        """Return the node for the value of `root`; `note` has its flags, `replace` and tag."""
        source = info.source or root.source
        state: object = None
        if type(value) in (dict, list):
            env.run.hold(value)
        if type(value) is str:
            text = embedded(value, env.run.interpolation)
            if text is not None:
                result = self._parsed(Node(value, source), env, cell.override)
                value, state = result.value, result.state
        elif value is root.value:
            state = cell
        elif type(value) in (dict, list) and not env.stubs and is_plain(value, env):
            state = STATIC
        pending = isinstance(value, Expression)
        if pending and state is None:
            state = cell
        redirect = note.redirect if info.redirect is None else info.redirect
        made = EMPTY._replace(
            flags=note.flags,
            redirect=redirect,
            replace=note.replace,
            preferred=note.preferred or info.preferred,
            merged=(note.merged or info.merged) and not note.replace,
            key_name=info.key_name,
            failed=info.failed and info.issue is not None,
            undefined=info.undefined and not pending,
            issue=info.issue,
            tag=note.tag,
            original=env.path if pending else None,
        )
        return Node(value, source, EMPTY if made == EMPTY else made, state)

    def overridden(self, root: Node, env: Env, override: bool) -> Node:
        """Return the node, or a stub's node that replaces it."""
        note = root.note
        if not override or env.nomerge or note.merged or note.replace or note.redirect:
            return root
        stub = env.find_in_stubs(env.stub_path)
        if stub is None or stub.note.flags & nodes.DEFAULT:
            return root
        kept = note.flags & ~(nodes.DEFAULT | nodes.IMPLIED | nodes.INJECTED)
        other = stub.note
        if note.key_name:
            other = other._replace(key_name=note.key_name)
        if other.flags | kept != other.flags:
            other = other._replace(flags=other.flags | kept)
        if note.tag:
            other = other._replace(tag=note.tag)
        if stub.value is root.value and other == note:
            return root
        self.changes += 1
        return Node(stub.value, stub.source, other)

    def is_settled(self, node: Node, interpolation: bool) -> bool:
        """Return True if a node cannot change any more."""
        value = node.value
        kind = type(value)
        note = node.note
        if note.failed or (note.flags & nodes.DYNAMIC and kind is not dict and kind is not list):
            return False
        if note.preferred and kind is not dict and kind is not list:
            return False  # `prefer` puts off a stub's value for one pass where there is nothing to merge with
        if kind is str:
            return not (value.startswith("((") or (interpolation and "((" in value))
        if kind is dict or kind is list:
            state = node.state
            if state is None or not state.settled:
                return False
            return type(state) is not FlowPlace or state.flow is self
        if isinstance(value, TemplateValue):
            return not value.resolver.stubs  # a stub's value may replace the template in the next pass
        return not isinstance(value, Expression)

    def _tagged(self, node: Node, root: Node, env: Env, before: int = -1) -> Node:
        """Publish the value of a node under its tag. `before`: the number of changes before its turn."""
        tag = node.note.tag
        if not tag or not is_resolved(node.value, env.run) or not is_locally_resolved(node.value, env.run):
            return node
        try:
            env.run.tags.set(tag, node, env.path)
        except Failure as failure:
            shown = root if node.value is None else node
            if before >= 0 and root.note.issue == failure.issue:
                self.changes = before
            return shown.noted(issue=failure.issue, error=True, failed=True, tag=tag)
        return node


def is_plain(value: object, env: Env) -> bool:
    """Return True if a computed value needs no pass: it has no expression and nothing to merge."""
    if type(value) is dict:
        for key, node in value.items():
            if key[:2] == "<<" or key[:4] == "key:" or node.note is not EMPTY or not _plain_node(node, env):
                return False
        return True
    if type(value) is list:
        return all(node.note is EMPTY and _plain_node(node, env) for node in value)
    return is_resolved(value, env.run)


def _plain_node(node: Node, env: Env) -> bool:
    """Return True for a plain node; a settled one is not walked, a third of the time of large copies."""
    return (node.state is not None and node.state.settled) or is_plain(node.value, env)
