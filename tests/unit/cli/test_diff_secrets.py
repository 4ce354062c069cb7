"""What --diff hides: the same as pages and `krmkit why`, in each command that shows diffs."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.unit.cli.packages import pack

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"
PIPELINE = "pipeline:\n  mutators:\n  - {image: resolve-macros, configPath: macros.yaml}\n"
MACROS = (
    "apiVersion: krmkit.dev/v1alpha1\nkind: ResolveMacros\nmetadata: {name: m}\n"
    "spec: {variables: [{name: site, value: north}]}\n"
)
PACK = pack("""  values.yaml: |
    site: "{{ .spectro.var.site }}"
    password: of-a-schema
  schema.yaml: |
    password:
      schema: '{{ format "${password:/.*/}" }}'
""")
ENCODED = b64encode(b"in-base-64").decode()
SECRET = (
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
    f"stringData:\n  a: of-a-secret {{{{ .spectro.var.site }}}}\ndata:\n  b: {ENCODED}\n"
    "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: copy}\n"
    "data:\n  site: '{{ .spectro.var.site }}'\n  c: in-base-64\n"
)
HIDDEN = ("of-a-schema", "of-a-secret", ENCODED, "in-base-64")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    made = tmp_path / "fleet/p"
    made.mkdir(parents=True)
    for name, text in {
        "Kptfile": KPTFILE + PIPELINE,
        "macros.yaml": MACROS,
        "app.yaml": PACK,
        "secret.yaml": SECRET,
    }.items():
        (made / name).write_text(text)
    return made


@pytest.mark.parametrize("many", [False, True], ids=["one package", "a tree"])
@pytest.mark.parametrize("flag", ["", "--show-secrets"])
def test_render(package: Path, capsys: pytest.CaptureFixture[str], many: bool, flag: str) -> None:
    """The data of Secrets and passwords of schemas stand in a diff only with --show-secrets."""
    words = ["-r", str(package.parent)] if many else [str(package)]

    assert main(["render", *words, "--diff", *flag.split()]) == 0
    shown = capsys.readouterr().out

    assert "+  site: 'north'" in shown
    assert [one for one in HIDDEN if one in shown] == (list(HIDDEN) if flag else [])


def test_a_validator_fails(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The changes that a validator refused are shown without secrets, too."""
    kptfile = package / "Kptfile"
    kptfile.write_text(kptfile.read_text() + "  validators:\n  - {exec: 'false'}\n")

    assert main(["render", str(package), "--allow-exec", "--diff"]) == 1
    shown = capsys.readouterr().out

    assert "+  site: 'north'" in shown
    assert [one for one in HIDDEN if one in shown] == []
