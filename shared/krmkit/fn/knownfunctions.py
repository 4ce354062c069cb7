"""Find the functions that a command knows: krmkit's own, and those in the user's folders (`--functions`).

    catalog(["my-functions"])["label-teams"].definition.summary

A folder is a function's own (it has function.yaml and main.py), or holds such folders.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from krmkit.fn import loader
from krmkit.fn.loader import Function
from krmkit.krm.errors import Refused

DEFINITION = "function.yaml"
PROGRAM = "main.py"


def catalog(folders: Iterable[str] = ()) -> dict[str, Function]:
    """Return krmkit's own functions and those in `folders`, by name.

    Raises Refused for two functions with one name.
    """
    place = loader.functions_folder()
    found = {name: Function(f"{place}/{name}") for name in loader.names()}
    own = frozenset(found)
    for folder in folders:
        for function in functions_in(folder):
            other = found.setdefault(function.name, function)
            if other.folder != function.folder:
                where = "krmkit" if function.name in own else other.folder
                raise Refused(
                    f"{function.folder}: {where} has a function {function.name} too; give one of them another name"
                )
    return found


def functions_in(folder: str) -> list[Function]:
    """Return the functions in a folder. Raises Refused if one is incomplete."""
    if not os.path.isdir(folder):
        kind = "is a file" if os.path.exists(folder) else "does not exist"
        raise Refused(f"{folder}: {kind}; name the folder of a function, or one that holds such folders")
    places = [folder]
    if not os.path.isfile(os.path.join(folder, DEFINITION)):
        places = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        places = [place for place in places if os.path.isfile(os.path.join(place, DEFINITION))]
    if not places:
        raise Refused(
            f"{folder}: holds no function: neither it nor a folder in it has a {DEFINITION};"
            " krmkit new function DIR makes one"
        )
    return [_checked(place) for place in places]


def _checked(folder: str) -> Function:
    """Return the function of a folder that has a function.yaml. Raises Refused if it has no main.py."""
    function = Function(os.path.realpath(folder))
    path = os.path.join(folder, DEFINITION)
    try:
        name = function.definition.name
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise Refused(f"{path}: {error}") from None
    if name != function.name:
        raise Refused(f'{path}: name must be that of its folder, "{function.name}", got "{name}"')
    if not os.path.isfile(os.path.join(folder, PROGRAM)):
        raise Refused(f"{folder}: has a {DEFINITION} and no {PROGRAM}")
    return function
