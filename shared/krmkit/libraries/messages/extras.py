"""Advice on packages that only some functions and commands need. No release is on a package index yet."""


class MissingDependencyError(Exception):
    """A package is not installed; the message names it and the command that installs it."""


def how(extra: str) -> str:
    """Return the advice for the end of an error: `how("cel")` ends in `pip install '.[cel]'`."""
    return f"install krmkit with the extra [{extra}]; in the folder of its checkout: pip install '.[{extra}]'"


def missing(what: str, error: ImportError, extra: str = "") -> MissingDependencyError:
    """Return the error for a failed import. `extra` is "" for a package of every installation.

    Example: `missing("CEL rules", error, "cel")` reads `CEL rules need the package cel_expr_python, which is
    not installed: ...`. If a module of krmkit itself is missing, the import's own error is raised again.
    """
    package = (error.name or str(error)).partition(".")[0]
    if package == "krmkit":
        raise error
    if package == "google":
        package = "protobuf"  # which has a folder in a namespace of many packages
    remedy = how(extra) if extra else "install krmkit again; in the folder of its checkout: pip install ."
    return MissingDependencyError(f"{what} need the package {package}, which is not installed: {remedy}")


def lacking(error: ImportError, extra: str) -> str:
    """Return the message for an extra's missing package: `needs hypercorn: install krmkit with ...`.

    An error about krmkit's own modules is raised again.
    """
    package = (error.name or "krmkit").partition(".")[0]
    if package == "krmkit":
        raise error
    return f"needs {package}: {how(extra)}"
