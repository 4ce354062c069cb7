"""`krmkit render` and the real kpt on the same packages: same files, same exit code, same results."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from krmkit.kpt.krmignore import KrmIgnore
from tests.e2e.orchestrate import (
    KPTFILE,
    files_of,
    normalized,
    pipeline,
    program,
    put,
    run_kpt,
    run_krmkit,
    with_texts,
)

pytestmark = pytest.mark.kpt


def item(name: str, rest: str = "") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{rest}"


def new(text: str) -> str:
    return f"text = text.rstrip() + '\\n- ' + {text!r} + '\\n'"


def annotated(annotations: str) -> str:
    return new(
        f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: new, annotations: {{{annotations}}}}}}}"
    )


TWO = item("a", "data:\n  x: old # stays\n") + "---\n" + item("b", "data: {x: old}\n")
# Layouts that kpt leaves alone when an identity function runs.
STABLE = {
    "a.yaml": TWO,
    "comments.yaml": "# head\napiVersion: v1\nkind: ConfigMap # eol\nmetadata:\n  # inside\n  name: c\n# before data\ndata:\n  a: b\n",
    "lists/wide.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: w\nspec:\n  containers:\n    - name: x\n      args: [a, \"b\", 'c']\n    - name: y\n",
    "lists/compact.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: c\nspec:\n  containers:\n  - name: x\n    command:\n    - sh\n  - name: y\n",
    "scalars.yaml": item(
        "s",
        "data:\n  a: on\n  b: 010\n  c: 12:30:45\n  d: ~\n  e: 'single'\n  f: \"double\"\n  g: 1_000\n  h: 2020-01-01\n",
    ),
    "blocks.yaml": item(
        "b", "data:\n  a: |\n    x\n    ---\n    y\n  b: |-\n    z\n\n    w\n  c: |+\n    k\n\n"
    ),
    "anchors.yaml": item("n", "data:\n  a: &x\n    k: v\n  b: *x\n"),
    "empty.yaml": "",
    "only-comments.yaml": "# nothing\n",
    "text.txt": "no: yaml: at all",
    "sub/Kptfile": KPTFILE,
    "sub/s.yaml": item("s"),
    "sub/deep/Kptfile": KPTFILE,
    "sub/deep/d.yml": item("d"),
    ".hidden/h.yaml": item("h"),
    "kustomization.yaml": "resources:\n- a.yaml\n",
}


def test_identity_changes_nothing(kpt: str, tmp_path: Path) -> None:
    """Both leave every byte of a package that is laid out as kpt likes it."""
    files = {"Kptfile": pipeline("/bin/cat", validators=("/bin/cat",)), **STABLE}
    expected = files_of(put(tmp_path / "original", files))
    by_kpt, by_krmkit = put(tmp_path / "kpt", files), put(tmp_path / "krmkit", files)

    assert run_kpt(kpt, by_kpt).returncode == 0
    assert run_krmkit(by_krmkit).returncode == 0

    assert files_of(by_kpt) == expected
    assert files_of(by_krmkit) == expected


UNSTABLE = {
    "a.yaml": "# head\n\n" + item("a").replace("  name", "    name") + "data:\n    x:   y   # z\n\n",
    "separators.yaml": "--- # one\n" + item("x") + "--- # two\n" + item("y") + "---\n# end\n",
    "crlf.yaml": item("w", "data:\n  a: b\n").replace("\n", "\r\n"),
    "block.yaml": item("t", "data:\n  a: |\n    trailing  \n    x\n  b: >-\n    a\n    b\n  c: 😀\n"),
    "j.json": '{"apiVersion":"v1","kind":"X","metadata":{"name":"j"}}',
}


def test_what_kpt_would_lay_out_anew_stays(kpt: str, tmp_path: Path) -> None:
    """An identity function changes nothing here, and what kpt makes of the package is the same before and after."""
    files = {"Kptfile": pipeline("/bin/cat"), **UNSTABLE}
    package = put(tmp_path / "p", files)
    before = files_of(package)

    assert run_krmkit(package).returncode == 0
    assert files_of(package) == before
    assert normalized(kpt, tmp_path / "n", before) != before


CASES = [
    ("a changed value", "text = text.replace('x: old', 'x: new')", {}),
    ("a new resource", new("{apiVersion: v1, kind: ConfigMap, metadata: {name: new}}"), {}),
    ("a new one with namespace", new("{apiVersion: v1, kind: X, metadata: {name: new, namespace: Ns}}"), {}),
    ("a new one behind others", annotated("config.kubernetes.io/path: a.yaml"), {}),
    ("a new one in a folder", annotated("internal.config.kubernetes.io/path: x/y.yaml"), {}),
    ("a path with detours", annotated("internal.config.kubernetes.io/path: ./x/../y.yaml"), {}),
    ("a path that leads out", annotated("internal.config.kubernetes.io/path: ../y.yaml"), {}),
    ("the parent as path", annotated("internal.config.kubernetes.io/path: .."), {}),
    ("a folder as path", annotated("internal.config.kubernetes.io/path: d"), {"d/x.yaml": item("x")}),
    ("a new subpackage", new("{apiVersion: kpt.dev/v1, kind: Kptfile, metadata: {name: n, annotations: {config.kubernetes.io/path: n/Kptfile}}}"), {}),
    ("a taken place", annotated("config.kubernetes.io/path: a.yaml, config.kubernetes.io/index: '1'"), {}),
    ("a number further on", annotated("config.kubernetes.io/path: a.yaml, config.kubernetes.io/index: '7'"), {}),
    ("a number in between", "import re\ntext = re.sub('index: .1.', \"index: '5'\", text)\n" + annotated("config.kubernetes.io/path: a.yaml, config.kubernetes.io/index: '3'"), {}),
    ("two new ones without number", annotated("config.kubernetes.io/path: n.yaml") + "\n" + annotated("config.kubernetes.io/path: n.yaml"), {}),
    ("two opinions on a path", annotated("config.kubernetes.io/path: x.yaml, internal.config.kubernetes.io/path: y.yaml"), {}),
    ("no apiVersion", new("{kind: ConfigMap, metadata: {name: new}}"), {}),
    ("moved", "text = text.replace(\"kubernetes.io/path: 'a.yaml'\", 'kubernetes.io/path: m.yaml').replace('kubernetes.io/path: a.yaml', 'kubernetes.io/path: m.yaml')", {}),
    ("the first removed", "start = text.index('\\n- apiVersion: v1\\n  kind: ConfigMap')\nend = text.index('\\n- ', start + 1)\ntext = text[:start] + text[end:]", {}),
    ("a whole file removed", "text = text[:text.index('- apiVersion: v1\\n  kind: ConfigMap')]", {"sub/x.yaml": item("x")}),
    ("in a subpackage", "text = text.replace('name: inner', 'name: changed')", {"s/Kptfile": KPTFILE, "s/i.yaml": item("inner")}),
    ("left over annotations", "", {"l.yaml": item("l", "  annotations:\n    config.kubernetes.io/path: z.yaml\n    keep: me\n")}),
    ("only annotations left over", "", {"l.yaml": item("l", "  annotations:\n    config.kubernetes.io/index: \"3\"\n")}),
    ("JSON", "text = text.replace('VALUE', '<new> & é')", {"j.json": '{\n  "apiVersion": "v1",\n  "data": {\n    "a": "VALUE"\n  },\n  "kind": "X",\n  "metadata": {\n    "name": "j"\n  }\n}\n'}),
    ("no resource in the package", "", {"n.yaml": "a: b\n"}),
    ("text behind a separator", "", {"n.yaml": item("x") + "--- foo\n" + item("y")}),
    ("no YAML", "", {"n.yaml": "a: [\n"}),
    ("a failure", "sys.exit(1)", {}),
    ("no ResourceList", "text = 'hello'", {}),
]  # fmt: skip


@pytest.mark.parametrize(("body", "files"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_programs(kpt: str, tmp_path: Path, body: str, files: dict[str, str]) -> None:
    """Whatever a program does, both do the same to the files, or refuse both."""
    command = program(tmp_path / "program.py", body)
    everything = {"Kptfile": pipeline(command), "a.yaml": TWO, "other.yaml": item("o"), **files}
    by_kpt, by_krmkit = put(tmp_path / "kpt" / "p", everything), put(tmp_path / "krmkit" / "p", everything)

    expected, found = run_kpt(kpt, by_kpt), run_krmkit(by_krmkit)

    assert found.returncode == expected.returncode, (found.stderr, expected.stderr)
    assert files_of(by_krmkit) == files_of(by_kpt)


def test_an_empty_answer_costs_kpt_the_package(kpt: str, tmp_path: Path) -> None:
    """The one difference in what becomes of files, and it is meant: kpt takes no output for no resources."""
    files = {"Kptfile": pipeline("/bin/true"), "a.yaml": TWO}
    by_kpt, by_krmkit = put(tmp_path / "kpt", files), put(tmp_path / "krmkit", files)

    assert run_kpt(kpt, by_kpt).returncode == 0
    assert files_of(by_kpt) == {}
    assert run_krmkit(by_krmkit).returncode == 1
    assert files_of(by_krmkit) == files_of(put(tmp_path / "original", files))


SELECTIONS = [
    ("kind", "selectors:\n- kind: ConfigMap\n"),
    ("name", "selectors:\n- name: b\n"),
    ("namespace", "selectors:\n- namespace: prod\n"),
    ("apiVersion", "selectors:\n- apiVersion: v1\n"),
    ("labels", 'selectors:\n- labels: {x: "1", n: "2"}\n'),
    ("annotations", 'selectors:\n- annotations: {config.kubernetes.io/local-config: "true"}\n'),
    ("kpt's own annotations", "selectors:\n- annotations: {internal.config.kubernetes.io/path: a.yaml}\n"),
    ("nothing matches", "selectors:\n- kind: Nothing\n"),
    ("an empty selector", "selectors:\n- {}\n"),
    ("exclude", "exclude:\n- kind: ConfigMap\n- kind: Kptfile\n"),
    ("an empty exclusion", "exclude:\n- {}\n"),
    ("both", "selectors:\n- kind: ConfigMap\nexclude:\n- name: a\n"),
]


@pytest.mark.parametrize("selection", [case[1] for case in SELECTIONS], ids=[case[0] for case in SELECTIONS])
def test_selections(kpt: str, tmp_path: Path, selection: str) -> None:
    """Both hand the same resources to a function."""
    command = program(tmp_path / "program.py", "text = text.replace('old', 'new')")
    kptfile = pipeline(command) + "".join(f"    {line}\n" for line in selection.splitlines())
    files = {
        "Kptfile": kptfile,
        "a.yaml": TWO,
        "prod.yaml": item("p", "  namespace: prod\n  labels: {x: \"1\", n: 2}\ndata: {x: old}\n"),
        "sub/Kptfile": KPTFILE,
        "sub/l.yaml": item("l", "  annotations:\n    config.kubernetes.io/local-config: \"true\"\ndata: {x: old}\n").replace("v1", "apps/v1", 1),
    }  # fmt: skip
    by_kpt, by_krmkit = put(tmp_path / "kpt" / "p", files), put(tmp_path / "krmkit" / "p", files)

    expected, found = run_kpt(kpt, by_kpt), run_krmkit(by_krmkit)

    assert (expected.returncode, found.returncode) == (0, 0), (expected.stderr, found.stderr)
    yaml = {path: content for path, content in files_of(by_kpt).items() if path.endswith(".yaml")}
    assert {path: content for path, content in files_of(by_krmkit).items() if path.endswith(".yaml")} == yaml


RESULTS = """results:
- message: 'all "quoted" and: more'
  severity: error
  resourceRef: {apiVersion: v1, kind: ConfigMap, name: a, namespace: ""}
  field: {path: data.x, currentValue: 5, proposedValue: "yes"}
  file: {path: a.yaml, index: 0, line: 7}
  tags: {rule: some-rule, a: b}
- message: "multi\\nline"
  severity: warning
- message: "blank at the end \\nx"
- message: "é ☃ 😀 \\t"
  severity: info
  field: {path: x, currentValue: [a, [b], {z: [2]}], proposedValue: {b: 1.5}}
  resourceRef: {apiVersion: v1, kind: X, name: "010"}
  file: {path: b/c.yaml, index: 3}
"""


@pytest.mark.parametrize("code", [0, 1, 3])
def test_results_dir(kpt: str, tmp_path: Path, code: int) -> None:
    """Both write the same results.yaml, but for values of fields, which are texts since kpt beta.64.1; also when a function in a subpackage fails."""
    reporting = program(
        tmp_path / "report.py",
        f"sys.stdout.write(text.partition('functionConfig:')[0] + {RESULTS!r})\nsys.stderr.write('one\\ntwo\\n')\nsys.exit({code})",
    )
    files = {
        "Kptfile": pipeline("/bin/cat"),
        "sub/Kptfile": pipeline("/bin/cat", reporting),
        "sub/a.yaml": TWO,
    }
    by_kpt, by_krmkit = put(tmp_path / "kpt" / "p", files), put(tmp_path / "krmkit" / "p", files)

    run_kpt(kpt, by_kpt, "--results-dir", str(tmp_path / "kpt-results"))
    run_krmkit(by_krmkit, "--results-dir", str(tmp_path / "krmkit-results"))

    expected = (tmp_path / "kpt-results" / "results.yaml").read_bytes()
    found = (tmp_path / "krmkit-results" / "results.yaml").read_bytes()
    assert with_texts(found) == with_texts(expected)


def test_output_to_a_folder(kpt: str, tmp_path: Path) -> None:
    """Both write the resources, and only them, to a new folder."""
    files = {"Kptfile": pipeline("/bin/cat"), **STABLE, ".krmignore": "comments.yaml\n"}
    package = put(tmp_path / "p", files)

    assert run_kpt(kpt, package, "-o", str(tmp_path / "by-kpt")).returncode == 0
    assert run_krmkit(package, "-o", str(tmp_path / "by-krmkit")).returncode == 0

    # kpt forgets the layout of lists on this way.
    assert (
        normalized(kpt, tmp_path / "n1", files_of(tmp_path / "by-krmkit")).keys()
        == files_of(tmp_path / "by-kpt").keys()
    )
    assert files_of(tmp_path / "by-krmkit")["scalars.yaml"] == files_of(tmp_path / "by-kpt")["scalars.yaml"]


SEGMENTS = [
    "a",
    "ab",
    "*",
    "a*",
    "*b",
    "?",
    "[ab]",
    "[^a]",
    ".x",
    "*.yaml",
    "a.yaml",
    "[ab].yaml",
    "\\a.yaml",
    "**",
    "[",
    "a[",
    "é",
]


@pytest.mark.parametrize("seed", range(12))
def test_krmignore(kpt: str, tmp_path: Path, seed: int) -> None:
    """Random rules leave out the same files."""
    dice = random.Random(seed)
    names = [
        f"{folder}{name}"
        for folder in ("", "a/", "ab/", ".x/", "é/", "a/b/", "ab/a/")
        for name in ("a.yaml", "b.yaml", ".x.yaml", "[a].yaml")
    ]
    rules = []
    for _ in range(dice.randint(1, 4)):
        segments = "/".join(dice.choice(SEGMENTS) for _ in range(dice.choice((1, 1, 2, 3))))
        rules.append(
            dice.choice(("", "", "", "!"))
            + dice.choice(("", "", "/"))
            + segments
            + dice.choice(("", "", "/"))
        )
    listing = program(
        tmp_path / "list.py",
        f"import re\nopen({str(tmp_path / 'seen')!r}, 'w').write('\\n'.join(re.findall(r\" config.kubernetes.io/path: '(.*)'\", text)))",
    )
    package = put(
        tmp_path / "p",
        {**{name: item("x") for name in names}, "Kptfile": pipeline(listing), ".krmignore": "\n".join(rules)},
    )
    assert run_kpt(kpt, package).returncode == 0
    ignore = KrmIgnore("\n".join(rules))

    def kept(name: str) -> bool:
        parts = name.split("/")
        return not any(
            ignore.ignores("/".join(parts[:end]), end < len(parts)) for end in range(1, len(parts) + 1)
        )

    assert set((tmp_path / "seen").read_text().split("\n")) == {
        name for name in (*names, "Kptfile") if kept(name)
    }
