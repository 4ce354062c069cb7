"""`krmkit init [DIR]`: make a folder a package, with the functions that fit its resources."""

from __future__ import annotations

import argparse
import os

from krmkit.analysis.newpackage import planned
from krmkit.cli.arguments import CommandParser
from krmkit.cli.refusing import answered
from krmkit.krm.errors import Refused
from krmkit.libraries.process.stderr import say
from krmkit.storage.disk.write import write

EPILOG = """
Writes a Kptfile whose pipeline has the functions that fit the resources,
a config file for each of them, and a .krmignore that leaves out YAML files that
are not resources, such as Helm templates; files that it lists already are not
read. Existing files stay; a package without a pipeline, as `krmkit pack import`
makes it, gets one.
"""


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit init",
        description="Make a package of a folder: a Kptfile, and configs for the functions that fit\nits resources.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("folder", nargs="?", default=os.curdir, metavar="DIR", help="the folder (default: .)")
    made.add_argument("--name", default="", help="the package's name (default: the folder's)")
    made.add_argument(
        "--render",
        action="store_true",
        help="render Clusters into the package too; without it, they are validated, for plans",
    )
    made.add_argument(
        "--platform",
        action="store_true",
        help="write the repository of a small platform into a new folder: a blueprint, a fleet and two sites, rendered",
    )
    return made


def main(words: list[str]) -> int:
    arguments = parser().parse_args(words[1:])
    if arguments.platform:
        if arguments.name:
            raise Refused("--platform makes several packages, so there is no use for --name")
        return _platform(arguments.folder)
    changes, notes = planned(arguments.folder, arguments.name, arguments.render)
    write(arguments.folder, changes, [], careful=True)
    for change in changes:
        print(os.path.join(arguments.folder, change.path))
    for note in notes:
        say("init", note)
    return 0


def _platform(folder: str) -> int:
    """Write the repository of a platform into a new folder, and render its sites. Raises Refused, OSError."""
    from krmkit.cli.variants import main as variants
    from krmkit.fleet.newplatform import missing_files

    write(folder, missing_files(folder), [], careful=True)
    objects, out = os.path.join(folder, "fleet/objects"), os.path.join(folder, "sites")
    words = [
        "render",
        os.path.join(folder, "fleet/sites.yaml"),
        "--packages",
        folder,
        "--objects",
        objects,
        "-o",
        out,
    ]
    line = ["variants", *words]
    code = answered(line, lambda: variants(line))
    if code == 0:
        say(
            "init",
            "next: git init, commit, and tag the commit blueprints/site/v1; README.md says what to run",
        )
    return code
