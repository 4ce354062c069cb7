"""The environment of an expression: its path, scopes and stubs, and its run with counted effort."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.spiff.tree.errors import Info, Path, Result
from krmkit.libraries.spiff.tree.limits import SpiffLimits, exceeded
from krmkit.libraries.spiff.tree.nodes import IMPLIED, Expression, Node, find
from krmkit.libraries.spiff.tree.randomness import Chance
from krmkit.libraries.spiff.tree.tags import Tags
from krmkit.libraries.yaml.effort import charge

VERSION = "1.7.0"
"""The value of `__ctx.VERSION`: the version of spiff++ whose language this is."""
SELF = "_"
DOCUMENT = "__"
ROOT = "___"

_EVALUATION = 16  # steps of effort that an evaluation costs
_CALL = 3  # evaluations that a call takes as long as
_MADE = 6  # steps of effort that a node costs which an evaluation makes
_SEARCHED = 256  # instructions of a pattern, or bytes, that one step of effort pays for
_WRITTEN = 16  # characters that one step pays for in a text that is made piece by piece
_FEW = 16  # nodes made at once that cost nothing


@dataclass(frozen=True, slots=True)
class Parts:
    """The engine parts that expressions use, and that use expressions themselves.

    - `parse`: parse a text, for a path and its path in stubs.
    - `call`: call a function by name, with values and their info.
    - `flow`: evaluate all expressions of a node, or raise Failure with the text.
    - `cascade`: merge a template with stubs.
    """

    parse: Callable[[str, Path, Path], Expression]
    call: Callable[[str, list[Any], Env, Info], Result]
    flow: Callable[[Node, Env, str], Node]
    cascade: Callable[[Run, Env | None, Node, list[Node]], Node]


@dataclass(slots=True, eq=False)
class Run:
    """The state that all documents of a run share; `free` evaluations cost no effort.

    `with run:` counts one nested call.
    """

    interpolation: bool
    control: bool
    access: str
    files: dict[str, bytes]
    limits: SpiffLimits
    parts: Parts
    environment: Mapping[str, str] | None
    chance: Chance | None
    tags: Tags = field(init=False, default_factory=Tags)
    steps: int = field(init=False, default=0)
    free: int = field(init=False, default=0)
    depth: int = field(init=False, default=0)
    made: int = field(init=False, default=0)
    held: int = field(init=False, default=0)
    demands: int = field(init=False, default=0)

    def count(self, nodes: int) -> None:
        """Count nodes that an evaluation made. Raises EffortError over the limit."""
        self.made += nodes
        if nodes > _FEW:
            charge(nodes * _MADE)
        if self.made > self.limits.nodes:
            raise exceeded("nodes", self.limits.nodes)

    def hold(self, value: Any) -> int:
        """Count the nodes inside a value, and return their number. Raises EffortError over the limit.

        Values are shared: thirty doublings `b: (( [a, a] ))` are thirty lists, but a walk visits a billion.
        """
        before = self.held
        waiting = [value]
        while waiting:
            value = waiting.pop()
            entries = value.values() if type(value) is dict else value
            self.hold_entries(len(entries))
            waiting += [entry.value for entry in entries if type(entry.value) in (dict, list)]
        return self.held - before

    def hold_entries(self, count: int) -> None:
        """Count the entries of a list or map that a walk visits."""
        self.held += count
        if self.held > self.limits.held:
            raise exceeded("nodes in values", self.limits.held)

    def step(self, count: int = 1) -> None:
        """Count evaluations, or a function's equally long work."""
        self.steps += count
        if self.steps > self.limits.steps:
            raise exceeded("evaluations", self.limits.steps)
        if self.steps > self.free:
            charge(count * _EVALUATION)

    def search(self, size: int) -> None:
        """Count the instructions of a search (`Pattern.cost`), or the bytes of one of several searches."""
        charge(size // _SEARCHED)

    def look(self, entries: int) -> None:
        """Count the entries of a list or map that a reference checks."""
        charge(entries // 2)

    def write(self, piece: int, whole: int) -> None:
        """Count a piece of a text of `whole` characters. Raises EffortError over the output limit."""
        if whole > self.limits.output:
            raise exceeded("characters of output", self.limits.output)
        charge(1 + piece // _WRITTEN)

    def __enter__(self) -> None:
        self.step(_CALL)
        self.depth += 1
        if self.depth > self.limits.depth:
            depth, self.depth = self.limits.depth, 0
            raise exceeded("calls inside each other", depth)

    def __exit__(self, *_: object) -> None:
        self.depth -= 1


class Scope:
    """The names of one map (or of parameters: `path` is None), and the enclosing scope.

    root: the scope of the document, None if the next inner scope starts a document. entries: those of a
    document that is a list.
    """

    def __init__(self, outer: Scope | None, path: Path | None, local: dict[str, Node]) -> None:
        self.local = local
        self.path = path
        self.next = outer
        self.root: Scope | None = self if outer is None or outer.root is None else outer.root
        self.entries: list[Node] | None = None


class Env:
    """One environment, never changed: its with-methods return new ones.

    - `source`: the file of the expression. `current_source`: the file of the document.
    - `outer`: the environment around the document. `static`: the names of parameters.
    - `nomerge`: stubs have no value here. `is_binding`: the names are bindings.
    - `final`: the document is the template, not a stub.
    """

    __slots__ = (
        "current_source", "final", "is_binding", "nomerge", "outer", "path", "run", "scope", "source",
        "static", "stub_path", "stubs",
    )  # fmt: skip

    def __init__(self, run: Run, stubs: list[Node], source: str, outer: Env | None = None) -> None:
        self.run = run
        self.stubs = stubs
        self.source = source
        self.current_source = source
        self.outer = outer
        self.path: Path = ()
        self.stub_path: Path = ()
        self.scope: Scope | None = None
        self.static: dict[str, Node] = {}
        self.nomerge = False
        self.is_binding = False
        self.final = True

    def _copy(self) -> Env:
        other = Env.__new__(Env)
        other.run = self.run
        other.stubs = self.stubs
        other.source = self.source
        other.current_source = self.current_source
        other.outer = self.outer
        other.path = self.path
        other.stub_path = self.stub_path
        other.scope = self.scope
        other.static = self.static
        other.nomerge = self.nomerge
        other.is_binding = self.is_binding
        other.final = self.final
        return other

    def with_step(self, step: str) -> Env:
        other = self._copy()
        other.path = (*self.path, step)
        other.stub_path = (*self.stub_path, step)
        return other

    def with_scope(self, scope: Scope) -> Env:
        other = self._copy()
        other.scope = scope
        return other

    def with_names(self, names: dict[str, Node]) -> Env:
        """Return the environment inside parameters or a `( x = 1 )` scope."""
        other = self._copy()
        other.static = {**self.static, **names}
        other.scope = Scope(self.scope, None, names)
        return other

    def with_source(self, source: str) -> Env:
        other = self._copy()
        other.source = source
        return other

    def with_new_root(self) -> Env:
        """Return the environment of a nested document, enclosed by the names of this one."""
        other = self._copy()
        scope = Scope(self.scope, self.path, {})
        other.scope = scope
        scope.root = None
        return other

    def redirected(self, path: Path) -> Env:
        other = self._copy()
        if path:
            other.stub_path = path
            other.nomerge = False
        else:
            other.nomerge = True
        return other

    def find_in_stubs(self, path: Path) -> Node | None:
        """Return the node at a path in the first stub that has it."""
        control = self.run.control
        for stub in self.stubs:
            found = find(stub, path, False, control)
            if found is not None and not found.note.flags & IMPLIED:
                return found
        return None

    def is_in_stubs(self, path: Path) -> bool:
        """Return True if a stub has the path, even as an implied node, which may hold others."""
        return any(find(stub, path, False, self.run.control) is not None for stub in self.stubs)

    def root_names(self) -> dict[str, Node]:
        root = self.scope.root if self.scope is not None else None
        return root.local if root is not None else {}

    def root_node(self) -> Node:
        """Return the document as a node."""
        root = self.scope.root if self.scope is not None else None
        if root is not None and root.entries is not None:
            return Node(root.entries, "scope")
        return Node(self.root_names(), "scope")

    def outermost_map(self) -> Node:
        """Return the entry of this place in a document that is a list."""
        scope = self.scope
        found: dict[str, Node] = {}
        while scope is not None and scope.entries is None:
            found = scope.local
            scope = scope.next
        return Node(found, "scope")

    def find_first(self, name: str) -> Node | None:
        """Return the node of a reference's first word, from the innermost scope to outer documents."""
        env: Env | None = self
        while env is not None:
            if name == "__ctx":
                return env.context()
            scope = env.scope
            host = None
            while scope is not None:
                found = scope.local.get(name)
                if found is not None:
                    return found
                if host is None and scope.path is not None:
                    host = scope
                scope = scope.next
            if name == ROOT:
                if env.outer is None:
                    return Node(env.root_names() if env.is_binding else {}, "__ctx")
            if name == DOCUMENT and host is not None:
                return Node(host.local, "__ctx")
            env = env.outer
        return None

    def find_in_host(self, name: str) -> Node | None:
        """Return the node of `__.name` in the document's scopes, without parameters."""
        scope = self.scope
        while scope is not None and scope.path is None:
            scope = scope.next
        while scope is not None:
            found = scope.local.get(name)
            if found is not None:
                return found
            scope = scope.next
        return None

    def context(self) -> Node:
        """Return the value of `__ctx`."""
        source = self.current_source
        outer: list[Node] = []
        bindings: Node = Node([], "context")
        env = self.outer
        while env is not None:
            names = Node(env.root_names(), "__ctx")
            outer.append(names)
            if env.is_binding:
                bindings = names
            env = env.outer
        folder = posixpath.dirname(source) or "."
        values: dict[str, Any] = {
            "FILE": source,
            "DIR": folder,
            "RESOLVED_FILE": source,
            "RESOLVED_DIR": folder,
            "PATHNAME": ".".join(self.path),
            "PATH": [Node(step, "__ctx") for step in self.path],
            "STUBPATH": [Node(step, "__ctx") for step in self.stub_path],
            "VERSION": VERSION,
        }
        if outer:
            values["OUTER"] = outer
        found = {key: Node(value, "__ctx") for key, value in values.items()}
        found["BINDINGS"] = bindings
        return Node(found, "__ctx")

    def node(self, value: Any) -> Node:
        """Return a node for a value that an expression computed here."""
        source = self.source
        return Node(value, source if source.startswith("dynaml@") else "dynaml@" + source)
