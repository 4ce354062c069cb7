"""Find the program of a pipeline entry: a function of this catalog, or another program.

A function of the catalog runs in this process for the images that it replaces (see krmkit.fn.standin), and
for an `exec:` with its name alone, without a slash. Anything else is run as kpt runs it.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields

from krmkit.fn.commandline import parse_arguments
from krmkit.fn.loader import Function, load, names, unloadable
from krmkit.fn.run import RunOptions
from krmkit.fn.standin import followed, not_the_image, standing_in, stood_in
from krmkit.kpt.kptfile import PipelineFunction, image_name
from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.render.programs.container import bad_image, container, full_name, image_prefix, runtime, tags_here
from krmkit.render.programs.external import TIMEOUT, External
from krmkit.render.programs.tags import bad_tag, constraint, fulfilling, highest


class ResolveError(Refused):
    """An error about a function that cannot run on this machine. `way`: a possible remedy.

    skip: the function's name if skipping it is a remedy; `{skip}` in `way` stands for it.
    """

    def __init__(self, message: str, way: str = "", skip: str = "") -> None:
        super().__init__(message)
        self.way = way
        self.skip = skip


def ways_of(errors: Sequence[ResolveError]) -> list[str]:
    """Return the remedies of errors, each once, with one list of all functions to skip."""
    names = list(dict.fromkeys(one.skip for one in errors if one.skip))
    flags = " ".join(f"--skip {name}" for name in names)
    skip = f"{flags} {'leaves the function' if len(names) == 1 else 'leave the functions'} out"
    return list(dict.fromkeys(one.way.replace("{skip}", skip) for one in errors if one.way))


@dataclass(frozen=True, slots=True)
class Known:
    """A function of the catalog with its command line options."""

    function: Function
    options: RunOptions


@dataclass(eq=False)
class ProgramResolver:
    """Find programs, and cache facts about the machine.

    `strict`: a function replaces only the release that it follows. `skip`: the names of functions that do not
    run; `only`: if not empty, only these run. `image_prefix`: the registry of images without one, "" for the
    default.
    """

    options: RunOptions
    allow_exec: bool = False
    allow_network: bool = False
    image_pull_policy: str = "IfNotPresent"
    timeout: float = TIMEOUT
    catalog: dict[str, Function] | None = None
    containers: Collection[str] = ()
    in_process: Collection[str] = ()
    strict: bool = False
    skip: Collection[str] = ()
    only: Collection[str] = ()
    image_prefix: str = ""

    def __post_init__(self) -> None:
        self._functions: dict[str, Function] = dict(self.catalog or {})
        self._own = frozenset(names())
        self._names = self._own if self.catalog is None else frozenset(self.catalog)
        self._runtime = ""
        self._known: dict[tuple[str, str], Known] = {}  # by image and tag: the packages of a tree share them

    @classmethod
    def of(
        cls, flags: argparse.Namespace, options: RunOptions, catalog: dict[str, Function] | None
    ) -> ProgramResolver:
        known = {one.name for one in fields(cls)} - {"options", "catalog"}
        return cls(options, catalog=catalog, **{name: getattr(flags, name) for name in known})

    def skips(self, entry: PipelineFunction) -> str:
        """Return the flag that skips a function, "" if it runs."""
        name = entry.function_name
        if name in self.skip:
            return f"--skip {name}"
        return "--only" if self.only and name not in self.only else ""

    def resolve(self, entry: PipelineFunction) -> Known | External:
        """Return the program of an entry. Raises ResolveError."""
        if not entry.image:
            return self._exec(entry)
        known = self._known.get((entry.image, entry.tag))
        if known is not None:
            return known
        found = self._image(entry)
        if isinstance(found, Known):
            self._known[entry.image, entry.tag] = found
        return found

    def answers(self, entry: PipelineFunction) -> tuple[str, str]:
        """Return who runs an entry, "" for nobody, and a note about it."""
        flag = self.skips(entry)
        if flag:
            return "nothing", flag
        try:
            program = self.resolve(entry)
        except ResolveError as error:
            return "", "; ".join([str(error), *ways_of([error])])
        if isinstance(program, Known):
            return f"{program.function.name} of this catalog", program.options.stands_in
        return (f"a container ({program.command[0]})" if entry.image else "a program"), ""

    def _image(self, entry: PipelineFunction) -> Known | External:
        name = image_name(entry.image)
        # The caller's functions are those of --functions, which is enough; krmkit's stand in for images.
        ours = name not in self._own or bool(stood_in(entry.image, tuple(self.in_process)))
        if name in self._names and name not in self.containers and ours:
            function = self._load(name)
            tag = fulfilling(entry.tag, followed(entry.image, function.definition))
            warning = not_the_image(entry.image, tag, function.definition)
            if warning and self.strict:
                raise ResolveError(warning)
            return Known(function, standing_in(self.options, entry.image, tag, warning))
        if not self._runtime:
            try:
                self._runtime = runtime()
            except Refused as error:
                if name in self.containers:
                    raise ResolveError(
                        f"{entry.image} must run as a container (--containers {name}), and no container runtime works"
                        f" here: {error}"
                    ) from None
                registry = entry.image.partition("@")[0].rpartition("/")[0]
                mirror = f"; --in-process {registry} says that this registry mirrors the catalog" * bool(
                    registry
                )
                raise ResolveError(
                    f"{entry.image} is not {self._lacks(name)}, and no container runtime works here: {error}",
                    f"install one, or {{skip}}{mirror if name in self._names else ''}",
                    name,
                ) from None
        try:
            image = full_name(entry.image, prefix=image_prefix(self.image_prefix))
        except ValueError as error:
            raise ResolveError(str(error)) from None
        if entry.tag:
            image = full_name(image, self._chosen(entry, image))
        bad = bad_image(entry.image) or bad_image(image)
        if bad:
            raise ResolveError(bad)
        program = container(image, self._runtime, self.image_pull_policy, self.allow_network, self.timeout)
        program.hint = "" if name in self.containers else self._hint(name)
        return program

    def _chosen(self, entry: PipelineFunction, image: str) -> str:
        """Return the tag in an entry's `tag`, or the tag that its constraint selects. Raises ResolveError."""
        bad = bad_tag(entry.tag)
        if bad:
            raise ResolveError(f"{entry.image}: {bad}")
        wanted = constraint(entry.tag)
        if wanted is None:
            return entry.tag
        found = highest(wanted, tags_here(image, self._runtime))
        if not found:
            raise ResolveError(
                f"{image}: {self._runtime} has no tag of it on this machine that fulfils {entry.tag}; pull one,"
                " or give the tag itself (no registry is asked)"
            )
        return found

    def _lacks(self, name: str) -> str:
        """Return the message about a name that is neither a catalog function nor a usable program."""
        if name in self._names:
            return f"one that {name} of this catalog may stand in for"
        return f"a function of this catalog{self._hint(name)}"

    def _exec(self, entry: PipelineFunction) -> Known | External:
        import shlex

        try:
            words = shlex.split(entry.exec)
        except ValueError as error:
            raise ResolveError(f"exec {entry.exec} is not a command line: {error}") from None
        if not words:
            raise ResolveError("exec is empty; name a program")
        name = entry.function_name
        if words[0] in self._names:
            try:
                arguments = parse_arguments(words[1:])
            except Refused as error:
                raise ResolveError(f"exec {entry.exec}: {error}") from None
            if arguments.file or arguments.show:
                raise ResolveError(f"exec {entry.exec}: in a pipeline a function takes flags for a run only")
            arguments.options.explain |= self.options.explain
            arguments.options.debug |= self.options.debug
            if arguments.options.limits is DEFAULT_LIMITS:
                arguments.options.limits = self.options.limits
            return Known(self._load(words[0]), arguments.options)
        if not self.allow_exec:
            own = f"; without a path, exec: {name} is the function of this catalog" * (name in self._names)
            raise ResolveError(
                f"exec {words[0]} is a program outside this catalog{'' if own else self._hint(name)}",
                f"--allow-exec lets programs run, with all your rights{own}",
            )
        return External(entry.exec, words, self.timeout)

    def _hint(self, name: str) -> str:
        """Return ` (did you mean apply-presets?)` for a name close to one of this catalog, else ""."""
        from krmkit.libraries.messages.nearest import nearest

        near = nearest(name, sorted(self._names))
        return f" (did you mean {near}?)" if near is not None else ""

    def _load(self, name: str) -> Function:
        """Return the function with its main.py loaded. Raises ResolveError if main.py cannot be loaded."""
        function = self._functions.get(name) or load(name)
        self._functions[name] = function
        try:
            _ = function.process
        except Exception as error:  # noqa: BLE001  # whatever main.py does
            raise ResolveError(unloadable(function, error)) from None
        return function
