"""Records of the functions of kpt's catalog, judged by the functions themselves, a whole ResourceList at a time.

Compared are the exit code, the items as data (as a set: identity, place, and all their fields), also after an
error, and the results as a list, by message, severity, field, file and resource where the record has them. Only their order is
free, because every function of this house sorts its results. After an error the errors count, and not what was said besides.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from krmkit.fn import loader
from krmkit.fn.run import Outcome, RunOptions, run
from krmkit.krm import annotations as names
from krmkit.krm.finding import Finding
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse

Record = dict[str, Any]
Judge = Callable[[Record, Path], tuple[bool, str]]

# set-namespace warns for every resource that was not fetched by kpt; that is noise on every ordinary package, and left out.
_LEFT_OUT = "does not have upstream origin."


def judge(name: str, tag: str = "", silent: tuple[str, ...] = (), places: bool = True) -> Judge:
    """Runs the function of that name as the release that a tag names.

    `silent`: rules that the original does not report. `places`: whether the original keeps the items' places.
    """

    def judged(record: Record, _: Path) -> tuple[bool, str]:
        function = loader.load(name)
        outcome = run(function.definition, function.process, record["input"], RunOptions(tag=tag))
        outcome.results[:] = [one for one in outcome.results if one.rule not in silent]
        return compare(record, outcome, places)

    return judged


def compare(record: Record, outcome: Outcome, places: bool = True) -> tuple[bool, str]:
    """Whether an outcome is the one of the record, else what differs."""
    expected = record["expected"]
    wanted = expected_results(expected["results"])
    # Some of the originals end with 0 beside an error. Here an error is a failure, always.
    failed = bool(expected["exit"]) or any(severity == "error" for _, severity, *_ in wanted)
    if failed != bool(outcome.exit_code):
        message = (
            f"exit {outcome.exit_code}, expected {expected['exit']}: {outcome.stderr or expected['results']}"
        )
        return False, message
    if expected["items"] is not None:
        items = multiset([item.get() for item in ResourceList.parse(outcome.stdout).items], places)
        expected_items = multiset(expected["items"], places)
        if items != expected_items:
            return False, f"items {list(items - expected_items)}, expected {list(expected_items - items)}"
    found = kept(outcome) + results(outcome.results)
    if failed:
        wanted = [one for one in wanted if one[1] == "error"]
        # An original that fails without an error result only has its own message on stderr.
        found = [one for one in found if one[1] == "error"] if wanted else []
    lacking, more = difference(wanted, found)
    return not lacking and not more, f"results lack {lacking}, and have {more} instead"


def difference(wanted: list[Said], found: list[Said]) -> tuple[list[Said], list[Said]]:
    """The results that a record has and we lack, and those that we have beyond it, each counted."""
    lacking: list[Said] = []
    left = list(found)
    for one in wanted:
        same = next((other for other in left if _is_same(one, other)), None)
        if same is None:
            lacking.append(one)
        else:
            left.remove(same)
    return lacking, left


def _is_same(wanted: Said, found: Said) -> bool:
    """Whether two results say the same. Ours may name a field, a file or a resource where the record leaves it open."""
    places = zip(wanted[2:], found[2:], strict=True)
    return wanted[:2] == found[:2] and all(one in ("", "{}", other) for one, other in places)


def multiset(items: list[Any], places: bool) -> Counter[str]:
    """The items, each as its data; `places`: with its file and index."""
    return Counter(json.dumps(_plain(_placed(item, places)), sort_keys=True) for item in items)


def _placed(item: Any, places: bool) -> Any:
    """An item with one annotation for each file and index: which of the two names a function writes is its framework's choice."""
    metadata = item.get("metadata") if isinstance(item, dict) else None
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(annotations, dict):
        return item
    left = {key: value for key, value in annotations.items() if key not in PLACES}
    for newer, older in ((names.PATH, names.LEGACY_PATH), (names.INDEX, names.LEGACY_INDEX)):
        place = annotations.get(newer, annotations.get(older))
        if places and place is not None:
            left[newer] = str(place)
    others = {key: value for key, value in item["metadata"].items() if key != "annotations"}
    return {**item, "metadata": {**others, "annotations": left} if left else others}


def _plain(data: Any) -> Any:
    """Data as the records have it: infinity as its text, numbers beyond 64 bits as floats."""
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_plain(value) for value in data]
    if isinstance(data, float) and data in (math.inf, -math.inf):
        return ".inf" if data > 0 else "-.inf"
    return float(data) if type(data) is int and not -(2**63) <= data < 2**64 else data


PLACES = (names.PATH, names.INDEX, names.LEGACY_PATH, names.LEGACY_INDEX)
Said = tuple[str, str, str, str, str]


def expected_results(data: Any) -> list[Said]:
    """Message, severity, field, file and resource of a record's results, the map form of older functions lifted to a list."""
    listed = data.get("items") or [] if isinstance(data, dict) else data or []
    return [
        (
            str(one.get("message")),
            str(one.get("severity") or "info"),
            str((one.get("field") or {}).get("path") or ""),
            str((one.get("file") or {}).get("path") or ""),
            json.dumps(one.get("resourceRef") or {}, sort_keys=True),
        )
        for one in listed
        if _LEFT_OUT not in str(one.get("message"))
    ]


def results(found: list[Finding]) -> list[Said]:
    """The same of our own results."""
    return [
        (
            one.message,
            one.severity,
            one.field,
            str((one.file or {}).get("path") or ""),
            json.dumps(one.resource_ref or {}, sort_keys=True),
        )
        for one in found
    ]


def kept(outcome: Outcome) -> list[Said]:
    """The results that the list brought along."""
    root: Any = go_data(parse(outcome.stdout).root)
    return expected_results(
        [one for one in root.get("results") or [] if "rule" not in (one.get("tags") or {})]
    )


def judge_images(record: Record, folder: Path) -> tuple[bool, str]:
    """set-image's newest code reports the number of changed images, its release which ones, as ours does; the items show the same.

    An error that ends the newest code occurs twice.
    """
    del folder
    function = loader.load("set-image")
    outcome = run(function.definition, function.process, record["input"])
    expected = record["expected"]
    words = ("summary: updated a total of", "function is terminated")
    listed = [one for one in expected["results"] or [] if not one["message"].startswith(words)]
    outcome.results[:] = [one for one in outcome.results if one.severity == "error"]
    return compare({**record, "expected": {**expected, "results": listed}}, outcome)


def judge_starlark(record: Record, folder: Path) -> tuple[bool, str]:
    """Programs run on another interpreter, whose words for its errors are its own; what it prints is a result here.

    So is a warning for what match_gvk of the newest code does not find.
    """
    del folder
    function = loader.load("starlark")
    outcome = run(function.definition, function.process, record["input"])
    outcome.results[:] = [one for one in outcome.results if one.rule not in ("printed", "match-gvk")]
    expected = record["expected"]
    of_interpreter = any(
        one.rule == "program" and not one.message.startswith("fail: ") for one in outcome.results
    )
    if of_interpreter and expected["exit"]:
        return True, ""
    return compare(record, outcome)


FILES: dict[str, Judge] = {
    "apply-replacements.jsonl": judge("apply-replacements", "v0.1.2", silent=("type-changed",)),
    "apply-replacements-v0.1.1.jsonl": judge(
        "apply-replacements", "v0.1.1", silent=("absent-target", "type-changed")
    ),
    "ensure-name-substring.jsonl": judge(
        "ensure-name-substring", silent=("names", "unused-field"), places=False
    ),  # kustomize drops them
    "set-image.jsonl": judge_images,
    "starlark.jsonl": judge_starlark,
    "set-image-v0.1.1.jsonl": judge("set-image"),
    "set-namespace-v0.4.1.jsonl": judge("set-namespace", "v0.4.1", silent=("unread-field",)),
    "apply-setters.jsonl": judge("apply-setters", silent=("unused-setter",)),
    "set-labels.jsonl": judge("set-labels", silent=("stale-term",)),
    "set-namespace.jsonl": judge("set-namespace", silent=("unread-field",)),
    **{
        f"{name}.jsonl": judge(name)
        for name in (
            "create-setters",
            "delete-annotations",
            "list-setters",
            "remove-local-config-resources",
            "search-replace",
            "set-annotations",
            "set-enforcement-action",
            "upsert-resource",
        )
    },
}
