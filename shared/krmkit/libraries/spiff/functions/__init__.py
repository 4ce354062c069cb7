"""The functions of dynaml, by family. A function returns its value, or a `With`.

    registry.call("join", [",", "a", "b"], env, ...)   # "a,b"

The first call of a function loads its module.
"""
