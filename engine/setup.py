"""Build the engine, its kernel compiled by mypyc where that is possible.

Where there is no C compiler, or the kernel does not compile, the build says so and succeeds all the same: the source
does the same, slower. With GUANDAN_PURE=1 nothing is compiled, and the wheel runs anywhere.
"""

from __future__ import annotations

import os
import runpy
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools._distutils import ccompiler, sysconfig
from setuptools.command.build_ext import build_ext

KERNEL = Path("guandan_engine", "kernel")
BUILD: dict[str, Any] = runpy.run_path(str(KERNEL / "build.py"))
PACKAGE = "guandan_engine.kernel"
NATIVE = f"{PACKAGE}.{BUILD['NATIVE']}"
RUNTIME = ("librt==0.17.*", "mypy-extensions>=1")
"""What compiled code imports: its vectors, of the same release as the compiler, and the names of its numbers."""


class CompileKernel(build_ext):
    """Translate the kernel to C, compile it, and put the digest of its source beside it last."""

    def run(self) -> None:
        """Build, or say why not."""
        try:
            self.distribution.ext_modules = _extensions(self.build_temp)
            self.finalized, self.swig_opts = False, None  # read the extensions; options of SWIG would be split twice
            self.ensure_finalized()
            self._forget()
            super().run()
        except (Exception, SystemExit) as reason:  # whatever goes wrong, the source can run
            _say(f"the kernel was not compiled, its source will run; see above: {reason!r}")
            self.distribution.ext_modules = self.extensions = []
            self._forget()
            return
        for folder in self._folders():
            folder.joinpath(BUILD["STAMP"]).write_text(BUILD["digest"](KERNEL) + "\n", encoding="ascii")

    def _folders(self) -> list[Path]:
        """The folders that hold what was built: that of the wheel, and that of the source in an editable install."""
        built = Path(self.build_lib) / KERNEL / BUILD["NATIVE"]
        return [built, KERNEL / BUILD["NATIVE"]] if self.inplace else [built]

    def _forget(self) -> None:
        """Remove what was built before, the digest first; room is made for the new."""
        for folder in self._folders():
            folder.mkdir(parents=True, exist_ok=True)
            folder.joinpath(BUILD["STAMP"]).unlink(missing_ok=True)
            for old in folder.glob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"):
                old.unlink()


def _extensions(folder: str) -> list[Extension]:
    """Translate the kernel; each module keeps its name, and all find each other through ``guandan_engine.kernel``."""
    from mypyc.build import mypycify  # noqa: PLC0415  (absent where the wheel is to be pure)

    paths = BUILD["modules"](str(KERNEL))
    options = ["--strict", "--config-file=", f"--cache-dir={folder}/mypy", "--python-executable", sys.executable]
    extensions: list[Extension] = mypycify([*options, *paths], target_dir=folder, group_name=f"{PACKAGE}.all")
    for extension in extensions:
        extension.name = extension.name.replace(PACKAGE, NATIVE)
    return extensions


def _why_not() -> str | None:
    """Say why nothing can be compiled here; None when it can."""
    if BUILD["PURE"]:
        return f"{BUILD['SWITCH']}=1"
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder, "probe.c")
        probe.write_text("#include <Python.h>\n", encoding="ascii")
        try:
            compiler = ccompiler.new_compiler()
            sysconfig.customize_compiler(compiler)
            compiler.compile([str(probe)], folder, include_dirs=[sysconfig.get_python_inc()])
        except Exception as reason:  # the classes of distutils go by two names, so none can be caught by its own
            return f"no C compiler that finds Python.h: {reason}"
    return None if find_spec("mypyc") else "mypy is not installed"


def _say(words: str) -> None:
    sys.stderr.write(f"guandan-engine: {words}\n")
    sys.stderr.flush()


def main() -> None:
    """Build what was asked for, outside the source."""
    why_not = _why_not()
    if why_not:
        _say(f"building without a compiled kernel, the source will run: {why_not}")
    with tempfile.TemporaryDirectory() as folder:
        setup(
            ext_modules=[] if why_not else [Extension(f"{NATIVE}.all__mypyc", [])],
            install_requires=[] if why_not else list(RUNTIME),
            cmdclass={"build_ext": CompileKernel},
            options={"build": {"build_base": os.path.join(folder, "build")}},
        )


main()
