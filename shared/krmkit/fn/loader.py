"""Find the catalog's functions on disk and load them by path: a folder's name is no Python name.

They stand in `functions/` beside `shared/` (a checkout, an image) or in `krmkit/_functions` (an installation).

What a pipeline loads before the first bundle has to be found and read file by file, so it is little: all that a
bundle brings along is imported where it is used, and annotations stand in quotes, which spares `__future__`.
"""

import sys

from krmkit.fn import bundle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.fn.definition import Definition
    from krmkit.fn.run import Process


class Function:
    """A function that can be called: its folder, its `definition` and its `process`, each loaded when asked for."""

    __slots__ = ("_definition", "_process", "folder", "name")

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.name = folder.replace("\\", "/").rpartition("/")[2]
        self._definition: Definition | None = None
        self._process: Process | None = None

    @property
    def main(self) -> str:
        """The path of main.py."""
        return self.folder + "/main.py"

    @property
    def definition(self) -> "Definition":
        """What function.yaml says. Raises OSError, ValueError."""
        if self._definition is None:
            from krmkit.fn.definition import Definition

            self._definition = Definition.load(self.folder)
        return self._definition

    @property
    def process(self) -> "Process":
        """`process` of main.py."""
        if self._process is None:
            name = "krmkit._functions." + self.name.replace("-", "_")
            module = type(sys)(name)
            module.__file__ = self.main
            if not bundle.run(self.main, module.__dict__):
                from importlib.machinery import SourceFileLoader

                SourceFileLoader(name, self.main).exec_module(module)
            process: Process = module.process
            self._process = process
        return self._process


def functions_folder() -> str:
    """The folder that holds one folder for each function."""
    import os

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "_functions")
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(os.path.dirname(package)), "functions")


def names() -> list[str]:
    """The names of the catalog's functions, sorted."""
    from krmkit.fn._index import FUNCTIONS

    return sorted(FUNCTIONS)


def load(name: str) -> Function:
    """The function of the catalog called `name`. Raises LookupError that proposes the nearest name."""
    from krmkit.fn._index import FUNCTIONS

    if name not in FUNCTIONS:
        from krmkit.lang.nearest import did_you_mean

        raise LookupError(f'there is no function "{name}"{did_you_mean(name, FUNCTIONS)}')
    return Function(f"{functions_folder()}/{name}")


def at(folder: str) -> Function:
    """The function in `folder`, wherever that is. Raises LookupError where no function.yaml is in it."""
    import os

    folder = os.path.abspath(folder)
    if not os.path.isfile(folder + "/function.yaml"):
        raise LookupError(f"there is no function.yaml in {folder}")
    return Function(folder)
