"""The run of a merge: texts or data in, documents and state out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.spiff.expressions.output import HIDDEN, data, only_state, without
from krmkit.libraries.spiff.flow.cascade import cascade, flow_document, flow_inside, prepare_stubs, reset
from krmkit.libraries.spiff.flow.unresolved import unresolved_error
from krmkit.libraries.spiff.functions.registry import call, call_with
from krmkit.libraries.spiff.parsing.grammar import Parser
from krmkit.libraries.spiff.tree.environment import Env, Parts, Run, Scope
from krmkit.libraries.spiff.tree.errors import SpiffError
from krmkit.libraries.spiff.tree.limits import DEFAULT_LIMITS, SpiffLimits
from krmkit.libraries.spiff.tree.nodes import Node
from krmkit.libraries.spiff.tree.randomness import Chance
from krmkit.libraries.spiff.tree.reading import from_data, read_all, read_stream
from krmkit.libraries.yaml.effort import EffortError

FRAMES = 6_000
"""The frames of Python that a run may use; the limits of calls and expressions are reached long before."""
CHARACTERS = 4
"""Characters of a template or stub that pay for one evaluation: a node has some twelve, and three passes."""
ACCESS = ("none", "files")
FEATURES = ("interpolation", "control")


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """The options of a run; krmkit.libraries.spiff documents the fields."""

    bindings: Mapping[str, Any] | None = None
    files: Mapping[str, str | bytes] | None = None
    access: str = "none"
    features: Sequence[str] = ()
    partial: bool = False
    preserve_escapes: bool = False
    preserve_temporary: bool = False
    state: Any = None
    source_name: str = "template"
    stub_names: Sequence[str] = ()
    floats: bool = True
    limits: SpiffLimits = DEFAULT_LIMITS
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    environment: Mapping[str, str] | None = None
    chance: bytes | None = None

    def __post_init__(self) -> None:
        if self.access not in ACCESS:
            raise ValueError(f'access must be none or files, got "{self.access}"')
        for feature in self.features:
            if feature not in FEATURES:
                raise ValueError(f'a feature must be interpolation or control, got "{feature}"')


@dataclass(slots=True, eq=False)
class Merged:
    """The result of a run: its documents (one, or a stream's) and the state for the next run.

    error: with `partial`, the error for nodes without a value; the documents hold their expressions as texts.
    """

    documents: list[Any]
    state: Any
    error: SpiffError | None = None


def merge(template: str, stubs: Sequence[str] = (), options: Options | None = None) -> Merged:
    """Merge a YAML template with YAML stubs.

    merge("a: (( b ))\\nb: 1\\n").documents is [{"a": 1, "b": 1}]. Raises SpiffError.
    """
    options = options or Options()
    with _guarded():
        return _merge_texts(new_run(options), template, stubs, options)


def evaluate(template: Any, stubs: Sequence[Any] = (), options: Options | None = None) -> Merged:
    """Merge a template and stubs given as data: evaluate({"a": "(( 1 + 1 ))"}).documents is [{"a": 2}]."""
    options = options or Options()
    run = new_run(options)
    interpolation = run.interpolation
    run.free = len(repr((template, stubs))) // CHARACTERS
    with _guarded():
        node = from_data(template, options.source_name, False, interpolation)
        names = enumerate(stubs)
        nodes = [from_data(stub, _stub_name(options, i), False, interpolation) for i, stub in names]
        return _process(run, [node], nodes, options)


@contextmanager
def _guarded() -> Iterator[None]:
    """Allow deep expressions inside the block. Raises SpiffError if they exhaust a limit."""
    frames = sys.getrecursionlimit()
    sys.setrecursionlimit(max(frames, FRAMES))
    try:
        yield
    except EffortError as error:
        raise SpiffError(str(error), "limit") from None
    except RecursionError:
        raise SpiffError("the template is nested too deeply", "limit") from None
    finally:
        sys.setrecursionlimit(frames)


def new_run(options: Options) -> Run:
    """Create a run with the engine parts that expressions use."""
    files = {
        f"{'' if path.startswith('/') else '/'}{path}": content.encode()
        if isinstance(content, str)
        else content
        for path, content in (options.files or {}).items()
    }
    parts = Parts(
        parse=Parser().parse,
        call=call_with(options.functions) if options.functions else call,
        flow=flow_inside,
        cascade=cascade,
    )
    return Run(
        "interpolation" in options.features,
        "control" in options.features,
        options.access,
        files,
        options.limits,
        parts,
        options.environment,
        None if options.chance is None else Chance(options.chance),
    )


def _stub_name(options: Options, index: int) -> str:
    names = options.stub_names
    return names[index] if index < len(names) else f"stub{index + 1}"


def _merge_texts(run: Run, template: str, stubs: Sequence[str], options: Options) -> Merged:
    run.free = sum(map(len, (template, *stubs))) // CHARACTERS
    templates = read_stream(template, options.source_name, run.interpolation)
    read: list[Node] = []
    for index, stub in enumerate(stubs):
        name = _stub_name(options, index)
        documents = read_all(stub, name, run.interpolation)
        if len(documents) > 1:
            raise SpiffError(
                f"error parsing stub [{name}]: a stub is one document, got {len(documents)}", "syntax"
            )
        read += documents
    return _process(run, templates, read, options)


def outer_bindings(run: Run, options: Options) -> Env | None:
    """Return the environment around the documents, which holds the bindings."""
    if options.bindings is None:
        return None
    env = Env(run, [], "binding")
    names = from_data(dict(options.bindings), "binding", options.floats).value
    env = env.with_scope(Scope(None, (), names))
    env.static = names
    env.is_binding = True
    return env


def _process(run: Run, templates: list[Node], stubs: list[Node], options: Options) -> Merged:
    outer = outer_bindings(run, options)
    if options.state is not None:
        stubs = [*stubs, from_data(options.state, "state", False, run.interpolation)]
    prepared = prepare_stubs(run, outer, stubs, options.partial)
    documents: list[Any] = []
    state: Any = None
    first_error: SpiffError | None = None
    for index, template in enumerate(templates):
        result, left = flow_document(run, outer, template, prepared)
        if left:
            error = unresolved_error(left)
            if len(templates) > 1:
                error.message = f"document {index + 1}: {error.message}"
            if not options.partial:
                raise error
            first_error = first_error or error
            result = reset(result)
        elif not options.preserve_temporary:
            result = without(result, HIDDEN)
        unescaped = not left and not options.preserve_escapes
        run.tags.next_document(result)
        documents.append(data(result, run, unescaped))
        state = data(only_state(result), run)
    return Merged(documents, state, first_error)
