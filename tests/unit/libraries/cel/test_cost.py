"""krmkit.libraries.cel.cost: hostile expressions end before they are evaluated, ordinary ones cost next to nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from krmkit.libraries.cel.cost import MAX_COST, charge_compiling, cost
from krmkit.libraries.cel.expressions import TOO_COSTLY, CelError, Environment
from krmkit.libraries.cel.tree import CheckedTree
from krmkit.libraries.yaml import effort

TEN = "[1,2,3,4,5,6,7,8,9,10]"
DOUBLED = ".map(a, a + a)"
MANY = f"[{TEN}]{DOUBLED * 9}[0]"  # a list of 5,120 numbers
LONG = f"['{'a' * 1000}']{DOUBLED * 20}[0]"  # a text of a billion characters
DATA = {
    "repo": "north",
    "target": {"labels": {f"key{n}": f"value{n}" for n in range(20)}, "sites": [f"site-{n}" for n in range(300)]},
}  # fmt: skip

HOSTILE = {
    "a text that doubles": LONG,
    "a text times sixteen": "['a']" + f".map(a, {' + '.join('a' * 16)})" * 8 + "[0]",
    "bytes that double": "string([b'ab']" + DOUBLED * 25 + "[0].size())",
    "a list that doubles": "string([[1]]" + DOUBLED * 25 + "[0].size())",
    "a tree that doubles, compared": f"string({'[[1,1]]' + '.map(a,[a,a])' * 24} == {'[[1,1]]' + '.map(a,[a,a])' * 24})",
    "a map that holds itself twice, compared": (
        f"string({'[dyn(1)]' + '.map(a,{1:a,2:a})' * 24} == {'[dyn(1)]' + '.map(a,{1:a,2:a})' * 24})"
    ),
    "long texts in a list": f"string({MANY}.map(x, '{'z' * 2500}' + repo).size())",
    "filters that copy": f"string([{'1,' * 900}1]{'.filter(a, true)' * 9}.size())",
    "a search in a long text": f"string({LONG}.contains('{'a' * 500}b'))",
    "a match in a long text": f"string({LONG}.matches('(x+x+)+y|(a|b){{1,500}}z'))",
    "patterns that are made": (
        f"string({TEN}.map(c, {TEN}.map(a, {TEN}.map(b, 'aab'.matches('a{{1,' + string(a*90+b) + '}}b{{1,900}}' + string(c))"
        "))).size())"
    ),
    "a long list asked in a loop": f"string([{MANY}].all(l, l.all(x, !(11 in l))))",
    "a long list compared in a loop": f"string([{MANY}].all(l, l.all(x, l == l)))",
    "one loop in a long one": f"string([{'1,' * 1500}1].map(a, [1].map(b, b)).size())",
    "all the sites in a loop": "string(target.sites.all(a, target.sites.all(b, target == target)))",
}  # fmt: skip
ORDINARY = {
    "a name": ("repo + '-' + target.labels['key1']", 50),
    "a default": ("has(target.labels.tier) ? target.labels.tier : 'none'", 50),
    "a pattern": ("repo.matches('^n[a-z]+$') ? 'yes' : 'no'", 200),
    "labels in a loop": ("string(target.labels.all(k, k.startsWith('key') && target.labels[k] != ''))", 500),
    "a list that is filtered and mapped": (
        "target.sites.filter(s, s != 'site-3').map(s, s + '.example.com')[0]",
        120_000,
    ),
}
MEGABYTES = 200
ALONE = """
import json, resource, sys
from krmkit.libraries.cel.expressions import Environment, CelError
texts, data, megabytes = json.load(sys.stdin)
environment = Environment({"repo": "string", "target": "dyn"})
bindings = environment.bind(data)
environment.compile("[1].map(a, a)[0] == 1 && 'a'.matches('a') ? 'a' : 'b'").evaluate(bindings)
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + megabytes * 1024 * 1024
resource.setrlimit(resource.RLIMIT_AS, (most, most))
for text in texts:
    try:
        environment.compile(text).evaluate(bindings)
    except CelError:
        pass
    print("done", flush=True)
"""


@pytest.fixture(scope="module", name="env")
def environment() -> Environment:
    return Environment({"repo": "string", "target": "dyn"})


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile(env: Environment, text: str) -> None:
    """The bound is too high, so that nothing is evaluated; the error names the limit."""
    with pytest.raises(CelError) as caught:
        env.compile(text).evaluate(env.bind(DATA))

    assert str(caught.value) == TOO_COSTLY


@pytest.mark.linux
def test_hostile_expressions_need_little_memory() -> None:
    """A process that may have 200 MB more than it has comes to the end of all of them."""
    texts = [*HOSTILE.values(), *(text for text, _ in ORDINARY.values())]
    done = subprocess.run(
        [sys.executable, "-c", ALONE],
        input=json.dumps([texts, DATA, MEGABYTES]),
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path)},
    )

    assert (done.returncode, done.stdout.count("done")) == (0, len(texts)), done.stderr


@pytest.mark.parametrize(("text", "most"), ORDINARY.values(), ids=ORDINARY.keys())
def test_ordinary(env: Environment, text: str, most: int) -> None:
    """What expressions of templates do is far from the limit, and gives a result."""
    program = env.compile(text)
    assert effort.begin(most)
    try:
        assert program.evaluate(env.bind(DATA))
    finally:
        effort.end()


def test_a_batch_costs_what_its_programs_cost(env: Environment) -> None:
    """Programs that are evaluated together draw on the budget, too."""
    programs = [
        env.compile(f"string(target.sites.all(s, s.size() > {n} && s != '{n}'))") for n in range(1, 4)
    ]
    batch = env.batch(programs)
    assert batch is not None
    assert effort.begin(1_000)
    try:
        with pytest.raises(effort.EffortError):
            batch.evaluate(env.bind(DATA))
    finally:
        effort.end()


def test_a_batch_with_a_hostile_program_is_not_evaluated(env: Environment) -> None:
    """None says that only evaluating one by one tells which it is."""
    batch = env.batch([env.compile("repo + 'a'"), env.compile(HOSTILE["a text times sixteen"])])
    assert batch is not None

    assert batch.evaluate(env.bind(DATA)) is None


def test_compiling_draws_on_the_budget(env: Environment) -> None:
    """Thousands of expressions, or long ones, end in an error of the run."""
    assert effort.begin()
    try:
        for _ in range(10):
            charge_compiling("x" * 4000)
        with pytest.raises(effort.EffortError):
            charge_compiling("x" * 40_000)
    finally:
        effort.end()


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("'ab' + repo", 0),
        (f"['ab']{DOUBLED * 14}[0]", 2 * 2**14),
        (f"['ab'].map(a, [a{' + a' * 15}])[0]{'.map(a, a + a)' * 8}[0]", 2 * 16 * 2**8),
        ("target.sites.map(s, s + repo + '0123456789')[299] + repo", 300 * 22),
    ],
)
def test_the_bound_is_above_what_is_made(env: Environment, text: str, made: int) -> None:
    """A step stands for at most 32 characters made, so the bound is at least that."""
    program = env.compile(text)
    assert program.evaluate(env.bind(DATA))
    from cel_expr_python import cel

    checker = cel.NewEnv(variables={"repo": cel.Type.STRING, "target": cel.Type.DYN})
    root = CheckedTree(checker.compile(text).serialize(), text).root

    assert made // 32 <= cost(root, DATA) <= MAX_COST
