"""The layers: what may import what, what a small run may load, what a rule engine may touch."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.meta.imports import (
    INSIDE,
    KNOWN,
    SLOW,
    STOREYS,
    Sources,
    circles,
    folder_circles,
    outside,
    rising,
    slow,
)

HOT = "functions.apply-presets.main"


@pytest.fixture(scope="module")
def sources(project: Path) -> Sources:
    return Sources(project)


def test_no_arrow_rises(sources: Sources) -> None:
    """A layer imports only layers below it; systems and functions never each other."""
    assert not rising(sources)


def test_no_circles(sources: Sources) -> None:
    """No files import each other in a circle, imports for types and inside of functions included."""
    assert circles(sources) == []


def test_no_circles_of_folders(sources: Sources) -> None:
    """No folders beside each other import each other in a circle, at any depth."""
    assert folder_circles(sources) == []


def test_known_arrows_are_still_there(sources: Sources) -> None:
    """An arrow that no longer rises leaves the list."""
    arrows = {(source.name, entry.module) for source in sources for entry in source.imports}

    assert arrows >= KNOWN


def test_a_listing_tells_the_architecture(project: Path) -> None:
    """shared/krmkit holds at most a dozen folders, each a storey; a storey with an order holds the folders of that order."""
    place = project / "shared/krmkit"
    folders = {path.name for path in place.iterdir() if (path / "__init__.py").is_file()}

    assert folders <= set(STOREYS)
    assert len(folders) <= 12
    for storey, order in INSIDE.items():
        inner = {path.name for path in (place / storey).iterdir() if (path / "__init__.py").is_file()}
        assert inner == {name for names in order for name in ((names,) if isinstance(names, str) else names)}


CIRCLES: list[tuple[str, dict[str, str], list[str]]] = [
    (
        "for types",
        {
            "shared/krmkit/libraries/yaml/a.py": "if TYPE_CHECKING:\n    from krmkit.libraries.yaml.b import B",
            "shared/krmkit/libraries/yaml/b.py": "from krmkit.libraries.yaml.a import A",
        },
        ["krmkit.libraries.yaml.a <-> krmkit.libraries.yaml.b"],
    ),
    (
        "of three, one inside of a function",
        {
            "shared/krmkit/libraries/yaml/a.py": "def f():\n    from krmkit.libraries.yaml import b",
            "shared/krmkit/libraries/yaml/b.py": "from krmkit.libraries.yaml.c import C",
            "shared/krmkit/libraries/yaml/c.py": "import krmkit.libraries.yaml.a",
        },
        ["krmkit.libraries.yaml.a <-> krmkit.libraries.yaml.b <-> krmkit.libraries.yaml.c"],
    ),
    (
        "none",
        {
            "shared/krmkit/libraries/yaml/a.py": "from krmkit.libraries.yaml import b, c",
            "shared/krmkit/libraries/yaml/b.py": "from krmkit.libraries.yaml import c",
            "shared/krmkit/libraries/yaml/c.py": "",
        },
        [],
    ),
]


@pytest.mark.parametrize(
    ("files", "expected"), [case[1:] for case in CIRCLES], ids=[case[0] for case in CIRCLES]
)
def test_rule_of_the_circles(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    """The reader of imports finds circles of any length, and none where there is none."""
    assert circles(tree(tmp_path, files)) == expected


FOLDER_CIRCLES: list[tuple[str, dict[str, str], list[str]]] = [
    (
        "of folders without one of files",
        {
            "shared/krmkit/krm/x/a.py": "from krmkit.krm.y.b import B",
            "shared/krmkit/krm/x/c.py": "",
            "shared/krmkit/krm/y/b.py": "",
            "shared/krmkit/krm/y/d.py": "def f():\n    from krmkit.krm.x import c",
        },
        ["krmkit.krm: x <-> y"],
    ),
    (
        "of a folder and a file beside it",
        {
            "shared/krmkit/krm/x/a.py": "from krmkit.krm.low import B",
            "shared/krmkit/krm/x/c.py": "",
            "shared/krmkit/krm/low.py": "if TYPE_CHECKING:\n    from krmkit.krm.x.c import C",
        },
        ["krmkit.krm: low <-> x"],
    ),
    (
        "none: files above and below a folder",
        {
            "shared/krmkit/krm/x/a.py": "from krmkit.krm.low import B",
            "shared/krmkit/krm/low.py": "",
            "shared/krmkit/krm/high.py": "from krmkit.krm.x.a import A",
        },
        [],
    ),
]


@pytest.mark.parametrize(
    ("files", "expected"), [case[1:] for case in FOLDER_CIRCLES], ids=[case[0] for case in FOLDER_CIRCLES]
)
def test_rule_of_the_circles_of_folders(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    """The reader of imports finds circles of folders that are none of files."""
    assert folder_circles(tree(tmp_path, files)) == expected


def test_hot_path_loads_nothing_slow(sources: Sources) -> None:
    """What apply-presets loads before it reads its input holds no costly module of the standard library."""
    assert HOT in sources.by_name
    assert not slow(sources, [HOT])


def test_lines_stay_below_the_rule(project: Path) -> None:
    """Nothing above krm knows whether a resource is read and edited by lines or as a tree: `read` and `set` choose."""
    house = project / "shared" / "krmkit"
    above = [
        path for path in [*house.rglob("*.py"), *project.glob("functions/*/*.py")]
        if not path.is_relative_to(house / "krm") and not path.is_relative_to(house / "libraries" / "yaml")
    ]  # fmt: skip
    names = re.compile(
        r"\b(itemlines|plainlines|plaintext|plainview|ItemLines|PlainView|line_safe|\w*_plainly|_scalars_with)\b"
    )

    assert len(above) > 500
    found = {str(path): names.findall(path.read_text("utf-8")) for path in above}
    assert {path: words for path, words in found.items() if words} == {}


def test_nothing_from_outside(sources: Sources) -> None:
    """Engines read no clock, environment, network, disk or chance; functions no more than the file they are given."""
    assert not outside(sources)


MAIN = "exec(compile(open(sys.argv[0]).read(), sys.argv[0], 'exec'), {'__name__': '__main__', '__file__': sys.argv[0]})"
COMMAND = "from krmkit.start import command; command()"


@pytest.mark.parametrize(
    ("start", "arguments"),
    [
        pytest.param(MAIN, ["functions/apply-presets/main.py"], id="main.py"),
        pytest.param(COMMAND, ["krmkit", "run", "apply-presets"], id="krmkit run"),
    ],
)
def test_start_of_a_small_run(project: Path, start: str, arguments: list[str]) -> None:
    """A process that runs apply-presets on an empty list has loaded none of the slow modules at its end."""
    program = (
        "import os, sys; sys.path[:0] = sys.argv[1:3]; sys.argv[:] = sys.argv[3:]\n"
        "def end(code):\n"  # a run ends its process by os._exit
        "    os.write(2, ' '.join({name.split('.')[0] for name in sys.modules}).encode()); leave(code)\n"
        f"leave, os._exit = os._exit, end\n{start}\n"
    )
    places = [str(project / "shared"), sysconfig.get_path("purelib")]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, *places, *arguments],
        cwd=project,
        input="apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n",
        capture_output=True,
        text=True,
        check=False,
    )
    loaded = set(done.stderr.split())

    assert done.returncode == 0, done.stderr
    assert "krmkit" in loaded
    assert not SLOW & loaded


RULES: list[tuple[str, dict[str, str], list[str]]] = [
    ("a layer may skip layers", {"shared/krmkit/fn/a.py": "from krmkit.libraries.yaml import tree"}, []),
    (
        "fn imports cli",
        {"shared/krmkit/fn/a.py": "from krmkit.cli import main"},
        ["a.py:1: fn imports krmkit.cli"],
    ),
    (
        "inside a function",
        {"shared/krmkit/libraries/yaml/a.py": "def f():\n    import krmkit.krm.b"},
        ["a.py:2: yaml imports"],
    ),
    (
        "for its types only",
        {"shared/krmkit/libraries/go/a.py": "if TYPE_CHECKING:\n    from krmkit.krm.b import B"},
        ["a.py:2: go imports"],
    ),
    (
        "a submodule through its package",
        {"shared/krmkit/libraries/go/a.py": "from krmkit import krm", "shared/krmkit/krm/__init__.py": ""},
        ["a.py:1: go imports krmkit.krm"],
    ),
    (
        "a name to be imported later",
        {"shared/krmkit/libraries/go/a.py": "load('krmkit.fn.b')", "shared/krmkit/fn/b.py": ""},
        ["a.py:1: go imports krmkit.fn.b"],
    ),
    (
        "another system",
        {"shared/krmkit/systems/porch/a.py": "import krmkit.systems.palette.b"},
        ["porch imports krmkit.systems.palette.b"],
    ),
    (
        "a rule across systems",
        {
            "shared/krmkit/systems/platform/a.py": "import krmkit.systems.palette.b\nimport krmkit.systems.porch.b"
        },
        [],
    ),
    (
        "a system that knows the platform",
        {"shared/krmkit/systems/porch/a.py": "import krmkit.systems.platform.b"},
        ["porch imports krmkit.systems.platform.b"],
    ),
    (
        "a library above it",
        {"shared/krmkit/libraries/go/a.py": "import krmkit.libraries.spiff.b"},
        ["go imports krmkit.libraries.spiff.b"],
    ),
    ("an unknown library", {"shared/krmkit/libraries/attic/a.py": ""}, ["is in no layer"]),
    (
        "another function",
        {"functions/x/main.py": "import functions.y.main"},
        ["functions are loaded by path"],
    ),
    ("a relative import", {"shared/krmkit/krm/a.py": "from .b import c"}, ["a relative import"]),
    ("an unknown layer", {"shared/krmkit/attic/a.py": ""}, ["is in no layer"]),
]


def tree(root: Path, files: dict[str, str]) -> Sources:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return Sources(root)


def matches(found: list[str], expected: list[str]) -> bool:
    return len(found) == len(expected) and all(
        part in line for part, line in zip(expected, found, strict=True)
    )


@pytest.mark.parametrize(("files", "expected"), [case[1:] for case in RULES], ids=[case[0] for case in RULES])
def test_rule_of_the_layers(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    """The reader of imports finds each kind of rising arrow, and none where there is none."""
    found = rising(tree(tmp_path, files))

    assert matches(found, expected), found


STARTS: list[tuple[str, dict[str, str], list[str]]] = [
    ("types cost nothing", {"shared/krmkit/libraries/yaml/a.py": "if TYPE_CHECKING:\n    import typing"}, []),
    ("inside a function", {"shared/krmkit/libraries/yaml/a.py": "def f():\n    import re"}, []),
    ("in a module of yaml", {"shared/krmkit/libraries/yaml/a.py": "import re"}, ["a.py:1: re is loaded"]),
    (
        "in a class body",
        {"shared/krmkit/libraries/yaml/a.py": "class A:\n    import json"},
        ["a.py:2: json is loaded"],
    ),
    (
        "a submodule",
        {"shared/krmkit/libraries/yaml/a.py": "from collections.abc import B"},
        ["collections.abc is loaded"],
    ),
    ("off the hot path", {"shared/krmkit/libraries/go/a.py": "import re"}, []),
    (
        "reached by the entry point, through a package",
        {
            "functions/apply-presets/main.py": "from krmkit.systems.palette.a import b",
            "shared/krmkit/systems/palette/__init__.py": "import json",
            "shared/krmkit/systems/palette/a.py": "",
        },
        ["__init__.py:1: json is loaded"],
    ),
]


@pytest.mark.parametrize(
    ("files", "expected"), [case[1:] for case in STARTS], ids=[case[0] for case in STARTS]
)
def test_rule_of_the_start(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    """The reader of imports knows what is loaded at start from what is not."""
    found = slow(tree(tmp_path, files), [HOT])

    assert matches(found, expected), found


OUTSIDES: list[tuple[str, dict[str, str], list[str]]] = [
    ("a pure module", {"shared/krmkit/libraries/go/a.py": "import math\nx = d.now(zone)"}, []),
    ("the clock", {"shared/krmkit/libraries/go/a.py": "x = datetime.now()"}, ["asks the clock"]),
    (
        "a module, lazily",
        {"shared/krmkit/krm/a.py": "def f():\n    import random"},
        ["a.py:2: imports random"],
    ),
    ("a file", {"shared/krmkit/systems/palette/a.py": "open('x')"}, ["opens a file"]),
    (
        "the environment, from a function",
        {"functions/x/main.py": "import os\nos.environ['A']"},
        ["reads the environment"],
    ),
    (
        "the network, below a function",
        {"functions/x/main.py": "import krmkit.fn.a", "shared/krmkit/fn/a.py": "import socket"},
        ["imports socket"],
    ),
    ("fn that no function reaches", {"shared/krmkit/render/pipeline.py": "import subprocess"}, []),
]


@pytest.mark.parametrize(
    ("files", "expected"), [case[1:] for case in OUTSIDES], ids=[case[0] for case in OUTSIDES]
)
def test_rule_of_the_outside(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    """The reader finds the ways out of a rule engine."""
    found = outside(tree(tmp_path, files))

    assert matches(found, expected), found
