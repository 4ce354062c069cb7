"""The functions of dynaml, function by function: what they take, what they give, and what they say about anything else."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from krmkit.libraries.spiff import Options, SpiffError, merge

TEXTS: dict[str, Any] = {
    'split("", "abc")': ["a", "b", "c"],
    'split(",", "a,b,c", 0)': [],
    'split(2, "abcde", 2)': ["ab", "cde"],
    'trim("-a-", "-")': "a",
    'trim(["-a", " b"], "-")': ["a", " b"],
    'trim("ab", "")': "ab",
    'substr("abc", 1)': "bc",
    'substr("abc", -1)': "c",
    "length([1, 2])": 2,
    "length({ $a = 1 })": 1,
    'base64("abcdef", 4)': "YWJj\nZGVm",
    'base64("abcdef", "4")': "YWJj\nZGVm",
    'base64("abcdef", 0)': "YWJjZGVm",
    'format("%s", [1])': "- 1\n",
    'join("-", [])': "",
    'join("-", nil, "a")': "a",
    'join("-", 1, true, ["b"])': "1-true-b",
    'replace("abc", "", "-")': "-a-b-c-",
    'replace("aaa", "a", |x|->"<" x[0] ">", 2)': "<a><a>a",
    'replace_match("aaa", "a", "b", 2)': "bba",
    'match("a", 5)': [],
    'match("5", 5)': ["5"],
    'match("a", nil)': False,
    'match("a.", "abacad", 2)': [["ab"], ["ac"]],
    'split_match("[,;]", "a,b;c", 2)': ["a", "b;c"],
}
LISTS: dict[str, Any] = {
    "uniq([])": [],
    'uniq([[1], [1], "a", "a", true])': [[1], "a", True],
    'element({ $a = 5 }, "a")': 5,
    'contains([1, "a"], "1")': True,
    "contains([1], nil)": False,
    'contains("abc", "b")': True,
    'contains("a1", 1)': True,
    'contains({ $a = 1 }, "b")': False,
    "index([1, 2, 1], 1)": 0,
    "index([1], 5)": -1,
    'index("abc", "z")': -1,
    'lastindex("banana", "an")': 3,
    "intersect([1, 1, 2], [1])": [1, 1],
    "reverse([])": [],
    "sort([3, 1, 2])": [1, 2, 3],
    "sort([1, 3, 2], |a,b|->b - a)": [3, 2, 1],
    "sort([])": [],
    'compact([1, [], {}, "", nil, "a", 0])': [1, "a", 0],
}
MAPS: dict[str, Any] = {
    "keys({})": [],
    'makemap([{ $key = "a", $value = 1 }, { $key = 2, $value = [] }])': {"a": 1, "2": []},
    "makemap(true, 1)": {"true": 1},
    'list_to_map([{ $id = "a", $v = 1 }], "id")': {"a": {"v": 1}},
    "deepmerge({ $a = 1 }, { $a = { $b = 1 } })": {"a": {"b": 1}},
    "merge([{ $a = 1 }, { $a = 2, $b = 3 }])": {"a": 2},
}
CONVERSIONS: dict[str, Any] = {
    "bool(0)": False,
    "bool(0.0)": False,
    "bool(2.5)": True,
    'integer("ff", 16)': 255,
    'integer("-7")': -7,
    "integer(true)": 1,
    "integer(-1.9)": -1,
    "float(1)": 1,
    'float("2.5")': 2.5,
    "float(true)": 1,
    "string(true)": "true",
    "string(1.5)": "1.5",
    "string(-255, 2)": "-11111111",
    'string("a")': "a",
    'features("control")': False,
    "features()": [],
    'asjson("<>&")': '"\\u003c\\u003e\\u0026"',
    "asjson(nil)": "null",
    "round(2.5) round(-2.5) round(2.4)": "3-32",
    "roundtoeven(2.5) roundtoeven(3.5)": "24",
    "floor(-1.5) ceil(-1.5)": "-2-1",
    "floor(3)": 3,
    "abs(-2.5)": 2.5,
    "sqrt(4)": 2,
    "log10(1000)": 3,
    "log(1)": 0,
    "exp(0)": 1,
    "sin(0)": 0,
    "cos(0)": 1,
}
ADDRESSES: dict[str, Any] = {
    'ipset("10.0.0.0/30", 4)': ["10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.3"],
    'ipset(["10.0.0.7", "10.0.1.0-10.0.1.2"], 3)': ["10.0.0.7", "10.0.1.0", "10.0.1.1"],
    'ipset(["10.0.0.7", "10.0.1.0-10.0.1.2"], 1, 3)': ["10.0.1.2"],
    '"10.0.1.0" - 1': "10.0.0.255",
    '"10.0.0.1/24" + 5': "10.0.0.6/24",
    '"10.0.0.9/24" - "10.0.0.1"': 8,
    '"10.0.0.0/24" / 5': "10.0.0.0/27",
    '"10.0.0.0/24" / 1': "10.0.0.0/24",
    '"10.0.0.0/24" * 0': "10.0.0.0/24",
    '"fd00::1" + 1': "fd00::2",
    '"255.255.255.255" + 1': "::1:0:0:0",
    '"0.0.0.0" - 1': "::fffe:ffff:ffff",
    '"10.0.0.5" - "::1"': 281470849515524,
    'num_ip("fd00::/120")': 256,
    'contains_ip("10.0.0.0/24", "10.0.1.0")': False,
}
VERSIONS: dict[str, Any] = {
    'semverrelease("v1.2.3-rc1")': "v1.2.3",
    'semverrelease("1.2.3-rc1", "4.5.6")': "4.5.6-rc1",
    'semverrelease("v1.2.3-rc1", "4.5.6")': "4.5.6-rc1",
    'semverrelease("1.2.3-rc1", "v4.5.6")': "v4.5.6-rc1",
    'semverprerelease("v1.2.3", "rc1")': "v1.2.3-rc1",
    'semverprerelease("1.2.3", "vrc1")': "1.2.3-vrc1",
    'semvermajor("1.2.3")': 1,
    'semverminor("1.2.3")': 2,
    'semverpatch("1.2.3")': 3,
    'semverprerelease("1.2.3-rc1")': "rc1",
    'semvermetadata("1.2.3+b5")': "b5",
    'semvermetadata("1.2.3", "b5")': "1.2.3+b5",
    'semverincmajor("1.2.3")': "2.0.0",
    'semverincpatch("1.2.3")': "1.2.4",
    'semvercmp("2.0.0", "1.0.0")': 1,
    'semvercmp("1.0.0", "1.0.0")': 0,
    'semvermatch("1.2.3", ">=1.3")': False,
    'semvermatch("1.2.3", ">=1.0", "<2")': True,
    'semversort(["1.10.0", "1.9.0", "1.9.0-rc1"])': ["1.9.0-rc1", "1.9.0", "1.10.0"],
}
PATHS: dict[str, Any] = {
    'basename("/a/b/")': "b",
    'basename("https://h.de")': "/",
    'dirname("a")': ".",
    'dirname("/a")': "/",
    'dirname("/")': "/",
    'parse("- 1", "template")': [{"<<<": "(( &template ))"}, 1],
    'parse("- <<: (( &template ))", "template")': [{"<<": "(( &template ))"}],
    'dirname("//a")': "/",
    'dirname("a/../b/c")': "b",
    'format("%s", |x|->x)': "lambda|x|->x",
    'trim(["-a", " b"], "")': ["-a", " b"],
    'trim([" a ", "b"])': ["a", "b"],
    'hash("a", "*")': hashlib.sha256(b'"a"').hexdigest(),
    'basename("https://h.de/a/b.c?q=1")': "b.c",
    '(parseurl("https://u:p@h.de/a?b=1&b=2&c")).userinfo': {"username": "u", "password": "p"},
    '(parseurl("https://h.de/a?b=1&b=2&c")).values': {"b": ["1", "2"], "c": [""]},
    '(parseurl("https://h.de/a#f")).fragment': "f",
    '(parseurl("https://h.de/a")).path': "/a",
}
OTHERS: dict[str, Any] = {
    'hash("a", "sha1")': "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8",
    'hash("a")': "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
    'hash("a", "sha512/256")': "455e518824bc0601f9fb858ff5c37d417d67c2f8e0df2babe4808858aea830f8",
    'bcrypt_check("password", "$2a$05$bvIG6Nmid91Mu9RcmmWZfO5HJIMCT8riNW0hEp8f6/FuA2/mHZFpe")': True,
    'bcrypt_check("other", "$2a$05$bvIG6Nmid91Mu9RcmmWZfO5HJIMCT8riNW0hEp8f6/FuA2/mHZFpe")': False,
    'bcrypt_check("password", "x")': False,
    'md5crypt_check("other", "$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/")': False,
    'parse("a: 1", "text")': "a: 1",
    'parse("a: 1\\n---\\nb: 2", "multiyaml")': [{"a": 1}, {"b": 2}],
    'parse("a: (( 1 + 1 ))", "import")': {"a": 2},
    "type(nil) type(1.5) type([]) type({}) type(true)": "nilfloatlistmapbool",
    "valid(1, 2) valid(~~)": "truefalse",
    "defined(nil) defined(~~) defined(1, zz)": "truefalsefalse",
    "optional(true, 5)": 5,
    "catch(5)": {"error": "", "valid": True, "value": 5},
}
VALUES = TEXTS | LISTS | MAPS | CONVERSIONS | ADDRESSES | VERSIONS | PATHS | OTHERS


@pytest.mark.parametrize(("text", "value"), VALUES.items(), ids=VALUES.keys())
def test_values(text: str, value: Any) -> None:
    """A call has its value."""
    assert merge(f"a: >-\n  (( {text} ))\n").documents == [{"a": value}]


FAILURES = {
    'join(",", [[1]])': "elements of list(arg 1) to join must be simple values",
    'join(",", {})': "argument 1 to join must be simple value or list",
    'split([], "a")': "first argument for split must be a string or an int",
    'split(",", 5)': "second argument for split must be a string",
    'split(",", "a", "b")': "third argument for split must be an int",
    'split(0, "a")': "split width must be greater than zero",
    'trim("a", 5)': "second argument of",
    "trim(5)": "trim accepts only a string or list",
    "trim([5])": "list elements must be strings to be trimmed",
    "upper(5)": "first argument for upper must be a string",
    "lower(nil)": "first argument for lower must be a string",
    "substr(5, 1)": "first argument for substr must be a string",
    'substr("a", "b")': "second argument for substr must be an intenger",
    'substr("a", 0, "b")': "third argument for substr must be an integer",
    'substr("abc", 0, 5)': "substr effective end index (5) exceeds string length (3)",
    'substr("abc", -5)': "negative substr effective start index (-2)",
    'substr("abc", 2, 1)': "substr start index (2) aftsre end index (1)",
    "base64(5)": "first argument for base64 must be a string",
    'base64("a", "b")': "second argument for base64 must be an integer",
    "base64_decode(5)": "first argument for base64_decode must be a string",
    'base64_decode("%")': "cannot decode string",
    "format(5)": "format must be string",
    "match(5, 5)": "pattern string for argument one of function match required",
    'match("a", [])': "simple value for argument two of function match required",
    'match("a", "a", "a")': "simple value for argument two of function match required",
    'split_match(5, "a")': "first argument for split_match must be a string",
    'split_match("a", 5)': "second argument for split_match must be a string",
    'split_match("a", "a", "a")': "third argument for split_match must be an int",
    'replace("a", "a", "b", 1, 2)': "replace does not take more than 4 arguments",
    'replace(5, "a", "b")': "first argument for replace must be a string",
    'replace("a", 5, "b")': "second argument for replace must be a string",
    'replace("a", "a", "b", "c")': "fourth argument for replace must be an integer",
    'replace("a", "a", 5)': "replace: replace substitution must be string or lambda",
    'replace("a", "a", |x|->5)': "replace: lambda must return a string",
    "uniq(nil)": "invalid type for function uniq",
    "uniq(5)": "invalid type for function uniq",
    "element(nil, 0)": "function element does not take nil arguments",
    "element({}, 5)": "map key (5) must be of type string",
    'element({}, "a")': "map key 'a' not found",
    'element("a", 0)': "invalid type for first argument of function element",
    'element([1], "a")': "invalid value 'a' of index argument for function element",
    "element([1], 1.5)": "invalid type of index argument for function element",
    "element([1], -1)": "index lower than 0",
    "compact(5)": "invalid type for function compact",
    'contains("a", [])': "invalid type for check string",
    "contains(nil, 1)": "list or string expected for argument one of function contains",
    "index({}, 1)": "list or string expected for argument one of function index",
    'index("a", [])': "invalid type for check string",
    "intersect([1], 5)": "intersect: argument 1: type 'int' cannot be intersected",
    "reverse(5)": "argument for reverse must be a list",
    "sort(5)": "argument for sort must be a list",
    "sort([1, 2], 5)": "second argument for sort must be a lambda function",
    'sort([1, 2], |a,b|->"x")': "sort failed",
    "keys(5)": "map argument required for keys",
    "makemap(5)": "single argument flavor of mapentry requires a list",
    "makemap([5])": "entry 0 is no map entry",
    "makemap([{ $value = 1 }])": "entry 0 has no entry 'key'",
    "makemap([{ $key = [], $value = 1 }])": "invalid type for 'key' value of entry 0",
    'makemap([{ $key = "a" }])': "entry 0 has no entry 'value'",
    'makemap("a", 1, "b")': "mapentry takes one or two arguments",
    "makemap([], 1)": "invalid type for key value of argument pair 0",
    "list_to_map(5)": "list_to_map requires a list as first argument",
    "list_to_map([], 5)": "second argument of list_to_map must be a key name",
    "list_to_map([5])": "list entries must be maps",
    "list_to_map([{}])": "key field 'name' not found",
    "list_to_map([{ $name = 5 }])": "key field 'name' contains no string value",
    "deepmerge({}, 5)": "map",
    'bool("maybe")': '"strconv.ParseBool: parsing \\"maybe\\": invalid syntax" is no bool value',
    "bool(|x|->x)": "cannot convert dynaml.LambdaValue to bool",
    'integer("x")': '"strconv.ParseInt: parsing \\"x\\": invalid syntax" is no integer value',
    'integer("1", 1)': "base must be an integer from 2 to 36",
    'integer("1", 37)': "base must be an integer from 2 to 36",
    'integer("1_0")': '"strconv.ParseInt: parsing \\"1_0\\": invalid syntax" is no integer value',
    "integer([])": "cannot convert []yaml.Node to integer",
    'float("x")': '"strconv.ParseFloat: parsing \\"x\\": invalid syntax" is no float value',
    'float("1_0")': '"strconv.ParseFloat: parsing \\"1_0\\": invalid syntax" is no float value',
    'float(" 1")': '"strconv.ParseFloat: parsing \\" 1\\": invalid syntax" is no float value',
    "float([])": "cannot convert []yaml.Node to float",
    "string(5, 1)": "base must be an integer from 2 to 36",
    "string(5, 37)": "base must be an integer from 2 to 36",
    'features("a", "b")': "features takes a maximum of one argument",
    "features(5)": "features argument must be a string",
    "eval(5)": "string argument required for 'eval'",
    "tagdef(5, 1)": "name argument for tagdef must be a string",
    'tagdef("a", 1, "x")': 'tag scope must be "local" or "global"',
    'tagdef("a b", 1)': "invalid",
    "floor([])": "invalid argument type for floor: []yaml.Node",
    "log(-1)": "log: NaN",
    "asin(2)": "asin: NaN",
    "min_ip(5)": "CIDR argument required",
    'min_ip("a")': "CIDR argument required",
    'contains_ip(5, "10.0.0.1")': "CIDR argument required as first argument",
    'contains_ip("10.0.0.0/8", 5)': "IP argument required as second argument",
    'archive(5, "tar")': "first argument for hash must be a file map or list, found int",
    'contains_ip("a", "10.0.0.1")': "CIDR argument required as first argument",
    'contains_ip("10.0.0.0/8", "a")': "IP argument required: a",
    'ipset("a", 1)': "invalid IP 'a'",
    'ipset("10.0.0.1-a", 1)': "invalid IP 'a'",
    'ipset("10.0.0.2-10.0.0.1", 1)': "invalid IP range: start (10.0.0.2) larger than end (10.0.0.1)",
    'ipset("10.0.0.0/30", 1, -1)': "negative ip indices are not allowed: -1",
    'ipset("10.0.0.0/30", 1, "a")': "must be integer or list of integers",
    "ipset([5], 1)": "string entry at ip range list index 0",
    "ipset(5, 1)": "ip range or range list expected as first argument",
    'ipset("10.0.0.0/30", "a")': "number of IPs in set expected as second argument",
    'ipset("10.0.0.0/30", 3, 1, 2)': "too many required entries (3 > 2 available indices)",
    'ipset("10.0.0.0/30", 1, 4)': "ip index 0 (4) out of range (4 IP(s) available in ranges)",
    '"a" + 1': "first argument for addition must be IP address, CIDR or number",
    '"a" - "10.0.0.1"': "first argument for substraction must be IP address, CIDR or number",
    '"10.0.0.1" - "a"': "second argument for substraction must be IP address, CIDR or number",
    '"255.0.0.0/8" * 1': "network address out of range",
    '"10.0.0.0/31" / 4': "divisor too large for CIDR network size",
    "semver(5)": "semverprerelease requires one string argument, but got int",
    'semvermatch("1.2.3", "~~~")': "semvermatch:",
    'semvermatch("x", "1")': 'semvermatch: "x": invalid semantic version',
    'semvercmp("x", "1.0.0")': 'semvercmp: "x": invalid semantic version',
    "basename(5)": "string argument expected for function basename",
    "parseurl(5)": "string argument expected for function parseurl",
    'parseurl("https://h.de:port/")': 'invalid argument for parseurl: parse "https://h.de:port/": invalid port ":port" after host',
    'hash("a", 5)': "second argument for hash must be a string",
    "md5crypt_check(5, 5)": "argument for md5crypt_check must be a string",
    'md5crypt_check("a", "b")': "invalid md5crypt hash: must contain three '$' characters",
    "parse(5)": "first argument for parse must be a string",
    'parse("a", 5)': "second argument for parse must be a string",
    'parse("a", "x")': "invalid file type",
    'parse("a: 1\\n---\\nb: 2", "yaml")': "multi document not possible",
    "wgpublickey(5)": "argument for wgpublickey must be a string (private key)",
    'wgpublickey("%")': "wgpublickey: the key must be base64",
    "x509publickey(5)": "argument for x509publickey must be a private key in pem format",
    'decrypt(5, "a")': "requires string, but got int",
    'upper("a", "b")': "upper takes exactly one argument",
    "read(5)": "no OS operations supported",
}


@pytest.mark.parametrize(("text", "message"), FAILURES.items(), ids=FAILURES.keys())
def test_failures(text: str, message: str) -> None:
    """A wrong argument is an error that says what it must be."""
    with pytest.raises(SpiffError) as error:
        merge(f"a: >-\n  (( {text} ))\n")

    assert message in error.value.message


FILES = {"/d/a.yml": "x: 1\n---\nv: 2\n", "/d/e/c.json": '{"k": 1}'}
FILE_FAILURES = {
    'read("a", "b", "c")': "read takes a maximum of two arguments",
    "read(5)": "string value required for file path",
    'read("a", 5)': "string value required for type",
    'lookup_file("a")': "lookup_file requires at least two arguments",
    'lookup_file("a", [5])': "lookup_file: argument 0 must be a list of strings",
    'lookup_file("a", 5)': "lookup_file: argument 0 must be a string or a list of strings",
    'lookup_file(5, "a")': "lookup_file: first argument must be a string",
    'lookup_file("", "a")': "lookup_file: first argument is empty string",
    'list_files("a", "b")': "list requires exactly one arguments",
    "list_files(5)": "list: argument must be a string",
    'list_files("")': "list: argument is empty string",
    'list_files("/x")': 'list: "/x" is no directory or does not exist',
    'read("/d/a.yml")': "multi document not possible",
}


@pytest.mark.parametrize(("text", "message"), FILE_FAILURES.items(), ids=FILE_FAILURES.keys())
def test_failures_with_files(text: str, message: str) -> None:
    """The functions on files say what they need."""
    with pytest.raises(SpiffError) as error:
        merge(f"a: >-\n  (( {text} ))\n", [], Options(files=FILES, access="files"))

    assert message in error.value.message


FILE_VALUES: dict[str, Any] = {
    'read("/d/a.yml", "multiyaml")': [{"x": 1}, {"v": 2}],
    'read("/d/e/c.json")': {"k": 1},
    'lookup_file("/d/e/c.json", "/x")': ["/d/e/c.json"],
    'lookup_file("/d/e/x.json", "/x")': [],
    'lookup_file("c.json", ["/d", "/d/e"])': ["/d/e/c.json"],
    'lookup_dir("e", "/d")': ["/d/e"],
    'list_dirs("/")': ["d"],
}


@pytest.mark.parametrize(("text", "value"), FILE_VALUES.items(), ids=FILE_VALUES.keys())
def test_values_with_files(text: str, value: Any) -> None:
    """Files are read by their kind, and looked for in folders."""
    result = merge(f"a: >-\n  (( {text} ))\n", [], Options(files=FILES, access="files"))

    assert result.documents == [{"a": value}]
