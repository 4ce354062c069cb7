"""The entry point of the image `catalog`: the first argument names a function, or a command of krmkit."""

from __future__ import annotations

import sys

FUNCTIONS = "/krmkit/functions"

sys.path.insert(0, "/krmkit/shared")
name = sys.argv[1] if len(sys.argv) > 1 else "--help"

# No name reaches outside of the folder, and `entry` is this file.
program = f"{FUNCTIONS}/{name.replace('/', '') or '.'}/main.pyc"
try:
    open(program, "rb").close()
    is_function = name != "entry"
except OSError:
    is_function = False

if is_function:
    # As if the function's program had been started, without starting a second interpreter.
    from krmkit.fn.bundle import start

    sys.argv[:] = [program, *sys.argv[2:]]
    start(program, globals())
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
