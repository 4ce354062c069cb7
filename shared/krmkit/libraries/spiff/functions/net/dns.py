"""Checks of DNS names, with the messages of Kubernetes' validation."""

from __future__ import annotations

from krmkit.libraries.go.regexp.pattern import compile as compile_pattern

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_WILDCARD = rf"\*\.{_SUBDOMAIN}"


Check = tuple[str, int, str]
"""A pattern, the largest size in bytes, and the message about a name that does not fit the pattern."""
LABEL: Check = (
    _LABEL, 63,
    "a DNS-1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an"
    f" alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')",
)  # fmt: skip
SUBDOMAIN: Check = (
    _SUBDOMAIN, 253,
    "a DNS-1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end"
    f" with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')",
)  # fmt: skip
WILDCARD: Check = (
    _WILDCARD, 253,
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of"
    " lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com',"
    f" regex used for validation is '{_WILDCARD}')",
)  # fmt: skip
NAMES: dict[str, tuple[str, tuple[Check, ...]]] = {
    "dnslabel": ("dns label", (LABEL,)),
    "dnsdomain": ("dns domain", (SUBDOMAIN,)),
    "wildcarddnsdomain": ("wildcard dns domain", (WILDCARD,)),
    "dnsname": ("dns name", (WILDCARD, SUBDOMAIN)),
}
"""The words and the checks of each validator; one check without an error is enough."""


def problem(text: str, check: Check) -> str:
    """Return the error of a name, "" if it is valid."""
    pattern, most, message = check
    found = []
    if len(text.encode("utf-8", "surrogateescape")) > most:
        found.append(f"must be no more than {most} characters")
    if compile_pattern(f"^{pattern}$").search(text) is None:
        found.append(message)
    return " ".join(found)
