"""Names in the templates of blueprints that nobody gives: a warning, also where an installation waits for its deploy items."""

from __future__ import annotations

import pytest

from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json import Object
from krmkit.systems.landscaper.checks.installations import validate
from krmkit.systems.landscaper.items.installations import read
from tests.unit.systems.landscaper.worlds import data_object, installation

EXPORTS = {"data": [{"name": "url", "dataRef": "url"}]}
IMPORTS = {"data": [{"name": "host", "dataRef": "host"}]}


def body(export: str, deploy: str = "deployItems: [{name: shop, type: t}]", kind: str = "GoTemplate") -> str:
    """A blueprint with one deploy item, whose exports are not known, and one export execution."""
    return (
        "imports:\n- {name: host, type: data, schema: {type: string}}\nexports:\n- {name: url, type: data, schema: {type: string}}\n"
        f"deployExecutions:\n- name: d\n  type: GoTemplate\n  template: |\n    {deploy}\n"
        f"exportExecutions:\n- name: e\n  type: {kind}\n  template: |\n    {export}\n"
    )


def warnings(*objects: Object) -> list[tuple[str, str, str, object]]:
    """Rule, message, field and current value of the warnings; there is no error."""
    resources = ResourceList.of([Resource.from_data(item) for item in objects])
    found = validate(read(resources), [])
    assert [str(one) for one in found if one.severity == "error"] == []
    return [(one.rule, one.message, one.field, one.current) for one in found if one.severity == "warning"]


def of_shop(text: str) -> list[tuple[str, str, str, object]]:
    return warnings(
        installation("shop", text, imports=IMPORTS, exports=EXPORTS), data_object("host", "example.com")
    )


@pytest.mark.parametrize(
    "text",
    [
        body("exports: {url: {{ .values.deployitems.shop.url }}-{{ .imports.host }}-{{ .cd }}}"),
        body("exports: {url: {{ .deployitems.shop.url }}-{{ .dataobjects.host }}}"),
        body("exports: {url: {{ with .deployitems.shop }}{{ .any }}{{ end }}}"),
        body("exports: {url: (( values.deployitems.shop.url ))}", kind="Spiff"),
        body('exports: {"{{ .imports.host }}": x, url: {{ .deployitems.shop.url }}}'),
        body("{{ if .imports.host }}exports: {url: {{ .deployitems.shop.url }}}{{ end }}"),
    ],
    ids=["values", "the top", "with", "spiff", "a key from a template", "conditional"],
)
def test_what_is_there(text: str) -> None:
    """Deploy items, imports and declared exports."""
    assert of_shop(text) == []


@pytest.mark.parametrize(
    ("text", "rule", "message", "word"),
    [
        (
            body("exports: {url: {{ .values.deployitems.shob.url }}}"),
            "unknown-name",
            'exportExecutions.e: the template reads .values.deployitems.shob, and there is no deploy item shob; did you mean "shop"?',
            ".values.deployitems.shob",
        ),
        (
            body("exports: {url: {{ .deployitems.shop.url }}{{ if .deployitems.shob }}x{{ end }}}"),
            "unknown-name",
            "reads .deployitems.shob, and there is no deploy item shob",
            ".deployitems.shob",
        ),
        (
            body("exports: {url: {{ .value.deployitems.shop.url }}}"),
            "unknown-name",
            'there is no value value; did you mean "values"?',
            ".value",
        ),
        (
            body("exports: {url: {{ .imports.hots }}{{ .deployitems.shop.url }}}"),
            "unknown-name",
            'there is no import hots; did you mean "host"?',
            ".imports.hots",
        ),
        (
            body(
                "exports: {url: {{ .deployitems.shop.url }}}",
                "deployItems: [{name: shop, type: t{{ if .imports.tsl }}, config: {}{{ end }}}]",
            ),
            "unknown-name",
            "deployExecutions.d: the template reads .imports.tsl, and there is no import tsl; known: host",
            ".imports.tsl",
        ),
        (
            body("exports: {url: (( values.deployitems.shob.url ))}", kind="Spiff"),
            "unknown-name",
            "reads deployitems.shob, and there is no deploy item shob",
            "deployitems.shob",
        ),
        (
            body("exports: {url: {{ .deployitems.shop.url }}, ulr: x}"),
            "undeclared-export",
            'declares no export ulr, so Landscaper drops it; did you mean "url"?',
            "ulr:",
        ),
    ],
    ids=["a deploy item", "in if", "a value", "an import", "an import in if", "spiff", "an export"],
)
def test_what_is_not_there(text: str, rule: str, message: str, word: str) -> None:
    """Each is named with the nearest name, and with its text in the blueprint."""
    [(found, said, field, current)] = of_shop(text)

    assert (found, current) == (rule, word)
    assert message in said
    assert field.endswith('inline.filesystem."blueprint.yaml"')


def test_an_export_that_the_blueprint_does_not_declare() -> None:
    """It never gets a value; one that a mapping gives does."""
    text = body("exports: {url: {{ .deployitems.shop.url }}}")
    exports = {"data": [{"name": "ulr", "dataRef": "url"}, {"name": "mapped", "dataRef": "mapped"}]}
    root = installation(
        "shop", text, imports=IMPORTS, exports=exports, exportDataMappings={"mapped": "(( url ))"}
    )

    [(rule, message, field, _)] = warnings(root, data_object("host", "example.com"))

    assert (rule, field) == ("undeclared-export", "spec.exports.data[0].name")
    assert (
        message == 'the blueprint declares no export ulr, so there is no value to export; did you mean "url"?'
    )


def test_one_that_waits_for_an_import() -> None:
    """Its deploy items are not known, so their names are not judged; its imports are."""
    giver = installation(
        "giver", body("exports: {url: {{ .deployitems.shop.url }}}"), imports=IMPORTS, exports=EXPORTS
    )
    taker = installation(
        "taker",
        body("exports: {url: {{ .deployitems.other.url }}{{ .imports.hots }}}"),
        imports={"data": [{"name": "host", "dataRef": "url"}]},
    )

    found = warnings(giver, taker, data_object("host", "example.com"))

    assert [message.partition("; ")[0].partition("reads ")[2] for _, message, _, _ in found] == [
        ".imports.hots, and there is no import hots"
    ]
