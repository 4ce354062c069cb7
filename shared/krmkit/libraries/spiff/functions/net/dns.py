"""Checks of DNS names, with the messages of Kubernetes' validation."""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.go.regexp.pattern import compile as compile_pattern

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_WILDCARD = rf"\*\.{_SUBDOMAIN}"


def _problems(text: str, pattern: str, most: int, message: str) -> str:
    found = []
    if len(text.encode("utf-8", "surrogateescape")) > most:
        found.append(f"must be no more than {most} characters")
    if compile_pattern(f"^{pattern}$").search(text) is None:
        found.append(message)
    return " ".join(found)


def label(text: str) -> str:
    """Return the error of a DNS label, "" if it is valid."""
    return _problems(
        text, _LABEL, 63,
        "a DNS-1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an"
        f" alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')",
    )  # fmt: skip


def subdomain(text: str) -> str:
    """Return the error of a domain name, "" if it is valid."""
    return _problems(
        text, _SUBDOMAIN, 253,
        "a DNS-1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end"
        f" with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')",
    )  # fmt: skip


def wildcard(text: str) -> str:
    """Return the error of a name such as *.example.com, "" if it is valid."""
    return _problems(
        text, _WILDCARD, 253,
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of"
        " lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com',"
        f" regex used for validation is '{_WILDCARD}')",
    )  # fmt: skip


NAMES: dict[str, tuple[str, tuple[Callable[[str], str], ...]]] = {
    "dnslabel": ("dns label", (label,)),
    "dnsdomain": ("dns domain", (subdomain,)),
    "wildcarddnsdomain": ("wildcard dns domain", (wildcard,)),
    "dnsname": ("dns name", (wildcard, subdomain)),
}
"""The words and the checks of each validator; one check without an error is enough."""
