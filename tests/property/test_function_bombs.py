"""Every function of spiff, sprig and Go's templates gets bombs: big texts, lists, numbers and patterns, within time and memory.

The bound on time is this process's own processor time, a multiple of what a loop of a known length takes here; the one on memory is
the most that the process ever had.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.libraries.gotemplate import function_set
from krmkit.libraries.spiff.functions.registry import MODULES

MEGABYTES = 200  # what a process may have at most, its start and the bombs included
CALLS = 12  # calls of each function
GO = (
    "and",
    "call",
    "eq",
    "ge",
    "gt",
    "html",
    "index",
    "js",
    "le",
    "len",
    "lt",
    "ne",
    "not",
    "or",
    "print",
    "printf",
    "println",
    "slice",
    "urlquery",
)

RUNNER = """
import random, resource, sys, time
sys.path.insert(0, {shared!r})


def peak():
    # ru_maxrss of a new program begins with that of the process that started it, which may be a large one.
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))


from krmkit.libraries.gotemplate import TemplateError, parse
from krmkit.libraries.spiff import Options, merge
from krmkit.libraries.spiff.tree.errors import SpiffError
from krmkit.libraries.yaml import effort

def loop(count):
    total = 0
    for number in range(count):
        total += number & 7
    return total

begin = time.process_time()
loop(4_000_000)
SECOND = max((time.process_time() - begin) * 4, 1.0)  # about a second of the machine that the goal was set on
TEXT = "ab" * (1 << 17)
BOMBS = {{
    "text": '"' + TEXT + '"', "empty": '""', "nine": "999999999", "minus": "-999999999", "digits": '"' + "9" * 4000 + '"',
    "pattern": '"(a|ab)*c"', "nothing": '"a*"', "dollars": '"' + "b" * 40 + '"', "percent": '"%99999d%[9]*s"',
}}
CHANCE = random.Random({seed!r})

def spiff(name, names):
    own = {{"list": "[1..20000]", "texts": 'split("", "' + "ab" * 5000 + '")', "map": 'makemap("k", "v")', **BOMBS}}
    text = "".join(f"b{{number}}: (( {{own[one]}} ))\\n" for number, one in enumerate(names))
    call = ", ".join(f"b{{number}}" for number in range(len(names)))
    try:
        merge(text + f"x: (( {{name}}({{call}}) ))\\ny: (( type(x) ))\\n", [], Options())
    except SpiffError:
        pass

def go(name, names):
    own = {{"text": TEXT, "empty": "", "nine": 999999999, "minus": -999999999, "digits": "9" * 4000, "pattern": "(a|ab)*c",
           "nothing": "a*", "dollars": "b" * 40, "percent": "%99999d%[9]*s", "list": list(range(20000)),
           "texts": ["ab"] * 20000, "map": {{str(number): number for number in range(20000)}}}}
    arguments = " ".join(
        str(own[one]) if type(own[one]) is int else f".b{{number}}" for number, one in enumerate(names)
    )
    values = {{f"b{{number}}": own[one] for number, one in enumerate(names)}}
    try:
        parse("{{{{" + name + " " + arguments + "}}}}", functions={functions!r}).execute(values)
    except (TemplateError, ValueError):
        pass

KINDS = [*BOMBS, "list", "texts", "map"]
for name in {names!r}:
    shapes = [["text"], ["nothing", "text", "dollars"], ["text", "nothing", "dollars"], ["nine", "text"], ["empty", "text"], ["list"]]
    while len(shapes) < {calls}:
        shapes.append([CHANCE.choice(KINDS) for _ in range(CHANCE.randint(1, 4))])
    for shape in shapes:
        begin = time.process_time()
        outermost = effort.begin()
        try:
            {kind}(name, shape)
        except effort.EffortError:
            pass
        finally:
            effort.end()
        took = time.process_time() - begin
        if took > SECOND * 1.5:
            print(f"{{name}}{{shape}}: {{took:.1f}} s, the bound is {{SECOND * 1.5:.1f}} s")
        most = peak()
        if most > {megabytes}:
            sys.exit(f"{{name}}{{shape}}: {{most}} MB, the bound is {megabytes} MB")
"""


def bombs(project: Path, kind: str, names: list[str], functions: str = "sprig") -> None:
    """Run the calls in one process; no function may break a bound."""
    text = RUNNER.format(
        shared=str(project / "shared"), seed=names[0], names=names, calls=CALLS, kind=kind, megabytes=MEGABYTES,
        functions=functions,
    )  # fmt: skip
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def _parts(names: list[str]) -> list[list[str]]:
    return [names[start : start + 40] for start in range(0, len(names), 40)]


@pytest.mark.slow
@pytest.mark.linux
@pytest.mark.parametrize("names", _parts(sorted(MODULES)), ids=lambda names: names[0])
def test_spiff(project: Path, names: list[str]) -> None:
    """Each function of spiff, within a template."""
    bombs(project, "spiff", names)


@pytest.mark.slow
@pytest.mark.linux
@pytest.mark.parametrize("names", _parts(sorted({*function_set("sprig"), *GO})), ids=lambda names: names[0])
def test_templates(project: Path, names: list[str]) -> None:
    """Each function of sprig, and each of Go's own."""
    bombs(project, "go", names)


@pytest.mark.linux
def test_matches_of_nothing(project: Path) -> None:
    """A pattern that matches between all characters, a long replacement, and a text that is cut into single characters."""
    text = 'a: (( replace_match(sum[[1..17]|"ab"|s,i|->s s],"a*","bbbbbbbbbbbbbbb") ))\n'
    text += 'b: (( match("b*", sum[[1..17]|"ab"|s,i|->s s], true) ))\nc: (( split("", sum[[1..20]|"a"|s,i|->s s]) ))\n'
    code = RUNNER.format(
        shared=str(project / "shared"),
        seed=1,
        names=[],
        calls=0,
        kind="go",
        megabytes=MEGABYTES,
        functions="sprig",
    )
    for line in text.splitlines():
        run = f"\nbegin = time.process_time()\nouter = effort.begin()\ntry:\n    merge({line!r}, [], Options())\n"
        run += "except (SpiffError, effort.EffortError):\n    pass\nassert time.process_time() - begin < 2 * SECOND\n"
        run += f"most = peak()\nassert most < {MEGABYTES}, most\n"
        done = subprocess.run([sys.executable, "-c", code + run], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
