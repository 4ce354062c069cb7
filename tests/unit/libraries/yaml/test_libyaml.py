"""What comes with PyYAML: newer libyaml's own limit, and ways to it that a Python may not have."""

from __future__ import annotations

import builtins
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.yaml import _libyaml
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import LimitError, translate
from krmkit.libraries.yaml.limits import Limits

MARK = SimpleNamespace(line=0, column=1000)
ERROR = SimpleNamespace(problem="exceeded maximum nesting depth", problem_mark=MARK)


def test_the_ceiling_of_libyaml() -> None:
    """Its error is the limit's: with a higher limit it says that the flag cannot raise it."""
    low, high = translate(ERROR, "", 500), translate(ERROR, "", 2000)

    assert isinstance(low, LimitError) and isinstance(high, LimitError)
    assert (
        str(low)
        == "line 1, column 1001: the nesting is over the limit of 500 (raise it with --limit depth=N)"
    )
    assert "over 1000 levels" in str(high) and "no --limit" in str(high)
    with pytest.raises(LimitError, match="the nesting is over"):
        parse("[" * 1500 + "]" * 1500, Limits(depth=1200))


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Modules that cannot be imported; a test adds to them."""
    import yaml.cyaml  # noqa: F401  # the package with all of its modules, as a program of others has it

    gone: list[str] = []
    real = builtins.__import__

    def guarded(name: str, scope: Any = None, local: Any = None, names: Any = (), level: int = 0) -> Any:
        if name in gone or any(f"{name}.{one}" in gone for one in names or ()):
            raise ImportError(f"no {name}")
        return real(name, scope, local, names, level)

    monkeypatch.setattr(builtins, "__import__", guarded)
    monkeypatch.setattr(_libyaml, "_yaml", None)
    return gone


@pytest.mark.parametrize("gone", [["_frozen_importlib"], ["_frozen_importlib", "yaml._yaml"], ["yaml._yaml"]])
def test_yaml_without_private_ways(
    without: list[str], monkeypatch: pytest.MonkeyPatch, gone: list[str]
) -> None:
    """The public import of PyYAML does the same."""
    without += gone
    monkeypatch.setattr(_libyaml, "lean", True)
    for name in [name for name in sys.modules if name.partition(".")[0] == "yaml"]:
        if "_frozen_importlib" in gone and name == "yaml":
            monkeypatch.delitem(sys.modules, name)

    extension = _libyaml.backend()

    assert extension.CParser("a: b").get_event is not None
    assert issubclass(extension.YAMLError, Exception)
    assert extension.ScalarEvent and extension.CEmitter


def test_patterns_without_private_ways(without: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The public parts of importlib find the same module."""
    import re2  # noqa: F401  # it is loaded, so that this test leaves things as they were

    without += ["_frozen_importlib", "_frozen_importlib_external"]
    monkeypatch.delitem(sys.modules, "re2._re2")

    assert pattern._load().RE2 is not None
