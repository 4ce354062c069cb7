"""krmkit.systems.porch.variants.context: the package context."""

from __future__ import annotations

import pytest

from krmkit.krm.cause import CauseLog
from krmkit.krm.resource import Resource
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.variants.causes import VariantCauses
from krmkit.systems.porch.variants.context import context_text, is_package_context, set_package_context
from tests.unit.systems.porch.packages import CONTEXT, KPTFILE, package, text_of

FILE = "package-context.yaml"


def run(text: str, data: dict[str, str] | None = None, removed: list[str] | None = None) -> str:
    found = package({FILE: text})
    set_package_context(found, {"data": data, "removeKeys": removed})
    return text_of(found, FILE)


def test_set_keeps_places_and_appends_sorted() -> None:
    """A known key changes in its place, with its comment; new keys follow, sorted."""
    before = CONTEXT + "  region: us # of the site\n  zone: a\n"

    assert run(before, {"zone": "b", "y": "1", "region": "eu", "b": "x"}) == (
        CONTEXT + '  region: eu # of the site\n  zone: b\n  b: x\n  "y": "1"\n'
    )


def test_removals_win() -> None:
    """A key in data and in removeKeys is removed; one that is not there is ignored, one that is named twice too."""
    assert run(CONTEXT + "  a: x\n", {"a": "y", "b": "z"}, ["a", "b", "b", "none"]) == CONTEXT


def test_removals_alone() -> None:
    """Nothing has to be set beside them."""
    assert run(CONTEXT + "  a: x\n", None, ["a"]) == CONTEXT


def test_causes_of_keys() -> None:
    """A key that was set has its entry as cause, one that was removed the list of removals."""
    config = Resource("apiVersion: x/v1\nkind: PackageVariant\nmetadata: {name: v}\n")
    found, log = package({FILE: CONTEXT + "  a: x\n"}), CauseLog()

    set_package_context(found, {"data": {"b": "y"}, "removeKeys": ["a"]}, VariantCauses(log, config))

    of = log.of(found.single(FILE, "ConfigMap", "kptfile.kpt.dev"))
    fields = [of.at(("data", key))[0].field for key in ("a", "b")]
    assert fields == [("spec", "packageContext", "removeKeys"), ("spec", "packageContext", "data", "b")]


def test_all_values_become_strings() -> None:
    """What YAML reads as something else is written as the string that stands there; null is the empty string."""
    assert run(CONTEXT + "  n: 010\n  t: true\n  z:\n", {"k": "v"}) == (
        CONTEXT + '  n: "010"\n  t: "true"\n  z: ""\n  k: v\n'
    )


@pytest.mark.parametrize("context", [None, {}, {"data": {}, "removeKeys": []}, {"data": None}])
def test_nothing_to_do_looks_at_nothing(context: dict[str, object] | None) -> None:
    """Without data and removeKeys not even the file has to be there."""
    set_package_context(package({}), context)


def test_no_change_keeps_the_text() -> None:
    """Setting what is there changes no byte, whatever the quotes."""
    text = CONTEXT.replace("name: front\n", "name: 'front'\n")

    assert run(text, {"other": "x"}, ["other"]) == text


@pytest.mark.parametrize(
    ("files", "message"),
    [
        pytest.param({}, '"package-context.yaml" not found', id="no file"),
        pytest.param({"sub/" + FILE: CONTEXT}, "not found", id="only in a subpackage"),
        pytest.param({"cm.yaml": CONTEXT}, "not found", id="in another file"),
        pytest.param({FILE: CONTEXT + "---\n" + CONTEXT}, "exactly one object", id="two objects"),
        pytest.param(
            {FILE: CONTEXT.replace("ConfigMap", "Secret")}, 'does not contain kind "ConfigMap"', id="kind"
        ),
        pytest.param(
            {FILE: CONTEXT.replace("kptfile.kpt.dev", "other")},
            'does not contain resource named "kptfile.kpt.dev"',
            id="name",
        ),
        pytest.param({FILE: CONTEXT.split("\ndata:")[0] + "\n"}, "no data field found", id="no data"),
        pytest.param({FILE: CONTEXT.split("\ndata:")[0] + "\ndata:\n"}, "invalid data field", id="data null"),
        pytest.param(
            {FILE: CONTEXT.split("\ndata:")[0] + "\ndata: x\n"}, "invalid data field", id="data a scalar"
        ),
        pytest.param(
            {FILE: CONTEXT.split("\ndata:")[0] + "\ndata: [x]\n"}, "invalid data field", id="data a list"
        ),
        pytest.param({FILE: CONTEXT + "  deep: {a: b}\n"}, "invalid data field", id="a map in data"),
    ],
)
def test_errors(files: dict[str, str], message: str) -> None:
    """The one ConfigMap has to be there, in its file, with its name and data."""
    with pytest.raises(PorchError) as caught:
        set_package_context(package(files), {"data": {"a": "b"}})

    assert message in str(caught.value)


def test_empty_data_is_fine() -> None:
    """`data: {}` takes keys; the apiVersion is not looked at."""
    text = CONTEXT.replace("v1\n", "v2\n", 1).split("\ndata:")[0] + "\n"

    assert run(text + "data: {}\n", {"a": "b"}) == text + "data:\n  a: b\n"


def test_subpackages_with_paths_of_their_own() -> None:
    """In a render every package has its own package-context.yaml; the root's is the one with the shortest package path."""
    from krmkit.krm.annotations import Location
    from krmkit.systems.porch.variants.packageview import PackageView

    inner = Resource(CONTEXT, location=Location(FILE, 0, "/pkg/sub"))
    outer = Resource(CONTEXT, location=Location(FILE, 0, "/pkg"))
    set_package_context(PackageView([inner, outer]), {"data": {"a": "b"}})

    assert outer.text == CONTEXT + "  a: b\n"
    assert inner.text == CONTEXT


def test_generated() -> None:
    """kpt throws every package context away, in any file, and writes the root's anew, with the name alone."""
    found = package(
        {"Kptfile": KPTFILE, FILE: CONTEXT + "  extra: x\n", "sub/cm.yaml": CONTEXT, "sub/Kptfile": KPTFILE}
    )
    fresh = Resource(context_text("front"))

    assert [one.path for one in found.resources if not is_package_context(one)] == ["Kptfile", "sub/Kptfile"]
    assert fresh.get("data") == {"name": "front"}
    assert fresh.is_local_config
