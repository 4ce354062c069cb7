"""`krmkit variants sync` and `krmkit variants status`: package variants in git repositories."""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path

from krmkit.cli.arguments import add_jobs, add_output
from krmkit.cli.engine import add_on, check_engine, engine_for
from krmkit.cli.running import add_running, options_of
from krmkit.fleet.build import build_of
from krmkit.fleet.objects import FleetObjects
from krmkit.fleet.plan import FleetPlan, plan_variants
from krmkit.fleet.shard import Shard, add_shard
from krmkit.fleet.sync.drafts import APPROVALS
from krmkit.fleet.sync.revisions import SyncSources
from krmkit.fleet.sync.store import Store
from krmkit.fleet.sync.whole import Sync
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.process.stderr import say
from krmkit.render.resourcefiles import resources_below, resources_of
from krmkit.storage.git.foreign import ELSEWHERE, NETWORK
from krmkit.storage.git.program import GitError, GitRepository
from krmkit.storage.git.refjournal import RepositoryLock
from krmkit.storage.git.upstream import shown_address
from krmkit.systems.porch.variants import lifecycle
from krmkit.views.formats import FORMATS
from krmkit.views.sync import told_status, told_sync
from krmkit.views.terminal import Terminal

EPILOG = """
A package revision is a tag PACKAGE/vN (published) or a branch drafts/PACKAGE/WORKSPACE or proposed/PACKAGE/WORKSPACE. Each variant
follows its upstream revision: a new one is merged three ways into its draft, or into a new draft where the package is published.
Edits that people make on a draft stay; where they conflict with the upstream, the draft is left alone and the conflict reported.

A repository given as a folder is changed in one transaction of its refs. One given as an address is only changed with --push.
"""


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `sync` and `status` to the commands of `krmkit variants`."""
    for name, summary in (
        ("sync", "bring the package revisions of all variants up to date, in git"),
        ("status", "show every variant: its upstream, its draft, and what a sync would do"),
    ):
        command = commands.add_parser(
            name, help=summary, description=summary[0].upper() + summary[1:] + ".", epilog=EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        )  # fmt: skip
        _add_arguments(command)
        if name == "sync":
            _add_sync_arguments(command)


def _add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "sets", nargs="+", metavar="SETFILE", help="files with PackageVariantSets and PackageVariants"
    )
    command.add_argument(
        "--repo", action="append", default=[], type=_repo, metavar="NAME=URL-OR-PATH",
        help="a git repository by its Repository's name; without, spec.git.repo of the Repository objects",
    )  # fmt: skip
    command.add_argument(
        "--objects", metavar="DIR", help="Repositories, objects to select and to inject, as YAML files"
    )
    command.add_argument(
        "--fleet", metavar="NAME",
        help="the name of the one fleet that the files make up; without it, each file is a fleet named by its path"
        " in git",
    )  # fmt: skip
    add_output(command, FORMATS)
    add_running(command)
    add_jobs(command)
    add_on(command)


def _add_sync_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--approve", choices=APPROVALS, default="never",
        help="never: drafts stay drafts; ready: those without an open readiness gate are proposed; auto: they are published"
        " (default: %(default)s)",
    )  # fmt: skip
    command.add_argument(
        "--on-conflict", choices=("upstream", "local"), default="",
        help="take this side's value where upstream and a person changed one; without, a draft that a person edited is left alone",
    )  # fmt: skip
    command.add_argument(
        "--adopt", action="append", default=[], metavar="PACKAGE/vN",
        help="take over a version that people published, as adoptionPolicy: adoptExisting does; may be repeated",
    )  # fmt: skip
    command.add_argument(
        "--prune", action="store_true", help="delete or orphan packages that the files no longer generate"
    )
    command.add_argument(
        "--push", action="store_true", help="push what changed, each repository in one atomic push"
    )
    command.add_argument("--dry-run", action="store_true", help="write nothing")
    command.add_argument(
        "--check", action="store_true", help="write nothing; exit code 2 if something would change"
    )
    add_shard(command)


def _repo(text: str) -> tuple[str, str]:
    name, sign, place = text.partition("=")
    if not (name and sign and place) or place.startswith("-"):
        raise argparse.ArgumentTypeError(f"must be NAME=URL-OR-PATH, got {text!r}")
    return name, place


def main(arguments: argparse.Namespace) -> int:
    """Run `krmkit variants sync` or `status`; returns the exit code."""
    status = arguments.command == "status"
    check_engine(arguments)
    with ExitStack() as stack:
        sync, remotes = _prepare(arguments, stack)
        engine = engine_for(arguments, len(sync.plan.tasks))
        stack.callback(engine.close)
        sync.run(engine, _progress(Terminal(sys.stderr)))
        changed = sync.changed()
        if not sync.dry:
            _store(sync, remotes, arguments.push)
    terminal = Terminal.of(arguments)
    outcomes = sync.outcomes + sync.removed
    told = (
        told_status(outcomes, terminal)
        if status
        else told_sync(outcomes, terminal, sync.dry, arguments.check)
    )
    told.show(arguments.format, terminal)
    if any(outcome.error for outcome in outcomes):
        return 1
    unresolved = any(outcome.stuck or outcome.held for outcome in outcomes)
    return 2 if not status and arguments.check and (changed or unresolved) else 0


def _prepare(arguments: argparse.Namespace, stack: ExitStack) -> tuple[Sync, dict[str, str]]:
    status = arguments.command == "status"
    objects = resources_below(arguments.objects) if arguments.objects else []
    prune = not status and arguments.prune
    plan = FleetPlan()
    for path in arguments.sets:
        if not os.path.isfile(path):
            raise Refused(f"{path}: must be a file with PackageVariantSets")
        one = plan_variants(
            resources_of(path, os.path.basename(path)), objects, path, prune, arguments.objects or ""
        )
        plan.add(one)
        fleet = arguments.fleet or fleet_of(path)
        for task in one.tasks:
            task.fleet = fleet
        plan.fleets.add(fleet)
        plan.files.append(path)
    known = FleetObjects(objects)
    dry = status or arguments.dry_run or arguments.check
    stores, remotes = _open_stores(_named(arguments.repo), known.repositories, stack, dry)
    for name in () if status else arguments.adopt:
        refs = [
            (store, store.ref(lifecycle.PUBLISHED, *name.rpartition("/")[::2])) for store in stores.values()
        ]
        if not any(ref in store.seen for store, ref in refs):
            raise Refused(f"--adopt {name}: no repository has a version {name}; must be PACKAGE/vN")
        for store, ref in refs:
            store.adopt[ref] = name
    sources = SyncSources(stores, known)
    build = build_of(arguments, objects, options_of(arguments))
    approve, shard = ("never", Shard()) if status else (arguments.approve, arguments.shard)
    policy = "" if status else arguments.on_conflict
    return Sync(
        plan, sources, build, approve, _author(stores.values()), prune, shard, dry, on_conflict=policy
    ), remotes


def fleet_of(path: str) -> str:
    """Return a file's fleet name: the origin's name and the file's path in its git repository.

    Examples: `org/fleets/prod/shops.yaml` in a clone of git@example.com:org/fleets.git, `shops.yaml` outside
    of any repository.
    """
    folder, name = os.path.split(os.path.realpath(path))
    repository = GitRepository(Path(folder))
    try:
        prefix = repository.run("rev-parse", "--show-prefix").decode("utf-8", "replace").rstrip("\n")
    except GitError:
        return name
    try:
        address = repository.run("config", "--get", "remote.origin.url").decode("utf-8", "replace").strip()
    except GitError:
        return f"{prefix}{name}"
    parts = [part for part in re.split("[/:]", address.removesuffix("/").removesuffix(".git")) if part]
    return "/".join([*parts[-2:], f"{prefix}{name}"])


def _named(given: list[tuple[str, str]]) -> dict[str, str]:
    """Return the values of --repo by name. Raises Refused if a name has two places."""
    places: dict[str, str] = {}
    for name, place in given:
        if places.setdefault(name, place) != place:
            both = f"{shown_address(places[name])} and {shown_address(place)}"
            raise Refused(f"--repo {name} is both {both}; name one")
    return places


def _open_stores(
    given: dict[str, str], repositories: list[Resource], stack: ExitStack, dry: bool
) -> tuple[dict[str, Store], dict[str, str]]:
    """Return the stores by name, and the addresses of the remote stores."""
    known = {one.name: one for one in repositories}
    for name, one in known.items():
        repo = one.get("spec", "git", "repo")
        if name not in given and isinstance(repo, str) and repo:
            given[name] = repo
    stores: dict[str, Store] = {}
    remotes: dict[str, str] = {}
    for name, place in given.items():
        folder = Path(place)
        if not folder.is_dir():
            temporary = tempfile.TemporaryDirectory(prefix="krmkit-repo-")
            stack.callback(temporary.cleanup)
            folder = Path(temporary.name)
            mirror = GitRepository(folder)
            mirror.run("init", "--quiet", "--bare")
            try:
                quiet = ("--quiet", "--no-tags", "--update-shallow")
                mirror.run("fetch", *quiet, operands=(place, "+refs/*:refs/*"), protocols=NETWORK)
            except GitError as error:
                said = str(error).removeprefix(f"{folder}: ")
                shown = shown_address(place)
                raise GitError(f"the repository {name} at {shown} cannot be read: {said}") from None
            remotes[name] = place
        described = known.get(name)
        deployment = described is None or described.get("spec", "deployment") is True
        directory = str(described.get("spec", "git", "directory") or "") if described is not None else ""
        repository = GitRepository.open(folder)
        inside = repository.run("rev-parse", "--show-prefix").decode("utf-8", "replace").strip()
        if inside:
            # git would search upwards, and write this repository's refs into the outer one.
            raise GitError(f"{name}: {folder} is the folder {inside} of a repository; name a repository")
        lock = RepositoryLock(repository)
        if lock.unfinished and dry:
            say("variants", f"{name}: a sync is running, or was killed; the next sync completes it")
        elif lock.unfinished:  # otherwise nothing is written, so an upstream may be read-only
            with lock:
                if lock.note:
                    say("variants", f"{name}: {lock.note}")
        stores[name] = Store(name, folder, deployment, directory)
        stack.callback(stores[name].close)
    return stores, remotes


def _author(stores: Iterable[Store]) -> str:
    """Return `Name <mail>` from the user's git config."""
    for store in stores:
        try:
            said = store.repository.run("var", "GIT_COMMITTER_IDENT").decode("utf-8", "replace")
        except GitError:
            continue
        return said.rpartition("> ")[0] + ">"
    return "krmkit <krmkit@localhost>"


def _store(sync: Sync, remotes: dict[str, str], push: bool) -> None:
    unpushed = [name for name in remotes if sync.sources.stores[name].refs.changes]
    if unpushed and not push:
        raise Refused(
            f"{', '.join(unpushed)}: would change; --push pushes to an address, or clone it and name the folder"
        )
    if push:
        for name, store in sync.sources.stores.items():
            if name not in remotes and store.refs.changes:
                remotes[name] = store.repository.run("remote", "get-url", "origin").decode().strip()
                store.refs.protocols = ELSEWHERE
    try:
        sync.store(remotes if push else {})
    except GitError as error:
        if "transport 'file' not allowed" not in str(error):
            raise
        raise GitError(
            f"{error}; the origin of a given folder must be an address ({', '.join(ELSEWHERE)}); a repository on"
            " this machine is changed itself where --repo NAME=FOLDER names it"
        ) from None


def _progress(terminal: Terminal) -> Callable[[int, int], None]:
    def shown(number: int, total: int) -> None:
        if number == total or number % 100 == 0:
            terminal.line(f"variant {number} of {total}" if number < total else "")

    return shown
