"""Edges of the language where a plausible answer is not the real one's: types, empty values, templates, slices."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.spiff import SpiffError, merge

VALUES: dict[str, Any] = {
    # an integer beside another type is not equal, and no error
    "7 == 7.0": False,
    "5 != 5.5": True,
    "8 != [8]": True,
    "8 == {}": False,
    "1 == (|x|->x)": False,
    # a true or false is compared with texts as strconv.ParseBool reads them
    'true == "T"': True,
    'false == "0"': True,
    'true == "yes"': False,
    # a map of three parameters gets nil in the middle, a list takes two at most
    "map{ { $k = 1 }|k,none,v|->[k, none, v] }": {"k": ["k", None, 1]},
    # undefined entries of a map expression stay, as nil
    "{ $a = ~~, $b = 2 }": {"a": None, "b": 2},
    "ceil(false)": 0,
    "round(true)": 1,
    'upper("straße")': "STRAßE",
    'lower("ÄÖ")': "äö",
    'basename("")': "/",
    "contains({ $a = 1 }, ~)": False,
    "contains({ $a = 1 }, [])": False,
    'contains({ $a = 1 }, "a")': True,
    'check(5, ["semver"])': False,
    'check([1], ["semver", ">1"])': False,
    'semvervalidate("v2.1.0")': "v2.1.0",
    'semvervalidate("2.1.0", ">=2", "<3")': "2.1.0",
    "[1, 2, 3].[2..1]": [],
    "[1, 2, 3].[-2..-1]": [2, 3],
    'hash([1], "*md5")': "35dba5d75538a9bbe0b4da4422759a0e",
    'format("%s", 4, 2)': "%!s(int64=4)\n%!(EXTRA int64=2)".replace("\n", ""),
    'static_ips(0) || "none"': "none",
}


@pytest.mark.parametrize(("text", "value"), VALUES.items(), ids=VALUES.keys())
def test_values(text: str, value: Any) -> None:
    """An expression has the value that the real one gives."""
    assert merge(f"a: >-\n  (( {text} ))\n").documents == [{"a": value}]


FAILURES = {
    "nil == 5": "",
    "5 != nil": "",
    '"x" == [1]': "types uncomparable",
    "md5({ $a = 1 })": "first argument for md5 must be a string",
    "md5(false)": "first argument for md5 must be a string",
    "md5(nil)": "first argument for md5 must be a string",
    "hash(5)": "first argument for hash must be a string",
    "string([1, 2])": "cannot convert []yaml.Node to string",
    "string(nil)": "cannot convert <nil> to string",
    "string({ $a = 1 })": "cannot convert map[string]yaml.Node to string",
    "string(|x|->x)": "cannot convert dynaml.LambdaValue to string",
    "bool({})": "cannot convert map[string]yaml.Node to bool",
    "bool([1])": "cannot convert []yaml.Node to bool",
    'bool("on")': '"strconv.ParseBool: parsing \\"on\\": invalid syntax" is no bool value: %!s(MISSING)',
    "&dynamic": "dynamic marker for non-template value node",
    "&dynamic ( 5 )": "dynamic marker for non-template value node",
    "map[[1]|a,b,c|->1]": "mapping expression takes a maximum of 2 arguments",
    "map[true|x|->x]": "map[] does not support bool values",
    "filter{ [1]|x|->x }": "filter{} does not support list values",
    'match("a(b)", "ab", 0)': "repetition count may not be zero",
    'match("a(", "ab")': "match: error parsing regexp: missing closing ): `a(`",
    'replace_match("ab", "a[", "x")': "replace_match: error parsing regexp: missing closing ]: `[`",
    "[].[0..0]": "slice out of range (0 >= length 0)",
    "[1, 2].[0..2]": "slice out of range (2 >= length 2)",
    "[1, 2].[-3..-1]": "slice out of range (-3 < -length 2)",
    "[1, 2].[-1..0]": "mixed negative and non-negative range not possible for slice",
    "{ $a = 1 }.[0..1]": "slice requires array expression",
    'semvervalidate("a.b")': 'semvervalidate: "a.b": semvervalidate: "a.b": invalid semantic version',
    'semvervalidate("2.1.0", "<2")': 'semvervalidate: "2.1.0": [2.1.0 is greater than or equal to 2]',
    'semvervalidate("2.1.0-rc1", ">1")': 'semvervalidate: "2.1.0-rc1": [2.1.0-rc1 is a prerelease version and the'
    " constraint is only looking for release versions]",
    "semvervalidate()": "semvervalidate requires at least one arguments",
    'semverpatch("3.2.1", 5)': "semverpatch requires one semver argument",
    'semver("3.2.1", "rc1")': "semverprerelease requires one semver argument",
    'semver("three")': 'semverprerelease: "three": invalid semantic version',
    'semvermatch("3.2.1", "what")': 'semvermatch: invalid constraint "what"[0]: improper constraint: what',
    "[{ $n = 1 }, { $m = 2 }].[*].n": "",
    '"a" + 5': "first argument for addition must be IP address, CIDR or number",
    '"a" - 5': "first argument for substraction must be IP address, CIDR or number",
    "[5] * 2": "non-CIDR multiplication requires number arguments",
    '"a" % nope': "integer operand required",
    "nope -and 1": "",
    "sqrt([])": "invalid argument type for sqrt: []yaml.Node",
    "require(1, 2, 3)": "one argument expected for 'require'",
    "require(nope.x)": 'required expression "nope.x" undefined',
    "optional()": "condition and template required for optional()",
    "merge({}, [])": "merge: argument 2: no map or map template, but list",
    'eval("1 +")': "(1 +)\t parse error near symbol 2 - symbol 3: ' '",
}


@pytest.mark.parametrize(("text", "issue"), FAILURES.items(), ids=FAILURES.keys())
def test_failures(text: str, issue: str) -> None:
    """An expression fails with the words of the real one, which sometimes are none."""
    with pytest.raises(SpiffError) as error:
        merge(f"a: >-\n  (( {text} ))\n")

    assert error.value.unresolved[0].issue == (f"*{issue}" if issue else "")


Case = tuple[str, list[str], Any]
DOCUMENTS: dict[str, Case] = {
    "a stub's map takes the place of a template map": (
        "t:\n  <<: (( &template ))\n  k: (( none ))\n", ["t: {k: 3, l: 4}"], {"t": {"k": 3, "l": 4}},
    ),
    "of a template list": ("t:\n- <<: (( &template ))\n- (( none ))\n", ["t: [7]"], {"t": [7]}),
    "and of a whole document": ("<<: (( &template ))\nk: 1\n", ["k: 3\nl: 4\n"], {"k": 3, "l": 4}),
    "a stub without the map leaves the template": (
        "t:\n  <<: (( &template ))\n  k: (( v ))\nc: (( ($v = 2) *t ))\n", ["u: 1"],
        {"t": {"<<": "(( &template ))", "k": "(( v ))"}, "c": {"k": 2}},
    ),
    "a dynamic map of the document itself stays a template": (
        "t:\n  <<: (( &template &dynamic ))\n  k: (( v ))\nv: 3\n", [],
        {"t": {"<<": "(( &template &dynamic ))", "k": "(( v ))"}, "v": 3},
    ),
    "a dynamic map of a stub gets its value": (
        "t: {}\nv: 3\n", ["t: {m: {<<: (( &template &dynamic &inject )), k: (( v ))}}\n"],
        {"t": {"m": {"k": 3}}, "v": 3},
    ),
    "a stub wins over a preferred text": ("p: (( prefer \"mine\" ))\n", ["p: theirs\n"], {"p": "theirs"}),
    "a stub is merged into a preferred map": (
        "p: (( prefer { $a = 1, $b = 2 } ))\n", ["p: {b: 5, c: 6}\n"], {"p": {"a": 1, "b": 5}},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("template", "stubs", "value"), DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_documents(template: str, stubs: list[str], value: Any) -> None:
    """A template with its stubs gives this document."""
    assert merge(template, stubs).documents == [value]


def test_dynamic_merge_key() -> None:
    """A map that is dynamic, and no template, fails at its merge key."""
    with pytest.raises(SpiffError) as error:
        merge("m:\n  <<: (( &dynamic ))\n  a: 1\n")

    assert (
        "\t(( &dynamic ))\tin template\tm.<<\t(m)\t*dynamic marker for non-template value node"
        in error.value.message
    )
