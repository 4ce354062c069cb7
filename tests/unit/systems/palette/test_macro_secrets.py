"""What is computed from a secret is a secret: no message, explanation or diff shows it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.render.diff import diff
from krmkit.storage.disk.write import FileEdit
from krmkit.systems.palette.macros.context import Context, Source
from krmkit.systems.palette.macros.resolve import MacroResolver

SECRET = 'hush "hush" 123'
DERIVED = {
    "itself": ".spectro.var.pw",
    "b64enc": "b64enc .spectro.var.pw",
    "upper": "upper .spectro.var.pw",
    "trunc": "trunc 6 .spectro.var.pw",
    "sha256sum": "sha256sum .spectro.var.pw",
    "replace": '.spectro.var.pw | replace "h" "j"',
}
USES = {
    "a function that fails": "b: '{{ fail .spectro.pack.one.a }}'",
    "a date": "b: '{{ .spectro.pack.one.a | mustToDate \"2006\" }}'",
    "invalid YAML": "b: [{{ .spectro.pack.one.a }}",
    "over two packs": "b: '{{ .spectro.pack.three.c | fail }}'",
}


@pytest.mark.parametrize("expression", DERIVED.values(), ids=DERIVED.keys())
@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_messages(expression: str, use: str) -> None:
    """Whatever was made of a secret, and wherever it went, its value is in no message."""
    sources = [
        Source("one", ("one",), f"a: '{{{{ {expression} }}}}'\n"),
        Source("two", ("two",), use + "\n"),
        Source("three", ("three",), "c: '{{ .spectro.pack.one.a }}'\n"),
    ]
    resolver = MacroResolver(sources, Context(variables={"pw": SECRET}, secrets=frozenset(["pw"])))

    resolved = [resolver.resolve(source) for source in sources]
    said = " ".join(f"{one.message} {one.current}" for each in resolved for one in each.findings)

    assert resolved[0].text != sources[0].text
    for value in {SECRET, *resolver.derived}:
        assert value not in said
        assert value.strip('"') not in said


def test_what_is_not_derived_is_shown() -> None:
    """A value beside a secret says what is wrong with it."""
    source = Source("p", ("p",), "a: '{{ .spectro.var.pw }}'\nb: '{{ fail .spectro.var.open }}'\n")
    resolver = MacroResolver(
        [source], Context(variables={"pw": SECRET, "open": "plain"}, secrets=frozenset(["pw"]))
    )

    assert "plain" in resolver.resolve(source).findings[0].message


def test_words_of_messages() -> None:
    """A secret of a letter or two strikes no words out, and a longer one is gone as a whole, not only what a shorter one is of it."""
    source = Source("p", ("p",), "a: '{{ nosuch \"password99\" .spectro.var.a }}'\n")
    values = {"a": "a", "b": "pass", "c": "password99", "d": "default"}
    resolver = MacroResolver([source], Context(variables=values, secrets=frozenset(values)))

    finding = resolver.resolve(source).findings[0]

    assert finding.current == '{{ nosuch "(secret)" .spectro.var.a }}'
    assert finding.message == '{{ nosuch "(secret)" .spectro.var.a }}: there is no function "nosuch"'


def test_diff() -> None:
    """Every line that holds one says so instead; the others stay as they are."""
    change = FileEdit(
        "a", "x: old\ny: 1\n", 'x: "say \\"hush\\" twice"\ny: 1\nz: |\n  first line\n  second line\n'
    )

    shown = diff([change], secrets=['say "hush"', "first line\nsecond line"])

    assert '+x: "(secret) twice"\n' in shown
    assert "+  (secret)\n+  (secret)\n" in shown
    assert "-x: old\n" in shown
    assert "hush" in diff([change])


@pytest.mark.parametrize("flag", ["", "--show-secrets"])
def test_render(tmp_path: Path, capsys: pytest.CaptureFixture[str], flag: str) -> None:
    """--diff hides what macros with secrets became, unless --show-secrets is given; the files hold it."""
    (tmp_path / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n  mutators:\n"
        "  - image: ghcr.io/krmkit/resolve-macros\n    configPath: macros.yaml\n"
    )
    (tmp_path / "macros.yaml").write_text(
        "apiVersion: krmkit.dev/v1alpha1\nkind: ResolveMacros\nmetadata: {name: m}\nspec:\n"
        "  variables:\n  - {name: pw, value: hush123, secret: true}\n  - {name: open, value: plain}\n"
    )
    (tmp_path / "a.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n"
        "  one: '{{ b64enc .spectro.var.pw }}'\n  two: '{{ .spectro.var.open }}'\n  three: 'x{{ .spectro.var.pw }}'\n"
    )

    assert main(["render", str(tmp_path), "--diff", "--write", *flag.split()]) == 0
    shown = capsys.readouterr().out

    assert ("hush123" in shown) is ("aHVzaDEyMw==" in shown) is bool(flag)
    assert (shown.count("+  one: '(secret)'") == 1) is not bool(flag)
    assert "+  two: 'plain'\n" in shown
    written = (tmp_path / "a.yaml").read_text()
    assert "aHVzaDEyMw==" in written
    assert "xhush123" in written


def test_no_secret_in_a_trace(tmp_path: Path, project: Path) -> None:
    """--debug and --explain show none either."""
    text = (
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
        "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n"
        "  data: {x: '{{ b64enc .spectro.var.pw | fail }}'}\n"
        "functionConfig:\n  apiVersion: krmkit.dev/v1alpha1\n  kind: ResolveMacros\n  metadata: {name: m}\n"
        "  spec: {variables: [{name: pw, value: hush123, secret: true}]}\n"
    )
    done = subprocess.run(
        [sys.executable, str(project / "functions/resolve-macros/main.py"), "--debug", "--explain"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )

    results = done.stdout.partition("\nresults:")[2]
    assert done.returncode == 1
    assert results
    for value in ("hush123", "aHVzaDEyMw"):
        assert value not in results + done.stderr
