"""Calls with arguments of the right types, but by chance: they end in a value that prints, or in GoError."""

from __future__ import annotations

import random

import pytest

from krmkit.libraries.go.core import limits
from krmkit.libraries.go.core.values import (
    Int64,
    IntList,
    ListList,
    NilList,
    NilStringList,
    StringList,
    StringMap,
    Uint64,
)
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.fmt.printing import sprint
from krmkit.libraries.go.time.values import ZERO, Duration, Month, Time, Weekday
from krmkit.libraries.sprig import functions
from krmkit.libraries.sprig.semvers import semver

CALLS = 6_000
TEXTS = [
    "", "a", "-1", "1.5", "0x1f", "é日", "\udce6x", "a b  c\n", "2006-01-02", "15:04:05.000", "Mon Jan _2", "2020-02-30",
    "1h30m", "-5s", "http://u:p@h:1/p?q#f", "%zz", "//[::1]:x", "[", "(a)(b)?", "a*", "\\d+", "$1${n}", '{"a":[1,null]}',
    "[1,", "YQ==", "MFRGG===", ">=1.2, <2 || ~3", "1.2.3-rc.1", "UTC", "Europe/Berlin", "_0", "null", "\x00\x7f\u2028",
    "A" * 300, "1" * 50, "𝒳", "ǆ", "İ",
]  # fmt: skip
INTS = [0, 1, -1, 2, 7, -7, 100, 10**6, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.5, -2.5, 1e21, 1e-9, 1e308, float("inf"), float("-inf"), float("nan")]
OTHERS: list[object] = [
    True, False, None, Int64(5), Int64(-(2**63)), Uint64(7), Time(0), ZERO, Duration(5), Duration(-(10**18)), Month(5),
    Weekday(0), semver("1.2.3"), NilList(), NilStringList(), StringList(["b", "a"]), IntList([1, 2]), ListList([[1]]),
    StringMap({"_0": "a"}),
]  # fmt: skip


class Chance:
    """Values of Go types, by a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def any(self, depth: int = 0) -> object:
        kind = self.random.randrange(6 if depth < 3 else 4)
        if kind == 4:
            return [self.any(depth + 1) for _ in range(self.random.randrange(5))]
        if kind == 5:
            return self.dict(depth + 1)
        pools: list[list[object]] = [[*TEXTS], [*INTS], [*FLOATS], OTHERS]
        return self.random.choice(pools[kind])

    def dict(self, depth: int) -> dict[str, object]:
        return {self.random.choice(TEXTS): self.any(depth) for _ in range(self.random.randrange(5))}

    def of(self, type_name: str) -> object:
        match type_name:
            case "string":
                return self.random.choice(TEXTS)
            case "int":
                return self.random.choice(INTS)
            case "float64":
                return self.random.choice(FLOATS)
            case "bool":
                return self.random.random() < 0.5
            case "map":
                return self.random.choice([None, self.dict(1)])
            case "list":
                return self.random.choice([None, [self.any(1)]])
            case "time":
                return self.random.choice([Time(0), ZERO, Time(10**10, 5)])
        return self.any()


@pytest.mark.parametrize("seed", range(3))
def test_random_calls(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else than GoError comes out of a function."""
    monkeypatch.setattr(limits, "MAX_ITEMS", 10_000)
    monkeypatch.setattr(limits, "MAX_LENGTH", 100_000)
    chance = Chance(seed)
    found = functions("landscaper")
    del found["derivePassword"]  # slow by design
    names = sorted(found)

    for _ in range(CALLS):
        name = chance.random.choice(names)
        function = found[name]
        types = list(function.params)
        if function.variadic:
            types[-1:] = types[-1:] * chance.random.randrange(4)
        args = [chance.of(type_name) for type_name in types]
        shown = f"{name} {args!r}"
        try:
            text = sprint(function.impl(*args))
        except GoError:
            continue
        except Exception as error:  # noqa: BLE001  # any other exception is the finding
            pytest.fail(f"{shown}: {error!r}")
        assert isinstance(text, str), shown
