"""The picture of the project's page shows what the command prints today."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from tools.picture import PICTURE, drawn, session


def test_the_picture_is_true() -> None:
    """`python -m tools.picture` writes it again."""
    assert PICTURE.read_text(encoding="utf-8") == drawn(session())


def test_it_holds_any_text() -> None:
    """Signs of XML in a line stay signs."""
    root = ET.fromstring(drawn(["HEAD", "a <b> & c"]))
    assert [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")][-1] == "a <b> & c"
