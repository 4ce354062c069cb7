"""The command line of krmkit: what is printed where, what is written, which exit code."""

from __future__ import annotations

import gc
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.cli import COMMANDS, main
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.process.stderr import Patient
from krmkit.views.terminal import Table, Terminal
from tests.programs import exec_entry, python
from tests.unit.cli.packages import FAST, KPTFILE, PACK, Screen, contents


def break_it(package: Path) -> None:
    (package / "Kptfile").write_text(KPTFILE.replace("{preset}", "fats"))


def test_render_writes_what_changed(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In place, with one line about it."""
    before = (package / "Kptfile").stat().st_mtime_ns

    assert main(["render", str(package)]) == 0

    assert contents(package) == {"Kptfile": KPTFILE.replace("{preset}", "fast"), "app.yaml": FAST}
    assert (package / "Kptfile").stat().st_mtime_ns == before
    assert capsys.readouterr() == ("1 function ran in 1 package: 1 file changed\n", "")


def test_render_twice_is_once(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second run finds nothing to do."""
    main(["render", str(package)])
    capsys.readouterr()

    assert main(["render", str(package), "--diff"]) == 0
    assert capsys.readouterr().out == "1 function ran in 1 package: no file changed\n"


def test_diff_and_dry_run(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What would change is shown, and nothing is written."""
    before = contents(package)

    assert main(["render", str(package), "--diff", "--dry-run"]) == 0

    out = capsys.readouterr().out
    assert "--- a/app.yaml\n+++ b/app.yaml\n" in out
    assert "-    mode: slow   # or fast\n+    mode: fast   # or fast\n" in out
    assert out.endswith("1 function ran in 1 package: 1 file changed (nothing was written)\n")
    assert contents(package) == before


def test_failure(
    package: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table of the results, one line on stderr, exit code 1; files stay, results are written."""
    monkeypatch.chdir(package)
    break_it(package)
    before = contents(package)

    assert main(["render", str(package), "--results-dir", str(tmp_path / "x" / "results")]) == 1

    out, err = capsys.readouterr()
    assert out.splitlines()[0].split() == ["SEVERITY", "RULE", "WHERE", "MESSAGE"]
    assert out.splitlines()[1].startswith(
        "error     unknown-preset  Kptfile:9:7 ConfigMap function-input data.app  "
    )
    assert err == "krmkit render: ghcr.io/krmkit/apply-presets failed; nothing was written\n"
    assert contents(package) == before
    results = (tmp_path / "x" / "results" / "results.yaml").read_text()
    assert results.startswith(
        "apiVersion: kpt.dev/v1\nkind: FunctionResultList\nmetadata:\n  name: fnresults\nexitCode: 1\n"
    )
    assert "rule: unknown-preset" in results


def test_output_stdout(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The ResourceList alone goes to stdout; the package stays."""
    assert main(["render", str(package), "-o", "stdout"]) == 0

    out, err = capsys.readouterr()
    listed = ResourceList.parse(out)
    assert [item.path for item in listed.items] == ["Kptfile", "app.yaml"]
    assert "mode: fast" in str(listed.items[1].get("data", "values.yaml"))
    assert err == "1 function ran in 1 package: 1 file changed\n"
    assert contents(package)["app.yaml"] == PACK


def test_output_unwrap(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Documents, as they would stand in files."""
    assert main(["render", str(package), "--output", "unwrap"]) == 0
    assert capsys.readouterr().out == KPTFILE.replace("{preset}", "fast") + "---\n" + FAST


def test_output_cluster(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only what would be applied; the package stays."""
    (package / "service.yaml").write_text("---\napiVersion: v1\nkind: Service\nmetadata: {name: s}   # s\n")

    assert main(["render", str(package), "--output", "cluster"]) == 0

    assert capsys.readouterr() == (
        "apiVersion: v1\nkind: Service\nmetadata: {name: s}   # s\n",
        "1 function ran in 1 package: 1 file changed\n",
    )
    assert contents(package)["app.yaml"] == PACK


def test_output_folder(package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A new folder with the package's resources; a folder that is there is not touched."""
    (package / "README.md").write_text("x")

    assert main(["render", str(package), "-o", str(tmp_path / "out")]) == 0
    assert contents(tmp_path / "out") == {"Kptfile": KPTFILE.replace("{preset}", "fast"), "app.yaml": FAST}
    assert contents(package)["app.yaml"] == PACK
    assert main(["render", str(package), "-o", str(tmp_path / "out")]) == 1
    assert "is there already; name a folder that does not exist yet\n" in capsys.readouterr().err


@pytest.mark.parametrize("flags", [[], ["--diff"]], ids=["without", "with"])
def test_table_after_a_diff(package: Path, capsys: pytest.CaptureFixture[str], flags: list[str]) -> None:
    """An empty line parts the table from a diff; without one, the table comes first."""
    assert main(["render", str(package), "--explain", *flags]) == 0

    out = capsys.readouterr().out
    assert out.startswith("--- a/" if flags else "SEVERITY ")
    assert ("\n\nSEVERITY " in out) is bool(flags)


def test_explain(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--explain reaches the functions."""
    main(["render", str(package), "--explain", "--dry-run"])

    assert "info" in capsys.readouterr().out


WRONG = [
    (["render", "nowhere"], 1, "nowhere: does not exist"),
    (["render", ".", "--limit", "depht=3"], 1, "--limit NAME=N: NAME must be one of"),
    (["rendr"], 1, 'there is no command "rendr"; did you mean "render"?'),
    (["run", "apply-preset"], 1, 'there is no function "apply-preset"; did you mean "apply-presets"?'),
    (["doc", "apply-preset"], 1, 'did you mean "apply-presets"?'),
    (["run", "./nowhere"], 1, "there is no function.yaml in"),
    (["pack", "import", "nowhere", "--out", "x"], 1, "nowhere: holds no pack.json"),
    (["pack", "export", "nowhere", "--out", "x"], 1, "nowhere: does not exist"),
]


@pytest.mark.parametrize(("words", "code", "expected"), WRONG, ids=[" ".join(case[0]) for case in WRONG])
def test_wrong_calls(
    words: list[str],
    code: int,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line that says what would be right."""
    monkeypatch.chdir(tmp_path)

    assert main(words) == code

    out, err = capsys.readouterr()
    assert out == ""
    assert expected in err
    assert err.count("\n") == 1


ABBREVIATED = [
    ["render", "--allow-exe", "."],
    ["render", "--dif", "."],
    ["pack", "import", "x", "--ou", "y"],
    ["pack", "export", "x", "--ou", "y"],
    ["variants", "render", "x", "--packages", "y", "--out", "z", "--allow-netw"],
    ["serve", "evaluator", "--hos", "0.0.0.0"],
    ["list", "--hel"],
    ["doc", "apply-presets", "--hel"],
]


@pytest.mark.parametrize("words", ABBREVIATED, ids=" ".join)
def test_no_abbreviations(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Half a flag is none: what grants a right is written out."""
    with pytest.raises(SystemExit) as ended:
        main(words)

    assert ended.value.code == 1
    assert "error: " in capsys.readouterr().err


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Every command is named, and has help of its own."""
    assert main([]) == 0
    text = capsys.readouterr().out
    for name in COMMANDS:
        assert f"  {name} " in text
    for words in (["render", "--help"], ["pack", "import", "--help"], ["list", "--help"], ["doc", "--help"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0
        assert "usage: krmkit " in capsys.readouterr().out
    assert main(["run", "--help"]) == 0
    assert main(["--version"]) == 0


def test_list_and_doc(capsys: pytest.CaptureFixture[str]) -> None:
    """The catalog as a table, and one function's page."""
    assert main(["list"]) == 0
    assert "apply-presets " in capsys.readouterr().out
    assert main(["doc", "apply-presets"]) == 0
    assert capsys.readouterr().out.startswith("apply-presets: ")


def test_run_is_the_functions_own_command(project: Path) -> None:
    """Same output and exit code as its main.py, by name and by folder."""
    function = project / "functions" / "apply-presets"
    text = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
    calls = [
        [sys.executable, "-m", "krmkit", "run", "apply-presets"],
        [sys.executable, "-m", "krmkit.cli", "run", str(function)],
        [sys.executable, str(function / "main.py")],
    ]
    found = [
        subprocess.run(call, input=text, capture_output=True, text=True, check=False, cwd=project / "shared")
        for call in calls
    ]

    assert {(done.returncode, done.stdout, done.stderr) for done in found} == {(0, text, "")}


def test_pack_there_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Import names the ConfigMaps that it wrote, export the folders."""
    pack = tmp_path / "app"
    pack.mkdir()
    (pack / "pack.json").write_text('{"name": "app"}')

    assert main(["pack", "import", str(pack), "--out", str(tmp_path / "package")]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/package/app.yaml\n"
    assert main(["pack", "export", str(tmp_path / "package"), "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/out/app\n"


def test_tables_fit_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal cells wrap and severities are painted; elsewhere a row is a line of plain text."""
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    table = Table(["SEVERITY", "MESSAGE"])
    table.add(["error", "a message\nof many words " * 8], "red")

    shown = table.text(Terminal(Screen())).splitlines()
    plain = table.text(Terminal(io.StringIO())).splitlines()

    assert len(plain) == 2
    assert "\x1b" not in plain[1]
    assert len(shown) > 3
    assert shown[1].startswith("\x1b[31merror")
    assert all(len(re.sub("\x1b\\[[0-9;]*m", "", line)) <= 60 for line in shown)


def test_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR is respected on a terminal."""
    monkeypatch.setenv("NO_COLOR", "1")

    assert Terminal(Screen()).paint("x", "red") == "x"


@pytest.mark.linux
@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["--help"],
        ["--version"],
        ["render", "PACKAGE", "-o", "stdout"],
        ["render", "PACKAGE", "--diff"],
    ],
)
def test_a_full_disk_behind_stdout(package: Path, words: list[str]) -> None:
    """One line says so, and the exit code that nothing arrived."""
    command = [
        sys.executable,
        "-m",
        "krmkit",
        *(str(package) if word == "PACKAGE" else word for word in words),
    ]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr == f"krmkit {words[0]}: cannot write to stdout: No space left on device\n"


@pytest.mark.linux
@pytest.mark.parametrize("kind", ["stdout", "unwrap", "cluster"])
def test_a_full_disk_behind_few_resources(tmp_path: Path, kind: str) -> None:
    """What fits into Python's buffer is written before the report, which must not say that all went well."""
    (tmp_path / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: app\npipeline:\n  mutators:\n"
        "  - image: ghcr.io/krmkit/set-namespace\n    configMap: {namespace: shop}\n"
    )
    (tmp_path / "map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n")
    command = [sys.executable, "-m", "krmkit", "render", str(tmp_path), "-o", kind]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=buffered
        )

    assert done.returncode == 1
    assert done.stderr == "krmkit render: cannot write to stdout: No space left on device\n"


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the stream")
@pytest.mark.parametrize("words", [["list"], ["--help"], ["--version"], ["render", "PACKAGE", "--diff"]])
@pytest.mark.parametrize("closed", [">&-", ">&- <&-"])
def test_stdout_is_closed(package: Path, words: list[str], closed: str) -> None:
    """One line says so, and no file takes the place of stdout."""
    command = python("-m", "krmkit", *(package if word == "PACKAGE" else word for word in words))
    done = subprocess.run(
        ["sh", "-c", f"exec {command} {closed}"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr == f"krmkit {words[0]}: cannot write to stdout: it is closed\n"


def test_pack_import_of_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Trouble with the disk is one line, never a traceback."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "pack.json").write_text("{}")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / ".krmignore").mkdir()
    (tmp_path / "app" / "x").write_text("x")

    assert main(["pack", "import", str(tmp_path / "app"), "--out", str(tmp_path / "p")]) == 1
    assert capsys.readouterr().err.startswith(
        f"krmkit pack import: {tmp_path}/p/.krmignore: must be a regular file, or a link to one;"
    )


def test_what_changes_meanwhile_is_not_overwritten(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody saves a file while a function runs: that stays, and nothing is written."""
    file = next(path for path in package.rglob("*.yaml") if "presets.yaml" in path.read_text())
    program = package.parent / "program.py"
    program.write_text(
        f"import sys\nopen({str(file)!r}, 'a').write('# mine\\n')\n"
        "sys.stdout.write(sys.stdin.read().replace('version', 'Version'))\n"
    )
    kptfile = package / "Kptfile"
    kptfile.write_text(kptfile.read_text() + exec_entry(sys.executable, "-I", "-S", program))
    before = file.read_text()

    assert main(["render", str(package), "--allow-exec"]) == 1
    assert "was changed by somebody else while this ran; nothing was written" in capsys.readouterr().err
    assert file.read_text() == before + "# mine\n"


def test_no_output_after_a_failure(package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a list without items nor an empty folder: both would be taken for the result."""
    kptfile = package / "Kptfile"
    kptfile.write_text(kptfile.read_text() + "  - exec: /bin/false\n")

    assert main(["render", str(package), "--allow-exec", "-o", "stdout"]) == 1
    assert capsys.readouterr().out == ""
    assert main(["render", str(package), "--allow-exec", "-o", str(tmp_path / "out")]) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("redirection", "shown"),
    [
        pytest.param("2>&-", "stdout", id="closed"),
        pytest.param("2>/dev/full", "", id="full", marks=pytest.mark.linux),
        pytest.param("2>&1", "stdout", id="open"),
    ],
)
def test_stderr_that_takes_nothing(tmp_path: Path, project: Path, redirection: str, shown: str) -> None:
    """What cannot be said fails no run; with stderr closed it is said on stdout."""
    command = f"{python('-m', 'krmkit', 'render', tmp_path / 'nowhere')} {redirection}"
    environment = {**os.environ, "PYTHONPATH": str(project / "shared")}
    done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, check=False)
    (tmp_path / "p").mkdir()
    (tmp_path / "p/Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n")
    command = f"{python('-m', 'krmkit', 'render', tmp_path / 'p')} {redirection}"
    fine = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, check=False)

    assert (done.returncode, fine.returncode) == (1, 0)
    assert (b"nowhere: does not exist" in done.stdout) is (shown == "stdout")
    assert done.stderr == fine.stderr == b""


def test_a_stderr_that_fails_later() -> None:
    """A message that is lost, when it is written or flushed, fails nobody; those after it are not even tried."""

    class Full(io.StringIO):
        tried = 0

        def write(self, text: str) -> int:
            self.tried += 1
            if "x" in text:
                raise OSError(28, "No space left on device")
            return super().write(text)

        def flush(self) -> None:
            raise OSError(28, "No space left on device")

    for text in ("x", "a"):
        full = Full()
        patient = Patient(full)
        assert patient.write(text) == 1
        patient.flush()
        assert patient.write("more") == 4
        assert full.tried == 1


INTERRUPTED = """
import os, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), 2)

sys.meta_path.insert(0, Finder())
from krmkit import start
start.{entry}
"""


@pytest.mark.parametrize(
    ("module", "entry"),
    [
        ("krmkit.cli", "command()"),
        ("krmkit.fn.entry", "function('apply-presets')"),
        ("krmkit.libraries.yaml", "command()"),
    ],
)
def test_ctrl_c_while_starting(project: Path, module: str, entry: str) -> None:
    """It ends the process without a traceback, at whatever import it comes."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.replace("{entry}", entry), module, "list"],
        env={**os.environ, "PYTHONPATH": str(project / "shared")},
        capture_output=True,
        check=False,
    )

    assert done.returncode in {-2, 130}
    assert done.stderr == b""


@pytest.mark.parametrize("command", ["preview", "serve", "variants"])
def test_garbage_of_lasting_commands(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that does many runs in one process collects garbage: a preview kept 0.85 MB of each request."""
    gc.disable()
    try:
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert gc.isenabled()
    finally:
        gc.enable()
