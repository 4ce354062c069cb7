"""krmkit.systems.landscaper.checks.blueprint and blueprint: whether a blueprint is sound before it has values."""

from __future__ import annotations

import pytest

from krmkit.systems.landscaper.blueprint import blueprints
from krmkit.systems.landscaper.blueprint.blueprints import load
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.checks.blueprint import blueprint_errors
from krmkit.systems.landscaper.checks.installations import validate
from krmkit.systems.landscaper.components.descriptors import ComponentRepository
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.items.installations import Items
from krmkit.systems.landscaper.items.objects import World
from tests.unit.systems.landscaper.blueprint.test_files import tar
from tests.unit.systems.landscaper.worlds import (
    CONTEXT,
    HEADER,
    descriptor,
    installed,
    reference,
    repository,
    resource,
)


def problems(body: str, **files: str) -> list[str]:
    """What is wrong with a blueprint, without the words that stand before each of them."""
    known = load(
        Files(
            {
                "blueprint.yaml": HEADER + body,
                **{name.replace("__", "."): text for name, text in files.items()},
            }
        )
    )
    found = blueprint_errors(known, None, ComponentRepository())
    assert all((one.rule, one.field) == ("bad-blueprint", "spec.blueprint") for one in found)
    return [one.message.removeprefix("blueprint ") for one in found]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("imports: [{name: a, schema: {}}, {name: a, schema: {}}]", ["imports.a: the name is used twice"]),
        ("exports: [{name: a, schema: {}}, {name: a, schema: {}}]", ["exports.a: the name is used twice"]),
        ("imports: [{name: a, type: dta}]", ['imports.a: unknown type "dta"; did you mean "data"?']),
        ("exports: [{name: a, type: targetList, targetType: x/y}]", ['exports.a: unknown type "targetList"; known: data, target']),
        ("imports: [{name: a}]", ["imports.a: no schema defined"]),
        ("imports: [{name: a, type: targetMap}]", ["imports.a: no targetType defined"]),
        ("imports: [{name: a, schema: {type: strin}}]", None),
        ("imports: [{name: a, schema: {}, imports: [{name: b, schema: {}}]}]", ["imports.a: only an import with required: false may have conditional imports"]),
        ("imports: [{name: a, required: false, schema: {}, imports: [{name: b}]}]", ["imports.a.b: no schema defined"]),
        ("importExecutions: [{name: a, type: Gotemplate}]", ['importExecutions: unknown template type Gotemplate; did you mean "GoTemplate"?']),
        (
            "deployExecutions: [{name: a, type: GoTemplate, template: ''}, {name: a, type: Spiff, template: {}}]",
            ["deployExecutions.a: the name is used twice"],
        ),
        ("exportExecutions: [{type: GoTemplate}]", ['exportExecutions.(without a name): executor "": no template found; template or file must be given']),
        ("subinstallationExecutions: [{name: a, type: Spiff}]", ['subinstallationExecutions.a: executor "a": no template found; template or file must be given']),
        ("deployExecutions: [{name: a, type: Spiff, file: b.yam}]", ['deployExecutions.a: file does not exist: "b.yam"; did you mean "b.yaml"?']),
        ("deployExecutions: [{name: a, type: Spiff, file: b.yaml}]", None),
        ("deployExecutions: [{name: a, type: Spiff, template: 'a: ['}]", None),
        ("subinstallations: [{file: b.yam}]", ['subinstallations[0]: file does not exist: "b.yam"; did you mean "b.yaml"?']),
        ("subinstallations: [{name: a, blueprint: {filesystem: {}}}, {file: c.yaml}]", ["subinstallations[1]: c.yaml must have apiVersion landscaper.gardener.cloud/v1alpha1 and kind InstallationTemplate, got None and None"]),
        ("subinstallations: [{file: d.yaml}]", ["subinstallations[0]: d.yaml must be a mapping with apiVersion and kind"]),
        ("subinstallations: [{name: a, blueprint: {ref: cd://resources/x}}]", ["subinstallations[0]: no component descriptor defined to resolve the blueprint ref"]),
        ("imports: [{name: a, required: false, schema: {}, imports: [{name: b, targetType: x/y}]}]\nexports: [{name: a, targetType: kubernetes-cluster}]", []),
    ],
    ids=lambda value: str(value)[:70],
)  # fmt: skip
def test_blueprints(body: str, said: list[str] | None) -> None:
    """Everything that is wrong is said with its place; where the text is a library's, one line stands there."""
    found = problems(body, b__yaml="a: [", c__yaml="name: a", d__yaml="[1]")

    assert len(found) == 1 if said is None else found == said


def test_references_of_nested_blueprints() -> None:
    """A reference into the component must lead to a resource."""
    component = descriptor("shop", resource("web"))
    known = repository(component)
    body = "subinstallations:\n- {name: a, blueprint: {ref: cd://resources/web}}\n- {name: b, blueprint: {ref: cd://resources/wbe}}\n"

    found = blueprint_errors(
        load(Files({"blueprint.yaml": HEADER + body})), known.find("example.com/shop", "1.0.0"), known
    )

    assert [one.message for one in found] == [
        'blueprint subinstallations[1]: local resource wbe cannot be found; did you mean "web"?'
    ]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("schema: {}", ("data", "")),
        ("targetType: kubernetes-cluster", ("target", "landscaper.gardener.cloud/kubernetes-cluster")),
        ("targetType: x/y", ("target", "x/y")),
        ("type: targetList, targetType: kubernetes-cluster", ("targetList", "landscaper.gardener.cloud/kubernetes-cluster")),
        ("type: targetMap, targetType: kubernetes-cluster", ("targetMap", "kubernetes-cluster")),
    ],
)  # fmt: skip
def test_defaults(entry: str, expected: tuple[str, str]) -> None:
    """The type follows from schema or targetType; a short target type is Landscaper's own, except that of a map."""
    (found,) = load(Files({"blueprint.yaml": f"{HEADER}imports: [{{name: a, {entry}}}]"})).imports

    assert (found.type, found.target_type) == expected
    assert found.required


def test_exports_have_no_conditions() -> None:
    """An export has no imports inside of it; its short target type is Landscaper's own."""
    text = f"{HEADER}exports: [{{name: a, type: target, targetType: b, imports: [{{name: c}}]}}]"
    (found,) = load(Files({"blueprint.yaml": text})).exports

    assert (found.target_type, found.imports) == ("landscaper.gardener.cloud/b", [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [("null", None), ("{}", None), ("{value: null}", None), ("{value: 0}", {"value": 0}), ("5", None)],
)
def test_default_values(text: str, expected: object) -> None:
    """A default is a mapping with a value; null is none."""
    (found,) = load(
        Files(
            {
                "blueprint.yaml": f"{HEADER}imports: [{{name: a, required: false, default: {text}, schema: {{}}}}]"
            }
        )
    ).imports

    assert found.default == expected
    assert not found.required


def test_conditional_imports_count_as_optional() -> None:
    """All imports in their order, each with whether it may be without a value."""
    text = f"{HEADER}imports: [{{name: a, schema: {{}}}}, {{name: b, required: false, imports: [{{name: c}}, {{name: d}}]}}, {{name: e}}]"
    known = load(Files({"blueprint.yaml": text}))

    assert [(one.name, absent) for one, absent in known.all_imports()] == [
        ("a", False),
        ("b", True),
        ("c", True),
        ("d", True),
        ("e", False),
    ]


@pytest.mark.parametrize(
    ("files", "rule", "message"),
    [
        ({"blueprint.yml": ""}, "blueprint-not-found", "the blueprint has no file blueprint.yaml"),
        ({"blueprint.yaml": "a: ["}, "invalid", "blueprint.yaml: "),
        ({"blueprint.yaml": ""}, "invalid", "blueprint.yaml must be a mapping with apiVersion and kind"),
        ({"blueprint.yaml": "kind: Blueprint"}, "invalid", "blueprint.yaml must have apiVersion landscaper.gardener.cloud/v1alpha1 and kind Blueprint, got None and Blueprint"),
        ({"blueprint.yaml": HEADER.replace("kind: Blueprint", "kind: Blue")}, "invalid", "blueprint.yaml must have apiVersion landscaper.gardener.cloud/v1alpha1 and kind Blueprint, got landscaper.gardener.cloud/v1alpha1 and Blue"),
    ],
    ids=["no file", "no YAML", "an empty file", "no version", "another kind"],
)  # fmt: skip
def test_no_blueprint(files: dict[str, str], rule: str, message: str) -> None:
    """A blueprint is a file of its name, version and kind."""
    with pytest.raises(InstallationError) as caught:
        load(Files(dict(files)))

    assert caught.value.rule == rule
    assert caught.value.message.startswith(message)


def test_deep_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditional imports are nested at most so deep."""
    monkeypatch.setattr(blueprints, "_DEEPEST", 3)

    def text(depth: int) -> str:
        inner = "[]"
        for _ in range(depth):
            inner = f"[{{name: a, required: false, imports: {inner}}}]"
        return f"{HEADER}imports: {inner}"

    assert len(load(Files({"blueprint.yaml": text(4)})).all_imports()) == 4
    with pytest.raises(InstallationError, match="imports are nested more than 3 deep"):
        load(Files({"blueprint.yaml": text(5)}))


def test_a_blueprint_is_checked_once() -> None:
    """Two nested installations with the same blueprint of a component: its fault is said once."""
    body = (
        "subinstallations:\n- {name: a, blueprint: {ref: cd://componentReferences/web/resources/blueprint}}\n"
        "- {name: b, blueprint: {ref: cd://componentReferences/web/resources/blueprint}}\n"
    )
    known = repository(
        descriptor("shop", resource("blueprint"), references=(reference("web"),)),
        descriptor("web", resource("blueprint")),
        shop=body,
        web="imports: [{name: x, required: false, schema: {type: strin}}]\n",
    )
    items = Items(world=World.of([installed("shop"), CONTEXT]), repository=known)

    found = [one.message for one in validate(items, []) if one.rule == "bad-blueprint"]

    assert len(found) == 1
    assert found[0].startswith("nested installation root/a: blueprint imports.x: ")


def test_links_in_the_archive_are_said() -> None:
    """A blueprint that is still packed may have links, which its file system does not have."""
    packed = tar(("blueprint.yaml", HEADER.encode()), link="d.yaml")
    known = repository(descriptor("shop", resource("blueprint")))
    known.blobs["example.com/shop:1.0.0/blueprint"] = packed
    items = Items(world=World.of([installed("shop"), CONTEXT]), repository=known)

    said = [(one.severity, one.message) for one in validate(items, []) if one.rule == "link-left-out"]
    assert said == [
        (
            "warning",
            "root: d.yaml in the archive of the blueprint is a link or a device, and left out; must be a file",
        )
    ]
