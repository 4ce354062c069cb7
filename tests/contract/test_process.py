"""The contract as orchestrators see it: real processes, real streams, the layouts of a checkout, an image, a package."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from krmkit.fn import loader, testing
from krmkit.fn.contract.contractrules import folder_of
from krmkit.fn.contract.inputs import BYSTANDERS
from krmkit.fn.contract.runchecks import check, load
from tests.contract.checks import FUNCTIONS, REPRESENTATIVES, ROOT, examples
from tests.programs import python, shell
from tests.waiting import MOST

SITE = sysconfig.get_path("purelib")
CODE = (".py", ".yaml")
EXAMPLES = list(examples())
each_function = pytest.mark.parametrize("folder", FUNCTIONS, ids=lambda folder: folder.name)
each_kind = pytest.mark.parametrize("folder", REPRESENTATIVES, ids=lambda folder: folder.name)
each_example = pytest.mark.parametrize(
    "example", EXAMPLES, ids=lambda example: f"{example.function}/{example.folder.name}"
)


def start(
    command: list[str],
    stdin: bytes = b"",
    environment: dict[str, str] | None = None,
    cwd: str | Path = "/",
    as_nobody: bool = False,
) -> subprocess.CompletedProcess[bytes]:
    """A process with an empty environment, in `/`."""
    nobody = 65534 if as_nobody else None
    return subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        check=False,
        cwd=cwd,
        env=environment or {},
        timeout=MOST,
        user=nobody,
        group=nobody,
        extra_groups=[] if as_nobody else None,
    )


@pytest.fixture(scope="module")
def image() -> Iterator[Path]:
    """The layout of an image: functions/ and shared/, with the dependencies in site/, readable for everybody."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        root.chmod(0o755)
        shutil.copytree(ROOT / "shared", root / "shared", ignore=shutil.ignore_patterns("__pycache__"))
        for folder in FUNCTIONS:
            target = root / "functions" / folder.name
            shutil.copytree(folder, target, ignore=shutil.ignore_patterns("__pycache__", "examples"))
            main = target / "main.py"
            # The functions that exist for tests only stand one folder deeper.
            main.write_text(
                main.read_text("utf-8").replace("/../../../../shared", "/../../../shared"), "utf-8"
            )
        (root / "site").symlink_to(SITE)
        yield root


@pytest.fixture(scope="module")
def bare_image(image: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without the dependencies."""
    root = tmp_path_factory.mktemp("bare")
    for name in ("functions", "shared"):
        shutil.copytree(image / name, root / name)
    return root


def text_of(folder: Path) -> str:
    """A list for the function: its first example's."""
    lists = [example.render_list(BYSTANDERS) for example in EXAMPLES if folder_of(example) == folder]
    return lists[0] if lists else testing.resource_list(BYSTANDERS)


@each_example
def test_as_in_an_image(example: testing.Example, image: Path) -> None:
    """`python3 -I -S` with nothing but the image's own folders gives what the function gives in this process."""
    text = example.render_list(BYSTANDERS)
    expected = testing.run_function(folder_of(example), text)

    done = start(
        [sys.executable, "-I", "-S", str(image / "functions" / example.function / "main.py")], text.encode()
    )

    assert done.stdout.decode() == expected.stdout
    assert (done.returncode, done.stderr.decode()) == (expected.exit_code, expected.stderr)


@each_function
def test_as_kpt_starts_it(folder: Path, tmp_path: Path) -> None:
    """`exec:` runs main.py itself, from any folder; the environment changes nothing."""
    text = text_of(folder)
    expected = testing.run_function(folder, text)
    environment = {
        "PATH": str(Path(sys.executable).parent),
        "LOG_TO_STDERR": "true",
        "STRUCTURED_RESULTS": "true",
        "PYTHONHASHSEED": "2",
        "LANG": "C",
        "TZ": "Asia/Kathmandu",
    }

    done = start([str(folder / "main.py")], text.encode(), environment, cwd=tmp_path)

    assert done.stdout.decode() == expected.stdout
    assert (done.returncode, done.stderr.decode()) == (expected.exit_code, expected.stderr)
    assert not list(tmp_path.iterdir())


@each_kind
def test_through_a_link(folder: Path, tmp_path: Path) -> None:
    """A link to main.py, as people put it on PATH, finds the library and the function."""
    text = text_of(folder)
    expected = testing.run_function(folder, text)
    link = tmp_path / "bin" / "linked"
    link.parent.mkdir()
    link.symlink_to(folder / "main.py")

    done = start([sys.executable, str(link)], text.encode(), cwd=tmp_path)

    assert (done.returncode, done.stderr.decode()) == (expected.exit_code, expected.stderr)
    assert done.stdout.decode() == expected.stdout


@each_kind
def test_as_nobody_without_network(folder: Path, image: Path) -> None:
    """Containers run as nobody, without network."""
    if os.geteuid() != 0:
        pytest.skip("only root can become nobody")
    python = next((path for path in (sys.executable, "/usr/bin/python3") if _runs_for_nobody(path)), None)
    if python is None:
        pytest.skip("nobody may not run this interpreter")
    cut_off = ["unshare", "--net"] if _can_cut_off() else []
    setpriv = shutil.which("setpriv")
    command = [python, "-I", "-S", str(image / "functions" / folder.name / "main.py")]
    text = text_of(folder)
    expected = testing.run_function(folder, text)

    if cut_off and setpriv:
        done = start(
            [*cut_off, setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", *command], text.encode()
        )
    else:
        done = start(command, text.encode(), as_nobody=True)

    assert (done.returncode, done.stderr.decode()) == (expected.exit_code, expected.stderr)
    assert done.stdout.decode() == expected.stdout


@cache
def _runs_for_nobody(python: str) -> bool:
    program = (
        f"import sys; sys.path.append({SITE!r}); import yaml._yaml; sys.exit(sys.hexversion < 0x030B0000)"
    )
    try:
        return start([python, "-I", "-S", "-c", program], as_nobody=True).returncode == 0
    except OSError:
        return False


@cache
def _can_cut_off() -> bool:
    try:
        return start(["unshare", "--net", "true"], environment={"PATH": "/usr/bin:/bin"}).returncode == 0
    except OSError:
        return False


@each_function
@pytest.mark.parametrize("flag", ["--help", "--schema", "--version"])
def test_flags_that_show(folder: Path, flag: str) -> None:
    """--help, --schema and --version ignore stdin and exit 0, as `kpt fn doc` needs it."""
    stdin = (b"", b"garbage: [", b"\xff\xfe")[
        (FUNCTIONS.index(folder) + len(flag)) % 3
    ]  # each flag meets each
    done = start([sys.executable, str(folder / "main.py"), flag], stdin)

    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode()
    definition = loader.at(str(folder)).definition
    if flag == "--schema":
        schema = json.loads(shown)
        assert schema["properties"]["kind"]["enum"] == [definition.kind]
        # The configs of another catalog's functions have their fields beside metadata.
        assert definition.own_config or "failOn" in schema["properties"]["spec"]["properties"]
    elif flag == "--version":
        assert shown.startswith(f"{definition.name} (krmkit ")
    else:
        assert definition.summary in " ".join(shown.split())
        for word in (definition.kind, "--explain", "--limit", *(definition.schema.get("properties") or ())):
            assert word in shown, word


@each_function
def test_unknown_flag(folder: Path) -> None:
    """A flag that does not exist fails, with the nearest one named."""
    done = start([sys.executable, str(folder / "main.py"), "--explian"], text_of(folder).encode())

    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == (
        f'{folder.name}: unknown flag "--explian"; did you mean "--explain"? --help lists its flags\n'
    )


@each_kind
def test_file_instead_of_stdin(folder: Path, tmp_path: Path) -> None:
    """A file as argument is the same as that file on stdin."""
    text = text_of(folder)
    (tmp_path / "list.yaml").write_bytes(text.encode())
    main = [sys.executable, str(folder / "main.py")]

    assert start([*main, str(tmp_path / "list.yaml")]).stdout == start(main, text.encode()).stdout


@each_kind
@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        (b"", "the input is empty"),
        (b"a: \xff\n", "the input is not UTF-8: byte 0xff at offset 3, on line 1"),
        ("kind: ResourceList\n".encode("utf-16"), "the input is not UTF-8: byte 0xff at offset 0, on line 1"),
    ],
    ids=["empty", "a byte", "UTF-16"],
)
def test_no_text(folder: Path, stdin: bytes, message: str) -> None:
    """What is not text is answered by an empty list and one error that says why."""
    done = start([sys.executable, str(folder / "main.py")], stdin)

    results = check(folder, "", done.stdout.decode(), done.stderr.decode(), done.returncode)
    assert done.returncode == 1
    assert load(done.stdout.decode())["items"] == []
    assert [result["message"] for result in results] == [f"no readable ResourceList: {message}"]


@each_kind
def test_absent_file(folder: Path) -> None:
    """A file that is not there is no readable list either."""
    done = start([sys.executable, str(folder / "main.py"), "/nowhere/list.yaml"])

    assert done.returncode == 1
    assert "cannot read /nowhere/list.yaml: No such file or directory" in done.stderr.decode()
    assert load(done.stdout.decode())["items"] == []


@each_kind
def test_closed_streams(folder: Path) -> None:
    """A closed stdin is an empty one; a closed stdout is a failure."""
    main = python(folder / "main.py")
    shell = {"PATH": "/usr/bin:/bin"}

    closed_in = start(["sh", "-c", f"{main} <&-"], environment=shell)
    closed_out = start(["sh", "-c", f"{main} >&-"], text_of(folder).encode(), shell)

    assert closed_in.returncode == 1
    assert b"the input is empty" in closed_in.stdout
    assert closed_out.returncode == 1
    assert b"cannot write the output: stdout is closed" in closed_out.stderr


@each_kind
def test_reader_that_goes_away(folder: Path, tmp_path: Path) -> None:
    """A pipe that nobody reads any more ends the run without a word."""
    text = testing.resource_list(BYSTANDERS * 300, EXAMPLES[0].config)
    (tmp_path / "list.yaml").write_bytes(text.encode())
    main, code = python(folder / "main.py", tmp_path / "list.yaml"), shell(tmp_path / "code")

    done = start(
        ["sh", "-c", f"{{ {main}; echo $? >{code}; }} | head -c 10"],
        environment={"PATH": "/usr/bin:/bin"},
    )

    assert done.stdout == b"apiVersion"
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr
    assert (tmp_path / "code").read_text() == "1\n"


@each_function
def test_without_dependencies(folder: Path, bare_image: Path) -> None:
    """Without PyYAML the answer is a result that says so, not a traceback."""
    main = bare_image / "functions" / folder.name / "main.py"

    done = start([sys.executable, "-I", "-S", str(main)], text_of(folder).encode())

    results = load(done.stdout.decode())["results"]
    assert done.returncode == 1
    assert [result["tags"]["rule"] for result in results] == ["missing-dependency"]
    assert "PyYAML" in results[0]["message"]
    assert b"Traceback" not in done.stderr


@each_function
def test_old_python(folder: Path) -> None:
    """An interpreter that is too old is told so in one line."""
    main = str(folder / "main.py")
    program = (
        "import sys; sys.hexversion = 0x030900f0; sys.version = '3.9.0 (old)'\n"
        f"exec(compile(open({main!r}).read(), {main!r}, 'exec'), {{'__name__': '__main__', '__file__': {main!r}}})"
    )

    done = start([sys.executable, "-I", "-S", "-c", program])

    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == "krmkit needs Python 3.11 or newer, and this is Python 3.9.0\n"


def test_interrupted_while_it_starts() -> None:
    """Ctrl-C at any moment, also while modules load, ends a function without a traceback of its code and without half a list.

    Until main.py has said that it wants none, Python shows one, of the lines up to there.
    """
    folder = FUNCTIONS[0]
    text = text_of(folder).encode()
    main = folder / "main.py"
    command = [sys.executable, str(main)]
    first = next(
        number for number, line in enumerate(main.read_text().splitlines(), 1) if "quiet_interrupts()" in line
    )
    whole = start(command, text).stdout
    dice = random.Random(7)
    codes = set()
    for _ in range(20):
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            time.sleep(dice.uniform(0.005, 0.05))
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(text)
        codes.add(process.returncode)
        assert all(int(line) <= first for line in re.findall(rb'main\.py", line (\d+)', stderr)), stderr
        assert not re.findall(rb"/shared/krmkit/(?!__init__\.py|process\.py)", stderr), stderr
        assert stdout in (b"", whole)
        assert process.returncode in (0, 1, 130, -signal.SIGINT)
        assert process.returncode or stdout == whole

    assert codes - {0}, "no signal came early enough"


def test_interrupted_while_it_imports(tmp_path: Path) -> None:
    """The same at the one moment that matters: a module that main.py imports waits for the signal."""
    (tmp_path / "re.py").write_text(
        "import sys\nprint('here', file=sys.stderr, flush=True)\nwhile True:\n    pass\n"
    )
    main = (
        (FUNCTIONS[0] / "main.py")
        .read_text("utf-8")
        .replace('f"{__file__}/../../../shared"', repr(str(ROOT / "shared")))
        .replace("quiet_interrupts()  #", "quiet_interrupts(); sys.path.insert(0, sys.argv[1]); import re  #")
    )
    folder = tmp_path / "function"
    folder.mkdir()
    (folder / "main.py").write_text(main)
    with subprocess.Popen(
        [sys.executable, "-S", str(folder / "main.py"), str(tmp_path)], stderr=subprocess.PIPE
    ) as process:  # fmt: skip
        assert process.stderr is not None
        assert process.stderr.readline() == b"here\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b""

    assert process.returncode == -signal.SIGINT
