"""Random templates, and mutations of sensible ones, end in output or in TemplateError, and in nothing else.

Each test runs for a second or two. By hand, for longer and elsewhere:

    KRMKIT_FUZZ_SECONDS=60 KRMKIT_FUZZ_SEED=7 python -m pytest tests/fuzz -s
    KRMKIT_FUZZ_VECTORS=DIR ...      mutates the templates of DIR/**/*.jsonl (with their data), too

A failure names the template, its data and its function set; it depends on nothing else.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from time import monotonic

from krmkit.libraries.gotemplate import TemplateError, parse
from krmkit.libraries.gotemplate.builtins import BUILTINS
from krmkit.libraries.gotemplate.limits import TemplateLimits
from krmkit.libraries.sprig import functions as sprig
from tests.fuzz.mutations import mutate

SECONDS = float(os.environ.get("KRMKIT_FUZZ_SECONDS", "1.5"))
SEED = int(os.environ.get("KRMKIT_FUZZ_SEED", "1"))
VECTORS = os.environ.get("KRMKIT_FUZZ_VECTORS", "")
LIMITS = TemplateLimits(nesting=60, depth=60, steps=20_000, output=300_000, work=100_000)

DATA: dict[str, object] = {
    "name": "edge",
    "n": 3,
    "f": 2.5,
    "t": True,
    "null": None,
    "list": [1, "a", None, {"name": "x"}, [2]],
    "map": {"a": 1, "b": {"c": "d"}, "é": "ü"},
    "empty": [],
    "text": "a-b\n\u2028'\"<&>",
}
NAMES = [
    "",
    *[f".{key}" for key in DATA],
    ".map.b.c",
    ".no.such",
    "$",
    "$x",
    "$i",
    "$.name",
    ".",
    "nil",
    "true",
]
LITERALS = ["0", "1", "-7", "3.5", "1e3", "0x1F", "'a'", '"a"', '"%d %v %q\\n"', "`raw`", '"2h"', '"1.2.3"', '"[a-z]+"',
            "9223372036854775807", "1_000", '"\\xff"', "1i", '""', '"%*[2]d%[1]x%s"']  # fmt: skip
SEEDS = [
    "{{ range $i, $v := .list }}{{ if $i }}, {{ end }}{{ $v }}{{ else }}none{{ end }}",
    '{{ define "row" }}<{{ .name }}>{{ end }}{{ range .list }}{{ template "row" . }}{{ end }}',
    "{{- with .map.b -}} {{ .c | upper | quote }} {{- else with .no }}{{ . }}{{ else }}-{{ end }}",
    '{{ printf "%-10s|%05.2f|%x|%v" .name 3.14159 255 .map }}{{ index .list 3 "name" }}',
    "{{ $x := 1 }}{{ range 5 }}{{ $x = add $x . }}{{ if gt $x 5 }}{{ break }}{{ end }}{{ end }}{{ $x }}",
    '{{ if and (eq .name "edge") (not .null) (or .empty .t) }}{{ len .text }}{{ else if ne .n 3.0 }}x{{ end }}',
    '{{/* a comment */}}{{ block "b" .map }}{{ keys . | sortAlpha | join "," }}{{ end }}',
    '{{ dict "a" 1 "b" (list 1 2 3) | toJson | fromJson | toPrettyJson | indent 2 }}',
    '{{ semver "1.2.3-rc.1" | toString }} {{ (semver "1.2.3").Minor }} {{ semverCompare ">=1.2" "1.3.0" }}',
    '{{ regexReplaceAll "(a)(.)" .text "$2$1" | b64enc | b64dec | sha256sum | trunc 8 }}',
    '{{ (urlParse "https://u@h:1/p?q#f").host }} {{ toDate "2006-01-02" "2020-02-29" | unixEpoch }}',
    "{{ html .text }} {{ js .text }} {{ urlquery .text }} {{ print 1 nil .f }} {{ println .list }}",
]
PIECES = ["{{", "}}", "{{-", "-}}", " ", "\n", "|", "(", ")", ".", "$", ":=", "=", ",", '"', "`", "'", "\\", "/*", "*/",
          "end", "else", "if", "range", "with", "define", "template", "block", "break", "continue", "nil", "é", "\x00",
          "\udc80", "%", "9" * 30, "-", "+", "0x", "1e"]  # fmt: skip
SETS = ["builtins", "sprig", "hermetic", "landscaper"]


class Generator:
    """Templates by grammar, wrong in places."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.functions = sorted({*BUILTINS, *sprig("landscaper")})

    def operand(self, depth: int) -> str:
        kind = self.chance.randrange(8)
        if kind < 3:
            return self.chance.choice(NAMES)
        if kind < 5 or depth > 4:
            return self.chance.choice(LITERALS)
        if kind == 5:
            return ".a" + "".join(self.chance.choices("abnametlismp.a_é1", k=3))
        return f"({self.pipeline(depth + 1)})" + self.chance.choice(["", "", ".a", ".name.b"])

    def command(self, depth: int, stage: int) -> str:
        if self.chance.random() < (0.02 if stage else 0.4):
            return self.operand(depth)
        count = self.chance.choice((0, 1, 1, 2, 2, 3, 5))
        words = [self.chance.choice(self.functions), *[self.operand(depth) for _ in range(count)]]
        return " ".join(words)

    def pipeline(self, depth: int = 0) -> str:
        head = self.chance.choice(["", "", "", "$x := ", "$x = "]) if depth < 2 else ""
        stages = self.chance.choice((1, 1, 1, 2, 3))
        return head + " | ".join(self.command(depth, stage) for stage in range(stages))

    def nodes(self, depth: int = 0) -> str:
        return "".join(self.node(depth) for _ in range(self.chance.randrange(1, 5)))

    def node(self, depth: int) -> str:
        kind = self.chance.randrange(12)
        left, right = self.chance.choice(["{{", "{{ ", "{{- "]), self.chance.choice(["}}", " }}", " -}}"])
        if kind < 2:
            return self.chance.choice(["text", " \n ", "é", "-", "}}", "\t"])
        if kind < 7 or depth > 4:
            return left + self.pipeline() + right
        if kind == 7:
            return f"{left}template {self.chance.choice(['`a`', '`b`', '`no`'])} {self.pipeline(2)}{right}"
        if kind == 8 and self.chance.random() < 0.2:
            return left + self.chance.choice(["break", "continue", "end", "else", "/* c */", "nil"]) + right
        word = self.chance.choice(["if", "with", "range", "range $i, $x :=", "block `b`", "define `a`"])
        if depth and word.startswith("define") and self.chance.random() < 0.9:
            word = "if"
        argument = "" if word.startswith("define") else " " + self.pipeline(2)
        other = f"{left}else{right}{self.nodes(depth + 1)}" if self.chance.random() < 0.4 else ""
        return f"{left}{word}{argument}{right}{self.nodes(depth + 1)}{other}{{{{end}}}}"


def ends_well(text: str, data: object, functions: str, chance: random.Random) -> None:
    """Output or TemplateError; the test fails with everything that is needed to see it again."""
    options = chance.choice(((), ("missingkey=zero",), ("missingkey=error",)))
    numbers = chance.choice(("float64", "float64", "int", "int64"))
    made = ""
    try:
        made = parse(text, functions=functions, options=options, limits=LIMITS).execute(data, numbers=numbers)
    except TemplateError as error:
        made = error.message
        good = made.startswith("template: ") and error.phase in ("parse", "exec")
    except Exception as error:  # noqa: BLE001 - whatever else is raised is the finding
        made = f"{type(error).__name__}: {error}"
        good = False
    else:
        good = True
    assert good, f"{made}\n{text=}\n{data=}\n{functions=} {options=} {numbers=}"
    assert made.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape") == made


def vectors() -> list[tuple[str, object]]:
    """Templates with their data, from the folder that the environment names, if any."""
    found: list[tuple[str, object]] = []
    for path in sorted(Path(VECTORS).rglob("*.jsonl")) if VECTORS else []:
        for line in path.read_text("utf-8").split("\n"):
            if not line:
                continue
            record = json.loads(line)
            if "template" in record:
                found.append((str(record["template"]), record.get("data")))
    return found


def test_random_templates_end_in_output_or_an_error() -> None:
    """Grammar-made templates with all functions of all sets."""
    chance = random.Random(SEED)
    generator = Generator(chance)
    stop = monotonic() + SECONDS
    count = 0
    while monotonic() < stop:
        declared = chance.choice(("{{ $x := .map }}{{ $i := 1 }}", ""))
        ends_well(declared + generator.nodes(), DATA, chance.choice(SETS), chance)
        count += 1

    assert count
    print(f"{count} random templates")


def test_mutated_templates_end_in_output_or_an_error() -> None:
    """Sensible templates with something broken."""
    chance = random.Random(SEED)
    seeds: list[tuple[str, object]] = [(text, DATA) for text in SEEDS] + vectors()
    stop = monotonic() + SECONDS
    count = 0
    while monotonic() < stop:
        text, data = chance.choice(seeds)
        ends_well(mutate(chance, text, PIECES, SEEDS), data, chance.choice(SETS), chance)
        count += 1

    assert count
    print(f"{count} mutated templates")
