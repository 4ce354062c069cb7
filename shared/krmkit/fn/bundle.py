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

    # (path of the source below the folder of krmkit or that of the function, its time, its size)
    Source = tuple[str, int, int]
    # (name, path of its source below the folder of krmkit, its code); main.py, as __main__, is the last one
    Module = tuple[str, str, CodeType]

PROGRAM = "main.pyc"


def path_of(folder: str) -> str:
    """Where the bundle of the function in `folder` stands: one per Python version."""
    return f"{folder}/__pycache__/modules.{sys.implementation.cache_tag}.bin"


def use(file: str) -> bool:
    """Load krmkit's modules from the bundle of the function whose main.py is `file`; False where none fits."""
    folder = _folder(file)
    root = __file__[: -len("/krmkit/fn/bundle.py")]
    return _load(_read(folder, root)[:-1], root)


def read_code(stored: bytes) -> "list[Module]":
    """The modules as a bundle stores them."""
    from marshal import loads

    # As trusted as the .pyc files next to it.
    modules: list[Module] = loads(stored)
    return modules


def _read(folder: str, root: str) -> "Sequence[Module]":
    """The modules of the bundle in `folder`; none where there is no bundle, or one that does not fit the sources."""
    try:
        from marshal import loads
        from posix import stat

        with open(path_of(folder), "rb") as stream:
            sources, code = loads(stream.read())
        for path, time, size in sources:
            found = stat(f"{root}/{path}" if path != "main.py" else f"{folder}/main.py")
            if found.st_mtime_ns != time or found.st_size != size:
                return ()
        return read_code(code)
    except (ImportError, OSError, EOFError, ValueError, TypeError, AttributeError):
        return ()


def _load(modules: "Sequence[Module]", root: str) -> bool:
    """Make modules of code, each after those that it needs: what importing does, without looking anything up."""
    # What is made here stays, so looking through it for garbage is time lost.
    import gc

    gc.set_threshold(50_000, 20, 50)
    loaded = sys.modules
    make = type(sys)
    for name, path, code in modules:
        module = loaded[name] = make(name)
        module.__file__ = f"{root}/{path}"
        if path.endswith("/__init__.py"):
            module.__path__ = [module.__file__[: -len("/__init__.py")]]
        exec(code, module.__dict__)  # noqa: S102  # what importing is
        package, _, short = name.rpartition(".")
        if package:
            setattr(loaded[package], short, module)
    return bool(modules)


def _folder(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[0] or "."


def _start(file: str) -> None:
    """Run the main.py beside the main.pyc `file`: from the bundle, or where that does not fit, from its source."""
    folder = _folder(file)
    root = f"{folder}/../../shared"
    modules = _read(folder, root)
    space = globals()
    space["__file__"] = main = f"{folder}/main.py"
    if _load(modules[:-1], root):
        exec(modules[-1][2], space)  # noqa: S102  # the same
        return
    with open(main, "rb") as stream:
        exec(compile(stream.read(), main, "exec", dont_inherit=True), space)  # noqa: S102  # the same


if __name__ == "__main__":
    _start(__file__)
