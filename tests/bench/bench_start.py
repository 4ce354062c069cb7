"""The cost of a call as users start it: a linked program, `krmkit run`, main.py of a checkout, an image's entry point, and
kpt.

krmkit is installed into a virtual environment from the checkout's own wheel; its dependencies are those of this
environment. Each way is compared with its own interpreter: the same executable, flags and site.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

from tests.bench import image, lists
from tests.bench.timing import INTERPRETER, Command, MeasureError, Row, in_turns, row

ROOT = Path(__file__).resolve().parents[2]
NAMESPACE = "test-set-namespace-everywhere"
PACKAGES = 20
KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: p{number}
pipeline:
  mutators:
{functions}"""
ITEM = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: item-{number}
data:
  key: value
"""
# Four functions that find nothing to do in such a package: what is left is the price of a call.
FUNCTIONS = ("apply-presets", "resolve-macros", "validate-pack-constraints", "inject-config")


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        commands = install(place / "venv")
        return [*_starts(place, commands), *_kpt(place, commands)]


def install(place: Path) -> Path:
    """The folder of the commands of a virtual environment that holds krmkit and what it needs."""
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
    wheel = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    built = place / "wheel"
    subprocess.run([*wheel, "--no-build-isolation", "-w", str(built), str(ROOT)], check=True)
    subprocess.run([*pip, "--no-index", *map(str, built.glob("*.whl"))], check=True)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    paths = place / "lib" / version / "site-packages" / "dependencies.pth"
    paths.write_text(sysconfig.get_path("platlib") + "\n", "utf-8")
    _add_function(place, version)
    return place / "bin"


def _add_function(place: Path, version: str) -> None:
    """Install the benchmark's own function as the wheel installs the catalog's, and link a program for each."""
    shutil.copytree(
        ROOT / "tests/bench" / NAMESPACE,
        place / "lib" / version / "site-packages/krmkit/_functions" / NAMESPACE,
    )
    subprocess.run([place / "bin/krmkit", "link", place / "bin"], check=True, stdout=subprocess.DEVNULL)


def _starts(place: Path, commands: Path) -> list[Row]:
    functions = image.lay_out(place)
    every = _write(place, "every", lists.resource_list(3, lists.SET_NAMESPACE))
    presets = _write(place, "presets", lists.resource_list(3, lists.APPLY_PRESETS, pack=True))
    installed, isolated = [str(commands / "python")], [INTERPRETER, "-I", "-S"]
    ways = {
        "one scalar set in every item, a linked program": (
            installed,
            [str(commands / NAMESPACE)],
            every,
            2.2,
        ),
        "one scalar set in every item, krmkit run": (
            installed,
            [str(commands / "krmkit"), "run", str(ROOT / "tests/bench" / NAMESPACE)],
            every,
            2.2,
        ),
        "one scalar set in every item, main.py of a checkout": (
            installed,
            [*installed, str(ROOT / "tests/bench" / NAMESPACE / "main.py")],
            every,
            2.2,
        ),
        "one scalar set in every item, as in an image": (
            isolated,
            [*isolated, str(functions / f"{NAMESPACE}.py")],
            every,
            2.2,
        ),
        "apply-presets, a linked program": (installed, [str(commands / "apply-presets")], presets, 2.6),
        "apply-presets, krmkit run": (
            installed,
            [str(commands / "krmkit"), "run", "apply-presets"],
            presets,
            2.6,
        ),
        "apply-presets, main.py of a checkout": (
            installed,
            [*installed, str(ROOT / "functions/apply-presets/main.py")],
            presets,
            2.6,
        ),
        "apply-presets, as in an image": (
            isolated,
            [*isolated, str(functions / "apply-presets.py")],
            presets,
            2.6,
        ),
    }
    found = []
    for name, (interpreter, arguments, given, goal) in ways.items():
        measured = {
            "bare": Command([*interpreter, "-c", "pass"]).seconds,
            "run": Command(arguments, given).seconds,
        }
        taken = in_turns(measured, 21)
        found.append(row("Starts, 3 items", name, taken["run"] * 1000, "ms"))
        found.append(
            row("Starts, 3 items", f"{name} / its interpreter", taken["run"] / taken["bare"], "x", goal)
        )
    return [*found, *_against_nothing(commands, presets)]


def _against_nothing(commands: Path, presets: Path) -> list[Row]:
    """The users' commands against the least that Python can do, in processor time."""
    measured = {
        "nothing": Command([INTERPRETER, "-I", "-S", "-c", "pass"]).processor_seconds,
        "presets": Command([str(commands / "apply-presets")], presets).processor_seconds,
        "version": Command([str(commands / "krmkit"), "version"]).processor_seconds,
    }
    taken = in_turns(measured, 21)
    nothing = "`python -I -S -c pass`, CPU"
    return [
        row("Starts, 3 items", f"apply-presets, a linked program / {nothing}", taken["presets"] / taken["nothing"], "x", 3),
        row("Starts, 3 items", f"krmkit version / {nothing}", taken["version"] / taken["nothing"], "x"),
    ]  # fmt: skip


def _kpt(place: Path, commands: Path) -> list[Row]:
    kpt = shutil.which("kpt")
    if kpt is None:
        print("kpt is not on PATH: its rows are left out", file=sys.stderr)
        return []
    ours = [str(commands / name) for name in FUNCTIONS]
    measured = {
        name: Command([kpt, "fn", "render", "--allow-exec", str(_package(place / name, programs))]).seconds
        for name, programs in (("ours", ours), ("cat", ["/bin/cat"] * len(ours)))
    }
    taken = in_turns(measured, 5)
    title = f"{PACKAGES} packages, four functions each, under kpt"
    return [
        row("kpt", title, taken["ours"] * 1000, "ms"),
        row("kpt", f"{title} / the same with cat", taken["ours"] / taken["cat"], "x", 2.7),
    ]


def _package(place: Path, programs: list[str]) -> Path:
    """Packages of ten resources below one, each with these programs in its pipeline."""
    for number in range(PACKAGES):
        folder = place / f"p{number}"
        folder.mkdir(parents=True)
        entries = "".join(f"  - exec: {program}\n    configMap: {{failOn: never}}\n" for program in programs)
        (folder / "Kptfile").write_text(KPTFILE.format(number=number, functions=entries), "utf-8")
        for item in range(10):
            (folder / f"item-{item}.yaml").write_text(ITEM.format(number=item), "utf-8")
    (place / "Kptfile").write_text(KPTFILE.partition("pipeline")[0].format(number="all"), "utf-8")
    done = subprocess.run(
        [shutil.which("kpt") or "kpt", "fn", "render", "--allow-exec", str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise MeasureError(f"kpt fn render: {done.stderr[-800:]}")
    return place


def _write(place: Path, name: str, text: str) -> Path:
    path = place / name
    path.write_text(text, "utf-8")
    return path
