"""Which kernel runs: the compiled one, or the source beside it.

A compiled kernel lies in ``native/`` with the digest of the source it was made from. It runs unless ``GUANDAN_PURE`` is
1, or the source has changed since: then the source runs, and a warning says so. This is the one module of the engine
that looks at the machine it runs on; ``setup.py`` builds by the same words.
"""

from __future__ import annotations

import os
import warnings
from hashlib import sha256
from os.path import isfile, join
from typing import Final

PACKAGE: Final = os.path.dirname(__file__)
NATIVE: Final = "native"
STAMP: Final = "digest"
SWITCH: Final = "GUANDAN_PURE"
PURE: Final = os.environ.get(SWITCH) == "1"
"""Whether the source shall run whatever is compiled."""
_NEVER_COMPILED: Final = ("__init__.py", "build.py", "types.py")
_SEEN: Final = (join("..", "cards.py"), join("..", "combos.py"))
"""Modules beside the package whose values the compiler may write into the code it makes."""


def modules(package: str) -> list[str]:
    """Return the paths of the kernel's modules that are compiled."""
    return [join(package, name) for name in _sources(package) if name not in _NEVER_COMPILED]


def _sources(package: str) -> list[str]:
    return sorted(name for name in os.listdir(package) if name.endswith(".py"))


def digest(package: str) -> str:
    """Return the SHA-256 of all that a compiled kernel is made from."""
    total = sha256()
    for name in (*_sources(package), *_SEEN):
        with open(join(package, name), "rb") as file:
            total.update(sha256(file.read()).digest())
    return total.hexdigest()


def compiled_folder(package: str) -> str | None:
    """Return where the compiled modules are that may run; None when the source shall."""
    folder = join(package, NATIVE)
    stamp = join(folder, STAMP)
    if PURE or not isfile(stamp):
        return None
    with open(stamp, encoding="ascii") as file:
        made_from = file.read().strip()
    if made_from == digest(package):
        return folder
    warnings.warn(
        f"the compiled kernel is not of this source, which runs instead, much slower; install the engine again "
        f"(in a checkout: make setup), or set {SWITCH}=1 to run the source on purpose",
        RuntimeWarning,
        stacklevel=2,
    )
    return None
