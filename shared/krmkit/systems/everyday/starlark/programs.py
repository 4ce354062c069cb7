"""Run Starlark programs on plain data, by starlark-rust (the package starlark-pyo3, an extra).

A program has no files, network or clock. Its steps, its call depth and its input to print, json and yaml are
limited. Other built-in functions, such as a comparison of long lists, count no steps. So a child process runs
the program, limited to MOST_MEMORY, and to MOST_SECONDS of processor time at the default effort, which is far
more than the steps need.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.libraries.json import with_sorted_keys
from krmkit.libraries.messages.extras import missing
from krmkit.libraries.process.child import Child
from krmkit.libraries.yaml import effort, emit
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.systems.everyday.starlark import jsonmodule, modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DEEPEST = 200
"""Call depth."""
MOST_MEMORY = 512 << 20
"""Bytes of data by which the process may grow while a program runs."""
MOST_SECONDS = 10
"""Seconds of processor time that a program may take, more with `--limit effort`."""
_STEPS = 400  # steps of effort between two checks of the interpreter's limit
_FILE = "prog"
_MOST_LINES = 1_000

# Numbers that the interpreter does not take are texts for the program, and come back as the numbers.
_NUMBERS = {"\ue0f0.inf": float("inf"), "\ue0f0-.inf": float("-inf"), "\ue0f0.nan": float("nan")}


def run_program(
    source: str, items: list[object], config: object, compares_groups: bool, missed: list[str]
) -> tuple[object, list[str]]:
    """Run a program on `ctx.resource_list`; return the new items and the printed lines.

    compares_groups: match_gvk matches an apiVersion with a group. missed: receives the apiVersions that
    match_gvk does not match otherwise, sorted, even if the program fails. Raises Refused, and
    MissingDependencyError without the interpreter.
    """
    try:
        import starlark
    except ImportError as error:
        raise missing("Starlark programs", error, "starlark") from None
    try:
        # The child returns errors as text: the interpreter's exceptions cannot be pickled.
        (failed, is_limit, left, printed, found), steps = Child(
            lambda: effort.counted(lambda: _run(starlark, source, _sealed(items), config, compares_groups)),
            MOST_MEMORY,
            MOST_SECONDS * max(1, (effort.left() or 0) // effort.DEFAULT),
        ).answer()
        effort.take(steps)
    except MemoryError:
        raise _too_much(f"more than {MOST_MEMORY >> 20} MiB of memory") from None
    except TimeoutError as error:
        raise _too_much(f"{error}, in built-in functions, which take no steps") from None
    except ChildProcessError as error:
        message = f"the interpreter crashed ({error}), as it does if a value or the program is too deep"
        raise Refused(Finding("limit", message)) from None
    missed += found
    if failed:
        raise Refused(Finding("limit" if is_limit else "program", failed))
    return _opened(left), printed


def _too_much(needed: str) -> Refused:
    return Refused(Finding("limit", f"the program needs {needed}"))


def _sealed(data: Any) -> Any:
    """Replace infinite numbers and NaN in data by texts."""
    texts = {repr(number): text for text, number in _NUMBERS.items()}
    return _mapped(data, lambda leaf: texts.get(repr(leaf), leaf) if isinstance(leaf, float) else leaf)


def _opened(data: Any) -> Any:
    return _mapped(data, lambda leaf: _NUMBERS.get(leaf, leaf) if isinstance(leaf, str) else leaf)


def _mapped(data: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(data, dict):
        return {key: _mapped(value, change) for key, value in data.items()}
    return [_mapped(value, change) for value in data] if isinstance(data, list) else change(data)


class _Watched:
    """The Python functions for programs: each call uses up effort and is recorded."""

    __slots__ = ("compares_groups", "is_over", "missed", "printed", "too_much")

    def __init__(self, compares_groups: bool) -> None:
        self.compares_groups = compares_groups
        self.printed: list[str] = []
        self.missed: set[str] = set()
        self.is_over = False
        self.too_much = ""

    def finds(self, api_version: str) -> bool:
        if self.compares_groups or "/" not in api_version:
            return True
        self.missed.add(api_version)
        return False

    def spent(self, steps: int = _STEPS) -> bool:
        try:
            effort.charge(steps)
        except effort.EffortError:
            self.is_over = True
        return self.is_over

    def spend(self, steps: int) -> None:
        if self.spent(steps):
            raise effort.EffortError(effort.used_up())

    def exceed(self) -> None:
        most = f"{DEFAULT_LIMITS.depth} deep, {modules.MOST_VALUES:,} values together"
        self.too_much = f"must be at most {most}"
        raise ValueError(self.too_much)

    def show(self, sep: str, *words: object) -> None:
        if len(self.printed) < _MOST_LINES:
            self.printed.append(sep.join(str(word) for word in words))
            self.spend(len(self.printed[-1]) // 4)


def _run(
    starlark: Any, source: str, items: object, config: object, compares_groups: bool
) -> tuple[str, bool, object, list[str], list[str]]:
    """Run in the child; return (error, is a limit, items, printed lines, missed apiVersions)."""
    watched = _Watched(compares_groups)
    leaves = False
    dialect = starlark.Dialect.extended()
    dialect.enable_top_level_stmt = True
    dialect.enable_load = True
    extension = starlark.LibraryExtension
    parts = [extension.StructType, extension.Map, extension.Filter, extension.Partial]
    library = starlark.Globals.extended_by(parts)
    native = starlark.Globals.extended_by([*parts, extension.Json])

    def load(name: str) -> Any:
        if name not in modules.LOADABLE:
            raise FileNotFoundError(f"{name}: there are {', '.join(modules.LOADABLE)}")
        return own(name)

    def own(name: str) -> Any:
        module = starlark.Module()
        for called, function in (
            ("_loads", _loads),
            ("_dumps", _dumps),
            ("_encode", jsonmodule.encode),
            ("_indent", jsonmodule.indent),
            ("_finds", watched.finds),
            ("_show", watched.show),
            ("_spend", watched.spend),
            ("_exceed", watched.exceed),
        ):
            module.add_callable(called, function)
        module["_most"], module["_deepest"] = modules.MOST_VALUES, DEFAULT_LIMITS.depth
        run(module, name, modules.MODULES[name], native if name == "native" else library)
        return module.freeze()

    def run(module: Any, name: str, text: str, known: Any = library) -> None:
        starlark.eval(module, starlark.parse(name, text, dialect), known, starlark.FileLoader(own))

    module = starlark.Module()
    head = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}
    module["resource_list"] = {**head, "items": items, "functionConfig": _sealed(config)}
    options = starlark.EvalOptions(check_cancelled=watched.spent, max_callstack_size=DEEPEST)
    try:
        run(module, "head", modules.HEAD)
        tree = starlark.parse(_FILE, source, dialect)
        starlark.eval_with(options, module, tree, library, starlark.FileLoader(load))
        leaves = True
        run(module, "tail", modules.TAIL)
        data: Any = module["resource_list"]
    except starlark.StarlarkError as error:
        if watched.too_much:
            what = "the resources that the program leaves" if leaves else "what a program prints or encodes"
            return f"{what} {watched.too_much}", True, None, [], []
        said = effort.used_up() if watched.is_over else _message(str(error))
        return said, watched.is_over, None, [], sorted(watched.missed)
    left = data.get("items") if isinstance(data, dict) else None
    return "", False, left, watched.printed, sorted(watched.missed)


def _loads(text: str) -> object:
    return go_data(parse(text).root)


def _dumps(data: object) -> str:
    return emit.document(with_sorted_keys(data))


def _message(text: str) -> str:
    """Shorten the interpreter's message to one line with its place: `fail: x (prog:3:1)`."""
    lines = [line for line in text.split("\n") if line.strip()]
    said = next(
        (line for line in lines if line.startswith("error: ")), lines[0] if lines else "unknown error"
    )
    place = next((line.partition("-->")[2].strip() for line in lines if "-->" in line), "")
    said = said.removeprefix("error: ")
    return said if said.startswith("fail: ") or not place else f"{said} ({place})"
