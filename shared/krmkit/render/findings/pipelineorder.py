"""Check the order of a pipeline: find functions that run before one whose output they need.

Such a pipeline runs, with unintended results: macros in presets stay unresolved, objects are rendered from
values that change afterwards. docs/platform.md has the order as a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from krmkit.kpt.kptfile import image_name
from krmkit.kpt.resultlist import FunctionRun
from krmkit.render.findings.model import Result

# The order of docs/platform.md: a function's output is a later one's input.
RIGHT_ORDER = (
    "apply-replacements",
    "apply-presets",
    "resolve-macros",
    "default-cluster-topology",
    "render-cluster-topology",
    "render-installation",
    "validate-pack-constraints",
    "validate-cluster-topology",
    "validate-installation",
    "validate-platform",
)
ORDER = "order"
_RENDERED = "what is rendered before does not have it"
_RENDERERS = ("render-cluster-topology", "render-installation")
# (earlier functions, later functions, reason).
_NEEDS = (
    ("apply-presets", "resolve-macros", "presets bring values that hold macros, which stay unresolved"),
    *(
        (first, later, _RENDERED)
        for first in (
            "apply-replacements",
            "apply-setters",
            "apply-presets",
            "resolve-macros",
            "default-cluster-topology",
        )
        for later in _RENDERERS
        if (first, later) != ("default-cluster-topology", "render-installation")
    ),
    (
        "render-cluster-topology",
        "validate-pack-constraints",
        "the machine pools of a Cluster are those that were rendered before",
    ),
    ("render-cluster-topology", "validate-cluster-topology", "what was rendered is not validated"),
    ("render-installation", "validate-installation", "what was rendered is not validated"),
    *(
        (first, "validate-platform", "it compares what the package was before")
        for first in ("apply-replacements", "apply-setters", "resolve-macros")
    ),
)


def order_results(
    runs: Iterable[FunctionRun], place: Callable[[FunctionRun], tuple[str, int, int]]
) -> list[Result]:
    """Return an info for each function that runs before one whose output it needs, at its Kptfile entry.

    runs: those of a package and its subpackages; each pipeline is checked alone. A function may run again
    later.
    """
    pipelines: dict[str, dict[str, list[tuple[int, FunctionRun]]]] = {}
    for number, run in enumerate(runs):
        name = image_name(run.name) if run.kind == "image" else run.name
        pipelines.setdefault(run.package, {}).setdefault(name, []).append((number, run))
    results = []
    for pipeline in pipelines.values():
        for first, later, why in _NEEDS:
            if (
                first not in pipeline
                or later not in pipeline
                or pipeline[later][-1][0] > pipeline[first][0][0]
            ):
                continue
            run = pipeline[later][-1][1]
            path, line, column = place(run)
            message = f"{later} runs before {first}: {why}; put {first} before it"
            results.append(Result("info", ORDER, message, path, line, column, function=run.name))
    return results
