"""Find functions on disk and load them by path: a folder's name is no Python name.

The catalog's functions stand in `functions/` beside `shared/` (a checkout, an image) or in `krmkit/_functions` (an
installation). Their code is compiled once, into `__pycache__` beside it, as an import does it.
"""

import os
import sys
from _frozen_importlib_external import SourceFileLoader  # importlib.machinery without its package

from krmkit.fn.definition import FunctionDefinition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from krmkit.fn.run import Process


class Function:
    """A function that can be called: its folder, its `definition` and its `process`, each loaded on first access."""

    __slots__ = ("_definition", "_process", "folder", "name")

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.name = os.path.basename(folder)
        self._definition: FunctionDefinition | None = None
        self._process: Process | None = None

    @property
    def main(self) -> str:
        """The path of main.py."""
        return self.folder + "/main.py"

    @property
    def definition(self) -> FunctionDefinition:
        """What function.yaml says. Raises OSError, ValueError."""
        if self._definition is None:
            self._definition = definition(self.folder)
        return self._definition

    @property
    def process(self) -> "Process":
        """`process` of main.py."""
        if self._process is None:
            process: Process = _module(self.folder, "main").process
            self._process = process
        return self._process


def definition(folder: str) -> FunctionDefinition:
    """The definition of the function in `folder`: from definition.py, which `make generate` writes, else function.yaml.

    Raises OSError, or ValueError that says what is wrong in function.yaml.
    """
    try:
        data = _module(folder, "definition").DEFINITION
    except FileNotFoundError:
        data = FunctionDefinition.read(folder)
    return FunctionDefinition(data, folder)


def _module(folder: str, name: str) -> "ModuleType":
    """The module `name`.py in the folder of a function. Raises FileNotFoundError."""
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


def functions_folder() -> str:
    """The folder that holds one folder for each function."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "_functions")
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(os.path.dirname(package)), "functions")


def names() -> list[str]:
    """The names of the catalog's functions, sorted."""
    folder = functions_folder()
    return sorted(name for name in os.listdir(folder) if os.path.isfile(f"{folder}/{name}/function.yaml"))


def load(name: str) -> Function:
    """The function of the catalog called `name`. Raises LookupError that proposes the nearest name."""
    folder = f"{functions_folder()}/{name}"
    if "/" in name or not os.path.isfile(folder + "/function.yaml"):
        from krmkit.lang.nearest import did_you_mean

        raise LookupError(f'there is no function "{name}"{did_you_mean(name, names())}')
    return Function(folder)


def at(folder: str) -> Function:
    """The function in `folder`, wherever that is. Raises LookupError where no function.yaml is in it."""
    folder = os.path.abspath(folder)
    if not os.path.isfile(folder + "/function.yaml"):
        raise LookupError(f"there is no function.yaml in {folder}")
    return Function(folder)
