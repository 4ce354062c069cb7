"""The report of a command: `krmkit.dev/report/v1alpha1`, documented in docs/report.md.

Report
  packages: one for each package that was worked on
    steps: the functions that ran, in order
    results: what they found, each with its place
    changes: the files that changed, or would
    fields, profiles, topology: what `krmkit report` adds
    systems: Clusters, Installations and extensions, for `krmkit report` too
  variants: the packages of a fleet
  links, versions, collisions: what packages share
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

API_VERSION = "krmkit.dev/report/v1alpha1"
KIND = "Report"
NOT_RENDERED = "not-rendered"  # the rule of the findings of --check
CHECK = "check"  # the command whose findings of all packages are listed together
SEVERITIES = ("error", "warning", "info")  # the most severe first
CREATED, CHANGED, REMOVED = "created", "changed", "removed"


@dataclass(frozen=True, slots=True)
class Edit:
    """A span of a file, from line and column to before the end, all from 1, and the text in its place."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that mend a finding. `safe`: they may be applied without a look."""

    safe: bool
    edits: list[Edit]

    def data(self) -> dict[str, Any]:
        """Return the fix as data."""
        names = {"end_line": "endLine", "end_column": "endColumn"}
        return {
            "safe": self.safe,
            "edits": [
                {names.get(one.name, one.name): getattr(edit, one.name) for one in fields(edit)}
                for edit in self.edits
            ],
        }


@dataclass(frozen=True, slots=True)
class RelatedPlace:
    """A place that belongs to a finding, as where a variable is defined; `message` says what is there."""

    path: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.message}: {self.path}:{self.line}:{self.column}"


@dataclass(slots=True)
class Result:
    """One finding. `path` is relative to the working directory; `line` and `column` count from 1; 0: unknown.

    `instead`: what is wrong and what is proposed, of which the fix is made.

    Example: `Result("error", "unknown-preset", "there is no preset fats", path="p/Kptfile", line=9,
    column=14)`.
    """

    severity: str
    rule: str
    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    resource: dict[str, str] = field(default_factory=dict)
    field: str = ""
    function: str = ""
    current: object = None
    proposed: object = None
    end_column: int = 0
    fix: Fix | None = None
    instead: tuple[object, object] | None = None
    related: tuple[RelatedPlace, ...] = ()

    @property
    def told(self) -> str:
        """Return the message with the related places: `duplicate (the first one: a.yaml:3:9)`."""
        return f"{self.message} ({'; '.join(map(str, self.related))})" if self.related else self.message

    @property
    def place(self) -> str:
        """Return `path:line:col`, as much of it as is known."""
        numbers = f":{self.line}:{self.column or 1}" if self.line else ""
        return self.path + numbers if self.path else ""

    @property
    def subject(self) -> str:
        """Return `ConfigMap ns/app data.x`, as much of it as is known."""
        parts = []
        if self.resource:
            name = f"{self.resource.get('namespace', '')}/{self.resource.get('name', '')}".lstrip("/")
            parts.append(f"{self.resource.get('kind', '')} {name}".strip())
        return " ".join([*parts, self.field] if self.field else parts)

    def data(self) -> dict[str, Any]:
        """Return the result as data, without unknown fields."""
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "instead"}
        values["endColumn"] = values.pop("end_column")
        values["fix"] = self.fix and self.fix.data()
        values["related"] = [
            {one.name: getattr(each, one.name) for one in fields(each)} for each in self.related
        ]
        return {name: value for name, value in values.items() if value not in ("", 0, None, {}, [])}


@dataclass(slots=True)
class PipelineStep:
    """One function of a pipeline after its run. `package`: the subpackage whose pipeline it is in, or ""."""

    name: str
    kind: str
    package: str = ""
    exit_code: int = 0
    seconds: float = 0.0
    place: str = ""

    def data(self) -> dict[str, Any]:
        """Return the step as data."""
        data: dict[str, Any] = {
            self.kind: self.name,
            "package": self.package,
            "exitCode": self.exit_code,
            "seconds": round(self.seconds, 4),
        }
        return {**data, "place": self.place} if self.place else data


@dataclass(slots=True)
class FileChange:
    """A file that changed, or would: its path from here, an action of the above, its diff if requested."""

    path: str
    action: str
    diff: str = ""

    def data(self) -> dict[str, str]:
        """Return the change as data."""
        data = {"path": self.path, "action": self.action}
        return {**data, "diff": self.diff} if self.diff else data


@dataclass(slots=True)
class PackageReport:
    """Results of one package.

    `failure`: why its pipeline ended early, "" if it did not. `notes`: lines of text beside the findings.
    `diff`: the text of the changes, if requested. What `krmkit report` adds, as data: `name` is the
    Kptfile's, `fields` are answers of `krmkit why`, `profiles` packs and their pools, `topology` is the plan
    of Clusters, `systems` has the Clusters, Installations and extensions by the names of these fields,
    `upstream` is the package that it was cloned from, `blueprint`: it is a source of clones, and its render
    is not written. `objects`: its objects in a cluster, which are not part of the data. `hidden`: how many
    findings comments or a baseline hide.
    """

    path: str
    packages: int = 1
    steps: list[PipelineStep] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    changes: list[FileChange] = field(default_factory=list)
    failure: str = ""
    notes: list[str] = field(default_factory=list)
    diff: str = ""
    name: str = ""
    fields: list[dict[str, Any]] = field(default_factory=list)
    profiles: list[dict[str, Any]] = field(default_factory=list)
    topology: dict[str, Any] = field(default_factory=dict)
    systems: dict[str, Any] = field(default_factory=dict)
    upstream: str = ""
    blueprint: bool = False
    objects: list[str] = field(default_factory=list)
    hidden: int = 0

    def narrowed(self, least: str) -> PackageReport:
        """Return the same with the results of the severity `least` and above; what is an error stays one."""
        shown = SEVERITIES[: SEVERITIES.index(least) + 1]
        return replace(self, results=[result for result in self.results if result.severity in shown])

    @property
    def has_errors(self) -> bool:
        """Return whether the package failed or has errors."""
        return bool(self.failure) or any(result.severity == "error" for result in self.results)

    @property
    def reason(self) -> str:
        """Return in one line why the package has errors: its failure, or the first error and a count."""
        errors = [result for result in self.results if result.severity == "error"]
        if self.failure or not errors:
            return self.failure
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        return ": ".join(filter(None, (errors[0].place, errors[0].message))) + more

    def data(self) -> dict[str, Any]:
        """Return the package as data."""
        data: dict[str, Any] = {
            "path": self.path,
            "functions": [step.data() for step in self.steps],
            "results": [result.data() for result in self.results],
            "changes": [change.data() for change in self.changes],
        }
        more = {
            "failure": self.failure,
            "name": self.name,
            "fields": self.fields,
            "profiles": self.profiles,
            "topology": self.topology,
            "upstream": self.upstream,
            "blueprint": self.blueprint,
            "hidden": self.hidden,
            **self.systems,
        }
        return {**data, **{name: value for name, value in more.items() if value}}


@dataclass(slots=True)
class FleetVariant:
    """One package of a fleet: its set or variant, the file of that, its upstream as `repo/package@revision`,
    and `state`: current, changed (by a render), edited (by hand since it was written), behind (a sync would
    change it), conflict or failed. `edited`: the changed files; `conflicts`: texts; `newest` and `draft`:
    revisions in git repositories.
    """

    package: str
    owner: str
    source: str = ""
    upstream: str = ""
    state: str = "current"
    note: str = ""
    edited: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    gates: list[str] = field(default_factory=list)
    newest: str = ""
    draft: str = ""
    repository: str = ""

    def data(self) -> dict[str, Any]:
        """Return the variant as data, without unknown fields."""
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "repository"}
        return {name: value for name, value in values.items() if value}


@dataclass(slots=True)
class Report:
    """Report of a command. `written`: False if changes are only shown; `check`: there should be none."""

    command: str
    packages: list[PackageReport] = field(default_factory=list)
    written: bool = True
    check: bool = False
    variants: list[FleetVariant] = field(default_factory=list)
    links: list[dict[str, Any]] = field(default_factory=list)
    versions: list[dict[str, Any]] = field(default_factory=list)
    collisions: list[dict[str, Any]] = field(default_factory=list)

    def narrowed(self, least: str) -> Report:
        """Return the report with the results from `least` upwards. Example: `report.narrowed("warning")`."""
        if least == SEVERITIES[-1]:
            return self
        return replace(self, packages=[package.narrowed(least) for package in self.packages])

    @property
    def findings(self) -> list[Result]:
        """Return the results of all packages in order, and with `check` one per file that would change."""
        return [result for package in self.packages for result in self.findings_of(package)]

    def findings_of(self, package: PackageReport) -> list[Result]:
        """Return the findings of one package."""
        if not self.check:
            return package.results
        return [
            *package.results,
            *(
                Result(
                    "error",
                    NOT_RENDERED,
                    f"krmkit {'render' if self.command == CHECK else self.command} would leave this file {change.action}",
                    change.path,
                )
                for change in package.changes
            ),
        ]

    def exit_code(self) -> int:
        """Return 1 after an error, 2 with `check` if something would change, else 0."""
        if any(package.has_errors for package in self.packages):
            return 1
        return 2 if self.check and any(package.changes for package in self.packages) else 0

    def data(self) -> dict[str, Any]:
        """Return the report as data."""
        data: dict[str, Any] = {
            "apiVersion": API_VERSION,
            "kind": KIND,
            "command": self.command,
            "written": self.written,
            "packages": [package.data() for package in self.packages],
        }
        if self.variants:
            data["variants"] = [variant.data() for variant in self.variants]
        shared = {"links": self.links, "versions": self.versions, "collisions": self.collisions}
        data.update((name, value) for name, value in shared.items() if value)
        return data
