"""One pass over a list: entries that insert others, then all entries, then injected ones."""

from __future__ import annotations

from krmkit.libraries.spiff.expressions.marking import Marker, TemplateValue
from krmkit.libraries.spiff.flow.controls import is_control_map
from krmkit.libraries.spiff.flow.maps import skips_merge
from krmkit.libraries.spiff.tree import nodes
from krmkit.libraries.spiff.tree.embedded import embedded
from krmkit.libraries.spiff.tree.environment import Env, Scope
from krmkit.libraries.spiff.tree.nodes import EMPTY, SPLICED, Expression, Node, find_text, step_into
from krmkit.libraries.spiff.tree.places import FlowPlace, Flows, inherited

NOWHERE = "[]"
"""A step that no stub has."""


def flow_list(flow: Flows, root: Node, env: Env) -> Node:
    """Return the list after one pass."""
    work = _List(flow, root, env)
    work.splice()
    if work.processed:
        work.entries()
        work.inject()
    return work.result()


class _List:
    def __init__(self, flow: Flows, root: Node, env: Env) -> None:
        self.flow = flow
        self.root = root
        self.env = env
        if env.scope is None:
            scope = Scope(None, env.path, {})
            scope.entries = root.value
            self.env = env.with_scope(scope)
        self.flags, self.stub = inherited(env)
        self.tag = root.note.tag
        self.key_name = root.note.key_name
        self.replaced = root.note.replace
        self.redirect = root.note.redirect
        self.spliced: list[Node] = []
        self.processed = True
        self.template = False
        self.merged = False
        self.settled = True

    def splice(self) -> None:
        """Insert the entries of `- <<: (( ... ))`."""
        for node in self.root.value:
            key = nodes.list_merge(node)
            if key:
                inserted = self._insert(key, node.value[key])
                if self.replaced and not self.processed and inserted is None:
                    return
                if inserted is None:
                    continue
                node = inserted
            node = self._key_field(node)
            self.spliced.append(node)

    def _insert(self, key: str, inline: Node) -> Node | None:
        """Insert the entries that one entry merges; return the entry to keep in its place, or None."""
        flow, env = self.flow, self.env
        initial = type(inline.value) is str
        result = flow.node(inline, env, False)
        self.key_name = result.note.key_name or self.key_name
        value = result.value
        if isinstance(value, Expression):
            if skips_merge(initial, inline):
                flow.changes += 1
                return None
            if isinstance(value, Marker):
                self.flags |= value.flags
                self.tag = value.tag or self.tag
                if value.is_template:
                    self.template = True
                    self.processed = False
                    template = value.template(self.root)
                    return None if template is None else Node({key: template}, self.root.source)
                if value.inner is None:
                    flow.changes += 1
                    return None
            self.processed = False
            return Node({key: result}, self.root.source)
        if (
            type(value) is not list
            and value is not None
            and embedded(value, env.run.interpolation) is not None
        ):
            return Node({key: result}, self.root.source)
        flow.changes += 1
        if result.note.merged:
            self.flags |= SPLICED
        self.redirect = result.note.redirect
        self.merged = self.merged or result.note.merged or type(value) is list
        if type(value) is list:
            added = new_entries(value, self.root.value, self.key_name, env)
            self.replaced = result.note.replace
            if self.replaced:
                self.spliced = added
                self.processed = False
            else:
                self.spliced += added
        return None

    def _key_field(self, node: Node) -> Node:
        """Remove the prefix of a key `key:field`, which names entries by `field`."""
        value = node.value
        if type(value) is not dict:
            return node
        marked = next((key for key in value if key.startswith("key:")), None)
        if marked is None:
            return node
        self.key_name = marked[4:]
        self.flow.changes += 1
        renamed = {
            (key[4:].lstrip("!") if key.startswith("key:") else key): entry for key, entry in value.items()
        }
        return Node(renamed, node.source, node.note)

    def entries(self) -> None:
        """Flow the entries; the step of each is its key field, else its index."""
        flow = self.flow
        env = self.env if self.redirect is None else self.env.redirected(self.redirect)
        run = env.run
        interpolation = run.interpolation
        made: list[Node] = []
        spliced = (self.flags | self.root.note.flags) & SPLICED
        keyed = spliced or _keys(self.spliced, self.key_name)
        for index, node in enumerate(self.spliced):
            kind = type(node.value)
            if kind in (dict, list, str) or isinstance(node.value, Expression | TemplateValue):
                step, ready = (
                    (f"[{index}]", True) if kind is not dict or not keyed else self._step(index, node, env)
                )
                before = node
                if ready:
                    here = env.with_step(step)
                    if spliced and step[0] == "[":
                        here.stub_path = (*env.stub_path, NOWHERE)
                    node = flow.node(node, here, False)
                else:
                    self.settled = False
                if node.note.undefined:
                    flow.changes += 1
                    continue
                if run.control and type(node.value) is list and is_control_map(before.value):
                    flow.changes += 1
                    made += node.value
                    self.settled = False
                    continue
                self.settled = self.settled and flow.is_settled(node, interpolation)
            made.append(node)
        self.spliced = made

    def _step(self, index: int, node: Node, env: Env) -> tuple[str, bool]:
        key = self.key_name or "name"
        control = env.run.control
        name = find_text(node, key, False, control)
        if name is not None and embedded(name, env.run.interpolation) is None:
            return f"{key}:{name}", True
        step = f"[{index}]"
        entry = step_into(node, key, True, control)
        if entry is None:
            return step, True
        if isinstance(entry.value, Expression) or (type(entry.value) is str and name is not None):
            before = self.flow.changes
            entry = self.flow.node(entry, env.with_step(step), False)
            self.flow.changes = before  # the name does not stay; the entry gets it in its own turn
            if isinstance(entry.value, Expression):
                return step, type(node.value.get(key)) is Node and type(node.value[key].value) is str
        if type(entry.value) is str:
            return f"{key}:{entry.value}", True
        return step, True

    def inject(self) -> None:
        """Insert the stub's injected entries at the front."""
        stub = self.stub
        if not self.merged and stub is not None and type(stub.value) is list:
            injected = [node for node in stub.value if node.note.flags & nodes.INJECT]
            if injected and not self.root.note.flags & nodes.INJECTED:
                self.flow.changes += 1
                self.settled = False
                self.spliced = injected + self.spliced
        if self.merged or stub is not None:
            self.flags |= nodes.INJECTED

    def result(self) -> Node:
        """Return the node of the list."""
        root, flow = self.root, self.flow
        note = root.note._replace(
            flags=root.note.flags | self.flags,
            redirect=self.redirect,
            replace=self.replaced,
            key_name=self.key_name,
            tag=self.tag,
        )
        if note == EMPTY:
            note = EMPTY
        if note != root.note:
            flow.changes += 1
        if self.template:
            flow.changes += 1
            prepared = Node(self.spliced, root.source)
            return Node(TemplateValue(self.env.path, prepared, root, self.env), root.source, note)
        place = FlowPlace(flow, self.env.path, None)
        place.settled = self.settled and self.processed
        if self.env.scope is not None and self.env.scope.entries is not None and not self.env.path:
            self.env.scope.entries = self.spliced
        return Node(self.spliced, root.source, note, place)


def _keys(entries: list[Node], key_name: str) -> bool:
    """Return True if all entries have the key field, a text or an expression, with different names."""
    seen: set[str] = set()
    for node in entries:
        found = node.value.get(key_name or "name") if type(node.value) is dict else None
        if found is None or not isinstance(found.value, (str, Expression)) or found.value in seen:
            return False
        if type(found.value) is str:
            seen.add(found.value)
    return True


def new_entries(added: list[Node], present: list[Node], key_name: str, env: Env) -> list[Node]:
    """Return the entries of `added` whose key is not among `present`."""
    key = key_name or "name"
    control = env.run.control
    names = {
        found.value
        for node in present
        if type(node.value) is dict and (found := step_into(node, key, True, control)) is not None
        if type(found.value) is str
    }
    return [node for node in added if find_text(node, key, True, control) not in names]
