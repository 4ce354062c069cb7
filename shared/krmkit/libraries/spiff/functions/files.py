"""Functions on the run's files, a read-only file system in memory; functions that need more fail."""

from __future__ import annotations

import base64
import posixpath
from typing import Any

from krmkit.libraries.go.core.values import decode
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.spiff.functions.documents import parsed
from krmkit.libraries.spiff.functions.registry import FUNCTIONS, Function, With
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, fail_if

DENIED = "no OS operations supported in this execution environment"


def denied(name: str) -> Failure:
    """Return the failure of a function that needs the machine."""
    return Failure(f"{name}: {DENIED}")


def _path(name: str) -> str:
    return posixpath.normpath("/" + name.lstrip("/"))


def _is_folder(run: Any, path: str) -> bool:
    prefix = path.rstrip("/") + "/"
    return any(name.startswith(prefix) for name in run.files)


def _read(args: list[Any], env: Env, info: Info) -> Any:
    if env.run.access == "none":
        raise denied("read")
    fail_if(not 1 <= len(args) <= 2, "read takes a maximum of two arguments")
    name = args[0]
    fail_if(type(name) is not str, "string value required for file path")
    mode = "yaml" if name.endswith((".yml", ".yaml", ".json")) else "text"
    if len(args) > 1:
        fail_if(type(args[1]) is not str, "string value required for type")
        mode = args[1]
    fail_if(name.startswith(("http:", "https:")), f"read: error getting [{name}]: {DENIED}")
    content = env.run.files.get(_path(name))
    if content is None:
        raise Failure(f"read: error reading [{posixpath.normpath(name)}]: {_missing(env.run, name)}")
    if mode == "binary":
        return With(base64.b64encode(content).decode("ascii"), Info(source=name))
    return parsed(name, decode(content), mode, env)


def _missing(run: Any, name: str) -> str:
    """Return why a path has no file; spiff tells only a missing folder, or a file in its place."""
    here = ""
    for part in posixpath.dirname(_path(name)).strip("/").split("/"):
        here += "/" + part
        if here in run.files:
            return f" {here}: is no directory"
        if not _is_folder(run, here):
            return f" {here}: file does not exist"
    return "file does not exist"


def _lookup(folder: bool) -> Function:
    def lookup(args: list[Any], env: Env, info: Info) -> Any:
        if env.run.access == "none":
            raise denied("lookup")
        fail_if(len(args) < 2, "lookup_file requires at least two arguments")
        folders: list[str] = []
        for number, arg in enumerate(args[1:]):
            if type(arg) is str:
                folders.append(arg)
            elif type(arg) is list:
                names = [node.value for node in arg if node.value is not None]
                if not all(type(name) is str for name in names):
                    raise Failure(f"lookup_file: argument {number} must be a list of strings")
                folders += names
            else:
                raise Failure(f"lookup_file: argument {number} must be a string or a list of strings")
        name = args[0]
        fail_if(type(name) is not str, "lookup_file: first argument must be a string")
        fail_if(not name, "lookup_file: first argument is empty string")
        paths = [name] if name.startswith("/") else [f"{one}/{name}" for one in folders if one]
        files = env.run.files
        return [
            env.node(path)
            for path in paths
            if (_is_folder(env.run, _path(path)) if folder else _path(path) in files)
        ]

    return lookup


def _list(folders: bool) -> Function:
    def listed(args: list[Any], env: Env, info: Info) -> Any:
        if env.run.access == "none":
            raise denied("listFiles")
        fail_if(len(args) != 1, "list requires exactly one arguments")
        name = args[0]
        fail_if(type(name) is not str, "list: argument must be a string")
        fail_if(not name, "list: argument is empty string")
        path = _path(name)
        if path != "/" and not _is_folder(env.run, path):
            raise Failure(f"list: {quote(name)} is no directory or does not exist")
        prefix = path.rstrip("/") + "/"
        found: set[str] = set()
        for file in env.run.files:
            if file.startswith(prefix):
                head, below, _ = file[len(prefix) :].partition("/")
                if bool(below) is folders:
                    found.add(head)
        return [env.node(one) for one in sorted(found)]

    return listed


FUNCTIONS.update(
    read=_read,
    read_uncached=_read,
    lookup_file=_lookup(False),
    lookup_dir=_lookup(True),
    list_files=_list(False),
    list_dirs=_list(True),
)


def _pipe(args: list[Any], env: Env, info: Info) -> Any:
    fail_if(len(args) < 3, "pipe requires at least two arguments")
    raise denied("pipe")


def _refuse(name: str, failure: Failure) -> None:
    def refuse(args: list[Any], env: Env, info: Info) -> Any:
        raise failure

    FUNCTIONS[name] = refuse


FUNCTIONS.update(pipe=_pipe, pipe_uncached=_pipe)
for _name in ("exec", "exec_uncached", "write", "tempfile", "mkdir"):
    _refuse(_name, denied(_name.removesuffix("_uncached")))
for _name in ("x509cert", "x509parsecert"):
    _refuse(_name, Failure(f"{_name}: not supported: how long a certificate is valid depends on the clock"))
