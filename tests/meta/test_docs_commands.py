"""The commands of the documents exist, with the arguments that are shown."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from krmkit import cli
from krmkit.fn.commandline import parse_arguments
from krmkit.krm.errors import Refused
from tests.meta.pages import DEFINITIONS, FENCED, INLINE, ROOT, blocks, each_page

TARGETS = [
    target
    for file in ("Makefile", "images.mk", "release.mk")
    for target in re.findall(r"^([a-z0-9-]+):", (ROOT / file).read_text("utf-8"), re.MULTILINE)
]


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
    words = [word for word in words if word != "<"]
    while words and re.match(r"[A-Z_]+=", words[0]):
        del words[0]
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
    except Refused as error:
        return str(error)
    return ""


def problem_of_krmkit(words: list[str]) -> str:
    if not words or words[0] in ("--help", "--version"):
        return ""
    command, rest = words[0], words[1:]
    if command not in cli.COMMANDS:
        return f"krmkit has no command {command}"
    if command == "run" and "PKG" in rest:  # on a package: the flags of render, a config, pairs
        command, rest = "render", rest[1 : rest.index("--") if "--" in rest else None]
    if command == "run":
        if not rest:
            return ""
        known = rest[0] in DEFINITIONS or rest[0].isupper()
        return problem_of_run(rest[1:]) if known else f"there is no function {rest[0]}"
    if command == "doc" and len(rest) == 1 and rest[0] not in DEFINITIONS and not rest[0].isupper():
        return f"there is no function {rest[0]}"
    # Commands of commands that read their own words.
    deeper: dict[tuple[str, ...], str] = {
        ("serve", "topology-extension"): "krmkit.cli.serveextension",
        ("topology", "check-extension"): "krmkit.cli.checkextension",
        ("topology", "explain"): "krmkit.cli.explainclass",
    }
    module = deeper.get((command, *rest[:1]))
    if module is not None:
        rest = rest[1:]
    parser = getattr(import_module(module or cli.COMMANDS[command][0]), "parser", None)
    several = parser is not None and bool(inspect.signature(parser).parameters)
    made = (parser(command) if several else parser()) if parser else None
    if not isinstance(made, argparse.ArgumentParser):
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
def test_commands_work_on_any_system(page: Path) -> None:
    """`sed -i` without a suffix is GNU's own: on macOS it takes the program for the suffix."""
    assert not [script for script in blocks(page, "sh") if re.search(r"\bsed -i(?!\.\w)", script)]


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
