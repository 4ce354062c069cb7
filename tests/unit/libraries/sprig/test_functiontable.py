"""The sets: what is in each, and that every entry leads to a function that takes what the entry says."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module

import pytest

from krmkit.libraries.sprig import SETS, call, functions, functiontable

ENTRIES = [
    line.partition(" = ")[2].partition(" > ")[0].split(" ")
    for line in (functiontable.FUNCTIONS + functiontable.LANDSCAPER).splitlines()
    if line
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry[0])
def test_each_entry_fits_its_function(entry: list[str]) -> None:
    """The parameters of the catalog are those of the implementation."""
    module, _, name = entry[0].rpartition(".")
    if module == "str":
        assert getattr(str, name)(*["text"] * len(entry[1:])) is not None
        return
    signature = inspect.signature(
        getattr(
            import_module(
                f"krmkit.libraries.{module}"
                if module.startswith("go.")
                else f"krmkit.libraries.sprig.{module}"
            ),
            name,
        )
    )

    arguments: list[None] = [None] * len(entry[1:])
    signature.bind(*arguments)
    if entry[-1].startswith("..."):
        signature.bind(*arguments[:-1])
        signature.bind(*arguments, *arguments)
    else:
        kinds = {parameter.kind for parameter in signature.parameters.values()}
        if inspect.Parameter.VAR_POSITIONAL not in kinds:
            with pytest.raises(TypeError):
                signature.bind(*arguments, None)


def test_the_sets() -> None:
    """hermetic leaves out what is not repeatable, landscaper adds YAML, none reads the environment."""
    everything, hermetic, landscaper = (functions(name) for name in SETS)

    assert set(everything) - set(hermetic) == functiontable.NOT_HERMETIC
    assert set(landscaper) - set(everything) == {"toYaml", "fromYaml"}
    for functions_of_set in (everything, hermetic, landscaper):
        assert "env" not in functions_of_set
        assert "expandenv" not in functions_of_set
    with pytest.raises(ValueError, match="the sets are sprig, hermetic, landscaper"):
        functions("helm")


def test_a_set_is_the_callers_own() -> None:
    """Changing a set changes no other one."""
    functions("sprig").clear()

    assert "trim" in functions("sprig")


def test_an_unknown_name() -> None:
    """call knows the functions of sprig only."""
    with pytest.raises(KeyError):
        call("toYaml", 1)


def test_families_are_loaded_by_their_first_call() -> None:
    """Asking for a set loads no family; a call loads its own."""
    code = (
        "import sys; from krmkit.libraries.sprig import call, functions; functions('hermetic');"
        "loaded = lambda: {n[23:] for n in sys.modules if n.startswith('krmkit.libraries.sprig.')};"
        "print(sorted(loaded())); call('base', 'a/b'); print(sorted(loaded()));"
        "print([n for n in ('re', 'json', 'typing', 'datetime', 'yaml', 're2') if n in sys.modules])"
    )
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    assert lines[0] == "['functiontable']"
    assert lines[1] == "['functiontable', 'paths']"
    assert lines[2] == "[]"
