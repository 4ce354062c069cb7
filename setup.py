"""What pyproject.toml cannot say: the functions travel inside the package, and each has a command of its own.

functions/<name> is packaged as krmkit/_functions/<name>, as files that are loaded by path, so that nothing but `krmkit` is top level.
"""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
FUNCTIONS = sorted(path.parent.name for path in ROOT.glob("functions/*/function.yaml"))
SHIPPED = ("main.py", "definition.py", "function.yaml", "README.md")
# The command of a function. pip makes the first line name its interpreter. It is no entry point, because what pip writes for one imports `re`,
# which takes a third of the time of a small run. `krmkit` is one, so that Windows has krmkit.exe (`krmkit run NAME`).
SCRIPT = "#!python\nfrom krmkit.start import function\n\nfunction({name!r})\n"


class BuildWithFunctions(build_py):
    """Copies the functions beside the modules; an editable install finds them in the checkout."""

    def run(self) -> None:
        if not self.editable_mode:
            # setuptools packs whatever lies there: also modules that an earlier build left, and that are gone since.
            rmtree(Path(self.build_lib, "krmkit"), ignore_errors=True)
        super().run()
        if self.editable_mode:
            return
        for name in FUNCTIONS:
            target = Path(self.build_lib, "krmkit", "_functions", name)
            self.mkpath(str(target))
            for file in SHIPPED:
                self.copy_file(str(ROOT / "functions" / name / file), str(target / file))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        outputs = list(super().get_outputs(include_bytecode))
        if not self.editable_mode:
            outputs += [
                str(Path(self.build_lib, "krmkit", "_functions", name, file))
                for name in FUNCTIONS
                for file in SHIPPED
            ]
        return outputs


def commands() -> list[str]:
    """Write the command of each function; returns their paths, relative to this file."""
    folder = ROOT / "build" / "commands"
    rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in FUNCTIONS:
        (folder / name).write_text(SCRIPT.format(name=name), "utf-8")
    return [f"build/commands/{name}" for name in FUNCTIONS]


setup(
    # Not in shared/: metadata there would register the pytest plugin a second time in a checkout.
    options={"egg_info": {"egg_base": "build"}},
    cmdclass={"build_py": BuildWithFunctions},
    entry_points={
        "console_scripts": ["krmkit = krmkit.start:command"],
        # Does nothing until a setting or an option names functions to test.
        "pytest11": ["krmkit = krmkit.fn.contract.plugin"],
    },
    scripts=commands(),
)
