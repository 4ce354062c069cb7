"""The command of each function, as pip installs it: the name it is called by says which function is meant."""

from __future__ import annotations

import os
import sys

from krmkit.fn import loader
from krmkit.fn import main as entry


def main() -> int:
    """Run the function whose name is that of the command; returns the exit code."""
    name = os.path.basename(sys.argv[0]).removesuffix(".exe").removesuffix("-script.py")
    function = loader.load(name)
    return entry.main(function.main, function.process)
