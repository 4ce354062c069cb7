"""The parts of a template's output: what wrote each of them, and what that read."""

from __future__ import annotations

import pytest

from krmkit.libraries.gotemplate import parse, parts

DATA = {"on": True, "name": "a", "list": [1, 2], "imports": {"site": {"host": "h"}}}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("name: {{ .name }}!", [("name: ", ""), ("a", "name"), ("!", "")]),
        ("{{ if .on }}on {{ .name }}{{ end }}", [("on ", "on"), ("a", "name on")]),
        ("{{ if .off }}x{{ else if .on }}y{{ end }}", [("y", "off on")]),
        ("{{ range .list }}- {{ . }}{{ end }}", [("- ", "list"), ("1", "list"), ("- ", "list"), ("2", "list")]),
        ("{{ range .list }}{{ if . }}{{ break }}{{ end }}y{{ end }}z", [("z", "")]),
        ("{{ $site := .imports.site }}{{ $host := $site.host }}{{ $host }}", [("h", "imports.site")]),
        ("{{ .name | printf \"%s-%s\" .name }} ", [("a-a", "name printf(%s-%s,)"), (" ", "")]),
        ("{{ define \"t\" }}T{{ . }}{{ end }}{{ template \"t\" .name }}", [("T", "name"), ("a", "name")]),
        ("{{ len . }}", [("4", ". len()")]),
    ],
)  # fmt: skip
def test_parts(source: str, expected: list[tuple[str, str]]) -> None:
    """The parts are the whole output, each with the fields and calls that decide about it."""
    output, found = parts(source, DATA)

    assert output == parse(source).execute(DATA)
    read = [
        sorted({".".join(chain) or "." for chain in one.fields} | {f"{name}({','.join(more)})" for name, *more in one.calls})
        for one in found
    ]  # fmt: skip
    assert [
        (output[one.start : one.end], " ".join(words)) for one, words in zip(found, read, strict=True)
    ] == expected
    assert "".join(output[one.start : one.end] for one in found) == output
    for one in found:
        assert not one.is_text or source.startswith(output[one.start : one.end], one.pos)
