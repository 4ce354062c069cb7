"""Runs the commands of kpt's records with krmkit in kpt's place, and compares the files and the exit code.

A record has `before` (files), `command` (for bash), `after` and `exit`; README.md beside the records has its format. `kpt fn render` is
`krmkit render`, `kpt pkg update` is `krmkit pkg update`. Files are compared as data: comments, quotes and the order of keys are krmkit's
own, and a null field is an absent one. What kpt says of a render in a Kptfile (condition Rendered, status.renderStatus) is compared where the package had it before.

In a record `<CWD>` is the folder of the case, and `<WORK>` is `work` in it, where most commands run.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

_ROOT = Path(__file__).resolve().parents[3]
_SHIM = f"""#!/bin/bash
case "$1" in
  fn) shift; case "$1" in render) ;; *) echo "kpt fn $1 has no counterpart" >&2; exit 97;; esac ;;
esac
exec {sys.executable!r} -m krmkit.cli "$@"
"""


class _Loader(yaml.BaseLoader):
    """Every scalar is its text, but for null."""


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:~|null|)$"), ["~", "n", ""])
_Loader.add_constructor("tag:yaml.org,2002:null", lambda loader, node: None)
_MARK = "internal.kpt.dev/upstream-identifier"

File = str | bytes | None


def judge(record: dict[str, object], folder: Path) -> tuple[bool, str]:
    """Run a record's command in a folder of its own."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        case, tools = root / "case", root / "tools"
        case.mkdir()
        tools.mkdir()
        (tools / "kpt").write_text(_SHIM, "utf-8")
        (tools / "kpt").chmod(0o755)
        before, after = record["before"], record.get("after", record["before"])
        assert isinstance(before, dict)
        assert isinstance(after, dict)
        for name, content in before.items():
            _put(case / name, content, str(name).endswith("/"))
        path = os.pathsep.join(
            (str(folder.resolve() / "_bin"), str(case / "bin"), str(tools), os.environ["PATH"])
        )
        variables = {
            "PATH": path,
            "HOME": place,
            "PYTHONPATH": str(_ROOT / "shared"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "3",
            "GIT_CONFIG_KEY_0": "user.name",
            "GIT_CONFIG_VALUE_0": "a",
            "GIT_CONFIG_KEY_1": "user.email",
            "GIT_CONFIG_VALUE_1": "a@example.com",
            "GIT_CONFIG_KEY_2": "protocol.file.allow",
            "GIT_CONFIG_VALUE_2": "always",
        }
        prepare, marker, command = str(record["command"]).partition("# command\n")
        if marker:
            _run(prepare, case, variables)
        prepared = _found(case, place)
        done = _run(command if marker else prepare, case, variables)
        if done.returncode != record["exit"]:
            return False, f"exit {done.returncode}, kpt {record['exit']}: {done.stderr}"
        found = _found(case, place)
        wanted = {str(name): _wanted(content) for name, content in after.items()}
        if record["exit"] and "pkg update" in command:
            wanted = prepared  # kpt leaves a package half updated; here an error leaves it as it was
    problems = []
    for name in sorted(found.keys() | wanted.keys()):
        if name.endswith(".log") or name.startswith(("up/", "bin/")):
            continue
        if name not in found or name not in wanted:
            problems.append(f"{name} is {'missing' if name not in found else 'there'}")
            continue
        old = _wanted(before[name]) if name in before else None
        mine, theirs = _data(name, found[name], old), _data(name, wanted[name], old)
        if mine != theirs:
            problems.append(f"{name}: {mine!r} is not {theirs!r}")
    return not problems, "; ".join(problems) + f" [{done.stderr}]"


def _run(command: str, folder: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=120,
    )


def _put(path: Path, content: object, folder: bool) -> None:
    if folder:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict) and "link" in content:
        path.symlink_to(str(content["link"]))
    elif isinstance(content, dict) and "b64" in content:
        path.write_bytes(base64.b64decode(str(content["b64"])))
    else:
        text = content["text"] if isinstance(content, dict) else content
        path.write_bytes(str(text).encode())
        if isinstance(content, dict) and content.get("x"):
            path.chmod(0o755)


def _found(case: Path, place: str) -> dict[str, File]:
    """Return the files below the folder, without git's own."""
    found: dict[str, File] = {}
    for folder, folders, names in os.walk(case):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = Path(folder, name)
            where = path.relative_to(case).as_posix()
            if path.is_symlink():
                found[where] = f"-> {os.readlink(path)}"
            else:
                content = path.read_bytes().replace(str(case).encode(), b"<CWD>")
                found[where] = content
    return found


def _wanted(content: object) -> File:
    if isinstance(content, dict):
        if "link" in content:
            return f"-> {content['link']}"
        if "b64" in content:
            return base64.b64decode(str(content["b64"]))
        content = content["text"]
    return str(content).encode()


def _data(name: str, content: File, before: File) -> object:
    if not isinstance(content, bytes) or not name.endswith((".yaml", ".yml", "Kptfile")):
        return content
    try:
        documents = [each for each in yaml.load_all(content, _Loader) if each is not None]
    except yaml.YAMLError:
        return content
    if name.endswith("Kptfile") and not (isinstance(before, bytes) and b"renderStatus" in before):
        documents = [_without_status(each) for each in documents]
    return [_bare(each, name.endswith("Kptfile")) for each in documents]


def _bare(value: object, kptfile: bool) -> object:
    """Leave out nulls and kpt's mark of where a resource came from, and in a Kptfile empty fields, which kpt drops when it writes it anew."""
    if isinstance(value, dict):
        kept = {key: _bare(each, kptfile) for key, each in value.items() if key != _MARK}
        if set(value.get("annotations") or ()) == {_MARK}:
            del kept["annotations"]
        return {
            key: each
            for key, each in kept.items()
            if each is not None and not (kptfile and each in ({}, [], ""))
        }
    return [_bare(each, kptfile) for each in value] if isinstance(value, list) else value


def _without_status(kptfile: object) -> object:
    status = kptfile.get("status") if isinstance(kptfile, dict) else None
    if not isinstance(status, dict) or not isinstance(kptfile, dict):
        return kptfile
    status = {key: value for key, value in status.items() if key != "renderStatus"}
    conditions = [each for each in status.pop("conditions", None) or [] if each.get("type") != "Rendered"]
    if conditions:
        status["conditions"] = conditions
    kptfile = {key: value for key, value in kptfile.items() if key != "status"}
    return {**kptfile, "status": status} if status else kptfile


FILES = {"kpt.jsonl": judge}
