"""Generate the Python code of ``guandan_proto/v1`` from its ``.proto`` files, beside them.

python proto/generate.py            write the generated files
python proto/generate.py --check    fail when they are not what the .proto files say
python proto/generate.py --baseline accept the present schema as the one that must never break
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).resolve().parent
FOLDER = Path("guandan_proto/v1")
BASELINE = ROOT / "baseline.binpb"
GENERATED = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi")


def generate(out: Path) -> None:
    """Write the generated code of every ``.proto`` below ``out``; services get gRPC code, other files none."""
    from grpc_tools import protoc  # type: ignore[import-untyped]  # noqa: PLC0415  a development dependency

    protos = sorted(str(p.relative_to(ROOT)) for p in (ROOT / FOLDER).glob("*.proto"))
    services = [p for p in protos if "\nservice " in (ROOT / p).read_text()]
    include = [f"-I{ROOT}", f"-I{files('grpc_tools') / '_proto'}"]
    plugins = [f"--plugin={name}={_beside_python(name)}" for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")]
    messages = ["", *include, *plugins, f"--python_out={out}", f"--mypy_out=quiet:{out}", *protos]
    stubs = ["", *include, *plugins, f"--grpc_python_out={out}", f"--mypy_grpc_out=quiet:{out}", *services]
    for arguments in (messages, stubs):
        if protoc.main(arguments) != 0:
            raise SystemExit("protoc failed")


def stale(fresh: Path) -> list[str]:
    """Name the committed files that differ from the freshly generated ones, or exist on one side only."""
    names = {p.name for root in (ROOT, fresh) for pattern in GENERATED for p in (root / FOLDER).glob(pattern)}
    return sorted(name for name in names if _bytes(ROOT / FOLDER / name) != _bytes(fresh / FOLDER / name))


def main() -> int:
    """Generate, or check freshness; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="compare, write nothing")
    mode.add_argument("--baseline", action="store_true", help="also write baseline.binpb")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        generate(fresh)
        names = stale(fresh)
        if options.check:
            for name in names:
                sys.stderr.write(f"{FOLDER / name} is out of date; run: python proto/generate.py\n")
            return 1 if names else 0
        for name in names:
            _replace(fresh / FOLDER / name, ROOT / FOLDER / name)
    if options.baseline:
        subprocess.run(  # noqa: S603  our own fixed words
            [_beside_python("buf"), "build", "-o", str(BASELINE)], cwd=ROOT, check=True
        )
    return 0


def _beside_python(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _replace(source: Path, target: Path) -> None:
    if source.exists():
        shutil.copyfile(source, target)
    else:
        target.unlink()


if __name__ == "__main__":
    sys.exit(main())
