"""Whatever else stands in a resource, an everyday function changes what it is for and leaves the rest, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krmkit.fn import loader
from krmkit.fn.run import run
from krmkit.fn.testing import resource_list

# A dash alone is no text: it begins a list, which cannot stand behind a key.
WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=8).filter("-".__ne__)
VALUES = st.one_of(
    WORDS,
    WORDS.map(lambda word: f'"{word}"'),
    WORDS.map(lambda word: f"'{word}' # note {word}"),
    st.sampled_from(
        ["yes", "010", "1e3", "~", "[a,   b]", "{x: 1}  # flow", "|\n      text\n      # no comment", "&a b"]
    ),
)


def config_map(data: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {data}\n"


def own(kind: str, rest: str) -> str:
    return f"apiVersion: fn.kpt.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: c}}\n{rest}\n"


# The config of each function, and how the lines begin that it is for: only these may differ.
CONFIGS = {
    "set-namespace": (config_map("{namespace: shop}"), ("namespace: ",)),
    "set-labels": (config_map("{team: shop}"), ("labels:", "team: ")),
    "set-annotations": (config_map("{note: shop}"), ("annotations:", "note: ")),
    "set-image": (config_map("{name: nginx, newTag: '9'}"), ("image: ",)),
    "apply-setters": (config_map("{tag: '9'}"), ("image: ",)),
    "create-setters": (config_map("{name-and-tag: 'nginx:1'}"), ("image: ",)),
    "list-setters": (config_map("{}"), ()),
    "search-replace": (config_map("{by-value: 'nginx:1', put-value: 'nginx:2'}"), ("image: ",)),
    "delete-annotations": (config_map("{annotationKeys: zz}"), ()),
    "ensure-name-substring": (config_map("{prepend: dev.}"), ("name: ",)),
    "set-enforcement-action": (config_map("{enforcementAction: warn}"), ("enforcementAction: ",)),
    "remove-local-config-resources": (config_map("{}"), ()),
    "upsert-resource": (config_map("{}"), ()),
    "apply-replacements": (
        own(
            "ApplyReplacements",
            "replacements: [{source: {kind: Pod, fieldPath: metadata.namespace}, targets: "
            "[{select: {kind: Pod}, fieldPaths: ['spec.containers.[name=main].image']}]}]",
        ),
        ("image: ",),
    ),
    "starlark": (
        own("StarlarkRun", """source: 'ctx.resource_list["items"][0]["metadata"]["namespace"] = "shop"'"""),
        ("namespace: ",),
    ),
}
POLICY = (
    "apiVersion: constraints.gatekeeper.sh/v1beta1 # of Gatekeeper\nkind: Repos\nmetadata:\n  name: p\n"
    "spec:\n  enforcementAction: deny # for now\n  match: {kinds:   [a]}\n"
)

# Those of the lines that a function changes, among others; a setter takes the place of one that was there.
COMMENTS = (
    "# head",
    "# the name",
    "# above",
    "# kpt-set: nginx:${tag}",
    "# foot",
    "# of Gatekeeper",
    "# for now",
)


def resource(fields: list[tuple[str, str]]) -> str:
    lines = "".join(f"    k{number}-{key}: {value}\n" for number, (key, value) in enumerate(fields))
    return (
        "# head\napiVersion: v1\nkind: Pod\nmetadata:\n  name: a # the name\n  namespace: old\n"
        f"spec:\n  other:\n    first: 1\n{lines}  containers:\n"
        "  # above\n  - name: main\n    image: nginx:1 # kpt-set: nginx:${tag}\n# foot\n"
    )


@pytest.mark.parametrize("name", CONFIGS)
@settings(max_examples=40, deadline=None)
@given(fields=st.lists(st.tuples(WORDS, VALUES), max_size=6))
def test_other_lines_stay(name: str, fields: list[tuple[str, str]], project: Path) -> None:
    """Each line that a function is not for comes out as it went in, those that it changes keep their comments, and a second run
    changes nothing.
    """
    del project
    function = loader.load(name)
    config, meant = CONFIGS[name]
    text = resource_list([resource(fields), POLICY], config)

    once = run(function.definition, function.process, text)
    twice = run(function.definition, function.process, once.stdout)

    assert once.exit_code == 0, once.stderr
    kept = [line for line in text.split("\n") if not line.lstrip("- ").startswith(meant)]
    left = once.stdout.partition("\nresults:")[0].split("\n")
    position = 0
    for line in kept[:-1]:
        position = left.index(line, position) + 1
    comments = [comment for comment in COMMENTS if comment not in once.stdout]
    assert comments == (["# kpt-set: nginx:${tag}"] if name == "create-setters" else [])
    assert twice.stdout.partition("\nresults:")[0] == once.stdout.partition("\nresults:")[0]
