"""Read the values of `${VARIABLE}`s from a file: a YAML map of names."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.scalars import go_resolve
from krmkit.libraries.yaml.tree import Map, Scalar, deref
from krmkit.storage.disk.folders import read_file

_LARGEST = 16 * 1024 * 1024


def read_values(path: str) -> dict[str, str]:
    """Return the values of a file by their names. Raises Refused, OSError.

    A number that programs would reformat is an error: clusterctl and ocm read `VERSION: 1.30` as 1.3.
    """
    try:
        content = read_file(path, path, limit=_LARGEST)
        if content is None:
            raise Refused(f"{path} must have at most {_LARGEST:,} bytes")
        root = parse(content.decode("utf-8-sig")).root
    except UnicodeDecodeError as error:
        raise Refused(f"{path} must be UTF-8; byte {error.start} is not") from None
    except YamlError as error:
        raise Refused(f"{path}: {error}") from None
    if root is None:
        return {}
    if not isinstance(root, Map):
        raise Refused(f"{path} must be a map of names and values, such as CLUSTER_NAME: lyon")
    values = {}
    for entry in root.entries:
        name, value = entry.name, deref(entry.value)
        if name is None:
            raise Refused(f"{path} must have texts as names")
        if not isinstance(value, Scalar):
            raise Refused(
                f"{path}: {name} must be a text, a number or a boolean; write a list or map as a text in quotes"
            )
        values[name] = _text(value, f"{path}: {name}")
    return values


def add_values(values: dict[str, str], given: list[str]) -> dict[str, str]:
    """Return the values with those of the command line, each `NAME=VALUE`. Raises Refused."""
    found = dict(values)
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise Refused(f"--set must be NAME=VALUE, got {text}")
        found[name] = value
    return found


def _text(scalar: Scalar, label: str) -> str:
    written = scalar.text
    if scalar.style:
        return written
    kind, value = go_resolve(written)
    if kind == "null":
        return ""
    if kind == "bool":
        read = "true" if value else "false"
    elif kind in ("int", "float"):
        read = str(value)
        if kind == "float" and read.endswith(".0"):
            read = read[:-2]
    else:
        return written
    if read != written:
        raise Refused(f'{label} must be in quotes, "{written}": without them it is read as {read}')
    return written
