"""Entry points of installed commands: `function` for a function's program, `command` for `krmkit`."""

import sys

from krmkit.process import buffer_streams, end_in_order, quiet_interrupts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def function(name: str) -> "NoReturn":
    """Run the function `name` of the catalog on the process's arguments and streams, and end the process."""
    quiet_interrupts()
    isolate()
    from krmkit.fn.entry import main
    from krmkit.fn.loader import load

    found = load(name)
    quiet_interrupts(False)
    main(found.main, found.process)


def command() -> "NoReturn":
    """Run `krmkit ...` and end the process."""
    quiet_interrupts()
    isolate()
    from krmkit.cli import main
    from krmkit.fn.entry import leave

    quiet_interrupts(False)
    end_in_order()
    buffer_streams()
    try:
        code = main()
    except KeyboardInterrupt:
        code = 130
    leave(code)


def isolate() -> None:
    """Put the standard library before the folders of PYTHONPATH and the folder of the script.

    Both precede it in sys.path, so a `json.py` there would replace Python's own. They are kept, at the end,
    because `pip install --target` relies on them. Modules that Python loads before a program begins
    (`sitecustomize`, imports of .pth files) are loaded by then; only `python -I` keeps them out.
    """
    import os

    library = os.path.dirname(os.__file__)
    if library in sys.path:
        at = sys.path.index(library)
        sys.path[:] = sys.path[at:] + sys.path[:at]
