"""Random spiff templates, and mutations of sensible ones, end in documents or in SpiffError, and in nothing else.

The test runs for a second or two of processor time. By hand, for longer and elsewhere:

    KRMKIT_FUZZ_SECONDS=600 KRMKIT_FUZZ_SEED=7 python -m pytest tests/fuzz/test_spiff_fuzz.py -s
    KRMKIT_FUZZ_VECTORS=DIR ...      mutates the templates of DIR/**/*.jsonl (with their stubs), too

A failure names the template and its stubs; it depends on nothing else.
"""

from __future__ import annotations

import json
import os
import random
import signal
from pathlib import Path
from time import process_time
from types import FrameType

import pytest

from krmkit.libraries.spiff import Options, SpiffError, SpiffLimits, merge
from krmkit.libraries.spiff.functions.registry import MODULES
from tests.fuzz.mutations import mutate

SECONDS = float(os.environ.get("KRMKIT_FUZZ_SECONDS", "1.5"))
SEED = int(os.environ.get("KRMKIT_FUZZ_SEED", "1"))
VECTORS = os.environ.get("KRMKIT_FUZZ_VECTORS", "")
STUCK = 60
"""Seconds of processor time after which one template counts as a hang."""
LIMITS = SpiffLimits(passes=60, steps=50_000, depth=60, nodes=50_000, output=1_000_000)
FILES: dict[str, str | bytes] = {"a.yaml": "x: (( y ))\n", "b/c.txt": "text", "raw": b"\xff\x00"}

SEEDS: list[tuple[str, list[str]]] = [
    ("a: (( b.c + 1 ))\nb: {c: (( d ))}\nd: 4\n", []),
    ("a:\n  <<: (( merge ))\n  b: 1\nl:\n- <<: (( merge on key ))\n- {key: x, v: 1}\n", ["a: {c: 2}\nl: [{key: y}]\n"]),
    ("t:\n  <<: (( &template ))\n  x: (( n ))\nn: 1\nu: (( *t ))\nv: (( *.t ))\n", []),
    ("f: (( |x,y=2|-> x > 0 ? f(x - 1, y * 2) :y ))\nr: (( .f(5) ))\n", []),
    ("m: (( map[l|i,x|-> i \":\" x] ))\ns: (( sum[l|0|a,x|-> a + x] ))\nl: [1, 2, 3]\n", []),
    ("q: (( select[l|x|-> x > 1] ))\nw: (( map{l|k,v|-> k} ))\nl: {a: 1, b: 2}\n", []),
    ("p: (( l.[*].name ))\ns: (( l.[0..1] ))\nl: [{name: a}, {name: b}, {name: c}]\n", []),
    ("x: (( &temporary ( 1 ) ))\ny: (( &local ))\nz: (( &state ( 3 ) ))\nv: (( &default ( 2 ) ))\n", ["v: 7\n"]),
    ("a: (( catch[fail(\"no\")|e,v|-> e.error] ))\nb: (( sync[x|v|-> v > 0|v] ))\nx: 1\n", []),
    ("a: (( b || \"c\" ))\nd: (( e // 3 ))\nf: (( defined(g) ? 1 :2 ))\nh: (( ~~ ))\ni: (( ~ ))\n", []),
    ("a: (( format(\"%s-%05d %v\", \"x\", 3, l) ))\nl: [1, {a: b}]\nj: (( as_json(l) ))\nk: (( parse_yaml(\"a: 1\") ))\n", []),
    ("<<if: (( x ))\n<<then: {a: 1}\n<<else: {b: 2}\nx: true\n", []),
    ("<<for:\n- name: i\n  values: [1, 2]\n<<do:\n- (( i ))\n", []),
    ("a: (( &tag:t ( {\"b\"=1} ) ))\nc: (( t::b ))\n---\nd: (( t::.b ))\n", []),
    ("a: foo (( b )) bar\nb: 1\nc: (( { $x=1, \"y\"=[x, 2] } ))\n", []),
    ("n: (( read(\"/a.yaml\", \"text\") ))\nm: (( lookup_file(\"c.txt\", [\"/b\"]) ))\ns: (( static_ips(0) ))\n", []),
]  # fmt: skip
TEXTS = [text for text, _ in SEEDS]
PIECES = ["((", "))", " ", "\n", "\n- ", "\n  ", ": ", "(", ")", "[", "]", "{", "}", "|", "||", "//", "->", "|x|->", ".", "..", "*",
          "&", "&template", "&temporary", "&dynamic", "!", "~", "~~", "::", "<<", "<<<", "merge", "auto", "prefer ", "on key", "\"",
          "'", "\\", "map[", "sum[", "catch[", "sync[", "__ctx", "stub()", ",", "=", "$x", "1e999", "-9223372036854775808",
          "9" * 40, "é", "\x00", "\udc80", "\t", "---\n", "&a ", "*a", "%", "/0", " % 0", "..."]  # fmt: skip
WORDS = [
    "a",
    "b",
    "l",
    "m",
    "n",
    "x",
    "f",
    "f(1)",
    "l.[0]",
    "l.[*]",
    "m.a",
    ".m",
    "_",
    "___",
    "__ctx.PATH",
    "nil",
    "~",
    "~~",
]
LITERALS = ["0", "1", "-7", "3.5", "1e3", '"a"', '"%d %v"', '"[a-z]+"', '"10.0.0.0/30"', '"1.2.3"', "[]", "{}", "[1, x]",
            "[1..5]", '{ "k" = x }', '"a:\\n- b"', "true", "9223372036854775807", "!true", "|x|->x", "|x...|->x"]  # fmt: skip
OPERATORS = ["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "-and", "-or", "||", "//", " "]


class Generator:
    """Templates by grammar, wrong in places."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.functions = sorted(MODULES)

    def expression(self, depth: int = 0) -> str:
        kind = self.chance.randrange(12)
        if depth > 4 or kind < 3:
            return self.chance.choice(WORDS if kind % 2 else LITERALS)
        if kind < 5:
            return (
                f"{self.expression(depth + 1)} {self.chance.choice(OPERATORS)} {self.expression(depth + 1)}"
            )
        if kind < 8:
            count = self.chance.choice((0, 1, 1, 2, 2, 3))
            arguments = ", ".join(self.expression(depth + 1) for _ in range(count))
            return f"{self.chance.choice(self.functions)}({arguments})"
        if kind == 8:
            word = self.chance.choice(["map[", "map{", "select[", "select{", "catch[", "sync["])
            inner = f"{self.expression(depth + 1)}|x,y|-> {self.expression(depth + 1)}"
            return word + inner + ("]" if word.endswith("[") else "}")
        if kind == 9:
            return f"sum[{self.expression(depth + 1)}|{self.expression(depth + 1)}|a,x|-> {self.expression(depth + 1)}]"
        if kind == 10:
            return f"({self.expression(depth + 1)}){self.chance.choice(['', '.a', '.[0]', '.[*].a', '(1)'])}"
        return f"{self.expression(depth + 1)} ? {self.expression(depth + 1)} :{self.expression(depth + 1)}"

    def template(self) -> str:
        lines = ["l: [1, 2, {a: 3}]", "m: {a: 1, b: {c: x}}", "f: (( |x|-> x ))", "x: 5"]
        for name in self.chance.sample(["a", "b", "c", "n", "x", "l"], self.chance.randrange(1, 5)):
            marker = self.chance.choice(
                ["", "", "", "&temporary ", "&dynamic ", "&template ", "&state ", "merge || "]
            )
            lines.append(f"{name}: '(( {marker}{self.expression().replace(chr(39), '')} ))'")
        self.chance.shuffle(lines)
        return "\n".join(lines) + "\n"


def problem(text: str, stubs: list[str], chance: random.Random) -> str:
    """What is wrong with how a merge ends; "" for documents and for SpiffError."""
    features = chance.choice(((), ("interpolation",), ("control",), ("interpolation", "control")))
    options = Options(
        features=features,
        access=chance.choice(("none", "files")),
        files=FILES,
        partial=chance.random() < 0.2,
        limits=LIMITS,
        bindings=chance.choice((None, {"n": 1, "y": {"a": [1]}})),
    )
    said = ""
    signal.setitimer(signal.ITIMER_VIRTUAL, STUCK)
    try:
        merge(text, stubs, options)
    except SpiffError as error:
        said = "" if error.message else "a SpiffError without a message"
    except Exception as error:  # noqa: BLE001 - whatever else is raised is the finding
        said = f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return (
        f"{said}\n{text=}\n{stubs=}\n{features=} access={options.access} partial={options.partial}"
        if said
        else ""
    )


def vectors() -> list[tuple[str, list[str]]]:
    """Templates with their stubs, from the folder that the environment names, if any."""
    found: list[tuple[str, list[str]]] = []
    for path in sorted(Path(VECTORS).rglob("*.jsonl")) if VECTORS else []:
        for line in path.read_text("utf-8").split("\n"):
            record = json.loads(line) if line else {}
            if isinstance(record.get("template"), str) and isinstance(record.get("stubs"), list):
                found.append((record["template"], [str(stub) for stub in record["stubs"]]))
    return found


class HangError(Exception):
    """A template took longer than it may."""


def stuck(number: int, frame: FrameType | None) -> None:
    raise HangError(f"a template took more than {STUCK} seconds")


@pytest.mark.parametrize("how", ["random", "mutated"])
def test_templates_end_in_documents_or_an_error(how: str) -> None:
    """Templates made by grammar with all functions, and sensible templates with something broken."""
    chance = random.Random(SEED)
    generator = Generator(chance)
    seeds = SEEDS + vectors()
    before = signal.signal(signal.SIGVTALRM, stuck)
    stop = process_time() + SECONDS / 2
    found: list[str] = []
    count = 0
    try:
        while process_time() < stop:
            if how == "random":
                text, stubs = generator.template(), list[str](chance.choice(([], ["a: 1\nx: {y: 2}\n"])))
            else:
                text, stubs = chance.choice(seeds)
                text = mutate(chance, text, PIECES, TEXTS)
            said = problem(text, stubs, chance)
            count += 1
            if said:
                found.append(said)
                print(said, flush=True)
    finally:
        signal.signal(signal.SIGVTALRM, before)

    assert count
    assert not found
    print(f"{count} {how} templates")
