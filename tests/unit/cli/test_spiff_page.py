"""The commands of docs/spiff.md run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from krmkit.cli import main

PAGE = Path(__file__).resolve().parents[3] / "docs" / "spiff.md"
FILES = {
    "template.yml": 'meta: {name: (( stage || "none" )), size: 2}\njobs: [{name: a}, {name: b}]\ndocuments: [{a: 1}, {b: 2}]\n'
    'count: (( &state ( 1 ) ))\nhidden: (( &temporary ( "gone" ) ))\nkept: "((! as it is ))"\nstage: (( merge ))\n',
    "stub.yml": "stage: production\n",
    "state.yml": "count: 5\n",
    "values.yml": "cluster: {region: eu}\n",
    "library/a.txt": "text\n",
}
BLOCK = re.search(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
COMMANDS = BLOCK[1].splitlines() if BLOCK else []
PRINTS = {
    "stub.yml": "production",
    "--path meta.name": '"production"',
    "--select meta": "name: a",
    "--split": "---",
    "--define": "count: 5",
    "--preserve-temporary": "gone",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command of the page succeeds, and prints what it is for."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    if "stub.yml" not in command:
        template = FILES["template.yml"].replace("stage: (( merge ))\n", "")
        (tmp_path / "template.yml").write_text(template, "utf-8")
    monkeypatch.chdir(tmp_path)

    code = main(shlex.split(command)[1:])

    captured = capsys.readouterr()
    assert (code, captured.err) == (0, "")
    for option, text in PRINTS.items():
        assert option not in command or text in captured.out
