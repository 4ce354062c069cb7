"""Names, labels and annotations as Kubernetes checks them, in its words.

Source: k8s.io/apimachinery, pkg/util/validation, pkg/apis/meta/v1/validation and pkg/api/validation. Every
check returns the texts of the errors, [] for a valid value:

>>> is_dns1123_label("md-0"), len(is_dns1123_label("MD.0"))
([], 2)
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from krmkit.libraries.kube.fielderror import FieldError, invalid, too_long

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = f"({_NAME})?"
# Python's re backtracks, but on these patterns by a constant factor only, and the longest text that meets one
# is short.
_LABEL_RE = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\Z", re.ASCII)
_NAME_RE = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?\Z", re.ASCII)
_LONGEST_LABEL = 63
_LONGEST_SUBDOMAIN = 253
_ANNOTATIONS_SIZE = 256 * 1024


def _regex_error(message: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {shown}regex used for validation is '{pattern}')"


def _too_long(limit: int) -> str:
    return f"must be no more than {limit} bytes"


def _longer(text: str, limit: int) -> bool:
    return len(text.encode("utf-8", "surrogatepass")) > limit


def is_dns1123_label(text: str) -> list[str]:
    """Check a lower-case name without dots, such as `md-0`."""
    found = [_too_long(_LONGEST_LABEL)] if _longer(text, _LONGEST_LABEL) else []
    if not _LABEL_RE.match(text):
        if _is_subdomain(text):
            found.append("must not contain dots")
        else:
            message = (
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must"
                " start and end with an alphanumeric character"
            )
            found.append(_regex_error(message, _LABEL, "my-name", "123-abc"))
    return found


def is_dns1123_subdomain(text: str) -> list[str]:
    """Check a lower-case name with optional dots, such as `my.name`."""
    found = [_too_long(_LONGEST_SUBDOMAIN)] if _longer(text, _LONGEST_SUBDOMAIN) else []
    if not _is_subdomain(text):
        message = (
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and"
            " must start and end with an alphanumeric character"
        )
        found.append(_regex_error(message, _SUBDOMAIN, "example.com"))
    return found


def _is_subdomain(text: str) -> bool:
    return all(_LABEL_RE.match(part) for part in text.split("."))


def is_valid_label_value(text: str) -> list[str]:
    """Check a label's value: "" or up to 63 characters such as `my_value`."""
    found = [_too_long(_LONGEST_LABEL)] if _longer(text, _LONGEST_LABEL) else []
    if text and not _NAME_RE.match(text):
        message = (
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and"
            " must start and end with an alphanumeric character"
        )
        found.append(_regex_error(message, _VALUE, "MyValue", "my_value", "12345"))
    return found


_NAME_ERROR = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"


def is_qualified_name(text: str) -> list[str]:
    """Check the key of a label or annotation: `example.com/my-name` or `my-name`."""
    parts = text.split("/")
    found = []
    if len(parts) > 2:
        message = _regex_error("a qualified name " + _NAME_ERROR, _NAME, "MyName", "my.name", "123-abc")
        return [f"{message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    if len(parts) == 2:
        if parts[0]:
            found += ["prefix part " + problem for problem in is_dns1123_subdomain(parts[0])]
        else:
            found.append("prefix part must be non-empty")
    name = parts[-1]
    if not name:
        found.append("name part must be non-empty")
    elif _longer(name, _LONGEST_LABEL):
        found.append("name part " + _too_long(_LONGEST_LABEL))
    if not _NAME_RE.match(name):
        found.append("name part " + _regex_error(_NAME_ERROR, _NAME, "MyName", "my.name", "123-abc"))
    return found


def validate_labels(labels: Mapping[str, str], field: str) -> list[FieldError]:
    """Return the errors of labels; each is at the map's path and shows the key or value."""
    found = []
    for key, value in labels.items():
        found += [invalid(field, key, problem) for problem in is_qualified_name(key)]
        found += [invalid(field, value, problem) for problem in is_valid_label_value(value)]
    return found


def validate_annotations(annotations: Mapping[str, str], field: str) -> list[FieldError]:
    """Return the errors of annotations: of their lower-cased keys, and of their total size."""
    found = []
    size = 0
    for key, value in annotations.items():
        found += [invalid(field, key, problem) for problem in is_qualified_name(key.lower())]
        size += len(key.encode("utf-8", "surrogatepass")) + len(value.encode("utf-8", "surrogatepass"))
    if size > _ANNOTATIONS_SIZE:
        found.append(too_long(field, _ANNOTATIONS_SIZE))
    return found
