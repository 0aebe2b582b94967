"""Whether what ``bot.toml`` says fits the archive it came in and the runtimes that are offered."""

from __future__ import annotations

from collections.abc import Mapping, Set
from pathlib import PurePosixPath

from guandan_proto.manifest import MANIFEST, NAME, NAME_HINT, BadManifest, Manifest, parse_manifest
from guandan_runner.errors import BadArchive
from guandan_runner.runtimes import RUNTIMES, Runtime

__all__ = ["MANIFEST", "NAME", "NAME_HINT", "Manifest", "entry_file", "read_manifest"]


def read_manifest(text: bytes, paths: Set[str], runtimes: Mapping[str, Runtime] = RUNTIMES) -> Manifest:
    """Read a manifest whose archive holds the files ``paths``; raise BadArchive."""
    try:
        manifest = parse_manifest(text)
    except BadManifest as error:
        raise BadArchive(error.code, error.reason, error.hint) from error
    if manifest.is_remote:
        _check_no_code(paths)
        return manifest
    runtime = runtimes.get(manifest.runtime)
    if runtime is None:
        raise BadArchive(
            "unknown_runtime",
            f"{manifest.runtime!r} is not a runtime of this arena",
            f"write one of {', '.join(sorted(runtimes))}",
        )
    _check_image(manifest, runtime, paths)
    if not manifest.image:  # else only the image knows what can be started
        _check_entry(manifest, runtime, paths)
    if manifest.dependencies and not runtime.takes_wheels:
        raise BadArchive(
            "no_dependencies_here",
            f"the runtime {runtime.name} installs no dependencies",
            "put what the bot needs into its folder, and leave out bot.dependencies",
        )
    return manifest


def entry_file(manifest: Manifest, runtime: Runtime) -> frozenset[str]:
    """Return the files any one of which the entry may start; empty when the command is not one of its runtime's."""
    first, *rest = manifest.entry
    if not runtime.commands:
        return frozenset({str(PurePosixPath(first))})
    if first not in runtime.commands:
        return frozenset()
    if "-m" in rest and runtime.kind == "python":
        at = rest.index("-m") + 1
        module = rest[at].replace(".", "/") if at < len(rest) else ""
        return frozenset({f"{module}.py", f"{module}/__main__.py"})
    named = next((word for word in rest if not word.startswith("-")), "")
    return frozenset({str(PurePosixPath(named))})


def _check_no_code(paths: Set[str]) -> None:
    """What a remote bot plays with stays where it is: an archive that seems to hold it would say more than is true."""
    if more := sorted(paths - {MANIFEST}):
        raise BadArchive(
            "remote_with_files",
            f"the archive of a remote bot holds {more[0]!r}",
            f"send {MANIFEST} alone, or write a runtime that the arena starts",
        )


def _check_image(manifest: Manifest, runtime: Runtime, paths: Set[str]) -> None:
    if not manifest.image:
        return
    if not runtime.takes_images:
        raise BadArchive(
            "no_image_here",
            f"the runtime {runtime.name} takes no image of the author's",
            'write runtime = "any", or leave out bot.image',
        )
    if manifest.image not in paths:
        raise BadArchive(
            "no_image",
            f"bot.image is {manifest.image[:120]!r}, which the archive does not hold",
            "put it there: docker save IMAGE -o image.tar",
        )


def _check_entry(manifest: Manifest, runtime: Runtime, paths: Set[str]) -> None:
    wanted = entry_file(manifest, runtime)
    if not wanted:
        raise BadArchive(
            "bad_entry",
            f"bot.entry starts {manifest.entry[0]!r}, which the runtime {runtime.name} does not have",
            f"write it as {runtime.example}",
        )
    if wanted & paths:
        return
    name = sorted(wanted)[0]
    folder = any(path.startswith(f"{name}/") for path in paths)
    what = "is a folder" if folder else "the archive does not hold"
    raise BadArchive(
        "no_entry", f"bot.entry starts {name!r}, which {what}", f"name a file, as {runtime.example}, in {MANIFEST}"
    )
