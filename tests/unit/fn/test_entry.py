"""Tests of krmkit.fn.entry and what it shows: the command line, the streams, the exit code."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import krmkit
from krmkit.fn import entry
from krmkit.fn.commandline import Arguments, parse_arguments
from krmkit.fn.config import Config
from krmkit.fn.entry import add_dependencies, command, main
from krmkit.fn.results import Results
from krmkit.krm.errors import Refused
from krmkit.krm.resourcelist import ResourceList

YAML = """\
name: {name}
kind: CountThings
summary: Count the things.
description: |
  Counts each thing once.
tags: [validator]
rules: {{found: "info: how many there are"}}
accepts: [{{apiVersion: a.dev/v1, kind: Pile}}]
schema:
  type: object
  required: [of]
  properties:
    of: {{type: string, enum: [stones, sticks], description: What is counted.}}
    most: {{type: integer, default: 3}}
    piles:
      type: array
      items: {{type: object, properties: {{size: {{type: integer}}}}}}
    prices: {{type: object, additionalProperties: {{type: object, properties: {{net: {{type: number}}}}}}}}
"""
TEXT = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items: []
functionConfig:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: c}
  data: {of: stones}
"""


def process(resources: ResourceList, config: Config, results: Results) -> None:
    print("left in by mistake")
    results.info("found", f"{len(resources.items)} {config.spec['of']}")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """The folder of a function."""
    place = tmp_path / "count-things"
    place.mkdir()
    (place / "function.yaml").write_text(YAML.format(name="count-things"), "utf-8")
    return str(place)


class Call:
    """One call of `command`, and what it left behind."""

    def __init__(self, folder: str, arguments: list[str], stdin: bytes | None = TEXT.encode()) -> None:
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        given = io.TextIOWrapper(io.BytesIO(stdin), "utf-8") if stdin is not None else None
        self.code = command(folder, process, arguments, given, out, err)
        self.stdout = out.buffer.getvalue().decode()
        self.stderr = err.getvalue()


def test_run(folder: str) -> None:
    """A list comes in, a list goes out."""
    call = Call(folder, [])

    assert call.stdout.startswith(TEXT + "results:\n- message: 0 stones\n")
    assert (call.code, call.stderr) == (0, "")


def test_file(folder: str, tmp_path: Path) -> None:
    """A file is read instead of stdin; a dash is stdin."""
    (tmp_path / "list.yaml").write_text(TEXT.replace("stones", "sticks"), "utf-8")

    assert "0 sticks" in Call(folder, [str(tmp_path / "list.yaml")], None).stdout
    assert "0 stones" in Call(folder, ["-"]).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--explian"], 'unknown flag "--explian"; did you mean "--explain"?'),
        (
            ["--wat=1"],
            'unknown flag "--wat=1"; known: --help, --explain, --debug, --tag, --crds, --limit, --jobs, --schema, --version',
        ),
        (
            ["-x"],
            'unknown flag "-x"; known: --help, --explain, --debug, --tag, --crds, --limit, --jobs, --schema, --version',
        ),
        (["a", "b"], 'too many arguments: expected at most one FILE, got "a" and "b"'),
        (
            ["--limit"],
            '--limit NAME=N: NAME must be one of depth, aliases, items, item_size, total_size, effort, got ""',
        ),
        (
            ["--limit", "dept=3"],
            '--limit NAME=N: NAME must be one of depth, aliases, items, item_size, total_size, effort, got "dept=3"',
        ),
        (
            ["--limit", "depth"],
            '--limit depth=N: N must be a whole number above 0 (Ki, Mi or Gi may follow), got ""',
        ),
        (
            ["--limit=depth=0"],
            '--limit depth=N: N must be a whole number above 0 (Ki, Mi or Gi may follow), got "0"',
        ),
        (
            ["--limit=depth=-1"],
            '--limit depth=N: N must be a whole number above 0 (Ki, Mi or Gi may follow), got "-1"',
        ),
        (
            ["--limit=depth=1K"],
            '--limit depth=N: N must be a whole number above 0 (Ki, Mi or Gi may follow), got "1K"',
        ),
    ],
)
def test_usage_errors(folder: str, arguments: list[str], message: str) -> None:
    """What cannot be understood is said on stderr, with exit code 1."""
    call = Call(folder, arguments)

    assert (call.stdout, call.code) == ("", 1)
    end = " " if message.endswith("?") else "; "
    assert call.stderr == f"count-things: {message}{end}--help lists its flags\n"


def test_arguments() -> None:
    """All flags, in any order, before and after the file."""
    parsed = parse_arguments(
        ["--debug", "x.yaml", "--limit", "depth=7", "--explain", "--limit=item-size=2Ki"]
    )

    assert isinstance(parsed, Arguments)
    assert (parsed.file, parsed.show) == ("x.yaml", "")
    assert (parsed.options.debug, parsed.options.explain) == (True, True)
    assert (parsed.options.limits.depth, parsed.options.limits.item_size) == (7, 2048)
    assert parsed.options.limits.items == 1_000_000


def test_later_calls_have_their_own_options() -> None:
    """A flag of one call is none of the next."""
    parse_arguments(["--debug", "--limit=depth=1"])

    fresh = parse_arguments([]).options

    assert not fresh.debug
    assert fresh.limits.depth == 500


def test_limit_is_applied(folder: str) -> None:
    """A limit that is lowered is hit."""
    call = Call(folder, ["--limit", "depth=1"])

    assert call.code == 1
    assert "is over the limit of 1 (raise it with --limit depth=N)" in call.stdout


def test_help_wins(folder: str) -> None:
    """--help beside other flags is still help, and reads nothing."""
    call = Call(folder, ["--debug", "--schema", "--help"], None)

    assert call.code == 0
    assert call.stdout.startswith("count-things: Count the things.\n\nCounts each thing once.\n\nUsage:\n")


def test_help_names_everything(folder: str) -> None:
    """Fields with their types, defaults and descriptions, nested ones too; rules; accepted kinds."""
    lines = Call(folder, ["--help"]).stdout.splitlines()

    for line in (
        "spec.of: stones | sticks, required",
        "  What is counted.",
        "spec.most: integer, default 3",
        "spec.piles: list of object",
        "spec.prices: map of object",
        "spec.piles[].size: integer",
        "spec.prices.<name>.net: number",
        "spec.failOn: error | warning | never",
        "Also taken as it is: kind Pile (a.dev/v1).",
        "  found: info: how many there are",
        "Config: kind CountThings (krmkit.dev/v1alpha1), fields under spec; or a",
        "ConfigMap, fields as texts under data.",
    ):
        assert line in lines, line


def test_schema(folder: str) -> None:
    """--schema is the schema of the whole config, as editors and catalogs use it."""
    schema = json.loads(Call(folder, ["--schema"]).stdout)

    assert schema["properties"]["apiVersion"]["enum"] == ["krmkit.dev/v1alpha1"]
    assert schema["properties"]["kind"]["enum"] == ["CountThings"]
    assert list(schema["properties"]["spec"]["properties"]) == ["of", "most", "piles", "prices", "failOn"]
    assert schema["required"] == ["apiVersion", "kind", "spec"]


def test_version(folder: str) -> None:
    """--version is that of krmkit."""
    assert Call(folder, ["--version"]).stdout == f"count-things (krmkit {krmkit.__version__})\n"


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        (None, "the input is empty"),
        (b"", "the input is empty"),
        (b" \n\n", "the input is empty"),
        (b"a: b\n\xc3(\n", "the input is not UTF-8: byte 0xc3 at offset 5, on line 2"),
    ],
)
def test_no_text(folder: str, stdin: bytes | None, message: str) -> None:
    """Without text there is no list."""
    call = Call(folder, [], stdin)

    assert call.code == 1
    assert f"no readable ResourceList: {message}" in call.stdout
    assert call.stderr == f"count-things: no readable ResourceList: {message}\n"


@pytest.mark.parametrize("name", ["absent.yaml", "."])
def test_unreadable_file(folder: str, tmp_path: Path, name: str) -> None:
    """A file that cannot be read is not a list."""
    call = Call(folder, [str(tmp_path / name)])

    assert call.code == 1
    assert f"cannot read {tmp_path / name}: " in call.stdout


@pytest.mark.parametrize(
    "text", ["", "name: [", "name: a\nkind: B\n", "name: a\nkind: B\nsummary: c\ntags: []\nschema: 1\n"]
)
def test_broken_function(folder: str, text: str) -> None:
    """A function.yaml that cannot be used is a result too."""
    Path(folder, "function.yaml").write_text(text, "utf-8")
    call = Call(folder, [])

    assert call.code == 1
    assert "items: []" in call.stdout
    assert "the function itself is broken: " in call.stdout
    assert call.stderr.count("\n") == 1


class Broken(io.BytesIO):
    """A stream that nobody reads, or that has no room."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error

    def write(self, data: object) -> int:
        raise self.error


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (BrokenPipeError(), ""),
        (OSError(28, "No space left on device"), "cannot write the output: No space left on device\n"),
    ],
)
def test_output_that_does_not_arrive(folder: str, error: OSError, message: str) -> None:
    """A run whose output is lost has failed; a closed pipe is nothing to talk about."""
    err = io.StringIO()
    out = io.TextIOWrapper(Broken(error), "utf-8")

    code = command(folder, process, [], io.TextIOWrapper(io.BytesIO(TEXT.encode())), out, err)

    assert code == 1
    assert err.getvalue() == message


@pytest.mark.parametrize("full", [True, False], ids=["full", "closed"])
def test_stderr_that_takes_nothing(folder: str, full: bool) -> None:
    """The list and its results come all the same, and the exit code says that the run failed."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    err = io.TextIOWrapper(Broken(OSError(28, "No space left on device")), "utf-8") if full else None
    text = TEXT.replace("stones", "clouds")

    code = command(folder, process, [], io.TextIOWrapper(io.BytesIO(text.encode())), out, err)

    assert code == 1
    assert out.buffer.getvalue().decode().startswith(text.partition("functionConfig")[0])
    assert "severity: error" in out.buffer.getvalue().decode()


def test_terminal_gets_a_word(folder: str) -> None:
    """Who calls a function by hand learns that it waits for input."""

    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()

    command(folder, process, [], Terminal(io.BytesIO(TEXT.encode())), out, err)

    assert err.getvalue() == "count-things: reading a ResourceList from the terminal (--help says more)\n"


def test_main(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a process: the streams of sys, and prints of the function kept out of the list."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    monkeypatch.setattr(sys, "argv", ["main.py", "--explain"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr("krmkit.libraries.yaml._libyaml.lean", False)
    monkeypatch.setattr("gc.disable", lambda: None)

    monkeypatch.setattr("os._exit", sys.exit)

    with pytest.raises(SystemExit) as ended:
        main(folder + "/main.py", process)

    assert ended.value.code == 0
    assert out.buffer.getvalue().decode().startswith(TEXT)
    assert err.getvalue() == "left in by mistake\n"


def test_dependencies_come_last(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    """A checkout finds its environment, an image its site folder, after everything the interpreter has itself."""
    monkeypatch.setattr(sys, "path", ["first"])

    add_dependencies()
    add_dependencies()

    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    assert sys.path[0] == "first"
    assert [Path(path).relative_to(project).as_posix() for path in sys.path[1:]] == [
        "site",
        f".venv/lib/{version}/site-packages",
        f".venv-run/lib/{version}/site-packages",
    ]


def test_usage_error_is_no_result() -> None:
    """A usage error is an exception of its own."""
    with pytest.raises(Refused):
        parse_arguments(["--nope"])


def test_a_large_list_is_written_in_parts(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bytes never lie in memory a second time as a whole; signs of several bytes stay whole at the ends of the parts."""
    monkeypatch.setattr(entry, "_AT_ONCE", 7)
    sizes: list[int] = []

    class Counting(io.BytesIO):
        def write(self, data: Any) -> int:
            sizes.append(len(data))
            return super().write(data)

    text = TEXT.replace("functionConfig", "# größer als ein Teil: 日本語\nfunctionConfig")
    written = Counting()
    out = io.TextIOWrapper(written, "utf-8")
    code = command(folder, process, [], io.TextIOWrapper(io.BytesIO(text.encode())), out, io.StringIO())

    assert code == 0
    assert max(sizes) <= 7 * 4
    assert written.getvalue().decode().startswith(text)
