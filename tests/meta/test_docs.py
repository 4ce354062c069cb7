"""The documents say what is so: links lead somewhere, configs are valid, commands exist, limits are those of the code."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from krmkit import cli
from krmkit.fn import loader
from krmkit.fn.arguments import UsageError, parse_arguments
from krmkit.fn.config import ConfigError, decode
from krmkit.fn.resolve import image_name, program_name
from krmkit.krm.errors import ListError
from krmkit.krm.kptfile import Kptfile
from krmkit.krm.resource import Resource
from krmkit.porch.decode import decode_set, decode_variant
from krmkit.yaml import emit
from krmkit.yaml.data import go_data
from krmkit.yaml.document import Document, parse_all
from krmkit.yaml.limits import Limits
from krmkit.yaml.tree import Map

ROOT = Path(__file__).resolve().parents[2]
DEFINITIONS = {name: loader.load(name).definition for name in loader.names()}
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("functions/*/README.md"),
        *ROOT.glob("examples/*/README.md"),
    ]
)
OVERVIEWS = ("tutorial.md", "kustomize.md", "ci.md", "troubleshooting.md", "limits.md", "architecture.md")
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())

BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ +(?P<title>.+)$", re.MULTILINE)


def blocks(page: Path, *languages: str) -> list[str]:
    """The texts of a page's fenced blocks in these languages."""
    found = BLOCK.finditer(page.read_text("utf-8"))
    return [match["text"] for match in found if match["language"] in languages]


# Links


def anchor(title: str) -> str:
    """The anchor of a heading, as code hosts make it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def dead_links(text: str, folder: Path) -> list[str]:
    """Relative links that lead to no file, or to no heading of one."""
    dead = []
    for match in LINK.finditer(INLINE.sub("", FENCED.sub("", text))):
        target, _, fragment = match["target"].partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        path = folder / target if target else None
        if path is not None and not path.exists():
            dead.append(match["target"])
        elif fragment:
            titles = HEADING.findall(FENCED.sub("", path.read_text("utf-8") if path else text))
            if fragment not in map(anchor, titles):
                dead.append(match["target"])
    return dead


@each_page
def test_links(page: Path) -> None:
    """No relative link of a page is dead."""
    assert not dead_links(page.read_text("utf-8"), page.parent)


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("[a](tests/meta/test_docs.py)", []),
        ("[a](docs/nowhere.md)", ["docs/nowhere.md"]),
        ("# One `two`\n[a](#one-two)", []),
        ("# One\n[a](#two)", ["#two"]),
        ("[a](README.md#two-commands)", []),
        ("[a](README.md#no-such-heading)", ["README.md#no-such-heading"]),
        ("[a](https://example.com/x)", []),
        ("`[a](no-link)`\n```sh\n[b](none)\n```", []),
    ],
)
def test_dead_links_are_found(text: str, dead: list[str]) -> None:
    """The search finds files and headings that are not there, and leaves code alone."""
    assert dead_links(text, ROOT) == dead


def test_readme_leads_to_every_page() -> None:
    """Whatever is in docs is linked from the project's page or from a page that it links."""
    known: set[Path] = set()
    todo = [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in known or page.suffix != ".md" or not page.is_file():
            continue
        known.add(page)
        for match in LINK.finditer(page.read_text("utf-8")):
            if "://" not in match["target"]:
                todo.append((page.parent / match["target"].partition("#")[0]).resolve())

    pages = set(ROOT.glob("docs/*.md"))
    assert {page.name for page in pages} >= set(OVERVIEWS)
    assert not pages - known


# YAML


def documents(text: str) -> list[Document]:
    return [document for document in parse_all(text) if document.root is not None]


def entries_of(data: object) -> Iterator[dict[str, object]]:
    """The functions of every `mutators` and `validators` in the data."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key in ("mutators", "validators") and isinstance(value, list):
                yield from (entry for entry in value if isinstance(entry, dict))
            else:
                yield from entries_of(value)
    elif isinstance(data, list):
        for value in data:
            yield from entries_of(value)


def problems_of_config(resource: Resource) -> list[str]:
    """What a function would say about this config; none for resources that are no config."""
    wanted = [
        definition
        for definition in DEFINITIONS.values()
        if (resource.api_version == "krmkit.dev/v1alpha1" and definition.kind == resource.kind)
        or (resource.kind, resource.api_version)
        in {(kind, version) for version, kind, _ in definition.accepts}
    ]
    if not wanted and resource.api_version.startswith("krmkit.dev/") and resource.kind != "Pack":
        return [f"no function takes {resource.kind}"]
    found: list[str] = []
    if resource.kind == "PackageVariant":
        found += map(str, decode_variant(resource).violations)
    if resource.kind == "PackageVariantSet":
        found += map(str, decode_set(resource).violations)
    for definition in wanted:
        try:
            decode(definition, resource)
        except ConfigError as error:
            found.append(f"{definition.name}: {error}")
    return found


def problems_of_entry(entry: dict[str, object]) -> list[str]:
    """What is wrong with a function of a pipeline, as far as it is one of this catalog."""
    image, program = str(entry.get("image") or ""), str(entry.get("exec") or "")
    name = image_name(image) if image else program_name(program.partition(" ")[0])
    if name not in DEFINITIONS:
        return [f"there is no function {name}"] if "/krmkit/" in image or not image else []
    data = entry.get("configMap")
    if not isinstance(data, dict):
        return []
    head = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config"}}
    try:
        decode(DEFINITIONS[name], Resource(emit.document({**head, "data": data})))
    except ConfigError as error:
        return [f"{name}: {error}"]
    return []


def problems_of(text: str) -> list[str]:
    """Everything that is wrong with a block of YAML."""
    found = []
    for document in documents(text):
        data = go_data(document.root)
        for entry in entries_of(data):
            found += problems_of_entry(entry)
        if not isinstance(data, dict) or not isinstance(document.root, Map):
            continue
        if "pipeline" in data:
            whole = {"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": "p"}}
            if data.get("kind") in (None, "Kptfile"):
                try:
                    Kptfile.parse(emit.document({**whole, "pipeline": data["pipeline"]}), "Kptfile")
                except (ListError, ValueError) as error:
                    found.append(str(error))
        if {"apiVersion", "kind", "metadata"} <= data.keys():
            found += problems_of_config(Resource(emit.document(data)))
    return found


@each_page
def test_yaml(page: Path) -> None:
    """Blocks of YAML can be read, and the configs and pipelines in them are ones that the functions take."""
    for text in blocks(page, "yaml"):
        assert not problems_of(text), text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(
            "apiVersion: krmkit.dev/v1alpha1\nkind: ApplyPresets\nmetadata: {name: a}\nspec: {selection: []}\n",
            "selection",
            id="field of a config",
        ),
        pytest.param(
            "apiVersion: krmkit.dev/v1alpha1\nkind: ApplyPreset\nmetadata: {name: a}\n",
            "no function takes ApplyPreset",
            id="kind of a config",
        ),
        pytest.param(
            "pipeline: {mutators: [{image: ghcr.io/krmkit/apply-preset}]}\n", "no function", id="image"
        ),
        pytest.param(
            "pipeline: {mutator: [{image: ghcr.io/krmkit/apply-presets}]}\n", "mutator", id="Kptfile"
        ),
        pytest.param(
            "pipeline:\n  mutators:\n  - image: x.io/krmkit/validate-pack-constraints\n    configMap: {scop: a}\n",
            "scop",
            id="ConfigMap",
        ),
        pytest.param(
            "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: a}\nspec: {upstrem: {}}\n",
            "upstrem",
            id="PackageVariant",
        ),
    ],
)
def test_bad_yaml_is_found(text: str, problem: str) -> None:
    """The check finds each kind of mistake."""
    assert problem in "\n".join(problems_of(text))


# Commands

TARGETS = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


def commands(script: str) -> Iterator[list[str]]:
    """The commands of a shell script as words, up to a redirection; here-documents are left out."""
    script = re.sub(r"<<'?(\w+)'?\n.*?^\1$", "", script, flags=re.MULTILINE | re.DOTALL).replace("\\\n", " ")
    script = re.sub(r"<([a-z]+)>", lambda match: match[1].upper(), script)
    for line in script.splitlines():
        words: list[str] = []
        for word in [*_words(line), ";"]:
            if word in {";", "|", "&&", "||", "&"}:
                if words:
                    yield words
                words = []
            elif word.startswith((">", "<", "2>")):
                words.append("<")
            elif "<" not in words:
                words.append(word)


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    return list(lexer)


def problem_of_command(words: list[str]) -> str:
    """What is wrong with a command of this project, "" for nothing and for commands of others."""
    words = [word for word in words if word != "<" and not re.match(r"[A-Z_]+=", word)]
    if not words:
        return ""
    name, rest = words[0].rpartition("/")[2], words[1:]
    if name == "make":
        unknown = [word for word in rest if word.islower() and "=" not in word and word not in TARGETS]
        return f"make has no target {unknown[0]}" if unknown else ""
    if name in DEFINITIONS:
        return problem_of_run(rest)
    return problem_of_krmkit(rest) if name == "krmkit" else ""


def problem_of_run(words: list[str]) -> str:
    try:
        parse_arguments(words)
    except UsageError as error:
        return str(error)
    return ""


def problem_of_krmkit(words: list[str]) -> str:
    if not words or words[0] in ("--help", "--version"):
        return ""
    command, rest = words[0], words[1:]
    if command not in cli.COMMANDS:
        return f"krmkit has no command {command}"
    if command == "run":
        if not rest:
            return ""
        known = rest[0] in DEFINITIONS or rest[0].isupper()
        return problem_of_run(rest[1:]) if known else f"there is no function {rest[0]}"
    if command in ("list", "doc"):
        good = (
            not rest
            if command == "list"
            else len(rest) == 1 and (rest[0] in DEFINITIONS or rest[0].isupper())
        )
        return "" if good else f"krmkit {command} {' '.join(rest)}"
    parser = getattr(import_module(cli.COMMANDS[command][0]), "parser", None)
    if not isinstance(made := parser() if parser else None, argparse.ArgumentParser):
        return f"krmkit {command} has no parser()"
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        try:
            made.parse_args(rest)
        except SystemExit as end:
            return errors.getvalue() if end.code else ""
    return ""


@each_page
def test_commands(page: Path) -> None:
    """Commands that a page shows exist, with these arguments; so do those that it mentions in the text."""
    scripts = blocks(page, "sh", "shell")
    text = FENCED.sub("", page.read_text("utf-8"))
    mentioned = [code.strip("`") for code in INLINE.findall(text)]
    scripts += [code for code in mentioned if re.match(r"(make|krmkit) [a-z]", code) and "..." not in code]

    found = [problem_of_command(words) for script in scripts for words in commands(script)]

    # A text may name a command without saying what it takes.
    assert not [problem for problem in found if problem and "arguments are required" not in problem]


@each_page
def test_commands_are_complete(page: Path) -> None:
    """A command in a block of its own has all that it needs."""
    scripts = blocks(page, "sh", "shell")

    assert not [
        problem for script in scripts for words in commands(script) if (problem := problem_of_command(words))
    ]


@pytest.mark.parametrize(
    "script",
    [
        "make runn",
        "krmkit rendr x",
        "krmkit render x --diff-only",
        "krmkit pack import x",
        "krmkit run apply-preset < x",
        "krmkit run apply-presets --explian",
        "krmkit doc apply-preset",
        "cat x | apply-presets --limits a=1",
        "true && krmkit variants rendr",
    ],
)
def test_bad_commands_are_found(script: str) -> None:
    """The check finds a word that is not known."""
    assert any(problem_of_command(words) for words in commands(script))


# The recipe for Argo CD


def test_argo_cd_plugin(tmp_path: Path) -> None:
    """The plugin's script prints what goes to a cluster, and nothing else; it fails when the render fails."""
    [page] = [text for text in blocks(ROOT / "docs/ci.md", "yaml") if "argo-cd/plugin.yaml" in text]
    config = go_data(documents(page)[0].root)
    assert isinstance(config, dict)
    plugin = go_data(documents(config["data"]["plugin.yaml"])[0].root)
    assert isinstance(plugin, dict)
    script = plugin["spec"]["generate"]["args"][0].replace("/krmkit/shared", str(ROOT / "shared"))

    def generate(package: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-I", "-S", "-c", script],
            cwd=package,
            capture_output=True,
            text=True,
            check=False,
        )

    done = generate(ROOT / "examples/edge-cluster-profile")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^kind: (.*)$", done.stdout, re.MULTILINE) == ["Namespace"]
    (tmp_path / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipelin: {}\n"
    )
    failed = generate(tmp_path)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "pipelin" in failed.stderr


# Limits

LIMIT = re.compile(
    r"^\|[^|]+\| `(?P<name>[\w.]+)` \| (?P<value>[0-9,]+)(?: (?P<unit>[KMG]i))? \|$", re.MULTILINE
)
UNITS = {"": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


def documented_limits() -> dict[str, int]:
    text = (ROOT / "docs/limits.md").read_text("utf-8")
    return {
        match["name"]: int(match["value"].replace(",", "")) * UNITS[match["unit"] or ""]
        for match in LIMIT.finditer(text)
    }


def actual_limit(name: str) -> object:
    """The value of `depth` (a limit of the input) or of `krmkit.module.NAME`, also of `krmkit.module.OBJECT.name`."""
    if "." not in name:
        return getattr(Limits(), name)
    module, found = name, None
    rest: list[str] = []
    while found is None:
        module, _, last = module.rpartition(".")
        rest.insert(0, last)
        assert module, name
        with contextlib.suppress(ModuleNotFoundError):
            found = import_module(module)
    value: object = found
    for attribute in rest:
        value = getattr(value, attribute)
    return value


def test_limits_are_those_of_the_code() -> None:
    """Every limit of docs/limits.md has the value that the page says."""
    documented = documented_limits()

    assert len(documented) > 25
    assert {name: actual_limit(name) for name in documented} == documented


def test_every_limit_is_documented() -> None:
    """Every limit of the input, and every constant MAX_... of the library, stands in docs/limits.md."""
    found = set(Limits.NAMES)
    for path in sorted((ROOT / "shared/krmkit").rglob("*.py")):
        module = path.relative_to(ROOT / "shared").with_suffix("").as_posix().replace("/", ".")
        for name in re.findall(r"^(MAX_[A-Z]+)(?:: int)? = ", path.read_text("utf-8"), re.MULTILINE):
            found.add(f"{module}.{name}")

    assert not found - documented_limits().keys()


def test_limits_of_the_readme() -> None:
    """The project's page names the same limits of the input."""
    text = (ROOT / "README.md").read_text("utf-8")
    rows = re.findall(r"^\|[^|]+\| `([a-z-]+)` \| ([0-9,]+)(?: ([KMG]i))?[^|]*\|$", text, re.MULTILINE)
    said = {name.replace("-", "_"): int(value.replace(",", "")) * UNITS[unit] for name, value, unit in rows}

    assert said == {name: getattr(Limits(), name) for name in Limits.NAMES}


# Architecture


def test_a_rule_is_two_jumps_away() -> None:
    """The module that docs/architecture.md names for a function is one that its main.py imports."""
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    rows = re.findall(
        r"^\| \[([a-z-]+)\]\(\.\./functions/[a-z-]+/main\.py\) \| \[([a-z]+)/([a-z]+)\.py\]",
        text,
        re.MULTILINE,
    )

    assert {name for name, _, _ in rows} == set(loader.names())
    for name, system, module in rows:
        source = (ROOT / "functions" / name / "main.py").read_text("utf-8")
        assert f"from krmkit.{system}.{module} import " in source, name
