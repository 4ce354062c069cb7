"""For tests that run the real kpt and `krmkit render` on the same package."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from krmkit.kpt.resultlist import value_text
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse

ROOT = Path(__file__).resolve().parents[2]
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"
Files = dict[str, bytes]
Done = subprocess.CompletedProcess[str]


def put(root: Path, files: dict[str, str] | Files) -> Path:
    """Make a package of these files, and of nothing else."""
    shutil.rmtree(root, ignore_errors=True)
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def files_of(root: Path) -> Files:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def run_kpt(kpt: str, package: Path, *flags: str) -> Done:
    command = [kpt, "fn", "render", str(package), "--allow-exec", "--truncate-output=false", *flags]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment())


def run_krmkit(package: Path, *flags: str) -> Done:
    command = [sys.executable, "-m", "krmkit", "render", str(package), "--allow-exec", *flags]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment())


def clean_environment() -> dict[str, str]:
    """The environment of children: this checkout's krmkit, no choice of a container runtime."""
    kept = {key: value for key, value in os.environ.items() if key != "KPT_FN_RUNTIME"}
    return {**kept, "PYTHONPATH": str(ROOT / "shared")}


def docker_stand_in(folder: Path) -> None:
    """Put a program called `docker` into a folder, which runs this checkout's function for an image's name and tag."""
    docker = folder / "docker"
    docker.write_text(
        "#!/bin/sh\n"
        '[ "$1" = run ] || exec echo 24.0.7\n'  # kpt asks for the version first
        'for image; do :; done\nname="${image##*/}"\n'
        f"exec '{sys.executable}' '{ROOT}/functions/'\"${{name%:*}}\"/main.py --tag \"${{name##*:}}\"\n"
    )
    docker.chmod(0o755)


def program(path: Path, body: str) -> str:
    """Write a program that changes `text`, the ResourceList on stdin; returns the text for `exec:`."""
    path.write_text(f"import sys\ntext = sys.stdin.read()\n{body}\nsys.stdout.write(text)\n")
    return f"{shlex.quote(sys.executable)} -I -S {shlex.quote(str(path))}"


def pipeline(*commands: str, validators: tuple[str, ...] = ()) -> str:
    """A Kptfile, laid out as kpt leaves it, that runs these commands."""
    text = KPTFILE + "pipeline:\n"
    for stage, entries in (("mutators", commands), ("validators", validators)):
        if entries:
            text += f"  {stage}:\n" + "".join(f"  - exec: {entry}\n" for entry in entries)
    return text


def normalized(kpt: str, root: Path, files: Files) -> Files:
    """The files after kpt without any change: its own layout. Kptfiles are resources like others here."""
    renamed = dict(files)
    for path in [path for path in files if path.rpartition("/")[2] == "Kptfile"]:
        renamed[path + ".as-resource.yaml"] = renamed.pop(path)
    renamed["Kptfile"] = KPTFILE.encode()
    put(root, renamed)
    done = run_kpt(kpt, root)
    assert done.returncode == 0, done.stderr
    found = files_of(root)
    del found["Kptfile"]
    return {path.removesuffix(".as-resource.yaml"): content for path, content in found.items()}


# krmkit with a process that kills itself at the n-th step of its writing: as hard as a kill from outside, and at each step alike.
DYING = """
import os, sys
left = int(sys.argv.pop(1))

def deadly(real):
    def step(*words, **more):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), 9)
        return real(*words, **more)
    return step

for name in ("replace", "remove", "link", "mkdir", "rmdir", "unlink"):
    setattr(os, name, deadly(getattr(os, name)))
from krmkit.cli import main
raise SystemExit(main(sys.argv[1:]))
"""


def run_dying(words: list[str], steps: int) -> int:
    """Run krmkit so that it kills itself at the given step of its writing; returns the exit code."""
    return subprocess.run(
        [sys.executable, "-c", DYING, str(steps), *words],
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    ).returncode


def with_texts(results: bytes) -> object:
    """The data of a results.yaml, values of fields as texts, as kpt has them since 1.0.0-beta.64.1."""
    data = go_data(parse(results.decode()).root)
    assert isinstance(data, dict)
    for run in data.get("items") or []:
        for result in run.get("results") or []:
            field = result.get("field") or {}
            for key in {"currentValue", "proposedValue"} & field.keys():
                field[key] = field[key] if isinstance(field[key], str) else value_text(field[key])
    return data
