"""`krmkit preview PKG`: serve a report's page on loopback, to choose presets, macros and variables."""

from __future__ import annotations

import argparse
import asyncio
from functools import partial

from krmkit.cli.arguments import CommandParser, add_open, add_package, package_above, show_page
from krmkit.cli.running import add_running, options_of, resolver_of
from krmkit.cli.serveoptions import port_number
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.extras import lacking
from krmkit.libraries.process.stderr import say
from krmkit.render.package import read
from krmkit.services.listening import listen

ADDRESS = "127.0.0.1"
EPILOG = """
krmkit preview profile                    then open the address that it prints

Choose presets, fill in macros and variables, and see at once what they make of
the package. "Write to files" puts the choices into the package's config files;
until then nothing is written. Files that change on disk show, too.

The page is for you only: it listens on this machine's loopback address, and
the address holds a token. Ctrl-C ends it.
"""


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit preview",
        description="Show a package on a page on which you choose presets, macros and variables.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_package(made)
    made.add_argument(
        "--port",
        type=port_number,
        default=0,
        metavar="N",
        help="the port on 127.0.0.1 (default: any that is free)",
    )
    add_open(made)
    add_running(made)
    return made


def main(words: list[str]) -> int:
    arguments = parser().parse_args(words[1:])
    try:
        from krmkit.services.preview.server import serve
    except ImportError as error:
        raise Refused(lacking(error, "preview")) from None
    folder = arguments.package or package_above()
    options = options_of(arguments, explain=True)
    resolver = resolver_of(arguments, options)
    for note in read(folder, options.limits).notes:
        say("preview", note)
    try:
        listener = listen(ADDRESS, arguments.port)
    except OSError as error:
        raise Refused(f"cannot listen on {ADDRESS}:{arguments.port}: {error.strerror}") from None
    opened = partial(show_page, "preview") if arguments.open else None
    asyncio.run(serve(folder, resolver, listener, opened))
    return 0
