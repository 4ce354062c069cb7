"""`krmkit why [PKG] [RESOURCE [FIELD]]`: show where a value comes from, step by step through the pipeline."""

from __future__ import annotations

import argparse
import json

from krmkit.analysis.why.answers import Answer, Question, data_of
from krmkit.cli.arguments import CommandParser, add_output, package_and_words
from krmkit.cli.running import add_running, options_of, resolver_of
from krmkit.fn.masking import Mask
from krmkit.krm.errors import Refused
from krmkit.libraries.process.stderr import say
from krmkit.libraries.schema.fields import MISSING
from krmkit.render.package import read
from krmkit.render.status import status_notes
from krmkit.views.candidates import candidates
from krmkit.views.formats import json_of
from krmkit.views.terminal import BOLD, CYAN, Table, Terminal, unread_is_fine

FORMATS = ("text", "json")
EPILOG = """
krmkit why                                        what can be asked
krmkit why profile ConfigMap/app                  all that functions set
krmkit why profile ConfigMap/app vision.model     a field and all below
krmkit why profile packs/app.yaml
krmkit why --uses profile Model:large             all that a preset reaches

Nothing is written. Values that a function marks as secret are not shown.
"""


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit why",
        description="Show where a value comes from: its line in the file, and each function that\nset it, with its inputs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "package",
        nargs="?",
        metavar="PKG",
        help="the package's folder (default: the package that the working directory is in)",
    )
    made.add_argument(
        "resource",
        nargs="?",
        metavar="RESOURCE",
        help="Kind/name, or a file; with --uses: NAME; without it, what can be asked is listed",
    )
    made.add_argument("field", nargs="?", metavar="FIELD", help="as in results: spec.replicas")
    made.add_argument(
        "--uses",
        action="store_true",
        help="list what a preset, macro, variable, resource or entry of a config reaches",
    )
    add_output(made, FORMATS, results=False, does=False)
    add_running(made)
    return made


def main(words: list[str]) -> int:
    if words[1:2] == ["--words"]:
        print("\n".join(candidates(words[2:])))
        return 0
    arguments = parser().parse_args(words[1:])
    try:
        folder, asked = package_and_words((arguments.package, arguments.resource, arguments.field), 2)
    except ValueError as error:
        parser().error(str(error))
    if not asked and not arguments.uses:
        return _askable(folder, arguments)
    options = options_of(arguments, explain=True)
    package = read(folder, options.limits)
    for note in (*package.notes, *status_notes(package)):
        say("why", note)
    question = Question(package, resolver_of(arguments, options))
    if arguments.uses:
        if len(asked) != 1:
            raise Refused("--uses takes one NAME beside the package")
        answers = question.uses(asked[0])
    else:
        answers = question.answers(question.find(asked[0]), asked[1] if len(asked) > 1 else "")
    mask = Mask(question.secrets)
    failure = mask.text(question.failure)
    terminal = Terminal.of(arguments)
    with unread_is_fine(terminal.stream):
        if arguments.format == "json":
            terminal.stream.write(
                json.dumps(data_of(answers, mask, failure), indent=2, ensure_ascii=False) + "\n"
            )
        else:
            for answer in answers:
                terminal.stream.write(text_of(answer, mask, terminal, bool(failure)))
            if not answers:
                terminal.stream.write("no function sets a field\n")
    if failure:
        say("why", f"{failure}; what came before is shown")
        return 1
    return 0


def _askable(folder: str, arguments: argparse.Namespace) -> int:
    """List the resources of a package, with their files, that RESOURCE can name."""
    package = read(folder)
    rows = [
        (f"{item.kind}/{item.name}", each.place(item.location.path or ""))
        for each in package.walk()
        for item in each.items
    ]
    terminal = Terminal.of(arguments)
    with unread_is_fine(terminal.stream):
        if arguments.format == "json":
            terminal.stream.write(
                json_of("Askable", resources=[{"resource": name, "file": path} for name, path in rows])
            )
            return 0
        table = Table(["RESOURCE", "FILE"])
        for row in rows:
            table.add(list(row))
        shown = "" if folder == "." else f" {folder}"
        terminal.stream.write(
            f"{table.text(terminal)}\nkrmkit why{shown} RESOURCE [FIELD] shows where its values come from\n"
        )
    return 0


def _shown(mask: Mask, value: object) -> str:
    """Return a value as text, secrets masked."""
    return "absent" if value is MISSING else json.dumps(mask.value(value), ensure_ascii=False)


def text_of(answer: Answer, mask: Mask, terminal: Terminal, failed: bool = False) -> str:
    """Return an answer as text: the field, its line in the file, and a line for each step and cause."""
    lines = [terminal.paint(f"{answer.resource} {answer.field}", BOLD)]
    where = answer.place or "in no file"
    lines.append(f"  {where}: {_shown(mask, answer.original)}")
    for step in answer.steps:
        function = terminal.paint(step.function, CYAN)
        before, after = _shown(mask, step.before), _shown(mask, step.after)
        value = after if before == after else f"{before} -> {after}"
        lines.append(f"  {step.place}: {function}: {value}")
        for cause in step.causes:
            name = mask.value(cause.name)
            lines.append(f"    {cause.kind} {name}" + (f"  {cause.place}" if cause.place else ""))
    if not answer.steps:
        lines.append(
            "  no function set it before the render failed" if failed else "  no function changed it"
        )
    return "\n".join(lines) + "\n"
