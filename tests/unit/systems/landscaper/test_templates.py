"""krmkit.systems.landscaper.templates.executors and gotemplates: what executors see, the functions that they have, and their output."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest
import yaml

from krmkit.libraries.json import Object
from krmkit.systems.landscaper.apinames import API_VERSION
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components.descriptors import ComponentRepository, to_v3
from krmkit.systems.landscaper.flow.exporttemplates import ExportTemplate, exporter
from krmkit.systems.landscaper.templates.executors import merge_maps
from tests.unit.systems.landscaper.worlds import (
    CONTEXT,
    descriptor,
    installation,
    installed,
    messages,
    one,
    reference,
    repository,
    resource,
)

FILES = {
    "a.txt": "one",
    "parts/b.tpl": "<{{ .x }}>",
    "parts/deep/c.txt": "three",
    "parts/self.tpl": '{{ include "parts/self.tpl" . }}',
    "parts/down.tpl": '{{ if gt (int .n) 1 }}{{ include "parts/down.tpl" (dict "n" (sub .n 1)) }}{{ else }}end{{ end }}',
    "parts/broken.tpl": "{{ fail .x }}",
}


def nested(files: dict[str, str]) -> Object:
    """A file system as it stands in an Installation."""
    found: Object = {}
    for path, content in files.items():
        *folders, name = path.split("/")
        place = found
        for folder in folders:
            place = place.setdefault(folder, {})
        place[name] = content
    return found


def config_of(template: str, **spec: Any) -> tuple[object, list[str]]:
    """The config of a deploy item whose GoTemplate is `template`, and the messages of the errors."""
    body = f"deployExecutions:\n- name: d\n  type: GoTemplate\n  template: {json.dumps(f'deployItems: [{{name: a, type: t, config: {template}}}]')}\n"
    parent = installation("root", body, **spec)
    parent["spec"]["blueprint"]["inline"]["filesystem"].update(nested(FILES))
    found = one(parent)
    return (found.deploy_items[0].config if found.deploy_items else None), messages(found)


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ('{{ readFile "a.txt" | toString }}', "one"),
        ('{{ readFile "/parts/../a.txt" | toString }}', "one"),
        ('"{{ readFile "a.txt" }}"', "[111 110 101]"),
        ('"{{ range readDir "/parts" }}{{ .Name }} {{ .IsDir }}, {{ end }}"', "b.tpl false, broken.tpl false, deep true, down.tpl false, self.tpl false, "),
        ('"{{ readDir "parts/deep" }}"', "[c.txt]"),
        ('{{ include "parts/b.tpl" (dict "x" 5) }}', "<5>"),
        ('{{ include "parts/down.tpl" (dict "n" 100) }}', "end"),
        ('{{ range until 101 }}{{ include "a.txt" $ }}{{ end }}', "one" * 101),
        ('"{{ index (parseOCIRef "example.com/a:1") 1 }} {{ ociRefRepo "example.com/a:1" }} {{ ociRefVersion "example.com/a:1" }}"', "1 example.com/a 1"),
    ],
    ids=["a file", "a path from the root", "bytes", "a folder", "a folder in a folder", "another template", "a hundred of them inside each other", "more of them one after another", "references of images"],
)  # fmt: skip
def test_functions_on_files(template: str, value: object) -> None:
    """Templates read the blueprint's own files, and nothing else."""
    assert config_of(template) == (value, [])


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ('{{ readFile "../../etc/passwd" }}', "file does not exist: ../../etc/passwd"),
        ('{{ readDir "absent" }}', "file does not exist: absent"),
        ('{{ readDir "a.txt" }}', "file does not exist: a.txt"),
        ('{{ include "absent.tpl" . }}', "file does not exist: absent.tpl"),
        ('{{ include "parts/self.tpl" . }}', "include: files include each other more than 100 deep"),
        ('{{ include "parts/down.tpl" (dict "n" 101) }}', "include: files include each other more than 100 deep"),
        ('{{ include "parts/broken.tpl" (dict "x" "no luck") }}', "no luck"),
        ('{{ ociRefRepo "plain" }}', "invalid reference"),
        ('{{ parseOCIRef ":1" }}', "invalid reference"),
        ('{{ getOidcKubeconfig 1 }}', "getOidcKubeconfig needs a cluster, and is refused here"),
        ('{{ getServiceAccountKubeconfig 1 }}', "getServiceAccountKubeconfig needs a cluster, and is refused here"),
        ('{{ getResource "name" "x" }}', "Unable to search for a resource as no ComponentDescriptor is defined."),
        ('{{ getComponent "name" "x" }}', "Unable to search for a component as no ComponentDescriptor is defined."),
        ('{{ getResourceKey "cd://resources/x" }}', "Unable to search for a resource as no ComponentDescriptor is defined."),
        ('{{ getRepositoryContext .cd }}', "no ComponentDescriptor is defined."),
        ("{{ env \"HOME\" }}", 'function "env" not defined'),
        ("{{ expandenv \"$HOME\" }}", 'function "expandenv" not defined'),
        ("{{ resolve 1 }}", 'function "resolve" not defined; getResourceContent reads the content of a resource'),
        ("{{ getOriginalName 1 }}", 'function "getOriginalName" not defined; the name of a target is .metadata.name'),
        ("{{ getResorce 1 }}", 'function "getResorce" not defined; did you mean "getResource"?'),
    ],
)  # fmt: skip
def test_functions_that_fail(template: str, message: str) -> None:
    """What a function cannot do is an error of the template that names it."""
    value, (said,) = config_of(template)

    assert value is None
    assert message in said


INGRESS = descriptor(
    "ingress", resource("image", "ociImage", access={"imageReference": "example.com/ingress:1"})
)
SHOP = descriptor(
    "shop",
    resource("blueprint"),
    resource("chart", "helm", access={"imageReference": "example.com/chart:3"}),
    resource("note", "text", extraIdentity={"lang": "en"}),
    resource("note", "text", extraIdentity={"lang": "de"}),
    references=(reference("ingress"),),
)


def known_with(template: str, kind: str = "GoTemplate", annotation: str = "") -> ComponentRepository:
    """Two components; the blueprint of the first makes a deploy item with this config."""
    annotations = f"annotations: {{ocmSchemaVersion: {annotation}}}\n" if annotation else ""
    if kind == "Spiff":
        made = {"deployItems": [{"name": "a", "type": "t", "config": template}]}
        body = f"{annotations}deployExecutions: [{{name: d, type: Spiff, template: {json.dumps(made)}}}]\n"
    else:
        text = json.dumps(f"deployItems: [{{name: a, type: t, config: {template}}}]")
        body = f"{annotations}deployExecutions:\n- name: d\n  type: GoTemplate\n  template: {text}\n"
    found = repository(SHOP, INGRESS, shop=body)
    found.blobs["example.com/shop:1.0.0/note"] = "hello"
    found.blobs["example.com/shop:1.0.0/chart"] = Files({"only.txt": "in a folder"})
    found.blobs["example.com/ingress:1.0.0/image"] = b"bytes"
    return found


def looked_up(template: str, kind: str = "GoTemplate", annotation: str = "") -> tuple[object, list[str]]:
    """The config of the deploy item, and the messages of the errors."""
    found = one(installed("shop"), CONTEXT, repository=known_with(template, kind, annotation))
    return (found.deploy_items[0].config if found.deploy_items else None), messages(found)


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ('{{ (getResource "name" "chart").access.imageReference }}', "example.com/chart:3"),
        ('{{ (getResource .cd "name" "chart").type }}', "helm"),
        ('{{ (getResource (getComponent "name" "ingress") "name" "image").access.imageReference }}', "example.com/ingress:1"),
        ('{{ (getResource "name" "note" "lang" "de").extraIdentity.lang }}', "de"),
        ('{{ len (getResources "name" "note") }}', 2),
        ('{{ (getComponent "name" "ingress").component.name }}', "example.com/ingress"),
        ('{{ (getRepositoryContext .cd).baseUrl }}', "registry.example.com"),
        ('{{ len .components.components }}', 2),
        ('{{ .components.meta.schemaVersion }}', "v2"),
        ('{{ .cd.component.version }}', "1.0.0"),
        ('{{ .blueprintDef.ref.resourceName }}', "blueprint"),
        ('{{ .componentDescriptorDef.ref.componentName }}', "example.com/shop"),
        ('{{ getResourceContent "cd://resources/note" }}', "hello"),
        ('{{ getResourceContent "cd://resources/chart" }}', "in a folder"),
        ('{{ getResourceContent "resource: {name: note}" }}', "hello"),
        ('{{ getResourceContent "{resource: {name: image}, referencePath: [{name: ingress}]}" }}', "bytes"),
    ],
)  # fmt: skip
def test_lookups(template: str, value: object) -> None:
    """Resources, components and contents of the installation's component, by identity."""
    assert looked_up(template) == (value, [])


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{ .cd.metadata.name }}", "example.com/shop"),
        ("{{ .cd.metadata.provider.name }}", "internal"),
        ("{{ len .components }}", 2),
        ('{{ (index .components 1).metadata.name }}', "example.com/ingress"),
        ("{{ (index .cd.spec.references 0).name }}", "ingress"),
        ("{{ len .cd.spec.resources }}", 4),
        ('{{ (getComponent "name" "ingress").metadata.version }}', "1.0.0"),
        ('{{ (getResource (getComponent "name" "ingress") "name" "image").type }}', "ociImage"),
        ("{{ (getRepositoryContext .cd).baseUrl }}", "registry.example.com"),
        ("{{ .cd.apiVersion }}", "ocm.software/v3alpha1"),
    ],
)  # fmt: skip
def test_lookups_in_the_newer_schema(template: str, value: object) -> None:
    """A blueprint may ask for descriptors of the newer schema version by its annotation."""
    assert looked_up(template, annotation="ocm.software/v3alpha1") == (value, [])


def test_conversion_leaves_nothing_out() -> None:
    """A descriptor in the newer form has the labels and contexts of the older one; empty lists are left out."""
    older: Object = {
        "component": {
            "name": "n",
            "version": "1",
            "provider": "p",
            "labels": [{"name": "l", "value": 1}],
            "repositoryContexts": [{"type": "ociRegistry"}],
            "resources": [{"name": "r"}],
            "sources": [],
            "componentReferences": [],
        }
    }

    assert to_v3(older) == {
        "apiVersion": "ocm.software/v3alpha1",
        "kind": "ComponentVersion",
        "metadata": {
            "name": "n",
            "version": "1",
            "provider": {"name": "p"},
            "labels": [{"name": "l", "value": 1}],
        },
        "repositoryContexts": [{"type": "ociRegistry"}],
        "spec": {"resources": [{"name": "r"}]},
    }


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ('{{ getResource "name" "chrt" }}', 'not found; did you mean "chart"?'),
        ('{{ getResource "type" "helm" }}', "not found"),
        ('{{ getResources "name" "absent" }}', "not found"),
        ('{{ getComponent "name" "ingres" }}', 'not found; did you mean "ingress"?'),
        ('{{ getResource "name" }}', "at least 2 arguments are expected"),
        ('{{ getResource "name" "a" "lang" }}', "odd number of key value pairs"),
        ('{{ getResource "name" 5 }}', "expect argument 1 to be a string"),
        ('{{ getResource (dict "a" 1) "name" "x" }}', "invalid component descriptor: component descriptor: meta.schemaVersion"),
        (
            '{{ getComponent (fromYaml "{meta: {schemaVersion: v2}, component: {name: x, version: 1.0.0, componentReferences: [{name: r, componentName: z, version: 2.0.0}]}}") "name" "r" }}',
            "unable to resolve component r:2.0.0",
        ),
        ('{{ getRepositoryContext "x" }}', "invalid component descriptor"),
        ('{{ getResourceContent 5 }}', "expects exactly one argument, a reference or a cd URI"),
        ('{{ getResourceContent "a" "b" }}', "expects exactly one argument, a reference or a cd URI"),
        ('{{ getResourceContent "cd://resources/nte" }}', 'local resource nte cannot be found; did you mean "note"?'),
        ('{{ getResourceContent "cd://componentReferences/ingress" }}', "must name a resource, got a component"),
        ('{{ getResourceContent "cd://resources/blueprint/resources/x" }}', "nothing may follow a resource"),
        ('{{ getResourceContent "resource: {name: nte}" }}', "resource nte cannot be found"),
        ('{{ getResourceContent "{}" }}', "resource  cannot be found"),
        ('{{ getResourceContent "a: [" }}', "yaml:"),
        ('{{ getResourceContent "{resource: {name: x}, referencePath: [{name: db}]}" }}', "component reference db cannot be found"),
    ],
)  # fmt: skip
def test_lookups_that_fail(template: str, message: str) -> None:
    """What is not there is named, with the nearest that is."""
    value, (said,) = looked_up(template)

    assert value is None
    assert message in said


def test_a_content_that_is_not_there() -> None:
    """A resource whose content nobody brought, or of which a folder holds several files, has no text."""
    known = known_with('{{ getResourceContent "cd://resources/chart" }}')
    known.blobs["example.com/shop:1.0.0/chart"] = Files({"a": "1", "b": "2"})

    (message,) = messages(one(installed("shop"), CONTEXT, repository=known))

    assert "the content of resource chart is not among the items" in message


@pytest.mark.parametrize("kind", ["GoTemplate", "Spiff"])
def test_resource_keys(kind: str) -> None:
    """The key of a resource is its global identity, as base64 of YAML."""
    uri = "{resource: {name: note, lang: de}}"
    call = f'{{{{ getResourceKey "{uri}" }}}}' if kind == "GoTemplate" else f'(( getResourceKey("{uri}") ))'

    key, errors = looked_up(call, kind)

    assert errors == []
    assert yaml.load(b64decode(str(key)), Loader=yaml.CSafeLoader) == {
        "component": {"name": "example.com/shop", "version": "1.0.0"},
        "resource": {"name": "note", "lang": "de"},
    }
    through, _ = looked_up('{{ getResourceKey "cd://componentReferences/ingress/resources/image" }}')
    assert b64decode(str(through)).startswith(b"component:\n  name: example.com/ingress\n")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('(( getResource("name", "chart").type ))', "helm"),
        ('(( getComponent("name", "ingress").component.name ))', "example.com/ingress"),
        ('(( getResourceContent("cd://resources/note") ))', "hello"),
        ('(( ociRefRepo("example.com/a:1") ))', "example.com/a"),
        ('(( ociRefVersion("example.com/a:1") ))', "1"),
        ('(( parseOCIRef("example.com/a:1") ))', ["example.com/a", "1"]),
        ('(( getResource("name", "absent") || "none" ))', "none"),
        ('(( getOidcKubeconfig("a") || "refused" ))', "refused"),
        ('(( ociRefRepo("plain") || "none" ))', "none"),
        ('(( contains(read("/blueprint.yaml", "text"), "kind: Blueprint") ))', True),
        ('(( exec("ls") || "off" ))', "off"),
        ('(( lookup_file("a", ["/"]) ))', []),
    ],
)  # fmt: skip
def test_spiff_functions(expression: str, value: object) -> None:
    """Spiff executors have the same functions; their failures are spiff's, which `||` catches."""
    assert looked_up(expression, "Spiff") == (value, [])


def test_spiff_has_no_get_resources() -> None:
    """As in the controllers, getResources is a function of Go templates only."""
    _, (message,) = looked_up('(( getResources("name", "note") ))', "Spiff")

    assert "unknown function 'getResources'" in message


def executed(executions: str, **files: str) -> tuple[list[str], list[str]]:
    """The names of the deploy items, and the errors' messages."""
    found = one(installation("root", executions, files=files))
    return [item.name for item in found.deploy_items], messages(found)


def test_executors_in_order() -> None:
    """The deploy items of all executors are one list; their templates stand in the blueprint or in files of it."""
    body = (
        "deployExecutions:\n- {name: a, type: GoTemplate, file: /a.yaml}\n"
        "- {name: b, type: Spiff, template: {deployItems: [{name: two, type: t}]}}\n- {name: c, type: Spiff, file: c.yaml}\n"
        "- {name: d, type: Spiff, template: 'deployItems: [{name: four, type: t}]'}\n"
        "- {name: e, type: GoTemplate, file: absent, template: 'deployItems: [{name: five, type: t}]'}\n"
    )
    files = {
        "a__yaml": "deployItems: [{name: one, type: t}]",
        "c__yaml": "deployItems: [{name: three, type: t}]",
    }

    assert executed(body, **files) == (["one", "two", "three", "four", "five"], [])


@pytest.mark.parametrize(
    ("executor", "message"),
    [
        ("{name: a, type: GoTemplate}", 'executor "a": no template found; template or file must be given'),
        ("{name: a, type: Spiff}", 'executor "a": no template found; template or file must be given'),
        ("{name: a, type: GoTemplate, template: {a: 1}}", 'executor "a": template must be a text, got dict'),
        ("{name: a, type: GoTemplate, file: b.yam}", 'file does not exist: "b.yam"; did you mean "b.yaml"?'),
        ("{name: a, type: Spiff, file: b.yam}", 'file does not exist: "b.yam"; did you mean "b.yaml"?'),
        ("{name: a, type: GoTemplate, template: '[1]'}", 'executor "a": the output must be a mapping, got list'),
        ("{name: a, type: Spiff, template: '[1]'}", 'executor "a": the output must be a mapping'),
        ("{name: a, type: GoTemplate, template: 'deployItems: [1]'}", 'executor "a": deployItems[0] must be a mapping, got integer'),
        ("{name: a, type: Spiff, template: {deployItems: [1]}}", 'executor "a": deployItems[0] must be a mapping, got integer'),
        ("{name: a, type: Gotemplate, template: a}", 'unknown template type Gotemplate; did you mean "GoTemplate"?'),
        ("{name: a, template: a}", "unknown template type (none); known: GoTemplate, Spiff"),
        (
            "{name: a, type: GoTemplate, template: \"a: {{ .imports.x }}\\nb: 1\\nc: 'x {{ .imports.y }}'\"}",
            'template "deploy execution" contains fields with "no value": line 1 (a), line 3 (c)',
        ),
        ("{name: a, type: GoTemplate, template: 'a: [{{ .imports.x }}'}", 'contains fields with "no value": line 1 (a)'),
    ],
)  # fmt: skip
def test_wrong_executors(executor: str, message: str) -> None:
    """What is wrong with an executor or its output names it; the output itself may hold secrets, and is not shown."""
    names, (said,) = executed(f"deployExecutions: [{executor}]\n", b__yaml="")

    assert names == []
    assert message in said


def test_empty_outputs() -> None:
    """An executor may give nothing at all."""
    body = "deployExecutions: [{name: a, type: GoTemplate, template: ''}, {name: b, type: Spiff, template: {}}]\n"

    assert executed(body) == ([], [])


def test_import_executions() -> None:
    """Bindings are seen by the next executor and by everything after; `<no value>` is allowed there, as in the reference."""
    body = (
        "imports: [{name: a, required: false, schema: {}}]\nimportExecutions:\n"
        "- {name: one, type: GoTemplate, template: 'bindings: {b: 1, m: \"{{ .imports.absent }}\"}'}\n"
        "- {name: two, type: GoTemplate, template: 'bindings: {c: {{ add1 .imports.b }}, b: 7}'}\n"
        "- {name: three, type: Spiff, template: {errors: [null]}}\n"
        "deployExecutions:\n- {name: d, type: GoTemplate, template: 'deployItems: [{name: a, type: t, config: {{ toJson .imports }}}]'}\n"
    )
    found = one(installation("root", body))

    assert messages(found) == []
    assert found.deploy_items[0].config == {"b": 7, "c": 2, "m": "<no value>"}


def test_import_executions_stop() -> None:
    """The errors of an import execution are the installation's, and the next one does not run."""
    body = (
        "importExecutions:\n- {name: one, type: GoTemplate, template: 'errors: [no size, no name]'}\n"
        "- {name: two, type: GoTemplate, template: '{{ fail \"not run\" }}'}\n"
    )

    assert messages(one(installation("root", body))) == ["import validation failed: no size, no name"]


def test_export_executions_merge() -> None:
    """Exports of several executors are merged deeply, and the later one wins."""
    assert merge_maps({"a": {"b": 1, "c": [1]}, "d": {"e": 1}}, {"a": {"b": 2, "c": [2]}, "d": 3, "f": 4}) == {
        "a": {"b": 2, "c": [2]},
        "d": 3,
        "f": 4,
    }  # fmt: skip
    body = (
        "exports: [{name: a, type: data, schema: {}}]\nexportExecutions:\n"
        "- {name: one, type: GoTemplate, template: 'exports: {a: {b: 1, c: 1}}'}\n- {name: two, type: Spiff, template: {exports: {a: {b: 2}}}}\n"
    )
    found = one(installation("root", body, exports={"data": [{"name": "a", "dataRef": "a"}]}))

    assert found.exports == {"a": {"b": 2, "c": 1}}


STATES = (
    "deployExecutions:\n- name: d\n  type: Spiff\n  template:\n    state: (( &state ( 5 ) ))\n"
    "    deployItems: [{name: a, type: t, config: {port: (( state ))}}]\n"
    "exportExecutions:\n- {name: d, type: GoTemplate, template: 'state: {seen: {{ dig \"seen\" 0 .state | add1 }}}'}\n"
)


def test_states() -> None:
    """Spiff keeps what is marked &state, Go templates their `state`; deploy and export executors of one name keep their own."""
    first = one(installation("root", STATES))
    second = one(
        installation("root", STATES), state={"root": {"deployd": {"state": 9}, "exportd": {"seen": 3}}}
    )

    assert first.state == {"deployd": {"state": 5}, "exportd": {"seen": 1}}
    assert second.state == {"deployd": {"state": 9}, "exportd": {"seen": 4}}
    assert second.deploy_items[0].config == {"port": 9}


def test_what_templates_see() -> None:
    """The spec under its names; the blueprint of the installation, and its component's reference."""
    body = (
        "deployExecutions:\n- name: d\n  type: GoTemplate\n  template: |\n    deployItems:\n    - name: a\n      type: t\n"
        "      config: {a: {{ toJson .blueprint }}, b: {{ toJson .blueprintDef }}, c: {{ toJson .componentDescriptorDef }}, d: {{ toJson .cd }}}\n"
    )
    parent = installation("root", body)
    parent["spec"]["blueprint"]["inline"]["filesystem"] = (
        f"blueprint.yaml: |\n  apiVersion: {API_VERSION}\n  kind: Blueprint\n  "
        + body.replace("\n", "\n  ").rstrip()
        + "\n"
    )

    found = one(parent)

    assert messages(found) == []
    shown = parent["spec"]["blueprint"]
    assert found.deploy_items[0].config == {"a": shown, "b": shown, "c": {}, "d": None}


def test_export_templates_see_the_component() -> None:
    """A template that tells what deploy items export has the component's descriptor and all it refers to."""
    known = known_with("1")
    template = "exports: {a: {{ list .cd.component.name (len .components.components) | toJson }}}"
    find = exporter([ExportTemplate("x", "deployItems", ".", template)], known)

    found = one(installed("shop"), CONTEXT, repository=known, exporter=find)

    exported = [item["data"] for item in found.objects if item["kind"] == "DataObject"]
    assert exported == [{"a": {"a": ["example.com/shop", 2]}}]
