"""The fields that a template takes from its data."""

from __future__ import annotations

import pytest

from krmkit.libraries.gotemplate import TemplateError
from krmkit.libraries.gotemplate.rootfields import root_fields


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", []),
        ("{{ .a }}{{ .b.c }}{{ .a }}", ["a", "b.c"]),
        ("{{ if ne .a .b }}{{ .c }}{{ else }}{{ .d }}{{ end }}", ["a", "b", "c", "d"]),
        (
            "{{ range .nodes }}{{ .name }}{{ $.site }}{{ break }}{{ else }}{{ .none }}{{ end }}",
            ["nodes", "site", "none"],
        ),
        ("{{ with .a }}{{ .inner }}{{ end }}", ["a"]),
        ("{{ $v := .a }}{{ $v.b }}{{ (index .list 0).x }}", ["a", "list"]),
        ("{{ .a | default (unknownFunction .b) }}", ["a", "b"]),
        ('{{ define "t" }}{{ .a }}{{ end }}{{ template "t" .b }}', ["b", "a"]),
    ],
    ids=["none", "chains", "if", "range", "with", "variables", "functions", "templates"],
)
def test_root_fields(text: str, expected: list[str]) -> None:
    """Chains from the dot, as long as it is the data, and from `$`; each once."""
    assert sorted(".".join(one) for one in root_fields(text)) == sorted(expected)


def test_a_broken_template() -> None:
    """An error of the parser passes."""
    with pytest.raises(TemplateError):
        root_fields("{{ .a")
