"""The entry point of the image `catalog`: the first argument names a function, or a command of krmkit."""

from __future__ import annotations

import sys

sys.path.insert(0, "/krmkit/shared")
from krmkit.fn.loader import names

name = sys.argv[1] if len(sys.argv) > 1 else "--help"
if name in names():
    from krmkit.start import function

    del sys.argv[1]
    function(name)
elif name in {"-h", "--help", "help"}:
    from krmkit.cli import usage

    print(usage(), end="")
    print("In this image also: FUNCTION [FILE] ..., one function on the ResourceList on stdin. Functions:\n")
    print("".join(f"  {function_name}\n" for function_name in names()), end="")
else:
    from krmkit.cli import COMMANDS

    if name in COMMANDS or name == "--version":
        from krmkit.start import command

        command()
    from krmkit.libraries.messages.nearest import did_you_mean

    known = [*names(), *COMMANDS]
    print(f'krmkit: there is no function or command "{name}"{did_you_mean(name, known)}', file=sys.stderr)
    raise SystemExit(1)
