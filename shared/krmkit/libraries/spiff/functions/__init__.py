"""The functions of dynaml, by family. A function gives its value, or a `With`.

    registry.call("join", [",", "a", "b"], env, ...)   # "a,b"

A module is loaded when one of its functions is called first.
"""
