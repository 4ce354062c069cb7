"""`krmkit render` and the real kpt on programs that add, move, remove and restyle resources: the same files, or refused by both."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.orchestrate import KPTFILE, files_of, pipeline, program, put, run_kpt, run_krmkit

pytestmark = pytest.mark.kpt


def item(name: str, rest: str = "", kind: str = "ConfigMap", api: str = "v1") -> str:
    return f"apiVersion: {api}\nkind: {kind}\nmetadata:\n  name: {name}\n{rest}"


HELPERS = """import re
KEY = r'(?:internal\\.)?config\\.kubernetes\\.io/'
def add(name, kind='ConfigMap', namespace='', annotations='', api='v1'):
    global text
    body, _, config = text.partition('\\nfunctionConfig:')
    new = f'apiVersion: {api}\\n  kind: {kind}\\n  metadata:\\n    name: {name}\\n'
    new += f'    namespace: {namespace}\\n' if namespace else ''
    new += f'    annotations: {{{annotations}}}\\n' if annotations else ''
    text = f'{body.rstrip()}\\n- {new}' + (f'functionConfig:{config}' if config else '')
def each(name, change):
    global text
    head, *items = re.split(r'(?m)^- (?=apiVersion|#)', text)
    items = [change(i) if f'\\n    name: {name}\\n' in i else i for i in items]
    text = head + ''.join(f'- {i}' for i in items if i)
def say(name, key, value):
    each(name, lambda i: re.sub(rf'(?m)^      ({key}): .*$', lambda m: f'      {m[1]}: {value}', i))
def unsay(name, key):
    each(name, lambda i: re.sub(rf'(?m)^      {key}: .*\\n', '', i))
ROOT = min(re.findall(r"package-path: '?([^'\\n]*)", text), key=len)
"""
TWO = item("a", "data:\n  x: old # stays\n") + "---\n" + item("b", "data: {x: old}\n")
PACKAGE = {
    "a.yaml": TWO,
    "other.yaml": item("o"),
    "sub/Kptfile": KPTFILE,
    "sub/z.yaml": item("z"),
    "sub/two.yaml": item("y1") + "---\n" + item("y2"),
}

NEW = [
    ("cluster-scoped", "add('x', 'ClusterRole', api='rbac.authorization.k8s.io/v1')"),
    ("one name in two namespaces", "add('x', namespace='n1')\nadd('x', namespace='n2')\nadd('x')"),
    ("one name twice", "add('x')\nadd('x')"),
    ("one name, two versions", "add('x')\nadd('x', api='v2')"),
    ("its file is there", "add('o')\nadd('o', namespace='sub')"),
    ("a namespace that is a subpackage", "add('z', namespace='sub')"),
    ("namespace null", "add('x', namespace='null')"),
    ("a namespace that leads out", "add('x', namespace='\"..\"')"),
    ("a namespace from the root", "add('x', namespace='\"/q\"')"),
    ("a name with slashes and colons", "add('\"system:a/b\"', 'ClusterRole')"),
    ("capitals", "add('AbC', 'MyKind')"),
    ("an index and no path", "add('x', annotations='config.kubernetes.io/index: \"3\"')"),
    ("an empty path", "add('x', annotations='config.kubernetes.io/path: \"\"')"),
    ("a path of null", "add('x', annotations='config.kubernetes.io/path: ')"),
    ("a path from the root", "add('x', annotations='config.kubernetes.io/path: /etc/x.yaml')"),
    ("a folder as path", "add('x', annotations='config.kubernetes.io/path: d/')"),
    ("a path with blanks", "add('x', annotations='config.kubernetes.io/path: \"a b/c d.yaml\"')"),
    ("a path into a subpackage", "add('x', annotations='config.kubernetes.io/path: sub/n.yaml')"),
    ("a file of a subpackage", "add('x', annotations='config.kubernetes.io/path: sub/z.yaml')"),
    ("another package", "add('x', annotations='internal.config.kubernetes.io/package-path: ' + ROOT + '/sub')"),
    ("a package outside", "add('x', annotations='internal.config.kubernetes.io/package-path: /x')"),
    ("a package from nowhere", "add('x', annotations='internal.config.kubernetes.io/package-path: sub')"),
    ("a negative number", "add('x', annotations='config.kubernetes.io/path: a.yaml, config.kubernetes.io/index: \"-1\"')"),
    ("a number with its sign", "add('x', annotations='config.kubernetes.io/path: a.yaml, config.kubernetes.io/index: \"+7\"')"),
    ("too large a number", "add('x', annotations='config.kubernetes.io/path: a.yaml, config.kubernetes.io/index: \"' + '9' * 5000 + '\"')"),
    ("no YAML by its name", "add('x', annotations='config.kubernetes.io/path: x.txt')"),
    ("an empty file", "add('x', annotations='config.kubernetes.io/path: empty.yaml')"),
    ("a file with null", "add('x', annotations='config.kubernetes.io/path: null.yaml')"),
    ("a file left out that is not there", "add('x', annotations='config.kubernetes.io/path: out.yaml')"),
    ("a List", "add('l', 'List')"),
]  # fmt: skip
KNOWN = [
    ("moved", "say('o', KEY + 'path', 'm/n.yaml')"),
    ("moved by one annotation", "say('o', 'internal.config.kubernetes.io/path', 'm.yaml')"),
    ("moved behind another", "say('b', KEY + 'path', 'other.yaml')"),
    ("moved onto another", "say('a', KEY + 'path', 'other.yaml')"),
    ("moved out, the rest stays", "say('a', KEY + 'path', 'a2.yaml')"),
    ("moved from the root", "say('o', KEY + 'path', '/tmp/x.yaml')"),
    ("moved below a file", "say('o', KEY + 'path', 'a.yaml/x.yaml')"),
    ("an empty path", "say('o', KEY + 'path', \"''\")"),
    ("an empty number", "say('b', KEY + 'index', \"''\")"),
    ("turned round", "say('a', KEY + 'index', \"'1'\")\nsay('b', KEY + 'index', \"'0'\")"),
    ("no path", "unsay('o', KEY + 'path')"),
    ("no path, no number", "unsay('b', KEY + '(?:path|index)')"),
    ("no path anywhere", "text = re.sub(rf'(?m)^      {KEY}(path|index): .*\\n', '', text)"),
    ("no number", "unsay('a', KEY + 'index')"),
    ("no numbers", "unsay('a', KEY + 'index')\nunsay('b', KEY + 'index')"),
    ("no package", "unsay('z', KEY + 'package-path')"),
    ("no package anywhere", "text = re.sub(rf'(?m)^      {KEY}package-path: .*\\n', '', text)"),
    ("another package", "say('o', KEY + 'package-path', ROOT + '/sub')"),
    ("the package above", "say('z', KEY + 'package-path', ROOT)"),
    ("a folder that is not a package", "say('o', KEY + 'package-path', ROOT + '/new')"),
    ("a package outside", "say('z', KEY + 'package-path', '/x')"),
    ("the last of a subpackage", "each('z', lambda i: '')\neach('y1', lambda i: '')\neach('y2', lambda i: '')"),
    ("a copy elsewhere", "each('o', lambda i: i + '- ' + re.sub('other.yaml', 'copy.yaml', i))"),
    ("no items", "text = text[:text.index('items:')]"),
]  # fmt: skip
STYLES = [
    ("a text in quotes", "x: old #", "x: 'on' #"),
    ("a text without", "q: 'old'", "q: new"),
    ("a number", "n: 8", "n: '8'"),
    ("a new map", "    name: o\n    annotations:\n", "    name: o\n    labels: {a: 'b', \"c\": d}\n    annotations:\n"),
    ("a new annotation", "    name: o\n    annotations:\n", "    name: o\n    annotations:\n      k: 'true'\n"),
    ("a new key with a comment", "    n: 8\n", "    n: 8\n    # above\n    y: on # behind\n    'z': |\n      a\n      b\n"),
    ("a new element", "    - l1\n", "    - l1\n    - 'l2'\n"),
]  # fmt: skip


def same(kpt: str, folder: Path, files: dict[str, str]) -> None:
    by_kpt, by_krmkit = put(folder / "kpt" / "p", files), put(folder / "krmkit" / "p", files)

    expected, found = run_kpt(kpt, by_kpt), run_krmkit(by_krmkit)

    assert found.returncode == expected.returncode, (found.stderr, expected.stderr)
    assert "Traceback" not in found.stderr
    assert files_of(by_krmkit) == files_of(by_kpt)


@pytest.mark.parametrize("body", [case[1] for case in NEW], ids=[case[0] for case in NEW])
def test_new(kpt: str, tmp_path: Path, body: str) -> None:
    """New resources come into the same files, in the same order, whatever they say about their place."""
    command = program(tmp_path / "program.py", HELPERS + body)
    more = {"empty.yaml": "", "null.yaml": "null\n", ".krmignore": "out.yaml\n"}
    same(kpt, tmp_path, {"Kptfile": pipeline(command), **PACKAGE, **more})


@pytest.mark.parametrize("body", [case[1] for case in KNOWN], ids=[case[0] for case in KNOWN])
def test_known(kpt: str, tmp_path: Path, body: str) -> None:
    """What becomes of the annotations for a place becomes of the resource."""
    command = program(tmp_path / "program.py", HELPERS + body)
    same(kpt, tmp_path, {"Kptfile": pipeline(command), **PACKAGE})


def test_all_removed(kpt: str, tmp_path: Path) -> None:
    """Of a package whose resources a program takes out kpt leaves nothing; here the Kptfiles stay, as they hold the pipeline."""
    command = program(tmp_path / "program.py", "text = text[:text.index('items:')] + 'items: []\\n'")
    files = {"Kptfile": pipeline(command), **PACKAGE}
    by_kpt, by_krmkit = put(tmp_path / "kpt" / "p", files), put(tmp_path / "krmkit" / "p", files)

    assert run_kpt(kpt, by_kpt).returncode == run_krmkit(by_krmkit).returncode == 0
    kept = files_of(by_krmkit)
    assert {name for name in kept if name not in files_of(by_kpt)} == {
        name for name in files if name.endswith("Kptfile")
    }


@pytest.mark.parametrize(("old", "new"), [case[1:] for case in STYLES], ids=[case[0] for case in STYLES])
def test_styles(kpt: str, tmp_path: Path, old: str, new: str) -> None:
    """What a program changes or adds stands as the program wrote it, with its quotes and comments."""
    assert old != new
    command = program(tmp_path / "program.py", f"text = text.replace({old!r}, {new!r})")
    more = {"q.yaml": item("q", "data:\n  q: 'old' # c\n  l:\n  - l1\n  n: 8\n")}
    same(kpt, tmp_path, {"Kptfile": pipeline(command), **PACKAGE, **more})


@pytest.mark.parametrize("config", ["c.yaml", "x/y/c.yaml", "x/functions/c.yaml", "./x/c.yaml"])
def test_new_ones_come_beside_the_config(kpt: str, tmp_path: Path, config: str) -> None:
    """In a subpackage and above alike; one with a path goes there."""
    body = "add('n')\nadd('m', namespace='q')\nadd('k', annotations='config.kubernetes.io/path: k.yaml')"
    kptfile = (
        pipeline(program(tmp_path / "program.py", HELPERS + body)).rstrip() + f"\n    configPath: {config}\n"
    )
    file = config.removeprefix("./")
    files = {"Kptfile": kptfile, file: item("c"), "sub/Kptfile": kptfile, f"sub/{file}": item("c")}
    same(kpt, tmp_path, files)


SHOW = r"""import json
seen = re.sub(r'(?m)^ +(internal.config.kubernetes.io/(seqindent|annotations-migration-resource-id|id|package-path)|config.k8s.io/id):.*\n', '', text)
seen = re.sub("['\"]", '', re.sub(r'(?m)^ +- exec.*\n', '', seen)).split('\n')
add('seen', annotations='config.kubernetes.io/path: seen.yaml')
text = text.replace('name: seen\n', 'name: seen\n    labels: {l: ' + json.dumps(sorted(seen)) + '}\n')
"""


@pytest.mark.parametrize("config", ["c.yaml", "x/c.yaml"])
def test_what_the_next_function_sees(kpt: str, tmp_path: Path, config: str) -> None:
    """New resources have a path and no number yet; a config has the place it came from, and what was changed in it."""
    first = program(
        tmp_path / "first.py", HELPERS + "add('n', namespace='q')\ntext = text.replace('k: v1', 'k: w1')"
    )
    second = program(tmp_path / "second.py", HELPERS + SHOW)
    inner = program(tmp_path / "inner.py", HELPERS + "add('i')")
    files = {
        "Kptfile": pipeline(first, second).rstrip() + f"\n    configPath: {config}\n",
        config.removeprefix("./"): item("c", "data:\n  k: v1\n", api="v2"),
        "sub/Kptfile": pipeline(inner),
    }
    same(kpt, tmp_path, files)


VALIDATORS = [
    ("changes", "text = text.replace('old', 'new')"),
    ("adds", "add('v')"),
    ("removes", "text = text[:text.index('items:')] + 'items: []\\n'"),
    ("moves", "say('o', KEY + 'path', 'm.yaml')"),
    ("says nothing", "text = ''"),
    ("fails", "sys.exit(2)"),
    ("answers nonsense", "text = 'hello'"),
    ("takes a place", "add('v', annotations='config.kubernetes.io/path: a.yaml, config.kubernetes.io/index: \"0\"')"),
    ("leads out", "add('v', annotations='config.kubernetes.io/path: ../v.yaml')"),
    ("adds no resource", "add('v', kind='')"),
]  # fmt: skip


@pytest.mark.parametrize("body", [case[1] for case in VALIDATORS], ids=[case[0] for case in VALIDATORS])
def test_validators(kpt: str, tmp_path: Path, body: str) -> None:
    """Nothing of what a validator gives back is kept, and it has to be right all the same."""
    change = program(tmp_path / "change.py", "text = text.replace('y2', 'y3')")
    command = program(tmp_path / "program.py", HELPERS + body)
    same(kpt, tmp_path, {"Kptfile": pipeline(change, validators=(command,)), **PACKAGE})
