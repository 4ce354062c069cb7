"""All modules of a function in one file, so that a small run does not spend half its time on finding them.

A run of a function imports some forty small modules; looking each up, reading and checking its .pyc costs more than the
run itself. `krmkit.fn.compile` writes the compiled code (without docstrings) of everything that a function loads into
one file beside the function's .pyc; `use` lets imports come from there. A bundle is used only while every source in it has the time
and size that it had when the bundle was made, so it can be stale as little as a .pyc. Without one, imports work as
ever.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, ModuleType
    from typing import Any

    # (is a package, path below the folder of krmkit, time of the source, its size, its code as marshal writes it)
    Entry = tuple[bool, str, int, int, bytes]


def path_of(folder: str) -> str:
    """Where the bundle of the function in `folder` stands: one per Python version."""
    return f"{folder}/__pycache__/modules.{sys.implementation.cache_tag}.bin"


def use(file: str) -> bool:
    """Import krmkit's modules from the bundle of the function whose main.py is `file`; False where none fits."""
    import marshal

    try:
        from posix import stat

        with open(path_of(file.replace("\\", "/").rpartition("/")[0] or "."), "rb") as stream:
            # As trusted as the .pyc files next to it.
            entries: dict[str, Entry] = marshal.loads(stream.read())
        root = __file__[: -len("/krmkit/fn/bundle.py")]
        for _, path, time, size, _ in entries.values():
            found = stat(f"{root}/{path}")
            if found.st_mtime_ns != time or found.st_size != size:
                return False
    except (ImportError, OSError, EOFError, ValueError, TypeError, AttributeError):
        return False
    sys.meta_path.insert(0, _Finder(root, entries))
    # Modules are no garbage, and the default thresholds would look through them several times while they load.
    import gc

    gc.set_threshold(50_000, 20, 50)
    return True


class _Finder:
    """Finds and loads the modules of a bundle (the two protocols of `importlib` in one object)."""

    __slots__ = ("entries", "loads", "root")

    def __init__(self, root: str, entries: dict[str, Entry]) -> None:
        import marshal

        self.root = root
        self.entries = entries
        self.loads = marshal.loads

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        entry = self.entries.get(name)
        if entry is None:
            return None
        origin = f"{self.root}/{entry[1]}"
        make: Any = type(sys.__spec__)
        spec = make(name, self, origin=origin, is_package=entry[0])
        spec.has_location = True
        if entry[0]:
            spec.submodule_search_locations.append(origin[: -len("/__init__.py")])
        return spec

    def create_module(self, spec: object) -> None:
        """The usual module."""

    def exec_module(self, module: ModuleType) -> None:
        exec(self.get_code(module.__name__), module.__dict__)  # noqa: S102  # what importing is

    def get_code(self, name: str) -> CodeType:
        """The code of a module, as tracebacks and runpy ask for it."""
        code: CodeType = self.loads(self.entries[name][4])
        return code


def write(folder: str, sources: Iterable[tuple[str, str]], root: str) -> None:
    """Write the bundle of the function in `folder`: `sources` are (module name, path below `root`)."""
    import marshal
    import os

    entries: dict[str, Entry] = {}
    for name, path in sources:
        place = f"{root}/{path}"
        with open(place, "rb") as stream:
            source = stream.read()
        found = os.stat(place)
        code = marshal.dumps(compile(source, place, "exec", dont_inherit=True, optimize=2))
        entries[name] = (path.endswith("__init__.py"), path, found.st_mtime_ns, found.st_size, code)
    target = path_of(folder)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target + ".new", "wb") as stream:
        stream.write(marshal.dumps(entries))
    os.replace(target + ".new", target)
