"""How to get the packages that only some functions and commands need. No release of krmkit is on a package index yet."""


def how(extra: str) -> str:
    """What to do, for the end of an error: `how("cel")` ends in `pip install '.[cel]'`."""
    return f"install krmkit with the extra [{extra}]; in the folder of its checkout: pip install '.[{extra}]'"


def lacking(error: ImportError, extra: str) -> str:
    """What to say where a package of an extra is not there: `needs hypercorn: install krmkit with ...`.

    Raises the error again where it is krmkit's own.
    """
    package = (error.name or "krmkit").partition(".")[0]
    if package == "krmkit":
        raise error
    return f"needs {package}: {how(extra)}"
