"""Paths of search-replace and of apply-replacements, file patterns, releases, images."""

from __future__ import annotations

import pytest

from krmkit.krm.resource import Resource
from krmkit.libraries.go.errors import GoInputError
from krmkit.systems.everyday.common.releases import Release
from krmkit.systems.everyday.fields.comments import wants_text
from krmkit.systems.everyday.images import Image
from krmkit.systems.everyday.replacements.paths import Match, found, steps_of
from krmkit.systems.everyday.search.paths import PathPattern, glob

PATHS: list[tuple[str, tuple[str | int, ...], bool]] = [
    ("spec.replicas", ("spec", "replicas"), True),
    ("metadata.*", ("metadata", "labels", "app"), False),
    ("**.image", ("spec", "containers", 0, "image"), True),
    ("spec.**.app", ("spec", "app"), True),
    ("spec.ports[*].port", ("spec", "ports", 1, "port"), True),
    ("spec.ports[0].port", ("spec", "ports", 1, "port"), False),
    ("a[0][1]", ("a", 0, 0), False),
    ("metadata.annotations.a.b/c", ("metadata", "annotations", "a.b/c"), True),
    ("spec..replicas", ("spec", "replicas"), False),
]


@pytest.mark.parametrize(("pattern", "path", "fits"), PATHS, ids=[case[0] for case in PATHS])
def test_path_patterns(pattern: str, path: tuple[str | int, ...], fits: bool) -> None:
    """`*` is one element, `**` any number, and a key with dots is several."""
    assert PathPattern(pattern).fits(path) is fits


GLOBS = [
    ("app/*.yaml", "app/a.yaml", True),
    ("app/*.yaml", "app/b/a.yaml", False),
    ("**/*.yaml", "a.yaml", True),
    ("{a,b/c}.yaml", "b/c.yaml", True),
    ("[!a].yaml", "a.yaml", False),
    ("a+b.yaml", "a+b.yaml", True),
    ("app/**", "app", True),
    ("app/**", "app/b/a.yaml", True),
    ("app/**", "apps", False),
    ("**", "a/b.yaml", True),
    ("**", "", True),
    ("a**/b", "ax/b", True),
    ("a/***", "a/b", True),
    ("a/***", "a/b/c", False),
    ("***/b", "a/b", True),
    ("***/b", "a/c/b", False),
    ("a/**b", "a/xb", True),
    ("a/**b", "a/x/b", False),
    ("**,b", "a/x,b", False),
    ("{a,b}/**", "b", True),
    ("x**", "x/a", False),
    ("x**", "xa", True),
    ("a**/b", "a/x/b", False),
    ("app/**/a.yaml", "app/a.yaml", True),
    ("app/**/a.yaml", "app/b/c/a.yaml", True),
    ("{app/**,b}", "app/c/d", True),
    ("{app/**,b}", "b", True),
    ("{**/a,b}", "c/d/a", True),
    ("a?.yaml", "ab.yaml", True),
    ("a?.yaml", "a/.yaml", False),
    ("[^a-c].yaml", "b.yaml", False),
    ("[a-c].yaml", "b.yaml", True),
    ("[a.yaml]", "[", False),
    (r"a\*.yaml", "a*.yaml", True),
    (r"a\*.yaml", "ab.yaml", False),
    ("a,b}.yaml", "a,b}.yaml", True),
]


@pytest.mark.parametrize(("pattern", "path", "fits"), GLOBS, ids=[f"{case[0]} {case[1]}" for case in GLOBS])
def test_globs(pattern: str, path: str, fits: bool) -> None:
    """A star stays in its folder, two do not."""
    assert (glob(pattern).search(path) is not None) is fits


@pytest.mark.parametrize("pattern", ["[", "{a"])
def test_broken_globs(pattern: str) -> None:
    """What is not closed is an error."""
    with pytest.raises(GoInputError):
        glob(pattern)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (("metadata", "labels", "a"), True),
        (("spec", "template", "metadata", "annotations", "a"), True),
        (("metadata", "name"), True),
        (("metadata", "namespace"), True),
        (("spec", "containers", 0, "env", 0, "value"), True),
        (("spec", "containers", 0, "env", 0, "name"), False),
        (("spec", "containers", 0, "value"), False),
        (("env", "value"), False),
        (("spec", "name"), False),
        (("labels",), False),
    ],
)
def test_fields_that_must_be_strings(path: tuple[str | int, ...], wanted: bool) -> None:
    """Labels, annotations, names and environment variables."""
    assert wants_text(path) is wanted


@pytest.mark.parametrize(
    ("step", "create", "places"),
    [("0", False, 1), ("1", False, 0), ("1", True, 0), ("-", False, 1), ("*", False, 1)],
)
def test_entries_of_a_list(step: str, create: bool, places: int) -> None:
    """An index beyond the end is no place, whether entries are made or not."""
    item = Resource("spec:\n  list:\n  - a\n")

    assert len(found(item, steps_of(f"spec.list.{step}"), create=create)) == places


def test_steps_of_a_replacement() -> None:
    """Dots divide, a backslash and brackets keep one, `[k=v]` is an entry."""
    steps = steps_of(r"a.[x.y/z].b\.c.[name=w].0")

    assert [step for step in steps if isinstance(step, str)] == ["a", "x.y/z", "b.c", "0"]
    assert [(step.key, step.value) for step in steps if isinstance(step, Match)] == [("name", "w")]


def test_missing_entries_are_made() -> None:
    """With `create` a list gets the entry that the path asks for."""
    item = Resource("spec:\n  list:\n  - name: a\n")

    places = found(item, steps_of("spec.list.[name=b].value"), create=True)
    item.set(places[0], "x")

    assert item.text == "spec:\n  list:\n  - name: a\n  - name: b\n    value: x\n"


@pytest.mark.parametrize(
    ("tag", "release"),
    [
        ("v0.4.1", (0, 4, 1)),
        ("0.4.1", (0, 4, 1)),
        ("v0.4", None),
        ("latest", None),
        ("", None),
        ("v0.4.x", None),
    ],
)
def test_releases(tag: str, release: tuple[int, int, int] | None) -> None:
    """Only a whole version names a release."""
    assert Release.read(tag) == release


IMAGES = [
    ("nginx:1.2", "apache:1.2"),
    ("nginx@sha256:ab", "apache@sha256:ab"),
    ("nginx", "apache"),
    ("nginx-ingress:1", "nginx-ingress:1"),
    ("docker.io/nginx:1", "docker.io/nginx:1"),
    ("nginx/x", "nginx/x"),
]


@pytest.mark.parametrize(("old", "new"), IMAGES, ids=[case[0] for case in IMAGES])
def test_images(old: str, new: str) -> None:
    """The name is compared whole, and tag and digest stay where only the name changes."""
    assert Image("nginx", "apache", "", "").new(old) == new
