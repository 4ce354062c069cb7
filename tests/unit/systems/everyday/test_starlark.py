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
    ],
    ids=["steps", "calls", "memory"],
)
def test_a_program_without_end_is_stopped(source: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its error says what was used up, and the items come back as they were."""
    monkeypatch.setattr(starlarkprograms, "MOST_MEMORY", 64 << 20)
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
