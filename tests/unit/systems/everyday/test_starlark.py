"""starlark: what a program may use up, and how releases differ in match_gvk."""

from __future__ import annotations

import pytest

from krmkit.fn import loader
from krmkit.fn.run import RunOptions, run
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.limits import Limits
from krmkit.systems.everyday.starlark import programs as starlarkprograms
from krmkit.systems.everyday.starlark.run import run_starlark

DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web # the front\n"
MATCHING = """\
load("krmfn.star", "krmfn")
for item in ctx.resource_list["items"]:
    if krmfn.match_gvk(item, "apps/v1", "Deployment"):
        item["metadata"]["name"] = "found"
"""


JSON = 'load("encoding/json.star", "json")\n'
YAML = 'load("encoding/yaml.star", "yaml")\n'
TWINS = "a = []\nb = []\nfor _ in range(40):\n    a = [a, a]\n    b = [b, b]\n"
LEAVE = 'ctx.resource_list["items"][0]["data"] = a\n'


def listed(source: str) -> str:
    program = "".join(f"    {line}\n" for line in source.splitlines())
    item = "".join(f"  {line}\n" for line in DEPLOYMENT.splitlines())
    return (
        f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n-{item[1:]}"
        "functionConfig:\n  apiVersion: fn.kpt.dev/v1alpha1\n  kind: StarlarkRun\n"
        f"  metadata: {{name: prog}}\n  source: |\n{program}"
    )


@pytest.mark.parametrize(
    ("tag", "name", "rules"),
    [
        ("v0.4.3", "found", ["release"]),
        ("v0.5.0", "web", ["release", "match-gvk"]),
        ("latest", "web", ["release", "match-gvk"]),
    ],
)
def test_the_tag_decides_what_match_gvk_compares(tag: str, name: str, rules: list[str]) -> None:
    """Up to v0.4.3 groups count; later code finds no apiVersion with a group, and a warning says so."""
    resources = ResourceList.parse(listed(MATCHING))

    findings = run_starlark(resources, resources.function_config, tag)

    assert [item.name for item in resources] == [name]
    assert [finding.rule for finding in findings] == rules


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("for a in range(100000000):\n    pass\n", "effort"),
        ("def deeper(n):\n    return deeper(n + 1)\ndeeper(0)\n", "recursion|stack"),
        ("text = 'x' * 1000\nfor _ in range(40):\n    text = text + text\n", "memory"),
        (f"{TWINS}x = a == b\n", "seconds of processor time"),
        (f"{TWINS}x = str(a)\n", "memory|seconds of processor time"),
        ("x = 1\nfor _ in range(60):\n    x = x * x * 3\n", "memory|seconds of processor time|effort"),
        ("t = 'x' * 20000000\nfor _ in range(3000):\n    x = t.count('yx')\n", "seconds of processor time"),
        (f"{TWINS}{LEAVE}", "memory|seconds of processor time|2,000,000 values"),
        (f"a = []\nfor _ in range(900):\n    a = [a]\n{LEAVE}", "500 deep"),
        (f"a = []\nfor _ in range(100000):\n    a = [a]\n{LEAVE}", "crashed|500 deep|memory"),
        (f"a = [1] * 3000000\n{LEAVE}", "2,000,000 values"),
        (f"{TWINS}print(a)\n", "effort"),
        (f"{JSON}{TWINS}json.encode(a)\n", "effort"),
        (f"{YAML}{TWINS}yaml.dumps(a)\n", "effort"),
        (f"{JSON}t = 'x' * 100000\nfor _ in range(100000):\n    json.encode(t)\n", "effort"),
        (f"{JSON}t = '[' + '1,' * 9999 + '1]'\nfor _ in range(100000):\n    json.decode(t)\n", "effort"),
        (f"{JSON}t = '[' + '1,' * 9999 + '1]'\nfor _ in range(100000):\n    json.indent(t)\n", "effort"),
        (f"{YAML}t = '- 1\\n' * 999\nfor _ in range(100000):\n    yaml.loads(t)\n", "effort"),
        ("t = 'x' * 100000\nfor i in range(100000):\n    print(i, t)\n", "effort"),
    ],
    ids=[
        "steps",
        "calls",
        "memory",
        "comparison",
        "text",
        "numbers",
        "search",
        "twins",
        "deep",
        "deeper",
        "long",
        "print",
        "json.encode",
        "yaml.dumps",
        "many json.encode",
        "many json.decode",
        "many json.indent",
        "many yaml.loads",
        "many prints",
    ],
)
def test_a_program_without_end_is_stopped(source: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its error says what was used up, and the items come back as they were."""
    monkeypatch.setattr(starlarkprograms, "MOST_MEMORY", 256 << 20 if "values" in message else 64 << 20)
    monkeypatch.setattr(starlarkprograms, "MOST_SECONDS", 1 if "seconds" in message else 10)
    function = loader.load("starlark")
    text = listed(source)

    outcome = run(function.definition, function.process, text, RunOptions(limits=Limits(effort=200_000)))

    assert outcome.exit_code == 1
    assert any(word in outcome.stderr.lower() for word in message.split("|")), outcome.stderr
    assert "name: web # the front" in outcome.stdout


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ('load("encoding/json.star", "json")\nprint(json.encode({"a": [1, None]}))', '{"a":[1,null]}'),
        ('load("encoding/json.star", "json")\nprint(json.decode("[1, {}]"))', "[1, {}]"),
        ('load("encoding/yaml.star", "yaml")\nprint(yaml.loads("a: 1"))', "{'a': 1}"),
        ('load("encoding/yaml.star", "yaml")\nprint(yaml.dumps({"b": 1, "a": 2}).strip())', "a: 2\nb: 1"),
    ],
)
def test_the_modules_can_be_loaded(program: str, line: str) -> None:
    resources = ResourceList.parse(listed(program))

    findings = run_starlark(resources, resources.function_config, "v0.4.3")

    assert [finding.message for finding in findings if finding.rule == "printed"] == [line]
