"""All modules of a function in one file, so that a small run does not spend half its time on finding them.

A run of a function loads some forty small modules; looking each up, reading and checking its .pyc costs more than the
run itself. `krmkit.fn.compile` writes the compiled code (without docstrings) of the main.py and of everything that it
loads into one file beside the function's .pyc, in the order in which they are loaded. A bundle is used only while every
source in it has the time and size that it had when the bundle was made, so it can be stale as little as a .pyc.
Without one, imports work as ever.

There are two ways in: a main.py calls `use`; and this file itself, compiled and put beside a main.py as main.pyc, is
what images start, so that not even the main.py has to be compiled on every run.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import Any

    # (name, path of its source below the folder of krmkit, time and size of the source, size of its code); the last one
    # is main.py, as __main__, below the folder of the function
    Entry = tuple[str, str, int, int, int]
    # (name, path, its code as marshal writes it)
    Module = tuple[str, str, bytes]

PROGRAM = "main.pyc"
# A bundle begins with the size of its list of entries in so many bytes, least first; behind the list are the codes.
SIZE = 4
_AHEAD = 16_384  # bytes: more than most lists have


def path_of(folder: str) -> str:
    """Where the bundle of the function in `folder` stands: one per Python version."""
    return f"{folder}/__pycache__/modules.{sys.implementation.cache_tag}.bin"


def use(file: str) -> bool:
    """Load krmkit's modules from the bundle of the function whose main.py is `file`; False where none fits."""
    _no_garbage()
    root = _shared()
    modules = _read(_folder(file), root)
    _load(modules, root)
    return bool(modules)


def run(file: str, space: "dict[str, Any]", root: str = "") -> bool:
    """Run the main.py `file` from its bundle, in the namespace `space`; False where none fits, and nothing was done."""
    root = root or _shared()
    modules = _read(_folder(file), root)
    _load(modules, root)
    if modules:
        _execute(_code(modules[-1][2]), space)
    return bool(modules)


def start(program: str, space: "dict[str, Any]") -> None:
    """Run the function whose main.pyc is `program` in the namespace of __main__: from the bundle, or from its source."""
    folder = _folder(program)
    space["__file__"] = main = f"{folder}/main.py"
    _no_garbage()
    if not run(main, space, f"{folder}/../../shared"):
        with open(main, "rb") as stream:
            source = stream.read()
        _execute(compile(source, main, "exec", dont_inherit=True), space)


def _read(folder: str, root: str) -> "Sequence[Module]":
    """The modules of the bundle in `folder` that are not loaded yet, and the main.py.

    Nothing where there is no bundle, or one that does not fit the sources. A process that runs several functions has most
    modules of the later ones, so their code is not even read.
    """
    try:
        from marshal import loads
        from posix import O_RDONLY, close, fstat, pread, stat
        from posix import open as open_file

        # As trusted as the .pyc files next to it.
        file = open_file(path_of(folder), O_RDONLY)
        try:
            head = pread(file, _AHEAD, 0)
            at = SIZE + int.from_bytes(head[:SIZE], "little")
            if at > _AHEAD:
                head = pread(file, min(at, fstat(file).st_size), 0)
            entries: list[Entry] = loads(head[SIZE:at])
            modules = []
            for name, path, time, size, length in entries:
                if name == "__main__" or name not in sys.modules:
                    found = stat(f"{root}/{path}" if name != "__main__" else f"{folder}/{path}")
                    code = pread(file, length, at)
                    if found.st_mtime_ns != time or found.st_size != size or len(code) != length:
                        return ()
                    modules.append((name, path, code))
                at += length
        finally:
            close(file)
        # Without a main.py at its end, nothing would run, and nothing would be put out.
        return modules if modules and modules[-1][0] == "__main__" else ()
    except (
        ImportError,
        OSError,
        EOFError,
        ValueError,
        TypeError,
        AttributeError,
        LookupError,
        OverflowError,
        MemoryError,
    ):
        return ()


def _load(modules: "Sequence[Module]", root: str) -> None:
    """Make modules of code, each after those that it needs: what importing does, without looking anything up.

    The last one, main.py, is not among them.
    """
    loaded = sys.modules
    make = type(sys)
    for name, path, code in modules[:-1]:
        if name in loaded:
            continue
        module = loaded[name] = make(name)
        module.__file__ = f"{root}/{path}"
        if path.endswith("/__init__.py"):
            module.__path__ = [module.__file__[: -len("/__init__.py")]]
        try:
            _execute(_code(code), module.__dict__)
        except BaseException:
            del loaded[name]
            raise
        package, _, short = name.rpartition(".")
        if package:
            setattr(loaded[package], short, module)


def _code(data: bytes) -> "CodeType":
    from marshal import loads

    code: CodeType = loads(data)
    return code


def _execute(code: "CodeType", space: "dict[str, Any]") -> None:
    exec(code, space)  # noqa: S102  # what importing is


def _no_garbage() -> None:
    """What is loaded stays, and the default thresholds would look through it several times meanwhile."""
    import gc

    gc.set_threshold(50_000, 20, 50)


def _folder(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[0] or "."


def _shared() -> str:
    return __file__[: -len("/krmkit/fn/bundle.py")]


if __name__ == "__main__":
    start(__file__, globals())
