"""The expressions merge, auto and prefer, which use stubs."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.libraries.spiff.expressions.references import Reference
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, Path, Result, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression, find_text, step_into
from krmkit.libraries.spiff.tree.resolved import is_resolved


@dataclass(slots=True, eq=False)
class Merge(Expression):
    """`merge`, `merge replace`, `merge required`, `merge on key`, `merge a.b`, `merge none`."""

    path: Path
    redirect: bool
    replace: bool
    required: bool
    none: bool
    key_name: str

    def evaluate(self, env: Env, locally: bool) -> Result:
        info = Info(key_name=self.key_name, redirect=self.path if self.redirect else None)
        if self.none:
            info.merged = True
            return None, info
        found = env.find_in_stubs(self.path)
        if found is None:
            raise Failure(f"'{'.'.join(self.path)}' not found in any stub", info)
        info.replace, info.merged = self.replace, True
        info.source, info.flags = found.source, found.note.flags
        return found.value, info

    def __str__(self) -> str:
        text = " replace" if self.replace else ""
        if self.key_name:
            text += f" on {self.key_name}"
        if self.required and not self.redirect and text:
            text = " required"
        return f"merge{text} {'.'.join(self.path)}" if self.redirect else f"merge{text}"


@dataclass(frozen=True, slots=True, eq=False)
class Auto(Expression):
    """`auto`: the number of instances of all jobs of a resource pool; only for `resource_pools.*.size`."""

    path: Path

    def evaluate(self, env: Env, locally: bool) -> Result:
        path = self.path
        if len(path) != 3 or path[0] != "resource_pools" or path[2] != "size":
            raise Failure("auto only allowed for size entry in resource pools")
        try:
            jobs, info = Reference(("", "jobs")).evaluate(env, False)
        except Failure:
            raise Failure("no jobs found") from None
        if not is_resolved(jobs, env.run):
            return self, info
        fail_if(type(jobs) is not list, "jobs must be a list", info)
        pool = path[1].partition(":")[2] or path[1]
        size = 0
        for job in jobs:
            if find_text(job, "resource_pool") != pool:
                continue
            instances = step_into(job, "instances", False, env.run.control)
            if instances is None or type(instances.value) is not int:
                raise Failure("instances must be a number", info)
            size += instances.value
        return size, info

    def __str__(self) -> str:
        return "auto"


@dataclass(frozen=True, slots=True, eq=False)
class Prefer(Expression):
    """`prefer expr`: stubs are merged into the value instead of replacing it."""

    inner: Expression

    def evaluate(self, env: Env, locally: bool) -> Result:
        value, info = self.inner.evaluate(env, locally)
        return value, Info(preferred=True).join(info)

    def __str__(self) -> str:
        return f"prefer {self.inner}"
