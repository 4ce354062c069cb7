"""One pass over a map: its merge key, then its entries, injected ones, and its control structure."""

from __future__ import annotations

from krmkit.libraries.spiff.expressions.marking import Marker, TemplateValue
from krmkit.libraries.spiff.expressions.merging import Merge
from krmkit.libraries.spiff.flow.controls import OPTIONS, apply_control, is_control_map
from krmkit.libraries.spiff.tree import nodes
from krmkit.libraries.spiff.tree.embedded import embedded
from krmkit.libraries.spiff.tree.environment import Env, Scope
from krmkit.libraries.spiff.tree.errors import Issue
from krmkit.libraries.spiff.tree.nodes import EMPTY, Expression, Node, Note, type_name
from krmkit.libraries.spiff.tree.places import FlowPlace, Flows, implied, inherited


def flow_map(flow: Flows, root: Node, env: Env) -> Node:
    """Return the map after one pass."""
    names: dict[str, Node] = root.value
    if "<<" in names and "<<<" in names:
        return _failed(flow, root, "multiple merge keys not allowed")
    work = _Map(flow, root, env)
    key = "<<" if "<<" in names else "<<<"
    if key in names:
        done = work.merge(key, names[key])
        if done is not None:
            return done
    if not work.replaced:
        work.entries()
    work.inject()
    return work.result()


def _failed(flow: Flows, root: Node, text: str) -> Node:
    issue = Issue(text)
    if root.note.issue != issue:
        flow.changes += 1
    return root.noted(issue=issue, error=True, failed=True)


def skips_merge(initial: bool, node: Node) -> bool:
    """Return True for a merge that may lack a counterpart: a plain `<<: (( merge ))`."""
    return not initial and isinstance(node.value, Merge) and not node.value.required


class _Map:
    def __init__(self, flow: Flows, root: Node, env: Env) -> None:
        self.flow = flow
        self.root = root
        self.outer = env
        self.names: dict[str, Node] = root.value
        state = root.state
        scope = None
        if type(state) is FlowPlace and state.flow is flow and state.path == env.path:
            scope = state.scope
        if scope is None or scope.next is not env.scope:
            scope = Scope(env.scope, env.path, self.names)
        scope.local = self.names
        self.scope = scope
        self.env = env.with_scope(scope)
        self.flags, self.stub = inherited(env)
        self.tag = root.note.tag
        self.redirect = root.note.redirect
        self.replace = root.note.replace
        self.made: dict[str, Node] = {}
        self.issue: Issue | None = None
        self.processed = True
        self.template = False
        self.merged = False
        self.replaced = False
        self.settled = True

    def merge(self, key: str, node: Node) -> Node | None:
        """Process the merge key; return a node if it replaces the whole map."""
        initial = type(node.value) is str
        base = self.flow.node(node, self.env, False)
        note = base.note
        if note.undefined:
            return Node(None, self.root.source, self.root.note._replace(undefined=True))
        value = base.value
        if isinstance(value, Expression):
            self._pending(key, base, initial)
            return None
        if note.redirect is not None:
            self.redirect = note.redirect
            self.env = self.env.redirected(note.redirect)
        self.merged = self.merged or note.merged
        self.replace = note.replace
        unparsed = embedded(value, self.env.run.interpolation) is not None
        if unparsed:
            self._keep(key, base)
            return None
        if type(value) is dict:
            self.flow.changes += 1
            self.settled = False
            self.made.update(value)
            self.replaced = self.replace
        elif value is not None:
            self.issue = Issue(f"require map value for '<<' insert, found '{type_name(value)}'")
        if value is None:
            self.flow.changes += 1
            self.replaced = self.replace
        return None

    def _keep(self, key: str, node: Node) -> None:
        self.made[key] = implied(node, self.flags)
        self.settled = False

    def _pending(self, key: str, base: Node, initial: bool) -> None:
        value = base.value
        self.processed = False
        if isinstance(value, Marker):
            self.tag = value.tag or self.tag
            self.flags |= value.flags
            if value.is_template:
                self.template = True
                template = value.template(self.root)
                if template is not None:
                    self._keep(key, template)
                return
        # A marker without an expression only has flags.
        marks = isinstance(value, Marker) and value.inner is None and not value.flags & nodes.DYNAMIC
        if marks or skips_merge(initial, base):
            self.processed = True
            self.flow.changes += 1
            return
        self._keep(key, base)

    def entries(self) -> None:
        """Flow the entries, keys in order."""
        flow, made = self.flow, self.made
        run = self.env.run
        interpolation = run.interpolation
        stubs = bool(self.env.stubs)
        wrap = run.control and is_control_map(self.names)
        for key in sorted(self.names):
            if key == "<<" or key == "<<<":
                continue
            node = self.names[key]
            if self.processed:
                kind = type(node.value)
                simple = (
                    not stubs
                    and node.note is EMPTY
                    and (
                        kind is int or kind is bool or node.value is None or kind is float
                        or (kind is str and not node.value.startswith("((") and not interpolation)
                    )
                )  # fmt: skip
                if not simple:
                    if wrap and key in OPTIONS and not isinstance(node.value, TemplateValue):
                        flow.changes += 1
                        here = self.env.with_step(key)
                        node = Node(TemplateValue(here.path, node, node, self.env), node.source)
                    else:
                        node = flow.node(node, self.env.with_step(key), True)
                        # An undefined entry is left out, unless a control structure decides about it.
                        if node.note.undefined and not wrap:
                            flow.changes += 1
                            continue
                    self.settled = self.settled and flow.is_settled(node, interpolation)
            made[key] = implied(node, self.flags)

    def inject(self) -> None:
        """Add the stub's injected entries."""
        stub = self.stub
        if not self.merged and stub is not None and type(stub.value) is dict:
            for key, node in stub.value.items():
                if node.note.flags & nodes.INJECT and key not in self.made:
                    self.made[key] = node
                    self.settled = False
                    self.flow.changes += 1
        if self.merged or stub is not None:
            self.flags |= nodes.INJECTED

    def result(self) -> Node:
        """Return the node of the map."""
        root, flow = self.root, self.flow
        note = root.note
        issue = self.issue
        if issue is not None and note.issue != issue:
            flow.changes += 1
        if issue is None and note.failed:
            issue = note.issue
        made = Note(
            note.flags | self.flags, self.redirect, self.replace or note.replace, note.preferred,
            note.merged, note.key_name, issue is not None, issue is not None, note.undefined, issue,
            self.tag, note.resolver, note.original,
        )  # fmt: skip
        if made == EMPTY:
            made = EMPTY
        if made != note:
            flow.changes += 1
        if self.template:
            flow.changes += 1
            prepared = Node(self.made, root.source)
            value = TemplateValue(self.outer.path, prepared, root, self.outer)
            return Node(value, root.source, made)
        self.scope.local = self.made
        place = FlowPlace(flow, self.outer.path, self.scope)
        node = Node(self.made, root.source, made, place)
        if self.env.run.control and self.processed and issue is None:
            controlled = apply_control(node, self.env, place)
            if controlled is not None:
                if controlled.value is not root.value or controlled.note.issue != note.issue:
                    flow.changes += 1
                return flow.overridden(controlled, self.outer, True) if self.outer.stubs else controlled
        place.settled = self.settled and self.processed and issue is None
        return node
