"""Hide a baseline, the findings of an old repository, from checks until they are fixed.

A finding is recognised by its rule, its subject and its text, wherever its line has moved to. An error that
stops a render is never hidden.
"""

from __future__ import annotations

import json
import re
from collections import Counter

from krmkit.krm.errors import Refused
from krmkit.libraries.json.text import JsonError, parse
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.surrogates import joined
from krmkit.render.findings.ignored import stops
from krmkit.render.findings.model import Report, Result
from krmkit.storage.disk.folders import read_file

_API_VERSION, _KIND = "krmkit.dev/v1alpha1", "Baseline"
_FIELDS = ("rule", "subject", "message", "path")
_NUMBERS = re.compile(r"(?<=\bline )\d+|(?<=\bcolumn )\d+|(?<=\.yaml):\d+(?::\d+)?|(?<=\.yml):\d+(?::\d+)?")
_MOST_LISTED = 3

Key = tuple[str, ...]  # the rule, the subject, else the file, and the text without numbers of lines


def _key(rule: str, subject: str, message: str, path: str) -> Key:
    return rule, subject or path, _NUMBERS.sub("", message)


def _of(finding: Result) -> tuple[str, str, str, str]:
    return finding.rule, finding.subject, finding.message, finding.path


class Baseline:
    """The findings of a baseline's file, each with its count."""

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            data = parse(joined((read_file(path, path) or b"").decode("utf-8")))
        except OSError as error:
            raise Refused(f"{path}: {error.strerror or error}") from None
        except UnicodeDecodeError:
            raise Refused(f"{path}: is not UTF-8 text; a baseline is what --write-baseline writes") from None
        except (ValueError, JsonError, YamlError) as error:
            raise Refused(f"{path}: must be a baseline, as --write-baseline writes it: {error}") from None
        if not isinstance(data, dict) or (data.get("apiVersion"), data.get("kind")) != (_API_VERSION, _KIND):
            raise Refused(f"{path}: must be a {_KIND} of {_API_VERSION}, as --write-baseline writes it")
        self._left: Counter[Key] = Counter()
        self._files: dict[Key, str] = {}
        findings = data.get("findings") or []
        if not isinstance(findings, list):
            raise Refused(f"{path}: findings must be a list, as --write-baseline writes it")
        for number, entry in enumerate(findings):
            count = entry.get("count", 1) if isinstance(entry, dict) else 0
            if not isinstance(count, int) or count < 1:
                raise Refused(f"{path}: findings[{number}] must have {', '.join(_FIELDS)} and a count")
            rule, subject, message, file = (str(entry.get(field, "")) for field in _FIELDS)
            key = _key(rule, subject, message, file)
            self._left[key] += count
            self._files[key] = file

    def hide(self, report: Report) -> None:
        """Remove the known findings from a report, and warn about baseline entries that match no finding.

        Entries about packages that were not checked are left alone.
        """
        for package in report.packages:
            kept = []
            for finding in package.results:
                key = _key(*_of(finding))
                if self._left[key] > 0 and not stops(finding):
                    self._left[key] -= 1
                    package.hidden += 1
                else:
                    kept.append(finding)
            package.results = kept
        folders = [package.path for package in report.packages]
        stale = [
            key for key, count in self._left.items() if count > 0 and _is_below(self._files[key], folders)
        ]
        if stale and report.packages:
            names = listed([f"{rule} {subject}".strip() for rule, subject, _ in stale], _MOST_LISTED)
            message = f"{len(stale)} of its entries fit no finding any more ({names}); --write-baseline writes it anew"
            report.packages[0].results.append(Result("warning", "stale-baseline", message, self._path))


def baseline_text(report: Report) -> tuple[str, int]:
    """Return the baseline of a report's findings, and the number of errors that it leaves out."""
    findings = [one for package in report.packages for one in package.results]
    counts = Counter(_of(one) for one in findings if not stops(one))
    entries = [
        {**dict(zip(_FIELDS, values, strict=True)), "count": count}
        for values, count in sorted(counts.items())
    ]
    data = {"apiVersion": _API_VERSION, "kind": _KIND, "findings": entries}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n", len(findings) - counts.total()


def _is_below(path: str, folders: list[str]) -> bool:
    return any(folder == "." or path == folder or path.startswith(f"{folder}/") for folder in folders)
