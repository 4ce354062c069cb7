"""The Kptfile: what the pipeline reads from it, and what it says about a wrong one."""

from __future__ import annotations

import pytest

from krmkit.kpt.kptfile import Kptfile, PipelineFunction, ResourceSelector
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import YamlError

HEAD = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"


def function(text: str) -> PipelineFunction:
    """The one mutator whose fields are given."""
    lines = text.strip().split("\n")
    return Kptfile.parse(f"{HEAD}pipeline:\n  mutators:\n  - " + "\n    ".join(lines) + "\n").mutators[0]


def test_reads_the_pipeline_in_order() -> None:
    """Mutators and validators keep their order, each with its place in the file."""
    kptfile = Kptfile.parse(
        HEAD
        + "pipeline:\n  mutators:\n  - image: example.dev/first:v1\n  - exec: ./second\n"
        + "  validators:\n  - image: third\n    name: last\n"
    )

    assert kptfile.name == "shop"
    assert [entry.image or entry.exec for entry in kptfile.mutators] == ["example.dev/first:v1", "./second"]
    assert kptfile.validators[0].name == "last"
    assert kptfile.validators[0].field == "pipeline.validators[0]"


@pytest.mark.parametrize("text", ["", "pipeline: null\n", "pipeline:\n", "pipeline:\n  mutators: null\n"])
def test_no_pipeline(text: str) -> None:
    """A package without functions is a package."""
    kptfile = Kptfile.parse(HEAD + text)

    assert kptfile.mutators == []
    assert kptfile.validators == []


def test_config_map_values_are_the_texts_that_stand_there() -> None:
    """What looks like another type stays the text that was written, and null is nothing, as Go decodes it."""
    found = function(
        "image: a\nconfigMap:\n  a: 1\n  b: true\n  c: 010\n  d: null\n  e: 'x: y'\n  f: |\n    two\n    lines"
    )

    assert found.config_map == {"a": "1", "b": "true", "c": "010", "d": "", "e": "x: y", "f": "two\nlines\n"}


def test_config_path_is_cleaned() -> None:
    """`./config//a.yaml` and `config/a.yaml` are the same file."""
    found = function("image: a\nconfigPath: ./config//a.yaml")

    assert (found.config_path, found.config_file) == ("./config//a.yaml", "config/a.yaml")


WRONG = [
    (
        "unknown at the top",
        HEAD + "pipline: {}\n",
        ['pipline: unknown field "pipline"; did you mean "pipeline"?'],
    ),
    ("unknown stage", HEAD + "pipeline:\n  mutator: []\n", ['did you mean "mutators"?']),
    (
        "unknown in a function",
        HEAD + "pipeline:\n  mutators:\n  - image: a\n    configMp: {}\n",
        ['pipeline.mutators[0].configMp: unknown field "configMp"; did you mean "configMap"?'],
    ),
    (
        "unknown in a selector",
        HEAD + "pipeline:\n  validators:\n  - image: a\n    exclude:\n    - kinds: X\n",
        ["pipeline.validators[0].exclude[0].kinds: unknown field"],
    ),
    (
        "no function",
        HEAD + "pipeline:\n  mutators:\n  - name: x\n",
        ["names no function; give image or exec"],
    ),
    ("image and exec", HEAD + "pipeline:\n  mutators:\n  - image: a\n    exec: b\n", ["exclude each other"]),
    (
        "two configs",
        HEAD + "pipeline:\n  mutators:\n  - image: a\n    configPath: b\n    configMap: {c: d}\n",
        ["configPath and configMap exclude each other"],
    ),
    (
        "config outside",
        HEAD + "pipeline:\n  mutators:\n  - image: a\n    configPath: x/../../b\n",
        ['"x/../../b" must be a path inside the package'],
    ),
    (
        "config absolute",
        HEAD + "pipeline:\n  mutators:\n  - image: a\n    configPath: /b\n",
        ["must be a path inside the package"],
    ),
    (
        "no image name",
        HEAD + "pipeline:\n  mutators:\n  - image: Bad Image\n",
        ['"Bad Image" is not the name of an image'],
    ),
    ("functions as a map", HEAD + "pipeline:\n  mutators: {}\n", ["pipeline.mutators: must be a list"]),
    ("pipeline as a list", HEAD + "pipeline: []\n", ["pipeline: must be a map"]),
    (
        "a list as text",
        HEAD + "pipeline:\n  mutators:\n  - image: a\n    name: [b]\n",
        ["pipeline.mutators[0].name: must be a string"],
    ),
    (
        "a list in a ConfigMap",
        HEAD + "pipeline:\n  mutators:\n  - image: a\n    configMap: {b: [1]}\n",
        ["pipeline.mutators[0].configMap.b: must be a string"],
    ),
    (
        "another kind",
        "apiVersion: v1\nkind: ConfigMap\n",
        ["must be a Kptfile (kpt.dev/v1), got ConfigMap (v1)"],
    ),
    (
        "an old version",
        "apiVersion: kpt.dev/v1alpha1\nkind: Kptfile\n",
        ["got Kptfile (kpt.dev/v1alpha1)"],
    ),
    (
        "all at once",
        HEAD + "extra: 1\npipeline:\n  mutators:\n  - image: a\n    exec: b\n  - foo: x\n",
        ["extra: unknown", "foo: unknown", "exclude each other", "names no function"],
    ),
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_says_what_is_wrong(text: str, expected: list[str]) -> None:
    """Every mistake is named at once, with its path."""
    with pytest.raises(Refused) as caught:
        Kptfile.parse(text, "sub/Kptfile")

    for part, problem in zip(expected, str(caught.value).split("\n"), strict=True):
        assert problem.startswith("sub/Kptfile: ")
        assert part in problem


def test_a_key_that_stands_twice() -> None:
    """Which of two pipelines was meant, nobody knows."""
    with pytest.raises(YamlError, match="twice"):
        Kptfile.parse(HEAD + "pipeline: {}\npipeline: {}\n")


ITEM = Resource(
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: prod\n"
    "  labels: {tier: web, count: 3}\n  annotations:\n    note: x\n"
)
MATCHES = [
    ("nothing asked", ResourceSelector(), True),
    ("kind", ResourceSelector(kind="ConfigMap"), True),
    ("another kind", ResourceSelector(kind="Secret"), False),
    ("kind and name", ResourceSelector(kind="ConfigMap", name="a"), True),
    ("kind but not name", ResourceSelector(kind="ConfigMap", name="b"), False),
    ("names are no patterns", ResourceSelector(name="*"), False),
    ("namespace", ResourceSelector(namespace="prod"), True),
    ("another namespace", ResourceSelector(kind="ConfigMap", namespace="test"), False),
    ("apiVersion", ResourceSelector(api_version="apps/v1"), False),
    ("labels as texts", ResourceSelector(labels={"tier": "web", "count": "3"}), True),
    ("one label too many", ResourceSelector(labels={"tier": "web", "x": ""}), False),
    ("annotation", ResourceSelector(annotations={"note": "x"}), True),
]


@pytest.mark.parametrize(
    ("selector", "expected"), [case[1:] for case in MATCHES], ids=[case[0] for case in MATCHES]
)
def test_selector(selector: ResourceSelector, expected: bool) -> None:
    """A selector wants all that it gives."""
    assert selector.matches(ITEM) is expected


def test_namespace_of_a_selector() -> None:
    """A selector of the Kptfile is read with its namespace."""
    assert function("image: a\nselectors:\n- kind: ConfigMap\n  namespace: prod").takes(ITEM)
    assert not function("image: a\nselectors:\n- kind: ConfigMap\n  namespace: test").takes(ITEM)


def test_function_takes() -> None:
    """One selector suffices, one exclusion suffices, and an empty exclusion excludes nothing."""
    assert function("image: a\nselectors:\n- name: z\n- kind: ConfigMap").takes(ITEM)
    assert not function("image: a\nexclude:\n- name: a").takes(ITEM)
    assert not function("image: a\nselectors:\n- kind: ConfigMap\nexclude:\n- namespace: prod").takes(ITEM)
    assert function("image: a\nexclude:\n- {}").takes(ITEM)
    assert not function("image: a").narrows


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        (ResourceSelector(kind="ConfigMap", name="a"), 'ConfigMap "a"'),
        (ResourceSelector("v1", "ConfigMap", "a"), 'ConfigMap (v1) "a"'),
        (ResourceSelector("v1", "ConfigMap", "a", "prod"), 'ConfigMap (v1) "a" in namespace prod'),
    ],
)
def test_what_a_message_calls_a_resource(selector: ResourceSelector, text: str) -> None:
    """Only what the reference gives."""
    assert str(selector) == text
