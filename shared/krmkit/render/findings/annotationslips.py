"""Annotations without quotes that YAML reads as no text: an API server refuses the object."""

from __future__ import annotations

import re
from collections.abc import Callable

from krmkit.kpt.source import FileResource
from krmkit.render.findings.model import Result

Place = Callable[[str, int, dict[str, str], str], tuple[str, int, int]]

_KEY = "config.kubernetes.io/local-config"
_BARE = re.compile(rf"^ +[\"']?{re.escape(_KEY)}[\"']?: +(true|false)\b", re.MULTILINE)


def annotation_results(path: str, items: list[FileResource], place: Place) -> list[Result]:
    """Return a warning for each `local-config: true` without quotes among the items of a file. krmkit and kpt
    read it as "true".

    place: finds path, line and column by path, index, reference and field, as PackageFiles.place does.
    """
    results = []
    for index, item in enumerate(items):
        bare = _BARE.search(item.original)
        if bare is None or not isinstance(item.get("metadata", "annotations", _KEY), bool):
            continue
        reference = {"apiVersion": item.api_version, "kind": item.kind, "name": item.name}
        if item.namespace:
            reference["namespace"] = item.namespace
        message = (
            f'must be a text, "{bare[1]}" in quotes: an API server refuses an annotation that is a boolean'
        )
        where = place(path, index, reference, f"metadata.annotations['{_KEY}']")
        results.append(
            Result(
                "warning",
                "annotation",
                message,
                *where,
                resource=reference,
                field=f"metadata.annotations.{_KEY}",
            )
        )
    return results
