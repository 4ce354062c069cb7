"""The command `krmkit`: every subcommand is a module of this package, loaded when it is called."""

from __future__ import annotations

import gc
import os
import sys

from krmkit.cli.refusing import answered
from krmkit.libraries.process.stderr import CommandFree, Patient

COMMANDS = {
    "init": ("krmkit.cli.init", "make a package of a folder, with the functions that fit"),
    "render": ("krmkit.cli.render", "run a package's pipeline in this process and write what changed"),
    "check": ("krmkit.cli.check", "say everything that is wrong in packages, and write nothing"),
    "report": ("krmkit.cli.report", "show all about a package or a tree of packages on one page"),
    "preview": ("krmkit.cli.preview", "choose presets, macros and variables on a page"),
    "why": ("krmkit.cli.why", "say where a value comes from, step by step"),
    "run": ("krmkit.cli.run", "run one function on a ResourceList"),
    "pack": ("krmkit.cli.pack", "bring packs into a package, and take them out again"),
    "pkg": ("krmkit.cli.pkg", "follow the upstream of a package in git"),
    "topology": ("krmkit.cli.topology", "show what a change does to Cluster API's Clusters"),
    "clusterctl": ("krmkit.cli.clusterctl", "put values into Cluster API's templates"),
    "variants": ("krmkit.cli.variants", "make the packages of a fleet from PackageVariantSets"),
    "spiff": ("krmkit.cli.spiff", "merge spiff++ templates with stubs"),
    "landscaper": (
        "krmkit.cli.landscaper",
        "bring components into a package, draw and explain installations",
    ),
    "new": ("krmkit.cli.new", "make a function of your own"),
    "link": ("krmkit.cli.link", "write a program for each function, for exec: of a Kptfile"),
    "serve": ("krmkit.cli.serve", "offer the functions as a service, as Porch calls them"),
    "list": ("krmkit.cli.catalog", "list the functions of the catalog"),
    "doc": ("krmkit.cli.catalog", "show what a function does and how it is configured"),
    "explain": ("krmkit.cli.schema", "say what a field of a config is for, or what a rule means"),
    "schema": ("krmkit.cli.schema", "print the JSON Schema of a config, for editors"),
    "version": ("krmkit.cli.catalog", "say which version this is"),
    "completion": ("krmkit.cli.completion", "print the completion script of a shell"),
}
# Arguments with which stdout carries resources: nothing else may be written there.
RESOURCES = frozenset(("run", "serve", "stdout", "unwrap", "cluster"))
_ANNOTATIONS = frozenset(("github", "--format=github", "-fgithub"))  # GitHub reads stdout and stderr as a log
# Commands that do many runs in one process, where garbage adds up.
LASTING = frozenset(("preview", "serve", "variants"))


def main(arguments: list[str] | None = None) -> int:
    """Run a command line (default: the process's own); returns the exit code.

    0: done, or nothing to do; 1: a failure or a wrong call; 2: changes that --check or a plan found.
    """
    words = sys.argv[1:] if arguments is None else arguments
    name = words[0] if words else "--help"
    if sys.stdout is None:
        _reopen()
    if not isinstance(sys.stderr, Patient):
        # A closed stderr must not fail the command.
        kind = (
            CommandFree if os.environ.get("GITHUB_ACTIONS") or _ANNOTATIONS.intersection(words) else Patient
        )
        sys.stderr = kind(sys.stderr, sys.stdout if not RESOURCES.intersection(words) else None)
    try:
        code = answered(words or [name], lambda: _command(name, words))
        sys.stdout.flush()
    except BrokenPipeError:
        return 1  # the reader of stdout has gone
    except OSError as error:
        return _unwritten(name, error)
    except KeyboardInterrupt:
        return 130
    return code


def _command(name: str, words: list[str]) -> int:
    if name == "help" and words[1:2] and words[1] in COMMANDS:
        name, words = words[1], [*words[1:], "--help"]
    if name in {"-h", "--help", "help"}:
        print(usage(), end="")
        return 0
    if name == "--version" or words == ["version"]:
        from krmkit import __version__

        print(f"krmkit {__version__}")
        return 0
    if name not in COMMANDS:
        from krmkit.libraries.messages.nearest import did_you_mean

        print(f'krmkit: there is no command "{name}"{did_you_mean(name, COMMANDS)}', file=sys.stderr)
        return 1
    from krmkit.fn.entry import prepare

    prepare()
    if name in LASTING:
        gc.enable()
    module = COMMANDS[name][0]
    __import__(module)  # without importlib, which loads more than a small run
    command = sys.modules[module]
    # Completion needs the table of all commands, and no command may import this module.
    code: int = command.main(words, COMMANDS) if name == "completion" else command.main(words)
    return code


def _reopen() -> None:
    """Open /dev/null as stdout, for a process that was started with stdout closed.

    A run without output must work, and the next file opened must not get the descriptor 1.
    """
    import os

    opened = os.open(os.devnull, os.O_RDONLY)
    if opened != 1:
        os.dup2(opened, 1)
        os.close(opened)
    os.set_inheritable(1, True)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)


def _unwritten(name: str, error: OSError) -> int:
    """Report that stdout cannot be written (a full disk, for example), and discard the rest of the output."""
    import errno
    import os

    reason = "it is closed" if error.errno == errno.EBADF else error.strerror
    print(f"krmkit {name}: cannot write to stdout: {reason}", file=sys.stderr)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 1


def usage() -> str:
    """Return the text of --help."""
    lines = ["krmkit: KRM functions, and packages rendered with them", "", "Usage: krmkit COMMAND ...", ""]
    lines += [f"  {name:<11}{summary}" for name, (_, summary) in COMMANDS.items()]
    lines += ["", "krmkit COMMAND --help lists its flags.", ""]
    return "\n".join(lines)
