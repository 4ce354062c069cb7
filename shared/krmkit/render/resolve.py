"""The program of an entry of the pipeline: a function of this catalog, or another program.

A function of the catalog is identified by the last segment of `image:` (whatever registry, tag or digest) or by the
program of `exec:` (its own name, or for a main.py that of its folder), and runs in this process. Anything else is run
as kpt runs it.
"""

from __future__ import annotations

from krmkit.fn.commandline import UsageError, parse_arguments
from krmkit.fn.loader import Function, load, names, unloadable
from krmkit.fn.run import RunOptions
from krmkit.kpt.kptfile import PipelineFunction, image_name, image_tag, program_name
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.render.programs.container import (
    NoRuntimeError,
    bad_image,
    container,
    full_name,
    image_prefix,
    runtime,
    tags_here,
)
from krmkit.render.programs.external import TIMEOUT, External
from krmkit.render.programs.tags import bad_tag, constraint, highest


class ResolveError(Exception):
    """The function cannot run on this machine; the message names what is missing."""


class Known:
    """A function of the catalog with the options of its command line."""

    __slots__ = ("function", "options")

    def __init__(self, function: Function, options: RunOptions) -> None:
        self.function = function
        self.options = options


class ProgramResolver:
    """Finds programs; caches facts about the machine."""

    def __init__(
        self,
        options: RunOptions,
        allow_exec: bool = False,
        allow_network: bool = False,
        pull: str = "IfNotPresent",
        timeout: float = TIMEOUT,
        catalog: dict[str, Function] | None = None,
        containers: tuple[str, ...] = (),
    ) -> None:
        self.options = options
        self.allow_exec = allow_exec
        self.allow_network = allow_network
        self.pull = pull
        self.timeout = timeout
        self._functions: dict[str, Function] = dict(catalog or {})
        self._names = frozenset(catalog if catalog is not None else names())
        self._containers = frozenset(containers)
        self._runtime = ""
        self.skip: frozenset[str] = frozenset()  # names of functions that do not run
        self.only: frozenset[str] = frozenset()  # if not empty, only these run
        self.image_prefix = ""  # the registry of images without one; "" for the default

    def skips(self, entry: PipelineFunction) -> str:
        """The flag that skips a function, "" if it runs."""
        name = entry.function_name
        if name in self.skip:
            return f"--skip {name}"
        return "--only" if self.only and name not in self.only else ""

    def resolve(self, entry: PipelineFunction) -> Known | External:
        """The program of an entry. Raises ResolveError."""
        return self._image(entry) if entry.image else self._exec(entry)

    def _image(self, entry: PipelineFunction) -> Known | External:
        name = image_name(entry.image)
        if name in self._names and name not in self._containers:
            return Known(self._load(name), self._tagged(image_tag(entry.image) or entry.tag))
        if not self._runtime:
            try:
                self._runtime = runtime()
            except NoRuntimeError as error:
                if name in self._containers:
                    raise ResolveError(
                        f"{entry.image} must run as a container (--containers {name}), and no container runtime works"
                        f" here: {error}"
                    ) from None
                raise ResolveError(
                    f"{entry.image} is not a function of this catalog{self._hint(name)}, and no container runtime works"
                    f" here: {error}. Functions of this catalog: {', '.join(sorted(self._names))}"
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
        program = container(image, self._runtime, self.pull, self.allow_network, self.timeout)
        program.hint = self._hint(name)
        return program

    def _chosen(self, entry: PipelineFunction, image: str) -> str:
        """The tag that an entry's `tag` names or, as a constraint, picks. Raises ResolveError."""
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

    def _tagged(self, tag: str) -> RunOptions:
        """The options of a function whose image has a tag."""
        if not tag:
            return self.options
        given = self.options
        return RunOptions(given.explain, given.debug, given.limits, tag)

    def _exec(self, entry: PipelineFunction) -> Known | External:
        import shlex

        try:
            words = shlex.split(entry.exec)
        except ValueError as error:
            raise ResolveError(f"exec {entry.exec} is not a command line: {error}") from None
        if not words:
            raise ResolveError("exec is empty; name a program")
        name = program_name(words[0])
        if name in self._names:
            try:
                arguments = parse_arguments(words[1:])
            except UsageError as error:
                raise ResolveError(f"exec {entry.exec}: {error}") from None
            if arguments.file or arguments.show:
                raise ResolveError(f"exec {entry.exec}: in a pipeline a function takes flags for a run only")
            arguments.options.explain |= self.options.explain
            arguments.options.debug |= self.options.debug
            if arguments.options.limits is DEFAULT_LIMITS:
                arguments.options.limits = self.options.limits
            return Known(self._load(name), arguments.options)
        if not self.allow_exec:
            raise ResolveError(
                f"exec {words[0]} is a program outside this catalog{self._hint(name)};"
                " --allow-exec lets it run, with all your rights"
            )
        return External(entry.exec, words, self.timeout)

    def _hint(self, name: str) -> str:
        """` (did you mean apply-presets?)` for a name close to one of this catalog, else ""."""
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
