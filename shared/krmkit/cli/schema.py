"""`krmkit schema KIND` and `krmkit explain KIND.FIELD`: a function's config, for editors and people."""

from __future__ import annotations

import argparse
import json

from krmkit.analysis.settings import DEFINITION as SETTINGS
from krmkit.cli.arguments import CommandParser, add_functions
from krmkit.fn import fieldtexts, rules
from krmkit.fn.definition import FunctionDefinition
from krmkit.fn.help import text_for
from krmkit.fn.knownfunctions import catalog
from krmkit.fn.loader import Function
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import did_you_mean

_PACK_FILES = {
    **{name: name for name in ("pack.json", "presets.yaml", "schema.yaml")},
    "pack": "pack.json",
    "presets": "presets.yaml",
}

EPILOG = {
    "schema": """
krmkit schema ApplyPresets > .schemas/ApplyPresets.json
krmkit schema ApplyPresets --modeline presets.yaml
krmkit schema pack.json                 # also presets.yaml and schema.yaml of packs; pack is pack.json
krmkit schema schema.yaml --modeline packs/web/schema.yaml
""",
    "explain": """
krmkit explain ApplyPresets
krmkit explain ApplyPresets.spec.selections.presets
krmkit explain Settings                 # of a repository: .krmkit.yaml
krmkit explain unknown-preset           # a rule: why it is there, and how to mend
krmkit explain apply-setters/unset      # the rule of one function
""",
}


def parser(command: str) -> CommandParser:
    what = {
        "schema": "Print the JSON Schema of a config's kind, or of a file of Palette's packs.",
        "explain": "Say what a field of a config is for, of which type, and what lies below it; or what\na rule of a finding means.",
    }
    made = CommandParser(
        prog=f"krmkit {command}",
        description=what[command],
        epilog=EPILOG[command],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_functions(made)
    if command == "explain":
        made.add_argument(
            "field",
            metavar="KIND[.FIELD]|RULE",
            help="such as ApplyPresets.spec.selections, or unknown-preset",
        )
        return made
    made.add_argument(
        "function",
        metavar="KIND",
        help="a kind, the name of its function, or a file of a pack: pack.json, presets.yaml, schema.yaml",
    )
    made.add_argument(
        "--modeline",
        metavar="FILE",
        help="write the schema into .schemas beside FILE, and a first line into FILE that tells editors about it",
    )
    return made


def main(words: list[str]) -> int:
    """Run `krmkit schema` or `krmkit explain`; returns the exit code."""
    arguments = parser(words[0]).parse_args(words[1:])
    name = arguments.field if words[0] == "explain" else arguments.function
    kind, _, path = name.partition(".")
    if words[0] == "schema" and name in _PACK_FILES:
        return _pack_file(_PACK_FILES[name], arguments.modeline)
    functions = catalog(arguments.functions)
    if words[0] == "explain" and name.islower() and name not in functions:
        found = rules.find(name, functions)
        if found:
            print(rules.explained(found), end="")
            return 0
    definition = find(kind, functions)
    if words[0] == "explain":
        print(fieldtexts.explained(definition, [step for step in path.split(".") if step]), end="")
    elif arguments.modeline:
        _modeline(f"{definition.kind}.json", text_for(definition, "schema"), arguments.modeline)
    else:
        print(text_for(definition, "schema"), end="")
    return 0


def find(kind: str, functions: dict[str, Function]) -> FunctionDefinition:
    """Return the definition of the function with this kind or name. Raises Refused with the nearest one."""
    known: dict[str, FunctionDefinition] = {SETTINGS.kind: SETTINGS}
    for name, function in functions.items():
        definition = function.definition
        known[name] = known[definition.kind] = definition
    for name, definition in known.items():
        if name.lower() == kind.lower():
            return definition
    kinds = sorted({definition.kind for definition in known.values()})
    if kind in ("pack", "presets", "schema"):
        file = "pack.json" if kind == "pack" else f"{kind}.yaml"
        raise Refused(f"{file} is a pack's file, not a function's; krmkit schema {file} prints its schema")
    if "-" in kind:
        raise Refused(f'there is no function "{kind}"{did_you_mean(kind, sorted(functions))}')
    what = "rule, function or kind" if kind.islower() else "kind"
    raise Refused(f'there is no {what} "{kind}"{did_you_mean(kind, kinds)}')


def _pack_file(file: str, modeline: str | None) -> int:
    """Print the schema of a pack's file, or write it beside the file."""
    from krmkit.systems.palette.packs.packfileschemas import PACK_FILES

    text = json.dumps(PACK_FILES[file], indent=2, ensure_ascii=False) + "\n"
    if not modeline:
        print(text, end="")
    elif modeline.endswith(".json"):
        raise Refused(
            f"{modeline} is JSON, which has no comments; name the schema in the settings of the editor"
        )
    else:
        _modeline(f"{file}.json", text, modeline)
    return 0


def _modeline(name: str, schema: str, file: str) -> None:
    """Write a schema beside a file, and the comment for yaml-language-server into the file."""
    import os

    from krmkit.storage.disk.write import write_file

    with open(file, encoding="utf-8", newline="") as stream:
        text = stream.read()
    place = f".schemas/{name}"
    write_file(os.path.join(os.path.dirname(file), place), schema)
    mark = "# yaml-language-server: $schema="
    if text.startswith(mark):
        text = text.partition("\n")[2]
    write_file(file, f"{mark}{place}\n{text}")
