"""Find functions on disk and load them by path, because a folder's name is not a Python name.

The catalog's functions are in `functions/` beside `shared/` (a checkout, an image) or in `krmkit/_functions`
(an installation). Their code is compiled once, into `__pycache__` beside it, as with an import.
"""

import os
import sys

try:
    from _frozen_importlib_external import SourceFileLoader  # importlib.machinery without its package
except ImportError:
    from importlib.machinery import SourceFileLoader

from krmkit.fn.definition import FunctionDefinition
from krmkit.krm.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from krmkit.fn.run import Process


class Function:
    """A function that can be called. `definition` and `process` are loaded on first access."""

    __slots__ = ("_definition", "_process", "folder", "name")

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.name = os.path.basename(folder)
        self._definition: FunctionDefinition | None = None
        self._process: Process | None = None

    @property
    def main(self) -> str:
        """Return the path of main.py."""
        return self.folder + "/main.py"

    @property
    def definition(self) -> FunctionDefinition:
        """Return the content of function.yaml. Raises OSError, ValueError."""
        if self._definition is None:
            self._definition = definition(self.folder)
        return self._definition

    @property
    def process(self) -> "Process":
        """Return `process` of main.py."""
        if self._process is None:
            process: Process = _module(self.folder, "main").process
            self._process = process
        return self._process


def definition(folder: str) -> FunctionDefinition:
    """Return the definition of the function in `folder`, from definition.py, else from function.yaml.

    Raises OSError, or ValueError if function.yaml is invalid.
    """
    try:
        data = _module(folder, "definition").DEFINITION
    except FileNotFoundError:
        data = FunctionDefinition.read(folder)
    return FunctionDefinition(data, folder)


def _module(folder: str, name: str) -> "ModuleType":
    package = "krmkit._functions." + os.path.basename(folder).replace("-", "_")
    module = type(sys)(f"{package}.{name}")
    loader = SourceFileLoader(module.__name__, f"{folder}/{name}.py")
    module.__file__ = loader.path
    sys.modules[module.__name__] = module
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[module.__name__]
        raise
    return module


def unloadable(function: Function, error: Exception) -> str:
    """Return the message for a main.py that cannot be loaded.

    Example: `f/main.py cannot be loaded: line 3: SyntaxError: invalid syntax`.
    """
    if isinstance(error, AttributeError) and error.name == "process":
        return (
            f"{function.main} cannot be loaded: it must have a function process(resources, config, results)"
        )
    line = error.lineno if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None and not isinstance(error, SyntaxError):
        if trace.tb_frame.f_code.co_filename == function.main:
            line = trace.tb_lineno
        trace = trace.tb_next
    message = error.msg if isinstance(error, SyntaxError) else error
    where = f"line {line}: " if line else ""
    return f"{function.main} cannot be loaded: {where}{type(error).__name__}: {message}"


def functions_folder() -> str:
    """Return the folder that holds one folder for each function."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "_functions")
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(os.path.dirname(package)), "functions")


def names() -> list[str]:
    """Return the sorted names of the catalog's functions."""
    folder = functions_folder()
    return sorted(name for name in os.listdir(folder) if os.path.isfile(f"{folder}/{name}/function.yaml"))


def load(name: str, known: "dict[str, Function] | None" = None) -> Function:
    """Return the function called `name` in `known` or in the catalog.

    Raises Refused, with the nearest name, for an unknown one.
    """
    folder = f"{functions_folder()}/{name}"
    if known is not None:
        if name in known:
            return known[name]
    elif "/" not in name and os.path.isfile(folder + "/function.yaml"):
        return Function(folder)
    from krmkit.libraries.messages.nearest import did_you_mean

    there = sorted(known) if known is not None else names()
    raise Refused(f'there is no function "{name}"{did_you_mean(name, there)}')


def at(folder: str) -> Function:
    """Return the function in any folder. Raises Refused if it has no function.yaml."""
    folder = os.path.abspath(folder)
    if not os.path.isfile(folder + "/function.yaml"):
        raise Refused(f"there is no function.yaml in {folder}")
    return Function(folder)
