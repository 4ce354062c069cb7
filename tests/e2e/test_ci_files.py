"""What CI systems get: the hooks of pre-commit and the action, run as these run them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
KPTFILE = """apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: p
pipeline:
  mutators:
  - image: ghcr.io/krmkit/set-package-context
    configMap: {site: north}
"""
CONTEXT = """apiVersion: v1
kind: ConfigMap
metadata:
  name: kptfile.kpt.dev
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  name: p
  site: none
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a package, and an installed krmkit where the action has it."""
    package = tmp_path / "work" / "p"
    package.mkdir(parents=True)
    (package / "Kptfile").write_text(KPTFILE)
    (package / "package-context.yaml").write_text(CONTEXT)
    command = tmp_path / "krmkit" / "bin" / "krmkit"
    command.parent.mkdir(parents=True)
    command.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}/shared' exec '{sys.executable}' -m krmkit \"$@\"\n")
    command.chmod(0o755)
    return tmp_path


def run(tree: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{tree}/krmkit/bin{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(tree), "RUNNER_TEMP": str(tree), **variables}
    return subprocess.run(
        command, cwd=tree / "work", env=environment, capture_output=True, text=True, check=False
    )


def test_hooks(tree: Path) -> None:
    """The check says 2 and writes nothing until the other hook has rendered."""
    check, render = (shlex.split(HOOKS[name]["entry"]) for name in ("krmkit-check", "krmkit-render"))

    assert run(tree, *check).returncode == 2
    assert (tree / "work/p/package-context.yaml").read_text() == CONTEXT
    assert run(tree, *render).returncode == 0
    assert run(tree, *check).returncode == 0


def step(start: str) -> dict[str, Any]:
    """The step of the action whose name begins so."""
    return next(one for one in ACTION["runs"]["steps"] if one["name"].startswith(start))


def script(start: str = "Render") -> str:
    text: str = step(start)["run"]
    assert "${{" not in text  # texts of others must not become commands
    return text


@pytest.mark.parametrize(
    ("variables", "code", "expected"),
    [
        pytest.param(
            {},
            2,
            "::error file=p/package-context.yaml,title=not-rendered::",
            id="a package that is not rendered",
        ),
        pytest.param({"INPUT_ARGUMENTS": "--results-dir out --explain"}, 2, "", id="more flags"),
        pytest.param(
            {"INPUT_ARGUMENTS": "--results-dir out\n--no-such\n"}, 1, "--no-such", id="lines of flags"
        ),
        pytest.param({"INPUT_PATH": "nowhere"}, 1, "nowhere: does not exist", id="a wrong folder"),
        pytest.param({"INPUT_PATH": "$(touch owned)"}, 1, "does not exist", id="a text is no command"),
    ],
)
def test_action(tree: Path, variables: dict[str, str], code: int, expected: str) -> None:
    """The script of the action, with the inputs as GitHub gives them."""
    inputs = {"INPUT_PATH": ".", "INPUT_SINCE": "", "INPUT_ARGUMENTS": "", **variables}

    done = run(tree, "bash", "-e", "-o", "pipefail", "-c", script(), **inputs)

    assert done.returncode == code, done.stderr
    assert expected in done.stdout + done.stderr
    assert not (tree / "work" / "owned").exists()


def test_the_summary_of_the_job(tree: Path) -> None:
    """What would change is in it, with the diff; where all is well, nothing."""
    inputs = {
        "INPUT_PATH": ".",
        "INPUT_SINCE": "",
        "INPUT_ARGUMENTS": "",
        "GITHUB_STEP_SUMMARY": f"{tree}/summary",
    }
    bash = ("bash", "-e", "-o", "pipefail", "-c", script())

    assert run(tree, *bash, **inputs).returncode == 2
    summary = (tree / "summary").read_text()
    assert summary.startswith("### krmkit render\n")
    assert "+  site: north" in summary

    (tree / "summary").unlink()
    assert run(tree, "krmkit", "render", "p").returncode == 0
    assert run(tree, *bash, **inputs).returncode == 0
    assert not (tree / "summary").exists()


GH = """#!/bin/sh
# The comments of a pull request as files: what `gh api` would do.
case "$*" in
*graphql*) echo "robot[bot]"; exit 0 ;;
*--paginate*)
  case "$*" in *".user.login == env.AUTHOR"*) ;; *) exit 3 ;; esac
  for file in "$COMMENTS"/*; do
    [ -f "$file" ] && head -n 1 "$file" | grep -qFx -e "$MARKER" && ! grep -qx "by somebody else" "$file" && basename "$file"
  done
  exit 0 ;;
*PATCH*) target="$COMMENTS/$(echo "$*" | sed 's|.*comments/\\([0-9]*\\).*|\\1|')" ;;
*POST*) target="$COMMENTS/$(ls "$COMMENTS" | wc -l | tr -d ' ')" ;;
esac
for word in "$@"; do case "$word" in body=@*) cp "${word#body=@}" "$target" ;; esac; done
"""


def test_the_comment_on_a_pull_request(tree: Path) -> None:
    """One is made where there is something to say, and changed from then on; those of others and of other paths stay."""
    gh = tree / "krmkit/bin/gh"
    gh.write_text(GH)
    gh.chmod(0o755)
    comments = tree / "comments"
    comments.mkdir()
    (comments / "0").write_text("Looks good\n")
    (comments / "1").write_text("<!-- krmkit render other -->\nof another path\n")
    (comments / "2").write_text("<!-- krmkit render . -->\nby somebody else\n")
    inputs = {"INPUT_PATH": ".", "INPUT_SINCE": "", "INPUT_ARGUMENTS": "", "INPUT_COMMENT": "true"}
    given = {"REPOSITORY": "owner/name", "NUMBER": "7", "COMMENTS": str(comments), "INPUT_PATH": "."}
    bash = ("bash", "-e", "-o", "pipefail", "-c")

    def check() -> list[str]:
        code = run(tree, *bash, script(), **inputs).returncode
        done = run(tree, *bash, script("Comment"), **given, CODE=str(code))
        assert done.returncode == 0, done.stderr
        return [(comments / name).read_text() for name in sorted(os.listdir(comments))]

    (others, ours) = (check()[:3], check()[3:])
    assert others[:2] == ["Looks good\n", "<!-- krmkit render other -->\nof another path\n"]
    assert others[2] == "<!-- krmkit render . -->\nby somebody else\n"
    assert len(ours) == 1
    assert ours[0].startswith("<!-- krmkit render . -->\n### krmkit render\n")
    assert "+  site: north" in ours[0]

    assert run(tree, "krmkit", "render", "p").returncode == 0
    *_, after = check()
    assert len(list(comments.iterdir())) == 4
    assert "1 unchanged" in after and "site: north" not in after

    (comments / "3").unlink()
    assert len(check()) == 3  # all is well, and nobody was told otherwise


def test_a_plan(tree: Path) -> None:
    """A change of Clusters passes, with its comment; a refused one fails; another command is named."""
    gh = tree / "krmkit/bin/gh"
    gh.write_text(GH)
    gh.chmod(0o755)
    (tree / "comments").mkdir()
    sites = tree / "work/sites"
    example = ROOT / "functions/render-cluster-topology/examples/quick-start"
    shutil.copytree(example, sites, ignore=shutil.ignore_patterns(".expected"))
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.com")
    for words in (("init", "-q", "-b", "main", "."), ("add", "-A"), ("commit", "-qm", "one")):
        assert run(tree, *git, *words).returncode == 0
    assert run(tree, "git", "update-ref", "refs/remotes/origin/main", "HEAD").returncode == 0
    inputs = {"INPUT_PATH": ".", "INPUT_COMMAND": "plan", "INPUT_COMMENT": "true", "GITHUB_BASE_REF": "main"}
    given = {"REPOSITORY": "owner/name", "NUMBER": "7", "COMMENTS": str(tree / "comments")}
    bash = ("bash", "-e", "-o", "pipefail", "-c")

    def planned(version: str) -> tuple[int, str]:
        clusters = sites / "clusters.yaml"
        clusters.write_text(clusters.read_text().replace("v1.33.1", version))
        done = run(tree, *bash, script(), GITHUB_OUTPUT=f"{tree}/output", **inputs)
        code = (tree / "output").read_text().splitlines()[-1].removeprefix("code=")
        assert run(tree, *bash, script("Comment"), **inputs, **given, CODE=code).returncode == 0
        return done.returncode, (tree / "comments/0").read_text()

    code, comment = planned("v1.33.1")
    assert code == 0 and comment.startswith("<!-- krmkit plan . -->\n")
    assert "2 Clusters: 0 with changes" in comment
    code, comment = planned("v1.34.0")
    assert code == 0 and "2 with rolling machines" in comment
    (sites / "class.yaml").write_text(
        (sites / "class.yaml").read_text().replace("name: node-labels", "name: eviction-hard")
    )
    code, comment = planned("v1.34.0")
    assert code == 1 and "must be unique" in comment
    wrong = run(tree, *bash, script(), **{**inputs, "INPUT_COMMAND": "plans"})
    assert (
        wrong.returncode == 1
        and "command must be render, check, plan, sync or install, got plans" in wrong.stdout
    )


def test_more_comments_than_a_pipe_holds(tree: Path) -> None:
    """The first of many comments with the marker is changed; a list that is longer than it need be ends nothing."""
    gh = tree / "krmkit/bin/gh"
    gh.write_text(
        f'#!/bin/sh\ncase "$*" in *graphql*) ;; *--paginate*) seq 100000 ;; *) echo "$*" >>{tree}/calls ;; esac\n',
        encoding="utf-8",
    )
    gh.chmod(0o755)
    (tree / "krmkit.md").write_text("### krmkit render\n", encoding="utf-8")
    given = {"REPOSITORY": "owner/name", "NUMBER": "7", "INPUT_PATH": ".", "CODE": "2"}

    done = run(tree, "bash", "-e", "-o", "pipefail", "-c", script("Comment"), **given)

    assert done.returncode == 0, done.stderr
    assert "--method PATCH repos/owner/name/issues/comments/1 " in (tree / "calls").read_text("utf-8")


def test_the_action_names_its_inputs() -> None:
    """Every input reaches the script, through a variable."""
    environments = {**step("Install")["env"], **step("Render")["env"]}
    assert step("Comment")["env"]["GH_TOKEN"] == "${{ inputs.token }}"
    for name in set(ACTION["inputs"]) - {"python", "token"}:
        assert environments[f"INPUT_{name.upper()}"] == f"${{{{ inputs.{name} }}}}"
    assert step("Get Python")["with"]["python-version"] == "${{ inputs.python }}"
    assert environments["PYTHON"] == "${{ steps.python.outputs.python-path }}"


@pytest.mark.parametrize(
    ("extras", "locks"),
    [
        ("", []),
        ("cel,starlark", ["cel", "starlark"]),
        ("all", "cel serve extension preview spiff starlark fleet".split()),
    ],
)
def test_the_action_installs_by_its_own_python(tree: Path, extras: str, locks: list[str]) -> None:
    """Not by that of the runner, with the extras that are asked for, and every package by its hash."""
    python = tree / "python3.12"
    pip = '#!/bin/sh\nshift; echo "$@" >>"$RUNNER_TEMP/installed"\n'
    python.write_text(
        f'#!/bin/sh\nmkdir -p "$3/bin"\ncat >"$3/bin/pip" <<\'END\'\n{pip}END\nchmod +x "$3/bin/pip"\n'
    )
    python.chmod(0o755)

    done = run(
        tree,
        *("bash", "-e", "-o", "pipefail", "-c", script("Install")),
        PYTHON=str(python),
        INPUT_EXTRAS=extras,
        GITHUB_ACTION_PATH="ACTION",
        GITHUB_PATH=f"{tree}/paths",
    )

    assert done.returncode == 0, done.stderr
    programs = Path((tree / "paths").read_text().strip())  # for later steps
    assert os.listdir(programs) == ["krmkit"] and (programs / "krmkit").samefile(tree / "krmkit/bin/krmkit")
    *locked, last = (tree / "installed").read_text().splitlines()
    assert last == "--quiet --no-deps --no-build-isolation ACTION"
    names = ["build", "run", *locks]
    assert locked == [
        f"--quiet --require-hashes --requirement ACTION/requirements/{name}.txt" for name in names
    ]
    assert all("--hash=sha256:" in (ROOT / f"requirements/{name}.txt").read_text() for name in names)


def test_the_table_of_exit_codes(tree: Path) -> None:
    """docs/ci.md says what the command does."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| exit code ([0-9]) \| (.*) \|$", page, re.MULTILINE))

    assert run(tree, "krmkit", "render", "p", "--check").returncode == 2
    assert "would change" in rows["2"]
    assert run(tree, "krmkit", "render", "p", "--chekc").returncode == 1
    assert "the command line is wrong" in rows["1"]
    assert run(tree, "krmkit", "render", "p").returncode == 0
    assert run(tree, "krmkit", "render", "p", "--check").returncode == 0
    assert "nothing would change" in rows["0"]


def test_since_in_a_shallow_clone(tree: Path) -> None:
    """The error names fetch-depth: what GitHub checks out has no history."""
    here = tree / "work"
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    run(tree, "git", "init", "-q", "-b", "main", ".")
    for number in (1, 2):
        (here / "p" / "note.txt").write_text(str(number))
        run(tree, "git", "add", ".")
        assert run(tree, "git", *identity, "commit", "-qm", "change").returncode == 0
    assert run(tree, "git", "clone", "-q", "--depth", "1", f"file://{here}", "clone").returncode == 0

    done = run(tree, "krmkit", "render", "-r", "clone", "--check", "--since", "main~1")

    assert done.returncode == 1
    assert "fetch-depth: 0" in done.stderr
