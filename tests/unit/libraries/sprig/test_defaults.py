"""Defaults: what is empty, and which value is chosen."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core.values import Int64, NilList
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.time.values import ZERO, Duration
from krmkit.libraries.sprig import call


@pytest.mark.parametrize(
    ("value", "is_empty"),
    [
        pytest.param(None, True, id="nil"),
        pytest.param(False, True, id="false"),
        pytest.param(Int64(0), True, id="zero"),
        pytest.param(-0.0, True, id="minus zero"),
        pytest.param(NilList(), True, id="nil list"),
        pytest.param(Duration(0), True, id="no time at all"),
        pytest.param("0", False, id="a text"),
        pytest.param([None], False, id="a list of nil"),
        pytest.param(ZERO, False, id="a struct is never empty"),
        pytest.param(float("nan"), False, id="NaN"),
    ],
)
def test_empty(value: object, is_empty: bool) -> None:
    """empty, and with it default, coalesce, all and any."""
    assert call("empty", value) is is_empty
    assert call("default", "d", value) == ("d" if is_empty else value) or value != value
    assert call("all", 1, value) is not is_empty
    assert call("any", "", value) is not is_empty


def test_choices() -> None:
    """default without a value, coalesce without any, ternary by its last argument."""
    assert call("default", "d") == "d"
    assert call("coalesce", "", None, 0) is None
    assert call("coalesce", "", 2, 3) == 2
    assert call("ternary", "y", "n", True) == "y"
    assert call("ternary", "y", "n", False) == "n"


def test_fail() -> None:
    """fail ends with its own message."""
    with pytest.raises(GoError, match=r"^set a name$"):
        call("fail", "set a name")
