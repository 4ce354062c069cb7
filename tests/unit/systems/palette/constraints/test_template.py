"""krmkit.systems.palette.constraints.template: the clauses of a schema template."""

from __future__ import annotations

import pytest

from krmkit.krm.errors import Refused
from krmkit.systems.palette.constraints.template import SchemaTemplate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("{{ }}", (False, False, None, []), id="nothing"),
        pytest.param("{{}}", (False, False, None, []), id="nothing-without-blanks"),
        pytest.param("{{ required }}", (True, False, None, []), id="required"),
        pytest.param("{{readonly|required}}", (True, True, None, []), id="any-order-no-blanks"),
        pytest.param(
            '{{format"${string}"|hints"a""b"}}', (False, False, "${string}", ["a", "b"]), id="no-blank-needed"
        ),
        pytest.param('{{ hints "a" | hints "b" }}', (False, False, None, ["a", "b"]), id="hints-append"),
        pytest.param(
            '{{ format "a|b {{x}}" }}', (False, False, "a|b {{x}}", []), id="signs-in-a-quoted-text"
        ),
        pytest.param('{{ format "say \\"x\\"" }}', (False, False, 'say "x"', []), id="escaped-quotes"),
        pytest.param('{{ format "\\d+\\." }}', (False, False, "\\d+\\.", []), id="other-backslashes-stay"),
        pytest.param('\n{{\trequired\n|\nhints ""\n}}\n', (True, False, None, [""]), id="any-white-space"),
        pytest.param('{{ format "" }}', (False, False, "", []), id="empty-format"),
    ],
)
def test_parse(text: str, expected: tuple[bool, bool, str | None, list[str]]) -> None:
    """A template is read into its clauses."""
    found = SchemaTemplate.parse(text)

    assert (found.required, found.readonly, found.format, found.hints) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("required", "write '{{ required }}'", id="no-braces"),
        pytest.param("", "starts with {{", id="empty"),
        pytest.param("{{ required", "not closed", id="open"),
        pytest.param("{{ required }", "not '}'", id="one-brace"),
        pytest.param("{{ required | }}", "a clause is empty", id="empty-clause"),
        pytest.param("{{ | required }}", "a clause is empty", id="empty-first-clause"),
        pytest.param("{{ requierd }}", 'did you mean "required"', id="unknown-clause"),
        pytest.param("{{ format ${string} }}", "double quotes", id="unquoted-argument"),
        pytest.param("{{ hints 'x' }}", "double quotes", id="single-quotes"),
        pytest.param('{{ format "x }}', "not closed", id="open-quote"),
        pytest.param('{{ format "a" | format "b" }}', "two format clauses", id="two-formats"),
        pytest.param("{{ required required }}", "put a | between", id="no-bar"),
        pytest.param("{{ required }} x", "goes on", id="text-behind"),
        pytest.param("{{ $x }}", "a clause is expected", id="sign"),
    ],
)
def test_errors_teach(text: str, message: str) -> None:
    """A wrong template is refused with what would be right."""
    with pytest.raises(Refused) as caught:
        SchemaTemplate.parse(text)

    assert message in str(caught.value)
