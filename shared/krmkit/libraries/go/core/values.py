"""Go values as Python objects.

| Go | Python |
|---|---|
| nil | None; ABSENT for a value that is not there at all (an invalid reflect.Value) |
| bool, int, float64, string | bool, int, float, str |
| int64, int32, uint8, uint64 | Int64, Int32, Uint8, Uint64; arithmetic on them gives a plain int |
| []interface {}, map[string]interface {} | list, dict |
| []string, []int, [][]interface {}, []uint8 | StringList, IntList, ListList, ByteList |
| map[string]string | StringMap |
| a nil []interface {}, a nil []string | NilList, NilStringList: empty, print as [], toJson as null |
| anything with methods (time.Time and the like) | a GoObject |

Go strings are bytes. A byte that is not valid UTF-8 (half of a rune that was cut in two) is kept as
surrogateescape keeps it; `encode` gives the bytes back.
"""

from __future__ import annotations

from abc import abstractmethod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from krmkit.libraries.go.core.functions import GoFunction


class _Absent:
    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()
"""No value: a key that a map does not have, a nil that went through a pipeline. Prints as <no value>."""


class GoInt(int):
    """Base of the integer types that are not Go's int."""

    __slots__ = ()
    go_type = "int"
    bits = 64
    signed = True


class Int64(GoInt):
    """Go's int64."""

    __slots__ = ()
    go_type = "int64"


class Int32(GoInt):
    """Go's int32, which is also the type of a rune."""

    __slots__ = ()
    go_type = "int32"
    bits = 32


class Uint8(GoInt):
    """Go's uint8, which is also the type of a byte."""

    __slots__ = ()
    go_type = "uint8"
    bits = 8
    signed = False


class Uint64(GoInt):
    """Go's uint64."""

    __slots__ = ()
    go_type = "uint64"
    signed = False


class GoList(list[object]):
    """Base of the slices whose elements are not interface {}: `go_type` names it, `element` its elements."""

    __slots__ = ()
    go_type = "[]interface {}"
    element = "interface {}"
    is_nil = False


class NilList(GoList):
    """A nil []interface {}."""

    __slots__ = ()
    is_nil = True


class StringList(GoList):
    """[]string"""

    __slots__ = ()
    go_type = "[]string"
    element = "string"


class NilStringList(StringList):
    """A nil []string."""

    __slots__ = ()
    is_nil = True


class IntList(GoList):
    """[]int"""

    __slots__ = ()
    go_type = "[]int"
    element = "int"


class ListList(GoList):
    """[][]interface {}"""

    __slots__ = ()
    go_type = "[][]interface {}"
    element = "[]interface {}"


class ByteList(GoList):
    """[]uint8; the items are Uint8."""

    __slots__ = ()
    go_type = "[]uint8"
    element = "uint8"


class StringMap(dict[str, object]):
    """map[string]string"""

    __slots__ = ()
    go_type = "map[string]string"
    element = "string"


class GoObject:
    """Base of values with methods or fields that a template may use.

    A subclass sets `go_type` (as %T prints it) and `go_kind` (as kindOf names it: struct, ptr, int64), and
    lists what is exported: `go_fields`, and `go_methods`, whose functions get the object first and then the
    arguments that `params` describe. It is true if Python's `bool` of it is; an int64 kind has `__int__`.
    """

    __slots__ = ()
    go_type = "interface {}"
    go_kind = "struct"
    go_methods: Mapping[str, GoFunction] = {}
    go_fields: Mapping[str, Callable[[GoObject], object]] = {}

    @abstractmethod
    def go_string(self) -> str:
        """Return the result of String() or Error(), or the %v form."""

    def go_equal(self, other: GoObject) -> bool:
        """Compare with a value of the same go_type, as reflect.DeepEqual does."""
        return self is other


_TYPES: dict[type, str] = {
    type(None): "<nil>",
    _Absent: "<nil>",
    bool: "bool",
    int: "int",
    float: "float64",
    complex: "complex128",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
}
_KINDS: dict[type, str] = {
    type(None): "invalid",
    _Absent: "invalid",
    bool: "bool",
    int: "int",
    float: "float64",
    complex: "complex128",
    str: "string",
    list: "slice",
    dict: "map",
}


def type_of(value: object) -> str:
    """Return the Go type, as %T prints it: `int`, `[]interface {}`, `*semver.Version`, `<nil>`."""
    name = _TYPES.get(type(value))
    if name is None:
        known = getattr(value, "go_type", None)
        name = str(known) if known is not None else type(value).__name__
    return name


def kind_of(value: object) -> str:
    """Return the reflect kind: invalid, bool, int, int64, uint8, float64, string, slice, map, struct."""
    kind = _KINDS.get(type(value))
    if kind is not None:
        return kind
    if isinstance(value, GoObject):
        return value.go_kind
    if isinstance(value, GoInt):
        return value.go_type
    if isinstance(value, list):
        return "slice"
    if isinstance(value, dict):
        return "map"
    return "func" if callable(value) else "invalid"


def basic_kind(value: object) -> str:
    """Return the kind by which eq and lt compare: bool, int, uint, float, complex, string; else ""."""
    kind = kind_of(value)
    if kind in ("bool", "string"):
        return kind
    bare = kind.rstrip("0123456789")
    return bare if bare in ("int", "uint", "float", "complex") else ""


def is_nil_list(value: object) -> bool:
    """Return True for a nil slice."""
    return isinstance(value, GoList) and value.is_nil


def encode(text: str) -> bytes:
    """Return the bytes of a Go string. A surrogate without a byte becomes the bytes of U+FFFD."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return "".join(
            "\ufffd" if "\ud800" <= char < "\udc80" or "\udcff" < char <= "\udfff" else char for char in text
        ).encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    """Return the Go string of these bytes."""
    return data.decode("utf-8", "surrogateescape")


def sorted_keys(items: Mapping[str, object]) -> list[str]:
    """Return keys in byte order, in which Go ranges over and prints a map."""
    if all(map(str.isascii, items)):
        return sorted(items)
    return sorted(items, key=encode)
