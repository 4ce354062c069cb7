"""Common parts of the adapters of Cluster API: the comparison of lists of field errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from krmkit.libraries.kube.fielderror import FieldError


def same_errors(
    expected: list[dict[str, str]], errors: Iterable[FieldError], *, exact: bool = False
) -> tuple[bool, str]:
    """Compares as multisets: equal number, each expected one with a partner of equal type and field.

    `contains` is a part of `<field>: <text>`, or, if `exact`, the whole text after the field.
    """
    left = list(errors)
    missing: list[Any] = []
    for wanted in expected:
        for error in left:
            text = error.body() if exact else str(error)
            contains = wanted.get("contains", "")
            if (
                error.type == wanted["type"]
                and error.field == wanted["field"]
                and (text == contains if exact else contains in text)
            ):
                left.remove(error)
                break
        else:
            missing.append(wanted)
    if not missing and not left:
        return True, ""
    return False, f"missing {missing}; unexpected {[(error.type, str(error)) for error in left]}"
