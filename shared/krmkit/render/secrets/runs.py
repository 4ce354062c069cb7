"""Secrets in the output of a pipeline's functions: results, stderr, and why the pipeline ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from krmkit.fn.masking import Mask, marked, secrets_in
from krmkit.kpt.resultlist import FunctionRun
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import YamlError

_KEPT = ("severity", "file")
_NAMES = ("resourceRef", "tags")  # a name that equals the value of a Secret must remain a name


def mask_said(
    runs: list[FunctionRun], secrets: set[str], configs: Iterable[Resource | None], texts: Iterable[str]
) -> Mask:
    """Mask secrets in the results and stderr of a package's functions; return the mask for other messages.

    Secrets are those that functions marked, those that configs mark, which are added to `secrets`, and those
    of the package's resources, given as texts.
    """
    for config in configs:
        if config is None or "secret" not in config.text:
            continue
        try:
            secrets.update(marked(config.get()))
        except (YamlError, Refused):
            continue  # its function reports the error in it
    names, mask = Mask(secrets), Mask(secrets | secrets_in(texts))
    for run in runs if mask else ():
        run.stderr = mask.message(run.stderr)
        run.results = [_masked(result, mask, names) for result in run.results]
    return mask


def _masked(result: Mapping[str, object], mask: Mask, names: Mask) -> dict[str, object]:
    """Return a result without secrets; severity and file stay, as they are not the function's text."""
    masked = {
        name: value if name in _KEPT else (names if name in _NAMES else mask).value(value)
        for name, value in result.items()
    }
    if isinstance(result.get("message"), str):
        masked["message"] = mask.message(str(result["message"]))
    return masked
