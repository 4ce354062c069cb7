"""The one place that touches libyaml: a parser of events, loaded in the way that fits the process.

PyYAML ships libyaml as the extension module `yaml._yaml`, and importing it through the `yaml` package costs
about 18 ms, most of it for pure Python modules that krmkit never uses. A function process that does nothing
but parse a ResourceList starts in less time than that. So there are two ways in:

- *library* (default): `import yaml` as everybody does, and take the extension from there.
- *lean* (`lean = True`, set by `krmkit.fn.entry` before the first parse, when the process is the function's
  own): load the extension alone, with small stand-ins for the classes that it looks up while it initialises,
  and leave `sys.modules` such that a later `import yaml` still works (with PyYAML's pure Python parser,
  because the extension cannot be initialised twice).

Events carry the attributes of PyYAML's own: `value`, `style`, `anchor`, `tag`, `implicit`, `flow_style`,
`start_mark`, `end_mark` (marks: `index` in code points, `line`, `column`, all from 0).
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType
    from typing import Any, Protocol, TypeVar

    Result = TypeVar("Result")

    class Mark(Protocol):
        index: int
        line: int
        column: int

    class Parser(Protocol):
        def get_event(self) -> Any: ...
        def dispose(self) -> None: ...


_FLOW_SIGNS = ",]}[{?"
# A colon behind one of these belongs to no plain scalar.
_BEFORE_A_VALUE = frozenset("\"' \t\n\r,[]{}\x85\u2028\u2029")

lean = False
_backend: Backend | None = None


class Backend:
    """The classes that a parse loop needs: the parser, its events (compared by identity) and its error base."""

    __slots__ = (
        "alias",
        "document_end",
        "document_start",
        "emitter",
        "error",
        "mapping_end",
        "mapping_start",
        "parser",
        "scalar",
        "sequence_end",
        "sequence_start",
        "stream_end",
        "stream_start",
    )

    def __init__(self, module: Any) -> None:
        self.parser = module.CParser
        self.error: type[Exception] = module.YAMLError
        self.scalar = module.ScalarEvent
        self.alias = module.AliasEvent
        self.mapping_start = module.MappingStartEvent
        self.mapping_end = module.MappingEndEvent
        self.sequence_start = module.SequenceStartEvent
        self.sequence_end = module.SequenceEndEvent
        self.document_start = module.DocumentStartEvent
        self.document_end = module.DocumentEndEvent
        self.stream_start = module.StreamStartEvent
        self.stream_end = module.StreamEndEvent
        self.emitter = module.CEmitter

    def read(self, text: str, build: Callable[[Callable[[], Any]], Result]) -> Result:
        """Return what `build` makes of the events of `text`; it gets the function that gives the next event.

        A plain scalar in a flow collection may hold a colon before a comma or bracket, as in `[::1, fe80::]`. Go's
        yaml.v3 reads it. libyaml refuses it, and then such colons are masked and the text is read again.
        """
        try:
            return build(self.parser(text).get_event)
        except self.error as error:
            if getattr(error, "problem", "") != "found unexpected ':'":
                raise
            masked, sign = _mask_colons(text)
            if not sign:
                raise
        get_event = self.parser(masked).get_event
        scalar = self.scalar

        def unmasked() -> Any:
            event = get_event()
            if type(event) is scalar and sign in event.value:
                event.value = event.value.replace(sign, ":")
            return event

        return build(unmasked)


def _mask_colons(text: str) -> tuple[str, str]:
    """The text with a private-use character for each colon that ends a plain scalar; and that character, or ""."""
    found = [
        at
        for sign in _FLOW_SIGNS
        for at in _places(text, ":" + sign)
        if at and text[at - 1] not in _BEFORE_A_VALUE
    ]
    mask = next((sign for sign in map(chr, range(0xE000, 0xE100)) if sign not in text), "")
    if not found or not mask:
        return text, ""
    signs = list(text)
    for at in found:
        signs[at] = mask
    return "".join(signs), mask


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def emit(steps: Iterable[tuple[str, object, object]], width: int) -> str:
    """The text that libyaml writes for one document.

    steps: ("scalar", text, style or None), ("map", None, flow), ("list", None, flow), ("end map", None, None) and
    ("end list", None, None). emit([("scalar", "a", None)], 80) is "a\\n...\\n".
    """
    from io import StringIO

    known = backend()
    out = StringIO()
    emitter = known.emitter(out, width=width, allow_unicode=True)
    emitter.emit(_event(known.stream_start, encoding=None))
    emitter.emit(_event(known.document_start, explicit=False, version=None, tags=None))
    for name, text, detail in steps:
        if name == "scalar":
            implicit = (True, True)
            event = _event(known.scalar, anchor=None, tag=None, implicit=implicit, value=text, style=detail)
        elif name in ("map", "list"):
            cls = known.mapping_start if name == "map" else known.sequence_start
            event = _event(cls, anchor=None, tag=None, implicit=True, flow_style=detail)
        else:
            event = _event(known.mapping_end if name == "end map" else known.sequence_end)
        emitter.emit(event)
    emitter.emit(_event(known.document_end, explicit=False))
    emitter.emit(_event(known.stream_end))
    return out.getvalue()


def _event(cls: Any, **attributes: object) -> Any:
    """An event of PyYAML's classes or of the stand-ins, which differ in their constructors only."""
    event = cls.__new__(cls)
    for name, value in attributes.items():
        setattr(event, name, value)
    return event


def backend() -> Backend:
    """libyaml, loaded on first use."""
    global _backend
    if _backend is None:
        module = None
        if lean and "yaml" not in sys.modules:
            module = _load_alone()
        if module is None:
            module = _load_with_package()
        _backend = Backend(module)
    return _backend


def _load_with_package() -> Any:
    try:
        from yaml import _yaml
    except ImportError as error:
        raise ImportError(
            "krmkit needs PyYAML with its libyaml extension; the wheels on the index carry it"
            " (a source build needs libyaml's headers)"
        ) from error
    return _yaml


class _Event:
    """What all events have in common: two marks, given last or first by the extension (see the subclasses)."""

    __slots__ = ("encoding", "end_mark", "explicit", "start_mark")

    def __init__(self, start_mark: Any = None, end_mark: Any = None, *rest: Any) -> None:
        self.start_mark = start_mark
        self.end_mark = end_mark


class _DocumentStart(_Event):
    __slots__ = ("tags", "version")

    def __init__(self, start: Any, end: Any, explicit: Any, version: Any, tags: Any) -> None:
        self.start_mark = start
        self.end_mark = end
        self.explicit = explicit
        self.version = version
        self.tags = tags


class _Alias(_Event):
    __slots__ = ("anchor",)

    def __init__(self, anchor: Any, start: Any, end: Any) -> None:
        self.anchor = anchor
        self.start_mark = start
        self.end_mark = end


class _Scalar(_Event):
    __slots__ = ("anchor", "implicit", "style", "tag", "value")

    def __init__(
        self, anchor: Any, tag: Any, implicit: Any, value: Any, start: Any, end: Any, style: Any
    ) -> None:
        self.anchor = anchor
        self.tag = tag
        self.implicit = implicit
        self.value = value
        self.start_mark = start
        self.end_mark = end
        self.style = style


class _Collection(_Event):
    __slots__ = ("anchor", "flow_style", "implicit", "tag")

    def __init__(self, anchor: Any, tag: Any, implicit: Any, start: Any, end: Any, flow_style: Any) -> None:
        self.anchor = anchor
        self.tag = tag
        self.implicit = implicit
        self.start_mark = start
        self.end_mark = end
        self.flow_style = flow_style


class _ProblemError(Exception):
    """Shape of PyYAML's marked errors: (context, context_mark, problem, problem_mark)."""

    def __init__(
        self, context: Any = None, context_mark: Any = None, problem: Any = None, problem_mark: Any = None
    ) -> None:
        self.context = context
        self.context_mark = context_mark
        self.problem = problem
        self.problem_mark = problem_mark


class _ReaderError(_ProblemError):
    """Shape of PyYAML's ReaderError: (name, position, character, encoding, reason)."""

    def __init__(self, name: Any, position: Any, character: Any, encoding: Any, reason: Any) -> None:
        self.position = position
        self.character = character
        self.reason = reason


def _stand_ins() -> ModuleType:
    """A `yaml` package that has just the names which the extension reads while it initialises."""
    make = type(sys)
    package = make("yaml")
    package.error = make("yaml.error")  # type: ignore[attr-defined]
    package.error.YAMLError = _ProblemError

    def part(name: str, **classes: Any) -> None:
        module = make("yaml." + name)
        module.__dict__.update(classes)
        setattr(package, name, module)

    part("reader", ReaderError=_ReaderError)
    for name in ("Scanner", "Parser", "Composer", "Constructor", "Emitter", "Serializer", "Representer"):
        part(name.lower(), **{name + "Error": type(name + "Error", (_ProblemError,), {})})
    tokens = (
        "StreamStart StreamEnd Directive DocumentStart DocumentEnd BlockSequenceStart BlockMappingStart BlockEnd"
        " FlowSequenceStart FlowMappingStart FlowSequenceEnd FlowMappingEnd BlockEntry FlowEntry Key Value Alias"
        " Anchor Tag Scalar"
    )
    part("tokens", **{name + "Token": _Event for name in tokens.split()})
    part("nodes", ScalarNode=_Event, SequenceNode=_Event, MappingNode=_Event)
    part(
        "events",
        AliasEvent=_Alias,
        ScalarEvent=_Scalar,
        SequenceStartEvent=type("SequenceStartEvent", (_Collection,), {"__slots__": ()}),
        MappingStartEvent=type("MappingStartEvent", (_Collection,), {"__slots__": ()}),
        DocumentStartEvent=_DocumentStart,
        **{
            name + "Event": type(name + "Event", (_Event,), {"__slots__": ()})
            for name in ("StreamStart", "StreamEnd", "SequenceEnd", "MappingEnd", "DocumentEnd")
        },
    )
    return package


def _load_alone() -> Any:
    """The extension without the package around it, or None where that is not possible."""
    import _frozen_importlib as bootstrap
    import _frozen_importlib_external as external
    import _imp

    for folder in sys.path:
        for suffix in _imp.extension_suffixes():
            path = folder + "/yaml/_yaml" + suffix
            try:
                open(path, "rb").close()
            except OSError:
                continue
            loader = external.ExtensionFileLoader("yaml._yaml", path)
            spec = external.spec_from_file_location("yaml._yaml", path, loader=loader)
            sys.modules["yaml"] = _stand_ins()
            try:
                module = bootstrap._load(spec)  # type: ignore[attr-defined]  # what `import` itself calls
            finally:
                # A later `import yaml` finds an extension without CParser and falls back to pure Python.
                del sys.modules["yaml"]
                sys.modules["yaml._yaml"] = type(sys)("yaml._yaml")
            return module
    return None
