"""Macros of app profiles: Palette has them, so they stay as they are, with an info and no word of an unknown name."""

from __future__ import annotations

import pytest

from krmkit.systems.palette.macros.context import Context, Source
from krmkit.systems.palette.macros.resolve import MacroResolver
from krmkit.systems.palette.packs.pack import Pack
from krmkit.views.packs import data_of

NAMES = ("appdeployment.tiername", "appprofile.uid", "apptier.NAMESPACE")


@pytest.mark.parametrize("name", NAMES)
def test_they_stay(name: str) -> None:
    """The text is as it was; a value that is given for the name is taken."""
    source = Source("p", ("p",), f"a: '{{{{ .spectro.system.{name} }}}}'\n")

    kept = MacroResolver([source], Context()).resolve(source)
    given = MacroResolver([source], Context(system={name: "x"})).resolve(source)

    assert kept.text == source.text
    assert [(one.rule, one.severity) for one in kept.findings] == [("kept", "info")]
    assert "no such system macro" not in kept.findings[0].message
    assert given.text == "a: 'x'\n"


def test_a_pack_shows_them_as_known() -> None:
    """A name that Palette does not have is still unknown."""
    values = "".join(
        f"{number}: '{{{{.spectro.system.{name}}}}}'\n" for number, name in enumerate((*NAMES, "appx.a"))
    )

    shown = data_of(Pack({"name": "p"}, values))["macros"]

    assert {one["name"]: one["known"] for one in shown} == {
        **{f".spectro.system.{name}": True for name in NAMES},
        ".spectro.system.appx.a": False,
    }
