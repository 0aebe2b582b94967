"""Look through the tracked files for what must never be there: machine paths, registry addresses, large files."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LARGEST_BYTES = 512 * 1024
FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w.$}/:-])/(?:root|home|work|Users)/[\w.]"),
    "an address of a package registry": re.compile(
        r"pypi\.(?:org|python)|python(?:hosted)\.org|registry\.(?:npmjs|yarnpkg)|index\.crates|https?://proxy\.golang"
    ),
    "an address of an image registry": re.compile(r"(?:registry-1|index|auth)\.docker\.io|(?:ghcr|quay|gcr)\.io/"),
}
NEVER_TRACKED = ("uv.lock", "bench.json", ".venv/", "var/")


def complaints() -> Iterator[str]:
    """Every complaint as `path:line: why`."""
    for path in tracked():
        name = str(path.relative_to(ROOT))
        if name.startswith(NEVER_TRACKED):
            yield f"{name}: must not be tracked"
        elif path.is_file():
            yield from _in_file(path, name)


def tracked() -> list[Path]:
    """The files git knows, also the new ones that it does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return sorted({ROOT / name for name in listed.stdout.split("\0") if name})


def _in_file(path: Path, name: str) -> Iterator[str]:
    content = path.read_bytes()
    if len(content) > LARGEST_BYTES:
        yield f"{name}: {len(content)} bytes, more than {LARGEST_BYTES}"
    if b"\0" in content or path == Path(__file__):
        return
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        for words, pattern in FORBIDDEN.items():
            if found := pattern.search(line):
                yield f"{name}:{number}: {words}: {found[0]!r}"


def main() -> int:
    """Print the complaints; exit 1 when there are any."""
    found = list(complaints())
    print("\n".join(found) or "tracked files are clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
