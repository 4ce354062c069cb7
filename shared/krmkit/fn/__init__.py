"""The API for writing a function. The other modules of this package run it.

A function's main.py holds one `process` and hands it to `main`:

    from krmkit.fn import Config, ResourceList, Results, main

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        for item in resources.containing("ConfigMap"):
            item.set(("metadata", "labels", "site"), config.spec["site"])

    if __name__ == "__main__":
        main(__file__, process)

- `ResourceList` and `Resource`: the items, which `process` reads and edits.
- `Config`: the decoded functionConfig; `config.spec` is checked against function.yaml and has its defaults.
- `Results` and `Finding`: what the run has to say.
  `results.error("bad-port", "must be above 1023, got 80", item, "spec.port")` says one thing,
  `results.extend(findings)` all that an engine found.
- `FunctionError`: raise it to end the run with one error and the items unchanged.
- `main`: the command line of the function, from its arguments to its exit code.
"""

# ruff: noqa: E402
import gc

# Imports make no garbage, and looking for some is 2 % of a small run's instructions and 4 % of its time.
_collects = gc.isenabled()
gc.disable()

from krmkit.fn.config import Config
from krmkit.fn.entry import main
from krmkit.fn.results import FunctionError, Results
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList

if _collects:
    gc.enable()

__all__ = ["Config", "Finding", "FunctionError", "Resource", "ResourceList", "Results", "main"]
