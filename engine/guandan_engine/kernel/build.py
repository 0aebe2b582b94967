"""Which kernel runs: the compiled one, or the source beside it.

A compiled kernel lies in ``native/`` with the digest of the source it was made from. It runs unless ``GUANDAN_PURE`` is
1, or the source has changed since: then the source runs, and a warning says so. This is the one module of the engine
that looks at the machine it runs on; ``setup.py`` builds by the same words.
"""

from __future__ import annotations

import os
import warnings
from hashlib import sha256
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parent
NATIVE: Final = "native"
STAMP: Final = "digest"
SWITCH: Final = "GUANDAN_PURE"
PURE: Final = os.environ.get(SWITCH) == "1"
"""Whether the source shall run whatever is compiled."""
_NEVER_COMPILED: Final = ("__init__.py", "build.py", "types.py")
_SEEN: Final = ("cards.py", "combos.py")
"""Modules beside the package whose values the compiler may write into the code it makes."""


def modules(package: Path) -> list[Path]:
    """Return the modules of the kernel that are compiled."""
    return [path for path in sorted(package.glob("*.py")) if path.name not in _NEVER_COMPILED]


def digest(package: Path) -> str:
    """Return the SHA-256 of all that a compiled kernel is made from."""
    total = sha256()
    for path in (*sorted(package.glob("*.py")), *(package.parent / name for name in _SEEN)):
        total.update(sha256(path.read_bytes()).digest())
    return total.hexdigest()


def compiled_folder(package: Path) -> str | None:
    """Return where the compiled modules are that may run; None when the source shall."""
    stamp = package / NATIVE / STAMP
    if PURE or not stamp.is_file():
        return None
    if stamp.read_text(encoding="ascii").strip() == digest(package):
        return str(stamp.parent)
    warnings.warn(
        f"the compiled kernel is not of this source, which runs instead, much slower; install the engine again "
        f"(in a checkout: make setup), or set {SWITCH}=1 to run the source on purpose",
        RuntimeWarning,
        stacklevel=2,
    )
    return None
