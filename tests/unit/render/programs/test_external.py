"""Functions outside the catalog: what they are sent, what of their answer counts, and how they are found."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from krmkit.fn.run import RunOptions
from krmkit.kpt.kptfile import PipelineFunction, image_name, program_name
from krmkit.libraries.yaml.limits import Limits
from krmkit.render.package import read
from krmkit.render.pipeline import render
from krmkit.render.programs.container import bad_image, container, full_name, runtime
from krmkit.render.programs.external import bare
from krmkit.render.rendering import Rendering
from krmkit.render.resolve import Known, ProgramResolver, ResolveError
from tests.programs import exec_entry, shell, write_script
from tests.unit.render.rendering import KPTFILE, Made, changed, put, rendered, resource

ITEM = "# head\n" + resource("a", "data:\n    x:   'old'   # why\n    list: [1, 2]\n    y: 010\n")
EDIT = "import re, sys\ntext = sys.stdin.read()\n{body}\nsys.stdout.write(text)\n"


def run(root: Path, body: str, files: dict[str, str] | None = None) -> Rendering:
    """Render a package with a program that changes `text`, the ResourceList that it gets."""
    root.mkdir(exist_ok=True)
    program = root.parent / "program.py"
    program.write_text(EDIT.format(body=body))
    kptfile = f"{KPTFILE}pipeline:\n  mutators:\n{exec_entry(sys.executable, '-I', '-S', program)}"
    return rendered(root, {"Kptfile": kptfile, **(files or {"a.yaml": ITEM})}, allow_exec=True)


def test_identity(tmp_path: Path) -> None:
    """What comes back unchanged stays as it is, in every layout."""
    files = {
        "a.yaml": ITEM,
        "b.yaml": "---\n" + resource("b").replace("\n", "\r\n") + "---\r\n" + resource("c"),
        "c.json": '{"apiVersion":"v1","kind":"X","metadata":{"name":"j"}}',
        "kustomization.yaml": "resources: []\n",
    }
    rendering = run(tmp_path / "p", "", files)

    assert (rendering.failure, changed(rendering)) == ("", {})


def test_what_is_sent(tmp_path: Path) -> None:
    """Every item has the annotations that kpt adds, before and after its own."""
    rendering = run(tmp_path / "p", f"open({str(tmp_path / 'seen')!r}, 'w').write(text)")
    seen = (tmp_path / "seen").read_text()

    assert rendering.failure == ""
    for line in (
        "      config.kubernetes.io/path: a.yaml\n",
        '      internal.config.kubernetes.io/index: "0"\n',
        f"      internal.config.kubernetes.io/package-path: {tmp_path / 'p'}\n",
        "- # head\n  apiVersion: v1\n",
        "      y: 010\n",
    ):
        assert line in seen
    assert "functionConfig" not in seen


def test_comments_survive_a_program_that_drops_them(tmp_path: Path) -> None:
    """Only the values that changed are written into the text."""
    body = "import re\ntext = re.sub(r' *#.*', '', text).replace(\"'old'\", 'new').replace('[1, 2]', '\\n        - 1\\n        - 2\\n        - 3')"
    rendering = run(tmp_path / "p", body)

    assert changed(rendering) == {"a.yaml": ITEM.replace("'old'", "new").replace("[1, 2]", "[1, 2, 3]")}


CHANGES = [
    ("a key removed", "text = text.replace('      y: 010\\n', '')", ITEM.replace("    y: 010\n", "")),
    (
        "a key added",
        "text = text.replace('      y: 010\\n', '      y: 010\\n      z: on\\n')",
        ITEM + "    z: on\n",
    ),
    (
        "a key with comments added",
        "text = text.replace('      y: 010\\n', '      y: 010\\n      # above\\n      \"z\": {a: \\'b\\'} # behind\\n')",
        ITEM + "    # above\n    \"z\": {a: 'b'} # behind\n",
    ),
    (
        "an alias added",
        "text = text.replace('      y: 010\\n', '      y: 010\\n      z: [&z 1, *z]\\n')",
        ITEM + "    z:\n    - 1\n    - 1\n",
    ),
    (
        "an annotation added",
        "text = re.sub('(name: a\\n    annotations:\\n)', r\"\\1      k: 'true'\\n\", text)",
        ITEM.replace("  name: a\n", "  name: a\n  annotations:\n    k: 'true'\n"),
    ),
    ("an element removed", "text = text.replace('[1, 2]', '[2]')", ITEM.replace("[1, 2]", "[2]")),
    ("a text for a number", "text = text.replace('y: 010', 'y: \"8\"')", ITEM.replace("010", '"8"')),
    (
        "a truth and a float for numbers",
        "text = text.replace('[1, 2]', '[true, 2.0]')",
        ITEM.replace("[1, 2]", "[true, 2.0]"),
    ),
]


@pytest.mark.parametrize(
    ("body", "expected"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES]
)
def test_changes_are_merged(tmp_path: Path, body: str, expected: str) -> None:
    """Maps by key, lists by position, types told apart."""
    rendering = run(tmp_path / "p", body)

    assert rendering.failure == ""
    assert changed(rendering) == {"a.yaml": expected}


def test_an_answer_in_json(tmp_path: Path) -> None:
    """It has no style to keep: what is new in it is written as Go would write it."""
    answer = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": [
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {
                    "name": "a",
                    "labels": {"x": "on"},
                    "annotations": {
                        "config.kubernetes.io/path": "a.yaml",
                        "config.kubernetes.io/index": "0",
                        "internal.config.kubernetes.io/package-path": str(tmp_path / "p"),
                        "config.k8s.io/id": "2",
                    },
                },
                "data": {"x": "old", "list": [1, 2], "y": 8},
            }
        ],
    }
    rendering = run(tmp_path / "p", f"text = {json.dumps(answer)!r}")

    assert rendering.failure == ""
    assert changed(rendering)["a.yaml"] == ITEM.replace("  name: a\n", '  name: a\n  labels:\n    x: "on"\n')


def test_new_moved_and_removed_items(tmp_path: Path) -> None:
    """As for a function of the catalog; a new item keeps the layout that the program gave it."""
    body = (
        "text = text.replace('config.kubernetes.io/path: a.yaml', 'config.kubernetes.io/path: b.yaml')\n"
        "text = text.rstrip() + '\\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: new}}\\n'"
    )
    rendering = run(tmp_path / "p", body)

    assert rendering.failure == ""
    assert changed(rendering) == {
        "a.yaml": None,
        "b.yaml": ITEM,
        "configmap_new.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: new}}\n",
    }


FAILURES = [
    ("exit code", "sys.stderr.write('no luck')\nsys.exit(3)", "failed", (3, "no luck")),
    (
        "no list",
        "text = 'hello'",
        "cannot read its output: line 1, column 1: a mapping with `items` is expected, not 'hello'",
        (1, ""),
    ),
    ("nothing", "text = ''", "cannot read its output", (1, "")),
    ("no YAML", "text = 'a: ['", "cannot read its output", (1, "")),
    ("no items", "text = text[: text.index('items:')]", "it has no items", (1, "")),
    ("an empty path", "text = text.replace('path: a.yaml', 'path: \"\"')", "path is empty", (1, "")),
    ("not UTF-8", "sys.stdout.buffer.write(b'\\xff')", "is not UTF-8", (1, "")),
    (
        "two opinions",
        "text = text.replace(' config.kubernetes.io/path: a.yaml', ' config.kubernetes.io/path: b.yaml', 1)"
        ".replace('internal.config.kubernetes.io/path: a.yaml', 'internal.config.kubernetes.io/path: c.yaml')",
        "differ: ",
        (1, ""),
    ),
]


@pytest.mark.parametrize(
    ("body", "expected", "outcome"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES]
)
def test_failures(tmp_path: Path, body: str, expected: str, outcome: tuple[int, str]) -> None:
    """A program that fails or answers nonsense changes nothing; an empty answer would cost kpt the package."""
    rendering = run(tmp_path / "p", body)

    assert expected in rendering.failure
    assert (rendering.runs[0].exit_code, rendering.runs[0].stderr) == outcome
    assert rendering.changes == []


def test_results_of_a_program(tmp_path: Path) -> None:
    """They are kept, also of one that failed, and in the older form under `items`."""
    body = "text += 'results:\\n- message: m\\n  severity: error\\n'\nsys.stdout.write(text)\nsys.exit(1)"
    rendering = run(tmp_path / "p", body)
    older = run(tmp_path / "p", "text += 'results:\\n  items:\\n  - message: n\\n'")

    assert list(rendering.runs[0].results) == [{"message": "m", "severity": "error"}]
    assert list(older.runs[0].results) == [{"message": "n"}]


BARE = [
    ("plain", "a: b\n", "a: b\n"),
    ("marked", "---\na: b\n...\n", "a: b\n"),
    ("a comment on the mark", "--- # why\na: b\n", "# why\na: b\n"),
    ("CRLF and a mark of order", "\ufeffa: b\r\nc: d\r\n", "a: b\nc: d\n"),
    ("blank around", "\n\na: b\n\n\n", "a: b\n\n\n"),
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in BARE], ids=[case[0] for case in BARE])
def test_bare(text: str, expected: str) -> None:
    """What may stand around a document in a file, and not in a list, goes."""
    assert bare(text) == expected


IMAGES = [
    ("apply-presets", "apply-presets"),
    ("ghcr.io/krmkit/apply-presets:v1.2", "apply-presets"),
    ("registry.example:5000/a/b/apply-presets", "apply-presets"),
    ("example.dev/apply-presets@sha256:" + "0" * 64, "apply-presets"),
    ("example.dev/apply-presets:v1@sha256:" + "0" * 64, "apply-presets"),
]


@pytest.mark.parametrize(("image", "name"), IMAGES)
def test_image_name(image: str, name: str) -> None:
    """Neither registry nor tag nor digest counts."""
    assert image_name(image) == name


PROGRAMS = [
    ("apply-presets", "apply-presets"),
    ("/usr/bin/apply-presets", "apply-presets"),
    ("functions/apply-presets/main.py", "apply-presets"),
    ("./apply-presets/./main.py", "apply-presets"),
    ("main.py", "main.py"),
]


@pytest.mark.parametrize(("program", "name"), PROGRAMS)
def test_program_name(program: str, name: str) -> None:
    """A program's own name, or for main.py that of its folder."""
    assert program_name(program) == name


def entry(**fields: str) -> PipelineFunction:
    function = PipelineFunction("pipeline.mutators[0]")
    for name, value in fields.items():
        setattr(function, name, value)
    return function


def test_flags_of_a_known_program() -> None:
    """Flags of the function's own command line count; what makes no sense in a pipeline is refused."""
    resolver = ProgramResolver(RunOptions(), catalog={"fn": Made("fn", lambda *_: None)})
    known = resolver.resolve(entry(exec="fn --explain --limit depth=7"))

    assert isinstance(known, Known)
    assert known.options.explain
    assert known.options.limits.depth == 7
    for wrong, message in (
        ("fn --help", "takes flags for a run only"),
        ("fn list.yaml", "flags for a run"),
        ("fn --explian", "unknown flag"),
        ("fn 'x", "not a command line"),
    ):
        with pytest.raises(ResolveError, match=message):
            resolver.resolve(entry(exec=wrong))


def test_container_command() -> None:
    """The command line of kpt: no network, nobody, no new rights."""
    found = container("example.dev/fn:v1", "podman", "Never")
    name = found.stop[-1]

    assert name != container("example.dev/fn:v1", "podman", "Never").stop[-1]
    assert found.stop == ["podman", "rm", "--force", "--", name]
    assert found.command == [
        "podman", "run", "--rm", "-i", "--name", name, "--network", "none", "--user", "nobody",
        "--security-opt=no-new-privileges", "--pull", "never", "--", "example.dev/fn:v1",
    ]  # fmt: skip
    assert full_name("set-labels:v1") == "ghcr.io/kptdev/krm-functions-catalog/set-labels:v1"


@pytest.mark.parametrize(
    ("image", "hint"),
    [
        ("example.dev/apply-preset:v1", " (did you mean apply-presets?)"),
        ("ghcr.io/krmkit/resolve-macro", " (did you mean resolve-macros?)"),
        ("example.dev/test-unlike-others", ""),
        ("test-something", ""),
    ],
)
def test_nearly_a_name_of_the_catalog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, image: str, hint: str
) -> None:
    """What was probably meant is told: where there is no runtime, where no image can be had, where programs may not run."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("KPT_FN_RUNTIME", raising=False)
    monkeypatch.delenv("KRM_FN_RUNTIME", raising=False)
    name = image.rpartition("/")[2].partition(":")[0]
    for wanted, message in (
        (
            entry(image=image),
            f"{image} is not a function of this catalog{hint}, and no container runtime works here: ",
        ),
        (entry(exec=name), f"exec {name} is a program outside this catalog{hint}"),
    ):
        with pytest.raises(ResolveError) as raised:
            ProgramResolver(RunOptions()).resolve(wanted)
        assert str(raised.value).startswith(message)
    (tmp_path / "docker").write_text(
        '#!/bin/sh\n[ "$1" = version ] && exit 0\necho "no such image" >&2\nexit 125\n'
    )
    (tmp_path / "docker").chmod(0o755)
    package = put(
        tmp_path / "p",
        {"Kptfile": KPTFILE + f"pipeline: {{mutators: [{{image: {image}}}]}}\n", "a.yaml": ITEM},
    )

    assert render(read(str(package)), ProgramResolver(RunOptions())).failure == f"{image} failed{hint}"


def test_a_container_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a runtime that answers, an unknown image is run; the tag of the Kptfile is the image's."""
    called = shell(tmp_path / "called")
    write_script(tmp_path / "podman", f'[ "$1" = version ] && exit 0\necho "$@" > {called}\nexec /bin/cat\n')
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("KPT_FN_RUNTIME", raising=False)
    monkeypatch.delenv("KRM_FN_RUNTIME", raising=False)
    kptfile = KPTFILE + "pipeline:\n  mutators:\n  - image: example.dev/other\n    tag: v3\n"
    rendering = rendered(tmp_path / "p", {"Kptfile": kptfile, "a.yaml": ITEM})

    assert runtime() == "podman"
    assert (rendering.failure, rendering.changes) == ("", [])
    assert (tmp_path / "called").read_text().endswith("--pull missing -- example.dev/other:v3\n")


BAD_IMAGES = [
    "--privileged/x",
    "-v=/:/host/x",
    "docker-archive:/etc/passwd/x",
    "docker-archive:a/x",
    "oci:1/x",
    "containers-storage:1/x",
    "dir:/etc/x",
    "docker://ghcr.io/x",
    "ghcr.io/x y",
    "ghcr.io/../x",
    "ghcr.io/UPPER",
    "ghcr.io/x:--flag",
    "ghcr.io/x@sha256:short",
    "ghcr.io/x\n",
    "/x",
    "a//b",
]
GOOD_IMAGES = [
    "ghcr.io/me/fn",
    "localhost:5000/me/fn:v1.2",
    "Registry.example/a__b/c.d-e:latest",
    "gcr.io/kpt-fn/x@sha256:" + "a" * 64,
    "me/fn",
    "oci/fn",
]


@pytest.mark.parametrize("image", BAD_IMAGES)
def test_what_is_no_image(image: str) -> None:
    """No runtime ever sees it: it would be taken for a flag, or for a file of this machine."""
    assert bad_image(image)


@pytest.mark.parametrize("image", GOOD_IMAGES)
def test_names_of_images(image: str) -> None:
    """Registries, ports, tags and digests are fine."""
    assert bad_image(image) == ""


def test_a_bad_image_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry of the pipeline says which it is; nothing has run."""
    monkeypatch.setattr("krmkit.render.resolve.runtime", lambda: "docker")
    with pytest.raises(ResolveError, match=r'image must be \[registry/\].*, got "--privileged/x"'):
        ProgramResolver(RunOptions(), catalog={}).resolve(entry(image="--privileged/x"))


FORBIDDEN = {
    "git": (".git/hooks/x.yaml", "must not write to .git"),
    "git in capitals": ("sub/.GIT/x.yaml", "must not write to .GIT"),
    "ignore file": (".krmignore", "must not write .krmignore"),
    "ignore file below": ("new/.krmignore", "must not write new/.krmignore"),
    "ours": (".krmkit-work/journal", "must not write to .krmkit-work"),
    "another package": ("sub/Kptfile", "the Kptfile of another package"),
    "outside": ("../x.yaml", "must not write outside"),
}


@pytest.mark.parametrize(("path", "message"), FORBIDDEN.values(), ids=FORBIDDEN.keys())
@pytest.mark.parametrize("how", ["new", "moved"])
def test_where_no_function_may_write(tmp_path: Path, path: str, message: str, how: str) -> None:
    """A new resource and one that moves are refused alike, and the render fails."""
    place = f"'\\n    annotations: {{config.kubernetes.io/path: {path}}}'"
    item = f"'- apiVersion: v1\\n  kind: X\\n  metadata:\\n    name: new' + {place} + '\\n'"
    body = f"text += {item}" if how == "new" else f"text = text.replace('path: a.yaml', 'path: {path}')"
    files = {"a.yaml": ITEM, "sub/Kptfile": KPTFILE, "sub/b.yaml": resource("b")}

    assert message in run(tmp_path / "p", body, files).failure


def test_limits_of_a_program(tmp_path: Path) -> None:
    """Time and size are those that the command line gives, and the failure says which was too small."""
    program = tmp_path / "program.py"
    program.write_text("import sys, time\ntime.sleep(float(sys.argv[1]))\nprint('x' * 5000)\n")
    for words, resolver, message in (
        ("99", ProgramResolver(RunOptions(), True, timeout=0.5), "did not end within 0.5 seconds"),
        (
            "0",
            ProgramResolver(RunOptions(limits=Limits(total_size=4000)), True),
            "wrote more than 4000 bytes",
        ),
    ):
        entry = exec_entry(sys.executable, "-I", "-S", program, words)
        root = put(tmp_path / "p", {"Kptfile": f"{KPTFILE}pipeline:\n  mutators:\n{entry}"})
        assert message in render(read(str(root)), resolver).failure
