"""Run `krmkit completion SHELL`: print a script that completes commands, flags, functions and files."""

from __future__ import annotations

import argparse
from importlib import import_module

from krmkit.cli.arguments import CommandParser
from krmkit.views.candidates import COMPLETE, PREAMBLE

Commands = dict[str, tuple[str, str]]

SHELLS = ("bash", "zsh", "fish")
EPILOG = """
bash:  krmkit completion bash >~/.local/share/bash-completion/completions/krmkit
zsh:   source <(krmkit completion zsh)
fish:  krmkit completion fish >~/.config/fish/completions/krmkit.fish
"""
# shtab's script ends by distinguishing `eval` from a file in fpath, and misses `source <(...)`.
_ZSH_END = "\nif [[ $zsh_eval_context"
_ZSH_START = """
if [[ $funcstack[1] == _krmkit ]]; then
  # loaded from fpath, at the first completion
  _shtab_krmkit "$@"
else
  # eval, or source <(krmkit completion zsh)
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _shtab_krmkit -N krmkit
fi"""
_FUNCTIONS = ("run", "doc", "schema")  # commands whose first word is a function
_SEVERAL = ("list", "doc", "version", "schema", "explain")  # commands of a module with several
_FILES = (
    "package",
    "functions",
    "out",
    "output",
    "results_dir",
    "setfile",
    "packages",
    "objects",
    "folders",
    "file",
)


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit completion",
        description="Print the completion script of a shell, from the same parsers that\nread the commands.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    return made


def main(words: list[str], commands: Commands) -> int:
    import shtab

    shell = parser().parse_args(words[1:]).shell
    script = shtab.complete(
        whole(commands), shell=shell, root_prefix="krmkit", preamble=PREAMBLE.get(shell, "")
    )
    print(script.partition(_ZSH_END)[0] + _ZSH_START if shell == "zsh" else script)
    return 0


def whole(known: Commands) -> argparse.ArgumentParser:
    """Return one parser of all commands."""
    import shtab

    from krmkit.fn import loader

    names = loader.names()
    made = argparse.ArgumentParser(prog="krmkit")
    commands = made.add_subparsers(dest="command")
    for name, (module, summary) in known.items():
        make = import_module(module).parser
        one = make(name) if name in _SEVERAL else make()
        # Choices for the shell only: the command's own error about a wrong name is better.
        for action in one._actions:
            if name in _FUNCTIONS and action.dest == "function":
                action.choices = names
            if name == "why" and action.dest in ("resource", "field"):
                action.complete = COMPLETE
            elif action.dest in _FILES and not action.choices:
                action.complete = shtab.FILE
        commands.add_parser(name, parents=[one], add_help=False, help=summary)
    return made
