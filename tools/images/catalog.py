"""The entry point of the image `catalog`: the first argument names a function, or a command of krmkit."""

from __future__ import annotations

import marshal
import sys

FUNCTIONS = "/krmkit/functions"

sys.path.insert(0, "/krmkit/shared")
name = sys.argv[1] if len(sys.argv) > 1 else "--help"

try:
    # No name reaches outside of the folder, and `entry` is this file.
    with open(f"{FUNCTIONS}/{name.replace('/', '') or '.'}/main.pyc", "rb") as stream:
        program = stream.read()[16:] if name != "entry" else b""
except OSError:
    program = b""

if program:
    # As if the function's program had been started, without starting a second interpreter.
    __file__ = f"{FUNCTIONS}/{name}/main.pyc"
    sys.argv[:] = [__file__, *sys.argv[2:]]
    exec(marshal.loads(program))  # noqa: S102  # what starting it is
elif name in {"-h", "--help", "help"}:
    from krmkit.cli import usage
    from krmkit.fn.loader import names

    print(usage(), end="")
    print("In this image also: FUNCTION [FILE] ..., one function on the ResourceList on stdin. Functions:\n")
    print("".join(f"  {function}\n" for function in names()), end="")
else:
    from krmkit.cli import COMMANDS, main

    if name in COMMANDS or name == "--version":
        raise SystemExit(main(sys.argv[1:]))
    from krmkit.fn.loader import names
    from krmkit.lang.nearest import did_you_mean

    known = [*names(), *COMMANDS]
    print(f'krmkit: there is no function or command "{name}"{did_you_mean(name, known)}', file=sys.stderr)
    raise SystemExit(2)
