"""Inputs that every function must handle: unrelated resources, bad configs, hostile texts."""

from __future__ import annotations

from typing import Any

from krmkit.fn.definition import FunctionDefinition
from krmkit.libraries.yaml import emit

# Resources that no function has a reason to touch, in layouts that a careless one would damage.
BYSTANDERS = [
    """\
# head comment
apiVersion: bystander.example/v1   # kept
kind: Bystander
metadata:
  name: "first"
  annotations: {example.dev/unknown: 'keep me', "quoted": "yes"}
spec:
    wide:   on
    octal: 010
    clock: 12:30:45
    nothing: ~
    folded: >-
      one
      two

    flow: [a,   "b", {c: d}]
    # foot comment
""",
    """\
kind: Bystander
apiVersion: bystander.example/v1
metadata: {name: second}
spec:
  anchors: &base {x: 1}
  alias: *base
  merged:
    <<: *base
    y: 2
  text: |
    - apiVersion: v1
      kind: NotAnItem
    trailing blanks BLANKS
  unicode: "é ü 漢字 🙂"
  "quoted key": 'it''s'
""",
    """\
apiVersion: bystander.example/v1
kind: Bystander
metadata:
  name: third
  annotations:
    internal.config.kubernetes.io/path: 'somewhere/else.yaml'
    internal.config.kubernetes.io/index: '7'
    example.dev/unknown: keep me too
""",
]
BYSTANDERS[1] = BYSTANDERS[1].replace("BLANKS", "   ")

UNREADABLE = {
    "nothing": "",
    "blanks": " \n\n",
    "a word": "hello",
    "a number": "42\n",
    "a list": "- a\n- b\n",
    "not YAML": "apiVersion: [unclosed\n",
    "a tab": "kind:\n\tResourceList\n",
    "a resource": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
    "another kind": "apiVersion: config.kubernetes.io/v1\nkind: List\nitems: []\n",
    "another version": "apiVersion: example.dev/v1\nkind: ResourceList\nitems: []\n",
    "two documents": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n---\na: b\n",
    "items twice": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nitems: []\n",
    "items as a map": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: {a: b}\n",
    "a config that is a list": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig: [a]\n",
    "an unclosed quote": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- a: 'b\n",
    "a control character": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n# \x07\nitems: []\n",
    "deep flow": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: " + "[" * 50_000,
    "a page": "<!DOCTYPE html>\n<html><body>404</body></html>\n",
}


def bomb(levels: int = 9, width: int = 9) -> str:
    """Return a mapping whose last value expands to `width ** levels` texts."""
    lines = ["a0: &a0 [" + ", ".join(["lol"] * width) + "]"]
    for level in range(1, levels):
        lines.append(f"a{level}: &a{level} [" + ", ".join([f"*a{level - 1}"] * width) + "]")
    return "\n".join(lines)


def deep(levels: int) -> str:
    """Return a value nested `levels` deep, on one line."""
    return "[" * levels + "]" * levels


HOSTILE = {
    "a bomb": f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: bomb}}\ndata:\n  {bomb().replace(chr(10), chr(10) + '  ')}\n",
    "a bomb of annotations": f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: bomb\n  annotations:\n    {bomb().replace(chr(10), chr(10) + '    ')}\n",
    "deep": f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: deep}}\ndata: {deep(700)}\n",
    "an alias to itself": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: loop}\ndata: &d\n  a: *d\n",
    "a merge of itself": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: loop}\ndata: &d\n  <<: *d\n  b: c\n",
    "a long line": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: long}\ndata: {a: "
    + "x" * 200_000
    + "}\n",
    "duplicate keys": "apiVersion: v1\nkind: ConfigMap\nkind: ConfigMap\nmetadata: {name: twice}\n",
    "no names": "a: b\n",
    "wrong shapes": "apiVersion: [v1]\nkind: {a: b}\nmetadata: text\nspec: 1\ndata: []\n",
    "annotations as a list": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: [b], labels: c}\ndata: {a: b}\n",
    "not a mapping": "- a\n- b\n",
    "a scalar": "text\n",
    "null": "null\n",
    "null metadata": "apiVersion: v1\nkind: ConfigMap\nmetadata:\ndata:\n",
    "keys that are not text": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {1: a, true: b, ~: c, ? [d] : e}\n",
    "a pack that is none": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p, annotations: {config.kubernetes.io/local-config: 'true'}}\n"
        "data: {pack.json: '{', values.yaml: '[', presets.yaml: '}', schema.yaml: '- ', defaults.yaml: \"\\t\"}\n"
    ),
    "a pack with a bomb": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p, annotations: {config.kubernetes.io/local-config: 'true'}}\n"
        'data:\n  pack.json: \'{"name": "p", "version": "1.0.0", "layer": "addon"}\'\n'
        f"  values.yaml: |\n    {bomb().replace(chr(10), chr(10) + '    ')}\n"
        f"  presets.yaml: |\n    {bomb().replace(chr(10), chr(10) + '    ')}\n"
        f"  schema.yaml: |\n    {bomb().replace(chr(10), chr(10) + '    ')}\n"
    ),
    "a Kptfile that is none": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: k}\npipeline: {mutators: x, validators: 1}\ninfo: []\nstatus: a\n",
}


def typed(definition: FunctionDefinition, spec: object, **more: object) -> str:
    """Return a config of the function's own kind."""
    return emit.document(
        {
            "apiVersion": definition.api_version,
            "kind": definition.kind,
            "metadata": {"name": "config"},
            "spec": spec,
            **more,
        }
    )


def bad_configs(definition: FunctionDefinition, good: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Return configs with one mistake each, made from the schema and a good spec.

    The mapping is name -> (config, path of the mistake).
    """
    plain = typed(definition, good)
    annotated = "  name: config\n  annotations: {krmkit.dev/fail-on: sometimes}\n"
    found: dict[str, tuple[str, str]] = {
        "unknown field": (typed(definition, {**good, "xxyyzz": 1}), "spec.xxyyzz"),
        "unknown field beside spec": (typed(definition, good, xxyyzz=1), "xxyyzz"),
        "failOn": (typed(definition, {**good, "failOn": "sometimes"}), "spec.failOn"),
        "spec is a list": (typed(definition, ["a"]), "spec"),
        "wrong apiVersion": (plain.replace(definition.api_version, "krmkit.dev/v9"), "apiVersion"),
        "wrong kind": (plain.replace(f"kind: {definition.kind}\n", "kind: Xxyyzz\n", 1), "kind"),
        "unknown field in a ConfigMap": (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\nspec: {}\ndata: {}\n",
            "spec",
        ),
        "fail-on": (
            plain.replace("  name: config\n", annotated, 1),
            'metadata.annotations."krmkit.dev/fail-on"',
        ),
    }
    for name, field in (definition.schema.get("properties") or {}).items():
        found |= _mistakes(
            field, f"spec.{name}", lambda value, name=name: typed(definition, {**good, name: value})
        )
    for name in definition.schema.get("required") or ():
        less = {key: value for key, value in good.items() if key != name}
        found[f"spec.{name} is missing"] = (typed(definition, less), f"spec.{name}")
    return found


def _mistakes(schema: dict[str, Any], path: str, config: Any) -> dict[str, tuple[str, str]]:
    kind = schema.get("type")
    found = {}
    if kind is not None:
        wrong: object = 1 if kind in {"object", "array", "string", "boolean"} else ["a"]
        found[f"{path} of a wrong type"] = (config(wrong), path)
    if kind == "object" and schema.get("properties"):
        found[f"{path} with an unknown field"] = (config({"xxyyzz": 1}), f"{path}.xxyyzz")
    items = schema.get("items")
    if kind == "array" and isinstance(items, dict):
        found |= _mistakes(items, f"{path}[0]", lambda value: config([value]))
    if "enum" in schema:
        found[f"{path} out of its enum"] = (config("xxyyzz"), path)
    return found
