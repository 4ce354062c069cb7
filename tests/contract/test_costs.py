"""The shape of costs of every function: twice as much of anything costs less than three times the work, counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from krmkit.fn import testing
from krmkit.fn.contract.contractrules import folder_of
from krmkit.fn.contract.inputs import BYSTANDERS
from tests.contract.checks import ROOT, examples
from tests.costs import check_shape

EXAMPLES = list(
    {example.function: example for example in reversed(list(examples()))}.values()
)  # the first of each function
Build = Callable[[int], tuple[list[str], str]]
"""A size -> (items, config)."""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.function}/{example.folder.name}")
def test_bystanders(example: testing.Example) -> None:
    """Resources that are none of a function's business, of all layouts, and twice as many."""

    def make(size: int) -> Callable[[], object]:
        others = [
            text.replace("kind: By", f"kind: By{number}") for number in range(size) for text in BYSTANDERS
        ]
        text = example.render_list(others)
        return lambda: testing.run_function(folder_of(example), text)

    check_shape(make, 15)


def config(kind: str, spec: str) -> str:
    indented = "".join(f"  {line}\n" for line in spec.splitlines())
    return f"apiVersion: krmkit.dev/v1alpha1\nkind: {kind}\nmetadata:\n  name: c\nspec:\n{indented or '  {}'}"


def block(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def pack(name: str, **files: str) -> str:
    """A pack as an item; `files` are its texts by the file's name without .yaml, `metadata` more of pack.json."""
    more = files.pop("metadata", "")
    text = (
        f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations:\n"
        f'    config.kubernetes.io/local-config: "true"\n    config.kubernetes.io/path: {name}.yaml\n'
        f'data:\n  pack.json: |\n    {{"name": "{name}", "version": "1.0.0", "layer": "addon"{more}}}\n'
    )
    return text + "".join(f"  {file}.yaml: |\n{block(content)}" for file, content in files.items())


PRESETS = "presets:\n- name: big\n  group: size\n  remove: [a]\n  add: |\n    replicas: 3\n"


def presets_of_packs(size: int) -> tuple[list[str], str]:
    packs = [pack(f"p{number}", values="a: 1\nb: 2\n", presets=PRESETS) for number in range(size)]
    chosen = "".join(f"- {{pack: p{number}, presets: ['size:big']}}\n" for number in range(size))
    return packs, config("ApplyPresets", f"selections:\n{chosen}")


def presets_of_one_pack(size: int) -> tuple[list[str], str]:
    texts = [
        f"- name: n{number}\n  remove: [old{number}]\n  add: |\n    new{number}: 1\n"
        for number in range(size)
    ]
    values = "".join(f"old{number}: 1\n" for number in range(size))
    names = ", ".join(f"n{number}" for number in range(size))
    one = pack("p", values=values, presets="presets:\n" + "".join(texts))
    return [one], config("ApplyPresets", f"selections:\n- {{pack: p, presets: [{names}]}}\n")


def unknown_presets(size: int) -> tuple[list[str], str]:
    names = ", ".join(f"unknown{number}" for number in range(size))
    one = pack("p", values="a: 1\n", presets=PRESETS)
    return [one], config("ApplyPresets", f"selections:\n- {{pack: p, presets: [{names}]}}\n")


def macros_of_packs(size: int) -> tuple[list[str], str]:
    packs = [
        pack(f"p{number}", values=f"a: v\nb: '{{{{ .spectro.pack.p{number // 2}.a }}}}'\n")
        for number in range(size)
    ]
    return packs, config("ResolveMacros", "")


def macros_of_one_text(size: int) -> tuple[list[str], str]:
    values = "".join(
        f"k{number}: '{{{{ .spectro.var.v{number} }}}} {{{{ .spectro.var.none }}}}'\n"
        for number in range(size)
    )
    given = "".join(f"- {{name: v{number}, value: x}}\n" for number in range(size))
    return [pack("p", values=values)], config("ResolveMacros", f"variables:\n{given}")


def unclosed_macros(size: int) -> tuple[list[str], str]:
    return [pack("p", values="".join(f"k{n}: '{{{{ .spectro.var.a }}'\n" for n in range(size)))], config(
        "ResolveMacros", ""
    )


def macros_of_resources(size: int) -> tuple[list[str], str]:
    items = [
        f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s{n}}}\ndata: {{a: '{{{{ .spectro.pack.p.a }}}}'}}\n"
        for n in range(size)
    ]
    return [pack("p", values="a: 1\n"), *items], config("ResolveMacros", "")


def constraints_of_packs(size: int) -> tuple[list[str], str]:
    packs = [
        pack(
            f"p{number}",
            values="port: 80\n",
            schema="port:\n  schema: '{{ required | format \"${number}\" }}'\n",
            metadata=f', "constraints": {{"dependencies": [{{"packName": "p{number // 2}", "layer": "addon",'
            ' "minVersion": "2.0.0", "type": "required"}]}',
        )
        for number in range(size)
    ]
    return packs, config("ValidatePackConstraints", "scope: cluster\n")


def constraints_of_one_pack(size: int) -> tuple[list[str], str]:
    schema = "".join(
        f"k{n}:\n  schema: '{{{{ required | format \"${{boolean}}\" }}}}'\n" for n in range(size)
    )
    values = "".join(f"k{n}: nope\n" for n in range(size))
    return [pack("p", values=values, schema=schema)], config("ValidatePackConstraints", "scope: cluster\n")


def pools(size: int) -> tuple[list[str], str]:
    asked = ', "constraints": {"resources": [{"type": "cpu", "minLimit": 1000}]}'
    listed = "".join(f"- {{name: w{n}, size: 1, cpu: 1}}\n" for n in range(size))
    one = pack("p", values="a: 1\n", metadata=asked)
    return [one], config("ValidatePackConstraints", f"machinePools:\n{listed}")


KPTFILE = (
    "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n  annotations:\n"
    "    config.kubernetes.io/path: Kptfile\n"
)
CONTEXT = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n  annotations:\n"
    '    config.kubernetes.io/local-config: "true"\n    config.kubernetes.io/path: package-context.yaml\n'
    "data:\n  name: p\n"
)


def functions_in_front(size: int) -> tuple[list[str], str]:
    there = "".join(f"  - {{image: 'there:v{n}', name: n{n}}}\n" for n in range(size))
    new = "".join(f"  - {{image: 'new:v{n}', name: n{n}}}\n" for n in range(size))
    return [KPTFILE + f"pipeline:\n  mutators:\n{there}"], config(
        "PrependPipeline", f"owner: me\npipeline:\n  mutators:\n{new}"
    )


def keys_of_the_context(size: int) -> tuple[list[str], str]:
    there = "".join(f"  old{n}: x\n" for n in range(size))
    new = "".join(f"  new{n}: x\n" for n in range(size))
    gone = ", ".join(f"old{n}" for n in range(size))
    return [KPTFILE, CONTEXT + there], config("SetPackageContext", f"data:\n{new}removeKeys: [{gone}]\n")


def injection_points(size: int) -> tuple[list[str], str]:
    points = [
        f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: point{n}\n  annotations:\n"
        f"    kpt.dev/config-injection: required\n    config.kubernetes.io/path: p{n}.yaml\ndata: {{}}\n"
        for n in range(size)
    ]
    objects = [
        f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: o{n}\n  annotations:\n"
        f'    config.kubernetes.io/local-config: "true"\n    config.kubernetes.io/path: o{n}.yaml\ndata: {{x: y}}\n'
        for n in range(size)
    ]
    return [KPTFILE, *points, *objects], config("InjectConfig", "injectors:\n- {name: o0}\n")


def targets_of_a_set(size: int) -> tuple[list[str], str]:
    repositories = "".join(f"    - {{name: r{n}, packageNames: [a{n}, b{n}]}}\n" for n in range(size))
    one = (
        "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata:\n  name: s\n"
        "spec:\n  upstream: {repo: u, package: p, revision: 1}\n  targets:\n  - repositories:\n"
        + repositories
    )
    return [one], config("GeneratePackageVariants", "")


def chained_variants(size: int) -> tuple[list[str], str]:
    variants = [
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata:\n"
        f"  name: v{n}\n  annotations: {{config.kubernetes.io/local-config: 'true'}}\nspec:\n"
        "  upstream: {repo: u, package: p}\n  downstream: {repo: d, package: p}\n"
        f"  packageContext: {{data: {{k{n}: x}}}}\n"
        for n in range(size)
    ]
    names = ", ".join(f"v{n}" for n in range(size))
    return [KPTFILE, CONTEXT, *variants], config("ApplyPackageVariant", f"variants: [{names}]\n")


CASES: list[tuple[str, Build, int]] = [
    ("apply-presets", presets_of_packs, 40),
    ("apply-presets", presets_of_one_pack, 40),
    ("apply-presets", unknown_presets, 100),
    ("resolve-macros", macros_of_packs, 40),
    ("resolve-macros", macros_of_one_text, 60),
    ("resolve-macros", unclosed_macros, 60),
    ("resolve-macros", macros_of_resources, 40),
    ("validate-pack-constraints", constraints_of_packs, 40),
    ("validate-pack-constraints", constraints_of_one_pack, 60),
    ("validate-pack-constraints", pools, 60),
    ("prepend-pipeline", functions_in_front, 40),
    ("set-package-context", keys_of_the_context, 60),
    ("inject-config", injection_points, 40),
    ("generate-package-variants", targets_of_a_set, 40),
    ("apply-package-variant", chained_variants, 8),
]


@pytest.mark.parametrize(
    ("function", "build", "size"), CASES, ids=[f"{case[0]}-{case[1].__name__}" for case in CASES]
)
def test_shape(function: str, build: Build, size: int) -> None:
    """Twice as many packs, presets, keys, macros, constraints, pools, functions, points, targets, variants."""
    folder = ROOT / "functions" / function

    def make(count: int) -> Callable[[], object]:
        items, given = build(count)
        text = testing.resource_list(items, given)
        return lambda: testing.run_function(folder, text)

    outcome = testing.run_function(folder, testing.resource_list(*build(size)))
    assert not {finding.rule for finding in outcome.results} & {
        "invalid-config",
        "internal-error",
        "invalid-yaml",
    }
    check_shape(make, size)


def test_every_function_of_these_systems_has_a_case() -> None:
    """A new function of Palette or Porch gets a case of its own."""
    systems = ("krmkit.systems.palette", "krmkit.systems.porch")
    mains = [Path(path) for path in sorted((ROOT / "functions").glob("*/main.py"))]
    own = {path.parent.name for path in mains if any(system in path.read_text("utf-8") for system in systems)}

    assert own == {case[0] for case in CASES}
