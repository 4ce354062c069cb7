"""Twice the input costs a function less than three times the work: keys, macros, presets, patterns, variants, objects."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from krmkit.fn import testing
from krmkit.libraries.yaml import effort
from tests.costs import check_shape

ROOT = Path(__file__).parents[2]
GROUP = "krmkit.dev/v1alpha1"
PORCH = "config.porch.kpt.dev"


def pack(name: str, values: str, presets: str = "", schema: str = "") -> str:
    """A ConfigMap that carries a pack."""
    texts = {
        "pack.json": json.dumps({"name": name, "version": "1.0.0", "layer": "addon"}),
        "values.yaml": values,
        "presets.yaml": presets,
        "schema.yaml": schema,
    }
    data = "".join(f"  {file}: {json.dumps(text)}\n" for file, text in texts.items() if text)
    mark = "{config.kubernetes.io/local-config: 'true'}"
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations: {mark}\ndata:\n{data}"


def config(kind: str, spec: str) -> str:
    return f"apiVersion: {GROUP}\nkind: {kind}\nmetadata: {{name: c}}\nspec: {spec}\n"


def lines(size: int, line: str) -> str:
    return "".join(line.replace("N", str(number)) + "\n" for number in range(size))


def repository(number: int) -> str:
    return (
        f"apiVersion: {PORCH}/v1alpha1\nkind: Repository\nmetadata: {{name: r{number}, namespace: default}}\n"
    )


SET = (
    f"apiVersion: {PORCH}/v1alpha2\nkind: PackageVariantSet\nmetadata: {{name: s, namespace: default}}\nspec:\n"
    "  upstream: {repo: b, package: p, revision: 1}\n  targets:\n  - repositorySelector: {}\n"
    '    template: {downstream: {packageExpr: "repository.name"}}\n'
)
KPTFILE = (
    "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n  annotations:\n"
    "    internal.config.kubernetes.io/path: Kptfile\n"
)
FAST = "- {name: f, group: M, remove: [], add: 'x: 1'}\n"

# For each shape: the function, and its items and config for a size.
SHAPES: dict[str, tuple[str, Callable[[int], tuple[list[str], str | None]]]] = {
    "keys with macros": (
        "resolve-macros",
        lambda n: ([pack("p", lines(n, "kN: '{{ .spectro.macro.x }}'"))], config("ResolveMacros", "{macros: {x: y}}")),
    ),
    "macros that need one another": (
        "resolve-macros",
        lambda n: (
            [pack("p", lines(n, "kN: '{{ .spectro.pack.p.mN }}'") + lines(n, "mN: '{{ .spectro.macro.x }}'"))],
            config("ResolveMacros", "{macros: {x: y}}"),
        ),
    ),
    "values of macros": (
        "resolve-macros",
        lambda n: (
            [pack("p", lines(n, "kN: '{{ .spectro.macro.mN }}'"))],
            config("ResolveMacros", "{macros: {" + ", ".join(f"m{k}: y" for k in range(n)) + "}}"),
        ),
    ),
    "keys that a preset adds": (
        "apply-presets",
        lambda n: (
            [
                pack(
                    "p",
                    "# spectrocloud.com/enabled-presets: M:f\na: 1\n",
                    "presets:\n- name: f\n  group: M\n  remove: []\n  add: |\n" + lines(n, "    kN: N"),
                )
            ],
            None,
        ),
    ),
    "keys that a preset removes": (
        "apply-presets",
        lambda n: (
            [
                pack(
                    "p",
                    "# spectrocloud.com/enabled-presets: M:f\nother: 1\n" + lines(n, "kN: N"),
                    "presets:\n- name: f\n  group: M\n  add: ''\n  remove:\n" + lines(n, "  - kN"),
                )
            ],
            None,
        ),
    ),
    "packs and selections": (
        "apply-presets",
        lambda n: (
            [pack(f"p{k}", "a: 1\n", "presets:\n" + FAST) for k in range(n)],
            config("ApplyPresets", "{selections: [" + ", ".join(f"{{pack: p{k}, presets: [f]}}" for k in range(n)) + "]}"),
        ),
    ),
    "schema of many keys": (
        "validate-pack-constraints",
        lambda n: (
            [pack("p", lines(n, "kN: abc"), schema=lines(n, "kN:\n  schema: '{{ required | format \"${string:/^a{1,9}bc$/}\" }}'"))],
            config("ValidatePackConstraints", "{scope: cluster}"),
        ),
    ),
    "rules of a schema that are wrong": (
        "validate-pack-constraints",
        lambda n: (
            [pack("p", lines(n, "kN: abc"), schema=lines(n, "kN:\n  schema: '{{ required | format \"${string:/a(N/}\" }}'"))],
            config("ValidatePackConstraints", "{scope: cluster}"),
        ),
    ),
    "types that nobody knows": (
        "validate-pack-constraints",
        lambda n: (
            [pack("p", lines(n, "kN: abc"), schema=lines(n, "kN:\n  schema: '{{ required | format \"${typeN}\" }}'"))],
            config("ValidatePackConstraints", "{scope: cluster}"),
        ),
    ),
    "macros that fail": (
        "resolve-macros",
        lambda n: ([pack("p", lines(n, "kN: '{{ .spectro.macro.noneN }}'"))], config("ResolveMacros", "{macros: {x: y}}")),
    ),
    "packs to validate": (
        "validate-pack-constraints",
        lambda n: ([pack(f"p{k}", "a: 1\n") for k in range(n)], config("ValidatePackConstraints", "{scope: cluster}")),
    ),
    "variants": ("generate-package-variants", lambda n: ([SET, *map(repository, range(n))], None)),
    "objects to inject": (
        "inject-config",
        lambda n: (
            [
                KPTFILE,
                *(
                    f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: i{k}\n  annotations: {{kpt.dev/config-injection: optional}}\ndata: {{}}\n"
                    for k in range(n)
                ),
                *(
                    f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: o{k}\n  annotations: {{config.kubernetes.io/local-config: 'true'}}\ndata: {{a: b}}\n"
                    for k in range(n)
                ),
            ],
            config("InjectConfig", "{injectors: [{kind: ConfigMap, name: o1}]}"),
        ),
    ),
    "functions to prepend": (
        "prepend-pipeline",
        lambda n: (
            [KPTFILE],
            config("PrependPipeline", "{owner: c, pipeline: {mutators: [" + ", ".join(f"{{name: f{k}, image: i}}" for k in range(n)) + "]}}"),
        ),
    ),
    "keys of the context": (
        "set-package-context",
        lambda n: ([KPTFILE], config("SetPackageContext", "{data: {" + ", ".join(f"k{k}: v" for k in range(n)) + "}}")),
    ),
}  # fmt: skip

DEPLOYMENT = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\n  labels:\n    first: a\n"
    "spec:\n  selector: {matchLabels: {}}\n  template:\n    metadata:\n      labels: {}\n"
)
CLASS = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: ClusterClass\nmetadata: {name: c, namespace: default}\nspec:\n  variables:\n"
CLUSTER = (
    "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: c, namespace: default}\nspec:\n"
    "  topology:\n    classRef: {name: c}\n    version: v1.33.1\n"
)
OPEN = "openAPIV3Schema: {type: object, properties: {a: {type: string, default: b}}}"


def texts(size: int, value: str, **more: str) -> str:
    """A ConfigMap as a config: keys of a number, and those of `more`."""
    data = more or {f"k{number}": value for number in range(size)}
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data})


def annotated(size: int) -> str:
    return DEPLOYMENT.replace("  labels:\n    first: a\n", "  annotations:\n" + lines(size, "    kN: a"))


# Many keys of one map, with every way to write them: as lines, in a tree, and in flow style.
SHAPES |= {
    "labels": ("set-labels", lambda n: ([DEPLOYMENT], texts(n, "a"))),
    "labels that are there": (
        "set-labels",
        lambda n: ([DEPLOYMENT.replace("    first: a\n", lines(n, "    kN: a"))], texts(n, "b")),
    ),
    "annotations": ("set-annotations", lambda n: ([DEPLOYMENT], texts(n, "a"))),
    "annotations that are there": ("set-annotations", lambda n: ([annotated(n)], texts(n, "b"))),
    "annotations that go": (
        "delete-annotations",
        lambda n: ([annotated(n)], texts(0, "", annotationKeys=", ".join(f"k{k}" for k in range(n)))),
    ),
    "variables of a class": (
        "default-cluster-topology",
        lambda n: ([CLASS + lines(n, f"  - {{name: vN, required: true, schema: {{{OPEN}}}}}"), CLUSTER], None),
    ),
    "variables of a Cluster": (
        "default-cluster-topology",
        lambda n: (
            [
                CLASS + lines(n, f"  - {{name: vN, required: true, schema: {{{OPEN}}}}}"),
                CLUSTER + "    variables:\n" + lines(n, "    - {name: vN, value: {}}"),
            ],
            None,
        ),
    ),
    "labels of a Cluster": (
        "default-cluster-topology",
        lambda n: ([CLASS.replace("  variables:\n", "  variables: []\n"), CLUSTER.replace("{name: c, namespace: default}", "{name: c, namespace: default, labels: {" + ", ".join(f"k{k}: v" for k in range(n)) + "}}")], None),
    ),
}  # fmt: skip

MAPS = [shape for shape in SHAPES if shape.startswith(("labels", "annotations", "variables"))]
SIZE, LARGE = 60, 500
# What a finding costs beside its place is so much that the square of a few would not be seen.
MANY = ("rules of a schema that are wrong", "types that nobody knows", "macros that fail", *MAPS)


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_as_much(shape: str) -> None:
    """Counted in lines of Python and calls of C, so a busy machine changes nothing."""
    function, make = SHAPES[shape]

    def work(size: int) -> Callable[[], object]:
        items, given = make(size)
        text = testing.resource_list(items, given)

        def run() -> object:
            outcome = testing.run_function(ROOT / "functions" / function, text)
            assert not any(result.rule in ("internal-error", "limit") for result in outcome.results)
            return outcome

        return run

    check_shape(work, LARGE if shape in MANY else SIZE)


HOSTILE = {
    "a match for each character": '{{ regexReplaceAll "a" (repeat 5000000 "a") .spectro.macro.x }}',
    "a text that doubles": "{{ " + "list (" * 20 + "list .spectro.macro.x" + ") 1 | toPrettyJson" * 20 + " | repeat 99999 }}",
    "hashes of long texts": "x\n" + lines(40, "bN: {{ repeat 10000N .spectro.macro.x | repeat 9 | sha256sum }}"),
}  # fmt: skip


@pytest.mark.parametrize("values", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_macros_use_up_the_effort(values: str) -> None:
    """They end in an error that names the limit, after as many steps on every machine; a larger limit lets them go on."""
    text = testing.resource_list([pack("p", f"a: {values}\n")], config("ResolveMacros", "{macros: {x: y}}"))

    outcome = testing.run_function(ROOT / "functions/resolve-macros", text)

    assert outcome.exit_code == 1
    said = " ".join(result.message for result in outcome.results)
    assert "steps of effort (raise it with --limit effort=N)" in said or "MAX_" in said
    assert not effort.running()


def test_one_budget_for_many_patterns() -> None:
    """Thousands of large patterns end in findings instead of minutes."""
    keys = 400
    schema = "".join(
        f"k{n}:\n  schema: '{{{{ required | format \"${{string:/a{{1,{500 + n}}}b{{1,900}}/}}\" }}}}'\n" for n in range(keys)
    )  # fmt: skip
    text = testing.resource_list(
        [pack("p", lines(keys, "kN: aab"), schema=schema)],
        config("ValidatePackConstraints", "{scope: cluster}"),
    )

    outcome = testing.run_function(ROOT / "functions/validate-pack-constraints", text)

    assert any("--limit effort=N" in result.message for result in outcome.results)


def test_long_expressions_are_refused() -> None:
    """CEL's library needs memory for every character of loops in loops."""
    long = "string([" + "1," * 3000 + "1].map(a, [1].map(b, b)).size())"
    text = testing.resource_list([SET.replace("repository.name", long), repository(1)])

    outcome = testing.run_function(ROOT / "functions/generate-package-variants", text)

    assert "the size of an expression must be at most 4,096 characters" in outcome.results[0].message
