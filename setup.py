"""What pyproject.toml cannot say: the functions travel inside the package, beside the command krmkit.

functions/<name> is packaged as krmkit/_functions/<name>, as files that are loaded by path, so that nothing but `krmkit` is top level.
"""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
FUNCTIONS = sorted(path.parent.name for path in ROOT.glob("functions/*/function.yaml"))
SHIPPED = ("main.py", "definition.py", "function.yaml", "rules.yaml", "README.md")


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


(ROOT / "build").mkdir(exist_ok=True)
setup(
    # Not in shared/: metadata there would register the pytest plugin a second time in a checkout.
    options={"egg_info": {"egg_base": "build"}},
    cmdclass={"build_py": BuildWithFunctions},
)
