"""krmkit.systems.porch.variants.pipeline: the variant's functions at the front of the Kptfile's pipeline."""

from __future__ import annotations

import pytest

from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.variants.pipeline import prepend_pipeline
from tests.unit.systems.porch.packages import KPTFILE, package, text_of

HEAD = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: front\n"


def run(kptfile: str, pipeline: dict[str, object] | None, variant: str = "pv") -> tuple[str, bool]:
    found = package({"Kptfile": kptfile})
    changed = prepend_pipeline(found, variant, pipeline)
    return text_of(found, "Kptfile"), changed


def test_prepended_with_comments_in_their_places() -> None:
    """New functions stand first, in the order of the spec; what was there keeps its lines and comments."""
    text, changed = run(
        KPTFILE,
        {
            "mutators": [
                {"image": "set-namespace:v1", "configMap": {"zone": "n", "namespace": "shop"}, "name": "ns"},
                {"exec": "./fix.sh"},
            ],
            "validators": [
                {"image": "check", "tag": "v2", "selectors": [{"kind": "Service"}], "exclude": []}
            ],
        },
    )

    assert changed
    assert text == KPTFILE.replace(
        "  # labels come first\n",
        "  - name: PackageVariant.pv.ns.0\n"
        "    image: set-namespace:v1\n"
        "    configMap:\n"
        "      namespace: shop\n"
        '      zone: "n"\n'
        "  - name: PackageVariant.pv..1\n"
        "    exec: ./fix.sh\n"
        "  # labels come first\n",
    ) + (
        "  validators:\n"
        "  - name: PackageVariant.pv..0\n"
        "    image: check\n"
        "    selectors:\n"
        "    - kind: Service\n"
        "    tag: v2\n"
    )


def test_twice_is_once() -> None:
    """A second run finds its functions and changes nothing."""
    spec: dict[str, object] = {
        "mutators": [{"image": "a"}, {"image": "b", "name": "b"}],
        "validators": [{"image": "v"}],
    }
    once, _ = run(KPTFILE, spec)

    assert run(once, spec) == (once, False)


def test_own_functions_are_found_wherever_they_stand() -> None:
    """Functions of the variant go, from any position; those of other variants and of nobody stay in order."""
    text, _ = run(
        HEAD
        + "pipeline:\n  mutators:\n"
        + "".join(
            f"  - name: {name}\n    image: i\n"
            for name in ("a", "PackageVariant.pv.x.0", "PackageVariant.other.x.0")
        )
        + "  - image: last\n  - name: PackageVariant.pv.y.1\n    image: i\n",
        {"mutators": [{"image": "new"}]},
    )

    assert text == HEAD + (
        "pipeline:\n  mutators:\n  - name: PackageVariant.pv..0\n    image: new\n  - name: a\n    image: i\n"
        "  - name: PackageVariant.other.x.0\n    image: i\n  - image: last\n"
    )


def test_a_function_with_its_fields_in_another_order() -> None:
    """A function that says the same in another order of its fields is written anew, as the controller writes it."""
    spec: dict[str, object] = {"mutators": [{"image": "a", "configMap": {"a": "1", "b": "2"}}]}
    once, _ = run(HEAD, spec)
    other = once.replace('      a: "1"\n      b: "2"\n', '      b: "2"\n      a: "1"\n')
    assert other != once

    assert run(other, spec) == (once, True)


def test_a_function_that_stays_keeps_its_comments() -> None:
    """Only the changed function is written anew."""
    before = HEAD + (
        "pipeline:\n  mutators:\n  # one\n  - name: PackageVariant.pv.a.0\n    image: a # keep\n"
        "  # two\n  - name: PackageVariant.pv.b.1\n    image: b\n"
    )
    text, changed = run(before, {"mutators": [{"name": "a", "image": "a"}, {"name": "b", "image": "b2"}]})

    assert changed
    assert "  # one\n  - name: PackageVariant.pv.a.0\n    image: a # keep\n" in text
    assert "    image: b2\n" in text


@pytest.mark.parametrize(
    ("pipeline", "after"),
    [
        pytest.param("pipeline: {}\n", "", id="an empty map goes"),
        pytest.param("pipeline:\n", "", id="null counts as absent"),
        pytest.param("pipeline: ~\n", "", id="null in another spelling"),
        pytest.param("pipeline:\n  mutators: []\n  validators: []\n", "", id="empty lists go"),
        pytest.param(
            "pipeline:\n  mutators: []\n  custom: 1\n", "pipeline:\n  custom: 1\n", id="unknown keys stay"
        ),
        pytest.param(
            "pipeline:\n  mutators:\n  - {name: PackageVariant.pv..0, image: a}\n",
            "",
            id="own functions only",
        ),
        pytest.param(
            "pipeline:\n  validators:\n  - image: v\n",
            "pipeline:\n  validators:\n  - image: v\n",
            id="others",
        ),
    ],
)
def test_nothing_wanted(pipeline: str, after: str) -> None:
    """Without functions in the spec, what is left empty is taken away."""
    assert run(HEAD + pipeline + "info:\n  site: x\n", None)[0] == HEAD + after + "info:\n  site: x\n"


@pytest.mark.parametrize(
    "pipeline", ["pipeline: {}\n", "pipeline:\n", "pipeline: null\n", "pipeline:\n  mutators: []\n", ""]
)
def test_first_function_of_an_empty_pipeline(pipeline: str) -> None:
    """An empty pipeline in any spelling takes functions; the result is block style and has one pipeline."""
    text, changed = run(HEAD + pipeline, {"mutators": [{"image": "a"}]})

    assert changed
    assert text == HEAD + "pipeline:\n  mutators:\n  - name: PackageVariant.pv..0\n    image: a\n"


def test_a_list_behind_an_alias_is_not_written_through() -> None:
    """The anchored list stays; the alias becomes a list of its own."""
    text, _ = run(
        HEAD + "info:\n  keywords:\n  - a\npipeline:\n  mutators: &all\n  - image: a\n  validators: *all\n",
        {"validators": [{"image": "v"}]},
    )

    assert "  mutators: &all\n  - image: a\n" in text
    assert text.endswith("  validators:\n  - name: PackageVariant.pv..0\n    image: v\n  - image: a\n")


@pytest.mark.parametrize(
    ("kptfile", "message"),
    [
        pytest.param(
            HEAD + "pipeline: []\n", "pipeline of the Kptfile is not a map", id="pipeline is a list"
        ),
        pytest.param(HEAD + "pipeline:\n  mutators:\n", "not a list", id="mutators null"),
        pytest.param(HEAD + "pipeline:\n  mutators: {}\n", "not a list", id="mutators a map"),
        pytest.param(HEAD + "pipeline:\n  validators: x\n", "not a list", id="validators a scalar"),
        pytest.param(HEAD + "pipeline:\n  mutators: [x]\n", "not a function", id="function a scalar"),
        pytest.param(
            HEAD + "pipeline:\n  mutators:\n  - name: 7\n",
            "could not retrieve field name",
            id="name a number",
        ),
        pytest.param(
            HEAD + "pipeline:\n  mutators:\n  - name:\n", "could not retrieve field name", id="name null"
        ),
        pytest.param(HEAD + "---\n" + HEAD, "exactly one object", id="two documents"),
    ],
)
def test_malformed(kptfile: str, message: str) -> None:
    """A Kptfile that is not what the API says is an error, not a guess."""
    with pytest.raises(PorchError) as caught:
        run(kptfile, {"mutators": [{"image": "a"}]})

    assert message in str(caught.value)


def test_no_kptfile_at_the_root() -> None:
    """The Kptfile of a subpackage is not the root's."""
    with pytest.raises(PorchError, match='"Kptfile" not found'):
        prepend_pipeline(package({"sub/Kptfile": HEAD}), "pv", None)


@pytest.mark.parametrize(
    ("variant", "function", "fails"),
    [("a.b", "c", True), ("a", "b.c", True), ("a", "", False), ("a.b", None, False)],
)
def test_dots(variant: str, function: str | None, fails: bool) -> None:
    """Dots that would keep functions from being found again are an error; without functions there is nothing to find."""
    spec: dict[str, object] = {"mutators": [] if function is None else [{"image": "i", "name": function}]}
    if not fails:
        run(HEAD, spec, variant)
        return
    with pytest.raises(PorchError, match="has a dot"):
        run(HEAD, spec, variant)


NUMBERED = HEAD + (
    "  annotations:\n    internal.config.kubernetes.io/id: '1'\n    config.k8s.io/id: '1'\n    example.dev/a: b\n"
    "pipeline:\n  mutators:\n  - image: a # a\n"
)


def test_moved_entries_are_not_paired_with_old_ones() -> None:
    """By its numbers kpt would give the first entry's comment to the one that now stands in its place."""
    moved, _ = run(NUMBERED, {"mutators": [{"image": "new"}]})
    still, _ = run(NUMBERED, {"validators": [{"image": "new"}]})

    assert "/id:" not in moved
    assert "example.dev/a: b" in moved
    assert still.count("/id:") == 2


def test_what_the_next_version_brings() -> None:
    """A config by reference and a condition go into the Kptfile, without what is empty, and stay as they are."""
    reference = {"kind": "ConfigMap", "name": "conf", "namespace": "", "apiVersion": None}
    spec: dict[str, object] = {
        "mutators": [{"image": "a", "configRef": reference, "when": "resources.size() > 1"}]
    }

    text, _ = run(HEAD, spec)

    assert text == HEAD + (
        "pipeline:\n  mutators:\n  - name: PackageVariant.pv..0\n    image: a\n"
        "    configRef:\n      name: conf\n      kind: ConfigMap\n    when: resources.size() > 1\n"
    )
    assert run(text, spec) == (text, False)
