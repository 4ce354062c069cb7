"""The functions of dynaml: values, and what is wrong with arguments."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.spiff import SpiffError, merge
from krmkit.libraries.spiff.functions.registry import MODULES

VALUES: dict[str, Any] = {
    'join(",", "a", [1, true], nil)': "a,1,true",
    'split(",", "a,b,c")': ["a", "b", "c"],
    'split(2, "abcde")': ["ab", "cd", "e"],
    'split(",", "a,b,c", 2)': ["a", "b,c"],
    'trim([" a ", "b"])': ["a", "b"],
    'substr("abcdef", 1, -2)': "bcd",
    'length("ä")': 2,
    'upper("a")': "A",
    'base64("ab")': "YWI=",
    'base64_decode("YWI=")': "ab",
    'format("%s-%03d", "a", 7)': "a-007",
    'format("%d", "x")': "%!d(string=x)",
    'match("(a)(b)", "xab")': ["ab", "a", "b"],
    'match("a.", "abac", true)': [["ab"], ["ac"]],
    'split_match("[,;]", "a,b;c")': ["a", "b", "c"],
    'replace("aXbX", "X", "-", 1)': "a-bX",
    'replace_match("ab", "(a)(b)", "${2}${1}")': "ba",
    'replace_match("a1", "[0-9]", |g|->g[0] g[0])': "a11",
    'uniq([1, "1", 2])': [1, 2],
    'element([1, 2], "1")': 2,
    'compact([nil, "", 0, false, {}])': [0, False],
    'contains({ $a = 1 }, "a")': True,
    'index("banana", "an")': 1,
    "lastindex([1, 2, 1], 1)": 2,
    "intersect([1, 2, 3], nil, [3, 1])": [1, 3],
    "reverse([1, 2])": [2, 1],
    'sort(["b", "a"])': ["a", "b"],
    "sort([1, 3, 2], |a,b|->b < a)": [3, 2, 1],
    "keys({ $b = 1, $a = 2 })": ["a", "b"],
    'makemap("a", 1, 2, "x")': {"2": "x", "a": 1},
    'list_to_map([{ $name = "a", $v = 1 }])': {"a": {"v": 1}},
    "merge({ $a = 1, $b = 2 }, { $b = 3, $c = 4 })": {"a": 1, "b": 3},
    "deepmerge({ $a = { $x = 1 } }, { $a = { $z = 2 } })": {"a": {"x": 1, "z": 2}},
    'integer("12")': 12,
    "integer(1.9)": 1,
    "string(1e21)": "1e+21",
    "string(255, 16)": "ff",
    "type(|x|->x)": "lambda",
    "type(~~)": "undef",
    "floor(1.5) ceil(1.5)": "12",
    "abs(-2)": 2,
    "7 / 2": 3,
    "-7 / 2": -3,
    "-7 % 3": -1,
    "7 / 2.0": 3.5,
    "9223372036854775807 + 1": -9223372036854775808,
    '"10.0.0.255" + 1': "10.0.1.0",
    '"10.0.1.0" - "10.0.0.0"': 256,
    '"10.0.0.0/24" * 2': "10.0.2.0/24",
    '"10.0.0.0/24" / 4': "10.0.0.0/26",
    'min_ip("10.0.0.7/24")': "10.0.0.0",
    'max_ip("10.0.0.7/24")': "10.0.0.255",
    'num_ip("10.0.0.7/24")': 256,
    'contains_ip("10.0.0.0/24", "10.0.0.9")': True,
    'ipset("10.0.0.1-10.0.0.9", 2, [1, 3])': ["10.0.0.2", "10.0.0.4"],
    'semver("1.2")': "1.2.0",
    'semvercmp("1.2.3", "1.3")': -1,
    'semvermatch("1.2.3", "~1.2")': True,
    'semversort("1.10.0", "1.9.0")': ["1.9.0", "1.10.0"],
    'semverincminor("v1.2.3")': "v1.3.0",
    'semverprerelease("1.2.3", "rc1")': "1.2.3-rc1",
    "asjson({ $a = [1, nil] })": '{"a":[1,null]}',
    "asyaml({ $a = 1 })": "a: 1\n",
    '(parse("a: 5")).a': 5,
    'parse("a: (( 1 + 1 ))", "yaml")': {"a": 2},
    'eval("1 + 2")': 3,
    'hash("a", "md5")': "0cc175b9c0f1b6a831c399e269772661",
    'md5("a")': "0cc175b9c0f1b6a831c399e269772661",
    'md5crypt_check("password", "$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/")': True,
    'basename("/a/b.c") dirname("/a/b.c")': "b.c/a",
    '(parseurl("https://u@h.de:8/p?a=b#f")).port': 8,
    "catch(error($bad))": {"error": "bad", "valid": False},
    "catch[error($bad)|v,e|->e]": "bad",
    "sync[5|v|->v == 5]": 5,
    "optional(false, 1) || 2": 2,
    "require(3)": 3,
    "valid(nil) defined(nil)": "falsetrue",
    'validate("a.b", "dnsdomain")': "a.b",
    'check(5, ["gt", 3], ["type", "int"])': True,
    'check({ $a = 1 }, ["mapfield", "a", ["valueset", [2]]])': False,
    'check([1, 2], ["list", |x|->x < 2])': False,
    "[1..3] 4": [1, 2, 3, 4],
    '1 == "1"': True,
    'true == "TRUE"': True,
    "5 -and 3": 1,
    "nil // 1": 1,
    '"" ? 1 :2': 2,
}
FAILURES = {
    "merge([])": "merge: no map found for merge",
    'semverrelease("1.2.3", 0)': "semverrelease: string argument required, but got int",
    'join([], "a")': "first argument for join must be a string",
    "length(5)": "invalid type for function length",
    '1 < "a"': "comparision < only for integers or strings",
    "1 == nil": "\t(( 1 == nil ))\tin template\ta\t()",
    '"a" 1.5': "type 'float'(1.5) cannot be concatenated with type 'string'(\"a\")",
    "1 / 0": "division by zero",
    '"10.0.0.255/24" + 1': "resulting ip address not in CIDR range",
    "element([1], 5)": "index greater or equal list size",
    'sort([1, "a"])': "sort failed",
    'match("(", "a")': "error parsing regexp",
    'semver("x")': 'semverprerelease: "x": invalid semantic version',
    'validate(5, ["gt", 7])': "condition 1 failed: less or equal to 7",
    'validate("A", "dnslabel")': "is no dns label",
    'validate(1, "nope")': 'condition 1 has problem: unknown validation operator "nope"',
    'parse("a: [")': "error parsing file",
    'hash("a", "x")': "invalid hash type 'x'",
    "sqrt(-1)": "sqrt: NaN",
    "f(1)": "unknown function 'f'",
    'join*(",")(x=1)': "no lambda parameter found for named argument x",
    "[5...]": "argument expansion required list argument",
    "stub(zz)": "'zz' not found in any stub",
}


@pytest.mark.parametrize(("text", "value"), VALUES.items(), ids=VALUES.keys())
def test_values(text: str, value: Any) -> None:
    """An expression has its value."""
    assert merge(f"a: >-\n  (( {text} ))\n").documents == [{"a": value}]


@pytest.mark.parametrize(("text", "message"), FAILURES.items(), ids=FAILURES.keys())
def test_failures(text: str, message: str) -> None:
    """A wrong argument fails and says why."""
    with pytest.raises(SpiffError) as error:
        merge(f"a: >-\n  (( {text} ))\n")

    assert message in error.value.message


@pytest.mark.parametrize("name", MODULES)
def test_every_function_is_there(name: str) -> None:
    """A function of the table is in its module, and takes no arguments without a crash."""
    found = merge(f"a: (( catch({name}()) ))").documents[0]["a"]

    assert "unknown function" not in found.get("error", "")
