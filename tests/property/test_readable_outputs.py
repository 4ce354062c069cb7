"""What a successful run gives back can be read by Go's rules, wherever its input can.

The rule: an item that a function edits, or takes data from, must be one that can be read, or the run ends with an error. One that a function
passes by is not parsed; it leaves byte for byte as it came, so a broken one stays broken. No run breaks an item that could be read.
"""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest

from krmkit.fn.testing import run_function
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from tests.property.mutate import cases

SIGNS = (
    '"',
    "'",
    "{",
    "[",
    "}",
    "]",
    ": ",
    "\t",
    "&a ",
    "*a ",
    "|",
    "@",
    "%",
    "- ",
    "#",
    "\n",
    "!!x ",
    "\u2028",
)
BUDGET = 60  # lists for each seed, each with as many breaks as follow
BREAKS = 4


def readable(text: str) -> bool:
    try:
        go_data(parse(text).root)
    except YamlError:
        return False
    return True


def _readable_item(item: Resource) -> bool:
    """Whether an item is YAML. A value of it that has no meaning to Go, such as `!!x 1`, may have come so, beside what was edited."""
    try:
        parse(" " * item.column + item.text)
    except YamlError:
        return False
    return True


def broken(text: str, dice: random.Random) -> str:
    """The text with one or two of its characters replaced by signs of YAML."""
    signs = list(text)
    for _ in range(dice.choice((1, 2))):
        signs[dice.randrange(len(signs))] = dice.choice(SIGNS)
    return "".join(signs)


def problem(folder: str, text: str) -> str:
    """What is wrong with the output of a run that succeeded, "" if nothing is, or it failed."""
    outcome = run_function(folder, text)
    if outcome.exit_code or readable(outcome.stdout):
        return ""
    if readable(text):
        return "the input can be read, the output cannot"
    came = _broken_items(text)
    edited = [item for item in _broken_items(outcome.stdout) if item not in came]
    return f"a broken item was edited: {edited[0]}" if edited else ""


def _broken_items(text: str) -> list[str]:
    """The texts of the items that cannot be read, without the line break that the end of the list may have lacked."""
    return [item.text.rstrip("\n") for item in ResourceList.parse(text).items if not _readable_item(item)]


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=() if seed < 2 else pytest.mark.slow) for seed in range(6)]
)
def test_successful_outputs(seed: int) -> None:
    """Mutated lists, and lists with single characters broken."""
    dice = random.Random(seed)
    for case in islice(cases(seed), BUDGET):
        for text in (case.text, *(broken(case.text, dice) for _ in range(BREAKS))):
            said = problem(str(case.folder), text)
            assert not said, f"{case.label}: {said}\n{text[:3000]}"


def _items(text: str) -> object:
    listed = go_data(parse(text).root)
    assert isinstance(listed, dict)
    return listed["items"]


BROKEN = (
    'v1\n  config.k8s.io/id\' "5"',
    "*nowhere",
    "@x",
    "a: b",
    "1\n  apiVersion: 2",
    '"1"\n  "apiVersion": 2',
)


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize(
    ("function", "config"),
    [
        (
            "ensure-name-substring",
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {append: -x}}",
        ),
        ("set-namespace", "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {namespace: x}}"),
        ("set-labels", "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: x}}"),
        ("set-annotations", "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: x}}"),
        (
            "set-image",
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {name: nginx, newTag: '2'}}",
        ),
    ],
)
def test_edits_of_broken_items(project: Path, function: str, config: str, broken: str) -> None:
    """A function that would edit an item by a line of it sees that the rest cannot be read."""
    text = (
        f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {config}\nitems:\n"
        "- kind: Pod\n  metadata:\n    name: a\n    namespace: b\n  spec:\n    containers:\n"
        f"    - name: c\n      image: nginx:1\n  apiVersion: v1\n  broken: {broken}\n"
    )

    outcome = run_function(f"{project}/functions/{function}", text)

    assert outcome.exit_code == 1, outcome.stdout
    assert outcome.stdout.partition("items:")[2].startswith(text.partition("items:")[2])


def test_data_of_broken_items(project: Path) -> None:
    """A set takes names and labels from Repositories, so each must be one that can be read."""
    text = (
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
        "- apiVersion: config.porch.kpt.dev/v1alpha2\n  kind: PackageVariantSet\n  metadata: {name: s, namespace: d}\n"
        "  spec:\n    upstream: {repo: r, package: p, workspaceName: v1}\n    targets:\n"
        "    - repositorySelector: {matchLabels: {a: b}}\n"
        "- apiVersion: config.porch.kpt.dev/v1alpha1\n  kind: Repository\n"
        "  metadata:\n    name: r\n    namespace: d\n    labels:\n      a: b\n  spec: {}\n"
    )
    whole = run_function(f"{project}/functions/generate-package-variants", text)
    broken = run_function(
        f"{project}/functions/generate-package-variants", text.replace("spec: {}", "spec: @")
    )

    assert whole.exit_code == 0 and "PackageVariant\n" in whole.stdout
    assert broken.exit_code == 1 and "item 2" in broken.results[0].message


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("style", ["|", "|-", "|+", ">"])
def test_items_come_back_on_failure(project: Path, end: str, style: str) -> None:
    """Also where the input ends inside of a block scalar, with or without a line break."""
    items = f"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: a}}\n  data:\n    x: {style}\n      one\n      two{end}"
    text = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {{kind: X}}\nitems:\n{items}"

    outcome = run_function(f"{project}/functions/apply-presets", text)

    assert outcome.exit_code == 1
    assert _items(outcome.stdout) == _items(text)
