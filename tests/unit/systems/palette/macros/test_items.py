"""krmkit.systems.palette.macros.items: macros among the items of a list, and what a config gives for them."""

from __future__ import annotations

import pytest

from krmkit.fn.testing import run_function
from krmkit.krm.errors import Refused
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.palette.macros.context import Context
from krmkit.systems.palette.macros.items import (
    read_context,
    resolve_packs,
    resolve_resources,
    sources_of,
)
from krmkit.systems.palette.macros.resolve import MacroResolver
from krmkit.systems.palette.packs.items import Packs

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
PACK = """\
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: item-NAME, annotations: {config.kubernetes.io/local-config: "true"}}
  data:
    pack.json: '{"name": "NAME", "displayName": "The NAME", "version": "1.0.0", "layer": "addon"}'
    values.yaml: |
      VALUES
"""
CONTEXT = Context(system={"cluster.name": "edge"}, variables={"n": "3"})


def pack(name: str, values: str) -> str:
    return PACK.replace("NAME", name).replace("VALUES", values.replace("\n", "\n      "))


def resolved(items: str) -> tuple[dict[str, str], dict[str, str]]:
    """The texts of packs and of other resources after resolution, by the name of their item."""
    resources = ResourceList.parse(f"{HEAD}items:\n{items}")
    packs = Packs.read(resources)
    sources = sources_of(packs.carriers)
    resolver = MacroResolver(sources, CONTEXT)
    in_packs = {
        carrier.resource.name: one.text for carrier, one in resolve_packs(packs.carriers, resolver, sources)
    }
    others = resolve_resources(resources, packs.carriers, None, resolver)
    return in_packs, {item.kind: one.text for item, one in others}


@pytest.mark.parametrize("name", ["web", "The-web", "item-web"])
def test_names_of_packs(name: str) -> None:
    """A pack goes by its name, by its display name and by its item's name."""
    items = pack("web", "a: 1.20").replace("The web", "The-web") + pack(
        "db", f"b: {{{{ .spectro.pack.{name}.a }}}}"
    )

    assert resolved(items) == ({"item-db": "b: 1.20\n"}, {})


def test_resources() -> None:
    """Scalars of every style, flow collections and keys; comments stay; packs' own fields besides their values, too."""
    items = pack("web", "a: x").replace("layer", "note{{ .spectro.var.n }}") + (
        "- apiVersion: v1\n"
        "  kind: Service\n"
        '  metadata: {name: s, labels: {"{{ .spectro.system.cluster.name }}": "v{{ .spectro.var.n }}"}} # {{ .spectro.var.n }}\n'
        "  spec:\n"
        "    ports: [{port: {{ .spectro.var.n }}}]\n"
        "    note: |\n"
        "      {{ .spectro.pack.web.a }} {{ .Values.x }}\n"
    )
    in_packs, others = resolved(items)

    assert in_packs == {}
    assert others == {
        "Service": "apiVersion: v1\n"
        "  kind: Service\n"
        '  metadata: {name: s, labels: {"edge": "v3"}} # {{ .spectro.var.n }}\n'
        "  spec:\n"
        "    ports: [{port: 3}]\n"
        "    note: |\n"
        "      x {{ .Values.x }}\n"
    }


@pytest.mark.parametrize("kind", ["Kptfile", "ResolveMacros"])
def test_what_is_no_resource_of_the_package(kind: str) -> None:
    """The pipeline and configs of this function speak about macros; they hold none."""
    items = f"- apiVersion: x/v1\n  kind: {kind}\n  metadata: {{name: k}}\n  a: '{{{{ .spectro.var.n }}}}'\n"

    assert resolved(items) == ({}, {})


def config(spec: str) -> tuple[dict[str, object], ResourceList]:
    """The spec of a config with defaults, and the list that it came with."""
    resources = ResourceList.parse(
        f"{HEAD}functionConfig:\n  apiVersion: krmkit.dev/v1alpha1\n  kind: ResolveMacros\n"
        f"  metadata: {{name: c}}\n  spec: {spec}\nitems: []\n"
    )
    assert resources.function_config is not None
    given = resources.function_config.get("spec")
    assert isinstance(given, dict)
    return {"system": {}, "macros": {}, "variables": [], **given}, resources


def test_context() -> None:
    """Values keep the text that the config has; null is empty; secrets are known by their names."""
    spec, resources = config(
        "{system: {version: 1.20, on: yes, none: ~}, macros: {m: 0x1F},"
        ' variables: [{name: v, value: 1e3}, {name: s, value: "a b", secret: true}, {name: w}], onUndefined: keep}'
    )
    context = read_context(spec, resources.function_config)

    assert context.system == {"version": "1.20", "on": "yes", "none": ""}
    assert context.macros == {"m": "0x1F"}
    assert context.variables == {"v": "1e3", "s": "a b", "w": ""}
    assert (context.secrets, context.on_undefined) == (frozenset("s"), "keep")


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ("{system: {a: {b: 1}}}", "spec.system.a"),
        ("{macros: {a: [1]}}", "spec.macros.a"),
        ("{variables: [{name: x, value: 1}, {name: v, value: {hush: 1}}]}", "spec.variables[1].value"),
    ],
)
def test_collections_have_no_text(spec: str, field: str) -> None:
    """A map or a list is refused, and not shown: the variable may be a secret."""
    given, resources = config(spec)

    with pytest.raises(Refused, match="single value") as caught:
        read_context(given, resources.function_config)
    assert caught.value.finding.field == field
    assert "hush" not in str(caught.value)


def test_a_resource_with_doubled_keys_is_refused() -> None:
    """A resource is edited only if it is YAML afterwards; nothing is written."""
    text = (
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n"
        "  metadata: {name: a}\n  data:\n    site: '{{ .spectro.var.site }}'\n    twice: a\n    twice: b\n"
        "functionConfig:\n  apiVersion: krmkit.dev/v1alpha1\n  kind: ResolveMacros\n  metadata: {name: m}\n"
        "  spec: {variables: [{name: site, value: north}]}\n"
    )

    outcome = run_function("functions/resolve-macros", text)

    assert outcome.exit_code == 1
    assert 'the key "twice" occurs twice in one mapping' in outcome.stderr
    assert "{{ .spectro.var.site }}" in outcome.stdout


def test_a_manifest_layer_may_be_several_documents() -> None:
    """Its macros are resolved, its text stays otherwise, and no rule of values refuses it."""
    text = (
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n"
        "  metadata:\n    name: d\n    annotations:\n      config.kubernetes.io/local-config: 'true'\n  data:\n"
        '    pack.json: \'{"name": "d", "displayName": "d", "version": "1.0.0", "layer": "addon"}\'\n    values.yaml: |\n'
        "      apiVersion: v1\n      kind: Namespace\n      metadata:\n        name: '{{.spectro.var.site}}'\n      ---\n"
        "      apiVersion: v1\n      kind: Namespace\n      metadata:\n        name: {{ .spectro.var.site }}-two\n"
    )
    config = (
        "functionConfig:\n  apiVersion: krmkit.dev/v1alpha1\n  kind: %s\n  metadata: {name: m}\n  spec: %s\n"
    )

    done = run_function(
        "functions/resolve-macros",
        text + config % ("ResolveMacros", "{variables: [{name: site, value: north}]}"),
    )
    checked = run_function(
        "functions/validate-pack-constraints", text + config % ("ValidatePackConstraints", "{}")
    )

    assert done.exit_code == 0
    assert "name: 'north'" in done.stdout
    assert "name: north-two" in done.stdout
    assert checked.exit_code == 0
