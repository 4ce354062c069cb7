"""`krmkit pack import` and `krmkit pack export`: convert pack folders to ConfigMaps and back."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial

from krmkit.cli.arguments import CommandParser, add_output, add_package, add_place, package_above
from krmkit.kpt.merge.policy import POLICIES, STOP
from krmkit.krm.errors import Refused
from krmkit.libraries.process.stderr import say
from krmkit.render.conversion import packexport, packfolder, profilediff, profileexport, profileimport
from krmkit.render.conversion.packcheck import check_pack
from krmkit.render.conversion.packfiles import read_pack
from krmkit.render.conversion.packmerge import FORCE
from krmkit.render.conversion.profilesource import is_profile_place, read_shown
from krmkit.render.findings.model import PackageReport, Report
from krmkit.render.package import read
from krmkit.storage.disk.journal import recover
from krmkit.systems.palette.profiles.forms import FORMS
from krmkit.views import packs, profiles
from krmkit.views.formats import FORMATS, counted
from krmkit.views.outcome import Told
from krmkit.views.terminal import Terminal, unread_is_fine


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit pack", description="Bring packs into a package, and take them out again."
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="import|export|show|diff|check")
    bring = commands.add_parser(
        "import",
        help="pack folders and profiles -> ConfigMaps in a package",
        description="Make of each pack folder a ConfigMap with the texts of pack.json, values.yaml, presets.yaml, schema.yaml"
        " and defaults.yaml, byte for byte. The pack's other files go into a folder of the ConfigMap's name, which"
        " .krmignore then lists; those that lie in the package already stay where they are. A package that does not"
        " exist is made. A pack that is there keeps its edits; another version of it takes its place. Of a cluster profile each"
        " layer becomes a ConfigMap, and the rest of it one more.",
    )
    bring.add_argument(
        "folders",
        nargs="+",
        metavar="DIR|FILE",
        help="a pack folder: one with a pack.json; or a file with a cluster profile, in any of its forms",
    )
    add_place(bring, "PKG", "the package", required=True)
    bring.add_argument(
        "--keep-old", action="store_true", help="keep an older version of the pack beside the new one"
    )
    _add_merge(bring, "the package")
    add_output(bring, FORMATS, results=False)
    take = commands.add_parser(
        "export",
        help="ConfigMaps in a package -> pack folders",
        description="Write each pack of a package as a folder: its texts byte for byte, and its other files. A folder that is"
        " there keeps its edits.",
    )
    add_package(take)
    add_place(
        take,
        "DIR",
        "the folder that gets one folder for each pack; with --profile the file (default there: stdout)",
    )
    take.add_argument("--profile", action="store_true", help="write the package's cluster profile instead")
    take.add_argument(
        "--form",
        choices=list(FORMS),
        metavar="FORM",
        help=f"the form of the profile: {', '.join(FORMS)} (default: that of the imported file)",
    )
    _add_merge(take, "the folders")
    add_output(take, FORMATS, results=False)
    _add_readers(commands)
    return made


def _add_readers(commands: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the commands that only read."""
    show = commands.add_parser(
        "show",
        help="what packs offer and ask for",
        description="Show the presets of packs by group with what each changes, the keys that are required, the macros, the"
        " constraints and the hints of the schema. Passwords are masked.",
    )
    show.add_argument(
        "folders",
        nargs="+",
        metavar="PACK|PROFILE",
        help="a pack folder: one with a pack.json; or a cluster profile, as a file or a package",
    )
    add_output(show, ("text", "json"), results=False, does=False)
    differ = commands.add_parser(
        "diff",
        help="what an upgrade changes",
        description="Compare two states of a cluster profile, a package or a pack: versions, presets, values, variables, and"
        " the problems that are new: constraints that break, values that lose their effect, variables that are not defined.",
    )
    for name in ("old", "new"):
        differ.add_argument(
            name,
            metavar=name.upper(),
            help="a profile's file, a package, a pack folder, PACKAGE@REVISION"
            + (", or a revision of NEW" if name == "old" else ""),
        )
    differ.add_argument("--check", action="store_true", help="exit 2 if something changes")
    add_output(differ, ("text", "json", "markdown"), results=False, does=False)
    check = commands.add_parser(
        "check",
        help="what is wrong with pack folders",
        description="Check pack.json by its schema, and whether pack.json, the values, the charts and the manifests fit each"
        " other: files that are not there or not listed, values that reach no chart, values that change nothing.",
    )
    check.add_argument(
        "folders", nargs="+", metavar="DIR|PROFILE", help="a pack folder, or a profile as a file or package"
    )
    check.add_argument(
        "--ci", action="store_true", help="also what the checks of Palette's public repository refuse"
    )
    add_output(check, FORMATS)


def _add_merge(parser: CommandParser, place: str) -> None:
    """Add the flags that decide about edits on both sides."""
    parser.add_argument(
        "--on-conflict",
        choices=POLICIES,
        default=STOP,
        metavar="POLICY",
        help="what becomes of a value that both sides changed: stop writes nothing, upstream takes the new one, local keeps"
        f" that of {place}, markers writes both as git does (default: stop)",
    )
    parser.add_argument(
        "--force",
        dest="on_conflict",
        action="store_const",
        const=FORCE,
        help=f"overwrite {place}, edits and all",
    )


def main(words: list[str]) -> int:
    arguments = parser().parse_args(words[1:])
    if arguments.command == "show":
        return _show(arguments.folders, arguments.format, Terminal.of(arguments))
    if arguments.command == "diff":
        changes = profilediff.compared(read_shown(arguments.old, arguments.new), read_shown(arguments.new))
        sys.stdout.write(profiles.diff_in(arguments.format, changes))
        return 2 if arguments.check and any(changes.values()) else 0
    if arguments.command == "check":
        checked = [
            PackageReport(
                place,
                results=profilediff.check_profile(place)
                if is_profile_place(place)
                else check_pack(place, arguments.ci),
            )
            for place in arguments.folders
        ]
        errors = sum(one.severity == "error" for each in checked for one in each.results)
        closing = f"{counted(len(checked), 'pack')}, {counted(errors, 'error')}"
        report = Report("pack check", checked, False)
        Told(report, "CheckedPacks", {}, closing=closing).show(arguments.format, Terminal.of(arguments))
        return 1 if errors else 0
    written = _import(arguments) if arguments.command == "import" else _export(arguments)
    if written is None:
        return 0
    report = Report(f"pack {arguments.command}", [PackageReport(arguments.output)])
    told = Told(report, "WrittenPacks", {"paths": written}, "".join(f"{path}\n" for path in written))
    told.show(arguments.format, Terminal.of(arguments))
    return 0


def _import(arguments: argparse.Namespace) -> list[str]:
    files = [path for path in arguments.folders if os.path.isfile(path)]
    folders = [path for path in arguments.folders if path not in files]
    out, policy, note = arguments.output, arguments.on_conflict, partial(say, "pack")
    written = [path for file in files for path in profileimport.imported_profile(file, out, note, policy)]
    progress = Terminal(sys.stderr)
    try:
        if folders:
            written += packfolder.imported(folders, out, note, progress.line, policy, arguments.keep_old)
    finally:
        progress.line("")
    return written


def _export(arguments: argparse.Namespace) -> list[str] | None:
    """Write folders or a profile; return their paths, or None for a profile on stdout."""
    package = read(arguments.package or package_above())
    out, policy, note = arguments.output, arguments.on_conflict, partial(say, "pack")
    for one in package.notes:
        note(one)
    if arguments.form and not arguments.profile:
        raise Refused("--form is the form of a profile; give --profile with it")
    if arguments.profile and out in (None, "-"):
        sys.stdout.write(profileexport.profile_text(package, arguments.form or "", note)[0])
        return None
    if arguments.profile:
        return profileexport.exported_profile(package, out, arguments.form or "", note, policy)
    if not out:
        raise Refused("-o DIR must name the folder that gets one folder for each pack")
    return packexport.exported(package, out, note, policy)


def _show(folders: list[str], form: str, terminal: Terminal) -> int:
    for folder in filter(os.path.isdir, folders):
        for note in recover(folder):
            say("pack", note)
    shown = [profilediff.overview(read_shown(place)) for place in folders if is_profile_place(place)]
    found = [packs.data_of(read_pack(folder)) for folder in folders if not is_profile_place(folder)]
    with unread_is_fine(terminal.stream):
        if form == "json":
            terminal.stream.write(packs.json_text(found, shown))
        else:
            texts = [*map(profiles.profile_text, shown), *(packs.text_of(pack, terminal) for pack in found)]
            terminal.stream.write("\n".join(texts))
    return 0
