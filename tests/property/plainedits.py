"""Lists with odd lines, and what each everyday function makes of them by lines and by the parser: it must be the same text."""

from __future__ import annotations

import difflib
import json
import random
from collections.abc import Callable, Iterator

from krmkit.fn import loader
from krmkit.fn.config import Config
from krmkit.fn.results import Results
from krmkit.fn.run import Outcome, apply, run
from krmkit.krm import listitem
from krmkit.krm.errors import Refused
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Map

Process = Callable[[ResourceList, Config, Results], None]

NO_LIST, NO_DATA = -1, -2
HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
# Each `%s` is another text of TEXTS in each list.
CONFIGS = {
    "set-namespace": "{namespace: %s}",
    "set-labels": "{team: %s, app: %s, %s: x}",
    "set-annotations": "{note: %s, team: %s, %s: x}",
    "set-image": "{name: nginx, newTag: %s}",
    "apply-setters": "{tag: %s, ns: %s}",
    "search-replace": "{by-path: '**.image', put-value: %s}",
    "apply-replacements": "",
}
# Written in all ways that there are: plain, in single or double quotes, with escapes.
TEXTS = (
    "shop", "1.27", "7", "yes", "null", "", "0x1f", "1_000", "1:30", "2020-01-01", "it's", 'say "x"', "a: b", "a #b", " a", "a ",
    "a\tb", "a\\b", "- a", "?", "*a", "&a", "!a", "%a", "@a", "[a", "{a", "a,b", "|", "=", "<<", "---", "é", "\u2028", "\x85",
    "\x1b", "\ufeff", "word " * 30,
)  # fmt: skip
REPLACEMENTS = """\
apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyReplacements
metadata: {name: c}
replacements:
- source: {kind: Source, name: first, fieldPath: data.x}
  targets:
  - select: {kind: Deployment}
    fieldPaths: [spec.template.metadata.labels.app, metadata.labels.app]
"""
SOURCE = "- kind: Source\n  apiVersion: v1\n  metadata:\n    name: first\n  data:\n    x: it's\n"
# One resource, a line each, with the column of its content.
LINES = [
    (0, "apiVersion: apps/v1"), (0, "kind: Deployment"), (0, "metadata:"), (2, "name: web"), (2, "namespace: default"),
    (2, "annotations:"), (4, "config.kubernetes.io/path: 'web.yaml'"), (4, "note: old"), (2, "labels:"), (4, "app: web"),
    (0, "spec:"), (2, "replicas: 3 # by hand"), (2, "selector:"), (4, "matchLabels:"), (6, "app: web"), (2, "template:"),
    (4, "metadata:"), (6, "labels:"), (8, "app: web"), (4, "spec:"), (6, "containers:"), (6, "- name: main"),
    (8, 'image: "nginx:1.25" # kpt-set: nginx:${tag}'), (8, "ports:"), (8, "- containerPort: 8080"), (6, "- image: nginx"),
    (8, "args:"), (8, "- |"), (10, "image: nginx:1"), (0, "data:"), (2, "text: |"), (4, "namespace: no"), (4, "image: nginx:2"),
]  # fmt: skip
ODD = [
    "# comment", "#   app: no", "", "   ", "'app': quoted", '"app": quoted', "app : wide", "app: twice", "? app", "<<: *x",
    "app: &x web", "app: *x", "app: !!str web", "app: |", "app: |-", "app: >+", "team: # none", "team:", "team: {a: b}",
    "team: [a, b]", "team: 'it''s' # why", 'team: "a\\tb"', "- app: web", "- - app", "-", "image:nginx", "labels: {}", "labels:",
    "annotations: null", "namespace: 7 # kpt-set: ${ns}", "namespace: ''", "image: nginx # kpt-set: nginx:${tag}",
    "image: 'nginx:1", "more text", "note: a: b", "kind: Service", "containers: []", "selector:", "name: web # kpt-set: ${tag}-x",
    "env: dev-${tag} # kpt-set: ${tag}", "key: - x", "é: ü", "team: yes", "x: |2", "image: nginx@sha256:ab", "---", "image: ''",
]  # fmt: skip


def cases(seed: int) -> Iterator[str]:
    """Items of a list without end, as text without its head: the same ones for the same seed."""
    dice = random.Random(seed)
    while True:
        texts = [_resource(dice) for _ in range(dice.choice((1, 1, 2, 3)))]
        if dice.random() < 0.5:
            texts.insert(dice.randrange(len(texts) + 1), SOURCE)
        text = "".join(texts)
        yield text.removesuffix("\n") if dice.random() < 0.2 else text


def _resource(dice: random.Random) -> str:
    lines = [line for line in LINES if dice.random() > 0.015]
    for _ in range(dice.choice((0, 1, 1, 1, 2))):
        at = dice.randrange(1, len(lines) + 1)
        column = lines[at - 1][0] + dice.choice((0, 0, 0, 0, 0, 2, -2))
        lines.insert(at, (max(column, 0), dice.choice(ODD)))
    if dice.random() < 0.2:
        del lines[dice.randrange(1, len(lines)) :]
    wide = dice.random() < 0.2  # lists deeper than their keys
    written = []
    for number, (column, content) in enumerate(lines):
        pad = "- " if not number else " " * (2 + column + 2 * (wide and column >= 6))
        shallow = content[:1] == "#" and dice.random() < 0.5
        written.append((content if shallow and number else pad + content) if content else content)
    return "\n".join(written) + "\n"


def config_of(name: str, dice: random.Random) -> str:
    """A config of a function."""
    data = CONFIGS[name]
    if not data:
        return REPLACEMENTS
    texts = tuple(json.dumps(dice.choice(TEXTS)) for _ in range(data.count("%s")))
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {data % texts}\n"


def _by_parser(process: Process) -> Process:
    def slow(resources: ResourceList, config: Config, results: Results) -> None:
        for item in resources:
            item._is_safe = False
        process(resources, config, results)

    return slow


def difference(name: str, items: str, dice: random.Random) -> str:
    """What a function does otherwise by lines than by the parser; "" where it is the same."""
    function = loader.load(name)
    config = "functionConfig:\n" + "".join(f"  {line}\n" for line in config_of(name, dice).splitlines())
    text = HEAD + items + ("" if items.endswith("\n") else "\n") + config
    fast = run(function.definition, function.process, text)
    broken = unreadable(text)
    if NO_DATA in broken:
        return ""  # who asks for the data gets an error, and who edits a line does not
    if NO_LIST in broken:
        return "" if fast.exit_code else "a list that cannot be read has no error"
    if broken:
        # The parser refuses such an item once it is asked for; the lines of one that nobody changes need not be YAML.
        after = ResourceList.parse(fast.stdout).items
        lost = [
            number for number, was in broken.items() if after[number].text.rstrip("\n") != was.rstrip("\n")
        ]
        return f"items {lost} cannot be read and were changed:\n{fast.stdout}" if lost else ""
    slow = run(function.definition, _by_parser(function.process), text)
    return _compared(fast, slow)


def unreadable(text: str) -> dict[int, str]:
    """The items of a list that the parser refuses, by their positions; also what it reads and no data can be made of."""
    found = {}
    try:
        items = ResourceList.parse(text).items
    except (YamlError, Refused):
        return {NO_LIST: text}
    for number, item in enumerate(items):
        try:
            has_entries = bool(item.root.entries)
        except (YamlError, Refused):
            found[number] = item.text
            continue
        try:
            assert item.get() or not has_entries
        except (YamlError, Refused):
            found[NO_DATA] = item.text
    return found


def _compared(fast: Outcome, slow: Outcome) -> str:
    if fast.exit_code != slow.exit_code:
        return f"exit code {fast.exit_code}, not {slow.exit_code}: {fast.stderr} {slow.stderr}"
    return _apart(fast.stdout, slow.stdout)


def _apart(fast: str, slow: str) -> str:
    lines = difflib.unified_diff(fast.split("\n"), slow.split("\n"), "by lines", "by the parser", lineterm="")
    return "\n".join(lines)


def pipeline_difference(names: list[str], items: str, most_lines: int, dice: random.Random) -> str:
    """The same for functions one behind the other on one list in memory, which holds so many lines of its items at most."""
    if unreadable(HEAD + items):
        return ""
    steps = [(name, config_of(name, dice)) for name in names]
    before, listitem._MOST_LINES = listitem._MOST_LINES, most_lines
    try:
        fast, slow = (_piped(steps, items, by_parser) for by_parser in (False, True))
    finally:
        listitem._MOST_LINES = before
    apart = _apart(fast, slow)
    return f"{steps}\n{apart}" if apart else ""


def _piped(steps: list[tuple[str, str]], items: str, by_parser: bool) -> str:
    """The text in the end, or the errors of the first function that fails."""
    resources = ResourceList.parse(HEAD + items)
    for name, text in steps:
        function = loader.load(name)
        process = _by_parser(function.process) if by_parser else function.process
        document = parse(text)
        assert isinstance(document.root, Map)
        config = Resource.from_node(document, document.root, "the config")
        found = apply(function.definition, process, resources, config)
        errors = [one.message for one in found if one.severity == "error"]
        if errors:
            return "\n".join(errors)
    resources.function_config = None
    return resources.render()


PATHS: tuple[Path, ...] = (
    ("kind",), ("metadata", "name"), ("metadata", "namespace"), ("metadata", "labels", "app"), ("metadata", "labels", "team"),
    ("metadata", "annotations", "note"), ("metadata", "annotations", "new"), ("spec", "replicas"), ("spec", "paused"),
    ("spec", "selector", "matchLabels", "app"), ("spec", "template", "metadata", "annotations", "new"),
    ("spec", "template", "spec", "containers", 0, "image"), ("data", "x"), ("data", "text"), ("new", "map", "key"),
)  # fmt: skip


def edit_difference(items: str, dice: random.Random) -> str:
    """What edits of the first item, some of one field again, write otherwise by lines, by the parser, or as text in between."""
    if unreadable(HEAD + items):
        return ""
    paths = dice.choices(PATHS, k=dice.choice((1, 2, 3)))
    edits = [(path, dice.choice(TEXTS)) for path in (*paths, paths[0])]
    written = [
        _edited(items, edits, by_parser, in_between)
        for by_parser in (False, True)
        for in_between in (False, True)
    ]
    apart = next((text for text in written if text != written[0]), written[0])
    return f"{edits}\n{_apart(written[0], apart)}" if apart != written[0] else ""


def _edited(items: str, edits: list[tuple[Path, str]], by_parser: bool, in_between: bool) -> str:
    resources = ResourceList.parse(HEAD + items)
    item = resources.items[0]
    item._is_safe = item._is_safe and not by_parser
    try:
        for path, text in edits:
            item.set(path, text)
            if in_between:
                _ = item.text
        return resources.render()
    except (YamlError, Refused) as error:
        return str(error)
