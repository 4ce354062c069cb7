"""libyaml's parser and emitter, loaded in the way that fits the process. No other module touches libyaml.

PyYAML ships libyaml as the extension module `yaml._yaml`. Importing it through the `yaml` package costs about
18 ms, most of it for pure Python modules that krmkit never uses; a function process starts in less. With
`lean = True` (set by `krmkit.fn.entry` before the first parse, when the process is the function's own) only
the extension and PyYAML's events, nodes and errors are loaded. A later `import yaml` works as usual, and
shares the extension.

Events are PyYAML's own: `value`, `style`, `anchor`, `tag`, `implicit`, `flow_style`, `start_mark`, `end_mark`
(marks: `index` in code points, `line`, `column`, all from 0).
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar

    Result = TypeVar("Result")

_FLOW_SIGNS = ",]}[{?"
# A colon behind one of these belongs to no plain scalar.
_BEFORE_A_VALUE = frozenset("\"' \t\n\r,[]{}\x85\u2028\u2029")
# The modules in which the extension looks up names while it initialises, beside those that are loaded.
_LOOKED_UP = (
    "reader", "scanner", "parser", "composer", "constructor", "emitter", "serializer", "representer", "tokens",
)  # fmt: skip

lean = False
_yaml: Any = None


def backend() -> Any:
    """Load PyYAML's extension on first use: `CParser`, `CEmitter`, `YAMLError` and the classes of events."""
    global _yaml
    if _yaml is None:
        try:
            _yaml = (_load_alone() if lean and "yaml" not in sys.modules else None) or _public()
        except ImportError as error:
            raise ImportError(
                "krmkit needs PyYAML with its libyaml extension; the wheels on the index carry it"
                " (a source build needs libyaml's headers)"
            ) from error
    return _yaml


def _public() -> Any:
    """Return the extension, or PyYAML's package, which exports its names."""
    try:
        from yaml import _yaml as extension
    except ImportError:
        import yaml
        from yaml import cyaml

        # Without the extension under that name, the package may still have its classes.
        if not hasattr(yaml, "CSafeLoader"):
            raise
        classes = vars(cyaml)
        extension = type(sys)("krmkit.libraries.yaml.extension")
        extension.__dict__.update(vars(yaml), CParser=classes["CParser"], CEmitter=classes["CEmitter"])
    return extension


def _load_alone() -> Any:
    """Load the extension without its package, which is loaded on first access to one of its names.

    Return None if this Python or PyYAML has another structure: then the public import loads the package.
    """
    try:
        import _frozen_importlib as bootstrap

        spec = bootstrap._find_spec("yaml", None)  # type: ignore[attr-defined]  # what `import` itself calls
    except (ImportError, AttributeError, TypeError):
        return None
    if spec is None:
        raise ImportError("No module named 'yaml'")
    package = sys.modules["yaml"] = bootstrap.module_from_spec(spec)
    try:
        from yaml import error, events, nodes  # noqa: F401

        class ReaderError(error.YAMLError):
            """PyYAML's ReaderError, whose own module is costly."""

            def __init__(self, name: Any, position: Any, character: Any, encoding: Any, reason: Any) -> None:
                self.position, self.character, self.reason = position, character, reason

        class Names:
            """A module with names that the extension imports and krmkit never meets."""

            def __getattr__(self, name: str) -> Any:
                return ReaderError if name == "ReaderError" else error.MarkedYAMLError

        for name in _LOOKED_UP:
            setattr(package, name, Names())
        from yaml import _yaml as extension
    except Exception:  # noqa: BLE001  # whatever another PyYAML lacks
        del sys.modules["yaml"]
        return None
    for name in _LOOKED_UP:
        delattr(package, name)

    class Unloaded(type(sys)):  # type: ignore[misc]  # the class of modules
        """A package that runs its code when a name is missing."""

        def __getattr__(self, name: str) -> Any:
            self.__class__ = type(sys)  # type: ignore[assignment]
            spec.loader.exec_module(self)
            return getattr(self, name)

    package.__class__ = Unloaded
    return extension


def accepts(text: str) -> bool:
    """Return True if libyaml's parser accepts a text. Makes no events, in a tenth of `read`'s time."""
    yaml = backend()
    try:
        yaml.CParser(text).raw_parse()
    except (yaml.YAMLError, UnicodeEncodeError):
        return False
    return True


def read(text: str, build: Callable[[Callable[[], Any]], Result]) -> Result:
    """Return the result of `build`, which gets a function that returns the next event of `text`.

    A plain scalar in a flow collection may hold a colon before a comma or bracket, as in `[::1, fe80::]`.
    Go's yaml.v3 reads it, libyaml refuses it: then such colons are masked and the text is read again.
    """
    yaml = backend()
    try:
        return build(yaml.CParser(text).get_event)
    except yaml.YAMLError as error:
        if getattr(error, "problem", "") != "found unexpected ':'":
            raise
        masked, sign = _mask_colons(text)
        if not sign:
            raise
    get_event = yaml.CParser(masked).get_event

    def unmasked() -> Any:
        event = get_event()
        if type(event) is yaml.ScalarEvent and sign in event.value:
            event.value = event.value.replace(sign, ":")
        return event

    return build(unmasked)


def _mask_colons(text: str) -> tuple[str, str]:
    """Mask each colon that ends a plain scalar; return the text and the masking character, or ""."""
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
    """Return the text that libyaml writes for one document.

    steps: ("scalar", text, style or None), ("map", None, flow), ("list", None, flow), ("end map", None, None)
    and ("end list", None, None). emit([("scalar", "a", None)], 80) is "a\\n...\\n".
    """
    from io import StringIO

    yaml = backend()
    make: dict[str, Callable[[object, object], Any]] = {
        "scalar": lambda text, style: yaml.ScalarEvent(None, None, (True, True), text, style=style),
        "map": lambda _, flow: yaml.MappingStartEvent(None, None, True, flow_style=flow),
        "list": lambda _, flow: yaml.SequenceStartEvent(None, None, True, flow_style=flow),
        "end map": lambda *_: yaml.MappingEndEvent(),
        "end list": lambda *_: yaml.SequenceEndEvent(),
    }
    out = StringIO()
    emitter = yaml.CEmitter(out, width=width, allow_unicode=True)
    emitter.emit(yaml.StreamStartEvent())
    emitter.emit(yaml.DocumentStartEvent(explicit=False))
    for name, text, detail in steps:
        emitter.emit(make[name](text, detail))
    emitter.emit(yaml.DocumentEndEvent(explicit=False))
    emitter.emit(yaml.StreamEndEvent())
    return out.getvalue()
