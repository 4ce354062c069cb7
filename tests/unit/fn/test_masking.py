"""krmkit.fn.masking: what a config marks as secret is in nothing that any function of the package says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.fn.masking import Mask, hide, marked, secrets_among, secrets_in
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from tests.programs import exec_entry

SECRET = "hush123"
DERIVED = "aHVzaDEyMw=="  # in base64
NOISY = """
import sys
text = sys.stdin.read()
words = "it holds hush123 and aHVzaDEyMw==, it does"
sys.stderr.write("stderr: " + words + "\\n")
result = (
    "results:\\n- message: " + words + "\\n  severity: {severity}\\n  tags: {{seen: hush123}}\\n"
    "  field: {{path: data.one, currentValue: hush123, proposedValue: [aHVzaDEyMw==]}}\\n"
)
sys.stdout.write(text + result)
sys.exit({code})
"""
CONFIG = (
    "apiVersion: krmkit.dev/v1alpha1\nkind: ResolveMacros\nmetadata: {name: m}\nspec:\n"
    "  variables:\n  - {name: pw, value: hush123, secret: true}\n  - {name: open, value: plain}\n"
)
RESOURCE = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n"
    "  one: '{{ b64enc .spectro.var.pw }}'\n  two: '{{ .spectro.var.pw }}'\n  three: '{{ .spectro.var.open }}'\n"
)


def package(folder: Path, code: int, first: bool = False) -> Path:
    """A package whose pipeline resolves a secret, and runs a program that tells what it sees."""
    program = folder / "noisy.py"
    severity = "error" if code else "warning"
    program.write_text(NOISY.format(code=code, severity=severity), "utf-8")
    made = folder / "package"
    made.mkdir()
    resolve = "  - image: ghcr.io/krmkit/resolve-macros\n    configPath: macros.yaml\n"
    noisy = exec_entry(sys.executable, program)
    mutators = noisy + resolve if first else resolve + noisy
    (made / "Kptfile").write_text(
        f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {{name: p}}\npipeline:\n  mutators:\n{mutators}", "utf-8"
    )  # fmt: skip
    (made / "macros.yaml").write_text(CONFIG, "utf-8")
    (made / "a.yaml").write_text(RESOURCE, "utf-8")
    return made


@pytest.mark.parametrize(("code", "first"), [(0, False), (1, False), (0, True)])
@pytest.mark.parametrize("form", ["table", "text", "json", "sarif", "junit", "github", "gitlab"])
def test_what_other_programs_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, code: int, first: bool
) -> None:
    """Results, stderr and the results file of a program that repeats a secret say (secret), in every format."""
    made = package(tmp_path, code, first)
    results = tmp_path / "results"

    exit_code = main(
        ["render", str(made), "--allow-exec", "--format", form, "--results-dir", str(results), "--dry-run"]
    )
    captured = capsys.readouterr()
    said = captured.out + captured.err + (results / "results.yaml").read_text("utf-8")

    assert exit_code == code
    assert "it holds (secret) and (secret), it does" in said
    assert SECRET not in said
    assert DERIVED not in said


def test_a_secret_that_was_not_resolved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the config marks is hidden also where the pipeline ended before anything was made of it."""
    made = package(tmp_path, 1, first=True)

    assert main(["render", str(made), "--allow-exec", "--format", "json"]) == 1
    captured = capsys.readouterr()

    assert "it holds (secret) and" in captured.out
    assert SECRET not in captured.out + captured.err


def test_later_functions_of_the_catalog(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A function that names what it finds, a resource say, names no secret."""
    made = package(tmp_path, 0)
    (made / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n  mutators:\n"
        "  - image: ghcr.io/krmkit/resolve-macros\n    configPath: macros.yaml\n"
        "  validators:\n  - image: ghcr.io/krmkit/validate-installation\n",
        "utf-8",
    )
    (made / "i.yaml").write_text(
        "apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Installation\nmetadata:\n"
        "  name: '{{ .spectro.var.pw }}!'\nspec: {}\n",
        "utf-8",
    )

    main(["render", str(made), "--format", "text", "--dry-run"])
    captured = capsys.readouterr()

    assert SECRET not in captured.out + captured.err
    assert "Installation (secret)!" in captured.out


@pytest.mark.parametrize("value", ["a", "default", "Default", "100", "true"])
def test_words_of_any_output(tmp_path: Path, capsys: pytest.CaptureFixture[str], value: str) -> None:
    """A secret variable that is a common word takes no words of messages, also not of other programs, and of diffs."""
    made = package(tmp_path, 0)
    (made / "macros.yaml").write_text(CONFIG.replace("hush123", f"'{value}'"), "utf-8")
    noisy = (tmp_path / "noisy.py").read_text("utf-8")
    (tmp_path / "noisy.py").write_text(noisy.replace("it holds", "the default of 100 is true"), "utf-8")

    assert main(["render", str(made), "--allow-exec", "--diff"]) == 0
    captured = capsys.readouterr()

    assert "the default of 100 is true" in captured.out
    assert "two: (secret)" not in captured.out


def test_recursive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`render -r` hides the same."""
    package(tmp_path, 1)

    assert main(["render", "-r", str(tmp_path), "--allow-exec", "--format", "json", "--diff"]) == 1
    captured = capsys.readouterr()

    assert "it holds (secret) and (secret), it does" in captured.out
    assert SECRET not in captured.out + captured.err


@pytest.mark.parametrize(
    "first",
    [
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s\n",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: &a {b: *a}\n",
        "- Secret\n",
    ],
)
def test_secrets_behind_other_resources(first: str) -> None:
    """What holds none, or cannot be read, hides none of the resources behind it."""
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: hush123}\n"

    assert secrets_in([first, secret]) == {"hush123", DERIVED}
    assert secrets_among([Resource(first), Resource(secret)]) == {"hush123", DERIVED}


def test_marked() -> None:
    """Wherever it stands in the config; without `secret: true` it is no secret."""
    data = {
        "a": [{"name": "x", "value": "one", "secret": True}, {"value": "two", "secret": False}],
        "b": {"c": {"value": 3, "secret": True}},
        "d": {"secret": True},
    }

    assert set(marked(data)) == {"one", "3"}


def test_mask() -> None:
    """The longest first; numbers that are a secret as a whole; keys stay."""
    mask = Mask(["hush", "hush hush", "7"])

    assert mask.value({"hush": ["say hush hush", "hush!", 7, 17, None]}) == {
        "hush": ["say (secret)", "(secret)!", "(secret)", 17, None]
    }


@pytest.mark.parametrize(
    ("secrets", "message", "said"),
    [
        (["blue"], "blueprint: blue, xblue, blue2 'blue'", "blueprint: (secret), xblue, blue2 '(secret)'"),
        (["hush123"], "xhush123", "x(secret)"),
        (["swordfish"], "swordfishes", "(secret)es"),
        (["a\nlong one"], "got long one", "got (secret)"),
        (["secret", "hush123"], "hush123, secret, a secretary", "(secret), (secret), a secretary"),
        (["secret"], "of another function: (secret)", "of another function: (secret)"),
        (["x(secret)y"], "got x(secret)y", "got (secret)"),
        (["{\n  a: hush123\n}\n---\n"], "{a: 1} --- a: hush123", "{a: 1} --- (secret)"),
    ],
)
def test_messages(secrets: list[str], message: str, said: str) -> None:
    """A short word of letters is struck out only where it stands alone, as it may be a part of krmkit's own words."""
    assert Mask(secrets).message(message) == said


def test_a_mark_in_values() -> None:
    """A value says of no secret that it is the word "secret", by striking it out in what was struck out already."""
    mask = Mask(["secret", "sec", "hush123"])

    assert mask.value({"a": "hush123 secret sec", "b": "(secret)"}) == {
        "a": "(secret) (secret) (secret)",
        "b": "(secret)",
    }


@pytest.mark.parametrize("value", ["true", "FALSE", "null", "100", "no", "{{ .spectro.var.pw }}", "default"])
def test_what_is_no_secret(value: str) -> None:
    """What would take krmkit's own words, or only names a variable, is not struck out."""
    text = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData: {{a: '{value}', b: '1234'}}\n"

    assert secrets_in([text]) == {"1234", "MTIzNA=="}


def test_the_data_of_a_secret() -> None:
    """Each value counts as it is written and decoded from base64; what is no base64 counts as written."""
    text = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\ndata: {{a: {DERIVED}, b: 'no base64'}}\n"

    assert secrets_in([text]) == {DERIVED, SECRET, "no base64"}


@pytest.mark.parametrize(
    ("secret", "said"),
    [
        ('say "hush" to it', '{"a": "say \\"hush\\" to it"}'),
        ("c:\\hush", '"c:\\\\hush"'),
        ("it's hush", "a: 'it''s hush'"),
    ],
)
def test_a_secret_in_quotes(secret: str, said: str) -> None:
    """A text in quotes is found as JSON and YAML write it."""
    assert "(secret)" in Mask([secret]).text(said)
    assert "hush" not in Mask([secret]).text(said)


def test_findings() -> None:
    """A message and the values of a finding lose the secrets of the items; the rule and the name stay."""
    item = Resource("apiVersion: v1\nkind: Secret\nmetadata: {name: hunter2}\nstringData: {pw: hunter2}\n")
    finding = Finding(
        "bad-hunter2",
        "must be x, got hunter2",
        item,
        "stringData.pw",
        current="hunter2",
        proposed=["a hunter2"],
    )

    hide([finding], [item])

    assert (finding.rule, finding.message, finding.current, finding.proposed) == (
        "bad-hunter2", "must be x, got (secret)", "(secret)", ["a (secret)"],
    )  # fmt: skip
    assert finding.resource_ref is not None and finding.resource_ref["name"] == "hunter2"


def test_a_pack_that_cannot_be_read() -> None:
    """An item that no function had to read is no reason to fail: it is passed over, and the secrets of others are found."""
    pack = (
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations: {{config.kubernetes.io/local-config: "true"}}\n'
        'data:\n  pack.json: |\n    {{"name": "{name}"}}\n{more}  values.yaml: |\n    key: hush-{name}\n'
        "  schema.yaml: |\n    key: {{schema: '{{{{ format \"${{password}}\" }}}}'}}\n"
    )
    broken = pack.format(name="broken", more="   left: x\n")
    findings = [Finding("a", "it says hush-whole")]

    hide(findings, [Resource(broken, lazy=True), Resource(pack.format(name="whole", more=""))])

    assert findings[0].message == "it says (secret)"


def test_forms_of_a_secret() -> None:
    """stringData counts in base64 too, as the cluster shows it; a value that is a map or list counts with all in it."""
    plain, encoded = "hush-123", "aHVzaC0xMjM="
    head = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"

    assert secrets_in([f"{head}stringData: {{a: {plain}}}"]) == {plain, encoded}
    assert secrets_in([f"{head}data: {{a: {encoded}}}"]) == {plain, encoded}
    assert {plain, "deep-1"} <= secrets_in([f"{head}stringData: {{a: {{b: [{plain}, {{c: deep-1}}]}}}}"])
